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

// number gives what can be refused its place in the text of the data, by pointer.
func (v *value) number(order map[string]int) {
	if v.leaf() || v.object && len(v.kids) == 0 {
		order[v.pointer] = len(order)
	}
	for _, k := range v.kids {
		k.number(order)
	}
}

// root is the value that all of the data is.
func (v *value) root() *value {
	for v.parent != nil {
		v = v.parent
	}
	return v
}

// owned collects the records that are homes of lists' objects.
func (v *value) owned(out map[int32]*value) {
	if v.object && v.home != nil && v.home.record > 0 && v.parent != nil && v.parent.list {
		out[v.home.record] = v
	}
	for _, k := range v.kids {
		k.owned(out)
	}
}

// A home is the part of the page that an object was read from.
type home struct {
	record int32
	lo, hi int32 // elements
	extra  []int32
	group  int32 // of the record; -1
	run    bool  // a stretch of the page without a boundary of its own
}

func (h *home) holds(e int32, p *pagedata.Page) bool {
	if e >= h.lo && e < h.hi {
		return true
	}
	for _, x := range h.extra {
		if e >= x && e < p.Elems[x].End {
			return true
		}
	}
	return false
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

// finder remembers where values stand.
type finder struct {
	p     *pagedata.Page
	texts map[textKey][]place
}

// A textKey is what is looked for: a text, the digits of a number, or a phrase.
type textKey struct {
	as     byte   // 's', 'n' or 'p'
	format string // of the member
	target unit
	text   string
}
