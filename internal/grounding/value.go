package grounding

// A value is a part of the data, with what the schema says about it.
type value struct {
	pointer string
	parent  *value
	kids    []*value // of an object or a list
	raw     any
	list    bool
	object  bool
	index   int
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

// leaves counts the leaves.
func (v *value) leaves() int {
	if v.leaf() {
		return 1
	}
	n := 0
	for _, k := range v.kids {
		n += k.leaves()
	}
	return n
}

// An owned is an object with its home.
type owned struct {
	object *value
	home   *home
}

// root is the value that all of the data is.
func (v *value) root() *value {
	for v.parent != nil {
		v = v.parent
	}
	return v
}

// owners collects the objects that have a home of their own.
func (v *value) owners(out *[]owned) {
	if v.object && v.home != nil {
		*out = append(*out, owned{v, v.home})
	}
	for _, k := range v.kids {
		k.owners(out)
	}
}

// owned collects the records that are homes of lists' objects.
func (v *value) owned(out map[int32]bool) {
	if v.object && v.home != nil && v.home.record > 0 && v.parent != nil && v.parent.list {
		out[v.home.record] = true
	}
	for _, k := range v.kids {
		k.owned(out)
	}
}

// byMember collects the leaves that say something by what they are called.
func (v *value) byMember(out map[*member][]*value) {
	if v.leaf() && v.raw != nil {
		out[v.member] = append(out[v.member], v)
	}
	for _, k := range v.kids {
		k.byMember(out)
	}
}

// A home is the part of the page that an object was read from.
type home struct {
	record int32
	lo, hi int32 // elements
	extra  []int32
	group  int32  // of the record; -1
	run    bool   // a stretch of the page without a boundary of its own
	taken  *value // whose record it is already, if another's
}

func (h *home) holds(e int32, p *page) bool {
	if e >= h.lo && e < h.hi {
		return true
	}
	for _, x := range h.extra {
		if e >= x && e < p.elems[x].end {
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
	parts      [][]place // of a text that stands in pieces: where each may stand
	scaled     bool      // a unit was converted
}

// finder remembers where values stand.
type finder struct {
	p     *page
	texts map[textKey][]place
	heads map[headKey]bool

	questions map[*member]*opposition
}

// A textKey is what is looked for: a text, the digits of a number, or a phrase.
type textKey struct {
	as             byte   // 's', 'n' or 'p'
	format, target string // of the member
	text           string
}

type headKey struct {
	record int32
	member *member
}

// An opposition is a question that pages answer in set words.
type opposition struct {
	asks    string // words of members' names that ask it
	yes, no []string
}

// opposition is the set question that a member asks; nil if none.
func (c *checker) opposition(m *member) *opposition {
	if o, ok := c.find.questions[m]; ok {
		return o
	}
	o := describedOpposition(m, oppositionOf(m))
	c.find.questions[m] = o
	return o
}

// slots are those of a list's members.
type slots map[*member]*seats

// seats are the slots of one member: those in which each object has it, and how many
// have it in each.
type seats struct {
	of map[*value][]uint64
	in map[uint64]int
}
