package pagedata

import (
	"slices"

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
				rows = append(rows, TableRow{Elem: k, Cells: columns, Head: p.headerRow(k)})
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

// inOrder returns a table's rows as the page numbers them (WAI-ARIA 1.2, aria-rowindex), else
// as they are written: grids write headers that stay behind the rows that scroll.
func (p *grids) inOrder(t *Table) (rows []int) {
	numbers := make([]int, len(t.Rows))
	for i := range t.Rows {
		rows = append(rows, i)
		if numbers[i] = p.number(t.Rows[i].Elem, "aria-rowindex"); numbers[i] == 0 && i > 0 {
			numbers[i] = numbers[i-1]
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return numbers[a] - numbers[b] })
	return rows
}

// grid is the layout of a table with its headers; one over all columns heads none.
func (p *grids) grid(e int32) *Table {
	t := &Table{Elem: e, Rows: p.rows(e), At: map[int32]Cell{}}
	var columns htmltable.Headers[[]string]
	var heads [][]string // of the rows since the last header
	for _, i := range p.inOrder(t) {
		row := &t.Rows[i]
		for column, c := range row.Cells {
			begins := c >= row.Elem && (column == 0 || row.Cells[column-1] != c)
			if begins {
				t.At[c] = Cell{i, column}
			}
			switch {
			case !row.Head && c >= 0:
				columns.Data(column)
			case begins && !row.Across():
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
