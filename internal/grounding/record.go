package grounding

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// An assigner gives objects the records that they were read from.
type assigner struct {
	*reader
	held   [][2]int32                  // room for records with the leaves of one object in them
	turned map[*member]bool            // lists for which tables were turned, or none had to be
	shapes map[*member]map[uint64]bool // of the records that lists of a member stand in
}

// settle gives each object the record that it was read from. scope is that of the
// nearest item of a list, or the page.
func (c *assigner) settle(v *value, scope *home) {
	if v.home == nil {
		v.home = scope
	}
	var items []*value
	for _, k := range v.kids {
		switch {
		case v.list && (k.object || k.leaf() && k.raw != nil):
			items = append(items, k)
			continue
		case k.object:
			k.home = c.choose(k, scope)
		}
		c.settle(k, scope)
	}
	c.assign(items, scope)
	for _, k := range items {
		if k.object {
			c.settle(k, cmp.Or(k.home, scope))
		}
	}
}

// choose finds the record of a single object: the smallest that holds all of its
// leaves that the scope holds.
func (c *assigner) choose(v *value, scope *home) *home {
	leaves := claims(v, nil)
	if v.leaf() {
		leaves = []*value{v}
	}
	have := c.holding(leaves, scope)
	best := scope
	for _, x := range c.candidates(nil, 0, v, leaves, scope) {
		if h := c.homeOf(x.record); x.leaves >= have && h.hi-h.lo < best.hi-best.lo {
			best = h
		}
	}
	return best
}

// A candidate is a record that an object may have been read from.
type candidate struct {
	item   int
	record int32
	leaves int // that it holds
	cited  bool
}

const (
	mostClaims = 64 // leaves of an object that are looked at: the bits of a mask
	mostPlaces = 48 // places of a leaf that propose records; what stands more often tells none apart
)

