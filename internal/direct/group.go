package direct

import (
	"math"
	"slices"
	"strconv"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A group is a list of records.
type group struct {
	at      int32 // what holds them
	records []record
	total   int // how many the page says that there are; 0 if it doesn't
}

// groups are the lists of records that the markup structures: the rows or the columns
// of tables with headers, and what is repeated and holds labels.
func (p *page) groups() []group {
	if p.read {
		return p.lists
	}
	p.read = true
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		if p.aside(e) {
			e = p.Elems[e].End - 1
		} else if p.Elems[e].Visible && p.Part(e) == "table" {
			p.tables(e)
		}
	}
	for i := range p.Rec.Groups {
		p.repeated(&p.Rec.Groups[i])
	}
	slices.SortStableFunc(p.lists, func(a, b group) int { return int(a.at - b.at) })
	return p.lists
}

// tables adds the rows of a table below its headers, and the columns of one whose rows
// begin with theirs.
func (p *page) tables(e int32) {
	rows := p.Grid(e)
	head := p.headerRows(rows)
	g := group{at: e, total: number(p.Attr(e, "aria-rowcount")) - head}
	if head > 0 {
		for _, row := range p.body(rows[head:]) {
			r := record{lo: row.Elem, hi: p.Elems[row.Elem].End}
			for column, c := range row.Cells {
				if c >= 0 {
					r.facts = append(r.facts, fact{label: p.header(rows[:head], column), node: c})
				}
			}
			g.records = append(g.records, p.whole(r))
		}
		p.lists = append(p.lists, g)
	}
	if head > 1 || !p.turned(rows, head) {
		return
	}
	g = group{at: e}
	for column := 1; column < len(rows[0].Cells); column++ {
		c := rows[0].Cells[column]
		r := record{lo: c, hi: p.Elems[c].End}
		for k, row := range rows {
			f := fact{label: p.headed(row.Cells[0]), node: row.Cells[column]}
			if k < head && len(f.label) == 0 {
				f = fact{node: f.node, mark: byTag, tag: "h"}
			}
			r.facts = append(r.facts, f)
		}
		g.records = append(g.records, r)
	}
	p.lists = append(p.lists, g)
}

// whole adds to a record what its tags say, and JSON-LD of the thing that it names.
func (p *page) whole(r record) record {
	r.facts = slices.Concat(r.facts, p.byTags(r.lo, r.hi))
	r.facts = append(r.facts, p.linked(&r, false)...)
	return r
}

// across reports whether a row is one cell over all columns.
func across(row pagedata.GridRow) bool {
	n := len(row.Cells)
	return n > 1 && row.Cells[0] == row.Cells[n-1]
}

// header is what the headers of a column say, but for one over all columns.
func (p *page) header(rows []pagedata.GridRow, column int) (label []string) {
	last := int32(-1)
	for _, row := range rows {
		if column < len(row.Cells) && row.Cells[column] != last && !across(row) {
			if last = row.Cells[column]; last >= 0 {
				label = append(label, p.headed(last)...)
			}
		}
	}
	return label
}

// headed are the words of a header; an abbreviation says them in full.
func (p *page) headed(c int32) []string {
	for e := c; e < p.Elems[c].End; e++ {
		if full := p.Attr(e, "title"); full != "" && p.Tag(e) == "abbr" {
			return pagedata.LabelWords(full)
		}
	}
	words := p.words(c)
	if n := p.named(c); n != nil && len(words) == 0 {
		return pagedata.LabelWords(n.Name)
	}
	return words
}

// body leaves out the rows that are no records: in the table's foot, of one cell over
// all columns, and at the end those that sum the others up.
func (p *page) body(rows []pagedata.GridRow) (out []pagedata.GridRow) {
	for _, row := range rows {
		if len(row.Cells) > 0 && p.Elems[row.Elem].Facts > 0 && p.Tag(p.Elems[row.Elem].Parent) != "tfoot" && !across(row) {
			out = append(out, row)
		}
	}
	spans := func(row pagedata.GridRow) bool { return len(row.Cells) > 2 && row.Cells[0] == row.Cells[1] }
	for n := len(out) - 1; n > 0 && (spans(out[n]) && !spans(out[0]) || p.sums(out)); n-- {
		out = out[:n]
	}
	return out
}

// sums reports whether the last row is the sum of those above it, in a column of
// amounts or numbers.
func (p *page) sums(rows []pagedata.GridRow) bool {
	last, above := rows[len(rows)-1], rows[:len(rows)-1]
	for column, c := range last.Cells {
		want, ok := p.figure(c)
		sum := 0.0
		for _, row := range above {
			v, figure := 0.0, false
			if ok && column < len(row.Cells) {
				v, figure = p.figure(row.Cells[column])
			}
			sum, ok = sum+v, figure
		}
		if ok && len(above) > 1 && want != 0 && math.Abs(sum-want) < 0.005 {
			return true
		}
	}
	return false
}

// turned reports whether a table's records may be its columns: each row but that of
// headers begins with a header, and has values beside it.
func (p *page) turned(rows []pagedata.GridRow, head int) bool {
	if len(rows) < head+2 || len(rows[0].Cells) < 3 {
		return false
	}
	return !slices.ContainsFunc(rows, func(row pagedata.GridRow) bool {
		if len(row.Cells) != len(rows[0].Cells) || p.Elems[max(row.Cells[0], 0)].Facts == 0 && row.Elem != rows[0].Elem {
			return true
		}
		for i, c := range row.Cells {
			if c < 0 || i > 0 && c == row.Cells[i-1] || (head == 0 || row.Elem != rows[0].Elem) && (p.Part(c) == "th") != (i == 0) {
				return true
			}
		}
		return false
	})
}

