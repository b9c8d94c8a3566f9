package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// A call is the frame of every page operation that the history records: the
// page's turn, the time limit, the entry, and the wording and redaction of the
// error.
type call struct {
	page  *Page
	name  Operation
	limit limit

	// work does the operation. id identifies the call.
	work func(ctx context.Context, id string) error
	// finish, if not nil, completes the result. It gets the error that the
	// caller will get, and runs before history and hooks hear of the end.
	finish func(ctx context.Context, err error)
	// fill completes the entry.
	fill func(e *Entry)

	begun bool // input was sent, so an expired limit means "not finished"
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

// A limit is how long one call on a page may take; [Options].Timeout documents
// the rule.
type limit time.Duration

const (
	defaultLimit = limit(30 * time.Second)
	// readingLimit is for Observe and Extract, whose models write long answers.
	readingLimit = limit(2 * time.Minute)
)

// limitOf returns the limit of a call: the call's own, else the session's, else
// the usual one.
func (o *Options) limitOf(own time.Duration, usual limit) limit {
	return cmp.Or(limit(own), limit(o.Timeout), usual)
}

// expired is the cause of a context that a limit ended. To callers it looks
// like the context's own deadline.
type expired struct{ limit limit }

func (e *expired) Error() string { return context.DeadlineExceeded.Error() }
func (e *expired) Unwrap() error { return context.DeadlineExceeded }

// bound adds the limit to ctx.
func (l limit) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, time.Duration(l), &expired{l})
}

// late adds to an error which of the engine's limits ended the context, if one
// did.
func late(ctx context.Context, how string, err error) error {
	var own *expired
	if err == nil || ctx.Err() == nil || !errors.As(context.Cause(ctx), &own) {
		return err
	}
	return fmt.Errorf("not %s within %v: %w", how, time.Duration(own.limit), err)
}

// begin waits for the page's turn, which counts towards the limit, and bounds
// ctx. end releases the turn.
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

// enter begins a call's entry in the history and returns the context to work
// with. p is nil if all pages were closed.
func (s *Session) enter(ctx context.Context, name Operation, p *Page) (context.Context, *Entry) {
	e := Entry{ID: NewID(), Parent: parentOf(ctx), Operation: name, Begin: time.Now()}
	if p != nil {
		e.Page, e.PageURL = p.id, s.secrets.hide(p.URL())
	}
	return s.journal.began(ctx, &e), &e
}

// modelName returns the name of the model, or "" if none was asked.
func (s *Session) modelName(own LLM, used Usage) string {
	model := cmp.Or(own, s.opts.Model)
	if model == nil || used == (Usage{}) {
		return ""
	}
	return model.Name()
}

// BeginCall records a call of the caller's own, such as an agent's run, in the
// history and calls the hooks for it. Calls made with the returned context
// belong to it (see [WithParent]) and to its span. page may be nil, for the
// active page. End must be called exactly once.
func (s *Session) BeginCall(ctx context.Context, page *Page, name Operation, instruction string) (context.Context, *Call) {
	ctx, entry := s.enter(ctx, name, cmp.Or(page, s.Page()))
	return WithParent(ctx, entry.ID), &Call{session: s, ctx: ctx, entry: entry, instruction: instruction}
}

// A Call is an operation in progress that the engine does not perform itself.
type Call struct {
	session     *Session
	ctx         context.Context // the hooks' context from the beginning
	entry       *Entry
	instruction string
}

// ID returns the ID of the call's entry.
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

// WithParent returns a context whose calls have id as their [Entry].Parent.
func WithParent(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, parentKey{}, id)
}

func parentOf(ctx context.Context) string {
	id, _ := ctx.Value(parentKey{}).(string)
	return id
}
