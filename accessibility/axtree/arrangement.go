package axtree

// An arrangement is the accessibility tree: the flat trees joined at their frames,
// with what aria-owns moves and the parts of a table in order.
type arrangement struct {
	texts
	owns  []ownership
	order []int32 // items in preorder
}

// An ownership is one element that aria-owns moves, and where to.
type ownership struct{ owner, child int32 }

// findOwned reads aria-owns. The first owner gets the child, and no element can
// own its ancestor.
func (ar *arrangement) findOwned() {
	for i := range ar.items {
		it := &ar.items[i]
		if !it.any(ariaOwns) || !ar.canOwn(int32(i)) {
			continue
		}
		for _, c := range ar.references(int32(i), "aria-owns") {
			child := &ar.items[c]
			if child.is(owned) || child.doc != it.doc || !ar.canBeOwned(c) || ar.wouldCycle(int32(i), c) {
				continue
			}
			child.flags |= owned
			child.axParent = int32(i)
			ar.owns = append(ar.owns, ownership{int32(i), c})
		}
	}
}

// canOwn reports whether an element may own others.
func (ar *arrangement) canOwn(i int32) bool {
	it := &ar.items[i]
	switch it.tag {
	case tagImg, tagIframe, tagFrame:
		return false
	}
	if !ar.canHaveChildren(i) || it.tag == tagBr || ar.isTextField(i) || ar.belowAriaHidden(i) {
		return false
	}
	return ar.rawRole(i) != kindImage
}

// canBeOwned reports whether another element may own this one.
func (ar *arrangement) canBeOwned(i int32) bool {
	it := &ar.items[i]
	if !it.is(isElement) || !it.is(hasLayout) {
		return false
	}
	switch it.tag {
	case tagArea, tagOption, tagOptgroup:
		return false
	}
	return !it.any(ariaHiddenAttr) || !isTrue(ar.attr(i, ariaHiddenAttr, "aria-hidden"))
}

// belowAriaHidden reports whether aria-hidden covers an element in the flat tree.
func (ar *arrangement) belowAriaHidden(i int32) bool {
	for n := 0; i != none && n < maxAncestors; n++ {
		if ar.items[i].any(ariaHiddenAttr) && ar.hidesAria(i) {
			return true
		}
		i = ar.items[i].parent
	}
	return false
}

// wouldCycle reports whether child contains owner, in either tree.
func (ar *arrangement) wouldCycle(owner, child int32) bool {
	if child == owner || child < owner && owner < ar.items[child].end {
		return true
	}
	for n := 0; owner != none; n++ {
		if owner == child || n > maxAncestors {
			return true
		}
		it := &ar.items[owner]
		if it.is(owned) {
			owner = it.axParent
		} else {
			owner = it.parent
		}
	}
	return false
}

// hidesAria reports whether an element's aria-hidden takes effect: not on the root
// elements, not on an option, and not around what has the focus.
func (ar *arrangement) hidesAria(i int32) bool {
	it := &ar.items[i]
	if !isTrue(ar.attr(i, ariaHiddenAttr, "aria-hidden")) {
		return false
	}
	if it.tag == tagBody || it.tag == tagOption || it.tag == tagHTML && it.is(isHTML) {
		return false
	}
	doc := &ar.c.Documents[it.doc]
	if doc.Active > 0 && int(doc.Active) < len(doc.Nodes) {
		a := ar.base[it.doc] + doc.Active
		if t := ar.items[a].tag; a >= i && a < it.end && t != tagBody && t != tagHTML {
			return false
		}
	}
	return true
}

