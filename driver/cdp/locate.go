package cdp

import (
	"context"
	"errors"

	"github.com/mafredri/cdp/protocol/dom"
	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// patience is how many frames an element that shows a frame may take to be
// scrolled into view by another process.
const patience = 3

// A position is what our script tells of an element's place, in pixels of the
// viewport of its frame.
type position struct {
	driver.Location
	Hit     int        // index of the element that is hit, among the answer's nodes
	Content [4]float64 // of what shows a frame: where its content begins, and its scale

	hit deepNode
}

// A finder finds the elements of a page, and where they are.
type finder struct{ page *page }

// Locate implements driver.Finder.
func (f *finder) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	if opts == nil {
		opts = &driver.LocateOptions{}
	}
	l, err := f.locate(ctx, node, opts)
	return l, opError("locate", nodeName(node), err)
}

func (f *finder) locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	scroll := opts.Scroll
	var place []float64 // null is any
	if opts.Offset != nil {
		place = []float64{opts.Offset.X, opts.Offset.Y}
	}
	t, err := f.page.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	s, err := t.position(ctx, call{name: "locate", args: []any{scroll, place}})
	if err != nil {
		return nil, err
	}
	return f.location(ctx, &t.world, s, scroll)
}

// location makes a location of what our script tells of an element's place.
func (f *finder) location(ctx context.Context, w *world, s *position, scroll bool) (*driver.Location, error) {
	l := &s.Location
	l.Hit = w.refOf(s.hit)
	if w.Parent != "" {
		if err := f.outward(ctx, w, l, scroll); err != nil {
			return nil, err
		}
	}
	return l, f.inward(ctx, s, l)
}

// inward continues into what is hit, if it is a frame or has a closed tree.
func (f *finder) inward(ctx context.Context, s *position, l *driver.Location) error {
	if s.hit.Frame == "" && s.hit.closedTree() == 0 || !l.InView || l.Hit.Node != s.hit.ID {
		return nil
	}
	hit, err := f.hitTest(ctx, l.At)
	if isGone(err) {
		return nil
	}
	if err == nil && !hit.IsZero() {
		l.Hit = hit
	}
	return err
}

// position makes a call in depth that tells a place.
func (t *nodeHandle) position(ctx context.Context, c call) (*position, error) {
	c.deep = true
	s := &position{}
	nodes, err := t.ask(ctx, c, s)
	s.hit = nodes.at(s.Hit)
	return s, err
}

// outward takes a place in a frame out into the frames around it: the point
// into the coordinates of the frame whose process gets the input, the box into
// those of the main frame. In each frame on the way, the element that shows the
// next has to be hit where the point is.
func (f *finder) outward(ctx context.Context, w *world, l *driver.Location, scroll bool) error {
	at, box := l.At, l.Box
	pointFixed := false // the point is in the coordinates of its process
	for w.Parent != "" {
		parent, err := f.page.isolated(ctx, w.Parent)
		if err != nil {
			return err
		}
		if parent.session != w.session && !pointFixed {
			l.At, pointFixed = driver.Point{Frame: w.ID, X: at.X, Y: at.Y}, true
		}
		o, err := ownerAt(ctx, w, &parent, at, scroll)
		if err != nil {
			return err
		}
		l.Visible = l.Visible && o.Visible
		l.InView = l.InView && o.InView
		l.Inert = l.Inert || o.Inert
		l.Moving = l.Moving || o.Moving
		if l.Reached && !o.Reached {
			l.Reached, l.Hit = false, parent.refOf(o.hit)
		}
		at, box = o.At, o.outside(box)
		w = &parent
	}
	if !pointFixed {
		l.At = at
	}
	l.Box = box
	return nil
}

// outside gives a box of a frame as the frame around it has it; o is a place in that.
func (o *position) outside(r driver.Rect) driver.Rect {
	return driver.Rect{
		X: o.Content[0] + r.X*o.Content[2], Y: o.Content[1] + r.Y*o.Content[3],
		Width: r.Width * o.Content[2], Height: r.Height * o.Content[3],
	}
}

