package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

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
