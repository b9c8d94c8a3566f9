package drivertest

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/driver"
)

var eventCases = rows(Case{Doc: "Browser.Listen"},
	rule("events/navigation", "A navigation is told by NavigationRequested, Navigated, DOMContentLoaded and Loaded, in this order, all before Navigate returns.").
		on("<p>x").
		opens(func(t *trial) {
			t.equal("events", navigationEvents(t), wholeNavigation)
		}),
	rule("events/history", "Back and Forward are told by the same four events, wherever the page comes from: a back/forward cache, too.").
		with(pages{"/": "<p>x", "/two": "<p>two"}).
		opens(func(t *trial) {
			t.open("/two")
			t.events.mark()
			t.back()
			t.equal("events of Back", navigationEvents(t), wholeNavigation)
			t.events.mark()
			t.forward()
			t.equal("events of Forward", navigationEvents(t), wholeNavigation)
		}),
	rule("events/navigated", "Navigated has the new document, address and status.").at("Navigated").
		with(pages{"/": "<p>x", "/lost": status(http.StatusNotFound, "<p>lost")}).
		checks(func(t *trial) {
			for path, code := range map[string]int{"/": 200, "/lost": 404} {
				t.events.mark()
				t.open(path)
				e := wait[driver.Navigated](t, nil)
				t.equal("Navigated", e, driver.Navigated{Page: t.page.ID(), Frame: t.main().ID, Doc: t.doc(), URL: t.url(path), Status: code})
			}
		}),
	rule("events/same-document", "A change of the fragment is told by Navigated with SameDocument and the same Doc, and by no NavigationRequested that stays open.").at("Navigated").
		on(`<a id=a href="#p">go</a><p id=p>x`).
		opens(func(t *trial) {
			t.trigger("#a")
			e := wait[driver.Navigated](t, nil)
			t.equal("SameDocument", e.SameDocument, true)
			t.equal("Doc", e.Doc, t.doc())
			t.equal("URL", e.URL, t.url("/#p"))
			for _, r := range told[driver.NavigationRequested](t) {
				t.errorf("NavigationRequested%+v was told", r)
			}
		}),
	rule("events/external", "A link to another program, such as one for mail, is no request.").at("RequestStarted").
		on(`<a id=a href="mailto:ada@example.org">write</a><a id=b href="weird:x">open</a>`).
		opens(func(t *trial) {
			t.trigger("#a")
			t.click("#b")
			t.text("#a") // a reading comes after the events of the clicks
			for _, r := range told[driver.RequestStarted](t) {
				t.must(strings.HasPrefix(r.URL, "http"), "RequestStarted%+v was told", r)
			}
			t.equal("URL", t.main().URL, t.url("/"))
		}),
	rule("events/paired", "Exactly one of Navigated, NavigationEnded and FrameDetached follows a NavigationRequested, unless a further one takes its place.").at("NavigationRequested").
		with(pages{"/": `<a id=a href=/two>go</a><iframe src=/in></iframe>`, "/in": "<p>in", "/two": "<p>two", "/204": headersOnly(http.StatusNoContent)}).
		opens(func(t *trial) {
			t.failsBy(t.url("/204"), driver.ReasonAborted)
			wait[driver.NavigationEnded](t, nil)
			t.click("#a")
			t.settled("/two")
			pending := map[driver.FrameID]bool{}
			for _, e := range t.events.since() {
				switch e := e.(type) {
				case driver.NavigationRequested:
					pending[e.Frame] = true
				case driver.Navigated:
					t.must(e.SameDocument || pending[e.Frame], "%T%+v was told without a NavigationRequested", e, e)
					pending[e.Frame] = pending[e.Frame] && e.SameDocument
				case driver.NavigationEnded:
					t.must(pending[e.Frame], "%T%+v was told without a NavigationRequested", e, e)
					pending[e.Frame] = false
				case driver.FrameDetached:
					pending[e.Frame] = false
				}
			}
			for frame, open := range pending {
				t.must(!open, "nothing followed the NavigationRequested of frame %s", frame)
			}
		}),
	rule("events/before-answer", "An event that the browser told before it answered a call has been delivered when that call returns.").
		on("<p>x").
		checks(func(t *trial) {
			for range 5 {
				t.events.mark()
				t.open("/")
				t.equal("Loaded events of the main frame when Navigate returned", t.hasLoaded(), true)
			}
		}),
	rule("events/one-at-a-time", "fn is called for one event at a time, also when several pages are busy.").
		with(pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"}).
		checks(func(t *trial) {
			var inside, overlaps, calls atomic.Int32
			stop := t.browser.Listen(func(driver.Event) {
				if inside.Add(1) != 1 {
					overlaps.Add(1)
				}
				calls.Add(1)
				inside.Add(-1)
			})
			defer stop()
			var wg sync.WaitGroup
			for _, p := range []driver.Page{t.page, t.newPage()} {
				wg.Go(func() {
					for range 3 {
						if _, err := p.Navigate(t.ctx, t.url("/"), nil); err != nil {
							t.errorf("Navigate: %v", err)
						}
					}
				})
			}
			wg.Wait()
			t.equal("calls within calls", overlaps.Load(), int32(0))
			t.must(calls.Load() > 0, "no event was told")
		}),
	rule("events/stop", "After stop returns fn is not called again; stop may be called more than once, and others go on.").
		on("<p>x").
		checks(func(t *trial) {
			var calls atomic.Int32
			stop := t.browser.Listen(func(driver.Event) { calls.Add(1) })
			t.open("/")
			t.must(calls.Load() > 0, "no event was told")
			stop()
			stop()
			before := calls.Load()
			t.events.mark()
			t.open("/")
			t.equal("calls after stop", calls.Load(), before)
			t.must(len(t.events.since()) > 0, "the other listener was told nothing")
		}),
	rule("events/stop-within", "stop may be called within fn, which is not called again.").
		on("<p>x").
		checks(func(t *trial) {
			var calls atomic.Int32
			var stop func()
			ready := make(chan struct{})
			stop = t.browser.Listen(func(driver.Event) {
				<-ready
				calls.Add(1)
				stop()
			})
			close(ready)
			t.open("/")
			t.open("/")
			t.equal("calls", calls.Load(), int32(1))
		}),
	rule("events/several", "Every listener is told every event, in the same order.").
		with(pages{"/": "<iframe src=/in></iframe>", "/in": "<p>in"}).
		checks(func(t *trial) {
			other := listen(t.browser)
			defer other.stop()
			t.events.mark()
			t.open("/")
			// What comes after the load event may be under way to one of the two.
			a, b := fmt.Sprint(upToLoaded(t.events.since(), t.main().ID)), fmt.Sprint(upToLoaded(other.since(), t.main().ID))
			t.equal("what the second listener was told", b, a)
		}),
	rule("events/pages", "A listener is told the events of pages that are opened later, each with its page.").
		on("<p>x").
		checks(func(t *trial) {
			p := t.newPage()
			t.events.mark()
			t.openIn(p, "/")
			t.must(slices.ContainsFunc(told[driver.Loaded](t), func(e driver.Loaded) bool { return e.Page == p.ID() }), "Loaded of the new page was not told")
			for _, e := range t.events.since() {
				t.must(e.From() == p.ID() || e.From() == "", "%T%+v is of another page", e, e)
			}
		}),
	rule("events/gone", "Close ends with BrowserGone, whose Err is nil and whose page is zero; nothing comes behind it.").at("BrowserGone").alone().checks(func(t *trial) {
		t.ok("Close", t.browser.Close())
		e := wait[driver.BrowserGone](t, nil)
		t.must(e.Err == nil, "Err = %v, want nil", e.Err)
		t.equal("From()", e.From(), driver.PageID(""))
		all := t.events.since()
		_, last := all[len(all)-1].(driver.BrowserGone)
		t.must(last, "events came after BrowserGone:%s", t.events.list())
	}),
)

// wholeNavigation are the events of a navigation, see navigationEvents.
var wholeNavigation = []string{"driver.NavigationRequested", "driver.Navigated", "driver.DOMContentLoaded", "driver.Loaded"}

// navigationEvents are the kinds of events since the mark that tell of a
// navigation of the main frame.
func navigationEvents(t *trial) []string {
	var kinds []string
	for _, e := range t.events.since() {
		switch e.(type) {
		case driver.NavigationRequested, driver.Navigated, driver.DOMContentLoaded, driver.Loaded:
			if frameOf(e) == t.main().ID {
				kinds = append(kinds, fmt.Sprintf("%T", e))
			}
		}
	}
	return kinds
}

// upToLoaded cuts events behind the load event of a frame.
func upToLoaded(events []driver.Event, frame driver.FrameID) []driver.Event {
	i := slices.IndexFunc(events, func(e driver.Event) bool {
		l, ok := e.(driver.Loaded)
		return ok && l.Frame == frame
	})
	return events[:i+1]
}

func listen(b driver.Browser) *recorder {
	r := &recorder{more: make(chan struct{})}
	r.stop = b.Listen(r.add)
	return r
}

// A recorder keeps the events of a browser.
type recorder struct {
	stop func()

	mu   sync.Mutex // protects the fields below
	seen []driver.Event
	from int           // where until begins to look
	more chan struct{} // closed and replaced when seen grows
}

func (r *recorder) add(e driver.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, e)
	close(r.more)
	r.more = make(chan struct{})
}

