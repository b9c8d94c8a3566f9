package cdp

import (
	"context"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// A watch waits for a state of a page. Its condition is looked at after every
// event of the page, so nothing polls.
type watch struct {
	page  *page
	check func() (done bool, err error) // called with browser.mu held
	done  chan struct{}                 // closed when err is set
	err   error
}

// watch begins to wait for a condition; the page's end fulfils every one with
// its reason.
func (p *page) watch(check func() (bool, error)) *watch {
	w := &watch{page: p, check: check, done: make(chan struct{})}
	p.browser.mu.Lock()
	defer p.browser.mu.Unlock()
	if !w.look() {
		p.watches = append(p.watches, w)
	}
	return w
}

// look ends the watch if its time has come. browser.mu is held.
func (w *watch) look() bool {
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

// wake looks at all conditions. browser.mu is held.
func (p *page) wake() {
	p.watches = slices.DeleteFunc(p.watches, (*watch).look)
}

// fulfilled reports whether the watch has ended by now.
func (w *watch) fulfilled() bool {
	select {
	case <-w.done:
		return true
	default:
		return false
	}
}

func (w *watch) stop() {
	b := w.page.browser
	b.mu.Lock()
	defer b.mu.Unlock()
	w.page.watches = slices.DeleteFunc(w.page.watches, func(o *watch) bool { return o == w })
}

// wait returns when the condition holds, ctx ends, or, under a context
// without a deadline, after conn.CommandLimit.
func (w *watch) wait(ctx context.Context) error {
	defer w.stop()
	var limit <-chan time.Time
	if _, ok := ctx.Deadline(); !ok {
		t := time.NewTimer(conn.CommandLimit)
		defer t.Stop()
		limit = t.C
	}
	select {
	case <-w.done:
		// What fulfilled the condition has been told when the call returns.
		w.page.browser.told()
		return w.err
	case <-ctx.Done():
		return ctx.Err()
	case <-limit:
		return conn.ErrNoAnswer
	}
}
