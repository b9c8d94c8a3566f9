package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"

	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/cbor"
)

var errSnapshot = errors.New("malformed snapshot")

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

// rare returns the rare columns. The first five have values.
func (d *docTable) rare() [8]*rareColumn {
	return [8]*rareColumn{&d.shadow, &d.textValue, &d.inputValue, &d.content, &d.pseudo, &d.checked, &d.selected, &d.clickable}
}

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
	for _, c := range d.rare() {
		c.index, c.value = c.index[:0], c.value[:0]
	}
	d.bounds = d.bounds[:0]
	d.scrollX, d.scrollY, d.width, d.height = 0, 0, 0, 0
	d.url, d.title, d.base, d.lang, d.frame = -1, -1, -1, -1, -1
}

// scanTable reads a reply of DOMSnapshot.captureSnapshot. It keeps nothing of raw.
func scanTable(raw []byte) (*table, error) {
	if !cbor.Is(raw) { // JSON, of a Chrome that was attached to
		var err error
		if raw, err = cbor.Append(make([]byte, 0, 2*len(raw)), raw); err != nil {
			return nil, fmt.Errorf("%w: %w", errSnapshot, err)
		}
	}
	hash := &tableHash{raw: raw}
	hash.SetSeed(contentSeed)
	s := &source{Reader: cbor.Reader{B: raw}, hash: hash}
	t := &table{}
	s.object(func(name string) {
		switch name {
		case "documents":
			s.array(func() {
				d := docTables.Get().(*docTable)
				d.reset()
				t.docs = append(t.docs, d)
				s.document(d)
			})
		case "strings":
			t.strings = s.stringList()
		default:
			s.Skip()
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
func (h *tableHash) without(s *source, read func()) {
	h.take(s.I)
	read()
	h.from = s.I
}

func (s *source) document(d *docTable) {
	texts := map[string]*int32{"documentURL": &d.url, "title": &d.title, "baseURL": &d.base, "contentLanguage": &d.lang, "frameId": &d.frame}
	lengths := map[string]*float64{"scrollOffsetX": &d.scrollX, "scrollOffsetY": &d.scrollY, "contentWidth": &d.width, "contentHeight": &d.height}
	s.object(func(name string) {
		switch {
		case texts[name] != nil:
			*texts[name] = s.Int()
		case lengths[name] != nil:
			*lengths[name] = s.Float()
		case name == "nodes":
			s.nodes(d)
		case name == "layout":
			s.layout(d)
		case name == "textBoxes":
			s.hash.without(s, func() { s.Skip() })
		default:
			s.Skip()
		}
	})
}

// column reads a column of a document's nodes into memory that it had before.
func (s *source) column(d *docTable, to *[]int32) {
	*to = s.ints(slices.Grow((*to)[:0], len(d.parent)))
}

func (s *source) nodes(d *docTable) {
	columns := map[string]*[]int32{
		"parentIndex": &d.parent, "nodeType": &d.kind, "nodeName": &d.name, "nodeValue": &d.value, "backendNodeId": &d.backend,
	}
	rare := map[string]*rareColumn{
		"shadowRootType": &d.shadow, "textValue": &d.textValue, "inputValue": &d.inputValue, "contentDocumentIndex": &d.content,
		"pseudoType": &d.pseudo, "inputChecked": &d.checked, "optionSelected": &d.selected, "isClickable": &d.clickable,
	}
	s.object(func(name string) {
		switch {
		case columns[name] != nil:
			s.column(d, columns[name])
		case rare[name] != nil:
			s.rare(rare[name])
		case name == "attributes":
			d.attrs, d.attrEnd = s.lists(d.attrs[:0], slices.Grow(d.attrEnd[:0], len(d.parent)))
		default:
			s.Skip()
		}
	})
}

func (s *source) layout(d *docTable) {
	s.object(func(name string) {
		switch name {
		case "nodeIndex":
			s.column(d, &d.layoutNode)
		case "text":
			s.column(d, &d.layoutText)
		case "styles":
			n := len(d.layoutNode)
			d.styles, d.styleEnd = s.lists(slices.Grow(d.styles[:0], n*styleCount), slices.Grow(d.styleEnd[:0], n))
		case "bounds":
			s.hash.without(s, func() {
				d.bounds = slices.Grow(d.bounds[:0], 4*len(d.layoutNode))
				s.array(func() { d.bounds = s.floats(d.bounds) })
			})
		default:
			s.Skip()
		}
	})
}

func (s *source) rare(c *rareColumn) {
	s.object(func(name string) {
		switch name {
		case "index":
			c.index = s.ints(c.index[:0])
		case "value":
			c.value = s.ints(c.value[:0])
		default:
			s.Skip()
		}
	})
}

// check makes sure that no index points outside its column, that the columns
// are of one length, and that the nodes are in preorder.
func (d *docTable) check(t *table) error {
	wrong := ""
	fail := func(what string) { wrong = cmp.Or(wrong, what) }
	// within fails unless all numbers are at least -1 and less than n.
	within := func(n int, columns ...[]int32) {
		for _, c := range columns {
			if slices.ContainsFunc(c, func(v int32) bool { return uint32(v+1) > uint32(n) }) {
				fail("an index is out of range")
			}
		}
	}
	n, rows := len(d.parent), len(d.layoutNode)
	if n == 0 || len(d.kind) != n || len(d.name) != n || len(d.value) != n || len(d.backend) != n || len(d.attrEnd) != n ||
		len(d.layoutText) != rows || len(d.styleEnd) != rows || len(d.bounds) != 4*rows {
		return fmt.Errorf("%w: columns of different lengths", errSnapshot)
	}
	if d.parent[0] != -1 {
		fail("the first node is no root")
	}
	for i := 1; i < n; i++ {
		at := int32(i - 1)
		for at >= 0 && at != d.parent[i] {
			at = d.parent[at]
		}
		if at < 0 {
			fail("nodes are not in preorder")
			break
		}
	}
	for i, end := range d.attrEnd {
		if start := d.attrStart(i); (end-start)%2 != 0 {
			fail("an attribute without a value")
		}
	}
	within(len(t.strings), []int32{d.url, d.title, d.base, d.lang, d.frame}, d.name, d.value, d.attrs, d.layoutText, d.styles,
		d.shadow.value, d.textValue.value, d.inputValue.value, d.pseudo.value)
	within(n, d.layoutNode)
	within(len(t.docs), d.content.value)
	if slices.Contains(d.layoutNode, -1) || slices.Contains(d.content.value, -1) {
		fail("an index is missing")
	}
	for i, c := range d.rare() {
		within(n, c.index)
		if i < 5 && len(c.index) != len(c.value) {
			fail("a rare column's index and value differ in length")
		}
		if slices.Contains(c.index, -1) {
			fail("an index is missing")
		}
	}
	if wrong != "" {
		return fmt.Errorf("%w: %s", errSnapshot, wrong)
	}
	return nil
}

// attrStart is where the attributes of node i begin.
func (d *docTable) attrStart(i int) int32 { return startOf(d.attrEnd, i) }

func (d *docTable) styleStart(row int) int32 { return startOf(d.styleEnd, row) }

// startOf is where a list begins among lists one after the other.
func startOf(ends []int32, i int) int32 {
	if i == 0 {
		return 0
	}
	return ends[i-1]
}