// mark has later looks begin at the next event.
func (r *recorder) mark() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.from = len(r.seen)
}

// since returns the events since the mark.
func (r *recorder) since() []driver.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.seen[r.from:])
}

// wait returns the first event since the mark that fits, which is asked about
// each event once, in order.
func (r *recorder) wait(ctx context.Context, fits func(driver.Event) bool) (driver.Event, bool) {
	r.mu.Lock()
	next := r.from
	r.mu.Unlock()
	for {
		r.mu.Lock()
		fresh, more := r.seen[next:], r.more
		next = len(r.seen)
		r.mu.Unlock()
		if i := slices.IndexFunc(fresh, fits); i >= 0 {
			return fresh[i], true
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// list writes the events since the mark for people.
func (r *recorder) list() string {
	var b strings.Builder
	for _, e := range r.since() {
		fmt.Fprintf(&b, "\n\t%T%+v", e, e)
	}
	if b.Len() == 0 {
		return " none"
	}
	return b.String()
}

// atRest tells whether a frame has loaded what it shows, as far as has been
// told: the load event of one case's document is no event of the next case.
func (r *recorder) atRest(frame driver.FrameID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	leaving, loading := false, false
	for _, e := range r.seen {
		if frameOf(e) != frame {
			continue
		}
		switch e := e.(type) {
		case driver.NavigationRequested:
			leaving = true
		case driver.NavigationEnded:
			leaving = false
		case driver.Navigated:
			if !e.SameDocument {
				leaving, loading = false, true
			}
		case driver.Loaded:
			loading = false
		}
	}
	return !leaving && !loading
}

// wait waits for an event of type E since the mark that fits; nil fits all.
func wait[E driver.Event](t *trial, fits func(E) bool) E {
	e, ok := t.events.wait(t.ctx, func(e driver.Event) bool {
		typed, ok := e.(E)
		return ok && (fits == nil || fits(typed))
	})
	if !ok {
		var want E
		t.fatalf("no fitting event %T came; events:%s", want, t.events.list())
	}
	return e.(E)
}

// told returns the events of type E since the mark, which must have been
// delivered by now.
func told[E driver.Event](t *trial) []E {
	var found []E
	for _, e := range t.events.since() {
		if typed, ok := e.(E); ok {
			found = append(found, typed)
		}
	}
	return found
}

// frameOf returns the frame that an event is about, empty if none. Every event
// that is about one has it as its Frame.
func frameOf(e driver.Event) driver.FrameID {
	if frame := reflect.ValueOf(e).FieldByName("Frame"); frame.IsValid() {
		return frame.Interface().(driver.FrameID)
	}
	return ""
}
