package cdp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// checkOrder holds a browser's events against the promises of driver/event.go.
func checkOrder(events []driver.Event) (broken []string) {
	type frameKey struct {
		page  driver.PageID
		frame driver.FrameID
	}
	open, closed := map[driver.PageID]bool{}, map[driver.PageID]bool{}
	frames, pending := map[frameKey]bool{}, map[frameKey]bool{}
	requests := map[string]bool{}
	dialogs := map[driver.PageID]bool{}
	for i, e := range events {
		complain := func(what string) { broken = append(broken, fmt.Sprintf("event %d %T%+v: %s", i, e, e, what)) }
		page := e.From()
		if opened, ok := e.(driver.PageOpened); ok {
			open[page] = true
			frames[frameKey{page, driver.FrameID(opened.Page)}] = true
			continue
		}
		if page != "" && !open[page] {
			complain("of a page that was not opened")
		}
		if closed[page] {
			complain("of a page that was closed")
		}
		in := func(f driver.FrameID) frameKey {
			k := frameKey{page, f}
			if !frames[k] {
				complain("in a frame that is not attached")
			}
			return k
		}
		end := func(k frameKey) {
			if !pending[k] {
				complain("without a NavigationRequested")
			}
			delete(pending, k)
		}
		switch e := e.(type) {
		case driver.PageClosed:
			closed[page] = true
			for k := range pending {
				if k.page == page {
					delete(pending, k)
				}
			}
		case driver.FrameAttached:
			in(e.Parent)
			frames[frameKey{page, e.Frame}] = true
		case driver.FrameDetached:
			k := in(e.Frame)
			delete(frames, k)
			delete(pending, k)
		case driver.NavigationRequested:
			pending[in(e.Frame)] = true
		case driver.NavigationEnded:
			end(in(e.Frame))
		case driver.Navigated:
			if k := in(e.Frame); !e.SameDocument {
				end(k)
			}
		case driver.DOMContentLoaded:
			in(e.Frame)
		case driver.Loaded:
			in(e.Frame)
		case driver.RequestStarted:
			if requests[e.ID] {
				complain("has started before")
			}
			requests[e.ID] = true
		case driver.RequestEnded:
			if !requests[e.ID] {
				complain("has not started")
			}
			delete(requests, e.ID)
		case driver.DialogOpened:
			dialogs[page] = true
		case driver.DialogClosed:
			if !dialogs[page] {
				complain("was not open")
			}
			delete(dialogs, page)
		}
	}
	for k := range pending {
		broken = append(broken, fmt.Sprintf("the navigation of frame %s has no end", k.frame))
	}
	return broken
}

func TestCheckOrder(t *testing.T) {
	opened := driver.PageOpened{Page: "p"}
	for _, c := range []struct {
		what   string
		events []driver.Event
		broken int
	}{
		{"a whole navigation", []driver.Event{opened, driver.NavigationRequested{Page: "p", Frame: "p"}, driver.Navigated{Page: "p", Frame: "p"}}, 0},
		{"one replaced by another", []driver.Event{opened, driver.NavigationRequested{Page: "p", Frame: "p"}, driver.NavigationRequested{Page: "p", Frame: "p"}, driver.NavigationEnded{Page: "p", Frame: "p"}}, 0},
		{"one without an end", []driver.Event{opened, driver.NavigationRequested{Page: "p", Frame: "p"}}, 1},
		{"an end without one", []driver.Event{opened, driver.NavigationEnded{Page: "p", Frame: "p"}}, 1},
		{"two ends", []driver.Event{opened, driver.NavigationRequested{Page: "p", Frame: "p"}, driver.NavigationEnded{Page: "p", Frame: "p"}, driver.Navigated{Page: "p", Frame: "p"}}, 1},
		{"before its page", []driver.Event{driver.DialogOpened{Page: "p"}, opened}, 1},
		{"after its page", []driver.Event{opened, driver.PageClosed{Page: "p"}, driver.Loaded{Page: "p", Frame: "p"}}, 1},
		{"an unknown frame", []driver.Event{opened, driver.Loaded{Page: "p", Frame: "f"}}, 1},
		{"a request's end alone", []driver.Event{opened, driver.RequestEnded{Page: "p", ID: "1"}}, 1},
	} {
		if got := checkOrder(c.events); len(got) != c.broken {
			t.Errorf("%s: %v, want %d complaints", c.what, got, c.broken)
		}
	}
}

