package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// elementAt is what lies at a point of the viewport, with the place of the point
// in it. If before is not nil, it has to be what lay there in that reading.
func (p *Page) elementAt(ctx context.Context, point driver.Offset, before *Snapshot) (*element, error) {
	hit, err := p.driver.HitTest(ctx, driver.Point{X: point.X, Y: point.Y})
	if err != nil {
		return nil, err
	}
	if hit.IsZero() {
		return nil, fmt.Errorf("%w: there is nothing at %s", ErrNotFound, offsetWords(point))
	}
	if _, err := p.capture(ctx); err != nil {
		return nil, err
	}
	snap := p.build(nil)
	node := hit
	// A control takes what hits something in it.
	if n, ok := snap.Nearest(hit); ok && n.Interactive && n.Target.Doc == hit.Doc {
		node = n.Source
	}
	el := p.known(snap, node)
	if before != nil {
		if err := p.wasAt(before, snap, el, point); err != nil {
			return nil, err
		}
		el.known = seen{capture: before.Capture}
	}
	at, err := p.driver.Locate(ctx, node, nil)
	if err != nil {
		return nil, err
	}
	el.at = &driver.Offset{X: point.X - at.Box.X, Y: point.Y - at.Box.Y}
	return el, nil
}

// wasAt makes sure that an element lay at a point in a reading, and looked as it does.
func (p *Page) wasAt(before, now *Snapshot, el *element, point driver.Offset) error {
	was, ok := placeOf(before.Capture, el.node)
	if !ok {
		return fmt.Errorf("%w: %s lies at %s now, and was not there when the page was read", ErrMismatch, el.what, offsetWords(point))
	}
	if old, ok := before.Find(el.node); ok != (el.print != nil) || ok && fingerprint(old) != *el.print {
		return fmt.Errorf("%w: what lies at %s is %s now, and was something else when the page was read", ErrMismatch, offsetWords(point), el.what)
	}
	is, ok := placeOf(now.Capture, el.node)
	if ok && was.box() != is.box() && !holds(was.box(), point) {
		return fmt.Errorf("%w: %s lies at %s now, and lay elsewhere when the page was read", ErrMismatch, el.what, offsetWords(point))
	}
	return keepsRow(before, el.node, now, el.node)
}

// box is where a node lay in the viewport of the page, as far as a reading tells:
// the borders of frames are not in it.
func (p place) box() driver.Rect {
	r := p.node().Box
	for {
		doc := &p.capture.Documents[p.doc]
		r.X, r.Y = r.X-doc.ScrollX, r.Y-doc.ScrollY
		if doc.OwnerDocument < 0 {
			return r
		}
		p = place{p.capture, doc.OwnerDocument, doc.Owner}
		r.X, r.Y = r.X+p.node().Box.X, r.Y+p.node().Box.Y
	}
}

func holds(r driver.Rect, at driver.Offset) bool {
	return at.X >= r.X && at.Y >= r.Y && at.X < r.X+r.Width && at.Y < r.Y+r.Height
}
