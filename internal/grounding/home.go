package grounding

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// settle gives each object the record that it was read from. scope is that of the
// nearest item of a list, or the page.
func (c *checker) settle(v *value, scope *home) {
	switch {
	case v.list:
		v.home = scope
		var items []*value
		for _, k := range v.kids {
			if k.object {
				items = append(items, k)
			} else {
				c.settle(k, scope)
			}
		}
		c.assign(items, scope)
		for _, k := range items {
			c.settle(k, k.home)
		}
	case v.object:
		if v.home == nil {
			v.home = scope
		}
		for _, k := range v.kids {
			if k.object {
				k.home = c.choose(k, scope)
			}
			c.settle(k, scope)
		}
	default:
		v.home = scope
	}
}

// choose finds the record of a single object: the smallest that holds all of its
// leaves that the scope holds, or of three and more, all but one. One leaf may be
// wrong; the record of the others tells it.
func (c *checker) choose(v *value, scope *home) *home {
	leaves := claims(v, nil)
	list := c.candidates(v, leaves, scope)
	have := c.held(leaves, scope)
	if have > 2 {
		have--
	}
	best := scope
	for _, cand := range list {
		if cand.record <= 0 || cand.record == scope.record || bits.OnesCount64(cand.mask) < have {
			continue
		}
		if h := c.homeOf(cand.record); h.hi-h.lo < best.hi-best.lo {
			best = h
		}
	}
	return best
}

// held is how many of some leaves stand in a home.
func (c *checker) held(leaves []*value, h *home) (n int) {
	for _, l := range leaves {
		if len(c.inside(c.find.places(l), h)) > 0 {
			n++
		}
	}
	return n
}

// A candidate is a record that an object may stand in.
type candidate struct {
	record int32
	mask   uint64 // of the object's leaves, those that stand in it
	cited  bool
}

func (x candidate) leaves() int { return bits.OnesCount64(x.mask) }

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

const (
	mostClaims = 64 // leaves of an object that are looked at: the bits of a mask
	mostPlaces = 48 // places of a leaf that propose records; what stands more often tells none apart
)

// candidates are the records around the places of an object's leaves, and around
// what it cites: those that hold most leaves first, of equals the cited ones, the
// things of their own, the smaller ones.
func (c *checker) candidates(v *value, leaves []*value, scope *home) []candidate {
	leaves = leaves[:min(len(leaves), mostClaims)]
	rec := c.page.Rec.All
	masks := &c.masks
	masks.reset(len(rec))
	climb := func(e int32, bit uint64) {
		for r := c.page.Elems[e].Record; r >= 0 && rec[r].Lo >= scope.lo && rec[r].Hi <= scope.hi; r = rec[r].Parent {
			masks.add(r, bit)
			if r == scope.record {
				return
			}
		}
	}
	for i, l := range leaves {
		list := c.inside(c.find.places(l), scope)
		if len(list) <= mostPlaces {
			for _, pl := range list {
				climb(pl.elem, 1<<i)
			}
		}
	}
	cited := map[int32]bool{}
	if e, ok := c.cited[v.pointer]; ok && len(leaves) > 0 {
		for r := c.page.Elems[e].Record; r > 0 && r != scope.record; r = rec[r].Parent {
			cited[r] = true
			if masks.of[r] == 0 {
				masks.records = append(masks.records, r)
			}
		}
	}
	out := make([]candidate, 0, len(masks.records))
	for _, r := range masks.records {
		m, h := masks.of[r], c.homeOf(r)
		for i, l := range leaves {
			if m&(1<<i) == 0 && len(c.within(c.find.places(l), h)) > 0 {
				m |= 1 << i
			}
		}
		if m != 0 {
			out = append(out, candidate{r, m, cited[r]})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		x, y := &rec[a.record], &rec[b.record]
		return cmp.Or(cmp.Compare(b.leaves(), a.leaves()), first(a.cited, b.cited), first(x.Solid, y.Solid), cmp.Compare(x.Hi-x.Lo, y.Hi-y.Lo), cmp.Compare(x.Lo, y.Lo))
	})
	return out
}

// first orders what is so before what is not.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// A wish is an item with the records that it may stand in.
type wish struct {
	item   *value
	leaves []*value
	list   []candidate
}

// A claim is a record that an item may take.
type claim struct {
	item int
	*candidate
}

// claimed are the records that items may take: those that hold most leaves of their item
// first, so that none takes another's; of equals the cited ones.
func claimed(wishes []wish, takes func(r int32) bool) (queue []claim) {
	for i := range wishes {
		for k := range wishes[i].list {
			if x := &wishes[i].list[k]; takes(x.record) {
				queue = append(queue, claim{i, x})
			}
		}
	}
	slices.SortStableFunc(queue, func(a, b claim) int {
		return cmp.Or(cmp.Compare(b.leaves(), a.leaves()), first(a.cited, b.cited))
	})
	return queue
}

