package cdp

import (
	"context"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// HitTest implements driver.Finder.
func (p *page) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	ref, err := p.hitTest(ctx, at)
	for i := 1; i < captureAttempts && errors.Is(err, driver.ErrStale); i++ {
		ref, err = p.hitTest(ctx, at)
	}
	return ref, opError("hittest", "", err)
}

func (p *page) hitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	w, err := p.isolated(ctx, at.Frame)
	if err != nil {
		return driver.NodeRef{}, err
	}
	for {
		r, err := p.reading(ctx, &target{world: w}, call{name: "hit", args: []any{at.X, at.Y}})
		if err != nil {
			return driver.NodeRef{}, err
		}
		m, err := r.object()
		if err != nil {
			return driver.NodeRef{}, err
		}
		hit, err := m["hit"].node()
		if err != nil {
			return driver.NodeRef{}, err
		}
		// known: our script has looked into the element's tree.
		var known bool
		if err := m["known"].decode("boolean", &known); err != nil {
			return driver.NodeRef{}, err
		}
		if tree := hit.closedTree(); tree != 0 && !known {
			if err := p.armTree(ctx, &w, tree); err != nil {
				return driver.NodeRef{}, err
			}
			continue
		}
		inside, ok, err := p.inside(ctx, &hit)
		if err != nil || !ok {
			return w.refOf(hit), err
		}
		var inner [2]float64
		if err := m["inner"].numbers(inner[:]); err != nil {
			return driver.NodeRef{}, err
		}
		w, at = inside, driver.Point{Frame: inside.ID, X: inner[0], Y: inner[1]}
	}
}

// armTree makes a closed tree known to our script.
func (p *page) armTree(ctx context.Context, w *world, tree driver.NodeID) error {
	objects, err := p.resolve(ctx, w, tree)
	if err != nil {
		return err
	}
	defer release(w.session, objects...)
	return p.value(ctx, w, call{name: "arm", nodes: objects}, nil)
}

// inside returns our world in the frame that an element shows, if it shows one.
func (p *page) inside(ctx context.Context, n *readNode) (world, bool, error) {
	if n.Frame == "" {
		return world{}, false, nil
	}
	w, err := p.isolated(ctx, n.Frame)
	if errors.Is(err, driver.ErrDetached) {
		return world{}, false, nil
	}
	return w, err == nil, err
}
