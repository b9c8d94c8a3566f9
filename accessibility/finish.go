package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// chunks hands out strings that are parts of few large ones.
type chunks struct{ b strings.Builder }

// add returns text as a string.
func (c *chunks) add(text []byte) string {
	if c.b.Cap()-c.b.Len() < len(text) {
		c.b = strings.Builder{} // what was handed out stays with the old one
		c.b.Grow(max(64<<10, len(text)))
	}
	at := c.b.Len()
	c.b.Write(text)
	return c.b.String()[at:]
}

// finish removes what was buried and fills in refs and the shape of the tree.
func (p *pruner) finish() {
	docs := p.tree.Capture.Documents
	at := make([]int32, len(p.nodes)) // where a node has gone, or its nearest living ancestor
	n := int32(0)
	var buf [40]byte
	for i := range p.nodes {
		up := p.nodes[i].Parent
		if up >= 0 {
			up = at[up]
		}
		if p.marks[i].dead {
			at[i] = up
			continue
		}
		at[i] = n
		if n != int32(i) {
			p.nodes[n] = p.nodes[i]
		}
		node := &p.nodes[n]
		node.Parent, node.End, node.Depth, node.index = up, n+1, 0, n
		if up >= 0 {
			node.Depth = min(p.nodes[up].Depth+1, MaxDepth)
		}
		d := &docs[node.doc]
		node.Source = d.Ref(node.node)
		node.Target = node.Source
		if node.Role == "text" {
			node.Target = d.Ref(holder(d, node.node))
		}
		node.Ref = Ref(p.text.add(appendRef(buf[:0], d.Ordinal, node.Source.Node)))
		n++
	}
	clear(p.nodes[n:])
	p.nodes = p.nodes[:n]
	for i := n - 1; i >= 0; i-- {
		if up := p.nodes[i].Parent; up >= 0 {
			p.nodes[up].End = max(p.nodes[up].End, p.nodes[i].End)
		}
	}
	p.snap.Nodes = p.nodes
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
