package drivertest

import (
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var requestCases = []Case{{
	Name:  "requests/document",
	Rule:  "A document's request is told by RequestStarted with its frame, kind, method and address, and by RequestEnded with the same ID.",
	Doc:   "RequestStarted",
	pages: pages{"/": "<p>x"},
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/") })
		t.must(s.ID != "", "ID is empty")
		id := s.ID
		s.ID = ""
		t.equal("RequestStarted", s, driver.RequestStarted{Page: t.page.ID(), Frame: t.main().ID, Kind: driver.RequestDocument, Method: "GET", URL: t.url("/")})
		e := wait(t, func(e driver.RequestEnded) bool { return e.ID == id })
		t.equal("Failed", e.Failed, false)
	},
}, {
	Name:  "requests/status",
	Rule:  "RequestEnded has the status of the answer: of each redirect, of a page that is an error, of a form's answer; 0 where none came.",
	Doc:   "RequestEnded",
	pages: pages{"/": redirect("/two", http.StatusFound), "/two": status(http.StatusNotFound, `<form method=post action=/sent><button id=b>x</button></form>`), "/sent": status(http.StatusCreated, "<p>sent")},
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/two") })
		wait(t, func(e driver.RequestEnded) bool { return e.ID == s.ID && len(endsOf(t, s.ID)) == 2 })
		var got []int
		for _, e := range endsOf(t, s.ID) {
			got = append(got, e.Status)
		}
		t.equal("statuses of the redirect and of the page", got, []int{http.StatusFound, http.StatusNotFound})
		t.send("#b")
		s = wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/sent") })
		e := wait(t, func(e driver.RequestEnded) bool { return e.ID == s.ID })
		t.equal("status of the form's answer", e.Status, http.StatusCreated)
	},
}, {
	Name:  "requests/redirect",
	Rule:  "A redirect ends a request and starts another of the same ID.",
	Doc:   "RequestStarted",
	pages: pages{"/": redirect("/two", http.StatusFound), "/two": "<p>two"},
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		first := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/") })
		second := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/two") })
		t.equal("ID of the second", second.ID, first.ID)
		var order []string
		wait(t, func(e driver.RequestEnded) bool {
			return e.ID == first.ID && len(endsOf(t, first.ID)) == 2
		})
		for _, e := range t.events.since() {
			switch e := e.(type) {
			case driver.RequestStarted:
				if e.ID == first.ID {
					order = append(order, "start")
				}
			case driver.RequestEnded:
				if e.ID == first.ID {
					order = append(order, "end")
				}
			}
		}
		t.equal("order", order, []string{"start", "end", "start", "end"})
	},
}, {
	Name:  "requests/frame",
	Rule:  "The request of a frame's document is told with that frame.",
	Doc:   "RequestStarted",
	pages: pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"},
	check: func(t *trial) {
		t.events.mark()
		t.open("/")
		s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/in") })
		t.equal("Frame", s.Frame, t.frames(t.page)[1].ID)
		t.equal("Kind", s.Kind, driver.RequestDocument)
	},
}, {
	Name:  "requests/failed",
	Rule:  "RequestEnded tells a request without an answer by Failed.",
	Doc:   "RequestEnded",
	pages: pages{"/": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	check: func(t *trial) {
		t.events.mark()
		_, err := t.page.Navigate(t.ctx, t.url("/"), nil)
		t.must(err != nil, "Navigate succeeded")
		e := wait[driver.RequestEnded](t, nil)
		t.equal("Failed", e.Failed, true)
	},
}, {
	Name:  "requests/post",
	Rule:  "RequestStarted has the method of the request.",
	Doc:   "RequestStarted",
	pages: pages{"/": `<form method=post action=/sent><button id=b>x</button></form>`, "/sent": "<p>sent"},
	check: func(t *trial) {
		t.open("/")
		t.send("#b")
		s := wait(t, func(e driver.RequestStarted) bool { return e.URL == t.url("/sent") })
		t.equal("Method", s.Method, "POST")
	},
}, {
	Name:  "requests/allow",
	Rule:  "Allow is asked about the documents of the page and its frames before they are sent, with method, kind and frame.",
	Doc:   "RequestInfo",
	pages: pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"},
	options: func(t *trial, o *driver.BrowserOptions) {
		var mu sync.Mutex
		var asked []driver.RequestInfo
		o.Allow = func(r driver.RequestInfo) error {
			mu.Lock()
			defer mu.Unlock()
			if !strings.Contains(r.URL, "favicon") {
				asked = append(asked, r)
			}
			return nil
		}
		t.asked = func() []driver.RequestInfo {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(asked)
		}
	},
	check: func(t *trial) {
		t.open("/")
		t.equal("what Allow was asked", t.asked(), []driver.RequestInfo{
			{URL: t.url("/"), Method: "GET", Kind: driver.RequestDocument, Frame: t.main().ID},
			{URL: t.url("/in"), Method: "GET", Kind: driver.RequestDocument, Frame: t.frames(t.page)[1].ID},
		})
	},
}}

func endsOf(t *trial, id string) []driver.RequestEnded {
	return slices.DeleteFunc(told[driver.RequestEnded](t), func(e driver.RequestEnded) bool { return e.ID != id })
}
