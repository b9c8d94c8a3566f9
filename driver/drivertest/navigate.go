package drivertest

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var navigateCases = rows(Case{Doc: "Navigator.Navigate"},
	rule("navigate/response", "Navigate returns the response of the main document: its address, status, and headers with names in lower case, several values joined by \", \".").at("Response").
		on(headers(http.StatusOK, "X-One", "1", "X-Two", "a", "X-Two", "b")).
		checks(func(t *trial) {
			r := t.response("/")
			t.equal("URL", r.URL, t.url("/"))
			t.equal("Status", r.Status, 200)
			t.equal("Headers[x-one]", r.Headers["x-one"], "1")
			t.equal("Headers[x-two]", r.Headers["x-two"], "a, b")
			t.equal("OK()", r.OK(), true)
		}),
	rule("navigate/redirect", "The response is that of the main document after redirects.").
		with(pages{
			"/":    redirect("/two", http.StatusFound),
			"/two": redirect("/three", http.StatusMovedPermanently), "/three": "<p>there",
		}).
		checks(func(t *trial) {
			r := t.response("/")
			t.equal("URL", r.URL, t.url("/three"))
			t.equal("Status", r.Status, 200)
			t.equal("the frame's URL", t.main().URL, t.url("/three"))
		}),
	rule("navigate/error-status", "A status such as 404 is no error; the document that came with it is shown.").
		with(pages{"/": status(http.StatusNotFound, "<p id=p>lost"), "/500": status(http.StatusInternalServerError, "<p id=p>broken")}).
		checks(func(t *trial) {
			r := t.open("/")
			t.equal("Status", r.Status, 404)
			t.equal("OK()", r.OK(), false)
			t.equal("text", t.text("#p"), "lost")
			t.equal("Status", t.open("/500").Status, 500)
			t.equal("text", t.text("#p"), "broken")
		}),
	rule("navigate/blank", "The response is nil where none was fetched: about:blank.").
		on("<p>one").
		opens(func(t *trial) {
			r, err := t.page.Navigate(t.ctx, "about:blank", nil)
			t.ok("Navigate about:blank", err)
			t.must(r == nil, "Navigate(about:blank) gave the response %+v, want nil", r)
			t.equal("the frame's URL", t.main().URL, "about:blank")
		}),
	rule("navigate/fragment", "A change of the fragment alone fetches nothing, gives a nil response, and leaves the document the same.").
		on("<p id=p>one").
		opens(func(t *trial) {
			doc, ref := t.doc(), t.find("#p")
			r := t.open("/#p")
			t.must(r == nil, "the response is %+v, want nil", r)
			t.equal("Doc", t.doc(), doc)
			t.equal("the frame's URL", t.main().URL, t.url("/#p"))
			t.equal("requests", len(t.requests("/", 1)), 1)
			t.ok("State of a node found before", errOf(t.page.State(t.ctx, ref)))
		}),
	rule("navigate/fragment-focus", "A link to a fragment gives the focus to the element that it names, or takes it away where that one takes none; one to the top keeps it.").
		on("<a id=a href=#i>field</a> <a id=b href=#p>text</a> <a id=c href=#>top</a><input id=i><p id=p>x").
		opens(func(t *trial) {
			for _, c := range []struct{ link, focused string }{{"a", "i"}, {"b", ""}, {"c", "c"}} {
				t.click("#" + c.link)
				t.later("the focus after "+c.link, func() bool { return t.focused() == c.focused })
			}
		}),
	rule("navigate/empty-fragment", "A link to # leads to the top of the document that is shown, fetches nothing, and is a history entry.").
		on(tall+"<a id=a href=#>top</a>").
		opens(func(t *trial) {
			doc := t.doc()
			t.scrollTo("", driver.ScrollTarget{Y: 300})
			t.trigger("#a")
			e := wait[driver.Navigated](t, nil)
			t.equal("SameDocument", e.SameDocument, true)
			t.equal("URL", e.URL, t.url("/#"))
			t.equal("the frame's URL", t.main().URL, t.url("/#"))
			t.later("the page's scroll position", func() bool { return t.capture().Documents[0].ScrollY == 0 })
			t.back()
			t.equal("the frame's URL after Back", t.main().URL, t.url("/"))
			t.equal("Doc", t.doc(), doc)
			t.equal("requests", len(t.requests("/", 1)), 1)
		}),
	rule("navigate/identity", "A navigation to another document gives the frame a new DocID and leaves its FrameID and the PageID, which are equal.").at("DocID").
		with(pages{"/": "<p>one", "/two": "<p>two"}).
		opens(func(t *trial) {
			before, id := t.main(), t.page.ID()
			t.open("/two")
			t.must(t.doc() != before.Doc, "Doc is %q as before", before.Doc)
			t.equal("Frame.ID", t.main().ID, before.ID)
			t.equal("Page.ID", t.page.ID(), id)
			t.equal("Page.ID", driver.FrameID(t.page.ID()), t.main().ID)
			t.equal("Parent", t.main().Parent, driver.FrameID(""))
		}),
	rule("navigate/same-address", "Navigating to the address that is shown fetches it again and gives a new document.").at("DocID").
		on("<p>one").
		opens(func(t *trial) {
			doc := t.doc()
			t.open("/")
			t.must(t.doc() != doc, "Doc is %q as before", doc)
			t.equal("requests", len(t.requests("/", 2)), 2)
		}),
	rule("navigate/reload", "Reload fetches the document again, waits as Navigate does, and gives a new DocID.").at("Navigator.Reload").
		on("<p>one").
		opens(func(t *trial) {
			doc := t.doc()
			t.events.mark()
			r, err := t.page.Reload(t.ctx, nil)
			t.ok("Reload", err)
			t.must(r != nil && r.Status == 200 && r.URL == t.url("/"), "the response is %+v, want a 200 of the page", r)
			t.must(t.doc() != doc, "Doc is %q as before", doc)
			t.equal("requests", len(t.requests("/", 2)), 2)
			t.must(len(told[driver.Loaded](t)) > 0, "Loaded was not told before Reload returned")
		}),
	rule("navigate/referer", "NavigateOptions.Referer is sent as the referrer.").at("NavigateOptions").
		with(pages{"/": "<p>one", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/two"), &driver.NavigateOptions{Referer: t.url("/from")})))
			t.equal("Referer", t.request("/two").Header.Get("Referer"), t.url("/from"))
		}),
	rule("navigate/no-referer", "Without options a navigation sends no referrer.").
		with(pages{"/": "<p>one", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.open("/two")
			t.equal("Referer", t.request("/two").Header.Get("Referer"), "")
		}),
	rule("navigate/link", "A click on a link goes to its address, resolved against the base element; the referrer is the page.").at("Actor.Input").
		with(pages{
			"/":            `<!DOCTYPE html><base href="/deep/er/"><a id=a href="../target?q=1#f">go</a>`,
			"/deep/target": "<p id=p>there",
		}).
		opens(func(t *trial) {
			t.equal("BaseURL", t.capture().Documents[0].BaseURL, t.url("/deep/er/"))
			t.trigger("#a")
			t.settled("/deep/target")
			t.equal("the frame's URL", t.main().URL, t.url("/deep/target?q=1#f"))
			t.equal("query", t.request("/deep/target").Query, "q=1")
			t.must(strings.HasPrefix(t.request("/deep/target").Header.Get("Referer"), t.url("/")), "the link sent no referrer")
		}),
	rule("navigate/refresh", "A refresh that the document asks for is followed and told by events.").at("NavigationRequested").
		with(pages{
			"/":    `<!DOCTYPE html><meta http-equiv=refresh content="0 url = '/two?a,b;c' and more"><p>one`,
			"/two": "<p id=p>two",
		}).
		checks(func(t *trial) {
			t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})))
			t.settled("/two?a,b;c")
			t.equal("text", t.text("#p"), "two")
		}),
	rule("navigate/script", "A navigation that the page's script begins is told by NavigationRequested with its address, then Navigated.").at("NavigationRequested").
		with(pages{"/": "<button id=b>go</button>", "/two": "<p id=p>two"}).
		doing(on("click", "#b", Action{Kind: GoTo, Text: "/two"})).
		opens(func(t *trial) {
			t.trigger("#b")
			req := wait[driver.NavigationRequested](t, nil)
			t.equal("URL", req.URL, t.url("/two"))
			t.equal("Frame", req.Frame, t.main().ID)
			t.settled("/two")
		}),
	rule("navigate/other-program", "An address for another program, like zoommtg:, opens nothing: the page stays as it is and goes on taking input.").at("NavigationEnded").
		on(`<a id=out href="nosuchscheme://there">out</a><p><input id=c type=checkbox>`).
		opens(func(t *trial) {
			// What a browser makes of such an address it does after a while.
			for i := range 20 {
				t.click("#out")
				t.click("#c")
				t.equal("Checked", t.state("#c").Checked, i%2 == 0)
			}
			t.equal("pages", len(t.browser.Pages()), 1)
		}),
	rule("navigate/frames-current", "When Navigate returns, Frames tells the new address and document, without asking the browser.").at("Page.Frames").
		with(pages{"/": "<iframe src=/in name=n></iframe>", "/in": "<p>in", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.equal("frames", len(t.page.Frames()), 2)
			t.open("/two")
			frames := t.page.Frames()
			t.equal("frames", len(frames), 1)
			t.equal("URL", frames[0].URL, t.url("/two"))
			t.equal("Doc", frames[0].Doc, t.capture().Documents[0].Doc)
		}),
	rule("navigate/sites", "A page is read and acted on alike after navigations to blank pages and other sites, and back.").at("Page").
		on(`<input id=c type=checkbox>`).
		checks(func(t *trial) {
			for range 2 {
				for _, address := range []string{t.url("/"), "about:blank", t.url("/"), t.elsewhere("/"), t.url("/"), "about:blank", t.elsewhere("/")} {
					t.visit(address)
					t.capture()
					t.revision()
					if address != "about:blank" {
						t.click("#c")
						t.equal("Checked at "+address, t.state("#c").Checked, true)
					}
				}
			}
		}),
	rule("navigate/charset", "A document is decoded by the character set of its response.").at("Document").
		on(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
			w.Write([]byte("<!DOCTYPE html><title>Caf\xe9</title><p id=p>na\xefve"))
		}).
		opens(func(t *trial) {
			t.equal("Title", t.capture().Documents[0].Title, "Café")
			t.equal("text", t.text("#p"), "naïve")
		}),
	rule("navigate/data", "A data address is shown; its response has the status 0, because the scheme has none, and counts as OK.").at("Response.Status").checks(func(t *trial) {
		r, err := t.page.Navigate(t.ctx, "data:text/html,<title>Data</title><p id=p>here", nil)
		t.ok("Navigate", err)
		if r != nil {
			t.equal("Status", r.Status, 0)
			t.equal("OK()", r.OK(), true)
		}
		t.equal("Title", t.capture().Documents[0].Title, "Data")
		t.equal("text", t.text("#p"), "here")
	}),
)

