package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// mostIdentified bounds how often an element is read anew because the page
// changed meanwhile. A page that never rests is acted on all the same, if the
// element says what it said before it was read for the last time.
const mostIdentified = 3

// ready is Page.ready, for an element that is known to be the one that was
// meant. A page may show something else at the same node by now (lists do that
// which render anew and keep their nodes), so where the page has changed since
// the element was read, it is read again, and located once more.
func (d *deed) ready(ctx context.Context, n need) (*driver.Location, error) {
	says := ""
	for tries := 0; ; tries++ {
		at, err := d.page.ready(ctx, d.node, n, d.gesture.at)
		if err != nil {
			return nil, err
		}
		if tries == mostIdentified {
			if at.Label != says {
				return nil, fmt.Errorf("%w: %s was meant, and what is there says something else each time", ErrMismatch, d.print)
			}
			return at, nil
		}
		says = at.Label
		changed, err := d.identify(ctx)
		if err != nil {
			return nil, err
		}
		if !changed {
			return at, nil
		}
	}
}

// stillThere makes sure that an element of which something is known is what it
// was in the reading in which it was chosen.
func (p *Page) stillThere(ctx context.Context, el *element) error {
	if el.print == nil {
		return nil
	}
	if _, err := p.capture(ctx); err != nil || p.seen.capture == el.known.capture {
		return err
	}
	now := p.build(nil)
	if err := p.verify(now, el.node, el.print); err != nil {
		return err
	}
	return keepsRow(el.known.snapshot(), el.node, now, el.node)
}

// identify makes sure that the element still has the fingerprint of the action
// and stands where it stood, and reports whether the page has changed since that was last known.
func (d *deed) identify(ctx context.Context) (changed bool, _ error) {
	if d.print == nil || d.sent {
		return false, nil
	}
	if _, err := d.page.capture(ctx); err != nil {
		return false, err
	}
	if d.page.seen.capture == d.known.capture {
		return false, nil
	}
	now := d.page.build(nil)
	if err := d.page.verify(now, d.node, d.print); err != nil {
		return true, err
	}
	before := d.known.snapshot()
	d.known = d.page.seen
	return true, keepsRow(before, d.node, now, d.node)
}
