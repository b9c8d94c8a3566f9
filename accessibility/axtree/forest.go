package axtree

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A forest is the items of all documents in their flat trees: what a pass walks
// over, and what an element says of itself. It is the lowest of the layers that
// computing a tree consists of; each of the others embeds the one below it:
//
//	forest < relations < controls < labels < texts < arrangement < states < values < names
//
// A pass that runs once and is asked for nothing later (inheritance, flow, roles,
// hiding, inclusion) stands upon the layer that it needs.
type forest struct {
	c     *driver.Capture
	items []item
	base  []int32 // of each document: the index of its first item
}

// link connects each item with its parent and siblings. In a capture that breaks
// the rules of [driver.Document], nodes without a valid parent become children of
// the root.
func (f *forest) link() {
	for d := range f.c.Documents {
		doc := &f.c.Documents[d]
		base := f.base[d]
		for k := range doc.Nodes {
			i := base + int32(k)
			if k == 0 {
				continue
			}
			p := doc.Nodes[k].Parent
			if p < 0 || p >= int32(k) {
				p = 0
			}
			f.append(base+p, i)
		}
	}
	for i := len(f.items) - 1; i >= 0; i-- {
		it := &f.items[i]
		it.end = max(it.end, int32(i)+1)
		if it.parent != none {
			f.items[it.parent].end = max(f.items[it.parent].end, it.end)
		}
	}
}

func (f *forest) append(p, i int32) {
	it, parent := &f.items[i], &f.items[p]
	it.parent = p
	if parent.last == none {
		parent.first = i
	} else {
		f.items[parent.last].next = i
	}
	parent.last = i
}

// owner returns the owner element of document d, none if there is none.
func (f *forest) owner(d int) int32 {
	doc := &f.c.Documents[d]
	if doc.OwnerDocument < 0 || int(doc.OwnerDocument) >= d || len(doc.Nodes) == 0 {
		return none
	}
	if doc.Owner < 0 || int(doc.Owner) >= len(f.c.Documents[doc.OwnerDocument].Nodes) {
		return none
	}
	return f.base[doc.OwnerDocument] + doc.Owner
}

// docIndex returns an item's index in its document.
func (f *forest) docIndex(i int32) int32 { return i - f.base[f.items[i].doc] }

func (f *forest) attr(i int32, a attrSet, name string) string {
	it := &f.items[i]
	if it.has&a == 0 {
		return ""
	}
	v, _ := it.node.Attr(name)
	return v
}

// token returns the value of an ARIA attribute that takes a word, and whether it
// has one: "" and "undefined" are none.
func (f *forest) token(i int32, a attrSet, name string) (string, bool) {
	v := f.attr(i, a, name)
	if v == "" || equalFold(v, "undefined") {
		return "", false
	}
	return v, true
}

// boolean returns the value of a true-or-false ARIA attribute, and whether it has
// one: any other word than "false" is true.
func (f *forest) boolean(i int32, a attrSet, name string) (value, ok bool) {
	v, ok := f.token(i, a, name)
	if !ok {
		return false, false
	}
	return !equalFold(v, "false"), true
}

// rawRole is the first word of an element's role attribute that is a role,
// whether or not it is valid in its context.
func (f *forest) rawRole(i int32) kind {
	if !f.items[i].any(attrRole) {
		return kindUnknown
	}
	for w := range strings.FieldsSeq(f.attr(i, attrRole, "role")) {
		if k := roleWord(w); k != kindUnknown {
			return k
		}
	}
	return kindUnknown
}

// invisible reports whether an item's own visibility hides it.
func (f *forest) invisible(i int32) bool {
	s := f.items[i].node.Style
	return s != nil && s.Visibility != "" && s.Visibility != "visible"
}

// within returns the item behind i in preorder of the flat tree, as long as it
// is below root.
func (f *forest) within(root, i int32) int32 {
	if c := f.items[i].first; c != none {
		return c
	}
	for i != root {
		if n := f.items[i].next; n != none {
			return n
		}
		i = f.items[i].parent
	}
	return none
}