func TestEventOrder(t *testing.T) {
	inner := site{"/": "<title>inner</title><iframe src=/deep></iframe>", "/deep": "deep"}.serve(t)
	base := handle(t, map[string]http.HandlerFunc{
		"/": html(`<title>start</title><a id=link href=/next>x</a><a id=frag href=#frag>x</a><a id=none href=/204>x</a>
			<a id=save href=/file>x</a><a id=blank target=_blank href=/next>x</a><a id=moved href=/moved>x</a>
			<form id=form action=/next method=post></form><iframe id=inner src=/next></iframe>
			<iframe src="` + elsewhere(inner) + `/"></iframe><iframe srcdoc="doc"></iframe><iframe></iframe>`),
		"/next":  html("<title>next</title>"),
		"/moved": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/next", http.StatusFound) },
		"/204":   func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"/file": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write([]byte("abc"))
		},
		"/hang": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	})
	b := testBrowser(t)
	r := recording(t, b)
	opened, err := b.NewPage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := opened.(*page)
	ofMain := func(e driver.Navigated) bool {
		return e.Frame == driver.FrameID(p.ID()) && strings.HasSuffix(e.URL, "/next")
	}
	for _, step := range []struct {
		script string
		wait   func()
	}{
		{"link.click()", func() { await(t, r, ofMain) }},
		{"frag.click()", nil},
		{"history.pushState({}, '', '/pushed'); 1", nil},
		{"none.click()", func() { await[driver.NavigationEnded](t, r, nil) }},
		{"save.click()", func() { await[driver.DownloadEnded](t, r, nil) }},
		{"blank.click()", func() {
			o := await[driver.PageOpened](t, r, nil)
			await(t, r, func(e driver.Loaded) bool { return e.Page == o.Page })
		}},
		{"moved.click()", func() { await(t, r, ofMain) }},
		{"form.submit()", func() { await(t, r, ofMain) }},
		{"location.href = '/hang'; setTimeout(() => window.stop(), 50); 1", func() { await[driver.NavigationEnded](t, r, nil) }},
		{"location.href = '/hang'; setTimeout(() => location.href = '/next', 50); 1", func() { await(t, r, ofMain) }},
		{"inner.src = '" + elsewhere(inner) + "/deep'; 1", func() {
			await(t, r, func(e driver.Loaded) bool { return e.Frame == p.Frames()[1].ID })
		}},
		{"inner.remove(); 1", func() { await[driver.FrameDetached](t, r, nil) }},
		{"inner.src = '/hang'; inner.remove(); 1", func() { await[driver.FrameDetached](t, r, nil) }},
		{"document.open(); document.write('<iframe src=/next></iframe>'); document.close(); 1", func() {
			await(t, r, func(e driver.Loaded) bool { return e.Frame != driver.FrameID(p.ID()) })
		}},
		{"location.href = 'mailto:x@example.test'; 1", func() { await[driver.NavigationEnded](t, r, nil) }},
		{"location.href = 'http://no-such-host.invalid/'; 1", func() { await(t, r, func(e driver.Navigated) bool { return !e.SameDocument }) }},
		{"confirm('x')", nil},
		{"location.replace('about:blank'); 1", func() { await(t, r, func(e driver.Navigated) bool { return e.URL == "about:blank" }) }},
	} {
		if _, err := p.Navigate(t.Context(), base, nil); err != nil {
			t.Fatal(step.script, err)
		}
		all := r.all()
		r.mark()
		evaluate(t, p, step.script)
		if step.wait != nil {
			step.wait()
		}
		r.mu.Lock()
		r.events = append(all, r.events...)
		r.mu.Unlock()
	}
	// Before the last step comes the page of a navigation that failed, and back
	// to that would fail too: go back to a page that there is.
	if _, err := p.Navigate(t.Context(), base+"/next", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Navigate(t.Context(), base, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Back(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range b.Pages()[1:] {
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	events := r.all()
	// The first page was there before anybody listened.
	first := driver.PageOpened{Page: b.Pages()[0].ID()}
	for _, broken := range checkOrder(append([]driver.Event{first}, events...)) {
		t.Error(broken)
	}
	if t.Failed() {
		t.Log(describe(events))
	}
	if len(events) < 300 {
		t.Errorf("only %d events were told", len(events))
	}
}
