package engine

import (
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A watch follows one page through its events: what is under way, and when
// something last happened. Settling asks it whether the page is quiet, and
// evidence what happened since an action.
//
// The driver calls take on its own goroutine before the call that caused the
// event returns. So who has an answer has seen everything that came before it.
type watch struct {
	page driver.PageID

	mu sync.Mutex // protects what follows

	// changed is closed and replaced at every event: waiters select on it.
	changed chan struct{}

	navigating map[driver.FrameID]bool // requested and neither committed nor given up
	parsing    map[driver.FrameID]bool // committed and not parsed
	requests   map[string]request      // relevant ones under way, by id
	lastEnd    time.Time               // when the last relevant request ended
	began      map[string]habit        // what was asked for, by method and address, digits aside
	lastAction time.Time               // requests that began before it don't count
	quietFrom  time.Time               // lastAction, or the end of parsing after it
	sending    bool                    // input is under way
	lastInput  time.Time               // when input was last under way
	typedIn    bool                    // the last action typed where suggestions may come
	happened   bool                    // anything at all since the last action
	dialog     int                     // dialogs open
	gone       error

	recorders []*recorder
}

// A request is one under way that settling waits for.
type request struct {
	kind  driver.RequestKind
	began time.Time
}

// A habit is what is known of one request that may be one: how often it came by
// itself, and when last.
type habit struct {
	count int
	last  time.Time
}

const (
	// habitual is how often the same request may come before it counts as a
	// habit of the page (polling), which settling does not wait for.
	habitual = 3
	// afterInput is how long a request is taken to come from input. It is
	// waited for, and makes no habit however often it comes.
	afterInput = 250 * time.Millisecond
	// stillPolling is how long ago a habit's last request may be for one after
	// input to be taken for the next of the habit, and for no effect.
	stillPolling = 10 * time.Second
)

// mostBegan bounds the memory of a page that asks for ever new addresses.
const mostBegan = 4096

func newWatch(id driver.PageID) *watch {
	return &watch{
		page:       id,
		changed:    make(chan struct{}),
		navigating: map[driver.FrameID]bool{},
		parsing:    map[driver.FrameID]bool{},
		requests:   map[string]request{},
		began:      map[string]habit{},
		lastAction: time.Now(),
		quietFrom:  time.Now(),
	}
}

// acted tells that an action begins. Quiet counts from there.
func (w *watch) acted(at time.Time, typedIn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(at, typedIn)
}

// sends is acted, for input, which is under way until answered.
func (w *watch) sends(at time.Time, typedIn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(at, typedIn)
	w.sending = true
}

func (w *watch) begin(at time.Time, typedIn bool) {
	w.lastAction, w.quietFrom = at, at
	w.typedIn = typedIn
	w.happened = false
}

// expectSuggestions tells that what was typed is to be answered by the page: the
// model wants to act on that.
func (w *watch) expectSuggestions() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.typedIn = true
}

// answered tells that the browser has taken an action. Quiet counts from there;
// what happened since acted stands.
func (w *watch) answered(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quietFrom = at
	w.sending, w.lastInput = false, at
}

// take notes an event.
func (w *watch) take(e driver.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.note(e, now) {
		w.happened = true
		for _, r := range w.recorders {
			r.events = append(r.events, e)
		}
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// note updates the state and reports whether the event is one that an action
// may have caused.
func (w *watch) note(e driver.Event, now time.Time) bool {
	switch e := e.(type) {
	case driver.NavigationRequested:
		w.navigating[e.Frame] = true
	case driver.NavigationEnded:
		delete(w.navigating, e.Frame)
	case driver.Navigated:
		delete(w.navigating, e.Frame)
		if e.SameDocument {
			break
		}
		w.parsing[e.Frame] = true
		if string(e.Frame) == string(w.page) {
			clear(w.began)
		}
	case driver.DOMContentLoaded:
		delete(w.parsing, e.Frame)
		// What follows a load is waited for as after an action.
		if string(e.Frame) == string(w.page) {
			w.quietFrom = now
		}
	case driver.Loaded:
		delete(w.parsing, e.Frame)
	case driver.FrameDetached:
		delete(w.navigating, e.Frame)
		delete(w.parsing, e.Frame)
	case driver.RequestStarted:
		return w.start(e, now)
	case driver.RequestEnded:
		return w.finish(e.ID, now)
	case driver.DialogOpened:
		w.dialog++
	case driver.DialogClosed:
		w.dialog--
	case driver.PageClosed:
		if e.Page == w.page {
			w.gone = driver.ErrClosed
		}
	case driver.PageCrashed:
		w.gone = driver.ErrCrashed
	case driver.BrowserGone:
		w.gone = driver.ErrClosed
		if e.Err != nil {
			w.gone = e.Err
		}
	}
	return true
}

// start notes a request and reports whether an action may have caused it.
func (w *watch) start(e driver.RequestStarted, now time.Time) bool {
	switch e.Kind {
	case driver.RequestDocument, driver.RequestScript, driver.RequestStylesheet, driver.RequestFetch:
	default:
		return false
	}
	key := e.Method + " " + withoutDigits(e.URL)
	if len(w.began) >= mostBegan {
		clear(w.began)
	}
	h := w.began[key]
	if w.sending || now.Sub(w.lastInput) <= afterInput {
		w.requests[e.ID] = request{kind: e.Kind, began: now}
		return h.count < habitual || e.Kind == driver.RequestDocument || now.Sub(h.last) > stillPolling
	}
	h.count, h.last = h.count+1, now
	w.began[key] = h
	if h.count >= habitual && e.Kind != driver.RequestDocument {
		return false
	}
	w.requests[e.ID] = request{kind: e.Kind, began: now}
	return true
}

func (w *watch) finish(id string, now time.Time) bool {
	if _, ok := w.requests[id]; !ok {
		return false
	}
	delete(w.requests, id)
	w.lastEnd = now
	return true
}

// withoutDigits makes addresses that differ by a counter or a time stamp equal.
func withoutDigits(url string) string {
	if !strings.ContainsAny(url, "0123456789") {
		return url
	}
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, url)
}

// close ends the watch; waiters wake up.
func (w *watch) close(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone == nil {
		w.gone = err
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// A recorder collects the events of a page that an action may have caused, from
// record to stop.
type recorder struct {
	watch  *watch
	events []driver.Event // under watch.mu
}

// record begins to collect.
func (w *watch) record() *recorder {
	r := &recorder{watch: w}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recorders = append(w.recorders, r)
	return r
}

// seen returns what was collected so far, and a channel that is closed at the next event.
func (r *recorder) seen() ([]driver.Event, <-chan struct{}) {
	r.watch.mu.Lock()
	defer r.watch.mu.Unlock()
	return r.events[:len(r.events):len(r.events)], r.watch.changed
}

func (r *recorder) stop() {
	w := r.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, other := range w.recorders {
		if other == r {
			w.recorders = append(w.recorders[:i], w.recorders[i+1:]...)
			return
		}
	}
}
