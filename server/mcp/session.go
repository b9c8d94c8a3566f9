package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const (
	mostReadings  = 8  // readings of a session that refs and since may name
	mostResources = 32 // resources of a session
)

// sessions are those of all callers.
type sessions struct {
	browser func(context.Context) (*engine.Session, error)
	most    int // of one caller
	idle    time.Duration
	log     *slog.Logger

	connected func(client) bool // nil: all are

	mu     sync.Mutex
	byID   map[string]*session
	closed bool
}

// A session is a browser that a caller has begun.
type session struct {
	id     string
	owner  string // whose handle reaches it
	client client // that begins a call without a handle in it

	opening chan struct{} // holds a token unless the browser is being opened
	idle    *time.Timer

	mu        sync.Mutex
	engine    *engine.Session // nil until it is first used
	working   int             // calls under way
	used      time.Time       // when the newest of them began
	ended     bool
	readings  []reading
	resources []resource
	numbers   int // of readings and resources
}

// A reading is a snapshot that a client has seen.
type reading struct {
	id       string
	page     *engine.Page
	snapshot *engine.Snapshot
}

// A resource is something that was too large for an answer.
type resource struct {
	name, kind string
	data       []byte
}

func newSessions(browser func(context.Context) (*engine.Session, error), most int, idle time.Duration, log *slog.Logger) *sessions {
	return &sessions{browser: browser, most: most, idle: idle, log: log, byID: map[string]*session{}}
}

var errNoSession = errors.New("there is no such session: it was ended, or was not used for too long; start gives another")

// start makes a session. Its browser is opened later. At the limit, the session
// makes room that was not used for the longest time of those whose client has left
// without a word.
func (l *sessions) start(owner string, by client) (*session, error) {
	for {
		s, abandoned, err := l.tryStart(owner, by)
		if abandoned == nil {
			return s, err
		}
		if err := l.endIf(abandoned, true); err != nil {
			l.log.Warn("mcp: a session whose client has left did not close", "session", abandoned.id, "err", err)
		}
	}
}

func (l *sessions) tryStart(owner string, by client) (s, abandoned *session, _ error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errors.New("the server is being shut down")
	}
	have := l.of(owner)
	if len(have) >= l.most {
		if abandoned = l.abandoned(have, by); abandoned == nil {
			return nil, nil, fmt.Errorf("%d sessions are open, which is the limit: end one of them first", len(have))
		}
		return nil, abandoned, nil
	}
	s = &session{id: "s-" + strings.ToLower(rand.Text()), owner: owner, client: by, used: time.Now(), opening: make(chan struct{}, 1)}
	s.opening <- struct{}{}
	s.mu.Lock() // the timer's function reads it
	s.idle = time.AfterFunc(l.idle, func() { l.endIdle(s) })
	s.mu.Unlock()
	l.byID[s.id] = s
	return s, nil, nil
}

// abandoned is the session not used for the longest time of those whose client
// has no connection to this server; nil if there is none.
func (l *sessions) abandoned(of []*session, by client) (oldest *session) {
	var since time.Time
	for _, s := range of {
		if s.client == by || l.connected == nil || l.connected(s.client) {
			continue
		}
		s.mu.Lock()
		working, used := s.working > 0 || s.ended, s.used
		s.mu.Unlock()
		if !working && (oldest == nil || used.Before(since)) {
			oldest, since = s, used
		}
	}
	return oldest
}

// of returns the sessions of a caller. l.mu is held.
func (l *sessions) of(owner string) []*session {
	var own []*session
	for _, s := range l.byID {
		if s.owner == owner {
			own = append(own, s)
		}
	}
	return own
}

// find returns a caller's session by its handle, or the only one of the client.
// begin has one started where there is none.
func (l *sessions) find(owner string, by client, id string, begin bool) (*session, error) {
	l.mu.Lock()
	if id != "" {
		defer l.mu.Unlock()
		s, ok := l.byID[id]
		if !ok || s.owner != owner {
			return nil, errNoSession
		}
		return s, nil
	}
	own := slices.DeleteFunc(l.of(owner), func(s *session) bool { return by == nobody || s.client != by })
	l.mu.Unlock()
	switch {
	case len(own) == 1:
		return own[0], nil
	case len(own) > 1:
		return nil, fmt.Errorf("%d sessions are open: say which one, by session", len(own))
	case begin:
		return l.start(owner, by)
	case by == nobody:
		return nil, errors.New("this client cannot be told apart from others: say which session, as navigate or start gave it")
	}
	return nil, errors.New("no session is open: navigate begins one")
}

// leave ends the sessions that a client has begun.
func (l *sessions) leave(owner string, by client) {
	l.mu.Lock()
	left := slices.DeleteFunc(l.of(owner), func(s *session) bool { return s.client != by })
	l.mu.Unlock()
	for _, s := range left {
		if err := l.end(s); err != nil {
			l.log.Warn("mcp: a session whose client has left did not close", "session", s.id, "err", err)
		}
	}
}

