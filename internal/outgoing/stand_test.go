package outgoing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

// TestStandingHold: what leaves in a run is held, but for what only reads and for what
// the page does by itself.
func TestStandingHold(t *testing.T) {
	alone := true
	h := &outgoing.Hold{
		Stands: true, Hide: func(s string) string { return s },
		Alone:  func(driver.RequestInfo) bool { return alone },
		Given:  func(text string) bool { return strings.Contains(text, "lamp") },
		PageOf: func(driver.RequestInfo) string { return "https://shop.test/page" },
	}
	var g outgoing.Gate
	w := &wire{}
	if err := g.Add(t.Context(), w, h); err != nil {
		t.Fatal(err)
	}
	h.Relax() // another action begins: it stands all the same
	for _, c := range []struct {
		name, method, url, body string
		kind                    driver.RequestKind
		alone, held             bool
	}{
		{"a form that the page sends by itself", "POST", "https://shop.test/pay", "a=1", driver.RequestDocument, true, true},
		{"a count of the page", "POST", "https://count.test/1", "a=1", driver.RequestFetch, true, false},
		{"a draft of the page", "POST", "https://shop.test/draft/7", "text=", driver.RequestFetch, true, false},
		{"the count again", "POST", "https://count.test/2", "a=2", driver.RequestFetch, false, false},
		{"the count with what was typed", "POST", "https://count.test/3", "a=lamp", driver.RequestFetch, false, true},
		{"the draft with what was typed", "POST", "https://shop.test/draft/8", "text=lamp", driver.RequestFetch, false, false},
		{"what the document before it was given", "POST", "https://shop.test/next", "text=lamp", driver.RequestFetch, true, true},
		{"the draft by another method", "DELETE", "https://shop.test/draft/8", "", driver.RequestFetch, false, true},
		{"something new", "POST", "https://shop.test/pay", "a=1", driver.RequestFetch, false, true},
		{"a reading", "GET", "https://shop.test/list?page=2", "", driver.RequestFetch, false, false},
		{"a reading with what was typed", "GET", "https://shop.test/list?q=lamp", "", driver.RequestFetch, false, true},
		{"another reading with it", "HEAD", "https://shop.test/list?q=lamp", "", driver.RequestFetch, false, true},
		{"a navigation with it", "GET", "https://shop.test/list?q=lamp", "", driver.RequestDocument, false, false},
		{"a navigation with it elsewhere", "GET", "https://evil.test/?q=lamp", "", driver.RequestDocument, false, true},
	} {
		alone = c.alone
		info := driver.RequestInfo{Method: c.method, URL: c.url, Kind: c.kind}
		if err := w.send(t.Context(), info, form, c.body); errors.Is(err, outgoing.ErrWithheld) != c.held {
			t.Errorf("%s: %v, want held %v", c.name, err, c.held)
		}
	}
}

// TestApprovalEnds: an approval that let nothing out is over when something else is done.
func TestApprovalEnds(t *testing.T) {
	h := &outgoing.Hold{Approved: post(form, "to=annette&amount=820"), Hide: func(s string) string { return s }}
	h.Relax()
	if h.Concerns(payment(driver.RequestFetch)) {
		t.Error("an approval that let nothing out holds the next step's request to it")
	}
}
