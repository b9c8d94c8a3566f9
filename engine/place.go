package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A place is a node of a capture.
type place struct {
	capture *driver.Capture
	doc, at int32
}

// placeOf finds a node in a capture.
func placeOf(c *driver.Capture, ref driver.NodeRef) (place, bool) {
	if c == nil {
		return place{}, false
	}
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

func (p place) ref() driver.NodeRef { return p.capture.Documents[p.doc].Ref(p.at) }

// subtree returns the node and its descendants within its document.
func (p place) subtree() []driver.Node {
	nodes := p.capture.Documents[p.doc].Nodes[p.at:]
	end := slices.IndexFunc(nodes[1:], func(n driver.Node) bool { return n.Parent < p.at })
	if end < 0 {
		return nodes
	}
	return nodes[:end+1]
}

func (p place) node() *driver.Node { return &p.capture.Documents[p.doc].Nodes[p.at] }

// up returns the parent, across shadow roots and frames.
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

// encloses reports whether outer is inner or one of its ancestors.
func encloses(c *driver.Capture, outer, inner driver.NodeRef) bool {
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

// box returns the node's box in the page's viewport, as far as a reading tells:
// the borders of frames are not accounted for.
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

func contains(r driver.Rect, at driver.Offset) bool {
	return at.X >= r.X && at.Y >= r.Y && at.X < r.X+r.Width && at.Y < r.Y+r.Height
}

// describe names an element without a role by its tag, its id and its text.
func (p place) describe() string {
	doc := &p.capture.Documents[p.doc]
	n := p.node()
	tag := "<" + n.Name
	if id, ok := n.Attr("id"); ok && id != "" {
		tag += " id=" + id
	}
	tag += ">"
	var words []string
	for i := p.at + 1; int(i) < len(doc.Nodes) && doc.Nodes[i].Parent >= p.at && len(words) < maxDescribed; i++ {
		words = append(words, strings.Fields(doc.Nodes[i].Shown)...)
	}
	if len(words) > 0 {
		tag += " " + strconv.Quote(strings.Join(words[:min(len(words), maxDescribed)], " "))
	}
	return tag
}

// maxDescribed bounds the words of an element's text that describe quotes.
const maxDescribed = 10
