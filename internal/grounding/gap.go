package grounding

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A gapFinder finds what the lists of an answer leave out.
type gapFinder struct {
	*reader
	report *Report
	used   []*value                    // by element, the leaf that stands there
	shapes map[*member]map[uint64]bool // of the records that lists of a member stand in
}

// gaps finds what a list with entries leaves out: entries of its shelf, or records of
// its kind.
func (c *gapFinder) gaps(v *value) {
	if !v.list || len(v.kids) == 0 {
		return
	}
	var gap Gap
	switch at := slices.IndexFunc(v.kids, func(k *value) bool { return k.home != nil }); {
	case at < 0:
		gap = c.unsaid(v, v.home)
	case v.kids[at].home.run:
		gap = c.between(v.kids)
	default:
		gap = c.rowsLeft(v)
	}
	c.leftOut(v, gap)
}

// leftOut notes what a list leaves out, and reports whether that is anything.
func (c *gapFinder) leftOut(v *value, gap Gap) bool {
	if gap.Pointer = v.pointer; len(gap.Refs) > 0 {
		c.report.Missing = append(c.report.Missing, gap)
	}
	return len(gap.Refs) > 0
}

// emptied finds the records of the page that an empty list could have: in an object of
// a list, those of the shape that the same list of another object has; elsewhere those
// of the group that most resembles it.
func (c *gapFinder) emptied(v *value, h *home) (gap Gap) {
	p := c.page
	shapes := c.shapes[v.member]
	best, most := []int32(nil), 0
	for g := range p.Rec.Groups {
		gr := &p.Rec.Groups[g]
		var open, labelled []int32
		for _, m := range gr.Members {
			if rec := &p.Rec.All[m]; !rec.Header && h.holds(rec.Lo, p) && c.reachable(rec.Lo, h) {
				open = append(open, m)
				label, _, ok := strings.Cut(p.TextOf(rec.Lo, 60), ":")
				if ok && quality(v.member, pagedata.LabelWords(label)) == exact {
					labelled = append(labelled, m)
				}
			}
		}
		switch {
		case len(open) == 0:
		case len(labelled) > 1: // a label that is given again is that of one thing of several
			best, most = append(best, labelled...), len(p.Elems)
		case shapes[shapeOf(p, open[0])]:
			best, most = append(best, open...), len(p.Elems)
		case len(open) > 1:
			if score := c.resembles(v, gr, open[0]) * len(open); score > most {
				best, most = open, score
			}
		}
	}
	for _, m := range best {
		gap.add(p, p.Rec.All[m].Lo)
	}
	return gap
}

// resembles rates how much the records of a group are what a list would have: 0 is
// not at all. They are called as the list is, by a class, a caption or the heading before
// them; or they have a number or an address, or as many labels, as its items ask for. What
// the first of them says in full is a label, too: so begins a table without headers.
func (c *gapFinder) resembles(v *value, gr *pagedata.Group, first int32) int {
	p := c.page
	rec := &p.Rec.All[first]
	label := slices.Concat(p.ClassWords(rec.Lo), p.Title(gr.Parent))
	for at := gr.Parent; at > 0; at = p.Elems[at].Parent {
		label = append(label, p.ClassWords(at)...)
	}
	score := yes(slices.ContainsFunc(v.member.core, func(w string) bool { return pagedata.HasWord(label, w) }))
	called := 0
	for _, m := range v.fields {
		for e := rec.Lo; e < rec.Hi; e++ {
			if l := p.Elems[e].Line; l >= 0 && (quality(m, c.caption(p.LineStarts[l], 0).Sure) >= named || slices.ContainsFunc(p.Columns(e), func(text string) bool { return quality(m, pagedata.LabelWords(text)) == exact })) {
				called++
				break
			}
		}
		switch {
		case m.typ == "number" || m.typ == "integer":
			score += yes(c.figured(c.homeOf(first)))
		case m.format == "uri":
			score += yes(len(p.AddressesIn(rec.Lo, "a", "href")) > 0)
		}
	}
	if 2*called >= len(v.fields) { // by as many labels or columns as the items ask for
		score += called
	}
	return score
}

