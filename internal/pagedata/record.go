package pagedata

import (
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

// sign tells elements of one shape from others.
func (p *repeats) sign(e int32) uint64 {
	n := p.Node(e)
	var h maphash.Hash
	h.SetSeed(Seed)
	h.WriteString(n.Name)
	h.WriteByte(0)
	role, _ := n.Attr("role")
	h.WriteString(role)
	switch n.Name {
	case "tr", "li", "option", "dt", "dd", "article":
		return h.Sum64()
	}
	class, _ := n.Attr("class")
	for w := range strings.FieldsSeq(class) {
		h.WriteByte(1)
		if !strings.HasPrefix(w, "col") { // of a grid's columns, the width tells them apart
			w = strings.TrimRight(w, "0123456789")
		}
		h.WriteString(w)
		break
	}
	return h.Sum64()
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
			for up > 0 { // parts of a table are no wall between its rows
				switch p.Tag(up) {
				case "tbody", "thead", "tfoot":
					up = p.Elems[up].Parent
					continue
				}
				break
			}
			children[up] = append(children[up], e)
		}
	}
	for e := range children {
		if len(children[e]) < 2 {
			continue
		}
		p.gather(int32(e), children[e])
	}
	// What is inside of what: records nest, or are apart.
	order := make([]int32, len(p.Rec.All))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &p.Rec.All[a], &p.Rec.All[b]
		if x.Lo != y.Lo {
			return int(x.Lo - y.Lo)
		}
		return int(y.Hi - x.Hi)
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
	tag := p.Tag(container)
	if tag == "tr" {
		return // cells are parts of the row
	}
	if p.Tag(container) == "pre" && slices.ContainsFunc(kids, func(k int32) bool { return p.Elems[k].row != nil }) {
		p.gatherLines(container)
		return
	}
	bySign := map[uint64][]int32{}
	for _, k := range kids {
		if p.Node(k).Name == "" {
			continue // text
		}
		bySign[p.Elems[k].Signature] = append(bySign[p.Elems[k].Signature], k)
	}
	// Runs: headings, terms, or the first of a repeated order, and what follows each.
	if heads := p.heads(kids, bySign); len(heads) >= 2 {
		g := int32(len(p.Rec.Groups))
		gr := Group{Parent: container}
		for i, h := range heads {
			lo := kids[h]
			hi := p.Elems[kids[len(kids)-1]].End
			if i+1 < len(heads) {
				hi = kids[heads[i+1]]
			}
			gr.Members = append(gr.Members, int32(len(p.Rec.All)))
			p.Rec.All = append(p.Rec.All, Record{Lo: lo, Hi: hi, Group: g, Head: lo, Solid: p.Tag(lo) != "dt"})
		}
		p.Rec.Groups = append(p.Rec.Groups, gr)
	}
	for _, k := range kids {
		list := bySign[p.Elems[k].Signature]
		if len(list) < 2 || list[0] != k {
			continue
		}
		g := int32(len(p.Rec.Groups))
		gr := Group{Parent: container}
		for _, m := range list {
			gr.Members = append(gr.Members, int32(len(p.Rec.All)))
			p.Rec.All = append(p.Rec.All, Record{Lo: m, Hi: p.Elems[m].End, Group: g, Head: p.headOf(m), Header: p.HeaderRow(m)})
		}
		solid := p.solid(list)
		for _, m := range gr.Members {
			p.Rec.All[m].Solid = solid && p.Tag(p.Elems[p.Rec.All[m].Lo].Parent) != "tfoot" // a sum is the whole's
		}
		p.Rec.Groups = append(p.Rec.Groups, gr)
	}
}

// heads are the indexes of children that each begin a run.
func (p *repeats) heads(kids []int32, bySign map[uint64][]int32) []int {
	best := -1
	for i, k := range kids {
		tag := p.Tag(k)
		if tag == "" {
			return nil // running text
		}
		if len(bySign[p.Elems[k].Signature]) >= 2 && (Heading(tag) || tag == "dt" || tag == "summary" || tag == "legend") {
			best = i
			break
		}
	}
	if best < 0 {
		if !p.dividedUp(kids) {
			return nil
		}
		best = 0
	}
	var out []int
	s := p.Elems[kids[best]].Signature
	for i := best; i < len(kids); i++ {
		if p.Elems[kids[i]].Signature == s {
			out = append(out, i)
		}
	}
	if len(out) == len(kids)-best { // nothing follows any of them
		return nil
	}
	return out
}

