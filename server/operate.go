package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
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

	success bool   // of an agent's task or a script
	claimed bool   // of an agent's task: called done, and neither proven nor contradicted
	message string // likewise
}

// A work is one thing that a client, or a run, asks for: the caller, the session, and
// the outcome so far. It knows nothing of HTTP, and belongs to one goroutine.
type work struct {
	core     *core
	begin    time.Time
	kind     string // act, observe, …: the operation's last word
	holder   *holder
	session  *session
	run      *Run   // that the work is part of; nil is none
	modelKey string // a client's own, for the models that it names
	language string // the client's

	action string    // the id of what was done, for the log
	sent   wire.Sent // of an act's input; empty for what sends none
}

// onPage calls do with the page of a job and the context of its work, in which the
// session counts as at work.
func (w *work) onPage(ctx context.Context, j job, do func(context.Context, context.CancelCauseFunc, *engine.Page) error) error {
	done, err := w.core.beginWork()
	if err != nil {
		return err
	}
	defer done()
	page, leave, err := w.enter(ctx, j.frame)
	if err != nil {
		w.forgetGone(err)
		return err
	}
	defer leave()
	ctx, cancel := w.limited(ctx, j)
	defer cancel(nil)
	return do(ctx, cancel, page)
}

// enter begins work on a page. A run waits while a person has its session.
func (w *work) enter(ctx context.Context, frame string) (*engine.Page, func(), error) {
	for {
		page, leave, err := w.session.enter(frame)
		var f *fault
		if w.run == nil || !errors.As(err, &f) || f.code != wire.SessionTaken {
			return page, leave, err
		}
		w.session.await(ctx, w.run.Leave)
		if w.run.left() {
			return nil, nil, newFaultDraining()
		}
		if err := context.Cause(ctx); err != nil {
			return nil, nil, err
		}
	}
}

// limited ends with the request, the session, or the time that is given.
func (w *work) limited(ctx context.Context, j job) (context.Context, context.CancelCauseFunc) {
	s := w.core
	limit := s.limits.Operation
	switch step := s.limits.Step; {
	case j.limit > 0:
		limit = j.limit
	case j.timeout > 0:
		limit = min(limit, j.timeout.Duration())
	case step > 0:
		limit = min(limit, max(step, w.session.actTimeout))
	}
	ctx, cancel := context.WithCancelCause(w.holder.spend(ctx))
	ctx, stop := context.WithTimeoutCause(ctx, limit, errTimeout)
	release := context.AfterFunc(w.session.ctx, func() { cancel(context.Cause(w.session.ctx)) })
	return ctx, func(cause error) {
		release()
		cancel(cause)
		stop()
	}
}

// do does a job and reports its progress to tell, which may be nil. Its error is
// the one to answer with.
func (w *work) do(ctx context.Context, page *engine.Page, j job, tell func(body.LogLine)) (out outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			if w.sent != "" {
				w.sent = wire.SentPossible
			}
			err = w.warn(panicked(p))
		}
	}()
	note := func(text string) { w.session.step(w.kind, text, false) }
	defer func() { w.session.step(w.kind, "", true) }()
	p := &progress{agent: j.agent, tell: tell, step: note, verbose: w.session.verbose, category: w.kind, events: w.core.opts.Hooks.Events, begin: time.Now()}
	p.say(1, "%s", j.said)
	out, err = j.do(context.WithValue(ctx, progressKey{}, p), page)
	w.action = p.action()
	if err == nil {
		return out, nil
	}
	// The session's end is known before its work has noticed.
	w.session.loseWithLastPage()
	if cause := context.Cause(w.session.ctx); cause != nil {
		err = cause
	}
	f := faultOf(ctx, err)
	w.forgetGone(f)
	return outcome{}, w.warn(f)
}

// panicked is a panic as clients see it: the log has the stack.
func panicked(p any) *fault {
	return &fault{code: wire.Internal, message: errInternal.message, cause: fmt.Errorf("panic: %v\n%s", p, debug.Stack())}
}

// warn has a failure say in words that input was sent before it.
func (w *work) warn(f *fault) *fault {
	words := engine.ErrMayHaveHappened.Error()
	said := errors.Is(f, engine.ErrMayHaveHappened) && strings.Contains(f.message, words)
	if w.sent == "" || w.sent == wire.SentNone || said {
		return f
	}
	warned := *f
	warned.message += "; input may have been sent before, and " + words
	return &warned
}

// forgetGone forgets the session where an error says that its browser is gone: the
// client knows it now.
func (w *work) forgetGone(err error) {
	if f := faultOf(w.session.ctx, err); f.code == wire.BrowserUnavailable {
		select {
		case <-w.session.ctx.Done():
			w.core.sessions.remove(w.session)
		default: // a page crashed, and others are left
		}
	}
}

// forRuns is the caller as [Runs] know it.
func (w *work) forRuns() RunClient { return RunClient{w.holder.caller(), w.holder.operator()} }

