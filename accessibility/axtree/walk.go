package axtree

// maxAncestors bounds walks from an element up the tree, so that time stays linear
// on a page that nests elements by the hundred thousand.
const maxAncestors = 2000

// within returns the item behind i in preorder of the flat tree, as long as it
// is below root.
func (b *builder) within(root, i int32) int32 {
	if c := b.items[i].first; c != none {
		return c
	}
	for i != root {
		if n := b.items[i].next; n != none {
			return n
		}
		i = b.items[i].parent
	}
	return none
}

// elementFrom returns i or the first of its next siblings that is an element.
func (b *builder) elementFrom(i int32) int32 {
	for ; i != none; i = b.items[i].next {
		if b.items[i].is(isElement) {
			return i
		}
	}
	return none
}

// firstOfTag returns p's first child with a tag.
func (b *builder) firstOfTag(p int32, t tag) int32 {
	for c := b.items[p].first; c != none; c = b.items[c].next {
		if b.items[c].tag == t {
			return c
		}
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

// after returns what follows i and its content.
func (b *builder) after(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		if x := b.items[i].next; x != none {
			return x
		}
		i = b.items[i].parent
	}
	return none
}

// includedChild returns the first of the items that stand directly below i in
// Chromium's tree: what is not in it is replaced by what it contains.
func (b *builder) includedChild(i int32) int32 {
	return b.seekIncluded(i, b.items[i].axFirst)
}

func (b *builder) includedNext(i, c int32) int32 {
	return b.seekIncluded(i, b.climb(i, c))
}

// seekIncluded returns c, or the next item in preorder that is in the tree.
func (b *builder) seekIncluded(root, c int32) int32 {
	for c != none {
		it := &b.items[c]
		if it.is(included) {
			return c
		}
		if it.axFirst != none && !it.is(pruned) {
			c = it.axFirst
			continue
		}
		c = b.climb(root, c)
	}
	return none
}

// climb returns what follows c and all that it contains, below root.
func (b *builder) climb(root, c int32) int32 {
	for c != root && c != none {
		if n := b.items[c].axNext; n != none {
			return n
		}
		c = b.items[c].axParent
	}
	return none
}

// shownParent is the nearest shown ancestor.
func (b *builder) shownParent(i int32) int32 {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if !b.items[p].is(ignored) {
			return p
		}
	}
	return none
}

// shownTable is the nearest shown ancestor that is a table.
func (b *builder) shownTable(i int32) int32 {
	for n, p := 0, b.items[i].axParent; p != none && n < maxAncestors; n, p = n+1, b.items[p].axParent {
		if !b.items[p].is(ignored) && b.items[p].kind.is(tableKind) {
			return p
		}
	}
	return none
}

func (b *builder) inGridTable(i int32) bool {
	t := b.shownTable(i)
	return t != none && (b.items[t].kind == kindGrid || b.items[t].kind == kindTreeGrid)
}

func (b *builder) ancestorOrSelf(i int32, t tag) bool {
	for n := 0; i != none && n < 16; n++ {
		if b.items[i].tag == t {
			return true
		}
		i = b.items[i].parent
	}
	return false
}

// ancestorWithin returns the nearest ancestor with a tag, a few levels up.
func (b *builder) ancestorWithin(i int32, t tag) int32 {
	for n := 0; n < 4; n++ {
		i = b.items[i].parent
		if i == none || b.items[i].tag == t {
			return i
		}
	}
	return none
}

// canHaveChildren reports whether an element's children are part of its content.
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
