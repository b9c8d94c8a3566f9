package pagedata

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tree is the elements of all frames in one order, frames where they stand.
type tree struct {
	Snap  *accessibility.Snapshot
	Elems []Elem
	index [][]int32                 // by document and node, the element; 0 if there is none
	ids   []map[driver.NodeID]int32 // by document, the elements by their nodes' ids; the first of two wins
}

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

// elemOf is the element of a captured node; 0 if there is none.
func (p *tree) elemOf(doc, node int32) int32 {
	if int(node) >= len(p.index[doc]) {
		return 0
	}
	return p.index[doc][node]
}

// Node is the captured node of an element; an empty one for what is above the documents.
func (p *tree) Node(e int32) *driver.Node {
	if e <= 0 {
		return &none
	}
	return &p.Snap.Capture.Documents[p.Elems[e].Doc].Nodes[p.Elems[e].node]
}

// none stands for what is above the documents.
var none driver.Node

// Tag is the name of an element; empty for a text.
func (p *tree) Tag(e int32) string { return p.Node(e).Name }

// Attr is the value of an attribute; empty where the element has none.
func (p *tree) Attr(e int32, name string) string {
	v, _ := p.Node(e).Attr(name)
	return v
}

// Ref is that of the outline's line on which an element stands, with the line's text.
func (p *tree) Ref(e int32) (accessibility.Ref, string) {
	text := p.Elems[e].Line >= 0
	for at := e; at >= 0; at = p.Elems[at].Parent {
		if s := p.Elems[at].Seen; s >= 0 {
			n := &p.Snap.Nodes[s]
			if c := p.Elems[at].Cell; c > 0 {
				return n.Ref.Cell(int(c)), n.Cells[c-1].Text
			}
			return n.Ref, n.Name
		}
		for i := at - 1; text && i > max(p.Elems[at].Parent, at-64); i-- { // a text run is named by its first text
			if s := p.Elems[i].Seen; s >= 0 && p.Snap.Nodes[s].Role == "text" {
				return p.Snap.Nodes[s].Ref, p.Snap.Nodes[s].Name
			}
		}
	}
	return "", ""
}

// Place is where an element stands in the capture.
func (p *tree) Place(e int32) driver.NodeRef {
	el := &p.Elems[e]
	return p.Snap.Capture.Documents[el.Doc].Ref(el.node)
}

// lay puts the nodes of all frames into one preorder.
func (p *tree) lay() {
	docs := p.Snap.Capture.Documents
	type key struct{ doc, node int32 }
	frames, size := map[key][]int32{}, 1
	for i := range docs {
		at := key{docs[i].OwnerDocument, docs[i].Owner}
		frames[at] = append(frames[at], int32(i))
		size += len(docs[i].Nodes)
	}
	p.Elems = make([]Elem, 1, size)
	p.Elems[0] = Elem{node: -1, Parent: -1, Line: -1, Seen: -1} // above all
	p.index, p.ids = make([][]int32, len(docs)), make([]map[driver.NodeID]int32, len(docs))
	var walk func(doc, parent int32)
	walk = func(doc, parent int32) {
		if p.index[doc] != nil {
			return
		}
		nodes := docs[doc].Nodes
		p.index[doc], p.ids[doc] = make([]int32, len(nodes)), make(map[driver.NodeID]int32, len(nodes))
		for i := range nodes {
			up, at := parent, int32(len(p.Elems))
			if nodes[i].Parent >= 0 {
				up = p.index[doc][nodes[i].Parent]
			}
			p.Elems = append(p.Elems, Elem{Doc: doc, node: int32(i), Parent: up, Line: -1, Seen: -1})
			p.index[doc][i] = at
			if _, known := p.ids[doc][nodes[i].ID]; !known {
				p.ids[doc][nodes[i].ID] = at
			}
			if nodes[i].Kind == driver.TextNode && p.preformatted(at) {
				p.layLines(at)
			}
			for _, frame := range frames[key{doc, int32(i)}] {
				walk(frame, at)
			}
		}
	}
	for i := range docs {
		if docs[i].OwnerDocument < 0 {
			walk(int32(i), 0)
		}
	}
	for i := range docs { // those whose owner is not captured
		walk(int32(i), 0)
	}
	for e := int32(len(p.Elems)) - 1; e >= 0; e-- {
		el := &p.Elems[e]
		if el.End = max(el.End, e+1); e > 0 {
			p.Elems[el.Parent].End = max(p.Elems[el.Parent].End, el.End)
		}
	}
}

// place is the element of a captured node; 0 if there is none.
func (p *tree) place(ref driver.NodeRef) int32 {
	for i := range p.Snap.Capture.Documents {
		if d := &p.Snap.Capture.Documents[i]; d.Frame == ref.Frame && d.Doc == ref.Doc {
			return p.ids[i][ref.Node]
		}
	}
	return 0
}

