package grounding

import (
	"hash/maphash"
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// slots find where in their records the objects of a list have a member.
type slots struct {
	*reader
	usual map[*member]*votes
	paths map[uint64]uint64 // of the record that is laid out, how many elements have each
}

// votes count the slots of a member over all objects of its lists.
type votes struct {
	rows  int
	slots map[uint64]int
	whole int  // texts that are all of an element's
	yes   bool // whether the page says of one that it is true
}

// most is how many rows have the slot that most have, if more than half of them and
// more than one do; 0 if there is no such slot.
func (s *votes) most() (n int) {
	for _, count := range s.slots {
		n = max(n, count)
	}
	if n*2 > s.rows && n > 1 {
		return n
	}
	return 0
}

// mostVotes bounds how many places of a leaf vote.
const mostVotes = 25

// vote counts the slots of a leaf.
func (c *slots) vote(v *value) {
	h := around(v)
	if !v.leaf() || v.raw == nil || item(v) == nil || v.parent.list || h.record < 0 {
		return
	}
	s := c.usual[v.member]
	if s == nil {
		s = &votes{slots: map[uint64]int{}}
		c.usual[v.member] = s
	}
	var slots []uint64
	whole := false
	in := c.within(c.find.places(v), h)
	for i := range in[:min(len(in), mostVotes)] {
		pl := &in[i]
		if pl.option {
			continue
		}
		ends := c.slotsOf(h, pl) // a text may begin in an element of its own
		whole = whole || len(ends) > 0 && c.whole(pl)
		slots = append(slots, ends...)
	}
	slices.Sort(slots)
	for _, slot := range slices.Compact(slots) {
		s.slots[slot]++
	}
	s.rows += yes(len(slots) > 0)
	s.whole += yes(whole)
}

// seat says whether a place is where most objects have the member (1), elsewhere
// though something stands there (-1), or nothing of it (0). Two objects that agree
// are enough to say yes, three to say no.
func (c *slots) seat(v *value, h *home, pl *place) int {
	s := c.usual[v.member]
	if s == nil {
		return 0
	}
	usual, ends := s.most(), c.slotsOf(h, pl)
	switch {
	case usual == 0:
		return 0
	case slices.ContainsFunc(ends, func(slot uint64) bool { return s.slots[slot] == usual }):
		return 1
	case len(ends) == 0 || s.rows < 3:
		return 0
	case c.page.PreColumn(pl.elem, pl.at) > 0:
		return -1
	}
	at := 0
	for lo, hi := range h.parts(c.page) {
		for e := lo; e < hi; e++ {
			if s.slots[h.seats[at].slot] == usual && c.says(e) {
				return -1
			}
			at++
		}
	}
	return 0
}

// A seat is an element's place in a record; zero of what the record does not show.
type seat struct {
	path uint64 // its shape and those around it, or its column
	slot uint64 // the path, and which of those that have it
}

// layout fills the seats of a record's elements.
func (c *slots) layout(h *home) {
	if h.seats != nil {
		return
	}
	p := c.page
	clear(c.paths)
	for lo, hi := range h.parts(p) {
		from := int32(len(h.seats)) - lo
		h.seats = append(h.seats, make([]seat, hi-lo)...)
		for e := lo; e < hi; e++ {
			if !p.Elems[e].Visible || p.Tag(e) == "" && p.Elems[e].Line < 0 {
				continue // not seen, or white space
			}
			path, column := step(p, e)
			if up := p.Elems[e].Parent; !column && up >= lo {
				path += 31 * h.seats[from+up].path
			}
			h.seats[from+e] = seat{path, path*1009 + c.paths[path]}
			c.paths[path]++
		}
	}
}

// seatOf is the seat of an element in a record.
func (c *slots) seatOf(h *home, e int32) (s seat) {
	c.layout(h)
	at := int32(0)
	for lo, hi := range h.parts(c.page) {
		if e >= lo && e < hi {
			s = h.seats[at+e-lo]
		}
		at += hi - lo
	}
	return s
}

// step is an element's part of a path: its shape, or its column, wherever the row has it.
func step(p *pagedata.Page, e int32) (path uint64, column bool) {
	if cell, t := p.CellOf(e); t != nil && cell == e {
		at := t.At[e].Column
		if t.Turned {
			at = t.At[e].Row
		}
		return 1<<62 + uint64(at), true
	}
	if s := p.Elems[e].Signature; s >= 1<<16 {
		return s, false
	}
	return maphash.String(pagedata.Seed, p.Tag(e)) | 1<<16, false
}

// slotsOf are the slots of a place's first and last element; in a preformatted line,
// of its columns. There is none of what the record does not show.
func (c *slots) slotsOf(h *home, pl *place) (out []uint64) {
	for _, end := range [][2]int32{{pl.elem, pl.at}, {pl.last, max(pl.at, pl.end-1)}} {
		s := c.seatOf(h, end[0])
		if s.path == 0 {
			break
		}
		out = append(out, s.slot+uint64(c.page.PreColumn(end[0], end[1]))<<40)
	}
	return out
}
