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

// candidates proposes records for an object, best first.
func (c *checker) candidates(leaves []*value, scope *home, used map[int32]*value) []candidate {
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
			c.climb(pl, l, scope, 1<<i, masks)
		}
	}
	if len(masks.records) == 0 && rarest >= 0 {
		n := 0
		for _, pl := range c.inside(c.find.places(leaves[rarest]), scope) {
			if r := c.page.elems[pl.elem].record; used != nil && c.usedAround(r, used) {
				continue
			}
			c.climb(pl, leaves[rarest], scope, 1<<rarest, masks)
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
func (c *checker) climb(pl place, leaf *value, scope *home, bit uint64, masks *marks) {
	entry := leaf.parent != nil && leaf.parent.list
	for r := c.page.elems[pl.elem].record; r >= 0; r = c.page.rec.all[r].parent {
		rec := &c.page.rec.all[r]
		if rec.lo < scope.lo || rec.hi > scope.hi {
			masks.add(scope.record, bit)
			return
		}
		masks.add(r, bit)
		if r == scope.record || rec.solid && !entry && !c.named(r, leaf.member) {
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
	item  *value
	list  []candidate
	share float64
	at    int
	late  bool // others fit the first of them better
}

const (
	mostClaims = 64 // leaves of an object that are looked at
	mostPlaces = 48 // places of a leaf that propose records
)
