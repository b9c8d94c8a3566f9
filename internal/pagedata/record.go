package pagedata

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
)

// repeats find what a page repeats.
type repeats struct {
	grids
	Rec    Records
	Turned bool // of a table, a check has made records of the columns
}

// A Record is one of several things of the same shape: a row, a card, an item
// of a list, a part under a heading. Record 0 is the page.
type Record struct {
	Lo, Hi int32 // elements
	Parent int32
	Group  int32
	Solid  bool    // what stands in it belongs together, and not to what is outside
	Header bool    // a row of column headers
	Head   int32   // the element of its label, -1
	Extra  []int32 // cells of rows above that reach into this one
}

// A Group is the records of one container, in page order.
type Group struct {
	Members []int32
	Parent  int32 // the container
}

// Records are all records of a page with the groups that they are in; the first is the page.
type Records struct {
	All    []Record
	Groups []Group
}

// Within reports whether an element stands in a record.
func (p *repeats) Within(e, r int32) bool { return e >= p.Rec.All[r].Lo && e < p.Rec.All[r].Hi }

// Seed is that of the hashes of shapes.
var Seed = maphash.MakeSeed()

// sign tells elements of one shape from others: by tag, role and first class, without a
// number at its end. What HTML or ARIA has for one of several is of one shape whatever its
// class.
func (p *repeats) sign(e int32) uint64 {
	var h maphash.Hash
	h.SetSeed(Seed)
	h.WriteString(p.Tag(e))
	h.WriteByte(0)
	role := p.Attr(e, "role")
	h.WriteString(role)
	switch p.Tag(e) {
	case "tr", "li", "option", "dt", "dd", "article":
		return h.Sum64()
	}
	switch role {
	case "row", "listitem", "option", "treeitem", "article", "term", "definition":
		return h.Sum64()
	}
	for class := range strings.FieldsSeq(p.Attr(e, "class")) {
		h.WriteByte(1)
		h.WriteString(strings.TrimRight(class, "0123456789"))
		break
	}
	return h.Sum64()
}

// group makes records of one container a group.
func (p *repeats) group(container int32, records []Record) {
	g := Group{Parent: container}
	for _, r := range records {
		r.Group = int32(len(p.Rec.Groups))
		g.Members = append(g.Members, int32(len(p.Rec.All)))
		p.Rec.All = append(p.Rec.All, r)
	}
	p.Rec.Groups = append(p.Rec.Groups, g)
}

// findRecords finds what is repeated on the page.
func (p *repeats) findRecords() {
	p.Rec.All = []Record{{Lo: 0, Hi: int32(len(p.Elems)), Parent: -1, Group: -1, Head: -1}}
	children := make([][]int32, len(p.Elems))
	for e := int32(len(p.Elems)) - 1; e > 0; e-- {
		el := &p.Elems[e]
		n := p.Node(e)
		if el.Visible {
			el.Signature = p.sign(e)
			if el.Line >= 0 && n.Name != "::marker" {
				el.Facts++
			}
			switch n.Name {
			case "a", "img", "input", "select", "textarea", "button", "meter", "progress":
				el.Facts++
			}
		}
		p.Elems[el.Parent].Facts += el.Facts
	}
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		if p.Elems[e].Facts > 0 && p.Elems[e].Visible {
			up := p.Elems[e].Parent
			for t := p.Tag(up); t == "tbody" || t == "thead" || t == "tfoot"; t = p.Tag(up) { // no wall between rows
				up = p.Elems[up].Parent
			}
			children[up] = append(children[up], e)
		}
	}
	for e, kids := range children {
		if len(kids) > 1 {
			p.gather(int32(e), kids)
		}
	}
	// What is inside of what: records nest, or are apart.
	order := make([]int32, len(p.Rec.All))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &p.Rec.All[a], &p.Rec.All[b]
		return cmp.Or(cmp.Compare(x.Lo, y.Lo), cmp.Compare(y.Hi, x.Hi))
	})
	var open []int32
	next := 0
	for e := int32(0); e < int32(len(p.Elems)); e++ {
		for len(open) > 0 && p.Rec.All[open[len(open)-1]].Hi <= e {
			open = open[:len(open)-1]
		}
		for next < len(order) && p.Rec.All[order[next]].Lo == e {
			r := order[next]
			if len(open) > 0 {
				p.Rec.All[r].Parent = open[len(open)-1]
				p.Rec.All[r].Hi = min(p.Rec.All[r].Hi, p.Rec.All[open[len(open)-1]].Hi)
			}
			open = append(open, r)
			next++
		}
		if len(open) > 0 {
			p.Elems[e].Record = open[len(open)-1]
		}
	}
	p.spans()
}

// gather makes records of a container's children.
func (p *repeats) gather(container int32, kids []int32) {
	switch {
	case p.Tag(container) == "tr":
		return // cells are parts of the row
	case p.Tag(container) == "pre" && slices.ContainsFunc(kids, func(k int32) bool { return p.Elems[k].row != nil }):
		p.gatherLines(container)
		return
	}
	kinds := map[uint64][]int32{}
	for _, k := range kids {
		if p.Tag(k) != "" {
			kinds[p.Elems[k].Signature] = append(kinds[p.Elems[k].Signature], k)
		}
	}
	if heads := p.heads(kids, kinds); len(heads) > 1 {
		runs := make([]Record, len(heads))
		for i, h := range heads {
			runs[i] = Record{Lo: h, Hi: p.Elems[kids[len(kids)-1]].End, Head: h, Solid: p.Tag(h) != "dt"}
			if i > 0 {
				runs[i-1].Hi = h
			}
		}
		p.group(container, runs)
	}
	for _, k := range kids {
		list := kinds[p.Elems[k].Signature]
		if len(list) < 2 || list[0] != k {
			continue
		}
		solid := p.solid(list)
		records := make([]Record, len(list))
		for i, m := range list {
			records[i] = Record{Lo: m, Hi: p.Elems[m].End, Head: p.headOf(m), Header: p.headerRow(m)}
			records[i].Solid = solid && p.Tag(p.Elems[m].Parent) != "tfoot" // a sum is the whole's
		}
		p.group(container, records)
	}
}

