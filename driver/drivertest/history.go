package drivertest

import (
	"net/http"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var historyCases = rows(Case{Doc: "Navigator.Back"},
	rule("history/back-forward", "Back and Forward show the earlier and the later page and wait for load.").
		with(pages{"/": "<p id=p>one", "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			t.open("/two")
			t.back()
			t.equal("URL after Back", t.main().URL, t.url("/"))
			t.equal("text after Back", t.text("#p"), "one")
			t.forward()
			t.equal("URL after Forward", t.main().URL, t.url("/two"))
			t.equal("text after Forward", t.text("#p"), "two")
		}),
	rule("history/none", "Back and Forward return ErrNoHistory where there is nowhere to go.").checks(func(t *trial) {
		p := t.newPage()
		t.failsAsOp("back", errOf(p.Back(t.ctx, nil)), driver.ErrNoHistory)
		t.failsAsOp("forward", errOf(p.Forward(t.ctx, nil)), driver.ErrNoHistory)
	}),
	rule("history/end", "Forward returns ErrNoHistory at the end, and the page stays as it is.").at("Navigator.Forward").
		with(pages{"/": "<p id=p>one", "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			t.open("/two")
			doc := t.doc()
			t.fails("Forward", errOf(t.page.Forward(t.ctx, nil)), driver.ErrNoHistory)
			t.equal("Doc", t.doc(), doc)
		}),
	rule("history/cut", "A navigation after Back takes the place of what was ahead.").at("Navigator.Forward").
		with(pages{"/": "<p id=p>one", "/two": "<p id=p>two", "/three": "<p id=p>three"}).
		opens(func(t *trial) {
			t.open("/two")
			t.back()
			t.open("/three")
			t.fails("Forward", errOf(t.page.Forward(t.ctx, nil)), driver.ErrNoHistory)
			t.back()
			t.equal("URL after Back", t.main().URL, t.url("/"))
		}),
	rule("history/restored", "A page that comes out of a back/forward cache has its former DocID and its nodes; one that was fetched again has a new DocID, and the former nodes are stale.").
		with(pages{"/": "<button id=b>one</button>", "/two": "<button id=b>two</button>"}).
		opens(func(t *trial) {
			doc, ref := t.doc(), t.find("#b")
			t.open("/two")
			t.fails("State while the other page is shown", errOf(t.page.State(t.ctx, ref)), driver.ErrStale)
			t.back()
			_, err := t.page.State(t.ctx, ref)
			if t.doc() == doc {
				t.ok("State with the former Doc", err)
				t.equal("the node that is found", t.find("#b"), ref)
			} else {
				t.fails("State with a new Doc", err, driver.ErrStale)
			}
		}),
	rule("history/while-loading", "Back stops what the page that it leaves still loads.").at("Navigator.Back").
		on("<p id=p>one").
		opens(func(t *trial) {
			t.hold("/slow", "<!DOCTYPE html><p id=p>two</p>", "<p>three</p>")
			_, err := t.page.Navigate(t.ctx, t.url("/slow"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})
			t.ok("Navigate", err)
			t.equal("text while it loads", t.text("#p"), "two")
			t.back()
			wait(t, func(e driver.RequestEnded) bool { return e.Failed })
			t.equal("text", t.text("#p"), "one")
		}),
	rule("history/fragment", "A fragment is a history entry of the same document: Back over it fetches nothing and gives a nil response.").
		on("<p id=p>one").
		opens(func(t *trial) {
			t.open("/#p")
			doc := t.doc()
			r, err := t.page.Back(t.ctx, nil)
			t.ok("Back", err)
			t.must(r == nil, "the response is %+v, want nil", r)
			t.equal("URL", t.main().URL, t.url("/"))
			t.equal("Doc", t.doc(), doc)
			t.equal("requests", len(t.requests("/", 1)), 1)
		}),
	rule("history/reload", "Reload adds no history entry.").at("Navigator.Reload").
		with(pages{"/": "<p>one", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.open("/two")
			t.ok("Reload", errOf(t.page.Reload(t.ctx, nil)))
			t.back()
			t.equal("URL after Back", t.main().URL, t.url("/"))
		}),
	rule("history/link", "A link that is followed adds a history entry.").
		with(pages{"/": "<a id=a href=/two>go</a>", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.trigger("#a")
			t.settled("/two")
			t.back()
			t.equal("URL after Back", t.main().URL, t.url("/"))
		}),
	rule("history/redirect", "A redirect is one history entry, of the address that it led to.").
		with(pages{"/": "<p>one", "/go": redirect("/two", http.StatusFound), "/two": "<p>two", "/three": "<p>three"}).
		opens(func(t *trial) {
			t.open("/go")
			t.open("/three")
			t.back()
			t.equal("URL after one Back", t.main().URL, t.url("/two"))
			t.back()
			t.equal("URL after two", t.main().URL, t.url("/"))
		}),
	rule("history/pushstate", "A pushState changes the address, not the document; Navigated tells it with SameDocument.").at("Navigated").
		on("<button id=b>push</button>").
		doing(on("click", "#b", Action{Kind: PushState, Text: "/pushed"})).
		opens(func(t *trial) {
			doc := t.doc()
			t.trigger("#b")
			e := wait[driver.Navigated](t, nil)
			t.equal("SameDocument", e.SameDocument, true)
			t.equal("URL", e.URL, t.url("/pushed"))
			t.equal("Doc of the event", e.Doc, doc)
			t.equal("Doc", t.doc(), doc)
			t.equal("the frame's URL", t.main().URL, t.url("/pushed"))
			t.unasked("/pushed")
			t.back()
			t.equal("the frame's URL after Back", t.main().URL, t.url("/"))
			t.equal("Doc after Back", t.doc(), doc)
		}),
	rule("history/frame", "A navigation within a frame is an entry of the page's history: Back takes the frame back and leaves the page.").
		with(pages{
			"/":    "<a id=a href=/in2 target=n>go</a><iframe id=f name=n src=/in1></iframe>",
			"/in1": "<p id=p>one", "/in2": "<p id=p>two",
		}).
		opens(func(t *trial) {
			doc := t.doc()
			t.trigger("#a")
			frame := t.frames(t.page)[1].ID
			wait(t, func(e driver.Loaded) bool { return e.Frame == frame })
			t.equal("text in the frame", t.text("#f", "#p"), "two")
			t.events.mark()
			t.back()
			t.equal("Doc of the page", t.doc(), doc)
			t.equal("the frame's URL", t.frames(t.page)[1].URL, t.url("/in1"))
		}),
	rule("history/far", "The history holds every page of a longer way, in its order.").
		with(pages{"/": "<p>0", "/1": "<p>1", "/2": "<p>2", "/3": "<p>3"}).
		checks(func(t *trial) {
			for _, path := range []string{"/", "/1", "/2", "/3"} {
				t.open(path)
			}
			for _, path := range []string{"/2", "/1", "/"} {
				t.back()
				t.equal("URL after Back", t.main().URL, t.url(path))
			}
			for _, path := range []string{"/1", "/2", "/3"} {
				t.forward()
				t.equal("URL after Forward", t.main().URL, t.url(path))
			}
		}),
)
