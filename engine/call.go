package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A call is the frame of everything that a page does for a caller and that the
// history keeps: the page's turn, the time limit, the entry, the words and the
// redaction of the error.
type call struct {
	page  *Page
	name  Operation
	limit limit

	// work does what was asked for. id names the call.
	work func(ctx context.Context, id string) error
	// finish, if not nil, completes the result with the error that the caller
	// gets, before the call is over for history and hooks.
	finish func(ctx context.Context, err error)
	// fill completes the entry.
	fill func(e *Entry)

	begun bool // input was sent, so that a limit ends the call halfway
}

func (c *call) run(ctx context.Context) error {
	s := c.page.session
	ctx, end, err := c.page.begin(ctx, c.limit)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	defer end()
	ctx, entry := s.enter(ctx, c.name, c.page)
	if err = c.work(ctx, entry.ID); err != nil {
		how := "done"
		if c.begun {
			how = "finished"
		}
		err = s.hideError(s.explain(string(c.name), late(ctx, how, err)))
	}
	if c.finish != nil {
		c.finish(ctx, err)
	}
	s.journal.ended(ctx, entry, err, c.fill)
	return err
}

// act runs a call that sends input: its result says in any case what came of it.
func (p *Page) act(ctx context.Context, name Operation, words string, opts *ActOptions, work func(context.Context, *ActResult) error) (*ActResult, error) {
	s, start := p.session, time.Now()
	result := &ActResult{Description: words, Actions: []Action{}, Evidence: Evidence{Effect: EffectNone}, Sent: SentNone}
	c := &call{page: p, name: name, limit: s.opts.limitOfAct(opts.Timeout)}
	c.work = func(ctx context.Context, id string) error {
		result.ID = id
		err := work(ctx, result)
		c.begun = result.Sent != SentNone
		if err != nil && result.Message != "" && !errors.Is(err, ErrUnexpected) {
			err = fmt.Errorf("%w (done before that: %s)", err, result.Message)
		}
		return err
	}
	c.finish = func(ctx context.Context, err error) {
		for i := range result.Actions {
			s.issued.note(s.hideAction(result.Actions[i]))
		}
		result.Success = err == nil
		result.Duration = time.Since(start)
		s.redact(result)
		if err != nil {
			result.Message = err.Error()
		}
		s.journal.cached(ctx, result.Cache)
		s.journal.acted(ctx, name, result, err)
	}
	c.fill = func(e *Entry) {
		e.Instruction = result.Description
		e.Actions = result.Actions
		e.Message = result.Message
		e.Evidence = result.Evidence
		e.Sent = result.Sent
		e.Usage, e.Model = result.Usage, s.modelName(opts.Model, result.Usage)
	}
	err := c.run(ctx)
	if result.ID == "" { // it never had its turn
		return nil, err
	}
	return result, err
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

// late says of an error which limit it comes from, if it comes from one of ours,
// and how far the call came by then.
func late(ctx context.Context, how string, err error) error {
	var own *expired
	if err == nil || ctx.Err() == nil || !errors.As(context.Cause(ctx), &own) {
		return err
	}
	return fmt.Errorf("not %s within %v: %w", how, time.Duration(own.limit), err)
}

// begin waits for the page's turn, which counts against the limit, and bounds
// ctx. end gives the turn back.
func (p *Page) begin(ctx context.Context, l limit) (_ context.Context, end func(), _ error) {
	ctx, cancel := l.bound(ctx)
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		err := late(ctx, "done", fmt.Errorf("waiting for the page's turn: %w", context.Cause(ctx)))
		cancel()
		return nil, nil, err
	}
	p.session.activate(p.id)
	return ctx, func() { cancel(); <-p.turn }, nil
}

// enter begins a call's entry in the history, and returns the context that the
// call works with. p is nil where all pages were closed.
func (s *Session) enter(ctx context.Context, name Operation, p *Page) (context.Context, *Entry) {
	e := Entry{ID: NewID(), Parent: parentOf(ctx), Operation: name, Begin: time.Now()}
	if p != nil {
		e.Page, e.PageURL = p.id, s.secrets.hide(p.URL())
	}
	return s.journal.began(ctx, &e), &e
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
func (s *Session) BeginCall(ctx context.Context, page *Page, name Operation, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, name, cmp.Or(page, s.Page()))
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
	s.journal.ended(c.ctx, c.entry, err, func(e *Entry) {
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
