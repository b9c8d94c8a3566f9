package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
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
// navigation, parsing, a dialog. A document counts for longestLoad; the page's own
// navigation until it has ended, as Chrome answers nothing about such a page. It returns
// a channel that is closed at the next event, and an error if the page is gone.
func (w *watch) blocked() (bool, <-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	busy := w.dialog > 0
	for frame, to := range w.navigating {
		busy = busy || string(frame) == string(w.page) || now.Sub(to.asked) < longestLoad
	}
	for _, since := range w.parsing {
		busy = busy || now.Sub(since) < longestLoad
	}
	for _, r := range w.requests {
		busy = busy || r.kind == driver.RequestDocument && !r.began.Before(w.lastAction) && now.Sub(r.began) < longestLoad
	}
	return busy, w.changed, w.gone
}

// openDialog returns the dialog that is open, nil if none is, since when it is, and
// a channel that is closed at the next event.
func (w *watch) openDialog() (d *driver.Dialog, since time.Time, changed <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dialog > 0 {
		asking := w.asking
		d = &asking
	}
	return d, w.askedAt, w.changed
}

// unquiet returns a lower bound of the time until the page is quiet, 0 or less
// if it is quiet now. a is nil while the page is switching documents.
func (w *watch) unquiet(a *driver.Activity, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = a
	switch {
	case a == nil || w.parses(a, now):
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

// parses reports that the main document is parsed, and not for longestLoad: an answer
// without an end is taken as it is. A document that says so after it was loaded was opened
// by a script, which may never close it; nothing but its changes tells when it is there.
func (w *watch) parses(a *driver.Activity, now time.Time) bool {
	since, ok := w.parsing[driver.FrameID(w.page)]
	if !ok {
		since = w.found
	}
	return a.Parsing && now.Sub(since) < longestLoad
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

// pending names what keeps the page from being quiet, for people: what is in
// progress by the events, and what unquiet was last asked about. It is empty where
// nothing is.
func (w *watch) pending() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	if w.dialog > 0 {
		list = append(list, "a dialog is open")
	}
	frame := func(id driver.FrameID) string {
		if string(id) == string(w.page) {
			return "the page"
		}
		return fmt.Sprintf("frame %s", id)
	}
	for _, id := range slices.Sorted(maps.Keys(w.navigating)) {
		list = append(list, fmt.Sprintf("%s navigates to %q", frame(id), w.navigating[id].to))
	}
	for _, id := range slices.Sorted(maps.Keys(w.parsing)) {
		list = append(list, frame(id)+" is parsed")
	}
	for _, id := range slices.Sorted(maps.Keys(w.requests)) {
		if r := w.requests[id]; !r.began.Before(w.lastAction) {
			list = append(list, fmt.Sprintf("a request (%s) of %q is under way", r.kind, r.url))
		}
	}
	switch a := w.asked; {
	case a == nil:
	case a.Parsing:
		list = append(list, "the document is parsed")
	default:
		if a.Mutated >= 0 && a.Mutated < quietAfterMutation {
			list = append(list, "its content changes")
		}
		if a.Transition {
			list = append(list, "a transition is running")
		}
		if a.Busy {
			list = append(list, "it shows a busy mark")
		}
		if a.Blank && !w.staysBlank {
			list = append(list, "it has scripts and shows nothing yet")
		}
	}
	return strings.Join(list, "; ")
}

// A watch follows one page through its events: what is in progress, and when
// something last happened. Settling asks it whether the page is quiet; evidence
// asks it what happened since an action.
//
// The driver calls take on its own goroutine before the call that caused the
// event returns, so a caller that has an answer has seen all events before it.
type watch struct {
	page driver.PageID
	all  *atomic.Int64 // how often input was sent to any page of the session

	mu sync.Mutex // protects what follows

	// changed is closed and replaced at every event: waiters select on it.
	changed chan struct{}

	navigating map[driver.FrameID]departure // requested and neither committed nor given up
	parsing    map[driver.FrameID]time.Time // committed, then, and not parsed
	found      time.Time                    // when the watch began, for the document that was there then; zero once another came
	requests   map[string]request           // relevant requests in flight, by id
	lastEnd    time.Time                    // when the last relevant request ended
	lastOther  time.Time                    // when one began that settling does not wait for: a picture, a font, a stream
	habits     map[string]habit             // requests by method and address, ignoring digits
	read       map[string]bool              // what scripts have got, by outgoing.Same of the address
	lastAction time.Time                    // requests that began before it don't count
	quietFrom  time.Time                    // lastAction, or the end of parsing after it
	sending    bool                         // input is being sent
	inputs     int64                        // all, when the document came
	lastInput  time.Time                    // when input was last sent
	typedIn    bool                         // the last action typed where suggestions may come
	happened   bool                         // anything since the last action
	answeredAt time.Time                    // when the last action had its effect, without any event; zero if it is not so
	changes    int                          // of the page by then; 0 if they are not counted
	staysBlank bool                         // the document has been blank for longestBlank: it is so meant
	dialog     int                          // dialogs open
	asking     driver.Dialog                // the last that opened
	askedAt    time.Time                    // when it did
	asked      *driver.Activity             // what unquiet was last asked about
	gone       error

	underWay map[string]string // requests and downloads, by id: the address, the name
	came     arrivals          // since the last action

	recorders []*recorder
}

// arrivals are what a page was sent: the addresses that answered, and the names of the
// files that are complete. No more than maxArrivals of each are kept.
type arrivals struct{ responses, downloads []string }

const maxArrivals = 1000

// A departure is a navigation of a frame that was asked for.
type departure struct {
	to    string // address
	asked time.Time
}

// A request is one in flight that settling waits for.
type request struct {
	kind  driver.RequestKind
	url   string
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

func newWatch(id driver.PageID, all *atomic.Int64) *watch {
	return &watch{
		page:       id,
		all:        all,
		changed:    make(chan struct{}),
		navigating: map[driver.FrameID]departure{},
		parsing:    map[driver.FrameID]time.Time{},
		requests:   map[string]request{},
		habits:     map[string]habit{},
		read:       map[string]bool{},
		underWay:   map[string]string{},
		lastAction: time.Now(),
		quietFrom:  time.Now(),
		found:      time.Now(),
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
	w.all.Add(1)
}

func (w *watch) begin(at time.Time, typedIn bool) {
	w.lastAction, w.quietFrom = at, at
	w.typedIn = typedIn
	w.happened = false
	w.answeredAt = time.Time{}
	w.came = arrivals{}
}

// expectSuggestions makes settling wait for the page's answer to what was
// typed, because the model wants to act on it.
func (w *watch) expectSuggestions() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.typedIn = true
	w.answeredAt = time.Time{}
}

// concluded marks that the evidence of the last action has ended. Its effect need not
// be an event or a change of the DOM: a value is neither. answered says that no event
// has come since what the page answered at once, when it had changed so often.
func (w *watch) concluded(effect, answered bool, changes int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happened = w.happened || effect
	if answered && !w.typedIn {
		w.answeredAt, w.changes = time.Now(), changes
	}
}

// anyEvent reports that an event came since the last input was sent.
func (w *watch) anyEvent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.happened
}

// complete reports that the last action has had all its effect, so that the next
// one need not wait: the page showed it at once, no event has come since the input,
// nothing has changed since the evidence ended, and no script has put off anything or
// asked for anything whose arrival it may wait for, such as a picture. An interval that
// has been running since before the input is the exception.
func (w *watch) complete(a *driver.Activity, now time.Time) bool {
	unchanged := a.Mutated < 0 || a.Mutated >= now.Sub(w.answeredAt) || w.changes != 0 && a.Changes == w.changes
	return !w.answeredAt.IsZero() && a.Timers != driver.TimersUnknown && unchanged &&
		!a.Transition && !a.Busy && (!a.Blank || w.staysBlank) && len(w.requests) == 0 && w.unquietNetwork(now) <= 0 &&
		w.lastOther.Before(w.lastAction)
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

// arrived returns what has come since the last action.
func (w *watch) arrived() arrivals {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.came
}

// leavingFor is the address of the document that is to take the page's place, "" if
// none is requested.
func (w *watch) leavingFor() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.navigating[driver.FrameID(w.page)].to
}

// note updates the state and reports whether an action may have caused the
// event.
func (w *watch) note(e driver.Event, now time.Time) bool {
	switch e := e.(type) {
	case driver.NavigationRequested:
		w.navigating[e.Frame] = departure{e.URL, now}
	case driver.NavigationEnded:
		delete(w.navigating, e.Frame)
	case driver.Navigated:
		delete(w.navigating, e.Frame)
		if e.SameDocument {
			break
		}
		w.parsing[e.Frame] = now
		if string(e.Frame) == string(w.page) {
			w.inputs, w.staysBlank, w.found = w.all.Load(), false, time.Time{}
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
		if len(w.underWay) < maxArrivals {
			w.underWay[e.ID] = e.URL
		}
		return w.start(e, now)
	case driver.RequestEnded:
		if address, ok := w.underWay[e.ID]; ok && !e.Failed && len(w.came.responses) < maxArrivals {
			w.came.responses = append(w.came.responses, address)
		}
		delete(w.underWay, e.ID)
		if _, ok := w.requests[e.ID]; !ok {
			return false
		}
		delete(w.requests, e.ID)
		w.lastEnd = now
	case driver.DownloadStarted:
		w.underWay["download "+e.ID] = e.Name
	case driver.DownloadEnded:
		if name, ok := w.underWay["download "+e.ID]; ok && !e.Canceled && len(w.came.downloads) < maxArrivals {
			w.came.downloads = append(w.came.downloads, name)
		}
		delete(w.underWay, "download "+e.ID)
	case driver.DialogOpened:
		w.dialog++
		w.asking, w.askedAt = e.Dialog, now
	case driver.DialogClosed:
		w.dialog--
	case driver.PageClosed:
		if e.Page == w.page {
			w.gone = driver.ErrClosed
		}
	case driver.PageCrashed:
		w.gone = driver.ErrCrashed
	case driver.BrowserGone:
		w.gone = cmp.Or(e.Err, error(driver.ErrClosed))
	}
	return true
}

// start records a request and reports whether an action may have caused it.
func (w *watch) start(e driver.RequestStarted, now time.Time) bool {
	switch e.Kind {
	case driver.RequestDocument, driver.RequestScript, driver.RequestStylesheet, driver.RequestFetch:
	case driver.RequestBeacon: // nothing comes back
		return false
	default:
		w.lastOther = now
		return false
	}
	if e.Kind == driver.RequestFetch && e.Method == "GET" && len(w.read) < maxHabits { // what is not kept is asked about
		w.read[outgoing.Same(e.URL)] = true
	}
	key := e.Method + " " + outgoing.WithoutDigits(e.URL)
	if len(w.habits) >= maxHabits {
		clear(w.habits)
	}
	h := w.habits[key]
	if w.sending || now.Sub(w.lastInput) <= afterInput {
		w.requests[e.ID] = request{kind: e.Kind, url: e.URL, began: now}
		return h.count < habitual || e.Kind == driver.RequestDocument || now.Sub(h.last) > stillPolling
	}
	h.count, h.last = h.count+1, now
	w.habits[key] = h
	if h.count >= habitual && e.Kind != driver.RequestDocument {
		return false
	}
	w.requests[e.ID] = request{kind: e.Kind, url: e.URL, began: now}
	return true
}

// alone reports that nothing was given to any page since the document came.
func (w *watch) alone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inputs == w.all.Load()
}

// reads says of an address whether scripts of the page had got it by now.
func (w *watch) reads() func(address string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	read := maps.Clone(w.read)
	return func(address string) bool { return read[outgoing.Same(address)] }
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
	w.recorders = slices.DeleteFunc(w.recorders, func(other *recorder) bool { return other == r })
}

// chooser waits for the file chooser that a click must open.
func (r *recorder) chooser(ctx context.Context) (driver.NodeRef, error) {
	for deadline := time.Now().Add(longestOutcome); ; {
		events, changed := r.collected()
		for _, e := range events {
			if asked, ok := e.(driver.FileChooserOpened); ok {
				return asked.Node, nil
			}
		}
		switch {
		case ctx.Err() != nil:
			return driver.NodeRef{}, context.Cause(ctx)
		case !time.Now().Before(deadline):
			return driver.NodeRef{}, fmt.Errorf("%w: it was clicked, and nothing asked for a file", ErrNoEffect)
		}
		rest(ctx, time.Until(deadline), changed)
	}
}

// rest pauses until there is news or ctx ends.
func rest(ctx context.Context, wait time.Duration, news <-chan struct{}) {
	if wait <= 0 {
		return // in memory a look takes no time
	}
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
	// shortSilence is how long it is where no script has put anything off: the answer of
	// a database or a decoded picture is told by no number.
	shortSilence = 50 * time.Millisecond
	// longestOutcome is how long an effect that has begun (a navigation, a
	// download, a dialog) may take to finish.
	longestOutcome = 2 * time.Second
	// longestFailure is how long the browser may take to show its page about a
	// document that could not be fetched. Chrome starts a process for it.
	longestFailure = 10 * time.Second
	// afterLink is how long the navigation of a link or submit button may take
	// to be reported if something else was seen first.
	afterLink = 100 * time.Millisecond
	// oneFrame is the first pause between two looks for an effect.
	oneFrame = 16 * time.Millisecond
)
