package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// none is the index of no item.
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
	aria    kind // what the role attribute says; kindUnknown if nothing that counts
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
	inlineOnly  // a block that holds lines
	hasContent  // a block that holds something
	preserved   // white space counts
	pruned      // no object in Chromium: head, style, col, empty slot, idle white space

	hiddenStyle // display none, not visible
	ariaHidden  // itself or below aria-hidden
	ariaRoot    // carries an aria-hidden that counts
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
	holdsBlock // a box that holds another block, besides lines or alone
)

func (it *item) is(f itemFlag) bool { return it.flags&f != 0 }
func (it *item) any(a attrSet) bool { return it.has&a != 0 }

// A builder holds what is known of a capture while its tree is computed.
type builder struct {
	c     *driver.Capture
	slab  *slab
	items []item
	base  []int32  // of each document: the index of its first item
	order []int32  // items in preorder of the accessibility tree
	texts []string // of texts and generated content: what is seen of them

	ids    ids
	labels labels
	owns   []ownership
	images map[idKey]int32 // pictures by the name of their map
	says   map[int32]bool  // see choosesByCheck

	free   []*visitSet // for the next name
	spent  int         // see spend
	depth  int         // of content within content, see maxDepth
	nested int         // of names within names, see maxNested
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