// dividedUp reports whether the first child, and others like it, stand as dividers of one
// text before what holds more: the days of a timeline.
func (p *repeats) dividedUp(kids []int32) bool {
	first := p.Elems[kids[0]].Signature
	dividers, rest := 0, int32(0)
	for i, k := range kids {
		switch {
		case p.Elems[k].Signature != first:
			rest += p.Elems[k].Facts
		case p.Elems[k].Facts > 1 || i+1 < len(kids) && p.Elems[kids[i+1]].Signature == first:
			return false
		default:
			dividers++
		}
	}
	return dividers > 1 && len(kids) >= 2*dividers && int(rest) >= 2*(len(kids)-dividers)
}

// solid reports whether elements of one shape are things of their own: each
// with several facts, of a like inside, and not a label with its value.
func (p *repeats) solid(list []int32) bool {
	tag := p.Tag(list[0])
	switch tag {
	case "td", "th", "p", "span", "br", "col", "option", "optgroup", "tbody", "b", "strong", "em", "i":
		return false
	}
	rich, labelled, like := 0, 0, 0
	var before map[uint64]bool
	step := max(1, len(list)/40)
	seen := 0
	for i := 0; i < len(list); i += step {
		e := list[i]
		if p.HeaderRow(e) {
			continue
		}
		seen++
		if p.Elems[e].Facts >= 2 {
			rich++
		}
		if p.fieldLike(e) {
			labelled++
		}
		shapes, both := map[uint64]bool{}, 0
		for k := e + 1; k < p.Elems[e].End && k < e+200; k++ {
			if s := p.Elems[k].Signature; p.Elems[k].Facts > 0 && p.Elems[k].Visible && p.Tag(k) != "" && !shapes[s] {
				shapes[s] = true
				if before[s] {
					both++
				}
			}
		}
		if before == nil || 2*both >= len(shapes)+len(before)-both { // half of their shapes are the same
			like++
		}
		before = shapes
	}
	if tag == "tr" && len(list) > 1 && !p.alikeRows(list) {
		return false
	}
	if tag == "tr" || tag == "li" || tag == "article" {
		return rich*2 >= seen && labelled*2 <= seen
	}
	return rich*3 >= seen*2 && like*3 >= seen*2 && labelled*2 <= seen
}

// alikeRows reports whether some rows of a table have as many cells as others. Where
// none has, the table is one thing: a head over a body.
func (p *repeats) alikeRows(rows []int32) bool {
	count := map[int]int{}
	for _, r := range rows {
		n := p.Cells(r)
		if count[n]++; count[n] > 1 || p.HeaderRow(r) {
			return true // rows below headers are alike
		}
	}
	return false
}

// headOf is the element that names a thing: its heading, legend or row header.
func (p *repeats) headOf(e int32) int32 {
	first := int32(-1)
	for k := e; k < p.Elems[e].End && k < e+80; k++ {
		t := p.Tag(k)
		if Heading(t) || t == "legend" || t == "caption" || t == "summary" || t == "th" || t == "dt" {
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
// in columns: by two spaces, a tab, or a leader of dots.
func (p *repeats) gatherLines(container int32) {
	var lines [][2]int32 // lo and hi
	columns, breaks, apart := 0, 2, false
	flush := func() {
		if len(lines) > 1 {
			g := int32(len(p.Rec.Groups))
			gr := Group{Parent: container}
			for _, l := range lines {
				gr.Members = append(gr.Members, int32(len(p.Rec.All)))
				p.Rec.All = append(p.Rec.All, Record{Lo: l[0], Hi: l[1], Group: g, Head: l[0], Solid: 2*columns > len(lines)})
			}
			p.Rec.Groups = append(p.Rec.Groups, gr)
		}
		lines, columns = nil, 0
	}
	for k := container + 1; k < p.Elems[container].End; k = p.Elems[k].End {
		row := p.Elems[k].row
		if row != nil {
			breaks += row.before
		}
		if p.Elems[k].Facts == 0 || !p.Elems[k].Visible {
			continue
		}
		if breaks > 1 {
			flush()
		}
		if breaks > 0 {
			lines, apart = append(lines, [2]int32{k, p.Elems[k].End}), false
		} else {
			lines[len(lines)-1][1] = p.Elems[k].End
		}
		breaks = 0
		if row != nil {
			breaks = row.after
		}
		text := strings.TrimSpace(p.shown(k))
		if !apart && p.Tag(k) == "" && (strings.Contains(text, "  ") || strings.Contains(text, "\t") || strings.Contains(text, ". .") || strings.Contains(text, "...")) {
			apart = true
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
func (p *repeats) spans() {
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
