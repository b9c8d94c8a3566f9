package faults

import (
	"context"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A browser passes calls on. What is not here (Listen, Version, Close) is the
// wrapped browser's own.
type browser struct {
	driver.Browser
	driver *Driver

	mu    sync.Mutex // protects pages
	pages map[driver.PageID]*page
}

// wrap gives a page its wrapper, the same one each time.
func (b *browser) wrap(p driver.Page) *page {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := b.pages[p.ID()]
	if w == nil {
		w = &page{Page: p, browser: b}
		b.pages[p.ID()] = w
	}
	return w
}

// Hide passes a value on to a browser that keeps what passes through it.
func (b *browser) Hide(name, value string) {
	if inner, ok := b.Browser.(driver.Hider); ok {
		inner.Hide(name, value)
	}
}

func (b *browser) Pages() []driver.Page {
	inner := b.Browser.Pages()
	out := make([]driver.Page, len(inner))
	for i, p := range inner {
		out[i] = b.wrap(p)
	}
	return out
}

func (b *browser) NewPage(ctx context.Context) (driver.Page, error) {
	return made(ctx, b, nil, "newpage", func() (driver.Page, error) {
		p, err := b.Browser.NewPage(ctx)
		if err != nil {
			return nil, err
		}
		return b.wrap(p), nil
	})
}

func (b *browser) Cookies(ctx context.Context, urls ...string) ([]driver.Cookie, error) {
	return made(ctx, b, nil, "cookies", func() ([]driver.Cookie, error) { return b.Browser.Cookies(ctx, urls...) })
}

func (b *browser) SetCookies(ctx context.Context, cookies ...driver.Cookie) error {
	return done(ctx, b, nil, "setcookies", func() error { return b.Browser.SetCookies(ctx, cookies...) })
}

func (b *browser) ClearCookies(ctx context.Context) error {
	return done(ctx, b, nil, "clearcookies", func() error { return b.Browser.ClearCookies(ctx) })
}

func (b *browser) StorageState(ctx context.Context) (*driver.StorageState, error) {
	return made(ctx, b, nil, "storagestate", func() (*driver.StorageState, error) { return b.Browser.StorageState(ctx) })
}

// made makes a call that returns something, unless a fault strikes.
func made[T any](ctx context.Context, b *browser, p driver.Page, op string, f func() (T, error)) (T, error) {
	var none T
	lost, err := b.driver.strike(ctx, op, &call{browser: b.Browser, page: p})
	if err != nil {
		return none, err
	}
	v, err := f()
	if lost != nil {
		return none, lost
	}
	return v, err
}

// done is made for calls that return an error alone.
func done(ctx context.Context, b *browser, p driver.Page, op string, f func() error) error {
	_, err := made(ctx, b, p, op, func() (struct{}, error) { return struct{}{}, f() })
	return err
}
