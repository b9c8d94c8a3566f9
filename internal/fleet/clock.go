package fleet

import "time"

// A Clock is what time is taken from. Leases are counted in differences of
// Now, so a clock that is set to another time of day must not show there:
// [System] reads the monotonic clock. Its methods may be called at once.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f on a goroutine of its own after d, unless it is stopped
	// before.
	AfterFunc(d time.Duration, f func()) Timer
}

// A Timer is one call to AfterFunc.
type Timer interface {
	// Stop keeps the call from being made; false: it has been.
	Stop() bool
}

// System is the clock of package time, and virtual in a bubble of
// testing/synctest.
var System Clock = system{}

type system struct{}

func (system) Now() time.Time                            { return time.Now() }
func (system) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }

func clockOr(c Clock) Clock {
	if c == nil {
		return System
	}
	return c
}

// after returns a channel that is closed after d, and what gives it up.
func after(c Clock, d time.Duration) (reached <-chan struct{}, stop func() bool) {
	due := make(chan struct{})
	return due, c.AfterFunc(d, func() { close(due) }).Stop
}

// An age is how long a record has been seen unchanged. It is counted in steps, none
// of which adds more than a bound. So an observer whose clock jumps, or whose process
// was stopped, takes no lease by that.
type age struct {
	last  time.Time // of the step before
	bound time.Duration
}

// step returns what has passed since the step before.
func (a *age) step(now time.Time) time.Duration {
	passed := now.Sub(a.last)
	if a.last.IsZero() {
		passed = 0
	}
	a.last = now
	return min(max(passed, 0), a.bound)
}