// use opens the session's browser if need be, and keeps the session from being
// ended as idle until done is called.
func (l *sessions) use(ctx context.Context, s *session) (page *engine.Page, done func(), _ error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return nil, nil, errNoSession
	}
	s.working++
	s.used = time.Now()
	s.idle.Stop()
	s.mu.Unlock()
	done = func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.working--; s.working == 0 && !s.ended {
			s.idle.Reset(l.idle)
		}
	}
	if err := l.open(ctx, s); err != nil {
		done()
		return nil, nil, err
	}
	return s.engine.Page(), done, nil
}

// open opens the browser, once.
func (l *sessions) open(ctx context.Context, s *session) error {
	select {
	case <-s.opening:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.opening <- struct{}{} }()
	s.mu.Lock()
	have := s.engine != nil
	s.mu.Unlock()
	if have {
		return nil
	}
	opened, err := l.browser(ctx)
	if err != nil {
		return fmt.Errorf("the browser could not be opened: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errors.Join(errNoSession, opened.Close())
	}
	s.engine = opened
	return nil
}

// endIdle ends a session that is not used.
func (l *sessions) endIdle(s *session) {
	if err := l.endIf(s, true); err != nil {
		l.log.Warn("mcp: an idle session did not close", "session", s.id, "err", err)
	}
}

// end closes a session. Calls that are under way in it fail.
func (l *sessions) end(s *session) error { return l.endIf(s, false) }

// endIf closes a session. With spare one at work is left alone.
func (l *sessions) endIf(s *session, spare bool) error {
	s.mu.Lock()
	if s.ended || spare && s.working > 0 {
		s.mu.Unlock()
		return nil
	}
	s.ended = true
	opened := s.engine
	s.idle.Stop()
	s.mu.Unlock()
	l.mu.Lock()
	delete(l.byID, s.id)
	l.mu.Unlock()
	if opened == nil {
		return nil
	}
	return opened.Close()
}

func (l *sessions) close() error {
	l.mu.Lock()
	l.closed = true
	all := slices.Collect(maps.Values(l.byID))
	l.mu.Unlock()
	var errs []error
	for _, s := range all {
		errs = append(errs, l.end(s))
	}
	return errors.Join(errs...)
}

// remember keeps a reading and returns its name.
func (s *session) remember(page *engine.Page, snap *engine.Snapshot) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers++
	id := fmt.Sprintf("r%d", s.numbers)
	if len(s.readings) == mostReadings {
		s.readings = slices.Delete(s.readings, 0, 1)
	}
	s.readings = append(s.readings, reading{id, page, snap})
	return id
}

// reading returns one by its name; the empty name is the newest of the page.
func (s *session) reading(page *engine.Page, id string) (*engine.Snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.readings) - 1; i >= 0; i-- {
		if r := s.readings[i]; r.page == page && (id == "" || r.id == id) {
			return r.snapshot, nil
		}
	}
	if id == "" {
		return nil, errors.New("a ref belongs to a reading, and this page has none yet: call snapshot or find first")
	}
	return nil, fmt.Errorf("reading %q is not known any more: call snapshot again", id)
}

// A place names an element, or a point.
type place struct {
	Ref      string   `json:"ref,omitempty" jsonschema:"a ref from snapshot or find"`
	Reading  string   `json:"reading,omitempty" jsonschema:"the reading that ref belongs to; empty is the newest"`
	Selector string   `json:"selector,omitempty" jsonschema:"CSS selector, XPath, or a locator such as role=button[name=\"Print\"]"`
	X        *float64 `json:"x,omitempty" jsonschema:"CSS pixels from the left of the viewport"`
	Y        *float64 `json:"y,omitempty"`
}

// target is an element that a client names: by ref, by selector, or a point.
func (s *session) target(page *engine.Page, at place) (engine.Target, error) {
	named := 0
	for _, given := range []bool{at.Ref != "", at.Selector != "", at.X != nil || at.Y != nil} {
		if given {
			named++
		}
	}
	switch {
	case named != 1 || (at.X == nil) != (at.Y == nil):
		return engine.Target{}, errors.New("name the element in one way: by ref, by selector, or by x and y in CSS pixels of the viewport")
	case at.Ref != "":
		snap, err := s.reading(page, at.Reading)
		if err != nil {
			return engine.Target{}, err
		}
		return engine.Target{Snapshot: snap, Ref: accessibility.Ref(at.Ref)}, nil
	case at.Selector != "":
		return engine.Target{Selector: at.Selector}, nil
	}
	return engine.Target{At: &engine.Offset{X: *at.X, Y: *at.Y}}, nil
}

// scheme begins the addresses of resources.
const scheme = "wayfinder://"

// put keeps a resource and returns a link to it.
func (s *session) put(name, kind string, data []byte) *sdk.ResourceLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers++
	name = fmt.Sprintf("%d-%s", s.numbers, name)
	if len(s.resources) == mostResources {
		s.resources = slices.Delete(s.resources, 0, 1)
	}
	s.resources = append(s.resources, resource{name, kind, data})
	size := int64(len(data))
	return &sdk.ResourceLink{URI: scheme + s.id + "/" + name, Name: name, MIMEType: kind, Size: &size}
}

// resource returns one by its name.
func (s *session) resource(name string) (resource, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.IndexFunc(s.resources, func(r resource) bool { return r.name == name }); i >= 0 {
		return s.resources[i], true
	}
	return resource{}, false
}
