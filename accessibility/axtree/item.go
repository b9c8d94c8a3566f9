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

func roleWord(w string) kind {
	if k, ok := ariaKinds[w]; ok {
		return k
	}
	return ariaKinds[strings.ToLower(w)]
}
