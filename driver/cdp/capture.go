package cdp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/mafredri/cdp/protocol/dom"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/snapshot"
)

// contentSeed makes hashes of content comparable within the process.
var contentSeed = maphash.MakeSeed()

// A stitcher makes one capture of what several processes render.
type stitcher struct {
	page    *page
	capture *driver.Capture
	parts   []part
	owners  map[driver.FrameID]driver.NodeID // of documents in processes of their own
	hash    maphash.Hash
	again   bool // frames were lost, or trees found that nobody watched
}

// A part is a document that is not in its place yet.
type part struct {
	doc    driver.Document
	parent driver.FrameID
}

// add takes in what one process reported.
func (s *stitcher) add(ctx context.Context, l *processLook) error {
	snap, err := snapshot.Decode(l.snapshot, 1)
	if err != nil {
		return err
	}
	if scale := viewScale(snap, l); scale != 1 {
		if snap, err = snapshot.Decode(l.snapshot, scale); err != nil {
			return err
		}
	}
	l.snapshot = nil // it is large
	maphash.WriteComparable(&s.hash, snap.Content)
	s.hash.Write(l.hashes)
	for i := range snap.Docs {
		d := &snap.Docs[i]
		// A document without a world has gone, or come, meanwhile.
		if k := l.worldOf(d.Frame); k >= 0 {
			err := s.addDocument(ctx, l, k, d)
			if isGone(err) && l.worlds[k].Parent != "" {
				s.again = true
				continue
			}
			if err != nil {
				return err
			}
		}
	}
	maps.Copy(s.owners, l.owner)
	return nil
}

// addDocument completes a document with what our script in it reported. It is the
// document of that script if the script, right behind the snapshot, found the
// same document node.
func (s *stitcher) addDocument(ctx context.Context, l *processLook, k int, d *driver.Document) error {
	w, f := &l.worlds[k], l.facts[k]
	if f.document.ID != d.Nodes[0].ID {
		return errMoved
	}
	d.Doc, d.Ordinal = w.Doc, w.Ordinal
	nested, err := w.resolveHosts(ctx, d)
	if err != nil {
		return err
	}
	if err := f.apply(d); err != nil {
		return err
	}
	fresh, err := w.armTrees(ctx, d)
	if err != nil {
		return err
	}
	states, err := w.scrollStates(ctx, d)
	if err != nil {
		return err
	}
	said, err := s.page.internals(ctx, w.session, d)
	if err != nil {
		return err
	}
	s.hash.Write(states)
	s.hash.Write(said)
	s.again = s.again || nested || fresh
	if w.Parent == "" {
		s.capture.Viewport, s.capture.Scale = driver.Size{Width: f.view[0], Height: f.view[1]}, f.view[2]
	}
	s.parts = append(s.parts, part{*d, w.Parent})
	return nil
}

// viewScale is how many of the snapshot's units make a CSS pixel. With a
// display of high resolution they are its own.
func viewScale(snap *snapshot.Snapshot, l *processLook) float64 {
	for i := range snap.Docs {
		d := &snap.Docs[i]
		k := l.worldOf(d.Frame)
		if k < 0 || l.facts[k].view[0] <= 0 || d.Nodes[0].Box.Width <= 0 {
			continue
		}
		if ratio := d.Nodes[0].Box.Width / l.facts[k].view[0]; math.Abs(ratio-1) > 0.02 {
			return ratio
		}
		break
	}
	return 1
}

// stitch puts the documents in order: a child behind its parent, children in
// the order of their owners.
func (s *stitcher) stitch() error {
	main := slices.IndexFunc(s.parts, func(p part) bool { return p.parent == "" })
	if main < 0 {
		return errMoved
	}
	s.place(&s.parts[main], -1, -1)
	if left := len(s.parts) - len(s.capture.Documents); left > 0 {
		s.capture.Notes = append(s.capture.Notes, fmt.Sprintf("%d frames without an element that shows them were left out", left))
	}
	return nil
}

