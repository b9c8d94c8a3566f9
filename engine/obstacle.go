package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// nameObstacle gives an element that covers the other its role and name.
func (p *Page) nameObstacle(ctx context.Context, obstacle error, node, hit driver.NodeRef) error {
	if !errors.Is(obstacle, driver.ErrObscured) || hit.IsZero() {
		return obstacle
	}
	if _, err := p.capture(ctx); err != nil {
		return obstacle // the name is a courtesy
	}
	covered := &CoveredError{err: obstacle}
	snap := p.build(nil)
	at, ok := placeOf(snap.Capture, hit)
	if !ok {
		return covered
	}
	// What holds both says nothing about what lies on top.
	if n, ok := snap.Nearest(hit); ok && !around(snap.Capture, n.Source, node) {
		covered.Ref, covered.By = n.Ref, fingerprint(n).String()
	} else {
		covered.By = at.describe()
	}
	return covered
}

// A place is a node of a capture.
type place struct {
	capture *driver.Capture
	doc, at int32
}

// placeOf finds a node in a capture.
func placeOf(c *driver.Capture, ref driver.NodeRef) (place, bool) {
	for d := range c.Documents {
		if doc := &c.Documents[d]; doc.Frame == ref.Frame && doc.Doc == ref.Doc {
			for i := range doc.Nodes {
				if doc.Nodes[i].ID == ref.Node {
					return place{c, int32(d), int32(i)}, true
				}
			}
		}
	}
	return place{}, false
}

func (p place) node() *driver.Node { return &p.capture.Documents[p.doc].Nodes[p.at] }

// up returns the node around, through shadow roots and frames.
func (p place) up() (place, bool) {
	doc := &p.capture.Documents[p.doc]
	if parent := doc.Nodes[p.at].Parent; parent >= 0 {
		return place{p.capture, p.doc, parent}, true
	}
	if doc.OwnerDocument < 0 {
		return place{}, false
	}
	return place{p.capture, doc.OwnerDocument, doc.Owner}, true
}

// around reports whether a node is another or holds it.
func around(c *driver.Capture, outer, inner driver.NodeRef) bool {
	in, ok := placeOf(c, inner)
	out, known := placeOf(c, outer)
	for ok && known {
		if in == out {
			return true
		}
		in, ok = in.up()
	}
	return false
}

// describe names an element that has no role by its tag, its id and what is
// written on it.
func (p place) describe() string {
	doc := &p.capture.Documents[p.doc]
	n := p.node()
	tag := "<" + n.Name
	if id, ok := n.Attr("id"); ok && id != "" {
		tag += " id=" + id
	}
	tag += ">"
	var words []string
	for i := p.at + 1; int(i) < len(doc.Nodes) && doc.Nodes[i].Parent >= p.at && len(words) < mostDescribed; i++ {
		words = append(words, strings.Fields(doc.Nodes[i].Shown)...)
	}
	if len(words) > 0 {
		tag += " " + strconv.Quote(strings.Join(words[:min(len(words), mostDescribed)], " "))
	}
	return tag
}

// mostDescribed is how many words of what is written on an element are told.
const mostDescribed = 10
