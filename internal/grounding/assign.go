package grounding

import (
	"cmp"
	"math/bits"
	"slices"
)

// settle gives each object its home. scope is that of the nearest item of a
// list, or the page.
func (c *checker) settle(v *value, scope *home) {
	switch {
	case v.list:
		c.settleList(v, scope)
	case v.object:
		if v.home == nil {
			v.home = c.choose(v, scope)
		}
		for _, k := range v.kids {
			switch {
			case k.list:
				c.settle(k, scope)
				if v.home != scope && c.beside(k, v.home, scope) {
					k.home = scope
				}
			case k.object:
				k.home = c.choose(k, scope)
				c.settle(k, scope)
			}
		}
	default:
		v.home = scope
	}
}

// claims collects the leaves that show where an object stands: those of lists
// of objects have homes of their own.
func claims(v *value, out []*value) []*value {
	for _, k := range v.kids {
		switch {
		case k.leaf():
			if k.raw == nil {
				continue
			}
			if _, ok := k.raw.(bool); !ok {
				out = append(out, k)
			}
		case k.object:
			out = claims(k, out)
		case k.list && len(k.kids) > 0 && k.kids[0].leaf():
			out = claims(k, out)
		}
	}
	return out
}

// choose gives a single object its home.
func (c *checker) choose(v *value, scope *home) *home {
	leaves := claims(v, nil)
	if len(leaves) == 0 {
		return scope
	}
	list := c.candidates(leaves, scope, nil)
	if v.parent != nil && v.member != nil {
		for _, cand := range list[:min(len(list), 4)] {
			if cand.record > 0 && cand.record != scope.record && c.page.rec.all[cand.record].solid && c.named(cand.record, v.member) {
				return c.homeOf(cand.record)
			}
		}
	}
	if len(list) == 0 || list[0].record == scope.record {
		return scope
	}
	if len(leaves) > 1 && bits.OnesCount64(list[0].mask) < 2 { // one leaf decides nothing
		return scope
	}
	if !c.most(leaves, list[0].mask, scope) {
		return scope
	}
	return c.homeOf(list[0].record)
}

// most reports whether a mask has most of what the leaves have in the scope, each
// member counted once: of a list, the share of its texts.
func (c *checker) most(leaves []*value, mask uint64, scope *home) bool {
	type share struct{ in, all float64 }
	shares := map[*member]share{}
	for i, l := range leaves[:min(len(leaves), mostClaims)] {
		m := l.member
		if l.parent.list {
			m = l.parent.member
		}
		s := shares[m]
		if mask&(1<<i) != 0 {
			s.in++
			s.all++
		} else if len(c.inside(c.find.places(l), scope)) > 0 {
			s.all++
		}
		shares[m] = s
	}
	in, all := 0.0, 0.0
	for _, s := range shares {
		if s.all > 0 {
			in += s.in / s.all
			all++
		}
	}
	return in >= 0.75*all
}

// beside reports whether most texts of a list stand in the scope, but not in the
// home of its object: the categories beside an article.
func (c *checker) beside(list *value, h, scope *home) bool {
	in, out := 0, 0
	for _, k := range list.kids {
		switch places := c.find.places(k); {
		case !k.leaf():
			return false
		case len(c.inside(places, h)) > 0:
			in++
		case len(c.inside(places, scope)) > 0:
			out++
		}
	}
	return out > in
}

// settleList gives each object of a list a record of its own.
func (c *checker) settleList(v *value, scope *home) {
	var items []*value
	for _, k := range v.kids {
		if k.object {
			items = append(items, k)
		} else {
			c.settle(k, scope)
		}
	}
	if len(items) == 0 {
		return
	}
	if len(items) > 1 {
		c.assign(items, scope)
	} else {
		items[0].home = c.choose(items[0], scope)
	}
	for _, k := range items {
		inner := k.home
		if inner == nil {
			inner = scope
		}
		for _, kk := range k.kids {
			switch {
			case kk.object:
				kk.home = c.choose(kk, inner)
				c.settle(kk, inner)
			case kk.list:
				c.settle(kk, inner)
			}
		}
	}
}

// contest decides between items that want the same record by the order of the
// others: a list is mostly in page order.
func (c *checker) contest(wishes []wish) []wish {
	want := map[int32][]int{}
	for i := range wishes {
		if l := wishes[i].list; len(l) > 0 {
			want[l[0].record] = append(want[l[0].record], i)
		}
	}
	place := func(i int) int32 { // of an item that is alone with its wish
		if i < 0 || i >= len(wishes) || len(wishes[i].list) == 0 || len(want[wishes[i].list[0].record]) > 1 {
			return -1
		}
		return c.page.rec.all[wishes[i].list[0].record].lo
	}
	for r, list := range want {
		if len(list) < 2 {
			continue
		}
		lo := c.page.rec.all[r].lo
		fits := func(i int) bool {
			for k := i - 1; k >= 0 && k > i-4; k-- {
				if at := place(k); at >= 0 {
					if at > lo {
						return false
					}
					break
				}
			}
			for k := i + 1; k < len(wishes) && k < i+4; k++ {
				if at := place(k); at >= 0 {
					return at > lo
				}
			}
			return true
		}
		some := false
		for _, i := range list {
			some = some || fits(i)
		}
		for _, i := range list {
			wishes[i].late = some && !fits(i)
		}
	}
	return wishes
}

