package axtree

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// none stands for an item that does not exist.
const none int32 = -1

// An item is what the rules work on: a captured node with its place in two
// trees, the flat tree of the document and the accessibility tree, which
// differ where aria-owns moves an element or a table is put in order.
type item struct {
	node *driver.Node
	doc  int32 // index of its document

	// The flat tree, frames' documents apart.
	parent, first, last, next int32
	end                       int32 // behind the last item of the subtree

	// The accessibility tree, frames' documents included.
	axParent, axFirst, axLast, axNext int32

	// run is the stretch of inline content that the item starts in; see flow.go.
	run int32

	has   attrSet
	flags itemFlag

	tag     tag
	kind    kind // the role
	native  kind // what it would be without the role attribute
	aria    kind // what the role attribute asks for; kindUnknown if nothing valid
	shownAs kind // the role in the end, where it differs from kind
}

// An itemFlag is a fact about an item, or a conclusion.
type itemFlag uint64

const (
	isElement itemFlag = 1 << iota
	isText
	isPseudo
	isHTML
	isSVG

	hasLayout   // has a box or a fragment of text
	boxless     // display: contents
	blockFlow   // lays out its content in blocks or in lines
	inlineLevel // stands in a line
	atomic      // stands in a line as one piece
	inlineOnly  // a block that contains only lines
	hasContent  // a block with content
	preserved   // white space is preserved
	pruned      // no object in Chromium: head, style, col, empty slot, ignorable white space

	hiddenStyle // display none, not visible
	ariaHidden  // itself or below aria-hidden
	ariaRoot    // has an aria-hidden that takes effect
	inert
	inSelect // in a drop-down, the select itself included

	disabledForm // a form control that is disabled
	inDisabledFieldset
	disabledBelow // in an aria-disabled container
	editable
	richEditable
	editRoot // carries contenteditable
	focusable
	supportsFocus

	owned     // moved by aria-owns
	relTarget // the target of a naming or describing relation
	labelPart // part of a label, of a description or of a name from content
	ignored
	included // stands in Chromium's tree, ignored or not
	modalOpen
	inSymbol
	inClosed   // below a details element that is closed
	inCanvas   // the fallback of a canvas
	locked     // below content-visibility: hidden
	lockedAuto // below content-visibility: auto
	holdsBlock // a box that contains another block, besides lines or alone
)

func (it *item) is(f itemFlag) bool { return it.flags&f != 0 }

func (it *item) any(a attrSet) bool { return it.has&a != 0 }

func newItem(n *driver.Node, doc int32) item {
	if n.Rare != nil && len(n.Rare.Internals) > 0 {
		n = withInternals(n)
	}
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
	// fragment, but Chromium makes no object for it.
	if it.tag == tagWbr {
		return it
	}
	if n.Rendered || n.Kind == driver.TextNode && n.Style != nil {
		it.flags |= hasLayout
	}
	return it
}

// withInternals returns a node that says in attributes what it says through
// ElementInternals.
func withInternals(n *driver.Node) *driver.Node {
	said := *n
	said.Attrs = slices.Clip(slices.Clone(n.Attrs))
	for _, a := range n.Rare.Internals {
		if _, own := n.Attr(a.Name); !own {
			said.Attrs = append(said.Attrs, a)
		}
	}
	return &said
}

// A builder is the state of computing the tree of a capture.
type builder struct {
	c     *driver.Capture
	items []item
	base  []int32  // of each document: the index of its first item
	order []int32  // items in preorder of the accessibility tree
	texts []string // of texts and generated content: the visible part

	ids    ids
	labels labels
	owns   []ownership
	images map[idKey]int32 // pictures by the name of their map
	marked map[int32]bool  // see marksSelection

	free   []*visitSet // for the next name
	steps  int         // see step
	depth  int         // of content within content, see maxDepth
	nested int         // of names within names, see maxNested
}

// An idKey is an id within a tree: the document and the host of the shadow
// root, none for the document's own tree.
type idKey struct {
	doc, host int32
	id        string
}

// ids finds elements by id within the tree that they belong to (the document's
// own, or a shadow root's), and by node number.
type ids struct {
	byID   map[idKey]int32
	byNode []map[driver.NodeID]int32
}

// labels are the label elements of each control, in document order.
type labels struct {
	of      map[int32][]int32 // control → labels
	control map[int32]int32   // label → control
	next    []int32           // the first control at each item or behind it
}

// An ownership is one element that aria-owns moves, and where to.
type ownership struct{ owner, child int32 }

// maxVisited bounds how many items the name of an element is computed from.
const maxVisited = 100

// A visitSet is the items that the computation of one name has visited: few, as
// a rule.
type visitSet struct {
	list []int32
	more map[int32]struct{}
}

func (v *visitSet) has(i int32) bool {
	for _, x := range v.list {
		if x == i {
			return true
		}
	}
	_, ok := v.more[i]
	return ok
}

func (v *visitSet) add(i int32) {
	if v.has(i) {
		return
	}
	if len(v.list) < 2*maxVisited {
		v.list = append(v.list, i)
		return
	}
	if v.more == nil {
		v.more = map[int32]struct{}{}
	}
	v.more[i] = struct{}{}
}

func (v *visitSet) len() int { return len(v.list) + len(v.more) }

func (b *builder) visits() *visitSet {
	if n := len(b.free); n > 0 {
		v := b.free[n-1]
		b.free = b.free[:n-1]
		return v
	}
	return &visitSet{}
}

func (b *builder) release(v *visitSet) {
	v.list, v.more = v.list[:0], nil
	b.free = append(b.free, v)
}

// link connects each item with its parent and siblings. In a capture that breaks
// the rules of [driver.Document], nodes without a valid parent become children of
// the root.
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

// owner returns the owner element of document d, none if there is none.
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

func (b *builder) attr(i int32, a attrSet, name string) string {
	it := &b.items[i]
	if it.has&a == 0 {
		return ""
	}
	v, _ := it.node.Attr(name)
	return v
}

// docIndex returns an item's index in its document.
func (b *builder) docIndex(i int32) int32 { return i - b.base[b.items[i].doc] }

// rawRole is the first word of an element's role attribute that is a role,
// whether or not it is valid in its context.
func (b *builder) rawRole(i int32) kind {
	if !b.items[i].any(attrRole) {
		return kindUnknown
	}
	for w := range strings.FieldsSeq(b.attr(i, attrRole, "role")) {
		if k := roleWord(w); k != kindUnknown {
			return k
		}
	}
	return kindUnknown
}

func roleWord(w string) kind {
	if k, ok := ariaKinds[w]; ok {
		return k
	}
	return ariaKinds[strings.ToLower(w)]
}

// boolean returns the value of a true-or-false ARIA attribute, and whether it has
// one: any other word than "false" is true.
func (b *builder) boolean(i int32, a attrSet, name string) (value, ok bool) {
	v, ok := b.token(i, a, name)
	if !ok {
		return false, false
	}
	return !equalFold(v, "false"), true
}

// token returns the value of an ARIA attribute that takes a word, and whether it
// has one: "" and "undefined" are none.
func (b *builder) token(i int32, a attrSet, name string) (string, bool) {
	v := b.attr(i, a, name)
	if v == "" || equalFold(v, "undefined") {
		return "", false
	}
	return v, true
}

// invisible reports whether an item's own visibility hides it.
func (b *builder) invisible(i int32) bool {
	s := b.items[i].node.Style
	return s != nil && s.Visibility != "" && s.Visibility != "visible"
}
