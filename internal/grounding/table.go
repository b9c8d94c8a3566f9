package grounding

import (
	"strconv"
)

// tableOf is the table around an element; nil if there is none.
func (p *page) tableOf(e int32) *table {
	for at := e; at > 0; at = p.elems[at].parent {
		if p.tag(at) == "table" {
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

// grid lays a table out, with cells that span columns and rows.
func (p *page) grid(e int32) *table {
	t := &table{elem: e, heads: map[int]headWords{}, column: map[int32]int{}, row: map[int32]int{}}
	type reach struct {
		left int
		cell int32
	}
	down := map[int]reach{}
	var walk func(at int32)
	walk = func(at int32) {
		for k := at + 1; k < p.elems[at].end; k = p.elems[k].end {
			switch p.tag(k) {
			case "thead", "tbody", "tfoot":
				clear(down)
				walk(k)
			case "tr":
				head := p.headerRow(k)
				row := tableRow{elem: k, first: -1, last: -1}
				column := 0
				skip := func() {
					for {
						r, ok := down[column]
						if !ok || r.left == 0 {
							return
						}
						if len(row.above) == 0 || row.above[len(row.above)-1] != r.cell {
							row.above = append(row.above, r.cell)
						}
						r.left--
						down[column] = r
						column++
					}
				}
				for c := k + 1; c < p.elems[k].end; c = p.elems[c].end {
					tag := p.tag(c)
					if tag != "td" && tag != "th" {
						continue
					}
					skip()
					t.column[c] = column
					row.cells = append(row.cells, c)
					if row.first < 0 {
						row.first = c
					}
					row.last = c
					wide, high := p.span(c, "colspan"), p.span(c, "rowspan")
					for range wide {
						if head {
							h := t.heads[column]
							h.elem = c
							h.words = append(h.words, labelWords(p.textOf(c, 120))...)
							t.heads[column] = h
						}
						if high > 1 {
							down[column] = reach{high - 1, c}
						}
						column++
					}
				}
				skip()
				if head {
					t.headed = t.headed || len(row.cells) > 1
				} else {
					t.row[k] = len(t.rows)
					t.rows = append(t.rows, row)
				}
			}
		}
	}
	walk(e)
	return t
}

func (p *page) span(e int32, name string) int {
	n, err := strconv.Atoi(p.attr(e, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, 100)
}

// spans gives each row the cells that reach in from above.
func (p *page) spans() {
	for i := range p.rec.all {
		r := &p.rec.all[i]
		if r.group < 0 || p.tag(r.lo) != "tr" || r.header {
			continue
		}
		t := p.tableOf(r.lo)
		if t == nil {
			continue
		}
		if k, ok := t.row[r.lo]; ok {
			r.extra = t.rows[k].above
		}
	}
}
