package pagedata

import (
	"slices"
	"strconv"
)

// TableOf is the table around an element; nil if there is none.
func (p *Page) TableOf(e int32) *Table {
	for at := e; at > 0; at = p.Elems[at].Parent {
		if p.Tag(at) == "table" {
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

// A GridRow is a row of a table, with the cell of each column: one that spans columns
// or rows stands in each of its places, -1 where there is none.
type GridRow struct {
	Elem  int32
	Cells []int32
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

// Grid lays out the cells of a table. A cell spans no further than its group of rows.
func (p *Page) Grid(table int32) (rows []GridRow) {
	type reach struct {
		left int
		cell int32
	}
	var down []reach
	var row GridRow
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
				row = GridRow{Elem: k}
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

// grid is the layout of a table with its headers.
func (p *Page) grid(e int32) *Table {
	t := &Table{elem: e, Heads: map[int]HeadWords{}, Column: map[int32]int{}, Row: map[int32]int{}}
	for _, g := range p.Grid(e) {
		head := p.HeaderRow(g.Elem)
		row := TableRow{elem: g.Elem, First: -1, last: -1}
		for column, c := range g.Cells {
			again := column > 0 && g.Cells[column-1] == c
			switch {
			case c < 0:
				continue
			case c < g.Elem: // it reaches in from above
				if len(row.Above) == 0 || row.Above[len(row.Above)-1] != c {
					row.Above = append(row.Above, c)
				}
				continue
			case !again:
				t.Column[c] = column
				row.Cells = append(row.Cells, c)
				if row.First < 0 {
					row.First = c
				}
				row.last = c
			}
			if head {
				h := t.Heads[column]
				h.Elem = c
				h.Words = append(h.Words, LabelWords(p.TextOf(c, 120))...)
				t.Heads[column] = h
			}
		}
		if head {
			t.headed = t.headed || len(row.Cells) > 1
		} else {
			t.Row[g.Elem] = len(t.Rows)
			t.Rows = append(t.Rows, row)
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

// findTables lists the tables that are seen.
func (p *Page) findTables() {
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		if p.Tag(e) != "table" || !p.Elems[e].Visible {
			continue
		}
		t := p.TableOf(e)
		if t == nil || t.elem != e {
			continue
		}
		p.Every = append(p.Every, t)
	}
}

// TurnTable makes records of a table's columns.
func (p *Page) TurnTable(t *Table) {
	t.Turned = true
	gr := Group{Parent: t.elem}
	g := int32(len(p.Rec.Groups))
	rows := make([][]int32, 0, len(t.Rows)+1)
	if len(t.Heads) > 0 {
		head := make([]int32, len(t.Rows[0].Cells))
		for c := range head {
			head[c] = t.Heads[c].Elem
		}
		rows = append(rows, head)
	}
	for i := range t.Rows {
		rows = append(rows, t.Rows[i].Cells)
	}
	around := p.Elems[t.elem].Record
	for c := 1; c < len(rows[0]); c++ {
		first := rows[0][c]
		r := Record{Lo: first, Hi: p.Elems[first].End, Group: g, Head: first, Solid: true, Parent: around}
		for _, row := range rows[1:] {
			r.Extra = append(r.Extra, row[c])
		}
		gr.Members = append(gr.Members, int32(len(p.Rec.All)))
		p.Rec.All = append(p.Rec.All, r)
	}
	p.Rec.Groups = append(p.Rec.Groups, gr)
	for _, row := range rows {
		for c, cell := range row {
			for k := cell; k < p.Elems[cell].End; k++ {
				p.Elems[k].Record = around
				if c > 0 {
					p.Elems[k].Record = gr.Members[c-1]
				}
			}
		}
	}
}

// spans gives each row the cells that reach in from above.
func (p *Page) spans() {
	for i := range p.Rec.All {
		r := &p.Rec.All[i]
		if r.Group < 0 || p.Tag(r.Lo) != "tr" || r.Header {
			continue
		}
		t := p.TableOf(r.Lo)
		if t == nil {
			continue
		}
		if k, ok := t.Row[r.Lo]; ok {
			r.Extra = t.Rows[k].Above
		}
	}
}
