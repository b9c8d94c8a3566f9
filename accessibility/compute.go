package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// Compute builds the accessibility tree of a capture: every object with its
// role, name, description, value and states, and whether it is shown.
//
// It follows accname 1.2, HTML-AAM, core-AAM, SVG-AAM, DPUB-AAM and
// Graphics-AAM, and where these leave room or browsers agree on something
// else, Chromium. It does not change c, which the tree keeps.
func Compute(c *driver.Capture) *Tree { return compute(c, new(slab)) }

func compute(c *driver.Capture, s *slab) *Tree {
	b := newBuilder(c, s)
	b.link()
	b.inherit()
	b.layOut()
	b.relate()
	b.firstRoles()
	b.move()
	b.hide()
	b.include()
	b.finalRoles()
	return b.tree()
}

// newBuilder makes the items of all documents, in document order.
func newBuilder(c *driver.Capture, s *slab) *builder {
	b := &builder{c: c, slab: s, base: make([]int32, len(c.Documents)+1)}
	total := 0
	for d := range c.Documents {
		b.base[d] = int32(total)
		total += len(c.Documents[d].Nodes)
	}
	b.base[len(c.Documents)] = int32(total)
	b.items = room(&s.items, total)
	b.texts = room(&s.texts, total)
	for d := range c.Documents {
		nodes := c.Documents[d].Nodes
		for k := range nodes {
			b.items[int(b.base[d])+k] = newItem(&nodes[k], int32(d))
		}
	}
	return b
}

func newItem(n *driver.Node, doc int32) item {
	it := item{node: n, doc: doc, parent: none, first: none, last: none, next: none,
		axParent: none, axFirst: none, axLast: none, axNext: none}
	switch n.Kind {
	case driver.ElementNode:
		it.flags = isElement
		it.has = attrsOf(n)
		it.tag = tagOf(n)
		switch n.Namespace {
		case driver.HTML:
			it.flags |= isHTML
		case driver.SVG:
			it.flags |= isSVG
		}
	case driver.TextNode:
		it.flags = isText
	case driver.PseudoNode:
		it.flags = isPseudo
	}
	// Text that layout trimmed away has a style and no fragment. A wbr has a
	// fragment, and no object that would know of it.
	if it.tag == tagWbr {
		return it
	}
	if n.Rendered || n.Kind == driver.TextNode && n.Style != nil {
		it.flags |= hasLayout
	}
	return it
}

// link connects each item with its parent and siblings. A capture that breaks
// the rules of [driver.Document] is taken as if its strays hung from the root.
func (b *builder) link() {
	for d := range b.c.Documents {
		doc := &b.c.Documents[d]
		base := b.base[d]
		for k := range doc.Nodes {
			i := base + int32(k)
			if k == 0 {
				continue
			}
			p := doc.Nodes[k].Parent
			if p < 0 || p >= int32(k) {
				p = 0
			}
			b.append(base+p, i)
		}
	}
	for i := len(b.items) - 1; i >= 0; i-- {
		it := &b.items[i]
		it.end = max(it.end, int32(i)+1)
		if it.parent != none {
			b.items[it.parent].end = max(b.items[it.parent].end, it.end)
		}
	}
}

func (b *builder) append(p, i int32) {
	it, parent := &b.items[i], &b.items[p]
	it.parent = p
	if parent.last == none {
		parent.first = i
	} else {
		b.items[parent.last].next = i
	}
	parent.last = i
}

// owner returns the item that holds document d, none if there is none.
func (b *builder) owner(d int) int32 {
	doc := &b.c.Documents[d]
	if doc.OwnerDocument < 0 || int(doc.OwnerDocument) >= d || len(doc.Nodes) == 0 {
		return none
	}
	if doc.Owner < 0 || int(doc.Owner) >= len(b.c.Documents[doc.OwnerDocument].Nodes) {
		return none
	}
	return b.base[doc.OwnerDocument] + doc.Owner
}

// tree writes the items down as objects, in the order of the tree.
func (b *builder) tree() *Tree {
	t := &Tree{Capture: b.c, Objects: room(&b.slab.objects, len(b.order))}
	at := make([]int32, len(b.items))
	for k, i := range b.order {
		at[i] = int32(k)
		it := &b.items[i]
		o := &t.Objects[k]
		o.Doc, o.Node, o.Parent, o.End = it.doc, b.docIndex(i), none, int32(k+1)
		if it.axParent != none {
			o.Parent = at[it.axParent]
		}
		o.Role = it.kind.role()
		if it.shownAs != kindUnknown {
			o.Role = it.shownAs.role()
		}
		o.Ignored = it.is(ignored)
		o.Hidden = it.is(hiddenStyle | ariaHidden | inert | pruned)
		if o.Ignored {
			continue
		}
		o.Name, o.Description = b.nameAndDescription(i)
		o.Value = b.value(i)
		o.States = b.states(i)
	}
	for k := len(t.Objects) - 1; k > 0; k-- {
		if p := t.Objects[k].Parent; p >= 0 {
			t.Objects[p].End = max(t.Objects[p].End, t.Objects[k].End)
		}
	}
	return t
}