func (s *stitcher) place(p *part, parent, owner int32) {
	at := int32(len(s.capture.Documents))
	p.doc.OwnerDocument, p.doc.Owner = parent, owner
	if parent >= 0 && s.capture.Documents[parent].Active != owner {
		p.doc.Active = -1 // the focus is elsewhere, and comes back here with the frame's
	}
	s.capture.Documents = append(s.capture.Documents, p.doc)
	type child struct {
		part  *part
		owner int32
	}
	var children []child
	for i := range s.parts {
		if c := &s.parts[i]; c.parent == p.doc.Frame {
			if owner := s.ownerOf(c, &p.doc); owner >= 0 {
				children = append(children, child{c, owner})
			}
		}
	}
	slices.SortFunc(children, func(a, b child) int { return cmp.Compare(a.owner, b.owner) })
	for _, c := range children {
		s.place(c.part, at, c.owner)
	}
}

// ownerOf returns the index of the element that shows c in its parent, -1 if it is gone.
func (s *stitcher) ownerOf(c *part, parent *driver.Document) int32 {
	if c.doc.Owner >= 0 {
		return c.doc.Owner
	}
	id, ok := s.owners[c.doc.Frame]
	if !ok {
		return -1
	}
	return int32(slices.IndexFunc(parent.Nodes, func(n driver.Node) bool { return n.ID == id }))
}

// A snapshot tells of each node what kind of shadow tree it is in, and not
// whose. Most often that is plain from the kinds of a node and of its parent.
// It is not where a shadow tree stands in another of its own kind, or a slot
// there has content: then our script or Chrome is asked about the element, once.

// A treeFacts is what is known about the trees of one document.
type treeFacts struct {
	hosts map[driver.NodeID]bool // whether an element hosts a shadow root, or a slot has nodes assigned
	armed map[driver.NodeID]bool // hosts whose tree our script watches
}

// assignHosts fills in Host as far as facts allow, and returns the elements
// that somebody has to be asked about.
func assignHosts(nodes []driver.Node, facts *treeFacts) (ask []unknown) {
	asked := int32(-1)
	for i := 1; i < len(nodes); i++ {
		n := &nodes[i]
		p := &nodes[n.Parent]
		switch {
		case n.Kind == driver.PseudoNode:
			n.Host, n.Shadow = p.Host, p.Shadow
			continue
		case p.Kind == driver.DocumentNode || p.Shadow == driver.Light && n.Shadow == driver.Light:
			continue
		}
		slot := p.Name == "slot" && p.Host >= 0
		if n.Shadow != p.Shadow {
			n.Host = n.Parent
			if slot {
				n.Host = nodes[p.Host].Host
			}
			continue
		}
		n.Host = p.Host
		if slot && nodes[p.Host].Shadow != p.Shadow || !slot && !mayHost(p) {
			continue
		}
		yes, known := facts.hosts[p.ID]
		switch {
		case !known:
			if asked != n.Parent {
				asked, ask = n.Parent, append(ask, unknown{p.ID, p.Shadow == driver.ClosedShadow})
			}
		case yes && slot:
			n.Host = nodes[p.Host].Host
		case yes:
			n.Host = n.Parent
		}
	}
	return ask
}

// resolveHosts completes the document's Host fields, and reports whether it
// came upon trees that nobody watched.
func (w *world) resolveHosts(ctx context.Context, d *driver.Document) (fresh bool, err error) {
	t := &w.page.kept.trees
	for range maxNesting {
		t.mu.Lock()
		unknown := assignHosts(d.Nodes, t.facts(d.Doc))
		t.mu.Unlock()
		if len(unknown) == 0 {
			return fresh, nil
		}
		// Open trees are asked of our script, all at once; it has to know
		// those that they are in.
		armed, err := w.armTrees(ctx, d)
		if err != nil {
			return fresh, err
		}
		fresh = fresh || armed
		hosts, err := w.nestedHosts(ctx)
		if err != nil {
			return fresh, err
		}
		closed, err := askClosed(ctx, w.session, unknown)
		if err != nil {
			return fresh, err
		}
		t.mu.Lock()
		f := t.facts(d.Doc)
		for _, u := range unknown {
			f.hosts[u.id] = hosts[u.id] || closed[u.id]
		}
		t.mu.Unlock()
	}
	return fresh, errors.New("shadow trees are nested too deep")
}

// maxNesting bounds the rounds of questions: one for each level of trees
// within trees of their kind.
const maxNesting = 100

