package grounding

import "github.com/wayfinder-engine/wayfinder/internal/pagedata"

// A value is a part of the data, with what the schema says about it.
type value struct {
	pointer string
	parent  *value
	kids    []*value // of an object or a list
	raw     any
	list    bool
	object  bool
	index   int
	fields  []*member // of an empty list, what its items would have; not nil where the schema says
	member  *member
	home    *home
	places  []place // of a leaf, all over the page, in page order
	given   bool    // places is filled
}

func (v *value) leaf() bool { return !v.list && !v.object }

// walk calls f for a value and all below it, in the order of the text.
func (v *value) walk(f func(v *value)) {
	f(v)
	for _, k := range v.kids {
		k.walk(f)
	}
}

// around is the home that a leaf has to stand in.
func around(v *value) *home {
	for at := v.parent; at != nil; at = at.parent {
		if at.home != nil {
			return at.home
		}
	}
	return v.home
}

// item is the object of a list that a leaf belongs to; nil if it is in none.
func item(v *value) *value {
	for at := v.parent; at != nil; at = at.parent {
		if at.object && at.parent != nil && at.parent.list {
			return at
		}
	}
	return nil
}

// A home is the part of the page that an object was read from.
type home struct {
	record int32
	lo, hi int32 // elements
	extra  []int32
	group  int32  // of the record; -1
	run    bool   // a stretch of the page without a boundary of its own
	seats  layout // made when asked for
}

func (h *home) holds(e int32, p *pagedata.Page) bool {
	in := e >= h.lo && e < h.hi
	for _, x := range h.extra {
		in = in || e >= x && e < p.Elems[x].End
	}
	return in
}

// A place is where a leaf may stand.
type place struct {
	elem, last int32 // the first and the last element
	line       int32
	at, end    int32 // in the line's text; end -1 where it reaches into another line
	number     int32 // index in numbers, -1
	kind       Kind
	option     bool
	scaled     bool // a unit was converted
	coded      bool // the digits of a code
}

// A finder finds where values stand.
type finder struct{ p *pagedata.Page }