// candidates adds the records around the places of an object's leaves, the smaller ones
// first.
func (c *assigner) candidates(out []candidate, item int, v *value, leaves []*value, scope *home) []candidate {
	rec := c.page.Rec.All
	held := c.held[:0] // a record and a leaf in it
	leaves = leaves[:min(len(leaves), mostClaims)]
	for i, l := range leaves {
		if list := c.within(c.find.places(l), scope); len(list) <= mostPlaces {
			for _, pl := range list {
				for r := c.page.Elems[pl.elem].Record; r > 0 && scope.holds(rec[r].Lo, c.page); r = rec[r].Parent {
					if pl.last < rec[r].Hi || len(rec[r].Extra) > 0 { // a text that goes on behind a record is not in it
						held = append(held, [2]int32{r, int32(i)})
					}
				}
			}
		}
	}
	slices.SortFunc(held, func(a, b [2]int32) int {
		return cmp.Or(cmp.Compare(rec[a[0]].Hi-rec[a[0]].Lo, rec[b[0]].Hi-rec[b[0]].Lo), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	c.held = slices.Compact(held)
	at, cited := c.cited[v.pointer]
	for _, in := range c.held {
		if n := len(out); n == 0 || out[n-1].item != item || out[n-1].record != in[0] {
			out = append(out, candidate{item, in[0], 0, cited && c.homeOf(in[0]).holds(at, c.page)})
		}
		out[len(out)-1].leaves++
	}
	return out
}

// assign gives each item of a list a record of its own, all of one kind. Items that stand
// in no records of one kind follow each other in the page's text; that most of what they
// say stands in records tells one from the other.
func (c *assigner) assign(items []*value, scope *home) {
	if len(items) < 2 {
		for _, it := range items { // one thing makes no kind: it is a single object
			if h := c.choose(it, scope); it.object || h != scope {
				it.home = h
			}
		}
		return
	}
	c.turn(items)
	leaves := make([][]*value, len(items))
	queue := make([]candidate, 0, 4*len(items))
	all := 0
	for i, it := range items {
		leaves[i] = allClaims(it)
		all += c.holding(leaves[i], scope)
		queue = c.candidates(queue, i, it, leaves[i], scope)
	}
	k := c.kindOf(queue)
	if !items[0].object && k.leaves*2 <= len(items) {
		return // texts of a line
	}
	if items[0].object && len(scope.extra) == 0 {
		held := 0 // counts also leaves that stand too often to propose a record
		for i, r := range k.record {
			held += c.holding(leaves[i], c.homeOf(r))
		}
		if held*4 < all*3 && c.stretch(items, leaves, scope, held) {
			return
		}
	}
	m := items[0].parent.member
	if c.shapes[m] == nil {
		c.shapes[m] = map[uint64]bool{}
	}
	c.shapes[m][k.shape] = k.shape != 0
	next := int32(0)
	for i, it := range items {
		if r, ok := k.record[i]; ok {
			it.home = c.homeOf(r)
		}
		if !it.object && !slices.ContainsFunc(items[:i], func(o *value) bool { return o.raw == it.raw }) {
			continue // it stands elsewhere
		}
		if it.home == nil { // it says what many records say: it is the next of those that are left
			it.home = &home{record: -1, group: -1}
			for r := next; int(r) < len(c.page.Rec.All) && len(leaves[i]) > 0; r++ {
				if k.shape == 0 || k.taken[r] || shapeOf(c.page, r) != k.shape || !scope.holds(c.page.Rec.All[r].Lo, c.page) {
					continue
				}
				if h := c.homeOf(r); !slices.ContainsFunc(leaves[i], func(l *value) bool { return len(c.within(c.find.places(l), h)) == 0 }) {
					it.home, k.taken[r] = h, true
					break
				}
			}
		}
		next = max(next, it.home.record+1)
	}
}

// turn makes records of the columns of the tables in whose columns more of the items'
// leaves stand together than in their rows.
func (c *assigner) turn(items []*value) {
	p := c.page
	list := items[0].parent.member
	if c.turned[list] {
		return
	}
	c.turned[list] = true          // once for all lists of a kind
	together := map[int32][2]int{} // by table, in rows and in columns
	for _, it := range items[:min(len(items), mostPlaces)] {
		in := map[[3]int32]uint64{} // by table, whether it is a column, and which
		leaves := claims(it, nil)
		for i, l := range leaves[:min(len(leaves), mostClaims)] {
			for _, pl := range c.find.places(l)[:min(len(c.find.places(l)), mostPlaces)] {
				if cell, t := p.CellOf(pl.elem); t != nil && len(t.Rows) <= pagedata.MostTurned {
					in[[3]int32{t.Elem, 0, int32(t.At[cell].Row)}] |= 1 << i
					in[[3]int32{t.Elem, 1, int32(t.At[cell].Column)}] |= 1 << i
				}
			}
		}
		most := map[int32][2]int{}
		for at, held := range in {
			n := most[at[0]]
			n[at[1]] = max(n[at[1]], bits.OnesCount64(held))
			most[at[0]] = n
		}
		for t, n := range most {
			together[t] = [2]int{together[t][0] + n[0], together[t][1] + n[1]}
		}
	}
	for t, n := range together {
		if n[1] > n[0] && !p.TableOf(t).Turned {
			p.TurnTable(t)
		}
	}
}

// stretch divides a part of the page between items that stand in no records: each
// reaches from a member that comes first in all of them to the next. It reports whether
// more than least leaves, those that stand in records, stand so.
func (c *assigner) stretch(items []*value, leaves [][]*value, scope *home, least int) bool {
	p := c.page
	var best []int32
	for _, l := range leaves[0] {
		starts, last := []int32(nil), int32(-1)
		for i := range items {
			at := slices.IndexFunc(leaves[i], func(o *value) bool { return o.member == l.member })
			if at < 0 {
				break
			}
			for _, pl := range span(c.find.places(leaves[i][at]), scope.lo, scope.hi) {
				if pl.elem > last && !pl.option && (pl.line < 0 || !p.Lines[pl.line].Hidden) {
					starts, last = append(starts, pl.elem), pl.elem
					break
				}
			}
		}
		if len(starts) == len(items) && (best == nil || starts[0] < best[0]) {
			best = starts
		}
	}
	if best == nil {
		return false
	}
	last := best[len(best)-1]
	up := best[0]
	for up > 0 && p.Elems[up].End <= last {
		up = p.Elems[up].Parent
	}
	end := p.Elems[last].End
	if up != best[0] {
		end = min(p.Elems[up].End, scope.hi)
	}
	best = append(best, end)
	homes, held := make([]*home, len(items)), 0
	for i := range items {
		homes[i] = &home{record: 0, lo: best[i], hi: best[i+1], group: -1, run: true}
		held += c.holding(leaves[i], homes[i])
	}
	if held <= least {
		return false
	}
	for i := range items {
		items[i].home = homes[i]
	}
	return true
}

// A kind is the records of one shape that the objects of a list may stand in, also of
// several containers, as the matches below each day.
type kind struct {
	shape  uint64
	leaves int            // that stand in records of their own
	taken  map[int32]bool // records
	record map[int]int32  // by item
	size   int32          // of the records, in elements
}

// shapeOf is the shape of a record and of what it stands in; 0 for what no list has.
func shapeOf(p *pagedata.Page, r int32) uint64 {
	rec := &p.Rec.All[r]
	if rec.Header || rec.Group < 0 {
		return 0
	}
	return p.Elems[rec.Lo].Signature*31 + p.Elems[p.Elems[rec.Lo].Parent].Signature | 1
}

// kindOf finds what the objects of a list are records of: the kind in whose records
// most of their leaves stand, each object in one of its own; of equals the smaller ones.
// The records that hold most leaves of their item are taken first, so that none takes
// another's; of equals the cited ones.
func (c *assigner) kindOf(queue []candidate) *kind {
	slices.SortStableFunc(queue, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.leaves, a.leaves), cmp.Compare(yes(b.cited), yes(a.cited)))
	})
	kinds := map[uint64]*kind{}
	for _, q := range queue {
		shape := shapeOf(c.page, q.record)
		if shape == 0 {
			continue
		}
		k := kinds[shape]
		if k == nil {
			k = &kind{shape: shape, taken: map[int32]bool{}, record: map[int]int32{}}
			kinds[shape] = k
		}
		if _, has := k.record[q.item]; !has && !k.taken[q.record] {
			k.record[q.item], k.taken[q.record] = q.record, true
			k.leaves += q.leaves
			k.size += c.page.Rec.All[q.record].Hi - c.page.Rec.All[q.record].Lo
		}
	}
	best := &kind{}
	for _, k := range kinds {
		if cmp.Or(cmp.Compare(k.leaves, best.leaves), cmp.Compare(best.size, k.size), cmp.Compare(best.shape, k.shape)) > 0 {
			best = k
		}
	}
	return best
}
