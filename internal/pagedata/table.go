package pagedata

import (
	"slices"
	"strconv"
)

// A Table is the grid of a table's cells.
type Table struct {
	Elem   int32
	Turned bool // its columns are records
	Rows   []TableRow
	Heads  [][]string     // by column, the words of its headers
	At     map[int32]Cell // by the cell's element
}

// A TableRow is a row of a table, with the cell of each column: one that spans columns
// or rows stands in each of its places, -1 where there is none.
type TableRow struct {
	Elem  int32
	Cells []int32
	Head  bool // it consists of headers
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
func (p *Page) TableOf(e int32) *Table {
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
func (p *Page) CellOf(e int32) (cell int32, t *Table) {
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

// Cells counts a row's cells; 0 for what is no row.
func (p *Page) Cells(e int32) int {
	if p.Tag(e) != "tr" {
		return 0
	}
	n := 0
	for k := e + 1; k < p.Elems[e].End; k = p.Elems[k].End {
		if t := p.Tag(k); t == "td" || t == "th" {
			n++
		}
	}
	return n
}

// mostColumns bounds how wide a row may be, spans included.
const mostColumns = 1000

// Part is what an element is in a table, as HTML calls it: table, tbody, tr, td or th,
// by its tag or by its ARIA role; else its tag.
func (p *Page) Part(e int32) string {
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

// rows lays out the cells of a table. A cell spans no further than its group of rows.
func (p *Page) rows(table int32) (rows []TableRow) {
	type reach struct {
		left int
		cell int32
	}
	var down []reach
	var row TableRow
	above := func() {
		for len(row.Cells) < len(down) && down[len(row.Cells)].left > 0 {
			r := &down[len(row.Cells)]
			r.left--
			row.Cells = append(row.Cells, r.cell)
		}
	}
	var cells, walk func(at int32)
	cells = func(at int32) {
		for c := at + 1; c < p.Elems[at].End; c = p.Elems[c].End {
			switch p.Part(c) {
			case "td", "th":
			default:
				if p.Tag(at) != "tr" { // a wrapper within a row by role
					cells(c)
				}
				continue
			}
			above()
			wide, high := max(p.span(c, "colspan"), p.span(c, "aria-colspan")), max(p.span(c, "rowspan"), p.span(c, "aria-rowspan"))
			for range min(wide, mostColumns-len(row.Cells)) {
				for len(down) <= len(row.Cells) {
					down = append(down, reach{})
				}
				down[len(row.Cells)] = reach{high - 1, c}
				row.Cells = append(row.Cells, c)
			}
		}
	}
	walk = func(at int32) {
		for k := at + 1; k < p.Elems[at].End; k = p.Elems[k].End {
			switch p.Part(k) {
			case "thead", "tbody", "tfoot":
				clear(down)
				walk(k)
			case "tr":
				row = TableRow{Elem: k, Cells: make([]int32, 0, len(down)), Head: p.HeaderRow(k)}
				cells(k)
				above()
				for len(row.Cells) < len(down) && slices.ContainsFunc(down[len(row.Cells):], func(r reach) bool { return r.left > 0 }) {
					row.Cells = append(row.Cells, -1)
					above()
				}
				rows = append(rows, row)
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

// grid is the layout of a table with its headers; one over all columns heads none.
func (p *Page) grid(e int32) *Table {
	t := &Table{Elem: e, Rows: p.rows(e), At: map[int32]Cell{}}
	for i := range t.Rows {
		row := &t.Rows[i]
		for column, c := range row.Cells {
			if c >= row.Elem && (column == 0 || row.Cells[column-1] != c) {
				t.At[c] = Cell{i, column}
			}
			if column == len(t.Heads) {
				t.Heads = append(t.Heads, nil)
			}
			if row.Head && c >= row.Elem && !row.Across() {
				t.Heads[column] = append(t.Heads[column], p.LabelOf(c)...)
			}
		}
	}
	return t
}

func (p *Page) span(e int32, name string) int {
	n, err := strconv.Atoi(p.Attr(e, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 100)
}

// MostTurned bounds the rows of a table whose columns may be records.
const MostTurned = 200

// TurnTable makes records of a table's columns, if each row has a cell in each of them.
func (p *Page) TurnTable(table int32) {
	t, around := p.TableOf(table), p.Elems[table].Record
	if len(t.Rows) < 2 || len(t.Rows) > MostTurned || len(t.Rows[0].Cells) < 3 || !t.Straight() {
		return
	}
	p.Turned, t.Turned = true, true
	columns := Group{Parent: table}
	at := int32(len(p.Rec.Groups)) // of the columns' group, and behind it one of each column's cells
	groups := []Group{{}}
	for column := 1; column < len(t.Heads); column++ {
		first := t.Rows[0].Cells[column]
		whole := Record{Lo: first, Hi: p.Elems[first].End, Group: at, Head: first, Solid: true, Parent: around}
		cells := Group{Parent: table}
		r := int32(len(p.Rec.All))
		columns.Members, p.Rec.All = append(columns.Members, r), append(p.Rec.All, whole)
		for i, row := range t.Rows {
			cell, head := row.Cells[column], row.Cells[0]
			for k := cell; k < p.Elems[cell].End; k++ {
				p.Elems[k].Record = r
			}
			for k := head; k < p.Elems[head].End; k++ {
				p.Elems[k].Record = around
			}
			if i > 0 { // with the row's header, a thing within the column
				for k := cell; k < p.Elems[cell].End; k++ {
					p.Elems[k].Record = int32(len(p.Rec.All))
				}
				cells.Members = append(cells.Members, int32(len(p.Rec.All)))
				p.Rec.All = append(p.Rec.All, Record{Lo: cell, Hi: p.Elems[cell].End, Group: at + int32(len(groups)), Head: head, Parent: r, Extra: []int32{head}})
				p.Rec.All[r].Extra = append(p.Rec.All[r].Extra, cell)
			}
		}
		groups = append(groups, cells)
	}
	groups[0] = columns
	p.Rec.Groups = append(p.Rec.Groups, groups...)
}

// spans gives each row the cells that reach in from above.
func (p *Page) spans() {
	for i := range p.Rec.All {
		r := &p.Rec.All[i]
		if r.Group < 0 || p.Part(r.Lo) != "tr" || r.Header {
			continue
		}
		if t := p.TableOf(r.Lo); t != nil {
			at, _ := slices.BinarySearchFunc(t.Rows, r.Lo, func(row TableRow, e int32) int { return int(row.Elem - e) })
			if at < len(t.Rows) && t.Rows[at].Elem == r.Lo {
				r.Extra = slices.DeleteFunc(slices.Compact(slices.Clone(t.Rows[at].Cells)), func(c int32) bool { return c < 0 || c >= r.Lo })
			}
		}
	}
}
