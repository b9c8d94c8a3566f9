package accessibility

import (
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// maxColumns bounds the columns of a table that spans are counted in. HTML
// allows a cell to span a thousand.
const maxColumns = 64

// A spanGrid finds the columns of a row's cells while it is put on its line. The
// zero value is that of a row of which each cell has one column.
type spanGrid struct {
	used    bool
	extra   int // cells beside the row's own
	cols    []rowSpan
	section int32
	column  int
	spans   []cellSpan // of the cells in order
	next    int
}

// A cellSpan is how many columns and rows a cell takes.
type cellSpan struct{ across, down int }

// A rowSpan is a cell that reaches down into a column.
type rowSpan struct {
	left    int   // rows that it still reaches into
	section int32 // the part of the table that it ends with, in the document
	kind    uint8 // in lineCells
	node    int32 // the cell
}

// spanOf reads how many columns and rows a cell takes.
func spanOf(n *driver.Node) cellSpan {
	s := cellSpan{1, 1}
	for i := range n.Attrs {
		var to *int
		switch n.Attrs[i].Name {
		case "colspan", "aria-colspan":
			to = &s.across
		case "rowspan", "aria-rowspan":
			to = &s.down
		default:
			continue
		}
		if v, err := strconv.Atoi(strings.TrimSpace(n.Attrs[i].Value)); err == nil && v > 1 {
			*to = min(v, maxColumns)
			if to == &s.down {
				*to = min(v, 65534)
			}
		}
	}
	return s
}

// before appends the columns that cells above reach into, up to the next free one.
func (g *spanGrid) before(cells []Cell) []Cell {
	for g.used && g.column < len(g.cols) && g.cols[g.column].left > 0 {
		s := &g.cols[g.column]
		s.left--
		cells = append(cells, Cell{Reach: FromAbove, kind: s.kind, node: s.node})
		g.column++
	}
	return cells
}

// behind appends the columns that a cell reaches into behind its own.
func (g *spanGrid) behind(cells []Cell, cell *draft) []Cell {
	if !g.used || g.next >= len(g.spans) {
		return cells
	}
	s := g.spans[g.next]
	g.next++
	for n := 0; n < s.across && g.column < len(g.cols); n++ {
		if n > 0 {
			cells = append(cells, Cell{Reach: FromLeft, kind: cellNumber(cell.role), node: cell.node})
		}
		g.cols[g.column] = rowSpan{s.down - 1, g.section, cellNumber(cell.role), cell.node}
		g.column++
	}
	return cells
}

// end appends the columns behind the last cell that cells above reach into.
func (g *spanGrid) end(cells []Cell) []Cell {
	if !g.used {
		return cells
	}
	for last := len(g.cols) - 1; last >= g.column; last-- {
		if g.cols[last].left == 0 {
			continue
		}
		for g.column <= last {
			if g.cols[g.column].left == 0 {
				g.column++
				continue
			}
			cells = g.before(cells)
		}
		break
	}
	return cells
}
