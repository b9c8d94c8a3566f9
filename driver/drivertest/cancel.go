package drivertest

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var cancelCases = []Case{{
	Name:  "cancel/before",
	Rule:  "A call whose context has ended returns an error that wraps ctx.Err(), does nothing, and leaves the page usable.",
	Doc:   "Page",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref, doc := t.find("#i"), t.doc()
		ctx, cancel := context.WithCancel(t.ctx)
		cancel()
		for _, c := range t.calls(ref) {
			t.failsAsOp(c.op, c.call(ctx), context.Canceled)
		}
		t.equal("Doc", t.doc(), doc)
		t.equal("focused", t.focused(), "")
		_, err := t.browser.NewPage(ctx)
		t.fails("NewPage", err, context.Canceled)
		t.equal("pages", len(t.browser.Pages()), 1)
		_, err = t.browser.Cookies(ctx)
		t.fails("Cookies", err, context.Canceled)
	},
}, {
	Name:  "cancel/under-way",
	Rule:  "A context that ends stops the call that it was passed to, and the page stays open and usable.",
	Doc:   "Navigator.Navigate",
	pages: pages{"/": "<p id=p>one"},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		ctx, cancel := context.WithCancel(t.ctx)
		failed := make(chan error, 1)
		go func() {
			_, err := t.page.Navigate(ctx, t.url("/slow"), nil)
			failed <- err
		}()
		t.await("the request", slow.arrived)
		cancel()
		t.fails("Navigate", <-failed, context.Canceled)
		t.open("/")
		t.equal("text", t.text("#p"), "one")
	},
}, {
	Name:  "cancel/deadline",
	Rule:  "A deadline that passes gives an error that wraps context.DeadlineExceeded.",
	Doc:   "Navigator.Navigate",
	pages: pages{"/": "<p id=p>one"},
	check: func(t *trial) {
		t.hold("/slow", "", "<p>slow")
		ctx, cancel := context.WithTimeout(t.ctx, 50*time.Millisecond)
		defer cancel()
		_, err := t.page.Navigate(ctx, t.url("/slow"), nil)
		t.fails("Navigate", err, context.DeadlineExceeded)
		t.open("/")
		t.equal("text", t.text("#p"), "one")
	},
}, {
	Name: "cancel/open",
	Rule: "Open with a context that has ended gives an error that wraps its error, and no browser.",
	Doc:  "Driver.Open",
	check: func(t *trial) {
		ctx, cancel := context.WithCancel(t.ctx)
		cancel()
		b, err := t.driver.Open(ctx, &driver.BrowserOptions{})
		t.fails("Open", err, context.Canceled)
		t.must(b == nil, "Open gave a browser with its error")
	},
}, {
	Name:  "cancel/open-alone",
	Rule:  "The context of Open bounds the opening alone: the browser lives on when it ends.",
	Doc:   "Driver.Open",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		ctx, cancel := context.WithCancel(t.ctx)
		b, err := t.driver.Open(ctx, &driver.BrowserOptions{})
		t.ok("Open", err)
		defer b.Close()
		cancel()
		_, err = b.Pages()[0].Navigate(t.ctx, t.url("/"), nil)
		t.ok("Navigate after the end of Open's context", err)
	},
}, {
	Name:  "cancel/page-context",
	Rule:  "No driver stores a context beyond the call: a page lives on when NewPage's context and that of its navigation end.",
	Doc:   "Browser.NewPage",
	pages: pages{"/": "<p id=p>x"},
	check: func(t *trial) {
		ctx, cancel := context.WithCancel(t.ctx)
		p, err := t.browser.NewPage(ctx)
		t.ok("NewPage", err)
		_, err = p.Navigate(ctx, t.url("/"), nil)
		t.ok("Navigate", err)
		cancel()
		t.page = p
		t.equal("text", t.text("#p"), "x")
		t.revision()
	},
}, {
	Name:  "cancel/independent",
	Rule:  "Calls on two pages do not wait for each other.",
	Doc:   "Page",
	pages: pages{"/": "<p id=p>one"},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		other := t.newPage()
		failed := make(chan error, 1)
		go func() {
			_, err := other.Navigate(t.ctx, t.url("/slow"), nil)
			failed <- err
		}()
		t.await("the request", slow.arrived)
		t.open("/")
		t.equal("text", t.text("#p"), "one")
		slow.release()
		t.ok("Navigate of the other page", <-failed)
	},
}, {
	Name:  "cancel/concurrent",
	Rule:  "Every method may be called from several goroutines at once.",
	Doc:   "Page",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#i")
		var wg sync.WaitGroup
		for range 3 {
			for _, c := range t.calls(ref)[4:12] { // those that leave the document
				wg.Go(func() {
					if err := c.call(t.ctx); err != nil {
						t.errorf("%s: %v", c.op, err)
					}
				})
			}
			wg.Go(func() {
				t.page.Frames()
				t.browser.Pages()
				t.browser.Listen(func(driver.Event) {})()
			})
		}
		wg.Wait()
	},
}, {
	Name:  "cancel/concurrent-navigation",
	Rule:  "Calls that a navigation overtakes end: with their answer, as stale, or as detached, and never hang.",
	Doc:   "ErrStale",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		ref := t.find("#i")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					_, err := t.page.State(t.ctx, ref)
					t.must(err == nil || errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached), "State: %v", err)
					_, err = t.page.Capture(t.ctx)
					t.must(err == nil, "Capture: %v", err)
				}
			})
		}
		t.open("/")
		t.open("/")
		wg.Wait()
	},
}}