// headers serves a paragraph with headers, given as names and values in turn.
func headers(code int, pairs ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(pairs); i += 2 {
			w.Header().Add(pairs[i], pairs[i+1])
		}
		answer(w, code, "<p id=p>paragraph</p>")
	}
}

// status serves a document with a status.
func status(code int, html string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { answer(w, code, html) }
}

func answer(w http.ResponseWriter, code int, html string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	w.Write([]byte("<!DOCTYPE html><title>Answer</title>" + html)) // a reader that is gone is no matter of ours
}

func redirect(to string, code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, code) }
}

// The page of the wait cases has a frame whose answer is held, because that
// holds the load event and not DOMContentLoaded.
const slowFrame = `<p id=p>one</p><iframe src=/slow></iframe>`

var waitCases = rows(Case{Doc: "WaitDOMContentLoaded"},
	rule("wait/load", "Navigate waits for the load event unless told otherwise: Loaded of the main frame has been told when it returns.").at("NavigateOptions").
		on(slowFrame).
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			t.events.mark()
			done := t.navigating(t.ctx, t.page, "/")
			t.await("the frame's request", slow.arrived)
			t.must(!t.hasLoaded(), "Loaded was told while a frame was loading")
			select {
			case err := <-done:
				t.fatalf("Navigate returned while a frame was loading: %v", err)
			default:
			}
			slow.release()
			t.ok("Navigate", <-done)
			t.must(t.hasLoaded(), "Loaded was not told when Navigate returned; events:%s", t.events.list())
		}),
	rule("wait/domcontentloaded", "WaitDOMContentLoaded waits until the document is parsed and not for its frames.").
		on(slowFrame).
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			t.events.mark()
			r, err := t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitDOMContentLoaded})
			t.ok("Navigate", err)
			t.must(r != nil && r.Status == 200, "the response is %+v, want a 200", r)
			t.must(slices.ContainsFunc(told[driver.DOMContentLoaded](t), func(e driver.DOMContentLoaded) bool {
				return e.Frame == t.main().ID
			}), "DOMContentLoaded was not told when Navigate returned")
			t.must(!t.hasLoaded(), "Loaded was told while a frame was loading")
			t.equal("text", t.text("#p"), "one")
			slow.release()
			wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		}),
	rule("wait/commit", "WaitCommit waits until the response is there and the document has begun, and for nothing more.").at("WaitCommit").checks(func(t *trial) {
		slow := t.hold("/slow", "<!DOCTYPE html><title>Begun</title><p id=p>one</p>", "<p id=q>two</p>")
		t.events.mark()
		r, err := t.page.Navigate(t.ctx, t.url("/slow"), &driver.NavigateOptions{WaitUntil: driver.WaitCommit})
		t.ok("Navigate", err)
		t.must(r != nil && r.Status == 200, "the response is %+v, want a 200", r)
		t.equal("the frame's URL", t.main().URL, t.url("/slow"))
		t.must(!t.hasLoaded(), "Loaded was told while the document was coming")
		slow.release()
		wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
		t.equal("text of what came later", t.text("#q"), "two")
	}),
	rule("wait/networkidle", "WaitNetworkIdle waits for load, and then until no request is under way.").at("WaitNetworkIdle").
		with(pages{"/": slowFrame, "/slow": "<p>slow"}).
		checks(func(t *trial) {
			t.events.mark()
			t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitNetworkIdle})))
			t.must(t.hasLoaded(), "Loaded was not told when Navigate returned")
			open := map[string]bool{}
			for _, e := range t.events.since() {
				switch e := e.(type) {
				case driver.RequestStarted:
					open[e.ID] = true
				case driver.RequestEnded:
					delete(open, e.ID)
				}
			}
			t.equal("requests under way", len(open), 0)
		}),
	rule("wait/at-most", "AtMost bounds the wait for that moment from when the document is shown on: it is no error, and the response is there.").at("NavigateOptions").
		on(slowFrame).
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			for _, until := range []driver.WaitUntil{driver.WaitLoad, driver.WaitNetworkIdle} {
				r, err := t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: until, AtMost: 50 * time.Millisecond})
				t.ok("Navigate until "+string(until), err)
				t.must(r != nil && r.Status == http.StatusOK, "Navigate until %s = %+v, want the response", until, r)
				t.equal("text", t.text("#p"), "one")
			}
			slow.release()
			t.events.mark()
			t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{AtMost: time.Minute})))
			t.must(t.hasLoaded(), "Navigate has returned before the load event")
		}),
	rule("wait/frames", "The load event waits for the frames: they are parsed when Navigate returns.").at("WaitLoad").
		with(pages{"/": `<iframe id=f src=/in></iframe><iframe id=g src="{{other}}/in"></iframe>`, "/in": "<p id=p>in"}).
		opens(func(t *trial) {
			t.equal("text", t.text("#f", "#p"), "in")
			t.equal("text", t.text("#g", "#p"), "in")
		}),
	rule("wait/late", "A wait that ends early leaves the navigation running: the document is completed.").
		on(slowFrame).
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p id=s>slow")
			t.ok("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), &driver.NavigateOptions{WaitUntil: driver.WaitDOMContentLoaded})))
			slow.release()
			wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
			t.equal("text", t.text("iframe", "#s"), "slow")
		}),
)