// ownerAt looks at a frame from outside.
func ownerAt(ctx context.Context, w, parent *world, at driver.Point, scroll bool) (*position, error) {
	owner, err := protocol.DOMGetFrameOwner.Do(ctx, parent.session, dom.GetFrameOwnerArgs{FrameID: cdppage.FrameID(w.ID)})
	if err != nil {
		return nil, err
	}
	objects, err := parent.resolve(ctx, driver.NodeID(owner.BackendNodeID))
	if err != nil {
		return nil, err
	}
	t := &nodeHandle{world: *parent, object: objects[0]}
	defer t.release()
	wait := 0
	if scroll {
		wait = patience
	}
	return t.position(ctx, call{name: "owner", args: []any{at.X, at.Y, wait}, wait: true})
}

// HitTest implements driver.Finder.
func (f *finder) HitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	ref, err := retried(func() (driver.NodeRef, error) { return f.hitTest(ctx, at) })
	return ref, opError("hittest", "", err)
}

func (f *finder) hitTest(ctx context.Context, at driver.Point) (driver.NodeRef, error) {
	w, err := f.page.isolated(ctx, at.Frame)
	if err != nil {
		return driver.NodeRef{}, err
	}
	for {
		var told struct {
			Hit   int
			Inner [2]float64
			Known bool // our script has looked into the element's tree
		}
		nodes, err := w.ask(ctx, call{name: "hit", document: true, deep: true, args: []any{at.X, at.Y}}, &told)
		if err != nil {
			return driver.NodeRef{}, err
		}
		hit := nodes.at(told.Hit)
		if tree := hit.closedTree(); tree != 0 && !told.Known {
			if err := watchTrees(ctx, &w, tree); err != nil {
				return driver.NodeRef{}, err
			}
			continue
		}
		inside, ok, err := f.inside(ctx, &hit)
		if err != nil || !ok {
			return w.refOf(hit), err
		}
		w, at = inside, driver.Point{Frame: inside.ID, X: told.Inner[0], Y: told.Inner[1]}
	}
}

// inside returns our world in the frame that an element shows, if it shows one.
func (f *finder) inside(ctx context.Context, n *deepNode) (world, bool, error) {
	if n.Frame == "" {
		return world{}, false, nil
	}
	w, err := f.page.isolated(ctx, n.Frame)
	if errors.Is(err, driver.ErrDetached) {
		return world{}, false, nil
	}
	return w, err == nil, err
}

// Find implements driver.Finder.
func (f *finder) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	find := func() ([]driver.NodeRef, error) { return f.find(ctx, root, sel) }
	if root.IsZero() { // a caller who asks for the main document never means one that is being replaced
		refs, err := retried(find)
		return refs, opError("find", sel.Text, err)
	}
	refs, err := find()
	return refs, opError("find", sel.Text, err)
}

func (f *finder) find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	t, err := f.page.handleOf(ctx, root)
	if err != nil {
		return nil, err
	}
	defer t.release()
	var told struct {
		Root  int
		Found []int
	}
	nodes, err := t.ask(ctx, call{name: "find", deep: true, args: []any{sel.Kind == driver.XPath, sel.Text}}, &told)
	if err != nil {
		return nil, err
	}
	owner := nodes.at(told.Root)
	if owner.Frame != "" {
		w, err := f.page.isolated(ctx, owner.Frame)
		if err != nil {
			return nil, err
		}
		return f.find(ctx, driver.NodeRef{Frame: w.ID, Doc: w.Doc}, sel)
	}
	if tree := owner.closedTree(); tree != 0 {
		// It is not known yet; from within it will be.
		return f.find(ctx, driver.NodeRef{Frame: t.ID, Doc: t.Doc, Node: tree}, sel)
	}
	refs := make([]driver.NodeRef, len(told.Found))
	for i, place := range told.Found {
		refs[i] = t.refOf(nodes.at(place))
	}
	return refs, nil
}
