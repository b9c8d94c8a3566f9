package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Elsewhere is the rest of a fleet as one of its servers sees it: which node has
// a session, and how a request gets there. See package server/nodes. Its methods
// may be called at once.
type Elsewhere interface {
	// Place chooses a node that has the labels for a new session, and makes the
	// session known to all. A nil Forward is this server. Errors wrap ErrNoRoom
	// where no node can take one.
	Place(ctx context.Context, session string, labels map[string]string) (Forward, error)

	// Drop makes a session forgotten that this server has placed, or had.
	Drop(session string)

	// Find returns the way to a session that this server does not have. Errors
	// wrap ErrNoSession, or ErrNodeGone.
	Find(ctx context.Context, session string) (Forward, error)

	// Held returns an error that wraps ErrNodeGone where this server's own
	// sessions count as gone.
	Held() error
}

// A Forward answers a request by another node's answer. The key was checked, and
// [Caller] of the request's context says whose it is. An error means that nothing
// was answered; one that wraps ErrUnsent, or for a start ErrNoRoom, that nothing
// was done.
type Forward func(http.ResponseWriter, *http.Request) error

// The errors of Elsewhere and Forward.
var (
	ErrNoRoom    = errors.New("server: no node has room for the session")
	ErrNoSession = errors.New("server: no node has the session")
	ErrNodeGone  = errors.New("server: the session's node is gone")
	// ErrUnsent: the request has not reached its node.
	ErrUnsent = errors.New("server: the session's node cannot be reached")
)

// forwardedKey is the key of the session's id in the context of a request that
// another node has let in.
type forwardedKey struct{}

// Forwarded returns a context for a request that another node of the fleet has
// let in for a caller. session is the id that a session has which it starts.
func Forwarded(ctx context.Context, caller, session string) context.Context {
	return context.WithValue(As(ctx, caller), forwardedKey{}, session)
}

// forwarded reports whether another node has let a request in.
func forwarded(ctx context.Context) (session string, ok bool) {
	session, ok = ctx.Value(forwardedKey{}).(string)
	return session, ok
}

// errNodeGone is why sessions end whose node is not of the fleet any more.
var errNodeGone = newFault(wire.SessionGone, "the session is gone with the node that had it; start another")

// EndSessions ends all sessions, as those of a node that is taken for dead; new
// ones can be started. It returns when their browsers are closed.
func (s *Server) EndSessions() { s.sessions.endAll(errNodeGone) }

// mostPlaced is how many nodes are tried for one session.
const mostPlaced = 4

// startPlaced starts a session at the node that is chosen for it: here, where
// begin does so, or at another one, which answers the client.
func (s *Server) startPlaced(c *call, labels map[string]string, begin func(id string) error) error {
	id, placed := forwarded(c.r.Context())
	if s.opts.Elsewhere == nil || lasting(c.r.Context()).Store != nil {
		return begin(uuid.New()) // a run's session is where the run is done
	}
	if placed {
		return begin(id)
	}
	var last error
	for range mostPlaced {
		id = uuid.New()
		forward, err := s.opts.Elsewhere.Place(c.r.Context(), id, labels)
		switch {
		case err != nil:
			return unreachable(c, err)
		case forward != nil:
			if err = s.forward(c, forward); err == nil {
				return nil
			}
		default:
			if err = begin(id); err == nil {
				return nil
			}
		}
		s.opts.Elsewhere.Drop(id)
		last = err
		// Another node may have room, or not be about to end.
		f := faultOf(c.r.Context(), err)
		if forward == nil && f.code != wire.TooManySessions && f.code != wire.Draining {
			return err
		}
		if forward != nil && !errors.Is(err, ErrUnsent) && !errors.Is(err, ErrNoRoom) {
			break
		}
	}
	return unreachable(c, last)
}

// elsewhere answers a request for a session that this server does not have.
func (s *Server) elsewhere(c *call, id string) error {
	find, err := s.opts.Elsewhere.Find(c.r.Context(), id)
	if err == nil {
		c.elsewhere = true
		if err = s.forward(c, find); err == nil {
			return nil
		}
	}
	return unreachable(c, err)
}

// forward passes a request on.
func (s *Server) forward(c *call, to Forward) error {
	r := c.r.WithContext(As(c.r.Context(), c.holder.caller()))
	if c.raw != nil { // it was read
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(c.raw)), int64(len(c.raw))
	}
	kept := c.w.Header().Get(wire.HeaderSent)
	c.w.Header().Del(wire.HeaderSent) // the node knows
	err := to(c, r)
	if err != nil && kept != "" {
		c.w.Header().Set(wire.HeaderSent, kept)
		if !errors.Is(err, ErrUnsent) {
			c.tellSent(wire.SentPossible)
		}
	}
	return err
}

// unreachable is the answer to a client where no node answers.
func unreachable(c *call, err error) error {
	var f *fault
	switch {
	case errors.As(err, &f), context.Cause(c.r.Context()) != nil:
		return err
	case errors.Is(err, ErrNoRoom):
		full := newFault(wire.TooManySessions, "no node has room for the session")
		full.retry, full.cause = time.Second, err
		return full
	case errors.Is(err, ErrNodeGone):
		return c.warn(&fault{code: wire.SessionGone, message: errNodeGone.message, cause: err})
	case errors.Is(err, ErrNoSession):
		return newFault(wire.SessionNotFound, "there is no such session; it may have ended")
	}
	return c.warn(&fault{code: wire.NodeUnavailable, message: "the node that has the session does not answer; ask again", retry: time.Second, cause: err})
}
