package pagedata

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A tree is the elements of all frames in one order, frames where they stand.
type tree struct {
	Snap  *accessibility.Snapshot
	Elems []Elem
	place func(n *accessibility.Node, source bool) int32 // the element of a node, or of its target
	index [][]int32                                      // by document and node, the element; 0 if there is none
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

// Ref is that of the outline's line on which an element stands.
func (p *tree) Ref(e int32) (accessibility.Ref, string) {
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
func (p *tree) Place(e int32) driver.NodeRef {
	el := &p.Elems[e]
	return p.Snap.Capture.Documents[el.Doc].Ref(el.node)
}

// lay puts the nodes of all frames into one preorder.
func (p *tree) lay() {
	docs := p.Snap.Capture.Documents
	owners := map[elemKey][]int32{}
	for i := range docs {
		if up := docs[i].OwnerDocument; up >= 0 && int(up) < i {
			owners[elemKey{up, docs[i].Owner}] = append(owners[elemKey{up, docs[i].Owner}], int32(i))
		}
	}
	size := 1
	for i := range docs {
		size += len(docs[i].Nodes)
	}
	p.Elems = make([]Elem, 0, size)
	p.Elems = append(p.Elems, Elem{Doc: 0, node: -1, Parent: -1, Line: -1, Seen: -1}) // above all
	p.index = make([][]int32, len(docs))
	done := make([]bool, len(docs))
	var walk func(doc, parent int32, depth int)
	walk = func(doc, parent int32, depth int) {
		if done[doc] || depth > 64 {
			return
		}
		done[doc] = true
		type open struct{ node, elem int32 }
		stack := []open{{-1, parent}}
		closeTop := func() {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, child := range owners[elemKey{doc, top.node}] {
				walk(child, top.elem, depth+1)
			}
			p.Elems[top.elem].End = int32(len(p.Elems))
		}
		nodes := docs[doc].Nodes
		p.index[doc] = make([]int32, len(nodes))
		for i := range nodes {
			for len(stack) > 1 && stack[len(stack)-1].node != nodes[i].Parent {
				closeTop()
			}
			at := int32(len(p.Elems))
			p.Elems = append(p.Elems, Elem{Doc: doc, node: int32(i), Parent: stack[len(stack)-1].elem, End: at + 1, Line: -1, Seen: -1})
			p.index[doc][i] = at
			if nodes[i].Kind == driver.TextNode && p.preformatted(at) && p.layLines(at) {
				continue
			}
			stack = append(stack, open{int32(i), at})
		}
		for len(stack) > 1 {
			closeTop()
		}
	}
	for i := range docs {
		walk(int32(i), 0, 0)
	}
	p.Elems[0].End = int32(len(p.Elems))
}

// match joins the elements to the lines of the outline.
func (p *tree) match() {
	docs := p.Snap.Capture.Documents
	type docKey struct {
		frame driver.FrameID
		doc   driver.DocID
	}
	type numbered struct {
		id   driver.NodeID
		node int32
	}
	byDoc := map[docKey]int32{}
	byID := make([][]numbered, len(docs)) // in the order of the ids
	for i := len(docs) - 1; i >= 0; i-- {
		byDoc[docKey{docs[i].Frame, docs[i].Doc}] = int32(i)
		byID[i] = make([]numbered, len(docs[i].Nodes))
		for j := range docs[i].Nodes {
			byID[i][j] = numbered{docs[i].Nodes[j].ID, int32(j)}
		}
		slices.SortStableFunc(byID[i], func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
	}
	find := func(ref driver.NodeRef) (e int32, known bool) {
		doc, ok := byDoc[docKey{ref.Frame, ref.Doc}]
		if !ok {
			return -1, false
		}
		at, known := slices.BinarySearchFunc(byID[doc], ref.Node, func(n numbered, id driver.NodeID) int { return cmp.Compare(n.id, id) })
		if !known {
			return p.elemOf(doc, 0), false
		}
		return p.elemOf(doc, byID[doc][at].node), true
	}
	scope := make([]int32, 0, 1)
	place := func(n *accessibility.Node, source bool) int32 {
		ref := n.Target
		if source {
			ref = n.Source
		}
		if e, _ := find(ref); e > 0 {
			return e
		}
		return -1
	}
	p.place = place
	frames := map[int32]bool{}
	for i := range p.Snap.Nodes {
		n := &p.Snap.Nodes[i]
		e := place(n, true)
		if e < 0 {
			continue
		}
		frames[p.Elems[e].Doc] = true
		if p.Elems[e].Seen < 0 {
			p.Elems[e].Seen = int32(i)
		}
		if n.Parent < 0 {
			if t := place(n, false); t >= 0 {
				scope = append(scope, t)
			}
		}
		for k := range n.Cells {
			if c, _ := find(p.Snap.CellSource(n, k+1)); c > 0 && p.Elems[c].Seen < 0 {
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
		for i := e; i < p.Elems[e].End; i++ {
			p.Elems[i].Visible = frames[p.Elems[i].Doc]
		}
	}
	for _, ref := range p.Snap.Ignored() {
		if e, known := find(ref); known {
			for i := e; i < p.Elems[e].End; i++ {
				p.Elems[i].Visible = false
			}
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
	return (Heading(p.Tag(e)) || p.Attr(e, "role") == "heading") && p.Elems[e].Visible
}

// Heading reports whether a tag is that of a heading, h1 to h6.
func Heading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
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
		if t := p.Tag(at); t == "pre" || t == "listing" {
			return true
		}
	}
	return false
}

// layLines makes elements of the lines of a text that has line breaks; the text itself
// is the first.
func (p *tree) layLines(e int32) bool {
	n := p.Node(e)
	text := cmp.Or(n.Shown, n.Text)
	if !strings.Contains(text, "\n") {
		return false
	}
	at, breaks := e, 0
	var last *preLine
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			breaks++
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last != nil {
			at++
			p.Elems = append(p.Elems, Elem{Doc: p.Elems[e].Doc, node: p.Elems[e].node, Parent: p.Elems[e].Parent, End: at + 1, Line: -1, Seen: -1})
		}
		last = &preLine{text: line, before: breaks}
		p.Elems[at].row = last
		breaks = 0
	}
	if last == nil {
		last = &preLine{before: breaks}
		p.Elems[e].row = last
	} else {
		last.after = breaks
	}
	return true
}

// shown is what a text shows, in its own spaces.
func (p *tree) shown(e int32) string {
	if row := p.Elems[e].row; row != nil {
		return row.text
	}
	n := p.Node(e)
	return cmp.Or(n.Shown, n.Text)
}

func (p *tree) span(e int32, name string) int {
	n, err := strconv.Atoi(p.Attr(e, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 100)
}
