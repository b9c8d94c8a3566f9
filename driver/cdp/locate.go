package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mafredri/cdp/protocol/dom"
	cdppage "github.com/mafredri/cdp/protocol/page"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// patience is how many frames an element that shows a frame may take to be
// scrolled into view by another process.
const patience = 3

// A position is what our script tells of an element's place, in pixels of the
// viewport of its frame.
type position struct {
	box   [4]float64
	at    [2]float64
	view  [2]float64
	flags []bool
	hit   deepNode
	label string
}

// Locate implements driver.Finder.
func (p *page) Locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	if opts == nil {
		opts = &driver.LocateOptions{}
	}
	l, err := p.locate(ctx, node, opts)
	return l, opError("locate", nodeName(node), err)
}

func (p *page) locate(ctx context.Context, node driver.NodeRef, opts *driver.LocateOptions) (*driver.Location, error) {
	scroll := opts.Scroll
	var place []float64 // null is any
	if opts.Offset != nil {
		place = []float64{opts.Offset.X, opts.Offset.Y}
	}
	t, err := p.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	r, err := p.deepCall(ctx, t, call{name: "locate", args: []any{scroll, place}})
	if err != nil {
		return nil, err
	}
	return p.readLocation(ctx, t, r, scroll)
}

// readLocation makes a location of what our script tells of an element's place.
func (p *page) readLocation(ctx context.Context, t *nodeHandle, r *deepValue, scroll bool) (*driver.Location, error) {
	s, err := readPosition(r, 8)
	if err != nil {
		return nil, err
	}
	l := &driver.Location{
		Visible: s.flags[0], InView: s.flags[1], Disabled: s.flags[2], Inert: s.flags[3], ReadOnly: s.flags[4], Moving: s.flags[5],
		Reached: s.flags[6], AriaDisabled: s.flags[7], Hit: t.refOf(s.hit), Label: s.label,
		Box: driver.Rect{X: s.box[0], Y: s.box[1], Width: s.box[2], Height: s.box[3]},
		At:  driver.Point{X: s.at[0], Y: s.at[1]},
	}
	if t.Parent != "" {
		err = p.outward(ctx, &t.world, s, l, scroll)
	}
	if err != nil {
		return nil, err
	}
	return l, p.inward(ctx, s, l)
}

// inward goes on into what is hit, if it is a frame or has a closed tree.
func (p *page) inward(ctx context.Context, s *position, l *driver.Location) error {
	if s.hit.Frame == "" && s.hit.closedTree() == 0 || !l.InView || l.Hit.Node != s.hit.ID {
		return nil
	}
	hit, err := p.hitTest(ctx, l.At)
	if isGone(err) {
		return nil
	}
	if err == nil && !hit.IsZero() {
		l.Hit = hit
	}
	return err
}

func readPosition(r *deepValue, flags int) (*position, error) {
	m, err := r.object()
	if err != nil {
		return nil, err
	}
	s := &position{}
	for name, to := range map[string][]float64{"box": s.box[:], "at": s.at[:], "view": s.view[:]} {
		if m[name] == nil {
			continue
		}
		if err := m[name].numbers(to); err != nil {
			return nil, err
		}
	}
	list, err := m["flags"].list()
	if err != nil || len(list) != flags {
		return nil, errFacts
	}
	for i := range list {
		var b bool
		if err := list[i].decode("boolean", &b); err != nil {
			return nil, err
		}
		s.flags = append(s.flags, b)
	}
	if label := m["label"]; label != nil {
		if s.label, err = label.text(); err != nil {
			return nil, err
		}
	}
	s.hit, err = m["hit"].node()
	return s, err
}

