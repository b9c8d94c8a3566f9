package grounding

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A page is a snapshot prepared for look-ups: its elements in one order, frames
// where they stand, with the text lines, numbers, moments and addresses in them.
type page struct {
	snap       *accessibility.Snapshot
	now        time.Time
	elems      []elem
	lineStarts []int32 // first element of each line, as a bound from below
	lines      []line
	words      []word // of all lines, in order

	vocabulary map[string]int32 // a word's number
	postings   [][]int32        // by word, positions in words
	numbers    []found[number]
	byValue    map[string][]int32 // a number's readings, to indexes in numbers
	byCurrency map[string][]int32
	moments    []found[moment]
	byDay      map[int][]int32 // month*32+day
	byTime     map[int][]int32 // seconds
	byLength   map[int][]int32
	addresses  map[string][]int32 // elements that lead there or show what is there
	years      map[int]bool
	style      decimals

	rec     records
	divided bool      // a check has divided a stretch into records of its own
	index   [][]int32 // by document and node, the element; 0 if there is none
	tables  map[int32]*table
	every   []*table // that is seen, in page order
	labels  map[int32][]string
	classes map[string][]string
	naming  map[int32]bool // rows, whether they name a table's columns
}

type elemKey struct{ doc, node int32 }

// An elem is a captured node, in preorder over all frames.
type elem struct {
	doc, node   int32
	parent, end int32
	line        int32 // the line that a text belongs to, -1
	seen        int32 // index in snap.Nodes, -1
	cell        int32 // number of the cell on its row's line, 0
	record      int32 // innermost record
	signature   uint64
	facts       int32 // texts, links, pictures and controls in the subtree
	visible     bool
}

// A word is a token of a line with its place.
type word struct {
	id    int32
	line  int32
	token token
}

// found is something that stands in a line.
type found[T any] struct {
	line, elem int32
	what       T
}

// elemOf is the element of a captured node; 0 if there is none.
func (p *page) elemOf(doc, node int32) int32 {
	if int(node) >= len(p.index[doc]) {
		return 0
	}
	return p.index[doc][node]
}

func (p *page) node(e int32) *driver.Node {
	if e <= 0 {
		return &none
	}
	return &p.snap.Capture.Documents[p.elems[e].doc].Nodes[p.elems[e].node]
}

// none stands for what is above the documents.
var none driver.Node

func (p *page) tag(e int32) string { return p.node(e).Name }

func (p *page) attr(e int32, name string) string {
	v, _ := p.node(e).Attr(name)
	return v
}

// ref is that of the outline's line on which an element stands.
func (p *page) ref(e int32) (accessibility.Ref, string) {
	text := p.elems[e].line >= 0
	for at := e; at >= 0; at = p.elems[at].parent {
		if s := p.elems[at].seen; s >= 0 {
			n := &p.snap.Nodes[s]
			if c := p.elems[at].cell; c > 0 && int(c) <= len(n.Cells) {
				return n.Ref.Cell(int(c)), n.Cells[c-1].Text
			}
			return n.Ref, n.Name
		}
		if text { // a text run is named by its first text
			for i := at - 1; i > p.elems[at].parent && i > at-64; i-- {
				if s := p.elems[i].seen; s >= 0 && p.snap.Nodes[s].Role == "text" && p.elems[i].end <= at {
					n := &p.snap.Nodes[s]
					return n.Ref, n.Name
				}
			}
		}
	}
	return "", ""
}

// A line is a text that is read as one: adjacent inline texts, or an attribute.
type line struct {
	text   string // normalized
	pieces []piece
	hidden bool // says something that is no text of the page: an attribute
	first  int32
	end    int32 // in words
	option bool  // of a choice that is not chosen
}

// A piece is where the text of an element begins in its line.
type piece struct{ start, elem int32 }

// elemAt is the element in which a place of a line stands.
func (l *line) elemAt(at int32) int32 {
	for i := len(l.pieces) - 1; i > 0; i-- {
		if l.pieces[i].start <= at {
			return l.pieces[i].elem
		}
	}
	return l.pieces[0].elem
}

// inline are elements that do not end a line of text where no style says so.
var inline = map[string]bool{"a": true, "abbr": true, "b": true, "bdi": true, "bdo": true, "cite": true, "code": true, "data": true, "del": true, "dfn": true, "em": true, "i": true, "ins": true,

	"kbd": true, "label": true, "mark": true, "q": true, "s": true, "samp": true, "slot": true, "small": true, "span": true, "strong": true, "strike": true, "sub": true, "sup": true, "time": true, "tt": true, "u": true, "var": true, "font": true, "ruby": true, "wbr": true, "output": true}

func (p *page) isInline(e int32) bool {
	n := p.node(e)
	if n.Style != nil && n.Style.Display != "" {
		return n.Style.Display == "inline" || n.Style.Display == "contents" || strings.HasPrefix(n.Style.Display, "ruby")
	}
	return inline[n.Name]
}

// A record is one of several things of the same shape: a row, a card, an item
// of a list, a part under a heading. Record 0 is the page.
type record struct {
	lo, hi int32 // elements
	parent int32
	group  int32
	solid  bool    // what stands in it belongs together, and not to what is outside
	header bool    // a row of column headers
	head   int32   // the element of its label, -1
	extra  []int32 // cells of rows above that reach into this one
}

