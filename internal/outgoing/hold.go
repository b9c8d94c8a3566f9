package outgoing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// ErrWithheld: a request did not go out, because nobody approved it.
var ErrWithheld = errors.New("the request was not let out")

// defaultLimit is how long a request is held for somebody to decide.
const defaultLimit = 30 * time.Second

// maxQuestions is how many requests one hold asks about.
const maxQuestions = 8

// A Hold lets an approved request out, once, and holds what else could be the
// effect of what was approved. Its fields are set before it is given to a
// [Gate]; its methods are safe for concurrent use.
type Hold struct {
	// Approved is what may go out; nil if that is not known yet.
	Approved *Request
	// Shown reports that Approved has placeholders for values, as [Request.Map]
	// makes them.
	Shown bool

	// Page is the address where it was approved.
	Page string
	// PageOf, of one that stands, is the address of the page that a request comes from.
	PageOf func(driver.RequestInfo) string

	// Owns reports whether a request may come from the page of the hold.
	Owns func(driver.RequestInfo) bool

	// Stands makes it the hold of a whole run: it decides what no newer hold
	// concerns, and has nothing approved.
	Stands bool

	// Alone reports a request that a page sends by itself: nothing was given to any page
	// since its document came.
	Alone func(driver.RequestInfo) bool

	// Given reports whether a text carries a value that was typed or chosen in the run.
	Given func(text string) bool

	// Cookies are those that scripts could have written and that the approved request
	// takes along; nil says none.
	Cookies func(ctx context.Context) map[string]string

	// Known reports a GET that the page had sent before, and that is no effect of what
	// was approved therefore; nil knows none.
	Known func(driver.RequestInfo) bool

	// Hide replaces the values of variables.
	Hide func(string) string

	// Ask decides about a request that was not approved. r has values, and is
	// not to be shown before r.Map; differences say why it is not the approved
	// one. nil lets this one out; an error fails it. ctx ends after Limit; what
	// is decided later counts for nothing.
	Ask func(ctx context.Context, r *Request, differences []string) error

	Limit time.Duration // 0 is 30 s

	gate    *Gate             // that it was given to
	cookies map[string]string // when it began

	mu        sync.Mutex // protects what follows
	out       []*Request // what was let out
	seen      []error    // what was decided about each request: nil let it out
	questions int
	relaxed   bool
	ended     bool
	asking    int
	changed   chan struct{} // closed when asking or seen changes
	giveUp    chan struct{} // closed when nobody waits for decisions any more
}

// safe are the methods that change nothing (RFC 9110 §9.2.1).
var safe = []string{"GET", "HEAD", "OPTIONS", "TRACE"}

// Concerns reports a request that could be the effect, by what is known before
// it is read. It is quick.
func (h *Hold) Concerns(r driver.RequestInfo) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.Approved
	same := a != nil && a.Method == r.Method && a.URL == base(r.URL)
	switch {
	case h.ended:
		return false
	case h.Stands:
		return !slices.Contains(safe, r.Method) || h.given(r)
	case h.relaxed:
		return same
	case !slices.Contains(safe, r.Method):
		return true
	case r.Redirected:
		return false
	case same:
		return true
	case r.Kind == driver.RequestDocument:
		return len(h.out) == 0 || h.repeats(r)
	case a != nil && a.URL == base(r.URL): // to the approved address, by another method
		return !h.knows(r)
	}
	// What a script reads after the effect shows what came of it, unless it says
	// again what was approved.
	return r.Kind == driver.RequestFetch && (len(h.out) == 0 || h.repeats(r)) && !h.knows(r)
}

// given reports a reading that carries what was typed or chosen. A form or a link says
// itself that it only reads (RFC 9110 §9.2.1) and what it carries: what a navigation
// takes along to the same site is no question of its own.
func (h *Hold) given(r driver.RequestInfo) bool {
	if h.Given == nil || r.Kind == driver.RequestDocument && origin(r.URL) == origin(h.pageOf(r)) {
		return false
	}
	return h.Given(r.URL)
}

func (h *Hold) knows(r driver.RequestInfo) bool { return h.Known != nil && h.Known(r) }

// repeats reports an address that has fields of the approved body.
func (h *Hold) repeats(r driver.RequestInfo) bool {
	if h.Approved == nil {
		return false
	}
	var sent Request
	sent.setURL(r.URL)
	return slices.ContainsFunc(sent.Fields, func(f Field) bool {
		return slices.ContainsFunc(h.Approved.Fields, func(a Field) bool { return a.In == "" && a.Name == f.Name })
	})
}

