package grounding

import "github.com/wayfinder-engine/wayfinder/internal/pagedata"

// A home is the part of the page that an object was read from.
type home struct {
	record int32
	lo, hi int32 // elements
	extra  []int32
	group  int32          // of the record; -1
	run    bool           // a stretch of the page without a boundary of its own
	seats  map[int32]seat // by element; made when asked for
}

func (h *home) holds(e int32, p *pagedata.Page) bool {
	in := e >= h.lo && e < h.hi
	for _, x := range h.extra {
		in = in || e >= x && e < p.Elems[x].End
	}
	return in
}