// rowsLeft finds the records that stand beside those of a list's objects.
func (c *gapFinder) rowsLeft(v *value) (gap Gap) {
	p := c.page
	type group struct {
		taken map[int32]bool
		cells map[int]bool // how many the objects' rows have
		plain int          // objects without a number or a time
	}
	groups := map[int32]*group{}
	for _, k := range v.kids {
		if k.home == nil || k.home.group < 0 {
			continue
		}
		g := groups[k.home.group]
		if g == nil {
			g = &group{taken: map[int32]bool{}, cells: map[int]bool{}}
			groups[k.home.group] = g
		}
		g.taken[k.home.record] = true
		g.cells[p.Cells(k.home.lo)] = true
		g.plain += yes(!c.figured(k.home))
	}
	for _, at := range slices.Sorted(maps.Keys(groups)) {
		g := groups[at]
		for _, m := range p.Rec.Groups[at].Members {
			rec := &p.Rec.All[m]
			switch {
			case g.taken[m], rec.Header, p.Tag(p.Elems[rec.Lo].Parent) == "tfoot":
			case !g.cells[p.Cells(rec.Lo)]: // built otherwise, as a sum below an invoice
			case g.plain == 0 && len(g.taken) > 2 && !c.figured(c.homeOf(m)): // "Sunday: closed" below opening hours
			case c.inOther(v, rec.Lo, rec.Hi): // in a list below or beside this one
			default:
				gap.add(p, rec.Lo)
			}
		}
	}
	return gap
}

// inOther reports whether a leaf of another list stands in a part of the page.
func (c *gapFinder) inOther(list *value, lo, hi int32) bool {
	for e := lo; e < hi; e++ {
		if o := c.used[e]; o != nil && item(o) != nil && !strings.HasPrefix(o.pointer, list.pointer+"/") {
			return true
		}
	}
	return false
}

// between finds what items without records leave out: each reaches to the next, and one
// that has twice the lines of most has another's.
func (c *gapFinder) between(items []*value) (gap Gap) {
	p := c.page
	lines := make([]int, len(items))
	for i, it := range items {
		c.linesIn(it.home, func(l int32) { lines[i] += yes(!p.Lines[l].Hidden) })
	}
	usual := slices.Sorted(slices.Values(lines))[len(lines)/2]
	for i, it := range items {
		if len(lines) > 2 && lines[i] >= 2*usual {
			ref, text := p.Ref(p.LineStarts[p.FirstLine(it.home.lo)+int32(usual)])
			gap.Refs, gap.Text = append(gap.Refs, ref), append(gap.Text, text)
		}
	}
	return gap
}

// unsaid finds what a list of texts leaves out of the one element that says them: lines
// between those of its texts, or the parts of a line, between commas and the like.
func (c *gapFinder) unsaid(v *value, h *home) (gap Gap) {
	p := c.page
	said := map[int32]bool{} // the lines of the texts
	first, last, whole := int32(math.MaxInt32), int32(-1), true
	for _, k := range v.kids {
		in := c.within(c.find.places(k), h)
		at := slices.IndexFunc(in, func(pl place) bool { return c.used[pl.elem] != nil && pl.line >= 0 })
		if at < 0 {
			return gap
		}
		line := in[at].line
		said[line], first, last, whole = true, min(first, line), max(last, line), whole && c.whole(&in[at])
	}
	if first == last {
		return c.parts(v, first)
	}
	for l := first; l <= last; l++ {
		if !whole || p.Block(l) != p.Block(first) {
			return Gap{}
		}
		if !said[l] && !p.Lines[l].Hidden {
			gap.add(p, p.LineStarts[l])
		}
	}
	return gap
}

// parts finds the parts of a line that a list of texts leaves out, where all of its texts
// are parts of it.
func (c *gapFinder) parts(v *value, line int32) (gap Gap) {
	p := c.page
	ref, _ := p.Ref(p.LineStarts[line])
	text, said := p.Lines[line].Text, 0
	text = text[strings.IndexByte(text[:min(40, len(text))], ':')+1:]
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;|·•/", r) }) {
		part = strings.Trim(part, " .")
		if slices.ContainsFunc(v.kids, func(k *value) bool { return part == pagedata.Normalize(pagedata.Collapse(fmt.Sprint(k.raw))) }) {
			said++
		} else if part != "" {
			gap.Refs, gap.Text = append(gap.Refs, ref), append(gap.Text, part)
		}
	}
	if said < len(v.kids) {
		return Gap{}
	}
	return gap
}
