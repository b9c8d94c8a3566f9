package fake

import (
	"context"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// Navigate goes to an address.
func (p *page) Navigate(ctx context.Context, addr string, opts *driver.NavigateOptions) (*driver.Response, error) {
	if opts == nil {
		opts = new(driver.NavigateOptions)
	}
	return p.travel(ctx, "navigate", addr, opts, func() (*navigation, error) {
		u, err := dom.ParseURL(nil, addr)
		if err != nil || !u.IsAbs() || u.Scheme == "javascript" {
			return nil, &driver.NavigationError{URL: addr, Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_URL"}
		}
		return &navigation{url: u, referrer: opts.Referer}, nil
	})
}

// Reload fetches the document anew.
func (p *page) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "reload", "", opts, func() (*navigation, error) {
		d := p.main.doc
		return &navigation{url: d.url, method: d.method, body: d.sent, contentType: d.contentType, referrer: d.referrer, reload: true, replace: true}, nil
	})
}

// Back goes to the entry before.
func (p *page) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "back", "", opts, func() (*navigation, error) { return p.stepBy(-1) })
}

// Forward goes to the entry after.
func (p *page) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "forward", "", opts, func() (*navigation, error) { return p.stepBy(+1) })
}

// stepBy undoes the last move or makes the next one again.
func (p *page) stepBy(by int) (*navigation, error) {
	for {
		i := p.position
		if by < 0 {
			i--
		}
		if i < 0 || i >= len(p.entries) {
			return nil, driver.ErrNoHistory
		}
		m := p.entries[i]
		to, position := m.to, i+1
		if by < 0 {
			to, position = m.from, i
		}
		if m.frame.detached {
			p.position = position
			continue
		}
		return p.revisit(m.frame, to, position)
	}
}

// travel makes a navigation of the main frame and waits as opts say.
func (p *page) travel(ctx context.Context, op, target string, opts *driver.NavigateOptions, plan func() (*navigation, error)) (*driver.Response, error) {
	if opts == nil {
		opts = new(driver.NavigateOptions)
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := p.acquire(ctx); err != nil {
		return nil, opError(op, target, err)
	}
	nav, err := plan()
	if err != nil {
		p.release()
		return nil, opError(op, target, err)
	}
	if err := p.leave(ctx, nav); err != nil {
		return nil, opError(op, target, err)
	}
	if err := p.await(ctx, func() bool { return nav.ended }); err != nil {
		return nil, opError(op, target, err)
	}
	if nav.err != nil {
		p.release()
		return nil, opError(op, target, failureOf(target, nav.err))
	}
	d := nav.doc
	if nav.sameDocument || d == nil || nav.traverse > 0 && d.answer == nil {
		p.release()
		return nil, nil
	}
	err = p.await(ctx, func() bool {
		if d.frame.doc != d {
			return true
		}
		switch opts.WaitUntil {
		case driver.WaitCommit:
			return true
		case driver.WaitDOMContentLoaded:
			return d.ready
		}
		return d.loaded
	})
	if err != nil {
		return nil, opError(op, target, err)
	}
	p.release()
	if opts.WaitUntil == driver.WaitNetworkIdle {
		if err := p.networkIdle(ctx); err != nil {
			return nil, opError(op, target, err)
		}
	}
	return nav.res, nil
}

// leave begins a navigation of the main frame if the page may be left. The caller holds
// the page, and holds it again if no error is returned. A page that asks is held until
// somebody has answered, also where ctx ends before: only then does the navigation begin,
// as in a browser.
func (p *page) leave(ctx context.Context, nav *navigation) error {
	begin := func() {
		if !p.mayLeave(p.main) {
			nav.ended, nav.err = true, &driver.NavigationError{URL: nav.url.String(), Reason: driver.ReasonAborted, Detail: "net::ERR_ABORTED"}
		} else if p.main.pending != nav && !nav.ended {
			p.main.start(nav)
		}
	}
	p.mu.Lock()
	asked := p.answer != nil
	p.mu.Unlock()
	if !asked || !p.main.doc.mayAsk() {
		begin()
		return nil
	}
	begun, left := make(chan struct{}), make(chan struct{})
	go func() {
		begin()
		select {
		case begun <- struct{}{}:
		case <-left:
			p.release()
		}
	}()
	select {
	case <-begun:
		return nil
	case <-ctx.Done():
		close(left)
		return ctx.Err()
	}
}

// failureOf is a navigation's error, about the address that was asked for:
// redirects may have led elsewhere.
func failureOf(target string, err error) error {
	if failed, ok := err.(*driver.NavigationError); ok && target != "" {
		asked := *failed
		asked.URL = target
		return &asked
	}
	return err
}

// networkIdle waits until no request has been under way for 500 ms.
func (p *page) networkIdle(ctx context.Context) error {
	const silence = 500 * time.Millisecond
	since := time.Now()
	for {
		if err := p.acquire(ctx); err != nil {
			return err
		}
		if err := p.await(ctx, func() bool { return p.inflight == 0 }); err != nil {
			return err
		}
		if p.idle.After(since) {
			since = p.idle
		}
		p.release()
		left := silence - time.Since(since)
		if left <= 0 {
			return nil
		}
		t := time.NewTimer(left)
		select {
		case <-t.C:
		case <-p.done:
			t.Stop()
			return p.lost()
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		}
	}
}

// awaitNavigations waits a little for the navigations that an act has caused.
// The caller does not hold the lock.
func (p *page) awaitNavigations(ctx context.Context) {
	if err := p.acquire(ctx); err != nil {
		return
	}
	busy := func() bool {
		for _, f := range p.frames() {
			if f.pending != nil && f.pending.slow {
				return true
			}
		}
		return false
	}
	if !busy() {
		p.release()
		return
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	if p.await(ctx, func() bool { return !busy() }) == nil {
		p.release()
	}
}
