package drivertest

import (
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var failureCases = rows(Case{Doc: "Navigator.Navigate"},
	rule("failure/refused", "A failed fetch is a *NavigationError; where nobody listens its reason is refused.").checks(func(t *trial) {
		address := "http://first.test:9/"
		if t.h.Loopback {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			t.ok("Listen", err)
			address = "http://" + l.Addr().String() + "/"
			l.Close()
		}
		t.failsBy(address, driver.ReasonRefused)
	}),
	rule("failure/dns", "Where the host's name is not found the reason is dns.").at("ReasonDNS").checks(func(t *trial) { t.failsBy("http://nowhere.invalid/", driver.ReasonDNS) }),
	rule("failure/no-address", "What is no address at all fails with the reason address.").at("ReasonAddress").checks(func(t *trial) { t.failsBy("http://", driver.ReasonAddress) }),
	rule("failure/scheme", "A scheme that is not known fails with the reason address.").at("ReasonAddress").checks(func(t *trial) { t.failsBy("nosuchscheme://there/", driver.ReasonAddress) }),
	rule("failure/script-address", "A javascript: address is not run: it fails with the reason address, and the page stays.").
		with(pages{"/": "<p id=p>one", "/two": "<p>two"}).
		opens(func(t *trial) {
			doc := t.doc()
			for _, address := range []string{"javascript:document.title='run'", "JavaScript:location='/two'", " java\tscript:document.write(1)"} {
				t.failsBy(address, driver.ReasonAddress)
			}
			t.equal("Doc", t.doc(), doc)
			t.equal("Title", t.capture().Documents[0].Title, "Fixture")
			t.unasked("/two")
		}),
	rule("failure/cut", "A connection that ends without an answer fails with the reason reset.").at("ReasonReset").
		on(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }).
		checks(func(t *trial) { t.failsBy(t.url("/"), driver.ReasonReset) }),
	rule("failure/tls", "A handshake that fails has the reason tls.").at("ReasonTLS").checks(func(t *trial) { t.failsBy(strings.Replace(t.url("/"), "http:", "https:", 1), driver.ReasonTLS) }),
	rule("failure/no-content", "An answer of 204 leaves the document that is shown; Navigate fails with the reason aborted, and NavigationEnded is told.").at("NavigationEnded").
		with(pages{"/": "<p id=p>one", "/204": headersOnly(http.StatusNoContent)}).
		opens(func(t *trial) {
			doc, ref := t.doc(), t.find("#p")
			t.events.mark()
			t.failsBy(t.url("/204"), driver.ReasonAborted)
			t.equal("Doc", t.doc(), doc)
			wait[driver.NavigationEnded](t, nil)
			t.ok("State of a node of the page that stayed", errOf(t.page.State(t.ctx, ref)))
		}),
	rule("failure/usable", "After a failed navigation the page can be navigated and read.").
		with(pages{"/": "<p id=p>one", "/cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}).
		checks(func(t *trial) {
			t.failsBy(t.url("/cut"), driver.ReasonReset)
			t.open("/")
			t.equal("text", t.text("#p"), "one")
		}),
	rule("failure/replaced", "A navigation whose place another one takes fails with the reason aborted.").at("ReasonAborted").
		with(pages{"/two": "<p>two"}).
		checks(func(t *trial) {
			slow := t.hold("/slow", "", "<p>slow")
			failed := t.navigating(t.ctx, t.page, "/slow")
			t.await("the first request", slow.arrived)
			t.open("/two")
			var ne *driver.NavigationError
			if err := <-failed; !errors.As(err, &ne) || ne.Reason != driver.ReasonAborted {
				t.errorf("the first Navigate: error %v, want a NavigationError of reason aborted", err)
			}
			t.equal("the frame's URL", t.main().URL, t.url("/two"))
		}),
	rule("failure/redirect-to-data", "A redirect leads to http and https alone.").
		with(pages{"/": "<p id=p>one", "/moved": redirect("data:text/html,<p>two", http.StatusFound)}).
		opens(func(t *trial) { t.failsBy(t.url("/moved"), driver.ReasonOther) }),
	rule("failure/page-to-data", "A page does not get to a data: address at the top, and stays.").at("NavigationEnded").
		with(pages{"/": `<p id=p>one</p><a id=a href="data:text/html,<p>two">go</a><a id=b href=/two>go</a>`, "/two": "<p id=p>two"}).
		opens(func(t *trial) {
			t.click("#a")
			t.equal("text", t.text("#p"), "one")
			t.trigger("#b")
			t.settled("/two")
		}),
	rule("failure/blocked", "A navigation that Allow refuses is not sent and fails with ErrBlocked and the text of Allow's error.").at("BrowserOptions.Allow").
		with(pages{"/": "<p id=p>one", "/secret": "<p>secret"}).
		under(keepSecret).
		opens(func(t *trial) {
			_, err := t.page.Navigate(t.ctx, t.url("/secret"), nil)
			t.fails("Navigate", err, driver.ErrBlocked)
			t.must(err != nil && strings.Contains(err.Error(), "not in this house"), "the error %v lacks the text of Allow's", err)
			t.unasked("/secret")
			t.open("/")
		}),
	rule("failure/blocked-redirect", "Allow is asked about the address that a redirect leads to, with Redirected set, before it is sent.").at("RequestInfo.Redirected").
		with(pages{"/": redirect("/secret", http.StatusFound), "/secret": "<p>secret"}).
		under(keepSecretBehindRedirects).
		checks(func(t *trial) {
			t.fails("Navigate", errOf(t.page.Navigate(t.ctx, t.url("/"), nil)), driver.ErrBlocked)
			t.unasked("/secret")
		}),
	rule("failure/blocked-frame", "Allow decides about the requests of frames, too; the page itself is shown.").at("BrowserOptions.Allow").
		with(pages{"/": `<p id=p>one</p><iframe id=f src=/secret></iframe>`, "/secret": "<p>secret"}).
		under(refuses(func(r driver.RequestInfo) bool {
			return strings.HasSuffix(r.URL, "/secret") && r.Kind == driver.RequestDocument
		})).
		opens(func(t *trial) {
			t.equal("text", t.text("#p"), "one")
			t.unasked("/secret")
		}),
	rule("failure/blocked-click", "Allow decides about the navigations that a click begins; what is refused ends with NavigationEnded.").at("BrowserOptions.Allow").
		with(pages{"/": `<a id=a href=/secret>go</a>`, "/secret": "<p>secret"}).
		under(keepSecret).
		opens(func(t *trial) {
			t.trigger("#a")
			wait(t, func(e driver.RequestEnded) bool { return e.Failed })
			t.unasked("/secret")
		}),
	rule("failure/page-goes-nowhere",
		"A document that asks to go elsewhere before it has loaded, and does not get there, stays: Navigate returns its response, and NavigationEnded and Loaded are told.").at("NavigationEnded").
		with(pages{
			"/to-204": "<p id=p>one", "/204": headersOnly(http.StatusNoContent),
			"/to-file": "<p id=p>one", "/file": headers(http.StatusOK, "Content-Disposition", "attachment; filename=f"),
			"/to-secret": "<p id=p>one", "/secret": "<p>secret",
		}).
		doing(
			Behavior{Path: "/to-204", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/204"}}},
			Behavior{Path: "/to-file", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/file"}}},
			Behavior{Path: "/to-secret", Event: "DOMContentLoaded", Do: []Action{{Kind: GoTo, Text: "/secret"}}},
		).
		under(keepSecret).
		checks(func(t *trial) {
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
		}),
)

// headersOnly serves a status without a body.
func headersOnly(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}
