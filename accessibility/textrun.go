package accessibility

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A textRun is text that stands on one line so far, from one or more nodes.
type textRun struct {
	set       bool
	one       string // while there is a single piece: that piece as captured
	buf       []byte
	many      bool
	spaced    bool // ends in white space
	doc, node int32
	broken    bool
	tight     bool  // follows what is before without white space
	below     int32 // the node that the run belongs to
}

// space separates what follows from what is there.
func (r *textRun) space() {
	if !r.set || r.spaced {
		return
	}
	r.spread()
	r.buf = append(r.buf, ' ')
	r.spaced = true
}

// spread makes room for more pieces.
func (r *textRun) spread() {
	if !r.many {
		r.many = true
		r.buf, r.spaced = appendTidy(r.buf[:0], r.one, true)
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
	if len(p.open) == 0 { // text without a document
		return
	}
	top := &p.open[len(p.open)-1]
	if top.cover >= 0 && !p.open[top.cover].by.whole {
		if t := tidy(text); t == "" || p.open[top.cover].by.covers(t) || top.inside && mere(t) {
			p.run.space()
			p.gap = p.gap || blankEnd(text)
			return
		}
	}
	r := &p.run
	if !r.set {
		if tidy(text) == "" {
			p.gap = true
			return
		}
		*r = textRun{set: true, buf: r.buf, one: text, doc: o.Doc, node: o.Node, broken: p.broken, below: top.node}
		r.tight = !p.gap && !blankEnd(text[:1])
		p.broken, p.gap = false, false
		return
	}
	r.spread()
	r.buf, r.spaced = appendTidy(r.buf, text, r.spaced)
}

// blankEnd reports whether s ends in white space.
func blankEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return s != "" && blank(r)
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
		text = p.text.add(bytes.TrimSuffix(r.buf, []byte{' '}))
	} else {
		text = tidy(r.one)
	}
	p.gap = r.many && r.spaced || !r.many && blankEnd(r.one)
	from, done := r.below, *r
	*r = textRun{buf: r.buf}
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
	t.role, t.name, t.object, t.doc, t.node, t.broken = "text", text, -1, done.doc, done.node, done.broken
	t.tight = done.tight
}

// append adds an empty node below parent, which may be -1.
func (p *pruner) append(parent int32) int32 {
	k := int32(len(p.nodes))
	d := draft{parent: parent}
	if parent >= 0 {
		up := &p.nodes[parent]
		if d.prev = up.last; d.prev > 0 {
			p.nodes[d.prev].next = k
		}
		up.last = k
		up.kids++
	}
	p.nodes = append(p.nodes, d)
	return k
}

// drop removes the last node, which has no children.
func (p *pruner) drop(k int32) {
	d := &p.nodes[k]
	if d.parent >= 0 {
		up := &p.nodes[d.parent]
		up.kids--
		up.last = d.prev
		if d.prev > 0 {
			p.nodes[d.prev].next = 0
		}
	}
	p.broken = p.broken || d.broken
	p.nodes = p.nodes[:k]
}

// dropKids removes all that is below k, which is the end of the nodes.
func (p *pruner) dropKids(k int32) {
	p.nodes = p.nodes[:k+1]
	p.nodes[k].kids, p.nodes[k].last = 0, 0
}
