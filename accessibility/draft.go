package accessibility

import (
	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// The drafts are the nodes of a walk so far, in preorder, and how the next one begins.
type drafts struct {
	tree        *axtree.Tree
	nodes       []draft
	newLine     bool // the next text begins a new line
	spaceBefore bool // white space comes before the next text
}

// A draft is the part of a node that the walk needs. The rest is filled in
// after the walk, for the nodes that are left.
type draft struct {
	role        Role
	name        string
	cells       []Cell
	object      int32 // in Tree.Objects; -1 for text and the page
	doc, node   int32
	parent      int32 // in drafts.nodes; -1 for none
	children    int32 // number of children
	last        int32 // the last child, 0 for none; the first is the node behind
	prev, next  int32 // the siblings, 0 for none
	heading     int32
	removed     bool // to be removed; its children stay
	interactive bool
	checked     bool // the control that it labels is checked
	header      bool
	newLine     bool
	joined      bool
}

// append adds an empty node below parent, which may be -1.
func (p *drafts) append(parent int32) int32 {
	k := int32(len(p.nodes))
	d := draft{parent: parent}
	if parent >= 0 {
		up := &p.nodes[parent]
		if d.prev = up.last; d.prev > 0 {
			p.nodes[d.prev].next = k
		}
		up.last = k
		up.children++
	}
	p.nodes = append(p.nodes, d)
	return k
}

// drop removes the last node, which has no children.
func (p *drafts) drop(k int32) {
	d := &p.nodes[k]
	if d.parent >= 0 {
		up := &p.nodes[d.parent]
		up.children--
		up.last = d.prev
		if d.prev > 0 {
			p.nodes[d.prev].next = 0
		}
	}
	p.newLine = p.newLine || d.newLine
	p.nodes = p.nodes[:k]
}

// onlyChild returns the only node below k, looking through removed ones; -1 if
// there are several.
func (p *drafts) onlyChild(k int32) int32 {
	for p.nodes[k].children == 1 {
		k = p.nodes[k].last
		if !p.nodes[k].removed {
			return k
		}
	}
	return -1
}

// plain reports whether a node has nothing to show but its role and its name.
func (p *drafts) plain(k int32) bool {
	s := p.states(k)
	return !p.nodes[k].interactive && s.Current == "" && s.Selected != On && s.Expanded == Unset && s.Sort == "" && !s.Busy &&
		!p.scrolls(k)
}

// first returns the first child of k, 0 if there is none.
func (p *drafts) first(k int32) int32 {
	if p.nodes[k].children == 0 {
		return 0
	}
	return k + 1
}

// noObject stands for a node that was not made of an object.
var noObject = axtree.Object{States: new(axtree.States)}

// objectOf returns the object that a node was made of.
func (p *drafts) objectOf(k int32) *axtree.Object {
	if i := p.nodes[k].object; i >= 0 {
		return &p.tree.Objects[i]
	}
	return &noObject
}

// captured returns the node of the page that a node with an object was made of.
func (p *drafts) captured(k int32) *driver.Node {
	d := &p.nodes[k]
	return &p.tree.Capture.Documents[d.doc].Nodes[d.node]
}

func (p *drafts) states(k int32) *States { return p.objectOf(k).States }

// scrolls reports whether a node's content is larger than what is shown of it.
func (p *drafts) scrolls(k int32) bool {
	return p.nodes[k].object >= 0 && scrolls(p.captured(k))
}

// worthLine reports whether a node without anything below it is worth a line.
func (p *drafts) worthLine(k int32) bool {
	n := &p.nodes[k]
	if n.name != "" || n.interactive && !p.zeroSize(k) || p.scrolls(k) || hasValue(n.role) && p.objectOf(k).Value != "" {
		return true
	}
	switch n.role {
	case "cell", "gridcell", "columnheader", "rowheader": // the row decides
		return n.parent >= 0 && p.nodes[n.parent].role == "row"
	case "image", "iframe", "video", "audio", "canvas", "embeddedobject", "pluginobject", "dialog", "alertdialog", "document",
		"meter", "progressbar":
		return true
	}
	return p.states(k).Busy
}

// zeroSize reports whether a node has neither a role nor an area. Scripts put
// their popups into such elements, which may have listeners and cannot be clicked.
func (p *drafts) zeroSize(k int32) bool {
	n := &p.nodes[k]
	if n.role != "generic" || n.object < 0 || p.states(k).Editable {
		return false
	}
	box := p.captured(k).Box
	return box.Width <= 0 || box.Height <= 0
}

// dropRepeated removes texts for screen readers alone that only repeat the text right
// beside them.
func (p *drafts) dropRepeated() {
	before := int32(-1) // the node before, on whatever level
	for i := range p.nodes {
		d := &p.nodes[i]
		if d.removed {
			continue
		}
		if d.role == "text" && d.name != "" && p.spoken(d) {
			for _, k := range [...]int32{before, p.behind(int32(i))} {
				if k >= 0 && equalText(p.nodes[k].name, d.name) {
					d.removed = true
					break
				}
			}
		}
		if !d.removed {
			before = int32(i)
		}
	}
}

// behind returns the node behind a text, -1 if there is none.
func (p *drafts) behind(i int32) int32 {
	for i++; int(i) < len(p.nodes); i++ {
		if !p.nodes[i].removed {
			return i
		}
	}
	return -1
}

// spoken reports whether a text stands in a box of a pixel, where screen readers alone
// find it.
func (p *drafts) spoken(text *draft) bool {
	nodes := p.tree.Capture.Documents[text.doc].Nodes
	up := nodes[text.node].Parent
	if up < 0 || up >= text.node {
		return false
	}
	n := &nodes[up]
	return n.Rendered && n.Box.Width > 0 && n.Box.Height > 0 && n.Box.Width <= 1 && n.Box.Height <= 1
}
