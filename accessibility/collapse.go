package accessibility

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// A collapser decides what becomes of a node when its element closes, and lays out
// the rows of tables.
type collapser struct {
	nest
	text     chunks
	cellRoom []Cell                 // room for cells
	rowText  []byte                 // room for a row's text
	layouts  map[int32]*tableLayout // of each table with a cell that spans, in drafts.nodes
	rowCells []htmltable.Cell[rowCell]
	rowSlots []htmltable.Slot[rowCell]
}

// collapse decides what becomes of a node once everything below it is known:
// it stays, it takes in its content, or it gives way to it.
func (p *collapser) collapse(k int32) {
	node := &p.nodes[k]
	how := treatments[node.role]
	if node.name == "" && node.children > 0 && (node.interactive || how&ownLine != 0) {
		p.absorb(k)
	}
	if node.role == "row" {
		p.row(k)
		return
	}
	if node.children == 0 {
		if !p.worthLine(k) {
			p.drop(k)
		}
		return
	}
	if node.children != 1 {
		return
	}
	kid := p.onlyChild(k)
	if kid < 0 || !p.nodes[kid].interactive && node.role != "listitem" {
		return
	}
	switch node.role {
	case "heading":
		if !node.interactive && equalText(node.name, p.nodes[kid].name) {
			p.nodes[kid].heading = int32(max(p.states(k).Level, 1))
			node.removed = true
		}
	case "listitem":
		node.removed = node.name == "" && p.plain(k)
	case "generic":
		node.removed = node.name == "" && node.interactive && !p.states(k).Editable && !p.scrolls(k)
	}
}

// absorb makes the text below a node its name, if there is nothing but text.
func (p *collapser) absorb(k int32) {
	node, first := &p.nodes[k], int(k)+1
	if len(p.nodes) != first+int(node.children) { // its children have content, too
		return
	}
	kids := p.nodes[first:]
	for i := range kids {
		if kids[i].role != "text" {
			return
		}
	}
	if len(kids) > 1 && (!node.interactive && !cellRole(node.role) || node.role == "generic" && p.severalRecords(kids)) {
		return
	}
	names := make([]string, len(kids))
	for i := range kids {
		names[i] = kids[i].name
	}
	node.name = strings.Join(names, " ")
	p.dropKids(k)
}

// severalRecords reports whether texts belong to several records: two of them begin lines
// in neighboring elements of one kind. An element that listens for all records is not one
// of them, and does not get their texts as its name.
func (p *collapser) severalRecords(texts []draft) bool {
	if slices.ContainsFunc(texts, func(t draft) bool { return t.doc != texts[0].doc }) {
		return false
	}
	nodes := p.tree.Capture.Documents[texts[0].doc].Nodes
	top := texts[0].node
	for last := texts[len(texts)-1].node; top >= 0 && !holds(nodes, top, last); {
		top = nodes[top].Parent
	}
	below := func(i int32) *driver.Node {
		for nodes[i].Parent > top {
			i = nodes[i].Parent
		}
		return &nodes[i]
	}
	for i := range texts[1:] {
		if !texts[i+1].newLine {
			continue
		}
		if a, b := below(texts[i].node), below(texts[i+1].node); a != b && ofOneKind(a, b) {
			return true
		}
	}
	return false
}

// ofOneKind reports whether two elements have the same tag and either share a class or have
// none. For table rows and list items the tag is enough: their classes often alternate.
func ofOneKind(a, b *driver.Node) bool {
	if a.Kind != driver.ElementNode || a.Name != b.Name {
		return false
	}
	one, _ := a.Attr("class")
	other, _ := b.Attr("class")
	classes := strings.Fields(other)
	return a.Name == "tr" || a.Name == "li" || one == other ||
		slices.ContainsFunc(strings.Fields(one), func(class string) bool { return slices.Contains(classes, class) })
}

// holds reports whether node i is in the subtree of top.
func holds(nodes []driver.Node, top, i int32) bool {
	for i > top {
		i = nodes[i].Parent
	}
	return i == top
}

