package outgoing_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
)

func plainly(s string) string { return s }

// added is a gate with holds, the last one the newest, and the browser whose requests pass.
func added(t *testing.T, holds ...*outgoing.Hold) *wire {
	t.Helper()
	var g outgoing.Gate
	w := &wire{}
	for _, h := range holds {
		if err := g.Add(t.Context(), w, h); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// TestOnce: what was approved goes out once. A redirect within its server repeats it; one
// that goes elsewhere, has other values or another method is another request.
func TestOnce(t *testing.T) {
	const body = "to=ann&amount=820"
	for _, c := range []struct {
		name, method, url, body string
		redirected, held        bool
	}{
		{"the same again", "POST", "https://bank.test/pay?from=7", body, false, true},
		{"a redirect that repeats it", "POST", "https://bank.test/payments", body, true, false},
		{"a redirect to another server", "POST", "https://evil.test/pay?from=7", body, true, true},
		{"a redirect with another amount", "POST", "https://bank.test/pay?from=7", "to=ann&amount=9", true, true},
		{"a redirect by another method", "PUT", "https://bank.test/pay?from=7", body, true, true},
		{"the page that it leads to", "GET", "https://bank.test/thanks", "", false, false},
	} {
		w := added(t, &outgoing.Hold{Approved: post(form, body), Hide: plainly})
		if err := w.send(t.Context(), payment(driver.RequestDocument), form, body); err != nil {
			t.Fatal(err)
		}
		info := driver.RequestInfo{Method: c.method, URL: c.url, Kind: driver.RequestDocument, Redirected: c.redirected}
		if err := w.send(t.Context(), info, form, c.body); errors.Is(err, outgoing.ErrWithheld) != c.held {
			t.Errorf("%s: %v, want held %v", c.name, err, c.held)
		}
	}
}

// TestCookiesSince: what was approved does not take along a cookie that a script wrote, or
// changed, after the approval.
func TestCookiesSince(t *testing.T) {
	for now, held := range map[string]bool{"": false, "a=1": false, "a=2": true, "a=1 b=1": true, "a=1 b=": true} {
		cookies := map[string]string{"a": "1"}
		h := &outgoing.Hold{Approved: post(form, "amount=820"), Hide: plainly, Cookies: func(context.Context) map[string]string { return cookies }}
		w := added(t, h)
		cookies = map[string]string{}
		for one := range strings.FieldsSeq(now) {
			name, value, _ := strings.Cut(one, "=")
			cookies[name] = value
		}
		if err := w.send(t.Context(), payment(driver.RequestFetch), form, "amount=820"); errors.Is(err, outgoing.ErrWithheld) != held {
			t.Errorf("with the cookies %q: %v, want held %v", now, err, held)
		}
	}
}

// TestQuestionsAreBounded: a page that sends one thing after another does not ask for ever.
func TestQuestionsAreBounded(t *testing.T) {
	asked := 0
	w := added(t, &outgoing.Hold{Hide: plainly, Ask: func(context.Context, *outgoing.Request, []string) error { asked++; return errors.New("no") }})
	for range 100 {
		if err := w.send(t.Context(), payment(driver.RequestFetch), form, "a=1"); !errors.Is(err, outgoing.ErrWithheld) {
			t.Fatalf("after %d questions: %v", asked, err)
		}
	}
	if asked == 0 || asked > 10 {
		t.Errorf("%d questions about 100 requests", asked)
	}
}

// TestNewestHold: the newest hold decides, of those whose page sends; that of the run comes
// last, also where it was added last.
func TestNewestHold(t *testing.T) {
	var asked string
	hold := func(name string) *outgoing.Hold {
		return &outgoing.Hold{Hide: plainly, Ask: func(context.Context, *outgoing.Request, []string) error { asked = name; return nil }}
	}
	action, run, other := hold("action"), hold("run"), hold("other page")
	run.Stands = true
	other.Owns = func(driver.RequestInfo) bool { return false }
	w := added(t, action, run, other)
	if err := w.send(t.Context(), payment(driver.RequestFetch), form, "a=1"); err != nil || asked != "action" {
		t.Errorf("asked by the hold of the %s, %v; want that of the action", asked, err)
	}
}

// TestRelaxWhileAsking: a hold by which somebody is asked is not over when something else
// is done: its answer counts.
func TestRelaxWhileAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan error)
		h := &outgoing.Hold{Hide: plainly, Ask: func(context.Context, *outgoing.Request, []string) error { return <-answer }}
		w := added(t, h)
		done := make(chan error)
		go func() { done <- w.send(t.Context(), payment(driver.RequestFetch), form, "a=1") }()
		synctest.Wait()
		h.Relax()
		answer <- nil
		if err := <-done; err != nil {
			t.Errorf("approved after the next step began: %v, want it let out", err)
		}
	})
}

// TestNoHabit: what is sent while a press is under way, to what was approved, or with
// headers that a script sets, is no habit of the page.
func TestNoHabit(t *testing.T) {
	alone := true
	run := func() *outgoing.Hold {
		return &outgoing.Hold{Stands: true, Hide: plainly, Alone: func(driver.RequestInfo) bool { return alone }, PageOf: func(driver.RequestInfo) string { return "https://shop.test/" }}
	}
	count := driver.RequestInfo{Method: "POST", URL: "https://count.test/1", Kind: driver.RequestFetch}
	send := func(w *wire, info driver.RequestInfo, header http.Header) error {
		if !w.h.Match(info) {
			return nil
		}
		_, err := w.h.Handle(t.Context(), &driver.Request{RequestInfo: info, Header: header, Body: []byte("a=1")})
		return err
	}
	plain := http.Header{"Content-Type": {form}}

	w := added(t, run())
	if err := send(w, count, plain); err != nil {
		t.Fatalf("what the page sends by itself: %v", err)
	}
	alone = false // something was typed
	if err := send(w, count, http.Header{"Content-Type": {form}, "X-Pay": {"1"}}); !errors.Is(err, outgoing.ErrWithheld) {
		t.Errorf("the same with a header of its own: %v, want it held", err)
	}

	alone = true
	press := &outgoing.Hold{Hide: plainly}
	w = added(t, run(), press)
	if err := send(w, count, plain); !errors.Is(err, outgoing.ErrWithheld) {
		t.Errorf("what a page sends for the first time during a press: %v, want it held", err)
	}

	var g outgoing.Gate
	w = &wire{}
	pay := driver.RequestInfo{Method: "POST", URL: "https://bank.test/pay", Kind: driver.RequestFetch}
	if err := errors.Join(g.Add(t.Context(), w, run()), send(w, pay, plain)); err != nil { // a habit by now
		t.Fatal(err)
	}
	asked := false
	approved := &outgoing.Hold{Approved: post(form, "amount=820"), Hide: plainly, Ask: func(context.Context, *outgoing.Request, []string) error { asked = true; return nil }}
	if err := errors.Join(g.Add(t.Context(), w, approved), send(w, pay, plain)); err != nil || !asked {
		t.Errorf("what is like a habit and goes where something was approved: %v, asked %v; want a question", err, asked)
	}
}
