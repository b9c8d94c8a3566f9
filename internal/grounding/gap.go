package grounding

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// gaps finds records of a list's kind that the list does not have.
func (c *checker) gaps(v *value) {
	p := c.page
	if h := v.home; len(v.kids) == 0 && v.fields != nil {
		if gap := c.emptied(v); len(gap.Refs) > 0 {
			c.report.Missing = append(c.report.Missing, gap)
		}
		return
	} else if len(v.kids) > 0 && v.kids[0].leaf() && h != nil && h.record >= 0 {
		if gap := c.leftOut(v, h); len(gap.Refs) > 0 {
			c.report.Missing = append(c.report.Missing, gap)
		}
		return
	}
	if gap := c.between(v); len(gap.Refs) > 0 {
		c.report.Missing = append(c.report.Missing, gap)
		return
	}
	type taken struct {
		records map[int32]bool
		facts   []int32
		cells   map[int]int
		figures int // items with digits
	}
	groups := map[int32]*taken{}
	for _, k := range v.kids {
		if !k.object || k.home == nil || k.home.group < 0 || k.home.record <= 0 {
			continue
		}
		t := groups[k.home.group]
		if t == nil {
			t = &taken{records: map[int32]bool{}, cells: map[int]int{}}
			groups[k.home.group] = t
		}
		t.records[k.home.record] = true
		t.facts = append(t.facts, p.Elems[k.home.lo].Facts)
		t.cells[p.Cells(k.home.lo)]++
		if c.figured(k.home) {
			t.figures++
		}
	}
	gap := Gap{Pointer: v.pointer}
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		t := groups[g]
		slices.Sort(t.facts)
		usual := t.facts[len(t.facts)/2]
		for _, m := range p.Rec.Groups[g].Members {
			rec := &p.Rec.All[m]
			facts := p.Elems[rec.Lo].Facts
			switch {
			case t.records[m], rec.Header, p.Tag(p.Elems[rec.Lo].Parent) == "tfoot":
			case facts*2 < usual && facts < 3, t.cells[p.Cells(rec.Lo)] == 0: // says less, or is built otherwise
			case t.figures == len(t.facts) && len(t.facts) > 2 && !c.figured(c.homeOf(m)): // "Sunday: closed" below opening hours
			case c.anothers(v, rec): // in a list below or beside this one
			default:
				gap.add(p, rec.Lo)
			}
		}
	}
	if len(gap.Refs) > 0 {
		c.report.Missing = append(c.report.Missing, gap)
	}
}

// add notes an element that a list leaves out, by the first of it that the outline shows.
func (g *Gap) add(p *pagedata.Page, e int32) {
	text := p.TextOf(e, 60)
	at := e
	for at < p.Elems[e].End && p.Elems[at].Seen < 0 {
		at++
	}
	if at == p.Elems[e].End {
		at = e
	}
	if ref, _ := p.Ref(at); ref != "" && strings.TrimSpace(text) != "" {
		g.Refs, g.Text = append(g.Refs, ref), append(g.Text, text)
	}
}

// anothers reports whether a record is, or holds, that of an item that the list does not
// stand in.
func (c *checker) anothers(list *value, rec *pagedata.Record) bool {
	for e := rec.Lo; e < rec.Hi; e++ {
		for r := c.page.Elems[e].Record; r > 0 && c.page.Rec.All[r].Lo >= rec.Lo && c.page.Rec.All[r].Hi <= rec.Hi; r = c.page.Rec.All[r].Parent {
			if o := c.owners[r]; o != nil && !strings.HasPrefix(list.pointer, o.pointer+"/") {
				return true
			}
		}
	}
	return false
}

