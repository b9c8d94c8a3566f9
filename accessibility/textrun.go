package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A textRun is text that stands on one line so far, from one or more nodes.
type textRun struct {
	set       bool
	one       string // while there is a single piece: that piece as captured
	buf       strings.Builder
	many      bool
	spaced    bool // ends in white space
	doc, node int32
	broken    bool
	below     int32 // the node that the run belongs to
}

// space separates what follows from what is there.
func (r *textRun) space() {
	if !r.set || r.spaced {
		return
	}
	r.spread()
	r.buf.WriteByte(' ')
	r.spaced = true
}

// spread makes room for more pieces.
func (r *textRun) spread() {
	if !r.many {
		r.many = true
		r.buf.Reset()
		r.spaced = appendTidy(&r.buf, r.one, true)
	}
}

// piece takes in a text or a pseudo element.
func (p *pruner) piece(o *Object, n *driver.Node) {
	text := n.Shown
	if n.Kind == driver.PseudoNode {
		if o.Name != "" {
			text = o.Name
		}
		if n.Name == "::marker" && !numbering(text) {
			return
		}
	} else if text == "" {
		text = n.Text
	}
	if text == "" {
		return
	}
	top := &p.open[max(len(p.open)-1, 0)]
	if len(p.open) == 0 {
		return
	}
	if top.cover >= 0 && !p.open[top.cover].by.whole {
		if t := tidy(text); t == "" || p.open[top.cover].by.covers(t) || top.inside && mere(t) {
			p.run.space()
			return
		}
	}
	r := &p.run
	if !r.set {
		if tidy(text) == "" {
			return
		}
		*r = textRun{set: true, one: text, doc: o.Doc, node: o.Node, broken: p.broken, below: top.node}
		p.broken = false
		return
	}
	r.spread()
	r.spaced = appendTidy(&r.buf, text, r.spaced)
}

// numbering reports whether a list marker tells more than that it is one.
func numbering(s string) bool {
	return strings.ContainsAny(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
}

// mere reports whether text is a sign, such as × or ▾, that a name explains.
func mere(s string) bool {
	for _, r := range s {
		if r < 0x80 && (r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z') || r >= 0xc0 && r < 0x2000 && r != 0xd7 && r != 0xf7 || r > 0x2e00 {
			return false
		}
	}
	return true
}

// flush ends the run and makes a node of it.
func (p *pruner) flush() {
	r := &p.run
	if !r.set {
		return
	}
	text := ""
	if r.many {
		text = strings.TrimSuffix(r.buf.String(), " ")
	} else {
		text = tidy(r.one)
	}
	from, doc, node, broken := r.below, r.doc, r.node, r.broken
	*r = textRun{}
	if text == "" {
		return
	}
	if n := len(p.open); n > 0 {
		if c := p.open[n-1].cover; c >= 0 && p.open[c].by.whole && p.open[c].by.covers(text) {
			return
		}
	}
	k := p.append(from)
	t := &p.nodes[k]
	t.Role, t.Name, t.doc, t.node, t.broken = "text", text, doc, node, broken
}

// append adds an empty node below parent, which may be -1.
func (p *pruner) append(parent int32) int32 {
	k := int32(len(p.nodes))
	p.nodes = append(p.nodes, Node{Parent: parent})
	m := mark{}
	if parent >= 0 {
		up := &p.marks[parent]
		if m.prev = up.last; m.prev > 0 {
			p.marks[m.prev].next = k
		}
		up.last = k
		up.kids++
	}
	p.marks = append(p.marks, m)
	return k
}

// drop removes the last node, which has no children.
func (p *pruner) drop(k int32) {
	m := &p.marks[k]
	if parent := p.nodes[k].Parent; parent >= 0 {
		p.marks[parent].kids--
		p.marks[parent].last = m.prev
		if m.prev > 0 {
			p.marks[m.prev].next = 0
		}
	}
	p.broken = p.broken || p.nodes[k].broken
	p.nodes, p.marks = p.nodes[:k], p.marks[:k]
}

// dropKids removes all that is below k, which is the end of the nodes.
func (p *pruner) dropKids(k int32) {
	p.nodes, p.marks = p.nodes[:k+1], p.marks[:k+1]
	p.marks[k].kids, p.marks[k].last = 0, 0
}
