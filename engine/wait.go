package engine

import (
	"context"
	"fmt"
	"time"
)

// WaitFor waits until a condition holds, and returns at once if it does:
//
//	err := page.WaitFor(ctx, engine.TextShown("Order placed"))
//
// ctx bounds the wait, and so does the limit of [Options].Timeout. An error for that
// reason wraps [ErrNotMet] and context.DeadlineExceeded. Where a driver knows
// that nothing is under way on the page, so that it stays as it is, the wait
// ends with [ErrNotMet] at once.
//
// It takes the page's turn: what another goroutine does to the page comes later.
func (p *Page) WaitFor(ctx context.Context, c Condition) error {
	if c == nil {
		return fmt.Errorf("wait: %w: no condition", ErrInvalid)
	}
	if err := c.check(); err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	bounded, end, err := p.begin(ctx, p.session.opts.limitOfAct(0))
	if err != nil {
		return fmt.Errorf("wait: %w", err)
	}
	defer end()
	if err := p.await(bounded, c); err != nil {
		return p.session.hideError(p.session.explain("wait", err))
	}
	return nil
}

// await looks until a condition holds. Events wake it, and the clock for what
// no event tells. It takes no more than half of the time for looking.
func (p *Page) await(ctx context.Context, c Condition) error {
	begun := time.Now()
	for {
		_, changed, err := p.watch.blocked()
		if err != nil {
			return err
		}
		idle := p.idle(ctx) // before the look: what comes in between is seen by it
		from := time.Now()
		met, err := c.met(ctx, p)
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("%w after %v: %s: %w", ErrNotMet, time.Since(begun).Round(time.Millisecond), c, context.Cause(ctx))
		case err != nil && !passing(err):
			return err
		case err == nil && met:
			return nil
		case err == nil && idle:
			return fmt.Errorf("%w: %s: nothing is under way on the page", ErrNotMet, c)
		}
		rest(ctx, time.Since(from), nil)
		rest(ctx, longestTurn, changed)
	}
}

// rest waits for a while, until there is news, or until ctx ends.
func rest(ctx context.Context, wait time.Duration, news <-chan struct{}) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-news:
	case <-ctx.Done():
	}
}