// emptied finds the records of the page that an empty list could have: in an object of
// a list, those of the shape that the same list of another object has; elsewhere those
// that the page calls as the list or as its items' members, or for a list that is the
// only one, whatever says as much as its items do.
func (c *checker) emptied(v *value) (gap Gap) {
	p := c.page
	gap.Pointer = v.pointer
	h := v.home
	if h == nil || h.record < 0 {
		return gap
	}
	if it := item(v); it != nil {
		paths := c.pathsOf(v, it)
		l := c.layout(h)
		for e := h.lo; e < h.hi; e++ {
			if path, ok := l.path[e]; ok && paths[path] && c.reachable(e, h) && c.owners[p.Elems[e].Record] == nil {
				gap.add(p, e)
			}
		}
		return gap
	}
	best, most := int32(-1), 0
	for g := range p.Rec.Groups {
		gr := &p.Rec.Groups[g]
		n, first := 0, int32(-1)
		for _, m := range gr.Members {
			rec := &p.Rec.All[m]
			if rec.Header || rec.Lo < h.lo || rec.Hi > h.hi || c.owners[m] != nil || !c.reachable(rec.Lo, h) {
				continue
			}
			if n++; first < 0 {
				first = m
			}
		}
		if n < 2 || inNavigation(p, gr.Parent) {
			continue
		}
		if score := c.resembles(v, gr, first); score*n > most {
			best, most = int32(g), score*n
		}
	}
	if best >= 0 {
		for _, m := range p.Rec.Groups[best].Members {
			if rec := &p.Rec.All[m]; !rec.Header && rec.Lo >= h.lo && rec.Hi <= h.hi {
				gap.add(p, rec.Lo)
			}
		}
	}
	return gap
}

// pathsOf are the ways from their objects to the entries that the same list has in
// other objects.
func (c *checker) pathsOf(v, it *value) map[uint64]bool {
	out := map[uint64]bool{}
	for _, other := range it.parent.kids {
		if other == it || other.home == nil || other.home.record < 0 {
			continue
		}
		for _, list := range other.kids {
			if !list.list || list.member != v.member {
				continue
			}
			l := c.layout(other.home)
			for _, k := range list.kids {
				e := int32(0)
				if k.object && k.home != nil && k.home.record > 0 {
					e = k.home.lo
				} else if k.leaf() {
					if in := c.within(c.find.places(k), other.home); len(in) > 0 {
						e = c.entryAt(in[0].elem, other.home.lo)
					}
				}
				if path, ok := l.path[e]; ok && e > other.home.lo {
					out[path] = true
				}
			}
		}
	}
	return out
}

// resembles rates how much the records of a group are what a list would have: 0 is
// not at all. A name speaks for it, the list's own at the container or those of half of
// its members in a record; or it is the data's only list, and the records are things of
// their own.
func (c *checker) resembles(v *value, gr *pagedata.Group, first int32) int {
	p := c.page
	rec := &p.Rec.All[first]
	label := p.ClassWords(rec.Lo)
	for at, i := gr.Parent, 0; at > 0 && i < 3; at, i = p.Elems[at].Parent, i+1 {
		label = slices.Concat(label, p.ClassWords(at), pagedata.LabelWords(p.Attr(at, "aria-label")), p.CaptionOf(at, 0).Sure)
		for k := at - 1; k > 0 && k > at-8; k-- { // the heading right before
			if pagedata.Heading(p.Tag(k)) || p.Tag(k) == "dt" || p.Tag(k) == "caption" {
				label = append(label, pagedata.LabelWords(p.TextOf(k, 80))...)
				break
			}
		}
	}
	score := 0
	if slices.ContainsFunc(v.member.core, func(w string) bool { return pagedata.HasWord(label, w) }) {
		score = 1
	}
	if len(v.fields) == 0 || !rec.Solid && score == 0 {
		return score
	}
	fit := 0
	for _, m := range v.fields {
		for e := rec.Lo; e < rec.Hi; e++ {
			if cap := c.caption(e, 0); p.Elems[e].Line >= 0 && (quality(m, cap.Sure) >= named || quality(m, cap.Hint) >= named) {
				fit++
				break
			}
		}
	}
	if score == 0 && fit*2 < len(v.fields) && !c.onlyList(v) {
		return 0
	}
	return 1 + score + fit
}

