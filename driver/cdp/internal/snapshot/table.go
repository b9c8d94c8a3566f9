package snapshot

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

var contentSeed = maphash.MakeSeed()

// A table is the reply to DOMSnapshot.captureSnapshot as it is on the wire:
// columns of numbers, and one list of strings that they index. Minus one
// stands for no string and for an empty one alike.
type table struct {
	docs    []*docTable
	strings []string
	content uint64 // hash of all that is not geometry
}

// A docTable holds the columns of one document.
type docTable struct {
	url, title, base, lang, frame int32
	scrollX, scrollY              float64
	width, height                 float64

	parent, kind, name, value, backend []int32

	// attrs are name, value, name, value, ... of all nodes; those of node i
	// are attrs[attrEnd[i-1]:attrEnd[i]].
	attrs, attrEnd []int32

	shadow, textValue, inputValue, content, pseudo rareColumn
	checked, selected, clickable                   rareColumn

	layoutNode, layoutText []int32
	styles, styleEnd       []int32
	bounds                 []float64 // four for each row
}

// A rareColumn is present only for the nodes in index. value is empty in a
// column of booleans.
type rareColumn struct{ index, value []int32 }

// docTables keeps columns for the next capture: on a large page they are half
// of what a capture allocates.
var docTables = sync.Pool{New: func() any { return new(docTable) }}

// maxPooled is how many nodes a document may have whose columns are kept.
const maxPooled = 40_000

// release gives the columns back. The strings stay.
func (t *table) release() {
	for _, d := range t.docs {
		if cap(d.parent) <= maxPooled {
			docTables.Put(d)
		}
	}
	t.docs = nil
}

func (t *table) text(i int32) string {
	if i < 0 {
		return ""
	}
	return t.strings[i]
}

// reset empties the columns and keeps their memory.
func (d *docTable) reset() {
	for _, c := range []*[]int32{
		&d.parent, &d.kind, &d.name, &d.value, &d.backend, &d.attrs, &d.attrEnd, &d.layoutNode, &d.layoutText, &d.styles, &d.styleEnd,
	} {
		*c = (*c)[:0]
	}
	for _, c := range []*rareColumn{
		&d.shadow, &d.textValue, &d.inputValue, &d.content, &d.pseudo, &d.checked, &d.selected, &d.clickable,
	} {
		c.index, c.value = c.index[:0], c.value[:0]
	}
	d.bounds = d.bounds[:0]
	d.scrollX, d.scrollY, d.width, d.height = 0, 0, 0, 0
	d.url, d.title, d.base, d.lang, d.frame = -1, -1, -1, -1, -1
}

// A source is a reply that is read front to back: JSON or CBOR. The first error
// ends the reading: from then on every method returns at once.
type source interface {
	object(field func(name string)) // field consumes a member's value
	array(element func())           // element consumes it
	int() int32
	float() float64
	ints(dst []int32) []int32
	lists(dst, ends []int32) (_, _ []int32) // arrays of whole numbers, and where each ends
	floats(dst []float64) []float64
	stringList() []string
	skip()
	at() int    // where it stands
	end() error // the first error; something behind the end is one
}

