package pagedata

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// grids are the tables of a page.
type grids struct {
	labels
	tables map[int32]*Table
}

// A Table is the grid of a table's cells.
type Table struct {
	Elem   int32
	Turned bool // its columns are records
	Headed bool // its rows are records below headers, of its own or of the table before it
	Rows   []TableRow
	At     map[int32]Cell // by the cell's element
}

// A TableRow is a row of a table, with the cell of each column: one that spans columns
// or rows stands in each of its places, -1 where there is none.
type TableRow struct {
	Elem  int32
	Cells []int32
	Head  bool       // it consists of headers
	Heads [][]string // by column, the words of the headers that are its own; rows share them
}

// A Cell is where a cell of a table begins.
type Cell struct{ Row, Column int }

// own are the cells that begin in a row.
func (r *TableRow) own() []int32 {
	return slices.DeleteFunc(slices.Compact(slices.Clone(r.Cells)), func(c int32) bool { return c < r.Elem })
}

// Across reports whether a row is one cell over all columns.
func (r *TableRow) Across() bool {
	n := len(r.Cells)
	return n > 1 && r.Cells[0] == r.Cells[n-1]
}

// begins reports whether a cell of the row's own begins in a column.
func (r *TableRow) begins(column int) bool {
	c := r.Cells[column]
	return c >= r.Elem && (column == 0 || r.Cells[column-1] != c)
}

// Straight reports whether each row of a table has a cell of its own in each column.
func (t *Table) Straight() bool {
	return !slices.ContainsFunc(t.Rows, func(r TableRow) bool { return len(r.own()) != len(t.Rows[0].Cells) })
}

// TableOf is the table around an element; nil if there is none.
func (p *grids) TableOf(e int32) *Table {
	for at := e; at > 0; at = p.Elems[at].Parent {
		if p.Part(at) == "table" {
			t, ok := p.tables[at]
			if !ok {
				t = p.grid(at)
				p.tables[at] = t
			}
			return t
		}
	}
	return nil
}

// CellOf is the table cell around an element, with its table; nil if there is none.
func (p *grids) CellOf(e int32) (cell int32, t *Table) {
	for cell = e; cell > 0; cell = p.Elems[cell].Parent {
		if part := p.Part(cell); part == "td" || part == "th" {
			if t = p.TableOf(cell); t != nil {
				if _, ok := t.At[cell]; ok {
					return cell, t
				}
			}
		}
	}
	return 0, nil
}

