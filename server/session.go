package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/server/internal/live"
	"github.com/wayfinder-engine/wayfinder/server/internal/profiles"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// A session is a client's browser, from start to end.
type session struct {
	id       string
	holder   *holder
	engine   *engine.Session
	model    string // its name as the client gave it
	verbose  int
	language string // of the client

	systemPrompt string // the client's own words for every model
	pageTools    bool   // pages may offer tools
	limits       Limits
	log          *slog.Logger
	forget       func(*session) // it is not known any more
	free         func()         // gives back what the session took besides the browser
	begun        time.Time
	own          bool // the browser is not that of the server
	events       *Events

	profile *keeper        // what it saves at its end; nil without
	record  *traces.Record // what is recorded of it; nil without

	address func(*http.Request) string // where guests attach; nil is nowhere
	dismiss func()                     // ends their connections; nil without

	endHistory func() // takes what is kept of its history

	actTimeout time.Duration // what its client named; 0 is none

	run   string    // that it was started for; empty is none
	hub   *live.Hub // shows it to its viewers
	doing atomic.Pointer[wire.Doing]

	ctx    context.Context // ends with the session; its cause says why
	cancel context.CancelCauseFunc
	closed chan struct{} // closed when the browser is closed

	mu      sync.Mutex // protects what follows
	ended   bool
	old     bool // its lifetime is over, and it ends with its work
	working int
	paused  int           // of those at work, agents that wait for the person
	moved   chan struct{} // closed and replaced when one of both changes
	person  *person       // who has taken the session, or waits for it; nil: it is not taken
	persons int           // that have had it
	viewing map[string]*live.Viewer
	queues  map[driver.PageID]int // requests on a page, that at work included
	crashed map[driver.PageID]bool
	idle    *time.Timer
	life    *time.Timer
}

// watch begins the session's clocks and notices when its browser goes away.
func (s *session) watch() {
	s.mu.Lock()
	s.idle = time.AfterFunc(s.limits.Idle, s.expire)
	s.life = time.AfterFunc(s.limits.Lifetime, func() {
		s.mu.Lock()
		s.old = true
		s.mu.Unlock()
		s.expire()
	})
	s.mu.Unlock()
	s.engine.Browser().Listen(s.hear) // the browser's end is the registration's
}

// hear receives the browser's events, on the driver's goroutine.
func (s *session) hear(e driver.Event) {
	switch e := e.(type) {
	case driver.BrowserGone:
		s.lose()
	case driver.PageCrashed:
		s.mu.Lock()
		s.crashed[e.Page] = true
		s.mu.Unlock()
		go s.loseWithLastPage()
	}
}

// loseWithLastPage ends the session if no page is left that has not crashed.
func (s *session) loseWithLastPage() {
	s.mu.Lock()
	crashed := len(s.crashed) > 0
	s.mu.Unlock()
	if !crashed {
		return
	}
	open := s.engine.Pages()
	s.mu.Lock()
	for _, p := range open {
		if !s.crashed[p.ID()] {
			s.mu.Unlock()
			return
		}
	}
	s.mu.Unlock()
	s.lose()
}

// lose ends a session whose browser is gone. It is known for as long as it
// could have been idle, or until its client has heard so.
func (s *session) lose() {
	if !s.finish(errGone, false) {
		return
	}
	go func() {
		s.close()
		time.AfterFunc(s.limits.Idle, func() { s.forget(s) })
	}()
}

// end closes the session, whatever it does, and returns when its browser is
// closed. It may be called again.
func (s *session) end(why error) {
	s.forget(s)
	if s.finish(why, false) {
		s.close()
	}
	<-s.closed
}

// expire ends the session if it has no work.
func (s *session) expire() {
	s.mu.Lock()
	why := errIdle
	if s.old {
		why = errOld
	}
	s.mu.Unlock()
	if s.finish(why, true) {
		s.forget(s)
		s.close()
	}
}

// finish marks the session as ended and stops its work; it reports whether it
// was open. With spare a session at work is left alone.
func (s *session) finish(why error, spare bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || spare && s.working > 0 {
		return false
	}
	s.ended = true
	s.idle.Stop()
	s.life.Stop()
	s.cancel(why)
	s.events.ended(why, s.own, s.begun)
	return true
}

// close closes the browser and gives back what the session took.
func (s *session) close() {
	if s.dismiss != nil {
		s.dismiss()
	}
	s.hub.Close()
	s.profile.read()
	s.endHistory()
	if err := s.engine.Close(); err != nil {
		s.log.Warn("a browser did not close as it should", "session", s.id, "err", err)
	}
	s.profile.save()
	if err := s.record.Save(s.engine); err != nil {
		s.log.Warn("the trace of a session was not kept", "session", s.id, "err", err)
	}
	s.free()
	close(s.closed)
}

