package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A registry holds the sessions that are open, and keeps their number.
type registry struct {
	limits  Limits
	places  chan struct{} // one token for each session that is open or opening; nil: no limit
	waiting atomic.Int64  // starts that wait for a place

	mu       sync.Mutex // protects what follows
	sessions map[string]*session
	closed   error // why no session is taken any more

	removed func(id string) // if not nil, is called with the ID of a session that was removed
}

func (g *registry) init(limits Limits) {
	g.limits = limits
	g.sessions = map[string]*session{}
	if limits.Sessions > 0 {
		g.places = make(chan struct{}, limits.Sessions)
	}
}

// reserve takes a place for a session, and waits a while for one. What it took
// goes back by giveBack.
func (g *registry) reserve(ctx context.Context) error {
	if g.places == nil {
		return nil
	}
	select {
	case g.places <- struct{}{}:
		return nil
	default:
	}
	full := newFault(wire.TooManySessions, "all %d sessions are in use", g.limits.Sessions).later(retrySessions, nil)
	if g.waiting.Add(1) > int64(g.limits.StartQueue) {
		g.waiting.Add(-1)
		return full
	}
	defer g.waiting.Add(-1)
	select {
	case g.places <- struct{}{}:
		return nil
	case <-time.After(g.limits.StartWait):
		return full
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *registry) giveBack() {
	if g.places != nil {
		<-g.places
	}
}

// add makes a session known.
func (g *registry) add(s *session) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed != nil {
		return g.closed
	}
	g.sessions[s.id] = s
	return nil
}

func (g *registry) remove(s *session) {
	g.mu.Lock()
	known := g.sessions[s.id] == s && g.closed == nil
	delete(g.sessions, s.id)
	g.mu.Unlock()
	if known && g.removed != nil {
		g.removed(s.id)
	}
}

// has reports whether a session is known.
func (g *registry) has(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.sessions[id] != nil
}

// find returns a holder's session; with watch, an operator is given any.
func (g *registry) find(id string, h *holder, watch bool) (*session, error) {
	g.mu.Lock()
	s := g.sessions[id]
	g.mu.Unlock()
	if s == nil {
		return nil, newFault(wire.SessionNotFound, "there is no such session; it may have ended")
	}
	if s.holder != h && !(watch && h.operator()) {
		return nil, newFault(wire.Forbidden, "the session belongs to another key")
	}
	return s, nil
}

// all returns the sessions that are open.
func (g *registry) all() []*session {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.sessions))
}

// closeAll ends every session, and takes none any more.
func (g *registry) closeAll(why error) {
	g.mu.Lock()
	g.closed = why
	g.mu.Unlock()
	g.endAll(why)
}

// endAll ends every open session. It does not call removed for them.
func (g *registry) endAll(why error) {
	g.mu.Lock()
	open := slices.Collect(maps.Values(g.sessions))
	clear(g.sessions)
	g.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range open {
		all.Go(func() { s.end(why) })
	}
	all.Wait()
}
