package passthrough

import (
	"context"
	"errors"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Browser passes the calls of the browser that it embeds through Around, and
// wraps its pages. What asks no browser (Listen, Version, Close) is the embedded
// browser's own. It must not be copied.
type Browser struct {
	driver.Browser
	Around Around

	// Wrap makes the wrapper of a page. It is called once for each page, so that
	// the same page always has the same one.
	Wrap func(driver.Page) driver.Page

	mu    sync.Mutex // protects pages
	pages map[driver.PageID]driver.Page
}

var (
	_ driver.Browser        = (*Browser)(nil)
	_ driver.BrowserWrapper = (*Browser)(nil)
	_ driver.Hider          = (*Browser)(nil)
	_ driver.Interceptor    = (*Browser)(nil)
)

// Unwrap implements driver.BrowserWrapper.
func (b *Browser) Unwrap() driver.Browser { return b.Browser }

// Hide passes a value on to a browser that keeps what passes through it.
func (b *Browser) Hide(name, value string) {
	if inner, ok := driver.BrowserAs[driver.Hider](b.Browser); ok {
		inner.Hide(name, value)
	}
}

// Intercept implements driver.Interceptor, for a browser that is one.
func (b *Browser) Intercept(ctx context.Context, h *driver.Handler) (stop func(), err error) {
	inner, ok := driver.BrowserAs[driver.Interceptor](b.Browser)
	if !ok {
		return nil, &driver.OpError{Op: "intercept", Err: errors.ErrUnsupported}
	}
	return ask(ctx, b.Around, Call{Op: "intercept"}, func() (func(), error) { return inner.Intercept(ctx, h) })
}

// Covers implements driver.Interceptor.
func (b *Browser) Covers(page driver.PageID) bool {
	inner, ok := driver.BrowserAs[driver.Interceptor](b.Browser)
	return ok && inner.Covers(page)
}

// wrap returns the wrapper of a page.
func (b *Browser) wrap(p driver.Page) driver.Page {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pages == nil {
		b.pages = make(map[driver.PageID]driver.Page)
	}
	w := b.pages[p.ID()]
	if w == nil {
		w = b.Wrap(p)
		b.pages[p.ID()] = w
	}
	return w
}

func (b *Browser) Pages() []driver.Page {
	pages := b.Browser.Pages()
	out := make([]driver.Page, len(pages))
	for i, p := range pages {
		out[i] = b.wrap(p)
	}
	return out
}

func (b *Browser) NewPage(ctx context.Context) (driver.Page, error) {
	p, err := ask(ctx, b.Around, Call{Op: "newpage"}, func() (driver.Page, error) { return b.Browser.NewPage(ctx) })
	if err != nil {
		return nil, err
	}
	return b.wrap(p), nil
}

func (b *Browser) Cookies(ctx context.Context, urls ...string) ([]driver.Cookie, error) {
	return ask(ctx, b.Around, Call{Op: "cookies", Args: []any{urls}}, func() ([]driver.Cookie, error) { return b.Browser.Cookies(ctx, urls...) })
}

func (b *Browser) SetCookies(ctx context.Context, cookies ...driver.Cookie) error {
	return tell(ctx, b.Around, Call{Op: "setcookies", Args: []any{cookies}}, func() error { return b.Browser.SetCookies(ctx, cookies...) })
}

func (b *Browser) ClearCookies(ctx context.Context) error {
	return tell(ctx, b.Around, Call{Op: "clearcookies"}, func() error { return b.Browser.ClearCookies(ctx) })
}

func (b *Browser) StorageState(ctx context.Context) (*driver.StorageState, error) {
	return ask(ctx, b.Around, Call{Op: "storagestate"}, func() (*driver.StorageState, error) { return b.Browser.StorageState(ctx) })
}
