package cdp

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
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
	if f.nodes.at(f.Document).ID != d.Nodes[0].ID {
		return errMoved
	}
	d.Doc, d.Ordinal = w.Doc, w.Ordinal
	nested, err := s.page.trees.resolveHosts(ctx, w, d)
	if err != nil {
		return err
	}
	f.apply(d)
	fresh, err := s.page.trees.arm(ctx, w, d)
	if err != nil {
		return err
	}
	states, err := scrollStates(ctx, w, d)
	if err != nil {
		return err
	}
	said, err := internals(ctx, w.session, d)
	if err != nil {
		return err
	}
	s.hash.Write(states)
	s.hash.Write(said)
	s.again = s.again || nested || fresh
	if w.Parent == "" {
		s.capture.Viewport, s.capture.Scale = driver.Size{Width: f.View[0], Height: f.View[1]}, f.View[2]
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
		if k < 0 || l.facts[k].View[0] <= 0 || d.Nodes[0].Box.Width <= 0 {
			continue
		}
		if ratio := d.Nodes[0].Box.Width / l.facts[k].View[0]; math.Abs(ratio-1) > 0.02 {
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
