package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// hide marks, from the top of the accessibility tree down, what a person does not
// perceive: what is not rendered or not visible, what aria-hidden covers, and
// what is inert.
func (b *builder) hide() {
	modals := b.modals()
	for _, i := range b.order {
		it := &b.items[i]
		if it.parent == none {
			b.hideDocument(i)
			continue
		}
		p := &b.items[it.axParent]
		it.flags |= p.flags & (ariaHidden | inert | pruned | lockedAuto)
		if b.isPruned(i) {
			it.flags |= pruned
		}
		if it.is(isElement) && it.any(ariaHiddenAttr) && b.hidesAria(i) {
			it.flags |= ariaHidden | ariaRoot
		}
		b.hideByStyle(i, p)
		if it.is(isElement) {
			if s := it.node.Style; s != nil && s.Interactivity == "inert" {
				it.flags |= inert // a descendant cannot undo it: CSS Basic User Interface 4 §7.1
			}
			if it.any(attrInert) || it.tag == tagButton && it.parent != none && b.items[it.parent].tag == tagSelect {
				it.flags |= inert
			}
			if it.is(modalOpen) && modals[it.doc] == i {
				it.flags &^= inert
			} else if m := modals[it.doc]; m != none && !it.is(inert) && (i < m || i >= b.items[m].end) {
				it.flags |= inert
			}
			if s := it.node.Style; s != nil && s.ContentVisibility == "auto" {
				it.flags |= lockedAuto
			}
		} else if m := modals[it.doc]; m != none && p.is(inert) {
			it.flags |= inert
		}
	}
}

// hideDocument: what hides a frame's owner hides what is in the frame.
func (b *builder) hideDocument(i int32) {
	it := &b.items[i]
	if it.axParent == none {
		return
	}
	it.flags |= b.items[it.axParent].flags & (hiddenStyle | ariaHidden | inert | pruned)
}

// modals returns, for each document, the modal dialog on top; none if there is none.
func (b *builder) modals() []int32 {
	m := make([]int32, len(b.c.Documents))
	for d := range m {
		m[d] = none
	}
	for i := range b.items {
		if b.items[i].is(modalOpen) {
			m[b.items[i].doc] = int32(i)
		}
	}
	return m
}

// hidesAria reports whether an element's aria-hidden takes effect: not on the root
// elements, not on an option, and not around what has the focus.
func (b *builder) hidesAria(i int32) bool {
	it := &b.items[i]
	if !isTrue(b.attr(i, ariaHiddenAttr, "aria-hidden")) {
		return false
	}
	if it.tag == tagBody || it.tag == tagOption || it.tag == tagHTML && it.is(isHTML) {
		return false
	}
	doc := &b.c.Documents[it.doc]
	if doc.Active > 0 && int(doc.Active) < len(doc.Nodes) {
		a := b.base[it.doc] + doc.Active
		if t := b.items[a].tag; a >= i && a < it.end && t != tagBody && t != tagHTML {
			return false
		}
	}
	return true
}

// hideByStyle: display none, visibility, content-visibility.
func (b *builder) hideByStyle(i int32, p *item) {
	it := &b.items[i]
	switch {
	case it.is(isText):
		if p.is(hiddenStyle) || it.is(hasLayout) && b.invisible(i) {
			it.flags |= hiddenStyle
		}
	case it.is(hasLayout):
		if b.invisible(i) {
			it.flags |= hiddenStyle
		}
	case it.is(boxless):
	case it.is(inSelect) && it.tag != tagSelect:
		// The parts of a drop-down that is closed have no boxes.
		if p.is(hiddenStyle) {
			it.flags |= hiddenStyle
		}
	case it.is(lockedAuto):
	case it.tag == tagArea, it.tag == tagWbr, it.is(inCanvas):
		if p.is(hiddenStyle) {
			it.flags |= hiddenStyle
		}
	default:
		it.flags |= hiddenStyle
	}
}

// isPictured reports whether the picture of a map can be there: Chromium makes no objects
// of the areas of one that has no source, or did not come.
func (b *builder) isPictured(m int32) bool {
	it := &b.items[m]
	name, _ := it.node.Attr("name")
	i, ok := b.images[idKey{it.doc, it.node.Host, name}]
	if !ok {
		return true // what no picture names is not laid out
	}
	n := b.items[i].node
	_, source := n.Attr("src")
	_, set := n.Attr("srcset")
	return (source || set) && (n.Rare == nil || !n.Rare.Broken)
}

// isPruned reports whether Chromium makes no object of an item and of what is
// below it.
func (b *builder) isPruned(i int32) bool {
	it := &b.items[i]
	switch it.node.Kind {
	case driver.TextNode:
		return b.isIgnorableSpace(i)
	case driver.PseudoNode:
		switch it.node.Name {
		case "::before", "::after", "::marker":
			return false
		}
		return true
	case driver.DoctypeNode:
		return true
	}
	switch it.tag {
	case tagHead, tagStyle, tagScript, tagTemplate, tagTitle, svgStyle:
		return !it.is(hasLayout) || it.tag == tagTitle || it.tag == svgStyle
	case tagMap, tagCol, tagColgroup:
		return true
	case tagArea:
		return it.parent == none || b.items[it.parent].tag != tagMap || !b.isPictured(it.parent)
	case tagSlot:
		return it.first == none && it.node.Host >= 0
	}
	if it.axParent != none {
		if p := &b.items[it.axParent]; p.is(isElement) && !b.canHaveChildren(it.axParent) {
			return true
		}
	}
	return false
}
