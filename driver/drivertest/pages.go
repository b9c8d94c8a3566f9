package drivertest

import (
	"context"
	"reflect"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const opening = `<a id=a href=/two target=_blank rel=opener>go</a><button id=b>open</button><form action=/two target=_blank><button id=f>send</button></form>`

var openingDoes = []Behavior{on("click", "#b", Action{Kind: OpenWindow, Text: "/two"})}

var popupCases = rows(Case{Doc: "PageOpened"},
	rule("popups/link", "A link with the target _blank opens a page: PageOpened names it, its opener and its address, and Pages has it behind the others.").
		with(pages{"/": opening, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			doc := t.doc()
			e, p := popsUp(t, "#a")
			t.equal("Opener of the event", e.Opener, t.page.ID())
			t.equal("URL of the event", e.URL, t.url("/two"))
			t.equal("Opener", p.Opener(), t.page.ID())
			t.equal("the last page", t.browser.Pages()[1].ID(), e.Page)
			t.equal("the first page", t.browser.Pages()[0].ID(), t.page.ID())
			t.equal("URL of the new page", p.Frames()[0].URL, t.url("/two"))
			t.equal("Doc of the first page", t.doc(), doc)
		}),
	rule("popups/script", "A window that a script opens is a page with its opener.").at("Page.Opener").
		with(pages{"/": opening, "/two": "<p id=p>two"}).
		doing(openingDoes...).
		opens(func(t *trial) {
			e, p := popsUp(t, "#b")
			t.equal("Opener", p.Opener(), t.page.ID())
			t.equal("ID", p.ID(), e.Page)
		}),
	rule("popups/form", "A form with the target _blank is sent into a page of its own.").
		with(pages{"/": opening, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			_, p := popsUp(t, "#f")
			t.equal("frames", len(p.Frames()), 1)
			t.equal("method", t.request("/two").Method, "GET")
		}),
	rule("popups/first", "PageOpened comes before any other event of the page.").
		with(pages{"/": opening, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			opened, _ := popsUp(t, "#a")
			for _, e := range t.events.since() {
				if e.From() == opened.Page {
					_, first := e.(driver.PageOpened)
					t.must(first, "the first event of the page is %T%+v", e, e)
					break
				}
			}
		}),
	rule("popups/use", "A page that was opened by a link is read and acted on like any other, and its events are told.").at("Page").
		with(pages{"/": opening, "/two": `<input id=i><a id=n href=/three>go</a>`, "/three": "<p id=p>three"}).
		opens(func(t *trial) {
			_, p := popsUp(t, "#a")
			t.page = p
			t.click("#i")
			t.write("ab")
			t.equal("value", t.value("#i"), "ab")
			t.trigger("#n")
			t.settled("/three")
			t.equal("text", t.text("#p"), "three")
		}),
	rule("popups/new-page", "NewPage gives a page at about:blank without opener, which Pages lists last and PageOpened told.").at("Browser.NewPage").
		on("<p id=p>one").
		checks(func(t *trial) {
			t.events.mark()
			p := t.newPage()
			t.equal("Opener", p.Opener(), driver.PageID(""))
			t.equal("URL", p.Frames()[0].URL, "about:blank")
			pages := t.browser.Pages()
			t.equal("pages", len(pages), 2)
			t.equal("the last page", pages[len(pages)-1].ID(), p.ID())
			t.must(slices.ContainsFunc(told[driver.PageOpened](t), func(e driver.PageOpened) bool { return e.Page == p.ID() }),
				"PageOpened was not told when NewPage returned")
			t.must(p.ID() != t.page.ID(), "two pages have the same ID")
		}),
	rule("popups/pages-owned", "The caller owns the slice that Pages returns.").at("Browser.Pages").checks(func(t *trial) {
		t.browser.Pages()[0] = nil
		t.must(t.browser.Pages()[0] != nil, "a change of the slice shows in the next")
		t.page.Frames()[0].Name = "changed"
		t.equal("Name", t.page.Frames()[0].Name, "")
	}),
	rule("popups/close", "A page that is closed is told by PageClosed, after which no event of it comes; it is not in Pages, and the others go on.").at("PageClosed").
		with(pages{"/": opening, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			_, p := popsUp(t, "#a")
			t.events.mark()
			t.ok("Page.Close", p.Close(t.ctx))
			e := wait[driver.PageClosed](t, nil)
			t.equal("Page", e.Page, p.ID())
			t.equal("pages", len(t.browser.Pages()), 1)
			t.open("/two")
			seen := false
			for _, e := range t.events.since() {
				if _, ok := e.(driver.PageClosed); ok {
					seen = true
				} else if seen && e.From() == p.ID() {
					t.errorf("%T%+v came after PageClosed", e, e)
				}
			}
		}),
	rule("popups/order", "Pages are in the order in which they were opened, whichever was closed between.").at("Browser.Pages").checks(func(t *trial) {
		a, b, c := t.newPage(), t.newPage(), t.newPage()
		t.ok("Page.Close", b.Close(t.ctx))
		d := t.newPage()
		var got []driver.PageID
		for _, p := range t.browser.Pages() {
			got = append(got, p.ID())
		}
		t.equal("pages", got, []driver.PageID{t.page.ID(), a.ID(), c.ID(), d.ID()})
	}),
	rule("popups/activate", "Every page can be brought to the front and be acted on, whichever was there before.").at("Page.Activate").
		on("<input id=i>").
		checks(func(t *trial) {
			first, second := t.page, t.newPage()
			for _, p := range []driver.Page{first, second} {
				t.page = p
				t.open("/")
			}
			for i, p := range []driver.Page{first, second, first} {
				t.page = p
				t.ok("Activate", p.Activate(t.ctx))
				t.click("#i")
				t.write("x")
				t.equal("value", t.value("#i"), []string{"x", "x", "xx"}[i])
			}
		}),
	rule("popups/named", "A second link with the same target name goes to the page that the first opened.").
		with(pages{"/": `<a id=a href=/two target=win rel=opener>go</a><a id=b href=/three target=win rel=opener>go</a>`, "/two": "<p id=p>two", "/three": "<p id=p>three"}).
		opens(func(t *trial) {
			_, p := popsUp(t, "#a")
			t.ok("Activate", t.page.Activate(t.ctx))
			t.trigger("#b")
			t.settledIn(p.ID(), "/three")
			t.equal("pages", len(t.browser.Pages()), 2)
		}),
)

// popsUp clicks what opens a page at /two and waits until that is loaded.
func popsUp(t *trial, selector string) (driver.PageOpened, driver.Page) {
	t.trigger(selector)
	opened := wait(t, func(e driver.PageOpened) bool { return e.Page != t.page.ID() })
	t.settledIn(opened.Page, "/two")
	pages := t.browser.Pages()
	i := slices.IndexFunc(pages, func(p driver.Page) bool { return p.ID() == opened.Page })
	if i < 0 {
		t.fatalf("Pages lacks the page that PageOpened named")
	}
	return opened, pages[i]
}

var closeCases = rows(Case{Doc: "Browser.Close"},
	rule("close/browser-twice", "Close may be called again, also by several goroutines at once, and returns nil.").alone().
		on("<p>x").
		opens(func(t *trial) {
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
		}),
	rule("close/browser-after", "After Close every call gives ErrClosed, and Pages is empty.").at("ErrClosed").alone().
		on(staleForm).
		opens(func(t *trial) {
			calls := t.calls(t.find("#i"))
			t.ok("Close", t.browser.Close())
			for _, c := range calls {
				t.failsAsOp(c.op, c.call(t.ctx), driver.ErrClosed)
			}
			t.fails("NewPage", errOf(t.browser.NewPage(t.ctx)), driver.ErrClosed)
			t.fails("Cookies", errOf(t.browser.Cookies(t.ctx)), driver.ErrClosed)
			t.fails("SetCookies", t.browser.SetCookies(t.ctx, driver.Cookie{Name: "a", Value: "1", URL: t.url("/")}), driver.ErrClosed)
			t.fails("StorageState", errOf(t.browser.StorageState(t.ctx)), driver.ErrClosed)
			t.equal("pages", len(t.browser.Pages()), 0)
			t.ok("Page.Close", t.page.Close(t.ctx))
		}),
	rule("close/browser-under-way", "Close ends every call under way with ErrClosed.").alone().checks(func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		failed := t.navigating(t.ctx, t.page, "/slow")
		t.await("the request", slow.arrived)
		t.ok("Close", t.browser.Close())
		t.fails("Navigate", <-failed, driver.ErrClosed)
	}),
	rule("close/page-twice", "Closing a closed page does nothing and returns nil.").at("Page.Close").
		on("<p>x").
		checks(func(t *trial) {
			p := t.newPage()
			t.ok("Close", p.Close(t.ctx))
			t.events.mark()
			t.ok("Close again", p.Close(t.ctx))
			t.equal("PageClosed told again", len(told[driver.PageClosed](t)), 0)
			t.equal("pages", len(t.browser.Pages()), 1)
		}),
	rule("close/page-after", "Every call on a closed page gives ErrClosed.").at("ErrClosed").
		on(staleForm).
		checks(func(t *trial) {
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
		}),
	rule("close/page-under-way", "Closing a page ends its calls under way with ErrClosed.").at("Page.Close").checks(func(t *trial) {
		p := t.newPage()
		slow := t.hold("/slow", "", "<p>slow")
		failed := t.navigating(t.ctx, p, "/slow")
		t.await("the request", slow.arrived)
		t.ok("Close", p.Close(t.ctx))
		t.fails("Navigate", <-failed, driver.ErrClosed)
	}),
	rule("close/last-page", "When its last page is closed a browser stays open: NewPage gives another.").at("Page.Close").alone().
		on("<p id=p>x").
		checks(func(t *trial) {
			t.ok("Close", t.page.Close(t.ctx))
			t.equal("pages", len(t.browser.Pages()), 0)
			t.page = t.newPage()
			t.open("/")
			t.equal("text", t.text("#p"), "x")
		}),
	rule("close/others", "Closing one browser leaves the others of the driver.").
		on("<p id=p>x").
		checks(func(t *trial) {
			t.ok("Close", t.openBrowser(&driver.BrowserOptions{}).Close())
			t.open("/")
			t.equal("text", t.text("#p"), "x")
		}),
	rule("close/options", "Open neither keeps nor changes the options, and opens more browsers with the same.").at("Driver.Open").checks(func(t *trial) {
		opts := &driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 300, Height: 200}, Headers: map[string]string{"X-A": "1"}}}
		want := driver.BrowserOptions{Emulation: driver.Emulation{Viewport: driver.Size{Width: 300, Height: 200}, Headers: map[string]string{"X-A": "1"}}}
		a := t.openBrowser(opts)
		t.must(reflect.DeepEqual(*opts, want), "the options are %+v afterwards, want %+v", *opts, want)
		opts.Viewport, opts.Headers["X-A"] = driver.Size{Width: 9, Height: 9}, "2"
		c, err := a.Pages()[0].Capture(t.ctx)
		t.ok("Capture", err)
		t.equal("Viewport", c.Viewport, driver.Size{Width: 300, Height: 200})
	}),
	rule("close/names", "A driver and a browser have names.").at("Driver.String").checks(func(t *trial) {
		t.must(t.driver.String() != "", "Driver.String is empty")
		t.must(t.browser.Version() != "", "Browser.Version is empty")
		t.must(t.page.ID() != "", "Page.ID is empty")
	}),
)

// A pageCall is a method of a page.
type pageCall struct {
	op   string
	call func(ctx context.Context) error
}

const staleForm = `<div id=d style="height: 100px; overflow: auto"><div style="height: 900px">x</div></div>
<input id=i><input id=date type=date><input id=file type=file><button id=b>b</button>`