// match joins the elements to the lines of the outline.
func (p *tree) match() {
	var scope []int32
	frames := map[int32]bool{}
	for i := range p.Snap.Nodes {
		n := &p.Snap.Nodes[i]
		e := p.place(n.Source)
		if e == 0 {
			continue
		}
		frames[p.Elems[e].Doc] = true
		if p.Elems[e].Seen < 0 {
			p.Elems[e].Seen = int32(i)
		}
		if n.Parent < 0 {
			scope = append(scope, p.place(n.Target))
		}
		for k := range n.Cells {
			if c := p.place(p.Snap.CellSource(n, k+1)); c > 0 && p.Elems[c].Seen < 0 {
				p.Elems[c].Seen, p.Elems[c].Cell = int32(i), int32(k+1)
			}
		}
	}
	for i := 1; i < len(p.Elems); i++ { // the lines of a text are on the outline's line of it
		if el, before := &p.Elems[i], &p.Elems[i-1]; el.row != nil && before.row != nil && el.node == before.node && el.Doc == before.Doc {
			el.Seen = before.Seen
		}
	}
	for _, e := range scope {
		for i := e; e > 0 && i < p.Elems[e].End; i++ {
			p.Elems[i].Visible = frames[p.Elems[i].Doc]
		}
	}
	for _, ref := range p.Snap.Ignored() {
		e := p.place(ref)
		for i := e; e > 0 && i < p.Elems[e].End; i++ {
			p.Elems[i].Visible = false
		}
	}
}

// Part is what an element is in a table, as HTML calls it: table, tbody, tr, td or th,
// by its tag or by its ARIA role; else its tag.
func (p *tree) Part(e int32) string {
	switch tag := p.Tag(e); tag {
	case "table", "thead", "tbody", "tfoot", "tr", "td", "th":
		return tag
	default:
		switch p.Attr(e, "role") {
		case "table", "grid", "treegrid":
			return "table"
		case "rowgroup":
			return "tbody"
		case "row":
			return "tr"
		case "cell", "gridcell":
			return "td"
		case "columnheader", "rowheader":
			return "th"
		}
		return tag
	}
}

// Named is the line of the outline that an element is; nil if it is none.
func (p *tree) Named(e int32) *accessibility.Node {
	if s := p.Elems[e].Seen; s >= 0 && p.Elems[e].Cell == 0 {
		return &p.Snap.Nodes[s]
	}
	return nil
}

// controls are the roles of what holds a value.
var controls = SetOfWords("textbox searchbox combobox listbox spinbutton slider date datetime inputtime colorwell meter progressbar checkbox switch radio button")

// Control is the outline's line of a control; nil of what is none.
func (p *tree) Control(e int32) *accessibility.Node {
	if n := p.Named(e); n != nil && controls[string(n.Role)] {
		return n
	}
	return nil
}

// IsHeading reports whether an element is a heading that is seen, by its tag or its role.
func (p *tree) IsHeading(e int32) bool {
	switch p.Tag(e) {
	case "h1", "h2", "h3", "h4", "h5", "h6":
		return p.Elems[e].Visible
	}
	return p.Attr(e, "role") == "heading" && p.Elems[e].Visible
}

// landmarks are the roles of what stands beside a page's matter.
var landmarks = SetOfWords("navigation complementary banner contentinfo search")

// Aside reports whether an element begins something that stands beside the page's
// matter. A header, footer or aside of the main part, an article or a section is a part
// of that, though an aside of the main part has a landmark's role (HTML Accessibility
// API Mappings).
func (p *tree) Aside(e int32) bool {
	switch p.Tag(e) {
	case "nav":
		return true
	case "header", "footer", "aside":
		for up := p.Elems[e].Parent; up > 0; up = p.Elems[up].Parent {
			switch p.Tag(up) {
			case "main", "article", "section":
				return false
			}
		}
		return true
	}
	return landmarks[p.Attr(e, "role")]
}

// A preLine is a line of a preformatted text that has several: each is an element of
// its own, so that it can be a record.
type preLine struct {
	text          string
	before, after int // line breaks around it, within the text
}

// preformatted reports whether an element stands in one whose line breaks are shown.
func (p *tree) preformatted(e int32) bool {
	for i, at := 0, p.Elems[e].Parent; i < 6 && at > 0; i, at = i+1, p.Elems[at].Parent {
		if p.Tag(at) == "pre" {
			return true
		}
	}
	return false
}

// layLines makes elements of the lines of a text that has line breaks; the text itself
// is the first.
func (p *tree) layLines(e int32) {
	lines := strings.Split(p.shown(e), "\n")
	if len(lines) == 1 {
		return
	}
	row := &preLine{}
	p.Elems[e].row = row
	for i, line := range lines {
		if i > 0 && row.text == "" {
			row.before++
		} else if i > 0 {
			row.after++
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if row.text != "" {
			next := &preLine{before: row.after}
			row.after, row = 0, next
			p.Elems = append(p.Elems, Elem{Doc: p.Elems[e].Doc, node: p.Elems[e].node, Parent: p.Elems[e].Parent, Line: -1, Seen: -1, row: row})
		}
		row.text = line
	}
}

// shown is what a text shows, in its own spaces.
func (p *tree) shown(e int32) string {
	if row := p.Elems[e].row; row != nil {
		return row.text
	}
	n := p.Node(e)
	return cmp.Or(n.Shown, n.Text)
}

// number is what an attribute says, 0 if it says no number from 1.
func (p *tree) number(e int32, name string) int {
	v := p.Attr(e, name)
	if v == "" { // as nearly all elements have it: an error would be made for each
		return 0
	}
	n, _ := strconv.Atoi(v)
	return max(n, 0)
}
