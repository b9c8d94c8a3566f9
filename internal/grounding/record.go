package grounding

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var seed = maphash.MakeSeed()

// sign tells elements of one shape from others.
func (p *page) sign(e int32) uint64 {
	n := p.node(e)
	var h maphash.Hash
	h.SetSeed(seed)
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
		switch strings.ToLower(w) {
		case "odd", "even", "first", "last", "active", "selected", "new", "highlight", "featured", "alt", "sold", "soldout", "sold-out", "unread", "read":
			continue
		}
		h.WriteByte(1)
		if !strings.HasPrefix(w, "col") { // of a grid's columns, the width tells them apart
			w = strings.TrimRight(w, "0123456789")
		}
		h.WriteString(w)
		break
	}
	return h.Sum64()
}

func heading(tag string) bool {
	return len(tag) == 2 && tag[0] == 'h' && tag[1] >= '1' && tag[1] <= '6'
}

// findRecords finds what is repeated on the page.
func (p *page) findRecords() {
	p.rec.all = []record{{lo: 0, hi: int32(len(p.elems)), parent: -1, group: -1, head: -1}}
	children := make([][]int32, len(p.elems))
	for e := int32(len(p.elems)) - 1; e > 0; e-- {
		el := &p.elems[e]
		n := p.node(e)
		if el.visible {
			el.signature = p.sign(e)
			if el.line >= 0 && n.Name != "::marker" {
				el.facts++
			}
			switch n.Name {
			case "a", "img", "input", "select", "textarea", "button", "meter", "progress":
				el.facts++
			}
		}
		p.elems[el.parent].facts += el.facts
	}
	for e := int32(1); e < int32(len(p.elems)); e++ {
		if p.elems[e].facts > 0 && p.elems[e].visible {
			up := p.elems[e].parent
			for up > 0 { // parts of a table are no wall between its rows
				switch p.tag(up) {
				case "tbody", "thead", "tfoot":
					up = p.elems[up].parent
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
	order := make([]int32, len(p.rec.all))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		x, y := &p.rec.all[a], &p.rec.all[b]
		if x.lo != y.lo {
			return int(x.lo - y.lo)
		}
		return int(y.hi - x.hi)
	})
	var open []int32
	next := 0
	for e := int32(0); e < int32(len(p.elems)); e++ {
		for len(open) > 0 && p.rec.all[open[len(open)-1]].hi <= e {
			open = open[:len(open)-1]
		}
		for next < len(order) && p.rec.all[order[next]].lo == e {
			r := order[next]
			if len(open) > 0 {
				p.rec.all[r].parent = open[len(open)-1]
				p.rec.all[r].hi = min(p.rec.all[r].hi, p.rec.all[open[len(open)-1]].hi)
			}
			open = append(open, r)
			next++
		}
		if len(open) > 0 {
			p.elems[e].record = open[len(open)-1]
		}
	}
	p.spans()
	p.turn()
}

// gather makes records of a container's children.
func (p *page) gather(container int32, kids []int32) {
	tag := p.tag(container)
	if tag == "tr" && !p.cards(kids) {
		return // cells are parts of the row
	}
	bySign := map[uint64][]int32{}
	for _, k := range kids {
		if p.node(k).Name == "" {
			continue // text
		}
		bySign[p.elems[k].signature] = append(bySign[p.elems[k].signature], k)
	}
	// Runs: headings, terms, or the first of a repeated order, and what follows each.
	if heads := p.heads(kids, bySign); len(heads) >= 2 {
		g := int32(len(p.rec.groups))
		gr := group{parent: container}
		solid := p.alikeRuns(kids, heads)
		for i, h := range heads {
			lo := kids[h]
			hi := p.elems[kids[len(kids)-1]].end
			if i+1 < len(heads) {
				hi = kids[heads[i+1]]
			}
			gr.members = append(gr.members, int32(len(p.rec.all)))
			p.rec.all = append(p.rec.all, record{lo: lo, hi: hi, group: g, head: lo, solid: solid && p.tag(lo) != "dt"})
		}
		p.rec.groups = append(p.rec.groups, gr)
	}
	for _, k := range kids {
		list := bySign[p.elems[k].signature]
		if len(list) < 2 || list[0] != k {
			continue
		}
		g := int32(len(p.rec.groups))
		gr := group{parent: container}
		for _, m := range list {
			gr.members = append(gr.members, int32(len(p.rec.all)))
			p.rec.all = append(p.rec.all, record{lo: m, hi: p.elems[m].end, group: g, head: p.headOf(m), header: p.headerRow(m)})
		}
		solid := tag == "tr" || p.solid(list)
		for _, m := range gr.members {
			p.rec.all[m].solid = solid && p.tag(p.elems[p.rec.all[m].lo].parent) != "tfoot" // a sum is the whole's
		}
		p.rec.groups = append(p.rec.groups, gr)
	}
}

// cards reports whether the cells of a head are things of their own: plans side by
// side, each with its name and its price.
func (p *page) cards(kids []int32) bool {
	rich := 0
	for _, k := range kids {
		if tag := p.tag(k); tag != "th" && !(tag == "td" && p.tag(p.elems[p.elems[k].parent].parent) == "thead") {
			continue
		}
		texts, figure := 0, false
		for e := k + 1; e < p.elems[k].end; e++ {
			if p.elems[e].line >= 0 && p.node(e).Name == "" {
				texts++
				figure = figure || strings.ContainsAny(p.node(e).Text, "0123456789")
			}
		}
		if texts >= 2 && figure {
			rich++
		}
	}
	return rich >= 2 && rich*3 >= len(kids)*2
}

// heads are the indexes of children that each begin a run.
func (p *page) heads(kids []int32, bySign map[uint64][]int32) []int {
	best := -1
	for i, k := range kids {
		tag := p.tag(k)
		if tag == "" {
			return nil // running text
		}
		if len(bySign[p.elems[k].signature]) >= 2 && (heading(tag) || tag == "dt" || tag == "summary" || tag == "legend") {
			best = i
			break
		}
	}
	if best < 0 {
		if !p.inTurn(kids, bySign) && !p.dividedUp(kids, bySign) {
			return nil
		}
		best = 0
	}
	var out []int
	s := p.elems[kids[best]].signature
	for i := best; i < len(kids); i++ {
		if p.elems[kids[i]].signature == s {
			out = append(out, i)
		}
	}
	if len(out) == len(kids)-best { // nothing follows any of them
		return nil
	}
	return out
}

// inTurn reports whether children of different shapes follow each other in the
// same order again and again.
func (p *page) inTurn(kids []int32, bySign map[uint64][]int32) bool {
	first := p.elems[kids[0]].signature
	n := len(bySign[first])
	if n < 2 || len(kids) < 2*n || len(bySign) < 2 {
		return false
	}
	for s, list := range bySign {
		if s != first && len(list) != n && len(list) != 1 {
			return false
		}
		for _, k := range list {
			if p.elems[k].facts > 12 {
				return false
			}
		}
	}
	return true
}

// dividedUp reports whether the first child, and others like it, stand as dividers
// before what holds more: the days of a timeline.
func (p *page) dividedUp(kids []int32, bySign map[uint64][]int32) bool {
	first := p.elems[kids[0]].signature
	n := len(bySign[first])
	if n < 2 || len(kids) < 2*n {
		return false
	}
	rest := 0
	for i, k := range kids {
		switch {
		case p.elems[k].signature != first:
			rest += int(p.elems[k].facts)
		case p.elems[k].facts > 1 || p.node(k).Name == "" || i+1 < len(kids) && p.elems[kids[i+1]].signature == first:
			return false
		}
	}
	return rest >= 2*(len(kids)-n)
}

// alikeRuns reports whether the runs after heads have one shape.
func (p *page) alikeRuns(kids []int32, heads []int) bool {
	shape := func(i int) map[uint64]int {
		end := len(kids)
		if i+1 < len(heads) {
			end = heads[i+1]
		}
		m := map[uint64]int{}
		for _, k := range kids[heads[i]+1 : end] {
			m[p.elems[k].signature]++
		}
		return m
	}
	facts := 0
	like := 0
	for i := range heads {
		a, b := shape(i), shape((i+1)%len(heads))
		if overlap(a, b) >= 0.6 {
			like++
		}
		for _, n := range a {
			facts += n
		}
	}
	return like*3 >= len(heads)*2 && facts >= len(heads)
}

func overlap(a, b map[uint64]int) float64 {
	both, all := 0, 0
	for k, n := range a {
		both += min(n, b[k])
		all += max(n, b[k])
	}
	for k, n := range b {
		if _, ok := a[k]; !ok {
			all += n
		}
	}
	if all == 0 {
		return 1
	}
	return float64(both) / float64(all)
}

// solid reports whether elements of one shape are things of their own: each
// with several facts, of a like inside, and not a label with its value.
func (p *page) solid(list []int32) bool {
	tag := p.tag(list[0])
	switch tag {
	case "td", "th", "p", "span", "br", "col", "option", "optgroup", "tbody", "b", "strong", "em", "i":
		return false
	}
	if tag == "a" && p.amidText(list[0]) || p.pageNumbers(list) {
		return false
	}
	rich, labelled, like := 0, 0, 0
	var before map[uint64]int
	step := max(1, len(list)/40)
	seen := 0
	for i := 0; i < len(list); i += step {
		e := list[i]
		if p.headerRow(e) {
			continue
		}
		seen++
		if p.elems[e].facts >= 2 {
			rich++
		}
		if p.fieldLike(e) {
			labelled++
		}
		in := map[uint64]int{}
		for k := e + 1; k < p.elems[e].end && k < e+200; k++ {
			if p.elems[k].facts > 0 && p.elems[k].visible && p.tag(k) != "" {
				in[p.elems[k].signature]++
			}
		}
		if before == nil || overlap(in, before) >= 0.4 {
			like++
		}
		before = in
	}
	if seen == 0 {
		return false
	}
	if tag == "tr" && len(list) > 1 && !p.alikeRows(list) {
		return false
	}
	if tag == "tr" || tag == "li" || tag == "article" {
		return rich*2 >= seen && labelled*2 <= seen
	}
	return rich*3 >= seen*2 && like*3 >= seen*2 && labelled*2 <= seen
}

// pageNumbers reports whether elements hold numbers of pages alone, and the marks
// before and behind them: a way through pages is no list of things.
func (p *page) pageNumbers(list []int32) bool {
	numbers := 0
	for _, e := range list {
		text := strings.TrimSpace(p.textOf(e, 20))
		if len(text) > 4 || strings.ContainsFunc(text, unicode.IsLetter) {
			return false
		}
		if _, err := strconv.Atoi(text); err == nil {
			numbers++
		}
	}
	return numbers >= 2
}

// alikeRows reports whether some rows of a table have as many cells as others. Where
// none has, the table is one thing: a head over a body.
func (p *page) alikeRows(rows []int32) bool {
	count := map[int]int{}
	for _, r := range rows {
		if p.headerRow(r) {
			return true // of a table with heads
		}
		if n := p.cells(r); count[n] > 0 {
			return true
		} else {
			count[n]++
		}
	}
	return false
}

// amidText reports whether an element stands in running text.
func (p *page) amidText(e int32) bool {
	up := p.elems[e].parent
	for k := up + 1; k < p.elems[up].end; k = p.elems[k].end {
		if n := p.node(k); n.Name == "" && p.elems[k].line >= 0 && strings.ContainsFunc(n.Text, unicode.IsLetter) {
			return true
		}
	}
	return false
}

// headOf is the element that names a thing: its heading, legend or row header.
func (p *page) headOf(e int32) int32 {
	first := int32(-1)
	for k := e; k < p.elems[e].end && k < e+80; k++ {
		t := p.tag(k)
		if heading(t) || t == "legend" || t == "caption" || t == "summary" || t == "th" || t == "dt" {
			return k
		}
		if first < 0 && p.elems[k].line >= 0 {
			first = k
		}
	}
	if first < 0 {
		return -1
	}
	return first
}

// cells counts a row's cells; 0 for what is no row.
func (p *page) cells(e int32) int {
	if p.tag(e) != "tr" {
		return 0
	}
	n := 0
	for k := e + 1; k < p.elems[e].end; k = p.elems[k].end {
		if t := p.tag(k); t == "td" || t == "th" {
			n++
		}
	}
	return n
}
