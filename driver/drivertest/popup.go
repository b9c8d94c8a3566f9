package drivertest

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

const opening = `<a id=a href=/two target=_blank rel=opener>go</a><button id=b>open</button><form action=/two target=_blank><button id=f>send</button></form>`

var openingDoes = []Behavior{on("click", "#b", Action{Kind: OpenWindow, Text: "/two"})}

var popupCases = []Case{{
	Name:  "popups/link",
	Rule:  "A link with the target _blank opens a page: PageOpened names it, its opener and its address, and Pages has it behind the others.",
	Doc:   "PageOpened",
	pages: pages{"/": opening, "/two": "<p id=p>two"},
	check: func(t *trial) {
		t.open("/")
		doc := t.doc()
		e, p := t.popsUp("#a")
		t.equal("Opener of the event", e.Opener, t.page.ID())
		t.equal("URL of the event", e.URL, t.url("/two"))
		t.equal("Opener", p.Opener(), t.page.ID())
		t.equal("the last page", t.browser.Pages()[1].ID(), e.Page)
		t.equal("the first page", t.browser.Pages()[0].ID(), t.page.ID())
		t.equal("URL of the new page", p.Frames()[0].URL, t.url("/two"))
		t.equal("Doc of the first page", t.doc(), doc)
	},
}, {
	Name:  "popups/script",
	Rule:  "A window that a script opens is a page with its opener.",
	Doc:   "Page.Opener",
	pages: pages{"/": opening, "/two": "<p id=p>two"}, does: openingDoes,
	check: func(t *trial) {
		t.open("/")
		e, p := t.popsUp("#b")
		t.equal("Opener", p.Opener(), t.page.ID())
		t.equal("ID", p.ID(), e.Page)
	},
}, {
	Name:  "popups/form",
	Rule:  "A form with the target _blank is sent into a page of its own.",
	Doc:   "PageOpened",
	pages: pages{"/": opening, "/two": "<p id=p>two"},
	check: func(t *trial) {
		t.open("/")
		_, p := t.popsUp("#f")
		t.equal("frames", len(p.Frames()), 1)
		t.equal("method", t.request("/two").Method, "GET")
	},
}, {
	Name:  "popups/first",
	Rule:  "PageOpened comes before any other event of the page.",
	Doc:   "PageOpened",
	pages: pages{"/": opening, "/two": "<p id=p>two"},
	check: func(t *trial) {
		t.open("/")
		opened, _ := t.popsUp("#a")
		for _, e := range t.events.since() {
			if e.From() == opened.Page {
				_, first := e.(driver.PageOpened)
				t.must(first, "the first event of the page is %T%+v", e, e)
				break
			}
		}
	},
}, {
	Name:  "popups/use",
	Rule:  "A page that was opened by a link is read and acted on like any other, and its events are told.",
	Doc:   "Page",
	pages: pages{"/": opening, "/two": `<input id=i><a id=n href=/three>go</a>`, "/three": "<p id=p>three"},
	check: func(t *trial) {
		t.open("/")
		_, p := t.popsUp("#a")
		t.page = p
		t.click("#i")
		t.write("ab")
		t.equal("value", t.value("#i"), "ab")
		t.events.mark()
		t.click("#n")
		t.settled("/three")
		t.equal("text", t.text("#p"), "three")
	},
}, {
	Name:  "popups/new-page",
	Rule:  "NewPage gives a page at about:blank without opener, which Pages lists last and PageOpened told.",
	Doc:   "Browser.NewPage",
	pages: pages{"/": "<p id=p>one"},
	check: func(t *trial) {
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
	},
}, {
	Name: "popups/pages-owned",
	Rule: "The caller owns the slice that Pages returns.",
	Doc:  "Browser.Pages",
	check: func(t *trial) {
		t.browser.Pages()[0] = nil
		t.must(t.browser.Pages()[0] != nil, "a change of the slice shows in the next")
		t.page.Frames()[0].Name = "changed"
		t.equal("Name", t.page.Frames()[0].Name, "")
	},
}, {
	Name:  "popups/close",
	Rule:  "A page that is closed is told by PageClosed, after which no event of it comes; it is not in Pages, and the others go on.",
	Doc:   "PageClosed",
	pages: pages{"/": opening, "/two": "<p id=p>two"},
	check: func(t *trial) {
		t.open("/")
		_, p := t.popsUp("#a")
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
	},
}, {
	Name: "popups/order",
	Rule: "Pages are in the order in which they were opened, whichever was closed between.",
	Doc:  "Browser.Pages",
	check: func(t *trial) {
		a, b, c := t.newPage(), t.newPage(), t.newPage()
		t.ok("Page.Close", b.Close(t.ctx))
		d := t.newPage()
		var got []driver.PageID
		for _, p := range t.browser.Pages() {
			got = append(got, p.ID())
		}
		t.equal("pages", got, []driver.PageID{t.page.ID(), a.ID(), c.ID(), d.ID()})
	},
}, {
	Name:  "popups/activate",
	Rule:  "Every page can be brought to the front and be acted on, whichever was there before.",
	Doc:   "Page.Activate",
	pages: pages{"/": "<input id=i>"},
	check: func(t *trial) {
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
	},
}, {
	Name:  "popups/named",
	Rule:  "A second link with the same target name goes to the page that the first opened.",
	Doc:   "PageOpened",
	pages: pages{"/": `<a id=a href=/two target=win rel=opener>go</a><a id=b href=/three target=win rel=opener>go</a>`, "/two": "<p id=p>two", "/three": "<p id=p>three"},
	check: func(t *trial) {
		t.open("/")
		_, p := t.popsUp("#a")
		t.ok("Activate", t.page.Activate(t.ctx))
		t.events.mark()
		t.click("#b")
		there := false
		if _, ok := t.events.wait(t.ctx, func(e driver.Event) bool { return t.loadedAt(e, p.ID(), "/three", &there) }); !ok {
			t.fatalf("the page did not go to /three; events:%s", t.events.list())
		}
		t.equal("pages", len(t.browser.Pages()), 2)
	},
}}

// popsUp clicks what opens a page at /two and waits until that is loaded.
func (t *trial) popsUp(selector string) (driver.PageOpened, driver.Page) {
	t.events.mark()
	t.click(selector)
	opened := wait(t, func(e driver.PageOpened) bool { return e.Page != t.page.ID() })
	there := false
	if _, ok := t.events.wait(t.ctx, func(e driver.Event) bool { return t.loadedAt(e, opened.Page, "/two", &there) }); !ok {
		t.fatalf("the new page was not loaded; events:%s", t.events.list())
	}
	for _, p := range t.browser.Pages() {
		if p.ID() == opened.Page {
			return opened, p
		}
	}
	t.fatalf("Pages lacks the page that PageOpened named")
	return opened, nil
}