// decide lets a request out or says why it may not go.
func (h *Hold) decide(ctx context.Context, info driver.RequestInfo, r *Request) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended || h.passes(info, r) {
		return nil
	}
	var differences []string
	if h.Approved != nil {
		differences = append(h.differences(r), h.newCookies(ctx)...)
		if len(differences) == 0 && len(h.out) > 0 {
			differences = []string{"the same was let out already"}
		}
		if len(differences) == 0 {
			h.let(r)
			return nil
		}
	}
	if h.questions++; h.questions > maxQuestions || h.Ask == nil {
		err := fmt.Errorf("%w: %s", ErrWithheld, strings.Join(differences, "; "))
		h.note(err)
		return err
	}
	h.asking++
	h.signal()
	giveUp := h.giveUps()
	h.mu.Unlock() // whoever is asked may take long
	err := h.ask(ctx, giveUp, r, differences)
	h.mu.Lock()
	h.asking--
	select {
	case <-giveUp:
		err = errors.Join(err, errGivenUp)
	default:
	}
	if err == nil && h.ended {
		err = errGivenUp
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrWithheld, err)
		if len(differences) > 0 {
			err = fmt.Errorf("%w (what was approved is another thing: %s)", err, h.Hide(strings.Join(differences, "; ")))
		}
		h.note(err)
		return err
	}
	h.let(r)
	return nil
}

var errGivenUp = errors.New("no decision came in time")

