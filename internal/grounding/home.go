package grounding

import (
	"iter"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A home is the part of the page that an object was read from.
type home struct {
	record int32
	lo, hi int32 // elements
	extra  []int32
	group  int32  // of the record; -1
	run    bool   // a stretch of the page without a boundary of its own
	seats  []seat // of its elements, in order, those of extra behind; made when asked for
}

func (h *home) holds(e int32, p *pagedata.Page) bool {
	for lo, hi := range h.parts(p) {
		if e >= lo && e < hi {
			return true
		}
	}
	return false
}

// parts are the stretches of elements that a home is: its own, and those that reach into it.
func (h *home) parts(p *pagedata.Page) iter.Seq2[int32, int32] {
	return func(yield func(lo, hi int32) bool) {
		for i := -1; i < len(h.extra); i++ {
			lo, hi := h.lo, h.hi
			if i >= 0 {
				lo, hi = h.extra[i], p.Elems[h.extra[i]].End
			}
			if !yield(lo, hi) {
				return
			}
		}
	}
}