// outward takes a place in a frame out into the frames around it: the point
// into the coordinates of the frame whose process gets the input, the box into
// those of the main frame. In each frame on the way, the element that shows the
// next has to be hit where the point is.
func (p *page) outward(ctx context.Context, w *world, s *position, l *driver.Location, scroll bool) error {
	at, box := s.at, l.Box
	pointFixed := false // the point is in the coordinates of its process
	for w.Parent != "" {
		parent, err := p.isolated(ctx, w.Parent)
		if err != nil {
			return err
		}
		if parent.session != w.session && !pointFixed {
			l.At, pointFixed = driver.Point{Frame: w.ID, X: at[0], Y: at[1]}, true
		}
		o, err := p.ownerAt(ctx, w, &parent, at, scroll)
		if err != nil {
			return err
		}
		l.Visible = l.Visible && o.flags[0]
		l.InView = l.InView && o.flags[1]
		l.Inert = l.Inert || o.flags[2]
		l.Moving = l.Moving || o.flags[3]
		if l.Reached && !o.flags[4] {
			l.Reached, l.Hit = false, parent.refOf(o.hit)
		}
		at, box = o.at, o.outside(box)
		w = &parent
	}
	if !pointFixed {
		l.At = driver.Point{X: at[0], Y: at[1]}
	}
	l.Box = box
	return nil
}

// An ownerPosition is a point of a frame as the frame around it has it.
type ownerPosition struct {
	position
	place [4]float64 // where the frame's content begins, and its scale
}

// outside gives a box of the frame as the frame around it has it.
func (o *ownerPosition) outside(r driver.Rect) driver.Rect {
	return driver.Rect{
		X: o.place[0] + r.X*o.place[2], Y: o.place[1] + r.Y*o.place[3],
		Width: r.Width * o.place[2], Height: r.Height * o.place[3],
	}
}

// ownerAt looks at a frame from outside.
func (p *page) ownerAt(ctx context.Context, w, parent *world, at [2]float64, scroll bool) (*ownerPosition, error) {
	owner, err := protocol.DOMGetFrameOwner.Do(ctx, parent.session, dom.GetFrameOwnerArgs{FrameID: cdppage.FrameID(w.ID)})
	if err != nil {
		return nil, err
	}
	objects, err := p.resolve(ctx, parent, driver.NodeID(owner.BackendNodeID))
	if err != nil {
		return nil, err
	}
	t := &nodeHandle{world: *parent, object: objects[0]}
	defer t.release()
	wait := 0
	if scroll {
		wait = patience
	}
	r, err := p.deepCall(ctx, t, call{name: "owner", args: []any{at[0], at[1], wait}, wait: true})
	if err != nil {
		return nil, err
	}
	s, err := readPosition(r, 5)
	if err != nil {
		return nil, err
	}
	m, err := r.object()
	if err != nil {
		return nil, err
	}
	o := &ownerPosition{position: *s}
	return o, m["place"].numbers(o.place[:])
}

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
		r, err := p.deepCall(ctx, &nodeHandle{world: w}, call{name: "hit", args: []any{at.X, at.Y}})
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
func (p *page) inside(ctx context.Context, n *deepNode) (world, bool, error) {
	if n.Frame == "" {
		return world{}, false, nil
	}
	w, err := p.isolated(ctx, n.Frame)
	if errors.Is(err, driver.ErrDetached) {
		return world{}, false, nil
	}
	return w, err == nil, err
}

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
	t, err := p.handleOf(ctx, root)
	if err != nil {
		return nil, err
	}
	defer t.release()
	r, err := p.deepCall(ctx, t, call{name: "find", args: []any{sel.Kind == driver.XPath, sel.Text}})
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
func (w *world) refOf(n deepNode) driver.NodeRef {
	if n.ID == 0 {
		return driver.NodeRef{}
	}
	return driver.NodeRef{Frame: w.ID, Doc: w.Doc, Node: n.ID}
}

// closedTree returns the number of an element's closed shadow root, 0 if it
// has none. Controls and images have one of the browser's own, which is no
// affair of ours; they cannot host another.
func (n *deepNode) closedTree() driver.NodeID {
	if n.ShadowRoot == nil || !mayHost(&driver.Node{Kind: driver.ElementNode, Name: n.Name}) {
		return 0
	}
	return n.ShadowRoot.Value.ID
}

// Glance implements driver.Glancer.
func (p *page) Glance(ctx context.Context, sel driver.Selector, offset *driver.Offset) (*driver.Glance, error) {
	g, err := p.glance(ctx, sel, offset)
	return g, opError("glance", sel.Text, err)
}

