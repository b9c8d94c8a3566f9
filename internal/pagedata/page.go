package pagedata

import (
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page is a snapshot prepared for look-ups: its elements in one order, frames
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

type elemKey struct{ doc, node int32 }

// An elem is a captured node, in preorder over all frames.
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

// found is something that stands in a line.
type Found[T any] struct {
	Line, Elem int32
	What       T
}

// elemOf is the element of a captured node; 0 if there is none.
func (p *Page) elemOf(doc, node int32) int32 {
	if int(node) >= len(p.index[doc]) {
		return 0
	}
	return p.index[doc][node]
}

func (p *Page) Node(e int32) *driver.Node {
	if e <= 0 {
		return &none
	}
	return &p.Snap.Capture.Documents[p.Elems[e].Doc].Nodes[p.Elems[e].node]
}

// none stands for what is above the documents.
var none driver.Node

func (p *Page) Tag(e int32) string { return p.Node(e).Name }

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

// A line is a text that is read as one: adjacent inline texts, or an attribute.
type Line struct {
	Text   string // normalized
	Pieces []Piece
	Hidden bool // says something that is no text of the page: an attribute
	Option bool // of a choice that is not chosen
}

// A piece is where the text of an element begins in its line.
type Piece struct{ Start, Elem int32 }

// ElemAt is the element in which a place of a line stands.
func (l *Line) ElemAt(at int32) int32 {
	for i := len(l.Pieces) - 1; i > 0; i-- {
		if l.Pieces[i].Start <= at {
			return l.Pieces[i].Elem
		}
	}
	return l.Pieces[0].Elem
}

// inline are elements that do not end a line of text where no style says so.
var inline = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true, "dfn": true, "em": true, "i": true, "ins": true,

	"kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true, "slot": true, "small": true, "span": true, "strong": true, "strike": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "font": true, "ruby": true, "wbr": true, "output": true}

func (p *Page) isInline(e int32) bool {
	n := p.Node(e)
	if n.Style != nil && n.Style.Display != "" {
		return n.Style.Display == "inline" || n.Style.Display == "contents" || strings.HasPrefix(n.Style.Display, "ruby")
	}
	return inline[n.Name]
}

// A record is one of several things of the same shape: a row, a card, an item
// of a list, a part under a heading. Record 0 is the page.
type Record struct {
	Lo, Hi int32 // elements
	Parent int32
	Group  int32
	Solid  bool    // what stands in it belongs together, and not to what is outside
	Header bool    // a row of column headers
	Head   int32   // the element of its label, -1
	Extra  []int32 // cells of rows above that reach into this one
}

// A group is the records of one container, in page order.
type Group struct {
	Members []int32
	Parent  int32 // the container
}

type Records struct {
	All    []Record
	Groups []Group
}

// HeaderRow reports whether a row consists of headers: of a table's own, or by ARIA.
func (p *Page) HeaderRow(e int32) bool {
	heads, cells := 0, 0
	for k := e + 1; k < p.Elems[e].End && p.Part(e) == "tr"; k++ {
		switch role := p.Attr(k, "role"); {
		case p.Tag(k) == "th" && p.Elems[k].Parent == e, role == "columnheader":
			heads++
		case p.Tag(k) == "td" && p.Elems[k].Parent == e && p.Elems[k].Facts > 0, role == "cell", role == "gridcell", role == "rowheader":
			cells++
		}
	}
	return cells == 0 && heads > 0 || p.Tag(p.Elems[e].Parent) == "thead"
}

// TextOf is the normalized text of an element, up to a length.
func (p *Page) TextOf(e int32, most int) string {
	var b strings.Builder
	for k := e; k < p.Elems[e].End && b.Len() < most; k++ {
		if p.Elems[k].Line < 0 || p.Node(k).Name != "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.OwnText(k))
	}
	return b.String()
}

// A Table is the grid of a table's cells.
type Table struct {
	Elem   int32
	Turned bool              // its columns are records
	Heads  map[int]HeadWords // by column
	Rows   []TableRow
	Column map[int32]int // of a cell
	Row    map[int32]int // of a row's element, its index in rows
}

type HeadWords struct {
	Elem  int32
	Words []string
}

type TableRow struct {
	Cells []int32
	Above []int32 // cells that reach in from rows above
}

// rowOf are the cells of a cell's row; nil in a row of headers.
func (t *Table) rowOf(p *Page, cell int32) []int32 {
	if r, ok := t.Row[p.Elems[cell].Parent]; ok {
		return t.Rows[r].Cells
	}
	return nil
}

// ClassWords are the words of an element's class, itemprop and data-label attributes.
func (p *Page) ClassWords(e int32) []string {
	n := p.Node(e)
	var key string
	for _, a := range n.Attrs {
		switch a.Name {
		case "class", "itemprop", "data-label", "data-title", "id", "data-testid", "headers":
			if a.Name == "id" && len(a.Value) > 24 {
				continue
			}
			key += a.Value + " "
		}
	}
	if key == "" {
		return nil
	}
	if w, ok := p.classes[key]; ok {
		return w
	}
	var out []string
	for _, w := range SplitName(key) {
		if !Empty[w] {
			out = append(out, Stem(w))
		}
	}
	p.classes[key] = out
	return out
}

// Within reports whether an element stands in a record.
func (p *Page) Within(e, r int32) bool { return e >= p.Rec.All[r].Lo && e < p.Rec.All[r].Hi }

// Place is where an element stands in the capture.
func (p *Page) Place(e int32) driver.NodeRef {
	el := &p.Elems[e]
	return p.Snap.Capture.Documents[el.Doc].Ref(el.node)
}
