package drivertest

import (
	"errors"
	"net/http"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var errNotHere = errors.New("not in this house")

// keepSecret has Allow refuse what a case's site serves as /secret.
func keepSecret(_ *trial, o *driver.BrowserOptions) {
	o.Allow = func(r driver.RequestInfo) error {
		if strings.HasSuffix(r.URL, "/secret") {
			return errNotHere
		}
		return nil
	}
}

// keepSecretBehindRedirects refuses it only where a redirect leads to it.
func keepSecretBehindRedirects(_ *trial, o *driver.BrowserOptions) {
	o.Allow = func(r driver.RequestInfo) error {
		if strings.HasSuffix(r.URL, "/secret") && r.Redirected {
			return errNotHere
		}
		return nil
	}
}

var allowCases = []Case{{
	Name:  "allow/stylesheet",
	Rule:  "Allow decides about subresources; the page is shown without what is refused.",
	Doc:   "BrowserOptions.Allow",
	pages: pages{"/": `<link rel=stylesheet href=/secret><p id=p>one`, "/secret": "p { display: none }"}, options: keepSecret,
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		wait(t, func(e driver.RequestEnded) bool { return e.Failed })
		t.equal("Rendered", t.capture().element("p").Rendered, true)
		t.unasked("/secret")
	},
}, {
	Name:    "allow/stylesheet-redirect",
	Rule:    "Allow is asked about the address that the redirect of a subresource leads to, with Redirected set.",
	Doc:     "RequestInfo.Redirected",
	pages:   pages{"/": `<link rel=stylesheet href=/moved><p id=p>one`, "/moved": redirect("/secret", http.StatusFound), "/secret": "p { display: none }"},
	options: keepSecretBehindRedirects,
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		wait(t, func(e driver.RequestEnded) bool { return e.Failed })
		t.equal("Rendered", t.capture().element("p").Rendered, true)
		t.request("/moved")
		t.unasked("/secret")
	},
}, {
	Name:    "allow/frame-redirect",
	Rule:    "Allow is asked about the address that the redirect of a frame leads to, with Redirected set.",
	Doc:     "RequestInfo.Redirected",
	pages:   pages{"/": `<p id=p>one</p><iframe src=/moved></iframe>`, "/moved": redirect("/secret", http.StatusFound), "/secret": "<p>secret"},
	options: keepSecretBehindRedirects,
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		wait(t, func(e driver.RequestEnded) bool { return e.Failed })
		t.equal("text", t.text("#p"), "one")
		t.unasked("/secret")
	},
}, {
	Name:    "allow/popup",
	Rule:    "Allow decides about what a link with a target opens.",
	Doc:     "BrowserOptions.Allow",
	pages:   pages{"/": `<a id=a href=/secret target=_blank>go</a><a id=b href=/two>two</a>`, "/secret": "<p>secret", "/two": "<p id=p>two"},
	options: keepSecret,
	check: func(t *trial) {
		t.open("/")
		t.click("#a")
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/two")
		t.unasked("/secret")
	},
}, {
	Name:  "allow/popup-by-script",
	Rule:  "Allow decides about what a script opens in a window of its own.",
	Doc:   "BrowserOptions.Allow",
	pages: pages{"/": `<button id=b>open</button>`, "/secret": "<p>secret", "/two": "<p id=p>two"},
	does:  []Behavior{on("click", "#b", Action{Kind: OpenWindow, Text: "/secret"})}, options: keepSecret,
	check: func(t *trial) {
		t.open("/")
		t.click("#b")
		t.ok("Activate", t.page.Activate(t.ctx))
		t.open("/two")
		t.unasked("/secret")
	},
}, {
	Name:    "allow/popup-redirect",
	Rule:    "Allow is asked about the address that the redirect of a popup leads to.",
	Doc:     "RequestInfo.Redirected",
	pages:   pages{"/": `<a id=a href=/moved target=_blank>go</a>`, "/moved": redirect("/secret", http.StatusFound), "/secret": "<p>secret", "/two": "<p>two"},
	options: keepSecretBehindRedirects,
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#a")
		t.request("/moved")
		wait(t, func(e driver.RequestEnded) bool { return e.Failed })
		t.unasked("/secret")
	},
}, {
	Name:  "allow/script-navigation",
	Rule:  "Allow decides about the navigations that a script begins.",
	Doc:   "BrowserOptions.Allow",
	pages: pages{"/": `<p id=p>one</p><button id=b>go</button>`, "/secret": "<p>secret"},
	does:  []Behavior{on("click", "#b", Action{Kind: GoTo, Text: "/secret"})}, options: keepSecret,
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#b")
		wait[driver.NavigationEnded](t, nil)
		t.equal("text", t.text("#p"), "one")
		t.unasked("/secret")
	},
}, {
	Name:  "allow/form",
	Rule:  "Allow is asked about a form that is sent, with its method.",
	Doc:   "RequestInfo.Method",
	pages: pages{"/": `<p id=p>one</p><form method=post action=/sent><button id=b>send</button></form>`, "/sent": "<p>sent"},
	options: func(_ *trial, o *driver.BrowserOptions) {
		o.Allow = func(r driver.RequestInfo) error {
			if r.Method == http.MethodPost {
				return errNotHere
			}
			return nil
		}
	},
	check: func(t *trial) {
		t.open("/")
		t.events.mark()
		t.click("#b")
		wait[driver.NavigationEnded](t, nil)
		t.equal("text", t.text("#p"), "one")
		t.unasked("/sent")
	},
}, {
	Name:  "allow/download",
	Rule:  "Allow decides about downloads; nothing is saved of what is refused.",
	Doc:   "BrowserOptions.Allow",
	pages: pages{"/": `<a id=a href=/secret download>get</a>`, "/secret": attachment, "/two": "<p>two"},
	options: func(t *trial, o *driver.BrowserOptions) {
		intoDir(t, o)
		keepSecret(t, o)
	},
	check: func(t *trial) {
		t.open("/")
		t.click("#a")
		t.open("/two")
		t.unasked("/secret")
	},
}}
