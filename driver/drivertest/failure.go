package drivertest

import (
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var failureCases = rows(Case{Doc: "Navigator.Navigate"}, []Case{{
	Name: "failure/refused",
	Rule: "A failed fetch is a *NavigationError; where nobody listens its reason is refused.",
	check: func(t *trial) {
		address := "http://first.test:9/"
		if t.h.Loopback {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			t.ok("Listen", err)
			address = "http://" + l.Addr().String() + "/"
			l.Close()
		}
		t.failsBy(address, driver.ReasonRefused)
	},
}, {
	Name:  "failure/dns",
	Rule:  "Where the host's name is not found the reason is dns.",
	Doc:   "ReasonDNS",
	check: func(t *trial) { t.failsBy("http://nowhere.invalid/", driver.ReasonDNS) },
}, {
	Name:  "failure/no-address",
	Rule:  "What is no address at all fails with the reason address.",
	Doc:   "ReasonAddress",
	check: func(t *trial) { t.failsBy("http://", driver.ReasonAddress) },
}, {
	Name:  "failure/scheme",
	Rule:  "A scheme that is not known fails with the reason address.",
	Doc:   "ReasonAddress",
	check: func(t *trial) { t.failsBy("nosuchscheme://there/", driver.ReasonAddress) },
}, {
	Name:  "failure/script-address",
	Rule:  "A javascript: address is not run: it fails with the reason address, and the page stays.",
	pages: pages{"/": "<p id=p>one", "/two": "<p>two"},
	opened: func(t *trial) {
		doc := t.doc()
		for _, address := range []string{"javascript:document.title='run'", "JavaScript:location='/two'", " java\tscript:document.write(1)"} {
			t.failsBy(address, driver.ReasonAddress)
		}
		t.equal("Doc", t.doc(), doc)
		t.equal("Title", t.capture().Documents[0].Title, "Fixture")
		t.unasked("/two")
	},
}, {
	Name:  "failure/cut",
	Rule:  "A connection that ends without an answer fails with the reason reset.",
	Doc:   "ReasonReset",
	pages: pages{"/": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	check: func(t *trial) { t.failsBy(t.url("/"), driver.ReasonReset) },
}, {
	Name:  "failure/tls",
	Rule:  "A handshake that fails has the reason tls.",
	Doc:   "ReasonTLS",
	check: func(t *trial) { t.failsBy(strings.Replace(t.url("/"), "http:", "https:", 1), driver.ReasonTLS) },
}, {
	Name:  "failure/no-content",
	Rule:  "An answer of 204 leaves the document that is shown; Navigate fails with the reason aborted, and NavigationEnded is told.",
	Doc:   "NavigationEnded",
	pages: pages{"/": "<p id=p>one", "/204": headersOnly(http.StatusNoContent)},
	opened: func(t *trial) {
		doc, ref := t.doc(), t.find("#p")
		t.events.mark()
		t.failsBy(t.url("/204"), driver.ReasonAborted)
		t.equal("Doc", t.doc(), doc)
		wait[driver.NavigationEnded](t, nil)
		t.ok("State of a node of the page that stayed", errOf(t.page.State(t.ctx, ref)))
	},
}, {
	Name:  "failure/usable",
	Rule:  "After a failed navigation the page can be navigated and read.",
	pages: pages{"/": "<p id=p>one", "/cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	check: func(t *trial) {
		t.failsBy(t.url("/cut"), driver.ReasonReset)
		t.open("/")
		t.equal("text", t.text("#p"), "one")
	},
}, {
	Name:  "failure/replaced",
	Rule:  "A navigation whose place another one takes fails with the reason aborted.",
	Doc:   "ReasonAborted",
	pages: pages{"/two": "<p>two"},
	check: func(t *trial) {
		slow := t.hold("/slow", "", "<p>slow")
		failed := t.navigating(t.ctx, t.page, "/slow")
		t.await("the first request", slow.arrived)
		t.open("/two")
		var ne *driver.NavigationError
		if err := <-failed; !errors.As(err, &ne) || ne.Reason != driver.ReasonAborted {
			t.errorf("the first Navigate: error %v, want a NavigationError of reason aborted", err)
		}
		t.equal("the frame's URL", t.main().URL, t.url("/two"))
	},
}, {
	Name:   "failure/redirect-to-data",
	Rule:   "A redirect leads to http and https alone.",
	pages:  pages{"/": "<p id=p>one", "/moved": redirect("data:text/html,<p>two", http.StatusFound)},
	opened: func(t *trial) { t.failsBy(t.url("/moved"), driver.ReasonOther) },
}, {
	Name:  "failure/page-to-data",
	Rule:  "A page does not get to a data: address at the top, and stays.",
	Doc:   "NavigationEnded",
	pages: pages{"/": `<p id=p>one</p><a id=a href="data:text/html,<p>two">go</a><a id=b href=/two>go</a>`, "/two": "<p id=p>two"},
	opened: func(t *trial) {
		t.click("#a")
		t.equal("text", t.text("#p"), "one")
		t.trigger("#b")
		t.settled("/two")
	},
}, {
	Name:    "failure/blocked",
	Rule:    "A navigation that Allow refuses is not sent and fails with ErrBlocked and the text of Allow's error.",
	Doc:     "BrowserOptions.Allow",
	pages:   pages{"/": "<p id=p>one", "/secret": "<p>secret"},
	options: refuses(func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/secret") }),
	opened: func(t *trial) {
		_, err := t.page.Navigate(t.ctx, t.url("/secret"), nil)
		t.fails("Navigate", err, driver.ErrBlocked)
		t.must(err != nil && strings.Contains(err.Error(), "not in this house"), "the error %v lacks the text of Allow's", err)
		t.unasked("/secret")
		t.open("/")
	},
}, {
	Name:    "failure/blocked-redirect",
	Rule:    "Allow is asked about the address that a redirect leads to, with Redirected set, before it is sent.",
	Doc:     "RequestInfo.Redirected",
	pages:   pages{"/": redirect("/secret", http.StatusFound), "/secret": "<p>secret"},
	options: refuses(func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/secret") && r.Redirected }),
	check: func(t *trial) {
		t.fails("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), nil)), driver.ErrBlocked)
		t.unasked("/secret")
	},
}, {
	Name:  "failure/blocked-frame",
	Rule:  "Allow decides about the requests of frames, too; the page itself is shown.",
	Doc:   "BrowserOptions.Allow",
	pages: pages{"/": `<p id=p>one</p><iframe id=f src=/secret></iframe>`, "/secret": "<p>secret"},
	options: refuses(func(r driver.RequestInfo) bool {
		return strings.HasSuffix(r.URL, "/secret") && r.Kind == driver.RequestDocument
	}),
	opened: func(t *trial) {
		t.equal("text", t.text("#p"), "one")
		t.unasked("/secret")
	},
}, {
	Name:    "failure/blocked-click",
	Rule:    "Allow decides about the navigations that a click begins; what is refused ends with NavigationEnded.",
	Doc:     "BrowserOptions.Allow",
	pages:   pages{"/": `<a id=a href=/secret>go</a>`, "/secret": "<p>secret"},
	options: refuses(func(r driver.RequestInfo) bool { return strings.HasSuffix(r.URL, "/secret") }),
	opened: func(t *trial) {
		t.trigger("#a")
		wait(t, func(e driver.RequestEnded) bool { return e.Failed })
		t.unasked("/secret")
	},
}, {
	Name: "failure/page-goes-nowhere",
	Rule: "A document that asks to go elsewhere before it has loaded, and does not get there, stays: Navigate returns its response, and NavigationEnded and Loaded are told.",
	Doc:  "NavigationEnded",
	pages: pages{
		"/to-204": "<p id=p>one", "/204": headersOnly(http.StatusNoContent),
		"/to-file": "<p id=p>one", "/file": headers(http.StatusOK, "Content-Disposition", "attachment; filename=f"),
		"/to-secret": "<p id=p>one", "/secret": "<p>secret",
	},
	does: []Behavior{
		{Path: "/to-204", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/204"}}},
		{Path: "/to-file", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/file"}}},
		{Path: "/to-secret", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/secret"}}},
	},
	options: keepSecret,
	check: func(t *trial) {
		for _, path := range []string{"/to-204", "/to-file", "/to-secret"} {
			t.events.mark()
			r := t.open(path)
			t.must(r != nil && r.Status == 200, "the response is %+v, want a 200", r)
			wait[driver.NavigationEnded](t, nil)
			wait(t, func(e driver.Loaded) bool { return e.Frame == t.main().ID })
			t.equal("the frame's URL", t.main().URL, t.url(path))
			t.must(t.main().Failed == nil, "Failed is %v on a document", t.main().Failed)
			t.equal("text", t.text("#p"), "one")
		}
	},
}})

// headersOnly serves a status without a body.
func headersOnly(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
