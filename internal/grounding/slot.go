package grounding

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// slots find where in their records the objects of a list have a member.
type slots struct {
	*reader
	paths map[uint64]uint64 // how many elements of a record have a path
	usual map[*member]*votes
}

// votes count the slots of a member over all objects of its lists.
type votes struct {
	rows  int
	slots map[uint64]int
	whole int // texts that are all of an element's
}

// most is how many rows have the slots that most have, if more than half of them and
// more than one do; 0 if there is no such slot.
func most[K comparable](of map[K]int, rows int) (n int) {
	for _, count := range of {
		n = max(n, count)
	}
	if n*2 > rows && n > 1 {
		return n
	}
	return 0
}

// vote counts the slots of a leaf.
func (c *slots) vote(v *value) {
	h := around(v)
	if !v.leaf() || v.raw == nil || item(v) == nil || v.parent.list || h == nil || h.record < 0 {
		return
	}
	s := c.usual[v.member]
	if s == nil {
		s = &votes{slots: map[uint64]int{}}
		c.usual[v.member] = s
	}
	l := c.layout(h)
	var slots []uint64
	whole := false
	in := c.within(c.find.places(v), h)
	for i := range in[:min(len(in), 25)] {
		pl := &in[i]
		at, ok := c.slotOf(l, pl.elem, pl.at)
		if !ok || pl.option {
			continue
		}
		whole = whole || c.whole(pl)
		for _, slot := range c.ends(l, pl, at) { // a text may begin in an element of its own
			if !slices.Contains(slots, slot) {
				slots = append(slots, slot)
				s.slots[slot]++
			}
		}
	}
	if len(slots) > 0 {
		s.rows++
		s.whole += yes(whole)
	}
}

// A seat is an element of a record with its slot: where in their records the objects of
// a list have a member, as the same column, or the same element of each card.
type seat struct {
	elem int32
	path uint64 // its shape and those around it, or its column
	slot uint64 // the path, and which of those that have it
}

// seat says whether a place is where most objects have the member (1), elsewhere
// though something stands there (-1), or nothing of it (0). Two objects that agree
// are enough to say yes, three to say no.
func (c *slots) seat(v *value, h *home, pl *place) int {
	s := c.usual[v.member]
	if s == nil {
		return 0
	}
	l := c.layout(h)
	usual := most(s.slots, s.rows)
	if usual == 0 {
		return 0
	}
	at, known := c.slotOf(l, pl.elem, pl.at)
	if known && slices.ContainsFunc(c.ends(l, pl, at), func(slot uint64) bool { return s.slots[slot] == usual }) {
		return 1
	}
	if known && s.rows > 2 && (c.page.PreColumn(pl.elem, pl.at) > 0 || slices.ContainsFunc(l, func(x seat) bool { return s.slots[x.slot] == usual && c.says(x.elem) })) {
		return -1
	}
	return 0
}

// A layout is a record's seats in page order.
type layout []seat

func (l layout) at(e int32) (seat, bool) {
	i, ok := slices.BinarySearchFunc(l, e, func(s seat, e int32) int { return cmp.Compare(s.elem, e) })
	if !ok {
		return seat{}, false
	}
	return l[i], true
}

func (c *slots) layout(h *home) layout {
	if h.seats != nil {
		return h.seats
	}
	p := c.page
	l := make(layout, 0, h.hi-h.lo)
	clear(c.paths)
	add := func(lo, hi int32) {
		for e := lo; e < hi; e++ {
			if !p.Elems[e].Visible || p.Tag(e) == "" && p.Elems[e].Line < 0 {
				continue // not seen, or white space
			}
			path, column := step(p, e)
			if up, ok := l.at(p.Elems[e].Parent); ok && !column {
				path += 31 * up.path
			}
			l = append(l, seat{e, path, path*1009 + c.paths[path]})
			c.paths[path]++
		}
	}
	parts := append(slices.Clip(h.extra), h.lo)
	slices.Sort(parts)
	for _, e := range parts {
		if e == h.lo {
			add(h.lo, h.hi)
		} else {
			add(e, p.Elems[e].End)
		}
	}
	h.seats = l
	return l
}

// step is an element's part of a path: its shape, or its column, wherever the row has it.
func step(p *pagedata.Page, e int32) (path uint64, column bool) {
	if part := p.Part(e); part == "td" || part == "th" {
		if cell, t := p.CellOf(e); cell == e {
			at := t.At[e].Column
			if t.Turned {
				at = t.At[e].Row
			}
			return 1<<62 + uint64(at), true
		}
	}
	if s := p.Elems[e].Signature; s >= 1<<16 {
		return s, false
	}
	return maphash.String(pagedata.Seed, p.Tag(e)) | 1<<16, false
}

// slotOf is the slot of a place in an element; in a preformatted line, of its column.
func (c *slots) slotOf(l layout, e, at int32) (slot uint64, ok bool) {
	s, ok := l.at(e)
	return s.slot + uint64(c.page.PreColumn(e, at))<<40, ok
}

// ends are the slots of a place's first and last element, of which first is known.
func (c *slots) ends(l layout, pl *place, first uint64) []uint64 {
	if last, ok := c.slotOf(l, pl.last, max(pl.at, pl.end-1)); ok {
		return []uint64{first, last}
	}
	return []uint64{first}
}
