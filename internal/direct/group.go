package direct

import (
	"math"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A group is a list of records.
type group struct {
	at      int32 // what holds them
	records []record
}

// lists finds the lists of a page.
type lists struct {
	marker
	all    []group        // in page order
	shapes map[uint64]int // how many elements of the page's matter are of a shape
}

// read reads what the page says for machines, and its lists.
func (p *lists) read() {
	p.readData()
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		switch el := &p.Elems[e]; {
		case p.Aside(e):
			e = el.End - 1
		case !el.Visible:
		case p.Part(e) == "table":
			p.tables(e)
			fallthrough
		default:
			p.shapes[el.Signature]++
		}
	}
	for i := range p.Rec.Groups {
		p.repeated(&p.Rec.Groups[i])
	}
	slices.SortStableFunc(p.all, func(a, b group) int { return int(a.at - b.at) })
}

// tables adds the rows of a table below its headers, and the columns of one whose rows
// begin with theirs.
func (p *lists) tables(e int32) {
	t := p.TableOf(e)
	if len(t.Rows) == 0 {
		return
	}
	if t.Headed {
		g := group{at: e}
		rows, sure := p.body(t.Rows)
		for _, row := range rows {
			r := record{lo: row.Elem, hi: p.Elems[row.Elem].End}
			for column, c := range row.Cells {
				if c >= 0 {
					r.facts = append(r.facts, fact{label: row.Heads[column], node: c})
				}
			}
			g.records = append(g.records, p.whole(r))
		}
		if sure {
			p.all = append(p.all, g)
		}
	}
	if !p.turned(t) {
		return
	}
	g := group{at: e}
	for column, c := range t.Rows[0].Cells[1:] {
		r := record{lo: c, hi: p.Elems[c].End}
		for _, row := range t.Rows {
			f := fact{label: p.LabelOf(row.Cells[0]), node: row.Cells[column+1]}
			if row.Head && len(f.label) == 0 {
				f = fact{node: f.node, mark: byTag, tag: "h"}
			}
			r.facts = append(r.facts, f)
		}
		g.records = append(g.records, r)
	}
	p.all = append(p.all, g)
}

// body leaves out the rows that are no records: in the table's foot, of one cell over
// all columns, and at the end those that sum the others up. A last row may hold a sum by
// chance, as 1, 2, 3 do: what tells is its form, and without that body is not sure.
func (p *lists) body(rows []pagedata.TableRow) (_ []pagedata.TableRow, sure bool) {
	out := slices.DeleteFunc(slices.Clone(rows), func(row pagedata.TableRow) bool {
		return row.Head || p.Elems[row.Elem].Facts == 0 || p.Tag(p.Elems[row.Elem].Parent) == "tfoot" || row.Across()
	})
	spans := func(row pagedata.TableRow) bool { return len(row.Cells) > 2 && row.Cells[0] == row.Cells[1] }
	for n := len(out) - 1; n > 0 && (spans(out[n]) && !spans(out[0]) || p.sums(out)); n-- {
		if !spans(out[n]) && !p.lacks(out) {
			return out, false
		}
		out = out[:n]
	}
	return out, true
}

// sums reports whether the last row is the sum of those above it, in a column of
// amounts or numbers.
func (p *lists) sums(rows []pagedata.TableRow) bool {
	above := rows[:len(rows)-1]
	for column, c := range rows[len(above)].Cells {
		want, ok := p.figure(c)
		sum := 0.0
		for i := 0; i < len(above) && ok; i++ {
			var v float64
			if ok = column < len(above[i].Cells); ok {
				v, ok = p.figure(above[i].Cells[column])
			}
			sum += v
		}
		if ok && len(above) > 1 && want != 0 && math.Abs(sum-want) < 0.005 {
			return true
		}
	}
	return false
}

// lacks reports whether the last row says nothing in a column where all others say
// something, or has a header where they have none.
func (p *lists) lacks(rows []pagedata.TableRow) bool {
	above := rows[:len(rows)-1]
	for column, c := range rows[len(above)].Cells {
		blank := c < 0 || p.Elems[c].Facts == 0
		head := c >= 0 && p.Part(c) == "th"
		if !blank && !head {
			continue
		}
		if !slices.ContainsFunc(above, func(row pagedata.TableRow) bool {
			other := int32(-1)
			if column < len(row.Cells) {
				other = row.Cells[column]
			}
			return other < 0 || blank && p.Elems[other].Facts == 0 || head && p.Part(other) == "th"
		}) {
			return true
		}
	}
	return false
}