func (p *page) glance(ctx context.Context, sel driver.Selector, offset *driver.Offset) (*driver.Glance, error) {
	var place []float64 // null is any
	if offset != nil {
		place = []float64{offset.X, offset.Y}
	}
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	w, number := looks[0].worlds[0], p.kept.nodes.next()
	first := call{name: "glance", document: true, deep: true, args: []any{sel.Kind == driver.XPath, sel.Text, place, number}}
	answer, err := p.startStatus(ctx, looks, first, call{name: "status"}, true)
	if err != nil {
		return nil, err
	}
	release(w.session, answer.object)
	m, err := answer.deep.object()
	if err != nil {
		return nil, err
	}
	told, err := m["told"].text()
	if err != nil {
		return nil, err
	}
	g, err := p.takeStatus(ctx, looks, []byte(told))
	if err != nil {
		return nil, err
	}
	g.Revision = p.kept.revision.read(tupleOf(looks))
	found, err := m["found"].node()
	if err != nil || found.ID == 0 {
		return g, err
	}
	g.Node = w.refOf(found)
	p.kept.nodes.add(w.key(), found.ID, number)
	g.Location, err = p.readLocation(ctx, &nodeHandle{world: w, ref: g.Node, number: number}, m["place"], false)
	return g, err
}

// GlanceAfter implements driver.Glancer.
func (p *page) GlanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	g, err := p.glanceAfter(ctx, node)
	return g, opError("glance", nodeName(node), err)
}

func (p *page) glanceAfter(ctx context.Context, node driver.NodeRef) (*driver.Glance, error) {
	t, err := p.handleOf(ctx, node)
	if err != nil {
		return nil, err
	}
	defer t.release()
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	if w := &looks[0].worlds[0]; t.key() != w.key() {
		return nil, errors.ErrUnsupported // an element of the main document alone
	}
	answer, err := p.startStatus(ctx, looks, t.on(call{name: "glanceAfter", wait: true}), call{name: "statusAfter", wait: true}, false)
	if err != nil {
		return nil, err
	}
	g, err := p.takeStatus(ctx, looks, answer.value)
	if err != nil {
		return nil, err
	}
	g.Node, g.Revision = t.ref, p.kept.revision.noticed(tupleOf(looks).scripts)
	return g, nil
}

// startStatus makes one call in the world of the main document and another in
// all others, and returns what the first returned. counts asks the processes for
// theirs, too.
func (p *page) startStatus(ctx context.Context, looks []*processLook, first, others call, counts bool) (*evaluation, error) {
	for i, l := range looks {
		var list []conn.Command
		for k := range l.worlds {
			list = append(list, p.install(&l.worlds[k])...)
		}
		for k := range l.worlds {
			c := others
			if i == 0 && k == 0 {
				c = first
			}
			r := c.request(&l.worlds[k])
			l.asking, list = append(l.asking, r), append(list, r)
		}
		if counts {
			l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
			list = append(list, l.metrics)
		}
		if _, err := l.session.Start(ctx, list...); err != nil {
			return nil, err
		}
	}
	return evaluationOf(ctx, looks[0].asking[0])
}

// takeStatus takes in what all frames tell; main is what the main document told.
func (p *page) takeStatus(ctx context.Context, looks []*processLook, main []byte) (*driver.Glance, error) {
	g := &driver.Glance{Activity: &driver.Activity{Mutated: -1, Timers: driver.TimersNever}}
	if p.mayHear() {
		g.Activity.Timers = driver.TimersUnknown
	}
	for i, l := range looks {
		for k, r := range l.asking {
			told := main
			if i > 0 || k > 0 {
				e, err := evaluationOf(ctx, r)
				if err != nil {
					return nil, err
				}
				told = e.value
			}
			var status struct {
				Tick     string
				Activity json.RawMessage
				State    *stateReply
			}
			if err := json.Unmarshal(told, &status); err != nil {
				return nil, fmt.Errorf("status: unexpected answer: %w", err)
			}
			if err := readActivity(g.Activity, status.Activity, i == 0 && k == 0); err != nil {
				return nil, err
			}
			l.ticks = append(l.ticks, strconv.Quote(status.Tick)) // as tick's own answer has it
			if status.State != nil && !hasInternals(&status.State.State) {
				g.State = status.State.state()
			}
		}
		if l.metrics != nil {
			var err error
			if l.counts, err = layoutCounts(ctx, l.metrics); err != nil {
				return nil, err
			}
		}
	}
	return g, nil
}