// onlyList reports whether no other list of the data has an item.
func (c *checker) onlyList(v *value) bool {
	var filled func(x *value) bool
	filled = func(x *value) bool {
		return x.list && len(x.kids) > 0 || slices.ContainsFunc(x.kids, filled)
	}
	return !filled(v.root())
}

// inNavigation reports whether an element is a part of the page's frame: what leads
// elsewhere, and the choices of a control.
func inNavigation(p *pagedata.Page, e int32) bool {
	for ; e > 0; e = p.Elems[e].Parent {
		switch p.Tag(e) {
		case "nav", "footer", "select", "datalist", "form":
			return true
		}
		switch p.Attr(e, "role") {
		case "navigation", "menu", "menubar", "tablist", "listbox", "contentinfo":
			return true
		}
	}
	return false
}

// between finds what a list without records leaves out: an item reaches to the next, and
// one that is twice as long as most has another's.
func (c *checker) between(v *value) (gap Gap) {
	gap.Pointer = v.pointer
	var lengths []int
	length := func(h *home) (n int) {
		c.linesIn(h, func(l int32) {
			if !c.page.Lines[l].Hidden {
				n++
			}
		})
		return n
	}
	for _, k := range v.kids {
		if k.home == nil || !k.home.run {
			return gap
		}
		lengths = append(lengths, length(k.home))
	}
	if len(lengths) < 3 {
		return gap
	}
	slices.Sort(lengths)
	usual := lengths[len(lengths)/2]
	for _, k := range v.kids {
		if length(k.home) >= 2*usual {
			ref, text := c.page.Ref(c.page.LineStarts[c.page.FirstLine(k.home.lo)+int32(usual)])
			gap.Refs, gap.Text = append(gap.Refs, ref), append(gap.Text, text)
		}
	}
	return gap
}

// figured reports whether a home says a number or a time.
func (c *checker) figured(h *home) bool {
	list := c.page.Moments
	m, _ := slices.BinarySearchFunc(list, c.page.FirstLine(h.lo), func(m pagedata.Found[pagedata.Moment], line int32) int { return cmp.Compare(m.Line, line) })
	return m < len(list) && list[m].Elem < h.hi || c.numberIn(h, func(int32) bool { return true }) >= 0
}

// hollow refuses an item of a list with nothing in it, and data that is null alone where
// the page has a value that it calls as one of the members. False is nothing where it
// rests on silence.
func (c *checker) hollow(v *value) {
	item := v.object && v.parent != nil && v.parent.list
	if !item && v.parent != nil || len(v.kids) == 0 {
		return
	}
	var nulls []*value
	silent := true
	var walk func(v *value)
	walk = func(v *value) {
		if v.leaf() && v.raw == nil {
			nulls = append(nulls, v)
		} else if s := c.report.Sources[v.pointer]; v.leaf() || v.object && len(v.kids) == 0 {
			silent = silent && v.raw == false && s.Kind == Derived && s.Text == ""
		}
		for _, k := range v.kids {
			walk(k)
		}
	}
	walk(v)
	refuse := func(format string, args ...any) {
		below := func(pointer string) bool { return strings.HasPrefix(pointer, v.pointer+"/") }
		for pointer := range c.report.Sources {
			if below(pointer) {
				delete(c.report.Sources, pointer)
				c.report.Leaves--
			}
		}
		c.report.Ungrounded = slices.DeleteFunc(c.report.Ungrounded, func(f Finding) bool { return below(f.Pointer) })
		c.report.Leaves++
		c.contradict(v, format, args...)
	}
	switch {
	case !silent:
	case item:
		refuse("nothing in this item rests on the page; leave the item out")
	case v.list && len(nulls) > 0:
		refuse("a list of nulls says nothing; leave them out")
	default:
		for _, n := range nulls {
			if _, at := c.elsewhere(n, v.home); at > 0 {
				ref, _ := c.page.Ref(at)
				refuse("all of it is null, but the page has what it calls %s (%s)", n.member.name, ref)
				return
			}
		}
	}
}