// enter begins work on the page that a request means. It is refused where too
// much waits for the page.
func (s *session) enter(frame string) (_ *engine.Page, leave func(), _ error) {
	page, err := s.page(frame)
	if err != nil {
		return nil, nil, err
	}
	id := page.ID()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, nil, context.Cause(s.ctx)
	}
	if s.person != nil {
		return nil, nil, newTaken()
	}
	if s.queues[id] > max(s.limits.PageQueue, 0) {
		return nil, nil, newFault(wire.SessionBusy, "the page is at work, and %d requests wait for it", s.queues[id]-1)
	}
	s.queues[id]++
	s.working++
	s.idle.Stop()
	return page, func() { s.leave(id) }, nil
}

func (s *session) leave(page driver.PageID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues[page]--; s.queues[page] == 0 {
		delete(s.queues, page)
	}
	s.rest()
}

// rest says that a piece of work is over. s.mu is held.
func (s *session) rest() {
	s.working--
	s.move()
	switch {
	case s.working > 0 || s.ended:
	case s.old:
		go s.expire()
	default:
		s.idle.Reset(s.limits.Idle)
	}
}

// move wakes the waiters for the session's work to end or to pause. s.mu is held.
func (s *session) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// forGuests is the session as its guests need it.
func (s *session) forGuests() GuestSession {
	return GuestSession{
		ID: s.id, Browser: s.engine.Browser(), Touch: s.touch,
		Note: func(text string) {
			_, entry := s.engine.BeginCall(context.Background(), nil, "guest", "")
			entry.End(nil, func(e *engine.Entry) { e.Message = text })
		},
	}
}

// touch begins the session's idle time anew.
func (s *session) touch() {
	s.profile.touch()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended && !s.old && s.working == 0 && s.idle != nil {
		s.idle.Reset(s.limits.Idle)
	}
}

// over says why the session has ended; nil if it has not.
func (s *session) over() error { return context.Cause(s.ctx) }

// page returns the page that a request means: by the id of its main frame, or
// the active one.
func (s *session) page(frame string) (*engine.Page, error) {
	if err := s.over(); err != nil {
		return nil, err
	}
	if frame == "" {
		if p := s.engine.Page(); p != nil {
			return p, nil
		}
		return nil, newFault(wire.PageNotFound, "the session has no open page")
	}
	for _, p := range s.engine.Pages() {
		if string(p.ID()) == frame {
			return p, nil
		}
	}
	return nil, newFault(wire.PageNotFound, "the session has no page whose main frame is %q", frame)
}

// load reports whether the session is open: one whose browser is gone is kept
// until its client has heard so.
func (s *session) load() (open, working bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.ended, s.working > 0
}

// endAndTell ends a session for its client. The error says that its profile was
// not saved.
func (s *session) endAndTell() error {
	s.end(errEnded)
	if s.profile == nil || s.profile.lost == nil {
		return nil
	}
	f := newFault(wire.ProfileNotSaved, "the session is ended, and its profile %q was not saved: it is as it was saved before", s.profile.hold.Name())
	switch err := s.profile.lost; {
	case errors.Is(err, profiles.ErrTooLarge), errors.Is(err, profiles.ErrLost):
		f.message += "; " + err.Error()
	}
	f.cause = s.profile.lost
	return f
}

// summary is a session as lists have it.
func (s *session) summary(ctx context.Context, operator bool) wire.SessionSummary {
	one := wire.SessionSummary{ID: s.id, Run: s.run, Model: s.model, Created: s.begun.UTC().Format(time.RFC3339), Doing: s.doing.Load(), Traced: s.record != nil}
	if operator {
		one.Key = s.holder.name()
	}
	s.mu.Lock()
	one.Working, one.Taken = s.working > 0, s.person != nil && s.person.has
	s.mu.Unlock()
	if page := s.engine.Page(); page != nil {
		one.URL, one.Title = short(s.shownURL(page)), s.titleOf(ctx, page)
	}
	return one
}

// shownURL is a page's address without what is secret in it.
func (s *session) shownURL(page *engine.Page) string {
	shown, _ := weburl.WithoutPassword(page.URL())
	return s.engine.Hide(shown)
}

// titleOf is a page's title; empty where it does not say in time.
func (s *session) titleOf(ctx context.Context, page *engine.Page) string {
	ctx, cancel := context.WithTimeout(traces.Unseen(ctx), titleTime)
	defer cancel()
	var title string
	raw, err := page.Driver().Evaluate(ctx, "document.title", nil)
	switch {
	case errors.Is(err, errors.ErrUnsupported): // no script runs there
		if c, err := page.Driver().Capture(ctx); err == nil && len(c.Documents) > 0 {
			title = c.Documents[0].Title
		}
	case err != nil || json.Unmarshal(raw, &title) != nil:
		return ""
	}
	return s.engine.Hide(short(title))
}

