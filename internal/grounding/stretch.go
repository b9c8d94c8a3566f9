package grounding

import (
	"cmp"
	"slices"
)

// periods makes records where the items stand at regular distances among the
// children of one element, as in a grid without rows. The homes are those of stretch.
func (c *checker) periods(items []*value, scope *home) bool {
	p := c.page
	var at []int32
	for _, it := range items {
		if it.home != nil && it.home.record >= 0 {
			at = append(at, it.home.lo)
		}
	}
	if len(at) < 2 {
		return false
	}
	// The element that all stand in, and its children.
	up := p.elems[at[0]].parent
	for up > 0 && (at[len(at)-1] >= p.elems[up].end || at[len(at)-1] < up) {
		up = p.elems[up].parent
	}
	if up <= 0 || up < scope.lo {
		return false
	}
	var kids []int32
	for k := up + 1; k < p.elems[up].end; k = p.elems[k].end {
		if p.elems[k].visible && p.node(k).Name != "" {
			kids = append(kids, k)
		}
	}
	var index []int
	for _, e := range at {
		i, found := slices.BinarySearch(kids, e)
		if !found {
			i--
		}
		if i < 0 || len(index) > 0 && i <= index[len(index)-1] {
			return false
		}
		index = append(index, i)
	}
	period := len(kids)
	for i := 1; i < len(index); i++ {
		period = min(period, index[i]-index[i-1])
	}
	if period < 2 || len(kids) < 2*period {
		return false
	}
	for i := 1; i < len(index); i++ {
		if (index[i]-index[0])%period != 0 {
			return false
		}
	}
	g := int32(len(p.rec.groups))
	gr := group{parent: up}
	for i := index[0] % period; i+period <= len(kids); i += period {
		if p.elems[kids[i]].signature != p.elems[kids[index[0]]].signature {
			continue
		}
		r := int32(len(p.rec.all))
		rec := record{lo: kids[i], hi: p.elems[kids[i+period-1]].end, group: g, head: -1, solid: true, parent: p.elems[up].record}
		for e := rec.lo; e < rec.hi; e++ {
			in := p.elems[e].record
			if o := &p.rec.all[in]; o.lo < rec.lo || o.hi > rec.hi {
				p.elems[e].record = r
				continue
			}
			for {
				o := p.rec.all[in].parent
				if o < 0 || o == r || p.rec.all[o].lo < rec.lo || p.rec.all[o].hi > rec.hi {
					break
				}
				in = o
			}
			p.rec.all[in].parent = r
		}
		p.rec.all = append(p.rec.all, rec)
		gr.members = append(gr.members, r)
	}
	p.rec.groups = append(p.rec.groups, gr)
	p.divided = true
	return len(gr.members) >= 2
}

// stretch divides a page without records by where the items' first leaves stand.
func (c *checker) stretch(items []*value, scope *home) bool {
	if len(items) < 2 {
		return false
	}
	// The member that every item has, in page order, and that stands first.
	type try struct {
		at    []int32
		found int
	}
	var best *try
	for _, m := range items[0].kids {
		if !m.leaf() {
			continue
		}
		t := &try{}
		last := scope.lo - 1
		for _, item := range items {
			at := int32(-1)
			for _, k := range item.kids {
				if k.member == m.member && k.leaf() {
					for _, pl := range c.inside(c.find.places(k), scope) {
						if pl.elem > last {
							at = pl.elem
							break
						}
					}
				}
			}
			t.at = append(t.at, at)
			if at >= 0 {
				t.found++
				last = at
			}
		}
		if t.found*10 < len(items)*6 {
			continue
		}
		if best == nil {
			best = t
			continue
		}
		earlier := 0
		for i := range t.at {
			if t.at[i] >= 0 && best.at[i] >= 0 {
				earlier += cmp.Compare(best.at[i], t.at[i])
			}
		}
		if earlier > 0 {
			best = t
		}
	}
	if best == nil || best.found < 2 {
		return false
	}
	var gaps []int32
	before := int32(-1)
	for _, at := range best.at {
		if at >= 0 {
			if before >= 0 {
				gaps = append(gaps, at-before)
			}
			before = at
		}
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	for i, item := range items {
		lo := best.at[i]
		if lo < 0 {
			item.home = &home{record: -1, group: -1}
			continue
		}
		hi := min(lo+usual+usual/3+2, scope.hi)
		for _, next := range best.at[i+1:] {
			if next >= 0 {
				hi = min(hi, next)
				break
			}
		}
		if before, at := c.textBefore(best.at[i]); before {
			lo = at
		}
		item.home = &home{record: c.page.elems[best.at[i]].record, lo: lo, hi: hi, group: -1, run: true}
	}
	return true
}

// textBefore finds the element that holds a text alone.
func (c *checker) textBefore(e int32) (bool, int32) {
	up := c.page.elems[e].parent
	if up > 0 && c.page.elems[up].facts <= 2 {
		return true, up
	}
	return false, e
}

// extend lets records reach over what follows them, where most items have
// something there: a second row of details.
func (c *checker) extend(items []*value, scope *home, used map[int32]*value) {
	type side struct{ after, before int }
	count := map[*member]*side{}
	total := map[*member]int{}
	limit := func(it *value) (lo, hi int32) {
		h := it.home
		g := c.page.rec.groups[h.group]
		i, _ := slices.BinarySearchFunc(g.members, h.lo, func(m int32, lo int32) int { return cmp.Compare(c.page.rec.all[m].lo, lo) })
		lo, hi = max(g.parent, 0), c.page.elems[max(g.parent, 0)].end
		for k := i + 1; k < len(g.members); k++ {
			if used[g.members[k]] != nil {
				hi = c.page.rec.all[g.members[k]].lo
				break
			}
		}
		for k := i - 1; k >= 0; k-- {
			if used[g.members[k]] != nil {
				lo = c.page.rec.all[g.members[k]].hi
				break
			}
		}
		return max(lo, scope.lo), min(hi, scope.hi)
	}
	for _, it := range items {
		if it.home == nil || it.home.group < 0 {
			continue
		}
		lo, hi := limit(it)
		for _, l := range claims(it, nil) {
			total[l.member]++
			list := c.find.places(l)
			if len(list) == 0 || len(c.inside(list, it.home)) > 0 {
				continue
			}
			s := count[l.member]
			if s == nil {
				s = &side{}
				count[l.member] = s
			}
			if len(c.inside(list, &home{lo: it.home.hi, hi: hi})) > 0 {
				s.after++
			} else if len(c.inside(list, &home{lo: lo, hi: it.home.lo})) > 0 {
				s.before++
			}
		}
	}
	after := false
	for m, s := range count {
		if s.after >= 2 && s.after*10 >= total[m]*6 {
			after = true
		}
	}
	if !after {
		return
	}
	for _, it := range items {
		if it.home == nil || it.home.group < 0 {
			continue
		}
		_, hi := limit(it)
		if hi > it.home.hi {
			h := *it.home
			// Not over more than the usual: the smallest reach that items share.
			h.hi, h.run = hi, true
			it.home = &h
		}
	}
	// An item before one that was left out reaches no further than the others.
	var reach []int32
	for _, it := range items {
		if it.home != nil && it.home.run {
			reach = append(reach, it.home.hi-it.home.lo)
		}
	}
	if len(reach) == 0 {
		return
	}
	slices.Sort(reach)
	usual := reach[len(reach)/2]
	for _, it := range items {
		if it.home != nil && it.home.run {
			it.home.hi = min(it.home.hi, it.home.lo+usual+usual/3)
		}
	}
}
