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

// choose gives a single object its home.
func (c *checker) choose(v *value, scope *home) *home {
	leaves := claims(v, nil)
	if len(leaves) == 0 {
		return scope
	}
	item := v.parent != nil && v.parent.list
	list := c.candidates(leaves, scope, nil, !item)
	for _, cand := range list {
		n := bits.OnesCount64(cand.mask)
		if n < 2 && len(leaves) > 1 { // one leaf decides nothing
			return scope
		}
		if cand.record == 0 || cand.record == scope.record {
			continue
		}
		if n == bits.OnesCount64(list[0].mask) || c.page.rec.all[cand.record].solid && c.most(leaves, cand.mask, scope) {
			return c.homeOf(cand.record)
		}
	}
	return scope
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
		c.assign(items, scope, false)
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
	p := c.page
	want := map[int32][]int{}
	for i := range wishes {
		if l := wishes[i].list; len(l) > 0 {
			want[l[0].record] = append(want[l[0].record], i)
		}
	}
	var order []int32 // the records that objects may stand in, in page order
	for i := range wishes {
		for _, cand := range wishes[i].list {
			order = append(order, cand.record)
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(p.rec.all[a].lo, p.rec.all[b].lo), cmp.Compare(a, b)) })
	order = slices.Compact(order)
	places := make(map[int32]int, len(order))
	for at, r := range order {
		places[r] = at
	}
	rank := func(i int) int { // where the record stands among them, counted from the item's place in the list
		return places[wishes[i].list[0].record] - i
	}
	ranks := map[int]int{} // of items that are alone with their wish
	usual, most := 0, 0
	for i := range wishes {
		if l := wishes[i].list; len(l) > 0 && len(want[l[0].record]) == 1 {
			d := rank(i)
			if ranks[d]++; ranks[d] > most || ranks[d] == most && d < usual {
				usual, most = d, ranks[d]
			}
		}
	}
	for _, list := range want {
		if len(list) < 2 {
			continue
		}
		next := slices.MinFunc(list, func(i, j int) int {
			return cmp.Or(cmp.Compare(abs(rank(i)-usual), abs(rank(j)-usual)), cmp.Compare(i, j))
		})
		for _, i := range list {
			wishes[i].late = i != next
		}
	}
	return wishes
}

func abs(n int) int { return max(n, -n) }

// assign gives the objects of a list disjoint records. divided: some were made for it.
func (c *checker) assign(items []*value, scope *home, divided bool) {
	c.turnFor(items)
	used := map[int32]*value{}
	wishes := make([]wish, 0, len(items))
	found := 0 // leaves
	for i, k := range items {
		w := wish{item: k, at: i, leaves: allClaims(k)}
		w.list = c.candidates(w.leaves, scope, nil, true)
		if len(w.list) > 0 {
			found += bits.OnesCount64(w.list[0].mask)
		}
		wishes = append(wishes, w)
	}
	kind := c.kindOf(wishes)
	if !divided && (kind == nil || kind.leaves*2 < found) {
		if c.stretch(items, scope) {
			if !c.periods(items, scope) {
				return
			}
			c.assign(items, scope, true)
			return
		}
	}
	for i := range wishes {
		c.narrow(&wishes[i], kind, scope, nil)
	}
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
				c.narrow(&w, kind, scope, used)
				list = w.list
			}
			for i, cand := range list {
				if cand.record == 0 || cand.record == scope.record || c.taken(cand.record, used) {
					continue
				}
				best = i
				break
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

// narrow leaves the records of a kind to an object, best first, or those of other
// kinds where none of it has any of its leaves.
func (c *checker) narrow(w *wish, k *kind, scope *home, used map[int32]*value) {
	if used != nil {
		w.list = c.candidates(w.leaves, scope, used, true)
	}
	list := w.list[:0:0]
	for _, cand := range w.list {
		if k != nil && k.holds(c.page, cand.record) {
			list = append(list, cand)
		}
	}
	if len(list) == 0 {
		list = c.candidates(w.leaves, scope, used, false)
	}
	w.list = list
	if used == nil {
		w.list = list[:min(len(list), 12)]
	}
	if len(list) > 0 && len(w.leaves) > 0 {
		w.share = float64(bits.OnesCount64(list[0].mask)) / float64(min(len(w.leaves), mostClaims))
	}
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
