package fake

import (
	"context"
	"slices"
	"sync"
	"time"
)

// timers are what a page has to do later. They are kept in the order in which
// they are due, and those due at one moment in the order in which they were
// set. Whoever takes the page first makes up for what is due, so a reader never
// sees a state older than the clock; a single timer of package time wakes the
// page when nobody comes. Within testing/synctest that clock is virtual.
type timers struct {
	due   []timer
	armed time.Time // what wake is set for

	wakeMu sync.Mutex // protects wake, which Close stops without the page's lock
	wake   *time.Timer
}

type timer struct {
	at time.Time
	d  *document
	f  func()
}

// after has f run for a document once the time has come, unless the document
// has gone by then.
func (p *page) after(d *document, wait time.Duration, f func()) {
	at := time.Now().Add(max(0, wait))
	i, _ := slices.BinarySearchFunc(p.due, at, func(t timer, at time.Time) int {
		if t.at.After(at) {
			return 1
		}
		return -1
	})
	p.due = slices.Insert(p.due, i, timer{at, d, f})
}

// runDue runs what is due now, and what that makes due at once.
func (p *page) runDue() {
	if len(p.due) == 0 {
		return
	}
	now := time.Now()
	for n := 0; len(p.due) > 0 && !p.due[0].at.After(now) && n < 100000; n++ {
		t := p.due[0]
		p.due = p.due[1:]
		if t.d.frame.doc == t.d && !t.d.frame.detached {
			t.f()
			p.runTasks()
		}
	}
}

// armTimer sets the alarm for the next thing to do. The caller holds the page.
func (p *page) armTimer() {
	if len(p.due) == 0 || p.due[0].at.Equal(p.armed) {
		return
	}
	p.armed = p.due[0].at
	wait := time.Until(p.armed)
	p.wakeMu.Lock()
	defer p.wakeMu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
	}
	if p.lost() != nil {
		return
	}
	p.wake = time.AfterFunc(wait, func() {
		if p.acquire(context.Background()) != nil {
			return
		}
		p.armed = time.Time{}
		p.release()
	})
}

func (p *page) stopTimer() {
	p.wakeMu.Lock()
	defer p.wakeMu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
	}
}

// dropTimers forgets what a document had to do: it is no longer shown. A
// document in the cache keeps what it had, and goes on when it comes back.
func (p *page) dropTimers(d *document) {
	now := time.Now()
	d.paused = nil
	p.due = slices.DeleteFunc(p.due, func(t timer) bool {
		if t.d != d {
			return false
		}
		t.at = time.Time{}.Add(t.at.Sub(now))
		d.paused = append(d.paused, t)
		return true
	})
}

func (d *document) resumeTimers() {
	for _, t := range d.paused {
		d.frame.page.after(d, t.at.Sub(time.Time{}), t.f)
	}
	d.paused = nil
}
