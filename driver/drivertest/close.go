package drivertest

import (
	"context"
	"reflect"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var closeCases = []Case{{
	Name:  "close/browser-twice",
	fresh: true,
	Rule:  "Close may be called again, also by several goroutines at once, and returns nil.",
	Doc:   "Browser.Close",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		t.open("/")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if err := t.browser.Close(); err != nil {
					t.errorf("Close: %v", err)
				}
			})
		}
		wg.Wait()
		t.ok("Close once more", t.browser.Close())
	},
}, {
	Name:  "close/browser-after",
	fresh: true,
	Rule:  "After Close every call gives ErrClosed, and Pages is empty.",
	Doc:   "ErrClosed",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		t.open("/")
		calls := t.calls(t.find("#i"))
		t.ok("Close", t.browser.Close())
		for _, c := range calls {
			t.failsAsOp(c.op, c.call(t.ctx), driver.ErrClosed)
		}
		_, err := t.browser.NewPage(t.ctx)
		t.fails("NewPage", err, driver.ErrClosed)
		_, err = t.browser.Cookies(t.ctx)
		t.fails("Cookies", err, driver.ErrClosed)
		t.fails("SetCookies", t.browser.SetCookies(t.ctx, driver.Cookie{Name: "a", Value: "1", URL: t.url("/")}), driver.ErrClosed)
		_, err = t.browser.StorageState(t.ctx)
		t.fails("StorageState", err, driver.ErrClosed)
		t.equal("pages", len(t.browser.Pages()), 0)
		t.ok("Page.Close", t.page.Close(t.ctx))
	},
}, {
	Name:  "close/browser-under-way",
	fresh: true,
	Rule:  "Close ends every call under way with ErrClosed.",
	Doc:   "Browser.Close",
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		failed := make(chan error, 1)
		go func() {
			_, err := t.page.Navigate(t.ctx, t.url("/slow"), nil)
			failed <- err
		}()
		t.await("the request", slow.arrived)
		t.ok("Close", t.browser.Close())
		t.fails("Navigate", <-failed, driver.ErrClosed)
	},
}, {
	Name:  "close/page-twice",
	Rule:  "Closing a closed page does nothing and returns nil.",
	Doc:   "Page.Close",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		p := t.newPage()
		t.ok("Close", p.Close(t.ctx))
		t.events.mark()
		t.ok("Close again", p.Close(t.ctx))
		t.equal("PageClosed told again", len(told[driver.PageClosed](t)), 0)
		t.equal("pages", len(t.browser.Pages()), 1)
	},
}, {
	Name:  "close/page-after",
	Rule:  "Every call on a closed page gives ErrClosed.",
	Doc:   "ErrClosed",
	pages: pages{"/": staleForm},
	check: func(t *trial) {
		first := t.page
		t.page = t.newPage()
		t.open("/")
		calls := t.calls(t.find("#i"))
		t.ok("Close", t.page.Close(t.ctx))
		for _, c := range calls {
			t.failsAsOp(c.op, c.call(t.ctx), driver.ErrClosed)
		}
		t.page = first
		t.open("/")
	},
}, {
	Name: "close/page-under-way",
	Rule: "Closing a page ends its calls under way with ErrClosed.",
	Doc:  "Page.Close",
	check: func(t *trial) {
		p := t.newPage()
		slow := t.hold("/slow", "", "<p>slow")
		failed := make(chan error, 1)
		go func() {
			_, err := p.Navigate(t.ctx, t.url("/slow"), nil)
			failed <- err
		}()
		t.await("the request", slow.arrived)
		t.ok("Close", p.Close(t.ctx))
		t.fails("Navigate", <-failed, driver.ErrClosed)
	},
}, {
	Name:  "close/last-page",
	fresh: true,
	Rule:  "When its last page is closed a browser stays open: NewPage gives another.",
	Doc:   "Page.Close",
	pages: pages{"/": "<p id=p>x"},
	check: func(t *trial) {
		t.ok("Close", t.page.Close(t.ctx))
		t.equal("pages", len(t.browser.Pages()), 0)
		t.page = t.newPage()
		t.open("/")
		t.equal("text", t.text("#p"), "x")
	},
}, {
	Name:  "close/others",
	Rule:  "Closing one browser leaves the others of the driver.",
	Doc:   "Browser.Close",
	pages: pages{"/": "<p id=p>x"},
	check: func(t *trial) {
		b := t.openBrowser(&driver.BrowserOptions{})
		t.ok("Close", b.Close())
		t.open("/")
		t.equal("text", t.text("#p"), "x")
	},
}, {
	Name: "close/options",
	Rule: "Open neither keeps nor changes the options, and opens more browsers with the same.",
	Doc:  "Driver.Open",
	check: func(t *trial) {
		opts := &driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 300, Height: 200}, Headers: map[string]string{"X-A": "1"}}}
		want := driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 300, Height: 200}, Headers: map[string]string{"X-A": "1"}}}
		a := t.openBrowser(opts)
		t.must(reflect.DeepEqual(*opts, want), "the options are %+v afterwards, want %+v", *opts, want)
		opts.Viewport, opts.Headers["X-A"] = driver.Size{Width: 9, Height: 9}, "2"
		c, err := a.Pages()[0].Capture(t.ctx)
		t.ok("Capture", err)
		t.equal("Viewport", c.Viewport, driver.Size{Width: 300, Height: 200})
	},
}, {
	Name: "close/names",
	Rule: "A driver and a browser have names.",
	Doc:  "Driver.String",
	check: func(t *trial) {
		t.must(t.driver.String() != "", "Driver.String is empty")
		t.must(t.browser.Version() != "", "Browser.Version is empty")
		t.must(t.page.ID() != "", "Page.ID is empty")
	},
}}