// An unknown is an element that may host a tree.
type unknown struct {
	id     driver.NodeID
	closed bool // and that tree may be a closed one
}

// nestedHosts asks our script for the hosts of open trees within the trees
// that it knows, and for the slots there that are filled.
func (w *world) nestedHosts(ctx context.Context) (map[driver.NodeID]bool, error) {
	r, err := (&nodeHandle{world: *w}).deep(ctx, call{name: "nested"})
	if err != nil {
		return nil, err
	}
	nodes, err := r.nodes()
	if err != nil {
		return nil, err
	}
	hosts := make(map[driver.NodeID]bool, len(nodes))
	for _, n := range nodes {
		hosts[n.ID] = true
	}
	return hosts, nil
}

// trees keeps the facts of the documents that were last captured.
type trees struct {
	mu   sync.Mutex // protects docs and what is in them
	docs map[driver.DocID]*treeFacts
}

// facts returns those of a document. t.mu is held.
func (t *trees) facts(id driver.DocID) *treeFacts {
	f := t.docs[id]
	if f == nil {
		f = &treeFacts{hosts: map[driver.NodeID]bool{}, armed: map[driver.NodeID]bool{}}
		if t.docs == nil {
			t.docs = map[driver.DocID]*treeFacts{}
		}
		t.docs[id] = f
	}
	return f
}

// keep forgets all documents but these.
func (t *trees) keep(docs []driver.Document) {
	t.mu.Lock()
	defer t.mu.Unlock()
	live := make(map[driver.DocID]*treeFacts, len(docs))
	for i := range docs {
		if f := t.docs[docs[i].Doc]; f != nil {
			live[docs[i].Doc] = f
		}
	}
	t.docs = live
}

// askAtOnce is how many elements Chrome is asked about in one write.
const askAtOnce = 512

// askClosed asks Chrome which elements host closed trees; no script can know.
// An element that has gone meanwhile counts as plain.
func askClosed(ctx context.Context, s *session, elements []unknown) (map[driver.NodeID]bool, error) {
	var ids []driver.NodeID
	for _, u := range elements {
		if u.closed {
			ids = append(ids, u.id)
		}
	}
	hosts := map[driver.NodeID]bool{}
	for some := range slices.Chunk(ids, askAtOnce) {
		requests := make([]*conn.Request[dom.DescribeNodeReply], len(some))
		for i, id := range some {
			requests[i] = protocol.DOMDescribeNode.With(dom.DescribeNodeArgs{BackendNodeID: new(dom.BackendNodeID(id)), Depth: new(0)})
		}
		replies, err := conn.All(ctx, s, requests)
		if err != nil && !errors.As(err, new(*CommandError)) {
			return nil, err
		}
		for i, reply := range replies {
			if reply == nil {
				continue
			}
			n := &reply.Node
			hosts[some[i]] = len(n.DistributedNodes) > 0 || len(n.ShadowRoots) > 0 && n.ShadowRoots[0].ShadowRootType != dom.ShadowRootTypeUserAgent
		}
	}
	return hosts, nil
}

// armTrees has our script watch the shadow trees of a document that it does
// not watch yet, and reports whether there were any.
func (w *world) armTrees(ctx context.Context, d *driver.Document) (bool, error) {
	t := &w.page.kept.trees
	t.mu.Lock()
	armed := t.facts(d.Doc).armed
	t.mu.Unlock()
	var hosts, members []driver.NodeID
	last := int32(-1)
	for i := 1; i < len(d.Nodes); i++ {
		n := &d.Nodes[i]
		if n.Host < 0 || n.Host != n.Parent || n.Host == last || n.Kind == driver.PseudoNode {
			continue
		}
		last = n.Host
		t.mu.Lock()
		have := armed[d.Nodes[n.Host].ID]
		t.mu.Unlock()
		if !have {
			hosts, members = append(hosts, d.Nodes[n.Host].ID), append(members, n.ID)
		}
	}
	if len(hosts) == 0 {
		return false, nil
	}
	objects, err := w.resolve(ctx, members...)
	if err != nil {
		return false, err
	}
	defer release(w.session, objects...)
	if err := w.value(ctx, call{name: "arm", nodes: objects}, nil); err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range hosts {
		armed[id] = true
	}
	return true, nil
}
