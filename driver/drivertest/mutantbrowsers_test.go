package drivertest_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

type reversed struct{ driver.Browser }

func (b reversed) Pages() []driver.Page {
	pages := b.Browser.Pages()
	slices.Reverse(pages)
	return pages
}

type scattered struct{ driver.Browser }

func (b scattered) Listen(fn func(driver.Event)) func() {
	var held driver.Event // told after the next one
	return b.Browser.Listen(func(e driver.Event) {
		if held == nil {
			held = e
			return
		}
		first := held
		held = nil
		fn(e)
		fn(first)
	})
}

type deafToStop struct{ driver.Browser }

func (b deafToStop) Listen(fn func(driver.Event)) func() {
	b.Browser.Listen(fn)
	return func() {}
}

type silent struct{ driver.Browser }

func (b silent) Listen(fn func(driver.Event)) func() {
	return b.Browser.Listen(func(e driver.Event) {
		switch e.(type) {
		case driver.DownloadEnded, driver.NavigationEnded, driver.RequestEnded, driver.PageClosed, driver.BrowserGone, driver.FileChooserOpened:
		default:
			fn(e)
		}
	})
}

type cookieless struct{ driver.Browser }

func (b cookieless) SetCookies(context.Context, ...driver.Cookie) error { return nil }
func (b cookieless) ClearCookies(context.Context) error                 { return nil }

type forgetful struct{ driver.Browser }

func (b forgetful) StorageState(context.Context) (*driver.StorageState, error) {
	return &driver.StorageState{}, nil
}

// A cutting browser takes databases out of its storage state, and says nothing.
type cutting struct{ driver.Browser }

func (b cutting) StorageState(ctx context.Context) (*driver.StorageState, error) {
	s, err := b.Browser.StorageState(ctx)
	for i := range s.Origins {
		s.Origins[i].IndexedDB, s.Origins[i].LeftOut = nil, nil
	}
	return s, err
}

// An intercepting browser has handlers take part in another way.
type intercepting struct {
	driver.Browser
	as func(ctx context.Context, b driver.Interceptor, h driver.Handler) (func(), error)
}

func (b intercepting) Intercept(ctx context.Context, h *driver.Handler) (func(), error) {
	inner, ok := driver.BrowserAs[driver.Interceptor](b.Browser)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return b.as(ctx, inner, *h)
}

func (b intercepting) Covers(page driver.PageID) bool {
	inner, ok := driver.BrowserAs[driver.Interceptor](b.Browser)
	return ok && inner.Covers(page)
}

type coversNothing struct{ intercepting }

func (coversNothing) Covers(driver.PageID) bool { return false }

// asked changes what comes of a request that a handler was asked about.
func asked(change func(ctx context.Context, r *driver.Request, reply *driver.Reply, err error) (*driver.Reply, error)) func(driver.Browser) driver.Browser {
	return func(b driver.Browser) driver.Browser {
		return intercepting{b, func(ctx context.Context, b driver.Interceptor, h driver.Handler) (func(), error) {
			handle := h.Handle
			h.Handle = func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
				reply, err := handle(ctx, r)
				return change(ctx, r, reply, err)
			}
			return b.Intercept(ctx, &h)
		}}
	}
}

type closesOnce struct {
	driver.Browser
	closed *atomic.Bool
}

func (b closesOnce) Close() error {
	if b.closed.Swap(true) {
		return errAgain
	}
	return b.Browser.Close()
}

var browserMutants = []mutant{
	{name: "pages are in another order", cases: "popups/order popups/new-page", open: func(b driver.Browser) driver.Browser { return reversed{b} }},
	{name: "events are told in no order", cases: "events/navigation", open: func(b driver.Browser) driver.Browser { return scattered{b} }},
	{name: "stop does not stop", cases: "events/stop events/stop-within", open: func(b driver.Browser) driver.Browser { return deafToStop{b} }},
	{name: "ends are not told", cases: "downloads/saved failure/no-content requests/document popups/close events/gone files/chooser", open: func(b driver.Browser) driver.Browser { return silent{b} }},
	{name: "cookies are neither set nor cleared", cases: "cookies/sent cookies/replace", open: func(b driver.Browser) driver.Browser { return cookieless{b} }},
	{name: "the storage state is empty", cases: "cookies/storage-state cookies/indexed-db", open: func(b driver.Browser) driver.Browser { return forgetful{b} }},
	{name: "databases are not in the storage state", cases: "cookies/indexed-db cookies/indexed-db-bound", open: func(b driver.Browser) driver.Browser { return cutting{b} }},
	{name: "handlers that come later are not asked", cases: "intercept/later intercept/stop", open: func(b driver.Browser) driver.Browser {
		return intercepting{b, func(context.Context, driver.Interceptor, driver.Handler) (func(), error) { return func() {}, nil }}
	}},
	{name: "handlers go on when they are stopped", cases: "intercept/later", open: func(b driver.Browser) driver.Browser {
		return intercepting{b, func(ctx context.Context, b driver.Interceptor, h driver.Handler) (func(), error) {
			_, err := b.Intercept(ctx, &h)
			return func() {}, err
		}}
	}},
	{name: "nothing is covered", cases: "intercept/covers", open: func(b driver.Browser) driver.Browser {
		return coversNothing{intercepting{b, func(ctx context.Context, b driver.Interceptor, h driver.Handler) (func(), error) {
			return b.Intercept(ctx, &h)
		}}}
	}},
	{name: "what a handler refuses goes out", cases: "intercept/later", open: asked(func(context.Context, *driver.Request, *driver.Reply, error) (*driver.Reply, error) { return nil, nil })},
	{name: "what is held goes out at the end", cases: "intercept/later intercept/stop", open: asked(func(ctx context.Context, r *driver.Request, reply *driver.Reply, err error) (*driver.Reply, error) {
		if err != nil {
			return r.Send(context.WithoutCancel(ctx))
		}
		return reply, nil
	})},
	{name: "handlers hear of no body", cases: "intercept/later", open: func(b driver.Browser) driver.Browser {
		return intercepting{b, func(ctx context.Context, b driver.Interceptor, h driver.Handler) (func(), error) {
			handle := h.Handle
			h.Handle = func(ctx context.Context, r *driver.Request) (*driver.Reply, error) {
				r.Body = nil
				return handle(ctx, r)
			}
			return b.Intercept(ctx, &h)
		}}
	}},
	{name: "a second Close fails", cases: "close/browser-twice", open: func(b driver.Browser) driver.Browser { return closesOnce{b, new(atomic.Bool)} }},
}