// A group is the records of one container, in page order.
type group struct {
	members []int32
	parent  int32 // the container
}

type records struct {
	all    []record
	groups []group
}

// headerRow reports whether a row consists of headers.
func (p *page) headerRow(e int32) bool {
	if p.tag(e) != "tr" {
		if p.attr(e, "role") != "row" {
			return false
		}
		heads := 0
		for k := e + 1; k < p.elems[e].end; k++ {
			switch p.attr(k, "role") {
			case "columnheader":
				heads++
			case "cell", "gridcell", "rowheader":
				return false
			}
		}
		return heads > 0
	}
	th, td := 0, 0
	for k := e + 1; k < p.elems[e].end; k = p.elems[k].end {
		switch p.tag(k) {
		case "th":
			th++
		case "td":
			if p.elems[k].facts > 0 {
				td++
			}
		}
	}
	return td == 0 && th > 0 || p.tag(p.elems[e].parent) == "thead" || th == 0 && p.namesColumns(e)
}

// namesColumns reports whether the first row of a table without headers says words
// alone, of three columns or more, one of which has numbers from there on.
func (p *page) namesColumns(tr int32) bool {
	if v, ok := p.naming[tr]; ok {
		return v
	}
	names := func() bool {
		up := p.elems[tr].parent
		for k := up + 1; k < tr; k = p.elems[k].end {
			if p.tag(k) == "tr" {
				return false
			}
		}
		cells := func(tr int32) (out []string) {
			for k := tr + 1; k < p.elems[tr].end; k = p.elems[k].end {
				if t := p.tag(k); t == "th" || p.attr(k, "colspan") != "" {
					return nil
				} else if t == "td" {
					out = append(out, p.textOf(k, 60))
				}
			}
			return out
		}
		head := cells(tr)
		if len(head) < 3 {
			return false
		}
		for _, s := range head {
			if s == "" || len(s) > 40 || strings.ContainsAny(s, "0123456789") {
				return false
			}
		}
		rows, figures := 0, make([]int, len(head))
		for k := p.elems[tr].end; k < p.elems[up].end; k = p.elems[k].end {
			if p.tag(k) != "tr" {
				continue
			}
			row := cells(k)
			if len(row) != len(head) {
				return false
			}
			rows++
			for i, s := range row {
				if s == "" || blanks[s] || strings.ContainsAny(s, "0123456789") {
					figures[i]++
				}
			}
		}
		return rows > 1 && slices.Contains(figures, rows)
	}
	v := names()
	if p.naming == nil {
		p.naming = map[int32]bool{}
	}
	p.naming[tr] = v
	return v
}

// textOf is the normalized text of an element, up to a length.
func (p *page) textOf(e int32, most int) string {
	var b strings.Builder
	for k := e; k < p.elems[e].end && b.Len() < most; k++ {
		if p.elems[k].line < 0 || p.node(k).Name != "" {
			continue
		}
		l := &p.lines[p.elems[k].line]
		for i, pc := range l.pieces {
			if pc.elem != k {
				continue
			}
			end := int32(len(l.text))
			if i+1 < len(l.pieces) {
				end = l.pieces[i+1].start
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(strings.TrimSpace(l.text[pc.start:end]))
		}
	}
	return b.String()
}

// A table is the grid of a table's cells.
type table struct {
	elem   int32
	headed bool
	turned bool              // its columns are records
	heads  map[int]headWords // by column
	rows   []tableRow
	column map[int32]int // of a cell
	row    map[int32]int // of a row's element, its index in rows
}

type headWords struct {
	elem  int32
	words []string
}

type tableRow struct {
	elem, first, last int32
	cells             []int32
	above             []int32 // cells that reach in from rows above
}

// classWords are the words of an element's class, itemprop and data-label attributes.
func (p *page) classWords(e int32) []string {
	n := p.node(e)
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
	for _, w := range splitName(key) {
		if !empty[w] {
			out = append(out, idea(w))
		}
	}
	p.classes[key] = out
	return out
}

// within reports whether an element stands in a record.
func (p *page) within(e, r int32) bool { return e >= p.rec.all[r].lo && e < p.rec.all[r].hi }

// headWords are the words of a record's label.
func (p *page) headWords(r int32) []string {
	head := p.rec.all[r].head
	if head < 0 {
		return nil
	}
	words, known := p.labels[head]
	if !known {
		words = labelWords(p.textOf(head, 80))
		p.labels[head] = words
	}
	return words
}

// siblings are the records right before and behind one in its group.
func (p *page) siblings(r int32) []int32 {
	g := p.rec.all[r].group
	if g < 0 {
		return nil
	}
	members := p.rec.groups[g].members
	i, _ := slices.BinarySearchFunc(members, p.rec.all[r].lo, func(m, lo int32) int { return cmp.Compare(p.rec.all[m].lo, lo) })
	var out []int32
	if i > 0 {
		out = append(out, members[i-1])
	}
	if i+1 < len(members) {
		out = append(out, members[i+1])
	}
	return out
}
