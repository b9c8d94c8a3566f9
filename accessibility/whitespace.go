package accessibility

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