// turned reports whether a table's records may be its columns: each row but a first one
// of headers begins with a header, and has values beside it.
func (p *lists) turned(t *pagedata.Table) bool {
	if first := &t.Rows[0]; len(first.Cells) < 3 || len(t.Rows) < 2 || first.Head && len(t.Rows) < 3 || !t.Straight() {
		return false
	}
	for k, row := range t.Rows {
		for i, c := range row.Cells {
			if row.Head && k > 0 || !row.Head && (p.Part(c) == "th") != (i == 0) || k > 0 && i == 0 && p.Elems[c].Facts == 0 {
				return false
			}
		}
	}
	return true
}

// repeated adds the things that an element holds several of.
func (p *lists) repeated(gr *pagedata.Group) {
	for at := gr.Parent; at > 0; at = p.Elems[at].Parent {
		if p.Aside(at) {
			return
		}
	}
	first, last := p.Rec.All[gr.Members[0]].Lo, p.Rec.All[gr.Members[len(gr.Members)-1]].Hi
	switch p.Part(first) {
	case "tr", "td", "th", "dt", "dd", "p", "span", "option", "tbody", "a", "br", "img", "button":
		return
	}
	headed := p.IsHeading(first)
	if !headed && p.interrupted(first, last, len(gr.Members)) {
		return
	}
	g, said := group{at: gr.Parent}, false
	for _, m := range gr.Members {
		rec := &p.Rec.All[m]
		if p.Elems[rec.Lo].End != rec.Hi && !headed {
			return
		}
		r := p.whole(record{lo: rec.Lo, hi: rec.Hi, facts: p.facts(rec.Lo, rec.Hi)})
		said = said || len(r.facts) > 0
		g.records = append(g.records, r)
	}
	if said {
		p.all = append(p.all, g)
	}
}

// interrupted reports whether n things from first to last may not be all of their kind:
// something of the same tag and of like size, built otherwise, stands between them, or
// one of their shape elsewhere, as replies do below replies. What has no class is alike
// everywhere, and lists within the items of a list are theirs.
func (p *lists) interrupted(first, last int32, n int) bool {
	el := &p.Elems[first]
	if tag := p.Tag(first); tag == "article" || tag != "li" && p.Attr(first, "class") != "" {
		if p.shapes[el.Signature] > n {
			return true
		}
	}
	for e := first; e < last; e = p.Elems[e].End {
		if p.Elems[e].Signature != el.Signature && p.Tag(e) == p.Tag(first) && p.Elems[e].Visible && !p.Aside(e) && 2*n*int(p.Elems[e].End-e) > int(last-first) {
			return true
		}
	}
	return false
}

// groupFor finds the one list between two elements that a member asks for: that of
// which it has the most members, at least half of them, and of two with as many, that
// of its name.
func (p *lists) groupFor(m *member, beside []*member, lo, hi int32) (best *group, columns map[*member]*column) {
	members := m.form.element.scalars()
	most, tied, bestNamed := 0, false, false
	from, _ := slices.BinarySearchFunc(p.all, lo, func(g group, lo int32) int { return int(g.at - lo) })
	for i := from; i < len(p.all) && p.all[i].at < hi; i++ {
		g := &p.all[i]
		if len(g.records) == 0 || len(g.records) == 1 && g.records[0].lo == lo {
			continue
		}
		found := assign(&p.reader, members, g.records)
		sure := slices.ContainsFunc(members, func(m *member) bool { return found[m] != nil && found[m].sure })
		caption := p.Title(g.at)
		named := m.calledAll(caption)
		anothers := slices.ContainsFunc(beside, func(o *member) bool { return o != m && o.form.kind == "array" && o.calledAll(caption) })
		if len(found) == 0 || 2*len(found) < len(members) || !sure || !named && anothers {
			continue
		}
		score := 2 * len(found)
		if named {
			score++
		}
		if score > most {
			best, columns, most, tied, bestNamed = g, found, score, false, named
		} else if score == most {
			tied = true
		}
	}
	if tied || best != nil && !bestNamed && m.name != "" && p.called(m, lo, hi) {
		return nil, nil
	}
	return best, columns
}

// called reports whether a heading is called as a list is: one that stands under another
// is another list.
func (p *lists) called(m *member, lo, hi int32) bool {
	for e := lo; e < hi; e++ {
		if p.IsHeading(e) && m.calledAll(p.LabelOf(e)) {
			return true
		}
	}
	return false
}
