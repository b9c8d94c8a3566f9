package parts

import (
	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// What a seam costs beside the depth of what it cuts through.
const (
	seamHeading = iota // a heading follows: a section begins
	seamRecord         // a row, an item, a card follows
	seamOther
	seamTorn // a heading's own text, or rows that a cell spans
	seamStep // of depth
)

// A spot is a captured element.
type spot struct{ doc, node int32 }

// findSeams rates a cut before each line: the deeper the element that holds the
// lines on both sides, the more it tears apart.
func (d *Division) findSeams() {
	nodes := d.snap.Nodes
	d.seams = make([]int32, len(nodes)+1)
	d.inside = make([]bool, len(nodes)+1)
	t := newTree(d.snap.Capture)
	for i := 1; i < len(nodes); i++ {
		kind := int32(seamOther)
		n, last := &nodes[i], &nodes[i-1]
		switch {
		case headingLevel(last) > 0 || torn(n):
			kind = seamTorn
		case headingLevel(n) > 0:
			kind = seamHeading
		case n.Role == "row" || n.Role == "listitem" || n.Role == "article" || n.Role == "option" || n.Role == "treeitem" || n.Role == "region" || n.Role == "table" || n.Role == "list":
			kind = seamRecord
		}
		d.seams[i] = t.common(t.spot(last), t.spot(n))*seamStep + kind
		d.inside[i] = kind >= seamOther
	}
}

// torn reports whether a cut before a row would part it from a cell that it
// shares with the rows above.
func torn(n *accessibility.Node) bool {
	for i := range n.Cells {
		if n.Cells[i].Reach == accessibility.FromAbove {
			return true
		}
	}
	return false
}

// A tree answers how deep the element is that holds two others.
type tree struct {
	capture *driver.Capture
	index   []map[driver.NodeID]int32 // by document
	depths  [][]int32
}

func newTree(c *driver.Capture) *tree {
	t := &tree{capture: c, index: make([]map[driver.NodeID]int32, len(c.Documents)), depths: make([][]int32, len(c.Documents))}
	for i := range c.Documents {
		doc := &c.Documents[i]
		t.index[i] = make(map[driver.NodeID]int32, len(doc.Nodes))
		t.depths[i] = make([]int32, len(doc.Nodes))
		base := int32(0)
		if up, ok := t.above(spot{int32(i), 0}); ok {
			base = t.depths[up.doc][up.node] + 1
		}
		for k := range doc.Nodes {
			t.depths[i][k] = base
			if up := doc.Nodes[k].Parent; up >= 0 && int(up) < k {
				t.depths[i][k] = t.depths[i][up] + 1
			}
			if _, ok := t.index[i][doc.Nodes[k].ID]; !ok {
				t.index[i][doc.Nodes[k].ID] = int32(k)
			}
		}
	}
	return t
}

// spot returns the element that a line was made of.
func (t *tree) spot(n *accessibility.Node) spot {
	for i := range t.capture.Documents {
		if doc := &t.capture.Documents[i]; doc.Frame == n.Source.Frame && doc.Doc == n.Source.Doc {
			return spot{int32(i), t.index[i][n.Source.Node]}
		}
	}
	return spot{}
}

func (t *tree) depth(s spot) int32 {
	if int(s.node) >= len(t.depths[s.doc]) {
		return 0
	}
	return t.depths[s.doc][s.node]
}

// above returns the element around another, through frames. A parent stands
// before its children, or the capture contradicts itself.
func (t *tree) above(s spot) (spot, bool) {
	doc := &t.capture.Documents[s.doc]
	if int(s.node) < len(doc.Nodes) {
		if up := doc.Nodes[s.node].Parent; up >= 0 && up < s.node {
			return spot{s.doc, up}, true
		}
	}
	up, at := doc.OwnerDocument, doc.Owner
	if up < 0 || up >= s.doc || at < 0 || int(at) >= len(t.capture.Documents[up].Nodes) {
		return spot{}, false
	}
	return spot{up, at}, true
}

// common returns the depth of the innermost element that holds both, which may
// be one of them.
func (t *tree) common(a, b spot) int32 {
	for a != b {
		deeper := &a
		if t.depth(b) > t.depth(a) {
			deeper = &b
		}
		up, ok := t.above(*deeper)
		if !ok {
			return 0
		}
		*deeper = up
	}
	return t.depth(a)
}