// scanTable reads a reply of DOMSnapshot.captureSnapshot. It keeps nothing of raw.
func scanTable(raw []byte) (*table, error) {
	hash := tableHash{raw: raw}
	hash.SetSeed(contentSeed)
	var s reply
	if cbor.Is(raw) {
		s.source = &binary{Reader: cbor.Reader{B: raw}, hash: &hash}
	} else {
		s.source = &scanner{b: raw}
	}
	t := &table{}
	s.object(func(name string) {
		switch name {
		case "documents":
			s.array(func() {
				d := docTables.Get().(*docTable)
				d.reset()
				t.docs = append(t.docs, d)
				s.document(d, &hash)
			})
		case "strings":
			t.strings = s.stringList()
		default:
			s.skip()
		}
	})
	if err := s.end(); err != nil {
		return nil, err
	}
	hash.take(len(raw))
	t.content = hash.Sum64()
	for _, d := range t.docs {
		if err := d.check(t); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// A tableHash hashes what is read, except what is left out.
type tableHash struct {
	maphash.Hash
	raw  []byte
	from int
}

// take adds what stands before to and has not been left out.
func (h *tableHash) take(to int) {
	if to > h.from {
		h.Write(h.raw[h.from:to])
		h.from = to
	}
}

// without runs read and keeps the bytes that it consumes out of the hash.
func (h *tableHash) without(s source, read func()) {
	h.take(s.at())
	read()
	h.from = s.at()
}

// A reply is a source that is read by columns.
type reply struct{ source }

func (s reply) document(d *docTable, hash *tableHash) {
	s.object(func(name string) {
		switch name {
		case "documentURL":
			d.url = s.int()
		case "title":
			d.title = s.int()
		case "baseURL":
			d.base = s.int()
		case "contentLanguage":
			d.lang = s.int()
		case "frameId":
			d.frame = s.int()
		case "scrollOffsetX":
			d.scrollX = s.float()
		case "scrollOffsetY":
			d.scrollY = s.float()
		case "contentWidth":
			d.width = s.float()
		case "contentHeight":
			d.height = s.float()
		case "nodes":
			s.nodes(d)
		case "layout":
			s.layout(d, hash)
		case "textBoxes":
			hash.without(s, s.skip)
		default:
			s.skip()
		}
	})
}

func (s reply) nodes(d *docTable) {
	column := func(dst []int32) []int32 { return s.ints(slices.Grow(dst[:0], len(d.parent))) }
	s.object(func(name string) {
		switch name {
		case "parentIndex":
			d.parent = s.ints(d.parent[:0])
		case "nodeType":
			d.kind = column(d.kind)
		case "nodeName":
			d.name = column(d.name)
		case "nodeValue":
			d.value = column(d.value)
		case "backendNodeId":
			d.backend = column(d.backend)
		case "attributes":
			d.attrs, d.attrEnd = s.lists(d.attrs[:0], slices.Grow(d.attrEnd[:0], len(d.parent)))
		case "shadowRootType":
			s.rare(&d.shadow)
		case "textValue":
			s.rare(&d.textValue)
		case "inputValue":
			s.rare(&d.inputValue)
		case "contentDocumentIndex":
			s.rare(&d.content)
		case "pseudoType":
			s.rare(&d.pseudo)
		case "inputChecked":
			s.rare(&d.checked)
		case "optionSelected":
			s.rare(&d.selected)
		case "isClickable":
			s.rare(&d.clickable)
		default:
			s.skip()
		}
	})
}

func (s reply) layout(d *docTable, hash *tableHash) {
	column := func(dst []int32) []int32 { return s.ints(slices.Grow(dst[:0], len(d.parent))) }
	s.object(func(name string) {
		switch name {
		case "nodeIndex":
			d.layoutNode = column(d.layoutNode)
		case "text":
			d.layoutText = column(d.layoutText)
		case "styles":
			n := len(d.layoutNode)
			d.styles, d.styleEnd = s.lists(slices.Grow(d.styles[:0], n*styleCount), slices.Grow(d.styleEnd[:0], n))
		case "bounds":
			hash.without(s, func() {
				d.bounds = slices.Grow(d.bounds[:0], 4*len(d.layoutNode))
				s.array(func() { d.bounds = s.floats(d.bounds) })
			})
		default:
			s.skip()
		}
	})
}

func (s reply) rare(c *rareColumn) {
	s.object(func(name string) {
		switch name {
		case "index":
			c.index = s.ints(c.index[:0])
		case "value":
			c.value = s.ints(c.value[:0])
		default:
			s.skip()
		}
	})
}

// check makes sure that no index points outside its column, that the columns
// are of one length, and that the nodes are in preorder.
func (d *docTable) check(t *table) error {
	s := &scanner{}
	n, rows := len(d.parent), len(d.layoutNode)
	if n == 0 || len(d.kind) != n || len(d.name) != n || len(d.value) != n || len(d.backend) != n || len(d.attrEnd) != n ||
		len(d.layoutText) != rows || len(d.styleEnd) != rows || len(d.bounds) != 4*rows {
		s.fail("columns of different lengths")
		return s.err
	}
	if d.parent[0] != -1 {
		s.fail("the first node is no root")
	}
	for i := 1; i < n; i++ {
		at := int32(i - 1)
		for at >= 0 && at != d.parent[i] {
			at = d.parent[at]
		}
		if at < 0 {
			s.fail("nodes are not in preorder")
			break
		}
	}
	for i, end := range d.attrEnd {
		if start := d.attrStart(i); (end-start)%2 != 0 {
			s.fail("an attribute without a value")
		}
	}
	s.within(int32(len(t.strings)), []int32{d.url, d.title, d.base, d.lang, d.frame}, d.name, d.value, d.attrs, d.layoutText, d.styles,
		d.shadow.value, d.textValue.value, d.inputValue.value, d.pseudo.value)
	s.within(int32(n), d.layoutNode, d.shadow.index, d.textValue.index, d.inputValue.index, d.content.index, d.pseudo.index,
		d.checked.index, d.selected.index, d.clickable.index)
	s.within(int32(len(t.docs)), d.content.value)
	if slices.Contains(d.layoutNode, -1) || slices.Contains(d.content.value, -1) {
		s.fail("an index is missing")
	}
	for _, c := range []rareColumn{d.shadow, d.textValue, d.inputValue, d.content, d.pseudo} {
		if len(c.index) != len(c.value) {
			s.fail("a rare column's index and value differ in length")
		}
	}
	for _, c := range []rareColumn{d.shadow, d.textValue, d.inputValue, d.content, d.pseudo, d.checked, d.selected, d.clickable} {
		if slices.Contains(c.index, -1) {
			s.fail("an index is missing")
		}
	}
	return s.err
}

// attrStart is where the attributes of node i begin.
func (d *docTable) attrStart(i int) int32 {
	if i == 0 {
		return 0
	}
	return d.attrEnd[i-1]
}

func (d *docTable) styleStart(row int) int32 {
	if row == 0 {
		return 0
	}
	return d.styleEnd[row-1]
}
