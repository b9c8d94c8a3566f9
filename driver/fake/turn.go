package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// turn is whose turn it is: what a page shows is guarded by a lock that can be
// given up when a context ends, because a caller may hold it while a dialog is open.
// It is the lowest layer of a page.
type turn struct {
	self    *page // which the layers make up
	browser *browser
	id      driver.PageID
	ctx     context.Context // ends with the page: for what runs in the background
	cancel  context.CancelFunc

	dialog atomic.Pointer[driver.Dialog] // the one that stands open

	mu     sync.Mutex    // protects the fields below
	gone   error         // why the page ended: ErrClosed, ErrCrashed
	done   chan struct{} // closed when it ends
	answer func(driver.Dialog) driver.DialogAnswer

	lock chan struct{} // holds a token while somebody has the page

	// All that follows belongs to the holder of lock, in the layers above too.
	timers
	tasks   []func()        // to run before the lock is released
	waiting []chan struct{} // closed at the next change
	stepped bool            // something changed that somebody may wait for
	yielded chan struct{}
}

// acquire takes the page for the caller, and makes up for what is due.
func (p *turn) acquire(ctx context.Context) error {
	if err := p.lost(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case p.lock <- struct{}{}:
	case <-p.done:
		return p.lost()
	case <-ctx.Done():
		if p.dialog.Load() != nil {
			return fmt.Errorf("%w: %w", driver.ErrDialog, ctx.Err())
		}
		return ctx.Err()
	}
	if err := p.lost(); err != nil {
		<-p.lock
		return err
	}
	p.runDue()
	p.runTasks()
	return nil
}

// release finishes what the holder has begun and lets the page go.
func (p *turn) release() {
	p.runTasks()
	p.armTimer()
	if p.stepped {
		p.stepped = false
		for _, ch := range p.waiting {
			close(ch)
		}
		p.waiting = nil
	}
	<-p.lock
}

// later has f run before the lock is released, outside of any event handler.
func (p *turn) later(f func()) { p.tasks = append(p.tasks, f) }

func (p *turn) runTasks() {
	for len(p.tasks) > 0 {
		f := p.tasks[0]
		p.tasks = p.tasks[1:]
		f()
	}
	p.tasks = nil
}

// step says that something happened that a waiting call may want to know.
func (p *turn) step() { p.stepped = true }

// await waits without the lock until cond, asked with the lock, holds.
// The caller holds the lock, and holds it again if no error is returned.
func (p *turn) await(ctx context.Context, cond func() bool) error {
	for !cond() {
		ch := make(chan struct{})
		p.waiting = append(p.waiting, ch)
		p.release()
		select {
		case <-ch:
		case <-p.done:
			return p.lost()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := p.acquire(ctx); err != nil {
			return err
		}
	}
	return nil
}

// lost is the reason why the page can't be used, nil if it can.
func (p *turn) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gone
}

// do runs f with the page held and puts op and target to its error.
func (p *turn) do(ctx context.Context, op, target string, f func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	err := p.acquire(ctx)
	if err == nil {
		func() {
			defer p.release()
			err = f(ctx)
		}()
	}
	return opError(op, target, err)
}

// ask is do for a question.
func ask[T any](ctx context.Context, p *turn, op, target string, f func(ctx context.Context) (T, error)) (out T, err error) {
	err = p.do(ctx, op, target, func(ctx context.Context) (err error) {
		out, err = f(ctx)
		return err
	})
	return out, err
}

// end closes the page for good, without its lock.
func (p *turn) end(why error) bool {
	p.mu.Lock()
	if p.gone != nil {
		p.mu.Unlock()
		return false
	}
	p.gone = why
	p.mu.Unlock()
	p.cancel()
	close(p.done)
	p.stopTimer()
	return true
}

// after has f run for a document once the time has come, unless the document
// has gone by then.
func (p *turn) after(d *document, wait time.Duration, f func()) {
	at := time.Now().Add(max(0, wait))
	// A timer runs after those that were set for the same moment before it.
	i, _ := slices.BinarySearchFunc(p.due, at, func(t timer, at time.Time) int { return cmp.Or(t.at.Compare(at), -1) })
	p.due = slices.Insert(p.due, i, timer{at, d, f})
}

// runDue runs what is due now, and what that makes due at once.
func (p *turn) runDue() {
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
func (p *turn) armTimer() {
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

func (p *turn) stopTimer() {
	p.wakeMu.Lock()
	defer p.wakeMu.Unlock()
	if p.wake != nil {
		p.wake.Stop()
	}
}

// dropTimers forgets what a document had to do: it is no longer shown. A
// document in the cache keeps what it had, and continues when it comes back.
func (p *turn) dropTimers(d *document) {
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

// pause lets the page continue without the caller, and takes it back.
func (p *turn) pause(ctx context.Context, d time.Duration, target *inputTarget) error {
	over := time.After(d)
	for waiting := true; waiting; {
		if target != nil && target.taken && target.d.gone() {
			return &driver.MissedError{Taken: true, Err: driver.ErrStale}
		}
		p.release()
		var err error
		select {
		case <-time.After(pauseStep):
		case <-over:
			waiting = false
		case <-p.done:
		case <-ctx.Done():
			err = ctx.Err()
		}
		p.lock <- struct{}{}
		if lost := p.lost(); lost != nil {
			return lost
		}
		p.runDue()
		p.runTasks()
		if err != nil {
			return err
		}
	}
	return nil
}

// acting runs f with the page held. Where a person answers the page's dialogs,
// f runs on a goroutine of its own, and acting returns as soon as one opens:
// f continues, and keeps the page, when it was answered.
func (p *turn) acting(ctx context.Context, f func() error) error {
	if err := p.acquire(ctx); err != nil {
		return err
	}
	if p.answerer() == nil {
		defer p.release()
		return f()
	}
	opened := make(chan struct{})
	p.yielded = opened
	done := make(chan error, 1)
	go func() {
		err := f()
		p.yielded = nil
		p.release()
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// OnDialog sets who answers the page's dialogs.
func (p *turn) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// answerer is who answers the page's dialogs; nil if nobody does.
func (p *turn) answerer() func(driver.Dialog) driver.DialogAnswer {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.answer
}

// callLimit bounds a call whose context has no deadline of its own.
const callLimit = 30 * time.Second

// opError puts the operation to an error that has none yet.
func opError(op, target string, err error) error {
	var oe *driver.OpError
	if err == nil || errors.As(err, &oe) {
		return err
	}
	return &driver.OpError{Op: op, Target: target, Err: err}
}

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
