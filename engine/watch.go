package engine

import (
	"context"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/outgoing"
)

// The constants of the rule by which a page counts as quiet. They were found by
// measurement over page kinds that poll, animate, debounce, render late and
// navigate late; shorter ones lose a navigation that comes 150 ms after the
// click, longer ones rescue nothing.
const (
	quietAfterRequest  = 100 * time.Millisecond  // since the last relevant request ended
	quietAfterMutation = 100 * time.Millisecond  // since the last novel change
	quietAfterEffect   = 100 * time.Millisecond  // since the action, if anything happened
	quietAfterNothing  = 200 * time.Millisecond  // since the action, if nothing did
	quietAfterTyping   = 400 * time.Millisecond  // since typing where suggestions may come
	longestRequest     = 2 * time.Second         // a script, style or fetch
	longestNovelty     = 1500 * time.Millisecond // since the action, that changes are asked for
	longestTransition  = 500 * time.Millisecond
	longestBusyMark    = 2500 * time.Millisecond
	longestBlank       = 2500 * time.Millisecond // that a page with scripts may show nothing
	longestTurn        = 50 * time.Millisecond   // between two looks at what events do not tell
)

// blocked reports that something is in progress that will end with an event: a
// navigation, parsing, a dialog. It returns a channel that is closed at the
// next event, and an error if the page is gone.
func (w *watch) blocked() (bool, <-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dialog > 0 || len(w.navigating) > 0 || len(w.parsing) > 0 {
		return true, w.changed, w.gone
	}
	for _, r := range w.requests {
		if r.kind == driver.RequestDocument && !r.began.Before(w.lastAction) {
			return true, w.changed, w.gone
		}
	}
	return false, w.changed, w.gone
}

// unquiet returns a lower bound of the time until the page is quiet, 0 or less
// if it is quiet now. a is nil while the page is switching documents.
func (w *watch) unquiet(a *driver.Activity, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case a == nil || a.Parsing:
		return longestTurn
	case a.Idle, w.complete(a, now):
		return 0
	}
	since := now.Sub(w.quietFrom)
	wait := w.unquietNetwork(now)
	// What input changes, it changes before its reply, from which since counts.
	mutated := a.Mutated >= 0 && a.Mutated <= max(since, now.Sub(w.lastAction))
	if mutated && since < longestNovelty {
		wait = max(wait, quietAfterMutation-a.Mutated)
	}
	// One that has shown nothing for so long is not about to draw itself at each action.
	w.staysBlank = a.Blank && (w.staysBlank || since >= longestBlank)
	if a.Transition && since < longestTransition || a.Busy && since < longestBusyMark || a.Blank && !w.staysBlank {
		wait = max(wait, longestTurn)
	}
	switch {
	case w.typedIn:
		return max(wait, quietAfterTyping-since)
	case mutated || w.happened:
		return max(wait, quietAfterEffect-since)
	}
	return max(wait, quietAfterNothing-since)
}

// unquietNetwork is the part of unquiet that depends on requests.
func (w *watch) unquietNetwork(now time.Time) time.Duration {
	var wait time.Duration
	for _, r := range w.requests {
		if !r.began.Before(w.lastAction) {
			wait = max(wait, longestRequest-now.Sub(r.began))
		}
	}
	if !w.lastEnd.Before(w.lastAction) {
		wait = max(wait, quietAfterRequest-now.Sub(w.lastEnd))
	}
	return wait
}

// A watch follows one page through its events: what is in progress, and when
// something last happened. Settling asks it whether the page is quiet; evidence
// asks it what happened since an action.
//
// The driver calls take on its own goroutine before the call that caused the
// event returns, so whoever has a call's answer has seen all events before it.
type watch struct {
	page driver.PageID

	mu sync.Mutex // protects what follows

	// changed is closed and replaced at every event: waiters select on it.
	changed chan struct{}

	navigating map[driver.FrameID]bool // requested and neither committed nor given up
	parsing    map[driver.FrameID]bool // committed and not parsed
	requests   map[string]request      // relevant requests in flight, by id
	lastEnd    time.Time               // when the last relevant request ended
	habits     map[string]habit        // requests by method and address, ignoring digits
	read       map[string]bool         // what scripts have got, by outgoing.Same of the address
	lastAction time.Time               // requests that began before it don't count
	quietFrom  time.Time               // lastAction, or the end of parsing after it
	sending    bool                    // input is being sent
	lastInput  time.Time               // when input was last sent
	typedIn    bool                    // the last action typed where suggestions may come
	happened   bool                    // anything since the last action
	answeredAt time.Time               // when the last action had its effect, without any event; zero if it is not so
	staysBlank bool                    // the document has been blank for longestBlank: it is so meant
	dialog     int                     // dialogs open
	gone       error

	recorders []*recorder
}

// A request is one in flight that settling waits for.
type request struct {
	kind  driver.RequestKind
	began time.Time
}

// A habit counts the occurrences of one request that came without input.
type habit struct {
	count int
	last  time.Time
}

