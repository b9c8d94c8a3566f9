package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// attempt is the frame that Act and Do share: the page's turn, the time limit,
// the record, and the result that says in any case what came of it.
func (p *Page) attempt(ctx context.Context, op, words string, opts *ActOptions, work func(context.Context, *ActResult) error) (*ActResult, error) {
	limit := p.session.opts.limitOfAct(opts.Timeout)
	start := time.Now()
	bounded, end, err := p.begin(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer end()
	bounded, entry := p.session.enter(bounded, op, p)
	result := &ActResult{ID: entry.ID, Description: words, Actions: []Action{}, Evidence: Evidence{Effect: EffectNone}, Sent: SentNone}
	err = work(bounded, result)
	if err != nil && result.Message != "" && !errors.Is(err, ErrUnexpected) {
		err = fmt.Errorf("%w (done before that: %s)", err, result.Message)
	}
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		how := "done"
		if result.Sent != SentNone {
			how = "finished"
		}
		err = fmt.Errorf("not %s within %v: %w", how, time.Duration(limit), err)
	}
	if err != nil {
		err = p.session.explain(op, err)
		result.Message = err.Error()
	}
	for i := range result.Actions {
		p.session.given.note(p.session.hideAction(result.Actions[i]))
	}
	result.Success = err == nil
	result.Duration = time.Since(start)
	p.session.redact(result)
	p.session.concludeCache(bounded, result.Cache)
	if err != nil {
		err = p.session.hideError(err)
	}
	p.session.conclude(bounded, entry, result, p.session.modelName(opts.Model, result.Usage), err)
	return result, err
}

// conclude enters a result into metrics, log, hooks and history.
func (s *Session) conclude(ctx context.Context, entry *Entry, result *ActResult, model string, err error) {
	s.metrics.acted(result, err)
	s.log.Debug("acted", "action", result.ID, "method", entry.Method, "success", result.Success,
		"sent", result.Sent, "effect", result.Evidence.Effect, "message", result.Message, "duration", result.Duration)
	s.traceAct(ctx, result)
	s.leave(ctx, entry, err, func(e *Entry) {
		e.Instruction = result.Description
		e.Actions = result.Actions
		e.Message = result.Message
		e.Evidence = result.Evidence
		e.Sent = result.Sent
		e.Usage, e.Model = result.Usage, model
	})
}

// A limit is how long one call on a page may take. The rule is the same for all
// of them; [Options].Timeout has it.
type limit time.Duration

const (
	defaultLimit = limit(30 * time.Second)
	// readingLimit is for Observe and Extract, whose models write long answers.
	readingLimit = limit(2 * time.Minute)
)

// limitOf returns the limit of a call: its own, the session's, or usual.
func (o *Options) limitOf(own time.Duration, usual limit) limit {
	return cmp.Or(limit(own), limit(o.Timeout), usual)
}

// limitOfAct is limitOf for what is done, and waited for.
func (o *Options) limitOfAct(own time.Duration) limit {
	return o.limitOf(cmp.Or(own, o.ActTimeout), defaultLimit)
}

// An expired limit is the cause of a context that it ended. To callers it is
// what a context's own deadline is.
type expired struct{ limit limit }

func (e *expired) Error() string { return context.DeadlineExceeded.Error() }
func (e *expired) Unwrap() error { return context.DeadlineExceeded }

// bound gives a call the limit, beside whatever ends ctx before.
func (l limit) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, time.Duration(l), &expired{l})
}

// late says of an error which limit it comes from, if it comes from one of ours.
func late(ctx context.Context, err error) error {
	var own *expired
	if err == nil || ctx.Err() == nil || !errors.As(context.Cause(ctx), &own) {
		return err
	}
	return fmt.Errorf("not done within %v: %w", time.Duration(own.limit), err)
}

// begin waits for the page's turn, which counts against the limit, and bounds
// ctx. end gives the turn back.
func (p *Page) begin(ctx context.Context, l limit) (_ context.Context, end func(), _ error) {
	ctx, cancel := l.bound(ctx)
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		err := late(ctx, fmt.Errorf("waiting for the page's turn: %w", context.Cause(ctx)))
		cancel()
		return nil, nil, err
	}
	p.session.activate(p.id)
	return ctx, func() { cancel(); <-p.turn }, nil
}

// enter begins a call's entry in the history, and returns the context that the
// call works with.
func (s *Session) enter(ctx context.Context, op string, p *Page) (context.Context, *Entry) {
	var entry *Entry
	if p == nil { // all were closed
		entry = s.history.begin(ctx, op, "", "")
	} else {
		entry = s.history.begin(ctx, op, s.secrets.hide(p.URL()), p.id)
	}
	if h := s.opts.Hooks; h != nil && h.Began != nil {
		if inner := h.Began(ctx, *entry); inner != nil {
			ctx = inner
		}
	}
	return ctx, entry
}

// leave ends a call's entry; fill completes it.
func (s *Session) leave(ctx context.Context, entry *Entry, err error, fill func(*Entry)) {
	s.history.end(entry, err, fill)
	if h := s.opts.Hooks; h != nil && h.Ended != nil {
		h.Ended(ctx, *entry, err)
	}
}

// modelName names the model that was asked if any was.
func (s *Session) modelName(own LLM, used Usage) string {
	model := cmp.Or(own, s.opts.Model)
	if model == nil || used == (Usage{}) {
		return ""
	}
	return model.Name()
}

// BeginCall enters a call of the caller's own into the history, as an agent's
// run is one, and calls the hooks for it. What is done with the context that it
// returns belongs to the call (see [WithParent]) and to its span. page may be
// nil: the active one. End must be called, once.
func (s *Session) BeginCall(ctx context.Context, page *Page, method, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, method, cmp.Or(page, s.Page()))
	return WithParent(ctx, entry.ID), &Call{session: s, ctx: ctx, entry: entry, instruction: instruction}
}

// A Call is a call under way that the engine does not make itself.
type Call struct {
	session     *Session
	ctx         context.Context // of the hooks: that of the call's beginning
	entry       *Entry
	instruction string
}

// ID is that of the call's entry.
func (c *Call) ID() string { return c.entry.ID }

// End ends the call. fill, if not nil, completes its entry; it must not call
// the session. Values of variables are hidden in what it writes.
func (c *Call) End(err error, fill func(*Entry)) {
	s := c.session
	if err != nil {
		err = s.hideError(err)
	}
	s.leave(c.ctx, c.entry, err, func(e *Entry) {
		e.Instruction = c.instruction
		if fill != nil {
			fill(e)
		}
		e.Instruction, e.Message = s.secrets.hide(e.Instruction), s.secrets.hideShown(e.Message)
		e.Data = s.secrets.hideJSON(e.Data)
	})
}

type parentKey struct{}

// WithParent returns a context whose calls belong to an entry of the history:
// it is their [Entry].Parent.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

func parentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}
