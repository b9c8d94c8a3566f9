package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// A lease is what a process holds for a time, by its own clock: a node's place in the
// fleet, or a job. It may be used by any number of goroutines.
type lease struct {
	what   string // for errors, as "node n1"
	clock  Clock
	term   time.Duration
	lapsed func() // is called once the time is over, without mu; nil is nothing
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu    sync.Mutex // protects what follows, and what the holder knows of its record
	until time.Time
	timer Timer
	over  bool // given back, or lost
}

// newLease returns a lease that begins with its first renewal.
func newLease(what string, clock Clock, term time.Duration) *lease {
	l := &lease{what: what, clock: clock, term: term}
	l.ctx, l.cancel = context.WithCancelCause(context.Background())
	return l
}

// Context ends when the lease does: with [ErrLost] as its cause before another can hold
// what this one held. That of a job ends with [ErrCanceled] when the job was cancelled,
// which leaves the claim as it is for Finish. Do the work below this context.
func (l *lease) Context() context.Context { return l.ctx }

// Held returns nil while the lease holds by the own clock, and ErrLost for ever after. It
// makes no call: use it right before an effect that the store does not see. After a pause
// of the process timers come late, and this does not.
func (l *lease) Held() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held()
}

// held is Held. l.mu is held.
func (l *lease) held() error {
	if !l.over && !l.clock.Now().Before(l.until) {
		l.lose(ErrLost)
	}
	if l.over {
		return fmt.Errorf("%w: %s", ErrLost, l.what)
	}
	return nil
}

// lose ends the lease. l.mu is held.
func (l *lease) lose(why error) {
	if l.over {
		return
	}
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
	l.cancel(why)
}

// renew counts the term from the moment at which the renewal was sent: no observer can
// have seen it earlier. l.mu is held.
func (l *lease) renew(sent time.Time) {
	l.until = sent.Add(l.term)
	if l.timer == nil {
		l.arm()
	}
}

// arm sets the timer for the time that is left.
func (l *lease) arm() {
	l.timer = l.clock.AfterFunc(l.until.Sub(l.clock.Now()), l.check)
}

// check is what the timer calls.
func (l *lease) check() {
	l.mu.Lock()
	ended := l.held() != nil
	if !ended {
		l.arm()
	}
	l.mu.Unlock()
	if ended && l.lapsed != nil {
		l.lapsed()
	}
}
