package pagedata

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Page is a snapshot prepared for look-ups: its elements in one order, frames
// where they stand, with the text lines, numbers, moments and addresses in them.
type Page struct {
	Snap       *accessibility.Snapshot
	Now        time.Time
	Elems      []Elem
	LineStarts []int32 // first element of each line, as a bound from below
	Lines      []Line
	Numbers    []Found[Number]
	ByValue    map[string][]int32 // a number's readings, to indexes in numbers
	ByCurrency map[string][]int32
	Moments    []Found[Moment]
	ByDay      map[int][]int32 // month*32+day
	ByTime     map[int][]int32 // seconds
	ByLength   map[int][]int32
	Addresses  map[string][]int32 // elements that lead there or show what is there
	Years      map[int]bool
	style      Decimals
	words      words
	base       []*url.URL // by document

	Rec     Records
	place   func(n *accessibility.Node, source bool) int32 // the element of a node, or of its target
	index   [][]int32                                      // by document and node, the element; 0 if there is none
	tables  map[int32]*Table
	Turned  bool // of a table, a check has made records of the columns
	labels  map[int32][]string
	classes map[string][]string
}

// New reads a snapshot. Dates without a year, and "two days ago", are counted from now;
// where it is zero, from what the page says alone.
func New(snap *accessibility.Snapshot, now time.Time) *Page {
	p := &Page{
		Snap: snap, Now: now,
		ByValue: map[string][]int32{}, ByCurrency: map[string][]int32{},
		ByDay: map[int][]int32{}, ByTime: map[int][]int32{}, ByLength: map[int][]int32{},
		Addresses: map[string][]int32{}, Years: map[int]bool{},
		tables: map[int32]*Table{}, labels: map[int32][]string{}, classes: map[string][]string{},
	}
	p.lay()
	p.match()
	p.read()
	p.scan()
	p.findRecords()
	return p
}

type elemKey struct{ doc, node int32 }

// An Elem is a captured node, in preorder over all frames.
type Elem struct {
	Doc, node   int32
	Parent, End int32
	Line        int32 // the line that a text belongs to, -1
	Seen        int32 // index in snap.Nodes, -1
	Cell        int32 // number of the cell on its row's line, 0
	Record      int32 // innermost record
	Signature   uint64
	Facts       int32 // texts, links, pictures and controls in the subtree
	Visible     bool
	row         *preLine // of a text in preformatted lines, the one that this element is
}

// Found is something that stands in a line.
type Found[T any] struct {
	Line, Elem int32
	What       T
}

// Cited is the element that a citation names: a ref or, for one line of a text that has
// several, the ref and the words that the line begins with.
func (p *Page) Cited(citation accessibility.Ref) (int32, bool) {
	ref, words, _ := strings.Cut(string(citation), " ")
	n, ok := p.Snap.Lookup(accessibility.Ref(ref))
	if !ok {
		return 0, false
	}
	e := p.place(n, true)
	if e <= 0 {
		return 0, false
	}
	if p.Tag(e) == "" { // the first of the texts on the outline's line
		e = p.Elems[e].Parent
	}
	words = Normalize(Collapse(words))
	for l := p.FirstLine(e); words != "" && int(l) < len(p.Lines) && p.LineStarts[l] < p.Elems[e].End; l++ {
		if strings.HasPrefix(Collapse(p.Lines[l].Text), words) {
			return p.LineStarts[l], true
		}
	}
	return e, true
}

// elemOf is the element of a captured node; 0 if there is none.
func (p *Page) elemOf(doc, node int32) int32 {
	if int(node) >= len(p.index[doc]) {
		return 0
	}
	return p.index[doc][node]
}

// Node is the captured node of an element; an empty one for what is above the documents.
func (p *Page) Node(e int32) *driver.Node {
	if e <= 0 {
		return &none
	}
	return &p.Snap.Capture.Documents[p.Elems[e].Doc].Nodes[p.Elems[e].node]
}

// none stands for what is above the documents.
var none driver.Node

// Tag is the name of an element; empty for a text.
func (p *Page) Tag(e int32) string { return p.Node(e).Name }

// Attr is the value of an attribute; empty where the element has none.
func (p *Page) Attr(e int32, name string) string {
	v, _ := p.Node(e).Attr(name)
	return v
}

// Ref is that of the outline's line on which an element stands.
func (p *Page) Ref(e int32) (accessibility.Ref, string) {
	text := p.Elems[e].Line >= 0
	for at := e; at >= 0; at = p.Elems[at].Parent {
		if s := p.Elems[at].Seen; s >= 0 {
			n := &p.Snap.Nodes[s]
			if c := p.Elems[at].Cell; c > 0 && int(c) <= len(n.Cells) {
				return n.Ref.Cell(int(c)), n.Cells[c-1].Text
			}
			return n.Ref, n.Name
		}
		if text { // a text run is named by its first text
			for i := at - 1; i > p.Elems[at].Parent && i > at-64; i-- {
				if s := p.Elems[i].Seen; s >= 0 && p.Snap.Nodes[s].Role == "text" && p.Elems[i].End <= at {
					n := &p.Snap.Nodes[s]
					return n.Ref, n.Name
				}
			}
		}
	}
	return "", ""
}

// Place is where an element stands in the capture.
func (p *Page) Place(e int32) driver.NodeRef {
	el := &p.Elems[e]
	return p.Snap.Capture.Documents[el.Doc].Ref(el.node)
}

// pointed are languages that write fractions with a point (CLDR).
var pointed = SetOfWords("en he ja ko th zh")

// Decimals is how the page writes fractions: as its numbers show, or else as its
// language does.
func (p *Page) Decimals() Decimals {
	d := p.style
	if !d.Dot && !d.Comma {
		lang := ""
		if docs := p.Snap.Capture.Documents; len(docs) > 0 {
			lang, _, _ = strings.Cut(strings.ToLower(docs[0].Lang), "-")
		}
		d.Comma, d.Dot = d.dotted, pointed[lang]
	}
	return d
}
