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

// begins are the roles of what stands for itself, beside headings.
var begins = map[accessibility.Role]bool{"row": true, "listitem": true, "article": true, "option": true, "treeitem": true, "region": true, "table": true, "list": true}

// fromAbove reports whether a cell reaches into its row from one above.
func fromAbove(c accessibility.Cell) bool { return c.Reach == accessibility.FromAbove }

// A tree is the captured nodes of all frames, each frame below its owner.
type tree struct {
	at        map[driver.NodeRef]int32
	up, depth []int32
}

func newTree(c *driver.Capture) *tree {
	t := &tree{at: map[driver.NodeRef]int32{}}
	first := make([]int32, len(c.Documents))
	for d := range c.Documents {
		doc := &c.Documents[d]
		first[d] = int32(len(t.up))
		for k := range doc.Nodes {
			// Parents and owners stand before what is theirs, or the capture contradicts itself.
			up, depth := int32(-1), int32(0)
			if parent := doc.Nodes[k].Parent; parent >= 0 && int(parent) < k {
				up = first[d] + parent
			} else if owner := doc.OwnerDocument; owner >= 0 && int(owner) < d && doc.Owner >= 0 && int(doc.Owner) < len(c.Documents[owner].Nodes) {
				up = first[owner] + doc.Owner
			}
			if up >= 0 {
				depth = t.depth[up] + 1
			}
			if ref := doc.Ref(int32(k)); t.at[ref] == 0 {
				t.at[ref] = int32(len(t.up))
			}
			t.up, t.depth = append(t.up, up), append(t.depth, depth)
		}
	}
	return t
}

// common returns the depth of the innermost element that holds both, which may
// be one of them.
func (t *tree) common(a, b int32) int32 {
	for a != b {
		if t.depth[b] > t.depth[a] {
			a, b = b, a
		}
		if a = t.up[a]; a < 0 {
			return 0
		}
	}
	if len(t.depth) == 0 {
		return 0
	}
	return t.depth[a]
}