// ask waits for a decision, within the limit.
func (h *Hold) ask(ctx context.Context, giveUp <-chan struct{}, r *Request, differences []string) error {
	limit := cmp.Or(h.Limit, defaultLimit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w (%v)", errGivenUp, limit))
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- h.Ask(ctx, r, differences) }()
	select {
	case err := <-done:
		return err
	case <-giveUp:
		return errGivenUp
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// passes reports whether a request is no effect of its own: a redirect that
// repeats an approved request to the same server, or a reading that carries once more
// what somebody let out to that server.
func (h *Hold) passes(info driver.RequestInfo, r *Request) bool {
	if info.Redirected {
		for _, o := range h.out {
			if origin(o.URL) == origin(r.URL) && o.Method == r.Method && len(differentFields(body(o), body(r))) == 0 && o.Opaque == r.Opaque {
				return true
			}
		}
	}
	return h.Stands && slices.Contains(safe, r.Method) && slices.ContainsFunc(h.out, func(o *Request) bool {
		return slices.Contains(safe, o.Method) && origin(o.URL) == origin(r.URL) && len(differentFields(o.Fields, r.Fields)) == 0
	})
}

// newCookies says which cookies are other ones than when the hold began.
func (h *Hold) newCookies(ctx context.Context) (out []string) {
	if h.Cookies == nil {
		return nil
	}
	now := h.Cookies(ctx)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if was, ok := h.cookies[name]; !ok || was != now[name] {
			out = append(out, fmt.Sprintf("the cookie %s was written since", name))
		}
	}
	return out
}

func body(r *Request) []Field {
	return slices.DeleteFunc(slices.Clone(r.Fields), func(f Field) bool { return f.In != "" })
}

func (h *Hold) differences(r *Request) []string {
	if h.Shown {
		return Differences(h.Approved, r.Map(h.Hide))
	}
	return Differences(h.Approved, r)
}

func (h *Hold) let(r *Request) {
	h.out = append(h.out, r)
	h.note(nil)
}

func (h *Hold) note(decision error) {
	h.seen = append(h.seen, decision)
	h.signal()
}

func (h *Hold) signal() {
	if h.changed != nil {
		close(h.changed)
		h.changed = nil
	}
}

// Seen returns what was decided after the first n decisions, nil for a request that was let
// out and else why not, and whether somebody is being asked. changed is closed when either
// becomes another.
func (h *Hold) Seen(n int) (seen []error, asking bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.changed == nil {
		h.changed = make(chan struct{})
	}
	return slices.Clone(h.seen[min(n, len(h.seen)):]), h.asking > 0, h.changed
}

func (h *Hold) giveUps() chan struct{} {
	if h.giveUp == nil {
		h.giveUp = make(chan struct{})
	}
	return h.giveUp
}

// GiveUp fails what somebody is being asked about. It returns when that is
// decided.
func (h *Hold) GiveUp() {
	h.mu.Lock()
	close(h.giveUps())
	h.giveUp = nil
	h.mu.Unlock()
	for {
		_, asking, changed := h.Seen(0)
		if !asking {
			return
		}
		<-changed
	}
}

// Relax is for when something else is done next: from then on the hold concerns what
// goes to the approved address alone. One that let nothing out is over. One that stands
// concerns all actions of its run, and stays as it is until its End.
func (h *Hold) Relax() {
	if h.Stands {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.relaxed = true
	h.ended = h.ended || len(h.out) == 0 && h.asking == 0
}

// A Gate has the requests of a browser pass its holds. The zero value has none.
// It is safe for concurrent use.
type Gate struct {
	mu     sync.Mutex      // protects what follows
	holds  []*Hold         // the newest first, those that stand last
	begun  bool            // requests pass the gate
	habits map[string]bool // what pages do by themselves

	switching sync.Mutex // held while interception begins
}

// Add adds a hold. From the first one on, requests pass the gate until the browser
// closes: a document that began in between would have ways past it.
func (g *Gate) Add(ctx context.Context, b driver.Interceptor, h *Hold) error {
	g.switching.Lock()
	defer g.switching.Unlock()
	if !g.begun {
		if _, err := b.Intercept(ctx, &driver.Handler{Match: g.match, Handle: g.handle, Seal: true}); err != nil {
			return err
		}
	}
	if h.Cookies != nil {
		h.cookies = h.Cookies(ctx)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun, h.gate = true, g
	at := 0
	if h.Stands {
		at = len(g.holds)
	}
	g.holds = slices.Insert(slices.Clone(g.holds), at, h)
	return nil
}

// End ends a hold that a gate has: what it holds is failed, and what comes later
// passes. It may be called again, and not from within Ask.
func (h *Hold) End() {
	g := h.gate
	if g == nil {
		return
	}
	h.GiveUp()
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holds = slices.DeleteFunc(slices.Clone(g.holds), func(o *Hold) bool { return o == h })
}

func (g *Gate) all() []*Hold {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.holds
}

func (g *Gate) match(info driver.RequestInfo) bool {
	return slices.ContainsFunc(g.all(), func(h *Hold) bool { return h.Concerns(info) })
}

// handle has the newest hold that a request concerns decide about it.
func (g *Gate) handle(ctx context.Context, held *driver.Request) (*driver.Reply, error) {
	holds := g.all()
	r := FromWire(held.Method, held.URL, held.Header, held.Body)
	if g.habitual(holds, held.RequestInfo, r) {
		return nil, nil
	}
	for _, h := range holds {
		if !h.Concerns(held.RequestInfo) || h.Owns != nil && !h.Owns(held.RequestInfo) {
			continue
		}
		return nil, h.decide(ctx, held.RequestInfo, r)
	}
	return nil, nil
}

// maxHabits bounds what is known of what pages do by themselves.
const maxHabits = 1000

// habitual reports a request that is the page's own and no effect of an action: the page
// sends it before anything was given to it, or has done so, to that address by that
// method with those headers. What it sends for the first time has no values of the run,
// which a document may have from the one before it; later ones take none to another
// site. None was approved. Forms are not sent by themselves.
func (g *Gate) habitual(holds []*Hold, info driver.RequestInfo, r *Request) bool {
	at := slices.IndexFunc(holds, func(h *Hold) bool { return h.Stands && (h.Owns == nil || h.Owns(info)) })
	if at < 0 || info.Kind == driver.RequestDocument || slices.Contains(safe, info.Method) {
		return false
	}
	h := holds[at]
	if slices.ContainsFunc(holds, func(o *Hold) bool { return o.Approved != nil && o.Approved.URL == r.URL }) {
		return false
	}
	given := h.Given != nil && h.Given(r.words())
	if given && origin(r.URL) != origin(h.pageOf(info)) {
		return false
	}
	key := info.Method + " " + WithoutDigits(r.URL)
	for _, f := range r.Fields {
		if f.In == "header" {
			key += " " + f.Name
		}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.habits == nil {
		g.habits = map[string]bool{}
	}
	if !g.habits[key] && !given && !slices.ContainsFunc(holds, (*Hold).underWay) && h.Alone != nil && h.Alone(info) && len(g.habits) < maxHabits {
		g.habits[key] = true
	}
	return g.habits[key]
}

// underWay reports the hold of a press that is not over: what is sent meanwhile may be
// its effect, also where it comes from a document that the press led to.
func (h *Hold) underWay() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.Stands && !h.relaxed && !h.ended
}

// pageOf is the page that a request comes from.
func (h *Hold) pageOf(info driver.RequestInfo) string {
	if h.PageOf != nil {
		return h.PageOf(info)
	}
	return h.Page
}
