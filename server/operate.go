package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A job is what a request wants done on a page.
type job struct {
	frame   string // the page; empty is the active one
	stream  *bool  // what the body says of streaming
	timeout wire.Milliseconds
	said    string // what is done, for the reader of a stream
	trailer string // the header that says what came of it

	limit time.Duration // for the whole work; 0 is that of operations
	agent bool          // its steps are logged; what they consist of only at verbose 2

	// do does it. It returns when ctx has ended.
	do func(ctx context.Context, page *engine.Page) (outcome, error)
}

// An outcome is what came of a job.
type outcome struct {
	data   any              // for the body
	result json.RawMessage  // the part of it that a stream's last frame carries
	cache  *wire.CacheEntry // beside the result
	note   string           // for the job's trailer, which is a header where nothing is streamed
}

// operate does a job and answers, in one body or as a stream.
func (s *Server) operate(c *call, j job) error {
	streamed, err := wantsStream(c.r, j.stream)
	if err != nil {
		return err
	}
	done, err := s.beginWork()
	if err != nil {
		return err
	}
	defer done()
	page, leave, err := s.enter(c, j.frame)
	if err != nil {
		s.told(c, err)
		return err
	}
	defer leave()
	ctx, cancel := s.workContext(c, j)
	defer cancel(nil)
	if streamed {
		return s.stream(ctx, cancel, c, page, j)
	}
	out, err := s.do(ctx, c, page, j, nil)
	if err != nil {
		return err
	}
	if out.note != "" {
		c.Header().Set(j.trailer, out.note)
	}
	return c.writeJSON(http.StatusOK, wire.Success[any]{Success: true, Data: out.data})
}

// enter begins work on a page. A run waits for the person who has its session.
func (s *Server) enter(c *call, frame string) (*engine.Page, func(), error) {
	for {
		page, leave, err := c.session.enter(frame)
		over := lasting(c.r.Context())
		var f *fault
		if over.Store == nil || !errors.As(err, &f) || f.code != wire.SessionTaken {
			return page, leave, err
		}
		c.session.await(c.r.Context(), over.Leave)
		if over.left() {
			return nil, nil, newFaultDraining()
		}
		if err := context.Cause(c.r.Context()); err != nil {
			return nil, nil, err
		}
	}
}

// workContext ends with the request, the session, or the time that is given.
func (s *Server) workContext(c *call, j job) (context.Context, context.CancelCauseFunc) {
	limit := s.limits.Operation
	switch step := s.limits.Step; {
	case j.limit > 0:
		limit = j.limit
	case j.timeout > 0:
		limit = min(limit, j.timeout.Duration())
	case step > 0:
		limit = min(limit, max(step, c.session.actTimeout))
	}
	ctx, cancel := context.WithCancelCause(c.holder.spend(c.r.Context()))
	ctx, stop := context.WithTimeoutCause(ctx, limit, errTimeout)
	release := context.AfterFunc(c.session.ctx, func() { cancel(context.Cause(c.session.ctx)) })
	return ctx, func(cause error) {
		release()
		cancel(cause)
		stop()
	}
}

// do does a job and reports its progress to tell, which may be nil. Its error is
// the one to answer with.
func (s *Server) do(ctx context.Context, c *call, page *engine.Page, j job, tell func(wire.LogLine)) (out outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			if c.sent != "" {
				c.tellSent(wire.SentPossible)
			}
			err = c.warn(&fault{code: wire.Internal, message: errInternal.message, cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())})
		}
	}()
	category := path.Base(c.op.path)
	note := func(text string) { c.session.step(category, text, false) }
	defer func() { c.session.step(category, "", true) }()
	p := &progress{agent: j.agent, tell: tell, step: note, verbose: c.session.verbose, category: category, events: s.opts.Events, begin: time.Now()}
	p.say(1, "%s", j.said)
	out, err = j.do(context.WithValue(ctx, progressKey{}, p), page)
	c.action = p.action()
	if err == nil {
		return out, nil
	}
	// The session's end is known before its work has noticed.
	c.session.loseWithLastPage()
	if cause := context.Cause(c.session.ctx); cause != nil {
		err = cause
	}
	f := faultOf(ctx, err)
	s.told(c, f)
	return outcome{}, c.warn(f)
}

// warn has a failure say in words that input was sent before it.
func (c *call) warn(f *fault) *fault {
	const advice = "look before you repeat"
	if c.sent == "" || c.sent == wire.SentNone || strings.Contains(f.message, advice) {
		return f
	}
	warned := *f
	warned.message += "; input may have been sent before, and whether it took is not known: " + advice
	return &warned
}

// told forgets a session once its client knows that the browser is gone.
func (s *Server) told(c *call, err error) {
	if f := faultOf(c.session.ctx, err); f.code == wire.BrowserUnavailable {
		select {
		case <-c.session.ctx.Done():
			s.sessions.remove(c.session)
		default: // a page crashed, and others are left
		}
	}
}
