package fake

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A navigator takes the page to an address, and back.
type navigator struct{ traffic }

// Navigate goes to an address.
func (p *navigator) Navigate(ctx context.Context, addr string, opts *driver.NavigateOptions) (*driver.Response, error) {
	if opts == nil {
		opts = new(driver.NavigateOptions)
	}
	return p.travel(ctx, "navigate", addr, opts, func() (*navigation, error) {
		u, err := dom.ParseURL(nil, addr)
		if err != nil || !u.IsAbs() || u.Scheme == "javascript" {
			return nil, &driver.NavigationError{URL: addr, Reason: driver.ReasonAddress, Detail: "net::ERR_INVALID_URL"}
		}
		return &navigation{url: u, hash: endsWithHash(addr), referrer: opts.Referer}, nil
	})
}

// Reload fetches the document anew.
func (p *navigator) Reload(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "reload", "", opts, func() (*navigation, error) {
		d := p.main.doc
		return &navigation{url: d.url, hash: d.hash, method: d.method, body: d.sent, contentType: d.contentType, referrer: d.referrer, reload: true, replace: true}, nil
	})
}

// Back goes to the entry before.
func (p *navigator) Back(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "back", "", opts, func() (*navigation, error) { return p.stepBy(-1) })
}

// Forward goes to the entry after.
func (p *navigator) Forward(ctx context.Context, opts *driver.NavigateOptions) (*driver.Response, error) {
	return p.travel(ctx, "forward", "", opts, func() (*navigation, error) { return p.stepBy(+1) })
}

// stepBy undoes the last move or makes the next one again.
func (p *navigator) stepBy(by int) (*navigation, error) {
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
func (p *navigator) travel(ctx context.Context, op, target string, opts *driver.NavigateOptions, plan func() (*navigation, error)) (*driver.Response, error) {
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
	bounded := ctx
	if opts.AtMost > 0 {
		bounded, cancel = context.WithTimeout(ctx, opts.AtMost)
		defer cancel()
	}
	err = p.await(bounded, func() bool {
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
	if err == nil {
		p.release()
		if opts.WaitUntil == driver.WaitNetworkIdle {
			err = p.networkIdle(bounded)
		}
	}
	if err != nil && (bounded.Err() == nil || ctx.Err() != nil) { // else it is used as it is
		return nil, opError(op, target, err)
	}
	return nav.res, nil
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
