package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Find implements driver.Finder.
func (p *page) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	refs, err := p.find(ctx, root, sel)
	// Nobody who asks for the main document means one that is just going.
	for i := 1; i < captureAttempts && root.IsZero() && isGone(err); i++ {
		refs, err = p.find(ctx, root, sel)
	}
	return refs, opError("find", sel.Text, err)
}

func (p *page) find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	t, err := p.targetOf(ctx, root)
	if err != nil {
		return nil, err
	}
	defer t.release()
	r, err := p.reading(ctx, t, call{name: "find", args: []any{sel.Kind == driver.XPath, sel.Text}})
	if err != nil {
		return nil, err
	}
	members, err := r.object()
	if err != nil {
		return nil, err
	}
	owner, err := members["root"].node()
	if err != nil {
		return nil, err
	}
	if owner.Frame != "" {
		w, err := p.isolated(ctx, owner.Frame)
		if err != nil {
			return nil, err
		}
		return p.find(ctx, driver.NodeRef{Frame: w.ID, Doc: w.Doc}, sel)
	}
	if tree := owner.closedTree(); tree != 0 {
		// It is not known yet; from within it will be.
		return p.find(ctx, driver.NodeRef{Frame: t.ID, Doc: t.Doc, Node: tree}, sel)
	}
	found, err := members["found"].nodes()
	if err != nil {
		return nil, err
	}
	refs := make([]driver.NodeRef, len(found))
	for i, n := range found {
		refs[i] = t.refOf(n)
	}
	return refs, nil
}

// refOf names a node that our script found in the world's document.
func (w *world) refOf(n readNode) driver.NodeRef {
	if n.ID == 0 {
		return driver.NodeRef{}
	}
	return driver.NodeRef{Frame: w.ID, Doc: w.Doc, Node: n.ID}
}

// closedTree returns the number of an element's closed shadow root, 0 if it
// has none. Controls and images have one of the browser's own, which is no
// affair of ours; they cannot host another.
func (n *readNode) closedTree() driver.NodeID {
	if n.ShadowRoot == nil || !mayHost(&driver.Node{Kind: driver.ElementNode, Name: n.Name}) {
		return 0
	}
	return n.ShadowRoot.Value.ID
}