// unreachable is the answer to a client where no node answers.
func (w *work) unreachable(ctx context.Context, err error) error {
	var f *fault
	switch {
	case errors.As(err, &f), context.Cause(ctx) != nil:
		return err
	case errors.Is(err, nodes.ErrNoRoom):
		return newFault(wire.TooManySessions, "no node has room for the session").later(time.Second, err)
	case errors.Is(err, nodes.ErrNodeGone):
		return w.warn(&fault{code: wire.SessionGone, message: errNodeGone.message, cause: err})
	case errors.Is(err, nodes.ErrNoSession):
		return newFault(wire.SessionNotFound, "there is no such session; it may have ended")
	}
	return w.warn(&fault{code: wire.NodeUnavailable, message: "the node that has the session does not answer; ask again", retry: time.Second, cause: err})
}

// model returns the model that a request uses: its own, or its session's. The
// key is looked for in the configuration, then in the header, then it is the
// operator's.
func (w *work) model(own wire.Model) (llm.Model, error) {
	return w.modelAt(own, "options", "model")
}

// modelAt is model for a model named elsewhere in the request.
func (w *work) modelAt(own wire.Model, place ...any) (llm.Model, error) {
	s := w.core
	raw := own
	if raw == nil && w.session.model == "" {
		if s.opts.Models.Default == nil {
			return nil, invalid(place, "is required: the session has no model, as that of a script that does without")
		}
		return middleware.Wrap(w.session.record.Model(s.opts.Models.Default), middleware.Meter()), nil // a session without a name has it
	}
	if raw == nil {
		raw = modelName(w.session.model)
	}
	chosen, err := s.opts.Models.config(raw)
	if err != nil {
		return nil, invalidDocument(err, place...)
	}
	if m := s.opts.Models.Named[chosen.ModelName]; m != nil && mayHaveOwnKey(chosen) {
		return middleware.Wrap(w.session.record.Model(m), middleware.Meter()), nil
	}
	if s.opts.Models.Make == nil {
		return nil, invalid(place, "%s: this server has no such model", chosen.ModelName)
	}
	if chosen.APIKey.IsZero() && chosen.Auth == nil {
		chosen.APIKey = llm.NewSecret(w.modelKey)
	}
	m, err := s.opts.Models.Make(ModelRequest{Config: *chosen, OwnKey: mayHaveOwnKey(chosen)})
	var provider *llm.Error
	switch {
	case errors.As(err, &provider):
		return nil, err
	case err != nil:
		return nil, invalid(place, "%v", chosen.APIKey.Scrub(err.Error()))
	}
	return middleware.Wrap(w.session.record.Model(m), middleware.Meter()), nil
}

// navigation is the job of going to an address.
func (w *work) navigation(req *wire.NavigateRequest) (job, error) {
	if err := weburl.Check(req.URL); err != nil {
		return job{}, invalid([]any{"url"}, "%v: %v", engine.ErrInvalid, err)
	}
	o := cmp.Or(req.Options, &wire.NavigateOptions{})
	said, hide := weburl.WithoutPassword(req.URL)
	opts := &engine.NavigateOptions{Referer: o.Referer, WaitUntil: driver.WaitUntil(o.WaitUntil), Timeout: o.Timeout.Duration()}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "navigating: " + said,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			step := w.session.stepOn(page, wayfindertest.Step{Method: "navigate", Instruction: said, WaitUntil: opts.WaitUntil, Referer: opts.Referer}, nil)
			resp, err := page.Navigate(ctx, req.URL, opts)
			w.session.record.Step(step)
			if err != nil {
				return outcome{}, hidden(ctx, err, hide)
			}
			result, id := navigateResult(resp), progressOf(ctx).action()
			raw, err := json.Marshal(result)
			return outcome{data: wire.NavigateData{Result: result, ActionID: id}, result: raw}, err
		},
	}, nil
}

// hidden is a failed navigation as clients and the log see it, without what hide removes.
func hidden(ctx context.Context, err error, hide func(string) string) error {
	f := *faultOf(ctx, err)
	f.message, f.cause = hide(f.message), errors.New(hide(err.Error()))
	return &f
}

// navigateResult is nil where nothing was fetched.
func navigateResult(r *driver.Response) *wire.NavigateResult {
	if r == nil {
		return nil
	}
	headers := r.Headers
	if headers == nil {
		headers = map[string]string{}
	}
	return &wire.NavigateResult{URL: r.URL, Status: r.Status, OK: r.OK(), Headers: headers}
}

// open opens the session that the work is in.
func (w *work) open(ctx context.Context, req *wire.SessionStart, id string) (err error) {
	if w.session, err = (&opening{w, req, id}).newBrowser(ctx); err != nil {
		w.core.opts.Hooks.Events.started(w.begin, faultOf(ctx, err).code)
		return err
	}
	w.core.opts.Hooks.Events.started(w.begin, "")
	return nil
}