// repeated adds the things that an element holds several of.
func (p *page) repeated(gr *pagedata.Group) {
	for at := gr.Parent; at > 0; at = p.Elems[at].Parent {
		if p.aside(at) {
			return
		}
	}
	size := int32(0)
	for _, m := range gr.Members {
		rec := &p.Rec.All[m]
		switch p.Part(rec.Lo) {
		case "tr", "td", "th", "dt", "dd", "p", "span", "option", "tbody", "a", "br", "img", "button":
			return
		}
		if p.Elems[rec.Lo].End != rec.Hi && !p.isHeading(rec.Lo) {
			return
		}
		size += rec.Hi - rec.Lo
	}
	if p.interrupted(gr, size/int32(len(gr.Members))) || p.nested(gr) {
		return
	}
	g, said := group{at: gr.Parent}, false
	for _, m := range gr.Members {
		rec := &p.Rec.All[m]
		r := p.whole(record{lo: rec.Lo, hi: rec.Hi, facts: p.facts(rec.Lo, rec.Hi)})
		said = said || len(r.facts) > 0
		g.records = append(g.records, r)
		g.total = max(g.total, number(p.Attr(rec.Lo, "aria-setsize")))
	}
	if said {
		p.lists = append(p.lists, g)
	}
}

// interrupted reports whether something of the same tag and of like size, built
// otherwise, stands between the records: it may be one, too, and would be left out.
func (p *page) interrupted(gr *pagedata.Group, size int32) bool {
	first, last := &p.Rec.All[gr.Members[0]], &p.Rec.All[gr.Members[len(gr.Members)-1]]
	for e := first.Lo; e < last.Hi && !p.isHeading(first.Lo); e = p.Elems[e].End {
		if p.Elems[e].Signature != p.Elems[first.Lo].Signature && p.Tag(e) == p.Tag(first.Lo) && p.Elems[e].Visible && !p.aside(e) && 2*(p.Elems[e].End-e) > size {
			return true
		}
	}
	return false
}

// nested reports whether the records stand in, or hold, others that are built alike:
// replies below replies are no flat list. What has no class is alike everywhere, and
// lists within the items of a list are theirs.
func (p *page) nested(gr *pagedata.Group) bool {
	lo := p.Rec.All[gr.Members[0]].Lo
	item := p.Tag(lo) == "li"
	if p.Attr(lo, "class") == "" && !item && p.Tag(lo) != "article" {
		return false
	}
	alike := func(e int32) bool { return p.Elems[e].Signature == p.Elems[lo].Signature && p.Elems[e].Visible }
	for at := p.Elems[lo].Parent; at > 0; at = p.Elems[at].Parent {
		if alike(at) {
			return true
		}
	}
	for _, m := range gr.Members {
		for e := p.Rec.All[m].Lo + 1; e < p.Rec.All[m].Hi && !item; e++ {
			if alike(e) {
				return true
			}
		}
	}
	return false
}

// groupFor finds the one list between two elements that a member asks for: that of
// which it has the most members, at least half of them, and of two with as many, that
// of its name.
func (p *page) groupFor(m *member, beside []*member, lo, hi int32) (*group, map[*member]*column) {
	members := m.form.element.scalars()
	var best *group
	var columns map[*member]*column
	most, tied := 0, false
	all := p.groups()
	from, _ := slices.BinarySearchFunc(all, lo, func(g group, lo int32) int { return int(g.at - lo) })
	for i := from; i < len(all) && all[i].at < hi; i++ {
		g := &all[i]
		if len(g.records) == 0 || len(g.records) == 1 && g.records[0].lo == lo {
			continue
		}
		found := p.assign(members, g.records)
		sure := slices.ContainsFunc(members, func(m *member) bool { return found[m] != nil && found[m].sure })
		caption := p.caption(g.at)
		named := m.calledAll(caption)
		anothers := slices.ContainsFunc(beside, func(o *member) bool { return o != m && o.form.kind == "array" && o.calledAll(caption) })
		if len(found) == 0 || 2*len(found) < len(members) || !named && (!sure || anothers) {
			continue
		}
		score := 2 * len(found)
		if named {
			score++
		}
		switch {
		case score > most:
			best, columns, most, tied = g, found, score, false
		case score == most && !best.holds(g):
			tied = true
		}
	}
	if best == nil || tied || p.elsewhere(m, best, lo, hi) {
		return nil, nil
	}
	return best, columns
}

// holds reports whether the records of a list hold those of another: the same things,
// seen from outside.
func (g *group) holds(inner *group) bool {
	return slices.EqualFunc(g.records, inner.records, func(a, b record) bool { return a.lo <= b.lo && b.hi <= a.hi })
}

// elsewhere reports whether a heading is called as the list is, and the group stands
// under another: it is another list.
func (p *page) elsewhere(m *member, g *group, lo, hi int32) bool {
	if m.name == "" || m.calledAll(p.caption(g.at)) {
		return false
	}
	found, under := false, false
	for e := lo; e < hi; e++ {
		if p.isHeading(e) && p.Elems[e].Visible {
			called := m.calledAll(p.words(e))
			found = found || called
			if e < g.at {
				under = called // the last heading before it
			}
		}
	}
	return found && !under
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