// assign gives each item of a list a record of its own, all of one kind.
func (c *checker) assign(items []*value, scope *home) {
	switch {
	case len(items) == 0:
		return
	case scope.record < 0:
		for _, it := range items {
			it.home = scope
		}
		return
	case len(items) == 1: // one thing makes no kind: it is a single object
		items[0].home = c.choose(items[0], scope)
		return
	}
	c.turnFor(items)
	wishes := make([]wish, len(items))
	all := 0
	for i, it := range items {
		leaves := allClaims(it)
		all += c.held(leaves, scope)
		wishes[i] = wish{it, leaves, c.candidates(it, leaves, scope)}
	}
	k := c.kindOf(wishes)
	// Items that stand in no records of one kind follow each other in the page's
	// text. That most of what they say stands in records tells one from the other.
	if k == nil || k.leaves*4 < all*3 {
		if c.stretch(wishes, scope, k) {
			return
		}
	}
	taken := map[int32]bool{}
	if k != nil {
		for _, q := range claimed(wishes, func(r int32) bool { return k.holds(c.page, r) }) {
			if it := wishes[q.item].item; it.home == nil && !taken[q.record] {
				it.home, taken[q.record] = c.homeOf(q.record), true
			}
		}
		c.alike(wishes, k, taken)
	}
	for i := range wishes {
		if it := wishes[i].item; it.home == nil {
			it.home = &home{record: -1, group: -1}
		}
	}
}

// alike gives the items that say what many records say, in page order, the records
// of the kind that are left.
func (c *checker) alike(wishes []wish, k *kind, taken map[int32]bool) {
	next := int32(0)
	for i := range wishes {
		w := &wishes[i]
		for r := next; w.item.home == nil && len(w.leaves) > 0 && int(r) < len(c.page.Rec.All); r++ {
			if taken[r] || !k.holds(c.page, r) {
				continue
			}
			h := c.homeOf(r)
			if !slices.ContainsFunc(w.leaves, func(l *value) bool { return len(c.within(c.find.places(l), h)) == 0 }) {
				w.item.home, taken[r] = h, true
			}
		}
		if w.item.home != nil && w.item.home.record >= next {
			next = w.item.home.record + 1
		}
	}
}

// stretch divides a part of the page between items that stand in no records: each
// reaches from a member that comes first in all of them to the next. It reports whether
// more of the items stands so than in records.
func (c *checker) stretch(wishes []wish, scope *home, k *kind) bool {
	p := c.page
	var best []int32
	for _, l := range wishes[0].leaves {
		starts, last := []int32(nil), int32(-1)
		for i := range wishes {
			at := slices.IndexFunc(wishes[i].leaves, func(o *value) bool { return o.member == l.member })
			if at < 0 {
				break
			}
			for _, pl := range c.inside(c.find.places(wishes[i].leaves[at]), scope) {
				if pl.elem > last && !pl.option && (pl.line < 0 || !p.Lines[pl.line].Hidden) {
					starts, last = append(starts, pl.elem), pl.elem
					break
				}
			}
		}
		if len(starts) == len(wishes) && (best == nil || starts[0] < best[0]) {
			best = starts
		}
	}
	if best == nil {
		return false
	}
	end := best[len(best)-1]
	for up := best[0]; up > 0 && p.Elems[up].End <= end; {
		up = p.Elems[up].Parent
		if p.Elems[up].End > end {
			best = append(best, min(p.Elems[up].End, scope.hi))
			break
		}
	}
	if len(best) == len(wishes) {
		best = append(best, p.Elems[end].End)
	}
	homes := make([]*home, len(wishes))
	held := 0
	for i := range wishes {
		homes[i] = &home{record: 0, lo: best[i], hi: best[i+1], group: -1, run: true}
		held += c.held(wishes[i].leaves, homes[i])
	}
	if k != nil && held <= k.leaves {
		return false
	}
	for i := range wishes {
		wishes[i].item.home = homes[i]
	}
	return true
}

// A kind is records that the objects of a list may stand in: those of one container, or
// those of one shape in several containers, as the matches below each day.
type kind struct {
	kindKey
	leaves int            // that stand in records of their own
	taken  map[int32]bool // records
	items  map[int]bool   // that have one of them
	size   int64          // of the records, in elements
}

type kindKey struct {
	group int32 // -1: of several
	shape uint64
}

// shapeOf is the shape of a record and of what it stands in.
func shapeOf(p *pagedata.Page, r int32) uint64 {
	lo := p.Rec.All[r].Lo
	return p.Elems[lo].Signature*31 + p.Elems[p.Elems[lo].Parent].Signature
}

// kindOf finds what the objects of a list are records of: the kind in whose records
// most of their leaves stand, each object in one of its own; of equals the smaller ones,
// and those of one container.
func (c *checker) kindOf(wishes []wish) *kind {
	kinds := map[kindKey]*kind{}
	for _, q := range claimed(wishes, func(r int32) bool { return c.page.Rec.All[r].Group >= 0 && !c.page.Rec.All[r].Header }) {
		rec := &c.page.Rec.All[q.record]
		for _, key := range []kindKey{{rec.Group, 0}, {-1, shapeOf(c.page, q.record)}} {
			k := kinds[key]
			if k == nil {
				k = &kind{kindKey: key, taken: map[int32]bool{}, items: map[int]bool{}}
				kinds[key] = k
			}
			if !k.items[q.item] && !k.taken[q.record] {
				k.items[q.item], k.taken[q.record] = true, true
				k.leaves += q.leaves()
				k.size += int64(rec.Hi - rec.Lo)
			}
		}
	}
	list := slices.SortedFunc(maps.Values(kinds), func(a, b *kind) int {
		return cmp.Or(cmp.Compare(b.leaves, a.leaves), cmp.Compare(a.size, b.size), cmp.Compare(b.group, a.group), cmp.Compare(a.shape, b.shape))
	})
	if len(list) == 0 || list[0].leaves == 0 {
		return nil
	}
	return list[0]
}

// holds reports whether a record is of the kind.
func (k *kind) holds(p *pagedata.Page, r int32) bool {
	rec := &p.Rec.All[r]
	return !rec.Header && rec.Group >= 0 && (rec.Group == k.group || k.group < 0 && shapeOf(p, r) == k.shape)
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
