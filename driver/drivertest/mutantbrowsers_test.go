package drivertest_test

import (
	"context"
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
	return b.Browser.Listen(func(e driver.Event) { go fn(e) })
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
	{name: "the storage state is empty", cases: "cookies/storage-state", open: func(b driver.Browser) driver.Browser { return forgetful{b} }},
	{name: "a second Close fails", cases: "close/browser-twice", open: func(b driver.Browser) driver.Browser { return closesOnce{b, new(atomic.Bool)} }},
}
