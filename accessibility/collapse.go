package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A collapser decides what becomes of a node when its element closes, and lays out
// the rows of tables.
type collapser struct {
	nest
	text     chunks
	cellRoom []Cell              // room for cells
	rowText  []byte              // room for a row's text
	spans    map[int32][]rowSpan // of each table, in drafts.nodes: the columns that cells reach down into
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
	if len(kids) > 1 && !node.interactive && !cellRole(node.role) {
		return
	}
	node.name = kids[0].name
	if len(kids) > 1 {
		var b strings.Builder
		for i := range kids {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(kids[i].name)
		}
		node.name = b.String()
	}
	p.dropKids(k)
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
		p.skipRow(k)
		p.dropKids(k)
		p.drop(k)
		return
	}
	var grid spanGrid
	p.spansOf(k, &grid)
	if inline == 0 && grid.used {
		inline = -1 // its columns are not where its cells are
	}
	if inline != 0 {
		row.header = header > 0 && header+empty == cells
		row.cells = p.cells(cells + grid.extra)
	}
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		cell := &p.nodes[c]
		row.cells = grid.before(row.cells)
		switch plain := p.plain(c); {
		case plain && cell.children == 0:
			row.cells = append(row.cells, Cell{Text: cell.name, Interactive: listens || cell.role == "gridcell", kind: cellNumber(cell.role), node: cell.node})
			cell.removed = true
			row.cells = grid.behind(row.cells, cell)
			continue
		case plain && cell.children == 1:
			cell.removed = cell.name == ""
		}
		if inline != 0 {
			row.cells = append(row.cells, Cell{Below: true, kind: cellNumber(cell.role), node: cell.node})
			row.cells = grid.behind(row.cells, cell)
		}
	}
	row.cells = grid.end(row.cells)
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

// spansOf prepares the grid of the row at k.
func (p *collapser) spansOf(k int32, g *spanGrid) {
	table := p.nodes[k].parent
	for table >= 0 && p.nodes[table].removed {
		table = p.nodes[table].parent
	}
	row := &p.nodes[k]
	g.section = p.tree.Capture.Documents[row.doc].Nodes[row.node].Parent
	above := p.spans[table]
	any, reached, cells := false, false, 0
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		s := spanOf(p.captured(c))
		any = any || s.across > 1 || s.down > 1
		cells++
	}
	for i := range above {
		if above[i].section != g.section {
			above[i].left = 0 // a cell does not reach out of its part of the table
		}
		reached = reached || above[i].left > 0
	}
	if !any && !reached || table < 0 {
		return
	}
	g.used, g.cols = true, above
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		s := spanOf(p.captured(c))
		if cells == 1 && !reached {
			s.across = 1 // the whole row
		}
		g.spans = append(g.spans, s)
		g.extra += s.across - 1
	}
	g.extra += len(above)
	g.cols = make([]rowSpan, maxColumns)
	copy(g.cols, above)
	if p.spans == nil {
		p.spans = map[int32][]rowSpan{}
	}
	p.spans[table] = g.cols
}

// skipRow counts a row that has no line.
func (p *collapser) skipRow(k int32) {
	var g spanGrid
	p.spansOf(k, &g)
	for c := p.first(k); c > 0; c = p.nodes[c].next {
		g.before(nil)
		g.behind(nil, &p.nodes[c])
	}
	g.end(nil)
}
