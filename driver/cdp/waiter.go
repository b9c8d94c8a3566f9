package cdp

import (
	"context"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A waiting is the callers that wait for a state of a page.
type waiting struct {
	page    *page
	waiters []*waiter // protected by browser.mu
}

// until begins to wait for a condition; the page's end fulfils every one with
// its reason.
func (wt *waiting) until(check func() (bool, error)) *waiter {
	w := &waiter{page: wt.page, check: check, done: make(chan struct{})}
	wt.page.browser.mu.Lock()
	defer wt.page.browser.mu.Unlock()
	if !w.look() {
		wt.waiters = append(wt.waiters, w)
	}
	return w
}

// wake looks at all conditions. browser.mu is held.
func (wt *waiting) wake() {
	wt.waiters = slices.DeleteFunc(wt.waiters, (*waiter).look)
}

// A waiter waits for a state of a page. Its condition is looked at after every
// event of the page, so nothing polls.
type waiter struct {
	page  *page
	check func() (done bool, err error) // called with browser.mu held
	done  chan struct{}                 // closed when err is set
	err   error
}

// look ends the waiter if its condition holds. browser.mu is held.
func (w *waiter) look() bool {
	err := w.page.gone
	done := err != nil
	if !done {
		done, err = w.check()
	}
	if done {
		w.err = err
		close(w.done)
	}
	return done
}

// fulfilled reports whether the condition has held by now.
func (w *waiter) fulfilled() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *waiter) stop() {
	b := w.page.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	w.page.waiters = slices.DeleteFunc(w.page.waiters, func(o *waiter) bool { return o == w })
}

// wait returns when the condition holds, ctx ends, or, under a context
// without a deadline, after conn.CommandLimit.
func (w *waiter) wait(ctx context.Context) error {
	defer w.stop()
	select {
	case <-w.done:
		// What fulfilled the condition is delivered when the call returns.
		w.page.browser.delivered()
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	case <-conn.Limit(ctx):
		return conn.ErrNoAnswer
	}
}