// linkAX builds the accessibility tree's own links: what aria-owns names is
// moved behind its owner's children, and tables are put in order.
func (ar *arrangement) linkAX() {
	for d := range ar.c.Documents {
		if len(ar.c.Documents[d].Nodes) == 0 {
			continue
		}
		for k := range ar.c.Documents[d].Nodes {
			i := ar.base[d] + int32(k)
			it := &ar.items[i]
			switch {
			case it.is(owned):
			case it.parent != none && ar.items[it.parent].tag == tagMap && ar.imageOf(it.parent) != none:
				ar.axAppend(ar.imageOf(it.parent), i)
			case it.parent != none:
				ar.axAppend(it.parent, i)
			default:
				if o := ar.owner(d); o != none {
					ar.axAppend(o, i)
				}
			}
		}
	}
	for _, o := range ar.owns {
		ar.axAppend(o.owner, o.child)
	}
	ar.orderTables()
	ar.preorder()
}

func (ar *arrangement) axAppend(p, i int32) {
	it, parent := &ar.items[i], &ar.items[p]
	it.axParent, it.axNext = p, none
	if parent.axLast == none {
		parent.axFirst = i
	} else {
		ar.items[parent.axLast].axNext = i
	}
	parent.axLast = i
}

// orderTables puts a table's parts in the order in which they are shown:
// caption, head, bodies, foot.
func (ar *arrangement) orderTables() {
	tables := tables{&ar.forest}
	for i := range ar.items {
		it := &ar.items[i]
		if it.tag != tagTable || !it.is(hasLayout) || it.axFirst == none || !tables.isWellFormedTable(int32(i)) {
			continue
		}
		var parts [4][]int32
		for c := it.axFirst; c != none; c = ar.items[c].axNext {
			part := 2
			switch ar.items[c].tag {
			case tagCaption:
				part = 0
			case tagThead:
				part = 1
			case tagTfoot:
				part = 3
			}
			if ar.items[c].is(owned) {
				part = 3
			}
			parts[part] = append(parts[part], c)
		}
		it.axFirst, it.axLast = none, none
		for _, list := range parts {
			for _, c := range list {
				ar.axAppend(int32(i), c)
			}
		}
	}
}

// preorder lists the items in the order of the accessibility tree. A
// document without an owner element follows at the end.
func (ar *arrangement) preorder() {
	for d := range ar.c.Documents {
		if len(ar.c.Documents[d].Nodes) == 0 || ar.items[ar.base[d]].axParent != none {
			continue
		}
		for i := ar.base[d]; i != none; {
			ar.order = append(ar.order, i)
			if c := ar.items[i].axFirst; c != none {
				i = c
			} else {
				i = ar.climb(ar.base[d], i)
			}
		}
	}
}

// includedChild returns the first of the items that stand directly below i in
// Chromium's tree: an item that is not in it is replaced by its children.
func (ar *arrangement) includedChild(i int32) int32 {
	return ar.seekIncluded(i, ar.items[i].axFirst)
}

func (ar *arrangement) includedNext(i, c int32) int32 {
	return ar.seekIncluded(i, ar.climb(i, c))
}

// seekIncluded returns c, or the next item in preorder that is in the tree.
func (ar *arrangement) seekIncluded(root, c int32) int32 {
	for c != none {
		it := &ar.items[c]
		if it.is(included) {
			return c
		}
		if it.axFirst != none && !it.is(pruned) {
			c = it.axFirst
			continue
		}
		c = ar.climb(root, c)
	}
	return none
}

// climb returns what follows c and all that it contains, below root.
func (ar *arrangement) climb(root, c int32) int32 {
	for c != root && c != none {
		if n := ar.items[c].axNext; n != none {
			return n
		}
		c = ar.items[c].axParent
	}
	return none
}

// shownAncestor is the nearest shown ancestor of a kind with a trait; 0 is any.
func (ar *arrangement) shownAncestor(i int32, t trait) int32 {
	for n, p := 0, ar.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, ar.items[p].axParent {
		if !ar.items[p].is(ignored) && (t == 0 || ar.items[p].kind.is(t)) {
			return p
		}
	}
	return none
}

// inGridTable reports whether the table around an item is a grid.
func (ar *arrangement) inGridTable(i int32) bool {
	t := ar.shownAncestor(i, tableKind)
	return t != none && (ar.items[t].kind == kindGrid || ar.items[t].kind == kindTreeGrid)
}