// headerRow reports whether a row consists of headers: of a table's own, or by ARIA.
func (p *grids) headerRow(e int32) bool {
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

// Cells counts a row's cells; 0 for what is no row.
func (p *grids) Cells(e int32) (n int) {
	for k := e + 1; k < p.Elems[e].End; k = p.Elems[k].End {
		if t := p.Tag(k); t == "td" || t == "th" {
			n++
		}
	}
	return n
}

// rows lays out the cells of a table. A cell spans no further than its group of rows.
func (p *grids) rows(table int32) (rows []TableRow) {
	var layout htmltable.Layout[int32]
	var row []htmltable.Cell[int32]
	var cells, walk func(at int32)
	cells = func(at int32) {
		for c := at + 1; c < p.Elems[at].End; c = p.Elems[c].End {
			switch p.Part(c) {
			case "td", "th":
				row = append(row, htmltable.Cell[int32]{Cell: c, Span: htmltable.SpanOf(p.Node(c)), Column: p.number(c, "aria-colindex")})
			default:
				if p.Tag(at) != "tr" { // a wrapper within a row by role
					cells(c)
				}
			}
		}
	}
	walk = func(at int32) {
		for k := at + 1; k < p.Elems[at].End; k = p.Elems[k].End {
			switch p.Part(k) {
			case "thead", "tbody", "tfoot":
				layout.EndSection()
				walk(k)
			case "tr":
				row = row[:0]
				if cells(k); len(row) > 0 && row[0].Column == 0 {
					row[0].Column = p.number(k, "aria-colindex") // of its first cell
				}
				slots := layout.Row(row)
				columns := make([]int32, len(slots))
				for i, slot := range slots {
					if columns[i] = slot.Cell; slot.From == htmltable.Nothing {
						columns[i] = -1
					}
				}
				if head, n := p.headerRow(k), p.Node(k); head || len(row) == 0 || !n.Rendered || !n.Box.IsZero() { // cells without height measure columns
					rows = append(rows, TableRow{Elem: k, Cells: columns, Head: head})
				}
			case "table":
			default:
				if p.Tag(table) != "table" { // a wrapper within a table by role
					walk(k)
				}
			}
		}
	}
	walk(table)
	return rows
}

// inOrder returns rows as the page numbers them (WAI-ARIA 1.2, aria-rowindex), else as
// they are written: grids write headers that stay behind the rows that scroll.
func (p *grids) inOrder(rows []TableRow) []*TableRow {
	type numbered struct {
		*TableRow
		number int
	}
	ordered := make([]numbered, len(rows))
	for i := range rows {
		ordered[i] = numbered{&rows[i], p.number(rows[i].Elem, "aria-rowindex")}
		if i > 0 && ordered[i].number == 0 {
			ordered[i].number = ordered[i-1].number
		}
	}
	slices.SortStableFunc(ordered, func(a, b numbered) int { return a.number - b.number })
	out := make([]*TableRow, len(rows))
	for i := range ordered {
		out[i] = ordered[i].TableRow
	}
	return out
}

// above returns the rows of the table before a table without headers, if those are its
// headers and nothing else.
func (p *grids) above(t *Table) (rows []TableRow) {
	if slices.ContainsFunc(t.Rows, func(r TableRow) bool { return r.Head }) {
		return nil
	}
	before := t.Elem - 1
	for before > 0 && p.Part(before) != "table" {
		before--
	}
	if before > 0 && p.Elems[before].End <= t.Elem && p.Elems[before].Doc == p.Elems[t.Elem].Doc {
		rows = p.rows(before)
	}
	if len(t.Rows) == 0 || len(rows) == 0 || slices.ContainsFunc(rows, func(r TableRow) bool { return !r.Head }) {
		return nil
	}
	boxes := func(row *TableRow) (boxes []driver.Rect) {
		for _, c := range row.Cells {
			boxes = append(boxes, p.Node(c).Box)
		}
		return boxes
	}
	if !htmltable.Under(boxes(&rows[len(rows)-1]), boxes(&t.Rows[0])) {
		return nil
	}
	return rows
}

// grid is the layout of a table with its headers; one over all columns heads none.
func (p *grids) grid(e int32) *Table {
	t := &Table{Elem: e, Rows: p.rows(e), At: map[int32]Cell{}}
	for i := range t.Rows {
		row := &t.Rows[i]
		for column, c := range row.Cells {
			if row.begins(column) {
				t.At[c] = Cell{i, column}
			}
		}
	}
	above := p.above(t)
	t.Headed = len(above) > 0 || len(t.Rows) > 0 && t.Rows[0].Head
	var columns htmltable.Headers[[]string]
	var heads [][]string // of the rows since the last header
	for _, row := range slices.Concat(p.inOrder(above), p.inOrder(t.Rows)) {
		for column, c := range row.Cells {
			switch {
			case !row.Head && c >= 0:
				columns.Data(column)
			case row.begins(column) && !row.Across():
				across := 1
				for column+across < len(row.Cells) && row.Cells[column+across] == c {
					across++
				}
				columns.Add(column, across, p.LabelOf(c))
				heads = nil
			}
		}
		for column := len(heads); column < len(row.Cells); column++ {
			heads = append(heads, slices.Concat(columns.Above(column)...))
		}
		row.Heads = heads
	}
	return t
}
