package axtree

// findOwned reads aria-owns. The first owner gets the child, and no element can
// own its ancestor.
func (b *builder) findOwned() {
	for i := range b.items {
		it := &b.items[i]
		if !it.any(ariaOwns) || !b.canOwn(int32(i)) {
			continue
		}
		for _, c := range b.references(int32(i), "aria-owns") {
			child := &b.items[c]
			if child.is(owned) || child.doc != it.doc || !b.canBeOwned(c) || b.wouldCycle(int32(i), c) {
				continue
			}
			child.flags |= owned
			child.axParent = int32(i)
			b.owns = append(b.owns, ownership{int32(i), c})
		}
	}
}

// canOwn reports whether an element may own others.
func (b *builder) canOwn(i int32) bool {
	it := &b.items[i]
	switch it.tag {
	case tagImg, tagIframe, tagFrame:
		return false
	}
	if !b.canHaveChildren(i) || it.tag == tagBr || b.isTextField(i) || b.belowAriaHidden(i) {
		return false
	}
	return b.rawRole(i) != kindImage
}

// canBeOwned reports whether another element may own this one.
func (b *builder) canBeOwned(i int32) bool {
	it := &b.items[i]
	if !it.is(isElement) || !it.is(hasLayout) {
		return false
	}
	switch it.tag {
	case tagArea, tagOption, tagOptgroup:
		return false
	}
	return !it.any(ariaHiddenAttr) || !isTrue(b.attr(i, ariaHiddenAttr, "aria-hidden"))
}

// belowAriaHidden reports whether aria-hidden covers an element in the flat tree.
func (b *builder) belowAriaHidden(i int32) bool {
	for n := 0; i != none && n < maxAncestors; n++ {
		if b.items[i].any(ariaHiddenAttr) && b.hidesAria(i) {
			return true
		}
		i = b.items[i].parent
	}
	return false
}

// wouldCycle reports whether child contains owner, in either tree.
func (b *builder) wouldCycle(owner, child int32) bool {
	if child == owner || child < owner && owner < b.items[child].end {
		return true
	}
	for n := 0; owner != none; n++ {
		if owner == child || n > maxAncestors {
			return true
		}
		it := &b.items[owner]
		if it.is(owned) {
			owner = it.axParent
		} else {
			owner = it.parent
		}
	}
	return false
}

// linkAX builds the accessibility tree's own links: what aria-owns names is
// moved behind its owner's children, and tables are put in order.
func (b *builder) linkAX() {
	for d := range b.c.Documents {
		if len(b.c.Documents[d].Nodes) == 0 {
			continue
		}
		for k := range b.c.Documents[d].Nodes {
			i := b.base[d] + int32(k)
			it := &b.items[i]
			switch {
			case it.is(owned):
			case it.parent != none && b.items[it.parent].tag == tagMap && b.imageOf(it.parent) != none:
				b.axAppend(b.imageOf(it.parent), i)
			case it.parent != none:
				b.axAppend(it.parent, i)
			default:
				if o := b.owner(d); o != none {
					b.axAppend(o, i)
				}
			}
		}
	}
	for _, o := range b.owns {
		b.axAppend(o.owner, o.child)
	}
	b.orderTables()
	b.preorder()
}

func (b *builder) axAppend(p, i int32) {
	it, parent := &b.items[i], &b.items[p]
	it.axParent, it.axNext = p, none
	if parent.axLast == none {
		parent.axFirst = i
	} else {
		b.items[parent.axLast].axNext = i
	}
	parent.axLast = i
}

// orderTables puts a table's parts in the order in which they are shown:
// caption, head, bodies, foot.
func (b *builder) orderTables() {
	for i := range b.items {
		it := &b.items[i]
		if it.tag != tagTable || !it.is(hasLayout) || it.axFirst == none || !b.isWellFormedTable(int32(i)) {
			continue
		}
		var parts [4][]int32
		for c := it.axFirst; c != none; c = b.items[c].axNext {
			part := 2
			switch b.items[c].tag {
			case tagCaption:
				part = 0
			case tagThead:
				part = 1
			case tagTfoot:
				part = 3
			}
			if b.items[c].is(owned) {
				part = 3
			}
			parts[part] = append(parts[part], c)
		}
		it.axFirst, it.axLast = none, none
		for _, list := range parts {
			for _, c := range list {
				b.axAppend(int32(i), c)
			}
		}
	}
}

// preorder lists the items in the order of the accessibility tree. A
// document without an owner element follows at the end.
func (b *builder) preorder() {
	for d := range b.c.Documents {
		if len(b.c.Documents[d].Nodes) == 0 || b.items[b.base[d]].axParent != none {
			continue
		}
		i := b.base[d]
		for i != none {
			b.order = append(b.order, i)
			if c := b.items[i].axFirst; c != none {
				i = c
				continue
			}
			for i != none && b.items[i].axNext == none {
				i = b.items[i].axParent
			}
			if i != none {
				i = b.items[i].axNext
			}
		}
	}
}
