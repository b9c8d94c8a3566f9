package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// hide settles, from the top down in the accessibility tree, what a person
// does not perceive: what is not rendered or not visible, what aria-hidden
// covers, and what is inert.
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

// hidesAria reports whether an element's aria-hidden counts: not on the root
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
	case it.is(inSelect):
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
func (b *builder) isPruned(i int32) bool {
	it := &b.items[i]
	switch it.node.Kind {
	case driver.TextNode:
		return b.isIdleSpace(i)
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
		return it.parent == none || b.items[it.parent].tag != tagMap
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

// isIdleSpace reports whether a text is white space that separates nothing.
func (b *builder) isIdleSpace(i int32) bool {
	it := &b.items[i]
	if it.parent != none {
		p := &b.items[it.parent]
		if p.is(isElement) && !b.canHaveChildren(it.parent) || p.tag == tagIframe || p.tag == tagFrame {
			return true
		}
	}
	if !it.is(hasLayout) {
		return onlySpace(it.node.Text) && !it.is(inCanvas)
	}
	text := it.node.Shown
	if text == "" {
		text = it.node.Text
	}
	if text == "" {
		return true
	}
	if !onlySpace(text) || it.is(preserved) {
		return false
	}
	return !b.separates(i)
}

func onlySpace(s string) bool {
	for k := 0; k < len(s); k++ {
		if !isSpace(s[k]) {
			return false
		}
	}
	return true
}

// canHaveChildren reports whether what stands in an element is content of it.
func (b *builder) canHaveChildren(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagMap, tagHr, tagProgress, tagBr, tagTextarea, tagInput:
		return false
	case tagImg:
		return it.any(attrUsemap)
	case tagOption:
		f := it.first
		return !(f != none && b.items[f].next == none && b.items[f].is(isText))
	}
	return true
}

// separates decides whether white space alone stands between two things that
// would run together without it. It can be left out next to a block, to what
// has no box, to other white space, and to a cell.
func (b *builder) separates(i int32) bool {
	prev, next := b.before(i), b.after(i)
	if prev == none || next == none {
		return false
	}
	if b.spareSpace(prev, false, 0) || b.spareSpace(next, true, 0) {
		return false
	}
	box := b.enclosingBox(i)
	for _, n := range [...]int32{prev, next} {
		if b.items[n].is(isText) && b.items[n].is(hasLayout) && b.enclosingBox(n) != box {
			return false
		}
	}
	return true
}

// before returns what precedes i: its previous sibling, or that of the nearest
// ancestor that has one.
func (b *builder) before(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		p := b.items[i].parent
		if p == none || !b.items[p].is(isElement) {
			return none
		}
		if b.items[p].first != i {
			return b.previous(i)
		}
		i = p
	}
	return none
}

// previous returns the sibling before i. A document's items are in preorder:
// going up from the item before i leads there.
func (b *builder) previous(i int32) int32 {
	p := b.items[i].parent
	k := i - 1
	for k > p && b.items[k].parent != p {
		k = b.items[k].parent
	}
	if k <= p {
		return none
	}
	return k
}

// after returns what follows i and what it holds.
func (b *builder) after(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		if x := b.items[i].next; x != none {
			return x
		}
		i = b.items[i].parent
	}
	return none
}

// spareSpace reports whether the space next to i says nothing.
func (b *builder) spareSpace(i int32, after bool, depth int) bool {
	it := &b.items[i]
	if !it.is(hasLayout) {
		return true
	}
	if depth > 3 {
		return false
	}
	if it.tag == tagBr {
		return !after || !it.any(attrRole)
	}
	if it.is(isText) {
		t := it.node.Shown
		if t == "" {
			t = it.node.Text
		}
		if t == "" {
			return false
		}
		if onlySpace(t) {
			return true
		}
		// What is left of it where lines have collapsed their space.
		if t = b.texts[i]; t == "" {
			return false
		}
		if after {
			return isSpace(t[0])
		}
		return isSpace(t[len(t)-1])
	}
	if it.tag == tagImg || it.tag == tagVideo || it.tag == tagInput && b.inputType(i) == "image" {
		return false
	}
	if !it.is(inlineLevel) || it.is(atomic) {
		return true
	}
	if it.any(attrRole) && cellRoles[b.attr(i, attrRole, "role")] {
		return true
	}
	c := b.boxWithin(i, after)
	if c == none {
		if !it.is(isElement) {
			return !onlyPseudoText(it)
		}
		var n int32
		if after {
			n = b.after(i)
		} else {
			n = b.before(i)
		}
		return n != none && b.spareSpace(n, after, depth+1)
	}
	return b.spareSpace(c, after, depth+1)
}

// boxWithin returns the first box or text in i, or the last one, through what
// has no box of its own.
func (b *builder) boxWithin(i int32, first bool) int32 {
	c := b.outermost(i, first)
	for c != none {
		if b.items[c].is(hasLayout) {
			return c
		}
		if b.items[c].is(boxless) {
			if down := b.outermost(c, first); down != none {
				c = down
				continue
			}
		}
		for {
			n := b.items[c].next
			if !first {
				n = b.previous(c)
			}
			if n != none {
				c = n
				break
			}
			if c = b.items[c].parent; c == i || c == none {
				return none
			}
		}
	}
	return none
}

// outermost returns an item's first child, or its last one.
func (b *builder) outermost(i int32, first bool) int32 {
	if first {
		return b.items[i].first
	}
	return b.items[i].last
}

// onlyPseudoText reports whether generated content is text.
func onlyPseudoText(it *item) bool { return it.node.Shown != "" }

var cellRoles = map[string]bool{"gridcell": true, "cell": true, "columnheader": true, "rowheader": true}

// enclosingBox returns the nearest ancestor that is a box and no stretch of a line.
func (b *builder) enclosingBox(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		it := &b.items[i]
		if it.is(hasLayout) && (!it.is(inlineLevel) || it.is(atomic)) {
			return i
		}
		i = it.parent
	}
	return none
}
