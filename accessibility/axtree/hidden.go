package axtree

import "github.com/wayfinder-engine/wayfinder/driver"

// hiding is the pass that finds what a person does not perceive.
type hiding struct{ *arrangement }

// hide marks, from the top of the accessibility tree down, what a person does not
// perceive: what is not rendered or not visible, what aria-hidden covers, and
// what is inert.
func (h *hiding) hide() {
	modals := h.modals()
	for _, i := range h.order {
		it := &h.items[i]
		if it.parent == none {
			if it.axParent != none { // a frame is hidden with its owner
				it.flags |= h.items[it.axParent].flags & (hiddenStyle | ariaHidden | inert | pruned)
			}
			continue
		}
		p := &h.items[it.axParent]
		it.flags |= p.flags & (ariaHidden | inert | pruned | lockedAuto)
		if h.isPruned(i) {
			it.flags |= pruned
		}
		if it.is(isElement) && it.any(ariaHiddenAttr) && h.hidesAria(i) {
			it.flags |= ariaHidden | ariaRoot
		}
		h.hideByStyle(i, p)
		if it.is(isElement) {
			if s := it.node.Style; s != nil && s.Interactivity == "inert" {
				it.flags |= inert // a descendant cannot undo it: CSS Basic User Interface 4 §7.1
			}
			if it.any(attrInert) || it.tag == tagButton && it.parent != none && h.items[it.parent].tag == tagSelect {
				it.flags |= inert
			}
			if it.is(modalOpen) && modals[it.doc] == i {
				it.flags &^= inert
			} else if m := modals[it.doc]; m != none && !it.is(inert) && (i < m || i >= h.items[m].end) {
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

// modals returns, for each document, the modal dialog on top; none if there is none.
func (h *hiding) modals() []int32 {
	m := make([]int32, len(h.c.Documents))
	for d := range m {
		m[d] = none
	}
	for i := range h.items {
		if h.items[i].is(modalOpen) {
			m[h.items[i].doc] = int32(i)
		}
	}
	return m
}

// hideByStyle: display none, visibility, content-visibility.
func (h *hiding) hideByStyle(i int32, p *item) {
	it := &h.items[i]
	switch {
	case it.is(isText):
		if p.is(hiddenStyle) || it.is(hasLayout) && h.invisible(i) {
			it.flags |= hiddenStyle
		}
	case it.is(hasLayout):
		if h.invisible(i) {
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

// isPruned reports whether Chromium makes no object of an item and of what is
// below it.
func (h *hiding) isPruned(i int32) bool {
	it := &h.items[i]
	switch it.node.Kind {
	case driver.TextNode:
		return h.isIgnorableSpace(i)
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
		return it.parent == none || h.items[it.parent].tag != tagMap || !h.isPictured(it.parent)
	case tagSlot:
		return it.first == none && it.node.Host >= 0
	}
	if it.axParent != none {
		if p := &h.items[it.axParent]; p.is(isElement) && !h.canHaveChildren(it.axParent) {
			return true
		}
	}
	return false
}
