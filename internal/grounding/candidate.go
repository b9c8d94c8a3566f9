package grounding

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// A candidate is a record that an object may stand in.
type candidate struct {
	record int32
	mask   uint64
	score  float64
}

// marks are the leaves that each record holds, as bits.
type marks struct {
	of      []uint64 // by record
	records []int32  // those with a bit
}

// reset takes all bits off, and makes room for n records.
func (m *marks) reset(n int) {
	for _, r := range m.records {
		m.of[r] = 0
	}
	m.records = m.records[:0]
	if n > len(m.of) {
		m.of = make([]uint64, n)
	}
}

func (m *marks) add(r int32, bit uint64) {
	if m.of[r] == 0 {
		m.records = append(m.records, r)
	}
	m.of[r] |= bit
}

// candidates proposes records for an object, best first: those around the places of
// its leaves, or those up to the first that is a thing of its own.
func (c *checker) candidates(leaves []*value, scope *home, used map[int32]*value, all bool) []candidate {
	if len(leaves) > mostClaims {
		leaves = leaves[:mostClaims]
	}
	masks := &c.masks
	masks.reset(len(c.page.rec.all))
	var frequent []int
	rarest, fewest := -1, 1<<30
	for i, l := range leaves {
		list := c.inside(c.find.places(l), scope)
		if len(list) == 0 {
			continue
		}
		if len(list) < fewest {
			rarest, fewest = i, len(list)
		}
		if len(list) > mostPlaces {
			frequent = append(frequent, i)
			continue
		}
		for _, pl := range list {
			c.climb(pl, l, scope, 1<<i, masks, all)
		}
	}
	if len(masks.records) == 0 && rarest >= 0 {
		n := 0
		for _, pl := range c.inside(c.find.places(leaves[rarest]), scope) {
			if r := c.page.elems[pl.elem].record; used != nil && c.usedAround(r, used) {
				continue
			}
			c.climb(pl, leaves[rarest], scope, 1<<rarest, masks, all)
			if n++; n > mostPlaces {
				break
			}
		}
	}
	out := make([]candidate, 0, len(masks.records))
	for _, r := range masks.records {
		m := masks.of[r]
		rec := &c.page.rec.all[r]
		for _, i := range frequent {
			list := c.find.places(leaves[i])
			at, _ := slices.BinarySearchFunc(list, rec.lo, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
			if at < len(list) && list[at].elem < rec.hi {
				m |= 1 << i
			}
		}
		for _, x := range rec.extra {
			for i, l := range leaves {
				if m&(1<<i) == 0 {
					list := c.find.places(l)
					at, _ := slices.BinarySearchFunc(list, x, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
					if at < len(list) && list[at].elem < c.page.elems[x].end {
						m |= 1 << i
					}
				}
			}
		}
		s := float64(bits.OnesCount64(m))
		for i, l := range leaves {
			if m&(1<<i) == 0 {
				continue
			}
			if str, ok := l.raw.(string); ok {
				s += 0.25 // the first text names the thing
				if strings.ContainsRune(str, ' ') {
					s += 0.1
				}
				break
			}
			if i == 0 {
				break
			}
		}
		if first := firstText(leaves); first >= 0 && m&(1<<first) != 0 {
			s += 0.3
		}
		out = append(out, candidate{r, m, s})
	}
	slices.SortFunc(out, func(a, b candidate) int {
		x, y := &c.page.rec.all[a.record], &c.page.rec.all[b.record]
		solid := func(r int32) int {
			if c.page.rec.all[r].solid {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(solid(a.record), solid(b.record)), cmp.Compare(x.hi-x.lo, y.hi-y.lo), cmp.Compare(x.lo, y.lo))
	})
	return out
}

func firstText(leaves []*value) int {
	for i, l := range leaves {
		if _, ok := l.raw.(string); ok && l.member.format == "" {
			return i
		}
	}
	return -1
}

// climb marks the records around a place, as far as it may count for them. A text
// of a list stands in an entry of its own.
func (c *checker) climb(pl place, leaf *value, scope *home, bit uint64, masks *marks, all bool) {
	entry := leaf.parent != nil && leaf.parent.list
	for r := c.page.elems[pl.elem].record; r >= 0; r = c.page.rec.all[r].parent {
		rec := &c.page.rec.all[r]
		if rec.lo < scope.lo || rec.hi > scope.hi {
			masks.add(scope.record, bit)
			return
		}
		masks.add(r, bit)
		if r == scope.record || !all && rec.solid && !entry && !c.named(r, leaf.member) {
			return
		}
		entry = entry && !rec.solid
	}
}

// usedAround reports whether a record, or one around it, is another's.
func (c *checker) usedAround(r int32, used map[int32]*value) bool {
	for ; r > 0; r = c.page.rec.all[r].parent {
		if used[r] != nil {
			return true
		}
		if c.page.rec.all[r].solid {
			return false
		}
	}
	return false
}

// A wish is an item with the records that it may stand in.
type wish struct {
	item   *value
	leaves []*value // of the item and of its lists
	list   []candidate
	share  float64
	at     int
	late   bool // others fit the first of them better
}

const (
	mostClaims = 64 // leaves of an object that are looked at
	mostPlaces = 48 // places of a leaf that propose records
)

// A kind is records of one container that the objects of a list may stand in, or
// records of one shape in several containers.
type kind struct {
	group  int32 // -1: of several groups
	shape  uint64
	leaves int             // that stand in records of their own
	of     map[*member]int // the same by member
	taken  map[int32]bool  // records
	around map[int32]bool  // records around those
	items  map[int]bool    // that have one of them
	size   int64           // of the records, in elements
}

// shape is the shape of a record and of what it stands in.
func (p *page) shape(r int32) uint64 {
	rec := &p.rec.all[r]
	if p.tag(rec.lo) == "tr" {
		return 0 // the rows of a table are no others' kind
	}
	return p.elems[rec.lo].signature*31 + p.elems[p.elems[rec.lo].parent].signature
}

// kindOf finds what the objects of a list are records of: the kind in whose records
// most of their leaves stand, each object in one of its own; of those that differ by
// one leaf, the one with the smaller records. wishes have all records that an object
// may stand in, best first.
func (c *checker) kindOf(wishes []wish) *kind {
	p := c.page
	kinds := map[kindKey]*kind{}
	type claim struct {
		item, leaves int
		of           *candidate
	}
	var queue []claim // those with most leaves first, so that nobody takes another's record
	for i := range wishes {
		for k := range wishes[i].list {
			cand := &wishes[i].list[k]
			if p.rec.all[cand.record].group >= 0 {
				queue = append(queue, claim{i, bits.OnesCount64(cand.mask), cand})
			}
		}
	}
	slices.SortStableFunc(queue, func(a, b claim) int { return cmp.Compare(b.leaves, a.leaves) })
	count := func(key kindKey, q *claim) {
		k := kinds[key]
		if k == nil {
			k = &kind{group: key.group, shape: key.shape, of: map[*member]int{}, taken: map[int32]bool{}, items: map[int]bool{}, around: map[int32]bool{}}
			kinds[key] = k
		}
		if k.items[q.item] || k.taken[q.of.record] || key.group < 0 && !k.apart(p, q.of.record) {
			return
		}
		k.items[q.item], k.taken[q.of.record] = true, true
		k.leaves += q.leaves
		leaves := wishes[q.item].leaves
		for m := q.of.mask; m != 0; m &= m - 1 {
			k.of[leaves[bits.TrailingZeros64(m)].member]++
		}
		k.size += int64(p.rec.all[q.of.record].hi - p.rec.all[q.of.record].lo)
	}
	for i := range queue {
		r := queue[i].of.record
		count(kindKey{p.rec.all[r].group, 0}, &queue[i])
		if s := p.shape(r); s != 0 {
			count(kindKey{-1, s}, &queue[i])
		}
	}
	var list []*kind
	for _, k := range kinds {
		list = append(list, k)
	}
	slices.SortFunc(list, func(a, b *kind) int {
		return cmp.Or(cmp.Compare(b.leaves, a.leaves), cmp.Compare(a.size, b.size), cmp.Compare(b.group, a.group), cmp.Compare(a.shape, b.shape))
	})
	if len(list) == 0 {
		return nil
	}
	best := list[0]
	for _, k := range list[1:] {
		if k.leaves < list[0].leaves-1 {
			break
		}
		if k.nearly(list[0]) && k.before(best) {
			best = k
		}
	}
	return best
}

type kindKey struct {
	group int32
	shape uint64
}

// apart reports whether a record holds none that an object has of a kind, and is in
// none. Those of one container are.
func (k *kind) apart(p *page, r int32) bool {
	if k.around[r] {
		return false
	}
	for up := p.rec.all[r].parent; up > 0; up = p.rec.all[up].parent {
		if k.taken[up] {
			return false
		}
	}
	for up := p.rec.all[r].parent; up > 0; up = p.rec.all[up].parent {
		k.around[up] = true
	}
	return true
}

// nearly reports whether a kind has but one leaf less than another, of a member that
// other objects have in it.
func (k *kind) nearly(other *kind) bool {
	if k.leaves >= other.leaves {
		return true
	}
	for m, n := range other.of {
		if d := n - k.of[m]; d > 0 && k.of[m] == 0 {
			return false
		}
	}
	return len(k.taken) > 1
}

// before reports whether a kind comes before another that is as good: one container
// before several, and smaller records before larger ones.
func (k *kind) before(other *kind) bool {
	if one := k.group >= 0; one != (other.group >= 0) {
		return one
	}
	return k.size*int64(len(other.taken)) < other.size*int64(len(k.taken))
}

// holds reports whether a record is of the kind.
func (k *kind) holds(p *page, r int32) bool {
	if k.group >= 0 {
		return p.rec.all[r].group == k.group
	}
	return p.rec.all[r].group >= 0 && p.shape(r) == k.shape
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

// allClaims collects all leaves of an object, those of its lists after its own.
func allClaims(v *value) []*value {
	out := claims(v, nil)
	for _, k := range v.kids {
		if k.list && len(k.kids) > 0 && !k.kids[0].leaf() {
			for _, o := range k.kids {
				out = append(out, allClaims(o)...)
			}
		}
	}
	return out
}