// elementFrom returns i or the first of its next siblings that is an element.
func (f *forest) elementFrom(i int32) int32 {
	for ; i != none; i = f.items[i].next {
		if f.items[i].is(isElement) {
			return i
		}
	}
	return none
}

// firstOfTag returns p's first child with a tag.
func (f *forest) firstOfTag(p int32, t tag) int32 {
	for c := f.items[p].first; c != none; c = f.items[c].next {
		if f.items[c].tag == t {
			return c
		}
	}
	return none
}

// previous returns the sibling before i. A document's items are in preorder:
// going up from the item before i leads there.
func (f *forest) previous(i int32) int32 {
	p := f.items[i].parent
	k := i - 1
	for k > p && f.items[k].parent != p {
		k = f.items[k].parent
	}
	if k <= p {
		return none
	}
	return k
}

// before returns what precedes i: its previous sibling, or that of the nearest
// ancestor that has one.
func (f *forest) before(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		p := f.items[i].parent
		if p == none || !f.items[p].is(isElement) {
			return none
		}
		if f.items[p].first != i {
			return f.previous(i)
		}
		i = p
	}
	return none
}

// after returns what follows i and its content.
func (f *forest) after(i int32) int32 {
	for n := 0; i != none && n < maxAncestors; n++ {
		if x := f.items[i].next; x != none {
			return x
		}
		i = f.items[i].parent
	}
	return none
}

// nearest returns i or its nearest ancestor with a tag, out of so many elements.
func (f *forest) nearest(i int32, t tag, most int) int32 {
	for n := 0; i != none && n < most; n++ {
		if f.items[i].tag == t {
			return i
		}
		i = f.items[i].parent
	}
	return none
}

// canHaveChildren reports whether an element's children are part of its content.
func (f *forest) canHaveChildren(i int32) bool {
	it := &f.items[i]
	switch it.tag {
	case tagMap, tagHr, tagProgress, tagBr, tagTextarea, tagInput:
		return false
	case tagImg:
		return it.any(attrUsemap)
	case tagOption:
		only := it.first
		return !(only != none && f.items[only].next == none && f.items[only].is(isText))
	}
	return true
}

// display returns an item's display value: the computed one, or what a
// browser gives the element by itself where none was captured.
func (f *forest) display(i int32) string {
	it := &f.items[i]
	if s := it.node.Style; s != nil && s.Display != "" {
		return s.Display
	}
	if it.node.Kind == driver.DocumentNode {
		return "block"
	}
	if it.is(isElement) && it.is(isHTML) {
		if d, ok := uaDisplay[it.node.Name]; ok {
			return d
		}
	}
	return "inline"
}

// fallsBack reports whether an object shows its fallback content instead of the resource
// that it names.
func (f *forest) fallsBack(i int32) bool {
	if f.items[i].tag != tagObject {
		return false
	}
	for c := f.items[i].first; c != none; c = f.items[c].next {
		if f.items[c].is(hasLayout) {
			return true
		}
	}
	return false
}

// maxAncestors bounds walks from an element up the tree, so that time stays linear
// on a page that nests elements by the hundred thousand.
const maxAncestors = 2000

// uaDisplay is the display of elements in browsers' own style sheets.
var uaDisplay = func() map[string]string {
	m := map[string]string{
		"li": "list-item", "summary": "block", "table": "table", "caption": "table-caption", "thead": "table-header-group",
		"tbody": "table-row-group", "tfoot": "table-footer-group", "tr": "table-row", "td": "table-cell", "th": "table-cell",
		"button": "inline-block", "input": "inline-block", "select": "inline-block", "textarea": "inline-block",
		"meter": "inline-block", "progress": "inline-block", "ruby": "ruby", "rt": "ruby-text",
	}
	for name := range strings.FieldsSeq("address article aside blockquote body dd details dialog dir div dl dt fieldset figcaption " +
		"figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend main menu nav ol p pre search section ul optgroup option") {
		m[name] = "block"
	}
	return m
}()