// lastPage is the page that the session ends with.
func (s *session) lastPage() (url, title string) {
	page := s.engine.Page()
	if page == nil {
		return "", ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastTitleTime)
	defer cancel()
	return s.shownURL(page), s.titleOf(ctx, page)
}

// stepOn is a step, as a recorded session notes it, on a page and with variables. It
// is taken before the step, which may bring another page to the front.
func (s *session) stepOn(page *engine.Page, step wayfindertest.Step, vars map[string]wire.Variable) wayfindertest.Step {
	if page != s.engine.Page() {
		step.Tab = slices.Index(s.engine.Pages(), page) + 1
	}
	step.Variables = slices.Sorted(maps.Keys(vars))
	for name, v := range vars {
		if v.Description == "" {
			continue
		}
		if step.Described == nil {
			step.Described = map[string]string{}
		}
		step.Described[name] = v.Description
	}
	return step
}

// lastTitleTime is how long a page may take to say its title when the session ends.
const lastTitleTime = 300 * time.Millisecond

// claim keeps other work from beginning.
func (s *session) claim(viewer string) (*person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.viewing[viewer]
	switch {
	case s.ended:
		return nil, context.Cause(s.ctx)
	case v == nil:
		return nil, invalid([]any{"viewer"}, "is nobody who looks at the session now: it is named by the first event of a stream that is open")
	case s.person != nil && s.person.viewer == viewer:
		return s.person, nil
	case s.person != nil:
		return nil, newTaken()
	}
	p := &person{
		session: s, viewer: viewer, over: make(chan struct{}), done: map[string]int{}, buttons: map[driver.Button]bool{}, keys: map[string]bool{},
		lease: time.NewTimer(personWait + personLease),
	}
	s.person = p
	s.working++
	s.idle.Stop()
	go p.attend(v)
	return p, nil
}

// held returns the person who has the session, or who waits for it.
func (s *session) held(viewer string) (*person, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.person == nil || s.person.viewer != viewer {
		return nil, newFault(wire.SessionNotTaken, "the viewer does not have the session, or not any more: take it first")
	}
	return s.person, nil
}

// pause has an agent wait between two of its steps while a person has the
// session, until ctx or leave ends. waits is called once before it does.
func (s *session) pause(ctx context.Context, leave <-chan struct{}, waits func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for told := false; s.person != nil; {
		p := s.person
		s.paused++
		s.move()
		s.mu.Unlock()
		if !told {
			told = true
			waits()
		}
		ended := false
		select {
		case <-p.over:
		case <-ctx.Done():
			ended = true
		case <-leave:
			ended = true
		}
		s.mu.Lock()
		s.paused--
		if ended {
			return
		}
	}
}

// await waits while a person has the session, until ctx or leave ends, for work
// that has not begun.
func (s *session) await(ctx context.Context, leave <-chan struct{}) {
	s.mu.Lock()
	p := s.person
	s.mu.Unlock()
	if p == nil {
		return
	}
	select {
	case <-p.over:
	case <-ctx.Done():
	case <-leave:
	}
}

// personsSoFar is how many persons have had the session.
func (s *session) personsSoFar() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.persons
}

// join adds a viewer to the session.
func (s *session) join(parts []string) (name string, _ *live.Viewer, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return "", nil, context.Cause(s.ctx)
	}
	if len(s.viewing) >= mostViewers {
		return "", nil, newFault(wire.SessionBusy, "%d look at the session already", len(s.viewing))
	}
	name = uuid.New()
	v := s.hub.Join(parts...)
	s.viewing[name] = v
	return name, v, nil
}

// leaveView removes a viewer.
func (s *session) leaveView(name string) {
	s.mu.Lock()
	v := s.viewing[name]
	delete(s.viewing, name)
	s.mu.Unlock()
	v.Leave()
}

// step notes what the session does now.
func (s *session) step(operation, text string, over bool) {
	if over {
		last := s.doing.Load()
		if last == nil {
			return
		}
		ended := *last
		ended.Over = true
		s.doing.Store(&ended)
	} else {
		s.doing.Store(&wire.Doing{Operation: operation, Text: short(text), Since: time.Now().UTC().Format(time.RFC3339)})
	}
	if s.hub.Looking() {
		s.hub.Poke()
	}
}

// noted sends the viewers a call that has ended.
func (s *session) noted(e *engine.Entry) {
	if s == nil || !s.hub.Looking() {
		return
	}
	if raw := pastEvent(e); raw != nil {
		s.hub.Send(raw)
	}
	s.hub.Poke()
}