// row puts the plain cells of a row on the row's line.
func (p *collapser) row(k int32) {
	row := &p.nodes[k]
	cells, inline, empty, header := 0, 0, 0, 0
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		cell := &p.nodes[c]
		if !cellRole(cell.role) {
			return
		}
		cells++
		if cell.children > 0 || !p.plain(c) {
			continue
		}
		inline++
		if cell.name == "" {
			empty++
		} else if cell.role == "columnheader" {
			header++
		}
	}
	listens := p.listens(k)
	if empty == cells && row.name == "" && p.plain(k) && !listens && !p.holdsGridcell(k) {
		p.layOut(k)
		p.dropKids(k)
		p.drop(k)
		return
	}
	slots, spanned := p.layOut(k)
	if inline == 0 && spanned {
		inline = -1 // its columns are not where its cells are
	}
	if inline != 0 {
		row.header = header > 0 && header+empty == cells
		row.cells = p.cells(len(slots))
	}
	for _, slot := range slots {
		on := Cell{kind: slot.Cell.kind, node: slot.Cell.node}
		switch slot.From {
		case htmltable.Nothing: // no line says so
			continue
		case htmltable.Above:
			on.Reach = FromAbove
		case htmltable.Left:
			on.Reach = FromLeft
		default:
			cell := &p.nodes[slot.Cell.draft]
			plain := p.plain(slot.Cell.draft)
			if plain && cell.children == 0 {
				on.Text, on.Interactive = cell.name, listens || cell.role == "gridcell"
				cell.removed = true
			} else {
				on.Below = true
			}
			if plain && cell.children == 1 {
				cell.removed = cell.name == ""
			}
		}
		if inline != 0 {
			row.cells = append(row.cells, on)
		}
	}
	if inline != 0 {
		row.name = p.joinCells(row.cells)
	}
	if inline == cells {
		p.dropKids(k)
	}
}

// holdsGridcell reports whether a row has a cell that is there to be used: a
// gridcell, which by WAI-ARIA 1.2 §5.3.2 is a widget.
func (p *collapser) holdsGridcell(k int32) bool {
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		if p.nodes[c].role == "gridcell" {
			return true
		}
	}
	return false
}

// listens reports whether the table around a row, or a part of the table around it,
// listens for presses of its cells. A listener further out may be there for anything.
func (p *collapser) listens(k int32) bool {
	nodes := p.tree.Capture.Documents[p.nodes[k].doc].Nodes
	heard := false
	for at := p.nodes[k].node; ; {
		up := nodes[at].Parent
		if up < 0 || up >= at {
			return false
		}
		at = up
		heard = heard || nodes[at].Clickable
		role, _ := nodes[at].Attr("role")
		if role == "table" || role == "grid" || role == "treegrid" || nodes[at].Name == "table" && nodes[at].Namespace == driver.HTML {
			return heard
		}
	}
}

// cells returns an empty slice with room for n cells, a part of a larger one.
func (p *collapser) cells(n int) []Cell {
	if cap(p.cellRoom)-len(p.cellRoom) < n {
		p.cellRoom = make([]Cell, 0, max(1024, n))
	}
	at := len(p.cellRoom)
	p.cellRoom = p.cellRoom[:at+n]
	return p.cellRoom[at : at : at+n]
}

// joinCells returns the text of a row.
func (p *collapser) joinCells(cells []Cell) string {
	b := p.rowText[:0]
	for i, c := range cells {
		if i > 0 {
			b = append(b, " | "...)
		}
		if !c.Below {
			b = append(b, c.Text...)
		}
	}
	p.rowText = b
	return p.text.add(b)
}

// A tableLayout is the columns of a table's cells, row by row.
type tableLayout struct {
	htmltable.Layout[rowCell]
	section int32 // the part of the table that the last row was in, in the document
}

// A rowCell is a cell of a row. It copies the draft's kind and node, which a row below
// still needs after the draft is dropped.
type rowCell struct {
	draft int32 // valid while its own row is laid out
	kind  uint8 // in lineCells
	node  int32
}

// layOut returns the columns of the row at k, until the next row's are asked for, and
// reports whether a cell of the row spans some, or one above reaches into it.
func (p *collapser) layOut(k int32) (slots []htmltable.Slot[rowCell], spanned bool) {
	table := p.nodes[k].parent
	for table >= 0 && p.nodes[table].removed {
		table = p.nodes[table].parent
	}
	p.rowCells, p.rowSlots = p.rowCells[:0], p.rowSlots[:0]
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		s := htmltable.SpanOf(p.captured(c))
		spanned = spanned || s.Across > 1 || s.Down > 1
		cell := rowCell{c, cellNumber(p.nodes[c].role), p.nodes[c].node}
		p.rowCells = append(p.rowCells, htmltable.Cell[rowCell]{Cell: cell, Span: s})
		p.rowSlots = append(p.rowSlots, htmltable.Slot[rowCell]{Cell: cell, From: htmltable.Own})
	}
	row := &p.nodes[k]
	section := p.tree.Capture.Documents[row.doc].Nodes[row.node].Parent
	layout := p.layouts[table]
	if layout != nil && layout.section != section {
		layout.EndSection()
	}
	reached := layout != nil && layout.Reached()
	if !spanned && !reached || table < 0 {
		return p.rowSlots, false
	}
	if layout == nil {
		layout = &tableLayout{}
		if p.layouts == nil {
			p.layouts = map[int32]*tableLayout{}
		}
		p.layouts[table] = layout
	}
	layout.section = section
	if len(p.rowCells) == 1 && !reached {
		p.rowCells[0].Across = 1 // the whole row
	}
	return layout.Row(p.rowCells), true
}
