package cdp

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A target is a node that somebody asked for, as an object of our world in
// its document.
type target struct {
	world
	ref    driver.NodeRef
	object string // empty: the document
}

// targetOf makes sure that the node's document is the one that its frame
// shows, and gets hold of the node there. That is the check which everything
// that acts on a node begins with: Chrome itself takes the numbers of a page in
// the back/forward cache for those of the page that is shown. That the node
// is still in the document is checked by the script that comes next.
func (p *page) targetOf(ctx context.Context, ref driver.NodeRef) (*target, error) {
	w, err := p.isolated(ctx, ref.Frame)
	if err != nil {
		return nil, err
	}
	if ref.IsZero() {
		ref = driver.NodeRef{Frame: w.ID, Doc: w.Doc}
	}
	if ref.Doc != w.Doc {
		return nil, fmt.Errorf("the frame shows another document: %w", driver.ErrStale)
	}
	t := &target{world: w, ref: ref}
	if ref.Node == 0 {
		return t, nil
	}
	objects, err := p.resolve(ctx, &t.world, ref.Node)
	if err != nil {
		return nil, err
	}
	t.object = objects[0]
	return t, nil
}

func (t *target) release() { release(t.session, t.object) }

// on makes a call one with the target as its first argument.
func (t *target) on(c call) call {
	c.object, c.document = t.object, t.object == ""
	return c
}

// reading makes a call with the target and returns what it returns.
func (p *page) reading(ctx context.Context, t *target, c call) (*reading, error) {
	c.deep = true
	outcomes, err := p.run(ctx, &t.world, t.on(c))
	if err != nil {
		return nil, err
	}
	o := outcomes[0].Result
	release(t.session, o.ObjectID)
	return o.DeepSerializedValue, nil
}

// act makes a call with the node that ref names and decodes what it returns.
func (p *page) act(ctx context.Context, ref driver.NodeRef, c call, v any) error {
	t, err := p.targetOf(ctx, ref)
	if err != nil {
		return err
	}
	defer t.release()
	return p.value(ctx, &t.world, t.on(c), v)
}

func targetName(ref driver.NodeRef) string {
	if ref.Node == 0 {
		return "document"
	}
	return fmt.Sprintf("node %d", ref.Node)
}
