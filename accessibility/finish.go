package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// chunks hands out strings that are parts of few large ones. Each is twice as
// large as the one before, so that a small page does not hold a large one.
type chunks struct{ b strings.Builder }

// The sizes of chunks in bytes, unless one text takes more.
const (
	firstChunk = 1 << 10
	lastChunk  = 64 << 10
)

// add returns text as a string.
func (c *chunks) add(text []byte) string {
	if c.b.Cap()-c.b.Len() < len(text) {
		size := min(max(2*c.b.Cap(), firstChunk), lastChunk)
		c.b = strings.Builder{} // what was handed out stays with the old one
		c.b.Grow(max(size, len(text)))
	}
	at := c.b.Len()
	c.b.Write(text)
	return c.b.String()[at:]
}

// finish makes the nodes of the snapshot from what is left.
func (p *pruner) finish() {
	docs := p.tree.Capture.Documents
	at := make([]int32, len(p.nodes)) // where a node has gone, or its nearest living ancestor
	n := int32(0)
	for i := range p.nodes {
		if up := p.nodes[i].parent; up >= 0 {
			at[i] = at[up]
		} else {
			at[i] = -1
		}
		p.nodes[i].parent = at[i]
		if !p.nodes[i].dead {
			at[i] = n
			n++
		}
	}
	nodes := make([]Node, n)
	var buf [44]byte
	n = 0
	for i := range p.nodes {
		from := &p.nodes[i]
		if from.dead {
			continue
		}
		node := &nodes[n]
		p.fill(node, from)
		node.Parent, node.End, node.index = from.parent, n+1, n
		if node.Parent >= 0 {
			node.Depth = min(nodes[node.Parent].Depth+1, MaxDepth)
		}
		node.Ref = Ref(p.text.add(appendRef(buf[:0], docs[node.doc].Ordinal, node.Source.Node)))
		n++
	}
	for i := n - 1; i >= 0; i-- {
		if up := nodes[i].Parent; up >= 0 {
			nodes[up].End = max(nodes[up].End, nodes[i].End)
		}
	}
	p.snap.Nodes = nodes
}

// holder returns the element around a text or a pseudo element.
func holder(d *driver.Document, i int32) int32 {
	for d.Nodes[i].Kind == driver.TextNode || d.Nodes[i].Kind == driver.PseudoNode {
		up := d.Nodes[i].Parent
		if up < 0 || up >= i {
			return i
		}
		i = up
	}
	return i
}