// heads are the headings, or the terms, of one shape that each begin a run of children,
// up to the next one (HTML: a heading's section, a group of terms and definitions).
func (p *repeats) heads(kids []int32, kinds map[uint64][]int32) []int32 {
	for i, k := range kids {
		if list := kinds[p.Elems[k].Signature]; len(list) > 1 && (p.IsHeading(k) || p.Tag(k) == "dt") {
			if len(list) == len(kids)-i { // nothing follows any of them
				return nil
			}
			return list
		}
	}
	return nil
}

// solid reports whether elements of one shape are things of their own: two in three have
// several facts, and inside half of the shapes of the one before, and no more than half
// are labels with their values. Of items and articles, which HTML says are things, half
// with several facts suffice.
func (p *repeats) solid(list []int32) bool {
	seen, rich, like, labelled := 0, 0, 0, 0
	var before map[uint64]bool
	for i := 0; i < len(list); i += max(1, len(list)/40) {
		e := list[i]
		if p.headerRow(e) {
			continue
		}
		seen++
		rich += min(1, int(p.Elems[e].Facts)/2)
		shapes, both, labels := map[uint64]bool{}, 0, 0
		for k := e + 1; k < p.Elems[e].End && k < e+200; k++ {
			if t := p.Tag(k); t == "th" || t == "dt" || t == "label" || t == "legend" {
				labels++
			}
			if s := p.Elems[k].Signature; p.Elems[k].Facts > 0 && p.Tag(k) != "" && !shapes[s] {
				shapes[s] = true
				if before[s] {
					both++
				}
			}
		}
		if before == nil || 2*both >= len(shapes)+len(before)-both {
			like++
		}
		if labels > 0 && int(p.Elems[e].Facts) <= 2*labels {
			labelled++
		}
		before = shapes
	}
	switch p.Tag(list[0]) {
	case "li", "article":
		return rich*2 >= seen && labelled*2 <= seen
	}
	return rich*3 >= seen*2 && like*3 >= seen*2 && labelled*2 <= seen
}

// headOf is the element that names a thing: its heading, term or row header, or else its
// first text.
func (p *repeats) headOf(e int32) int32 {
	first := int32(-1)
	for k := e; k < p.Elems[e].End && k < e+80; k++ {
		if t := p.Part(k); t == "th" || t == "dt" || p.IsHeading(k) {
			return k
		}
		if first < 0 && p.Elems[k].Line >= 0 {
			first = k
		}
	}
	return first
}

// gatherLines makes records of the lines of a preformatted text: of each block of them,
// up to an empty line. They are things of their own where more than half are laid out
// in columns.
func (p *repeats) gatherLines(container int32) {
	var lines []Record
	columns, breaks, counted := 0, 2, false
	flush := func() {
		for i := range lines {
			lines[i].Solid = 2*columns > len(lines)
		}
		if len(lines) > 1 {
			p.group(container, lines)
		}
		lines, columns = nil, 0
	}
	for k := container + 1; k < p.Elems[container].End; k = p.Elems[k].End {
		row := cmp.Or(p.Elems[k].row, &preLine{})
		breaks += row.before
		if p.Elems[k].Facts == 0 {
			continue
		}
		if breaks > 1 {
			flush()
		}
		if breaks > 0 {
			lines, counted = append(lines, Record{Lo: k, Head: k}), false
		}
		lines[len(lines)-1].Hi = p.Elems[k].End
		breaks = row.after
		if !counted && p.Tag(k) == "" && apart.MatchString(strings.TrimSpace(p.shown(k))) {
			counted = true
			columns++
		}
	}
	flush()
}

// MostTurned bounds the rows of a table whose columns may be records.
const MostTurned = 200

// TurnTable makes records of a table's columns, if each row has a cell in each of them.
func (p *repeats) TurnTable(table int32) {
	t, around := p.TableOf(table), p.Elems[table].Record
	if len(t.Rows) < 2 || len(t.Rows) > MostTurned || len(t.Rows[0].Cells) < 3 || !t.Straight() {
		return
	}
	p.Turned, t.Turned = true, true
	columns := Group{Parent: table}
	at := int32(len(p.Rec.Groups)) // of the columns' group, and behind it one of each column's cells
	groups := []Group{{}}
	for column := 1; column < len(t.Rows[0].Cells); column++ {
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
func (p *repeats) spans() {
	for i := range p.Rec.All {
		r := &p.Rec.All[i]
		if r.Group < 0 || p.Part(r.Lo) != "tr" || r.Header {
			continue
		}
		if t := p.TableOf(r.Lo); t != nil {
			at, _ := slices.BinarySearchFunc(t.Rows, r.Lo, func(row TableRow, e int32) int { return int(row.Elem - e) })
			if at < len(t.Rows) && t.Rows[at].Elem == r.Lo {
				for column, c := range t.Rows[at].Cells {
					if c >= 0 && c < r.Lo && (column == 0 || t.Rows[at].Cells[column-1] != c) {
						r.Extra = append(r.Extra, c)
					}
				}
			}
		}
	}
}