const (
	// habitual is how often the same request may come before it counts as a
	// habit of the page (polling), which settling ignores.
	habitual = 3
	// afterInput is how long after input a request is attributed to it. Such a
	// request is waited for and never becomes a habit.
	afterInput = 250 * time.Millisecond
	// stillPolling is how recent a habit's last request must be for a request
	// after input to count as polling rather than as an effect.
	stillPolling = 10 * time.Second
)

// maxHabits bounds the memory for a page that requests ever new addresses.
const maxHabits = 4096

func newWatch(id driver.PageID) *watch {
	return &watch{
		page:       id,
		changed:    make(chan struct{}),
		navigating: map[driver.FrameID]bool{},
		parsing:    map[driver.FrameID]bool{},
		requests:   map[string]request{},
		habits:     map[string]habit{},
		read:       map[string]bool{},
		lastAction: time.Now(),
		quietFrom:  time.Now(),
	}
}

// acted marks the beginning of an action. Quiescence counts from there.
func (w *watch) acted(at time.Time, typedIn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begin(at, typedIn)
}

// sends is acted for input, which is in progress until answered.
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
	w.answeredAt = time.Time{}
}

// expectSuggestions makes settling wait for the page's answer to what was
// typed, because the model wants to act on it.
func (w *watch) expectSuggestions() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.typedIn = true
	w.answeredAt = time.Time{}
}

// showedEffect marks that evidence found an effect of the last action, which need
// not be an event or a change of the DOM: a value is neither. answered says that
// the page's tasks had their turn after the input, and that no event came of them.
func (w *watch) showedEffect(answered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happened = true
	if answered && !w.typedIn {
		w.answeredAt = time.Now()
	}
}

// complete reports that the last action has had all its effect, so that the next
// one need not wait: the page showed it at once, no event has come since the input,
// nothing has changed since the evidence ended, and no script has put off anything,
// by which alone a navigation or a change could follow. An interval that has
// been running since before the input is the exception.
func (w *watch) complete(a *driver.Activity, now time.Time) bool {
	return !w.answeredAt.IsZero() && a.Timers != driver.TimersUnknown && (a.Mutated < 0 || a.Mutated >= now.Sub(w.answeredAt)) &&
		!a.Transition && !a.Busy && (!a.Blank || w.staysBlank) && len(w.requests) == 0 && w.unquietNetwork(now) <= 0
}

// answered marks that the browser has processed an action. Quiescence counts
// from there; events since acted still count.
func (w *watch) answered(at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quietFrom = at
	w.sending, w.lastInput = false, at
}

// take records an event.
func (w *watch) take(e driver.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.note(e, now) {
		w.happened = true
		w.answeredAt = time.Time{}
		for _, r := range w.recorders {
			r.events = append(r.events, e)
		}
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// note updates the state and reports whether an action may have caused the
// event.
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
			w.staysBlank = false
			clear(w.habits)
		}
	case driver.DOMContentLoaded:
		delete(w.parsing, e.Frame)
		// What follows a load gets the same wait as after an action.
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

// start records a request and reports whether an action may have caused it.
func (w *watch) start(e driver.RequestStarted, now time.Time) bool {
	switch e.Kind {
	case driver.RequestDocument, driver.RequestScript, driver.RequestStylesheet, driver.RequestFetch:
	default:
		return false
	}
	if e.Kind == driver.RequestFetch && e.Method == "GET" && len(w.read) < maxHabits { // what is not kept is asked about
		w.read[outgoing.Same(e.URL)] = true
	}
	key := e.Method + " " + withoutDigits(e.URL)
	if len(w.habits) >= maxHabits {
		clear(w.habits)
	}
	h := w.habits[key]
	if w.sending || now.Sub(w.lastInput) <= afterInput {
		w.requests[e.ID] = request{kind: e.Kind, began: now}
		return h.count < habitual || e.Kind == driver.RequestDocument || now.Sub(h.last) > stillPolling
	}
	h.count, h.last = h.count+1, now
	w.habits[key] = h
	if h.count >= habitual && e.Kind != driver.RequestDocument {
		return false
	}
	w.requests[e.ID] = request{kind: e.Kind, began: now}
	return true
}

// reads says of an address whether scripts of the page had got it by now.
func (w *watch) reads() func(address string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	read := maps.Clone(w.read)
	return func(address string) bool { return read[outgoing.Same(address)] }
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

// close ends the watch and wakes waiters.
func (w *watch) close(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone == nil {
		w.gone = err
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// A recorder collects the events of a page that an action may have caused,
// until stop.
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

// collected returns the events so far, and a channel that is closed at the next
// one.
func (r *recorder) collected() ([]driver.Event, <-chan struct{}) {
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

// wait pauses, unless the context ends first.
func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// rest pauses until there is news or ctx ends.
func rest(ctx context.Context, wait time.Duration, news <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-news:
	case <-ctx.Done():
	}
}

const (
	// longestSilence is how long an action without any effect is watched.
	longestSilence = 200 * time.Millisecond
	// longestOutcome is how long an effect that has begun (a navigation, a
	// download, a dialog) may take to finish.
	longestOutcome = 2 * time.Second
	// afterLink is how long the navigation of a link or submit button may take
	// to be reported if something else was seen first.
	afterLink = 100 * time.Millisecond
	// oneFrame is the first pause between two looks for an effect.
	oneFrame = 16 * time.Millisecond
)