// A pageCall is a method of a page.
type pageCall struct {
	op   string
	call func(ctx context.Context) error
}

// calls returns the methods of the page, on a node where they take one.
func (t *trial) calls(ref driver.NodeRef) []pageCall {
	p := t.page
	return []pageCall{
		{"navigate", func(ctx context.Context) error { _, err := p.Navigate(ctx, t.url("/"), nil); return err }},
		{"reload", func(ctx context.Context) error { _, err := p.Reload(ctx, nil); return err }},
		{"back", func(ctx context.Context) error { _, err := p.Back(ctx, nil); return err }},
		{"forward", func(ctx context.Context) error { _, err := p.Forward(ctx, nil); return err }},
		{"capture", func(ctx context.Context) error { _, err := p.Capture(ctx); return err }},
		{"revision", func(ctx context.Context) error { _, err := p.Revision(ctx); return err }},
		{"activity", func(ctx context.Context) error { _, err := p.Activity(ctx); return err }},
		{"find", func(ctx context.Context) error { _, err := p.Find(ctx, driver.NodeRef{}, css("p")); return err }},
		{"locate", func(ctx context.Context) error { _, err := p.Locate(ctx, ref, nil); return err }},
		{"hittest", func(ctx context.Context) error { _, err := p.HitTest(ctx, driver.Point{X: 1, Y: 1}); return err }},
		{"input", func(ctx context.Context) error { return p.Input(ctx, driver.MouseMove{At: driver.Point{X: 1, Y: 1}}) }},
		{"focus", func(ctx context.Context) error { return p.Focus(ctx, driver.Target{At: ref}) }},
		{"selecttext", func(ctx context.Context) error { return p.SelectText(ctx, driver.Target{At: ref}) }},
		{"setvalue", func(ctx context.Context) error { _, err := p.SetValue(ctx, driver.Target{At: ref}, "1"); return err }},
		{"setfiles", func(ctx context.Context) error { return p.SetFiles(ctx, driver.Target{At: ref}) }},
		{"scrollto", func(ctx context.Context) error { _, err := p.ScrollTo(ctx, ref, driver.ScrollTarget{}); return err }},
		{"state", func(ctx context.Context) error { _, err := p.State(ctx, ref); return err }},
	}
}
