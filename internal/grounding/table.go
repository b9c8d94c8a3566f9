package grounding

import (
	"strconv"
	"strings"
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

// turn makes records of the columns of tables whose rows begin with the name of a
// field, and have values of one kind.
func (p *page) turn() {
	for e := int32(1); e < int32(len(p.elems)); e++ {
		if p.tag(e) != "table" || !p.elems[e].visible {
			continue
		}
		t := p.tableOf(e)
		if t == nil || t.elem != e {
			continue
		}
		p.every = append(p.every, t)
		if !p.turned(t) {
			continue
		}
		p.turnTable(t)
	}
}

// turnTable makes records of a table's columns.
func (p *page) turnTable(t *table) {
	t.turned = true
	gr := group{parent: t.elem}
	g := int32(len(p.rec.groups))
	rows := make([][]int32, 0, len(t.rows)+1)
	if len(t.heads) > 0 {
		head := make([]int32, len(t.rows[0].cells))
		for c := range head {
			head[c] = t.heads[c].elem
		}
		rows = append(rows, head)
	}
	for i := range t.rows {
		rows = append(rows, t.rows[i].cells)
	}
	around := p.elems[t.elem].record
	for c := 1; c < len(rows[0]); c++ {
		first := rows[0][c]
		r := record{lo: first, hi: p.elems[first].end, group: g, head: first, solid: true, parent: around}
		for _, row := range rows[1:] {
			r.extra = append(r.extra, row[c])
		}
		gr.members = append(gr.members, int32(len(p.rec.all)))
		p.rec.all = append(p.rec.all, r)
	}
	p.rec.groups = append(p.rec.groups, gr)
	for _, row := range rows {
		for c, cell := range row {
			for k := cell; k < p.elems[cell].end; k++ {
				p.elems[k].record = around
				if c > 0 {
					p.elems[k].record = gr.members[c-1]
				}
			}
		}
	}
}

// turnFor turns the tables whose rows are called as the members of a list's items
// are, and whose columns are not: "kWh", "days" and "temperature" of each month.
func (c *checker) turnFor(items []*value) {
	p := c.page
	list := items[0].parent.member
	if len(items) < 2 || c.turns[list] {
		return
	}
	if c.turns == nil {
		c.turns = map[*member]bool{}
	}
	c.turns[list] = true // once for all lists of a kind
	called := func(words []string) *member {
		for _, k := range items[0].kids {
			if k.leaf() && likeness(k.member, words) >= 0.5 {
				return k.member
			}
		}
		return nil
	}
	for _, t := range p.every {
		if t.turned || len(t.rows) < 2 || len(t.rows) > 200 || len(t.rows[0].cells) < 3 {
			continue
		}
		n := len(t.rows[0].cells)
		even := len(t.heads) == 0 || len(t.heads) == n
		rows, columns := map[*member]bool{}, 0
		for _, row := range t.rows {
			even = even && len(row.cells) == n && len(row.above) == 0
			if row.first >= 0 {
				if m := called(labelWords(p.textOf(row.first, 120))); m != nil {
					rows[m] = true
				}
			}
		}
		heads := map[int32]bool{}
		for column, h := range t.heads {
			even = even && !heads[h.elem]
			heads[h.elem] = true
			if column > 0 && called(h.words) != nil {
				columns++
			}
		}
		if even && columns == 0 && len(rows) >= 2 && len(rows)*2 >= len(t.rows) {
			p.turnTable(t)
			p.divided = true
		}
	}
}

// turned reports whether a table has fields for rows.
func (p *page) turned(t *table) bool {
	if t.headed || len(t.rows) < 3 || len(t.rows[0].cells) < 3 {
		return false
	}
	kind := func(e int32) int {
		text := p.textOf(e, 60)
		if !strings.ContainsAny(text, "0123456789") {
			return 1
		}
		shape := 2
		for w := range strings.FieldsSeq(text) {
			if !strings.ContainsAny(w, "0123456789") {
				for _, r := range w {
					shape = shape*31 + int(r)
				}
			}
		}
		return shape
	}
	rows, columns, n := 0, 0, len(t.rows[0].cells)
	for i, row := range t.rows {
		if len(row.cells) != n || len(row.above) > 0 || p.tag(row.first) != "th" || p.tag(row.last) != "td" {
			return false
		}
		same := true
		for c := 2; c < n; c++ {
			same = same && kind(row.cells[c]) == kind(row.cells[1])
		}
		if same {
			rows++
		}
		if i > 0 && kind(row.cells[1]) == kind(t.rows[i-1].cells[1]) {
			columns++
		}
	}
	return rows*10 >= len(t.rows)*6 && columns*2 <= len(t.rows)
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