// prefer puts the records of the group that most items are from before those around
// them, which hold what stands in several: an item with the value of another has its
// own record still.
func (c *checker) prefer(wishes []wish) {
	p := c.page
	first := map[int32]int{}
	for i := range wishes {
		if list := wishes[i].list; len(list) > 0 {
			first[p.rec.all[list[0].record].group]++
		}
	}
	group, most := int32(-1), 0
	for g, n := range first {
		if n > most || n == most && g < group {
			group, most = g, n
		}
	}
	if group < 0 || most*2 <= len(wishes) {
		return
	}
	for i := range wishes {
		list := wishes[i].list
		if len(list) < 2 || p.rec.all[list[0].record].group == group {
			continue
		}
		around := &p.rec.all[list[0].record]
		others := 0
		for k := range wishes {
			if k != i && len(wishes[k].list) > 0 && wishes[k].list[0].record != list[0].record {
				if r := &p.rec.all[wishes[k].list[0].record]; r.group == group && r.lo >= around.lo && r.hi <= around.hi {
					others++
				}
			}
		}
		if others < 2 {
			continue
		}
		own := func(cand candidate) int {
			if p.rec.all[cand.record].group == group {
				return 0
			}
			return 1
		}
		slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(own(a), own(b)) })
	}
}

// assign gives the objects of a list disjoint records.
func (c *checker) assign(items []*value, scope *home) {
	c.turnFor(items)
	used := map[int32]*value{}
	wishes := make([]wish, 0, len(items))
	votes := map[int32]int{}
	for i, k := range items {
		leaves := claims(k, nil)
		w := wish{item: k, at: i}
		w.list = c.candidates(leaves, scope, nil)
		if len(w.list) > 12 {
			w.list = w.list[:12]
		}
		if len(w.list) > 0 && len(leaves) > 0 {
			w.share = float64(bits.OnesCount64(w.list[0].mask)) / float64(min(len(leaves), mostClaims))
			seen := map[int32]bool{}
			for _, cand := range w.list {
				if cand.score < w.list[0].score {
					break
				}
				if g := c.page.rec.all[cand.record].group; !seen[g] && (len(seen) == 0 || g >= 0) {
					seen[g] = true
					votes[g]++
				}
			}
		}
		wishes = append(wishes, w)
	}
	if n := votes[-1]; n*2 > len(items) {
		if c.stretch(items, scope) {
			if !c.periods(items, scope) {
				return
			}
			c.assign(items, scope)
			return
		}
	}
	c.prefer(wishes)
	wishes = c.contest(wishes)
	slices.SortStableFunc(wishes, func(a, b wish) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(late(a), late(b)), cmp.Compare(a.at, b.at))
	})
	for _, w := range wishes {
		best := -1
		for pass := range 2 {
			list := w.list
			if pass == 1 { // all are taken: others that look the same
				if len(w.list) == 0 {
					break
				}
				list = c.candidates(claims(w.item, nil), scope, used)
			}
			for i, cand := range list {
				if cand.record == 0 || cand.record == scope.record || c.taken(cand.record, used) {
					continue
				}
				if best < 0 || cand.score == list[best].score && votes[c.page.rec.all[cand.record].group] > votes[c.page.rec.all[list[best].record].group] {
					best = i
				}
			}
			if best >= 0 {
				w.list = list
				break
			}
		}
		if best < 0 {
			h := &home{record: -1, group: -1}
			if len(w.list) > 0 {
				h.taken = used[w.list[0].record]
			}
			w.item.home = h
			continue
		}
		// Far fewer leaves than in a record that is another's: a second copy of it.
		r := w.list[best].record
		w.item.home = c.homeOf(r)
		if len(w.list) > 0 && w.list[best].score*2 <= w.list[0].score && c.taken(w.list[0].record, used) {
			w.item.home = &home{record: -1, group: -1, taken: used[w.list[0].record]}
			continue
		}
		used[r] = w.item
	}
	c.extend(items, scope, used)
}

func late(w wish) int {
	if w.late {
		return 1
	}
	return 0
}

// taken reports whether a record, or one around or inside it that matters, is another's.
func (c *checker) taken(r int32, used map[int32]*value) bool {
	return used[r] != nil || c.usedAround(c.page.rec.all[r].parent, used) && !c.page.rec.all[r].solid
}
