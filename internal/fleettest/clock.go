package fleettest

import (
	"slices"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Time is a virtual time that passes only by Advance. Clocks of it can differ,
// as those of several machines do.
type Time struct {
	mu     sync.Mutex // protects what follows, and the clocks
	now    time.Time
	timers []*timer // by when they are due
}

// NewTime returns a time that stands still.
func NewTime() *Time { return &Time{now: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)} }

// Clock returns a clock that shows the time.
func (t *Time) Clock() *Clock { return &Clock{time: t} }

// Advance lets d pass, and calls what is due meanwhile, in order and on this
// goroutine.
func (t *Time) Advance(d time.Duration) {
	t.mu.Lock()
	end := t.now.Add(d)
	for len(t.timers) > 0 && !t.timers[0].at.After(end) {
		next := t.timers[0]
		t.timers = t.timers[1:]
		next.done = true
		if next.at.After(t.now) {
			t.now = next.at
		}
		t.mu.Unlock()
		next.f()
		t.mu.Lock()
	}
	t.now = end
	t.mu.Unlock()
}

// A Clock shows a time, or another one after Jump.
type Clock struct {
	time *Time
	off  time.Duration
}

var _ fleet.Clock = (*Clock)(nil)

// Jump sets the clock ahead, or back by a negative d.
func (c *Clock) Jump(d time.Duration) {
	c.time.mu.Lock()
	defer c.time.mu.Unlock()
	c.off += d
}

// Now implements fleet.Clock.
func (c *Clock) Now() time.Time {
	c.time.mu.Lock()
	defer c.time.mu.Unlock()
	return c.time.now.Add(c.off)
}

// AfterFunc implements fleet.Clock. A jump does not move what was set before.
func (c *Clock) AfterFunc(d time.Duration, f func()) fleet.Timer {
	c.time.mu.Lock()
	defer c.time.mu.Unlock()
	one := &timer{time: c.time, at: c.time.now.Add(max(d, 0)), f: f}
	at, _ := slices.BinarySearchFunc(c.time.timers, one, func(a, b *timer) int {
		if a.at.After(b.at) {
			return 1
		}
		return -1 // behind those that are due at the same moment
	})
	c.time.timers = slices.Insert(c.time.timers, at, one)
	return one
}

// A timer is one call to AfterFunc.
type timer struct {
	time *Time
	at   time.Time
	f    func()
	done bool
}

func (t *timer) Stop() bool {
	t.time.mu.Lock()
	defer t.time.mu.Unlock()
	if t.done {
		return false
	}
	t.done = true
	t.time.timers = slices.DeleteFunc(t.time.timers, func(one *timer) bool { return one == t })
	return true
}
