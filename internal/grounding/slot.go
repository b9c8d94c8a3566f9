package grounding

import (
	"cmp"
	"slices"
	"strings"
)

// A slot is where in their records the objects of a list have a member: the same
// column, the same element of each card. Values that stand where the others have
// another member are that one's.

// slotsOf counts them, once for a list.
func (c *checker) slotsOf(list *value) slots {
	if s, ok := c.slots[list]; ok {
		return s
	}
	if c.slots == nil {
		c.slots = map[*value]slots{}
	}
	out := slots{}
	c.slots[list] = out
	for _, item := range list.kids {
		if item.home == nil || item.home.record <= 0 || item.home.run {
			continue
		}
		for _, k := range item.kids {
			if !k.leaf() || k.raw == nil {
				continue
			}
			in := c.slotted(k, item.home)
			if len(in) == 0 {
				continue
			}
			s := out[k.member]
			if s == nil {
				s = &seats{map[*value][]uint64{}, map[uint64]int{}}
				out[k.member] = s
			}
			s.of[k] = in
			for _, at := range in {
				s.in[at]++
			}
		}
	}
	return out
}

// slotted are the slots of a leaf's places in a home.
func (c *checker) slotted(v *value, h *home) (out []uint64) {
	for i, pl := range c.inside(c.find.places(v), h) {
		if i > 24 {
			break
		}
		if s := c.slot(&pl, h); !pl.option && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// slot is that of a place: one for a text from its beginning, and one for what stands
// amid others.
func (c *checker) slot(pl *place, h *home) uint64 {
	s := c.page.slot(pl.elem, h) << 1
	if pl.kind == Text && pl.line >= 0 {
		l := &c.page.lines[pl.line]
		from := int32(0)
		for i := range l.pieces {
			if l.pieces[i].start <= pl.at {
				from = l.pieces[i].start
			}
		}
		if strings.ContainsFunc(l.text[from:pl.at], letter) {
			s |= 1
		}
	}
	return s
}

// slot tells an element of a record from the others by the way to it.
func (p *page) slot(e int32, h *home) uint64 {
	way := uint64(0)
	for e > h.lo && e < h.hi {
		up := p.elems[e].parent
		if p.tag(e) != "" && p.isInline(e) && p.amidText(e) { // a word of a text that is set off
			e = up
			continue
		}
		step := uint64(0)
		if tag := p.tag(e); tag == "td" || tag == "th" {
			if t := p.tableOf(e); t != nil {
				step = uint64(t.column[e]) + 1
			}
		} else if tag != "" {
			step = p.elems[e].signature
			for k := up + 1; k < e; k = p.elems[k].end {
				if p.elems[k].signature == p.elems[e].signature && p.elems[k].facts > 0 {
					step += 0x9e3779b97f4a7c15
				}
			}
		}
		way = way*31 + step
		e = up
	}
	return way
}

// usual is the slot that most objects have the member in, with their number, and
// whether all have it there. One leaf is left out; nil for none.
func (s *seats) usual(without *value) (slot uint64, n int, always bool) {
	if s == nil {
		return 0, 0, false
	}
	all, own := len(s.of), s.of[without]
	if len(own) > 0 {
		all--
	}
	for at, count := range s.in {
		if slices.Contains(own, at) {
			count--
		}
		if count > n || count == n && at < slot {
			slot, n = at, count
		}
	}
	return slot, n, n == all
}

// ever reports whether another object has the member in one slot, and not in another.
func (s *seats) ever(at, own uint64, without *value) bool {
	if s.in[at] < 2 {
		return false
	}
	for leaf, in := range s.of {
		if leaf != without && slices.Contains(in, at) && !slices.Contains(in, own) {
			return true
		}
	}
	return false
}

// misplaced says what a leaf stands for, if none of its places is where the other
// objects of the list have it: another member of its object, if all its places are
// where those have that one, or something else, if all others have it in one place.
func (c *checker) misplaced(v *value, h *home, open []place) string {
	item := v.parent
	if item == nil || item.parent == nil || !item.parent.list || item.home != h || h.run || h.record <= 0 || len(item.parent.kids) < 3 {
		return ""
	}
	s := c.slotsOf(item.parent)
	own, n, always := s[v.member].usual(v)
	if code, ok := v.raw.(string); n < 2 || ok && isCurrency(code) || !c.filled(own, h) {
		return ""
	}
	other := ""
	for i := range open {
		at := c.slot(&open[i], h)
		if at == own || open[i].elem < h.lo || open[i].elem >= h.hi || s[v.member].ever(at, own, v) {
			return ""
		}
		rival := ""
		for _, k := range item.kids {
			if k == v || !k.leaf() || k.raw == nil {
				continue
			}
			if u, n, _ := s[k.member].usual(nil); n >= 2 && u == at {
				rival = k.member.name
			}
		}
		if rival == "" && (n < 3 || !always) {
			return ""
		}
		other = cmp.Or(rival, other, "something else")
	}
	return other
}

// filled reports whether a record has a text in a slot.
func (c *checker) filled(slot uint64, h *home) bool {
	for e := h.lo; e < h.hi; e++ {
		if c.page.elems[e].line >= 0 && c.page.slot(e, h)<<1 == slot&^1 {
			return true
		}
	}
	return false
}

// A shelf is the part of the page that the texts of a list stand in, each in an entry
// of its own: the smallest element that has a place of each. A text that the list has
// twice has to stand there twice; that the page says it elsewhere, too, is another matter.

// shelf finds that element for the list of a text, among the places in a home; 0 if
// there is none.
func (c *checker) shelf(list *value, h *home) int32 {
	if e, ok := c.shelves[list]; ok {
		return e
	}
	if c.shelves == nil {
		c.shelves = map[*value]int32{}
	}
	var texts [][]place
	seen := map[any]bool{}
	rare := 0
	for _, k := range list.kids {
		if !k.leaf() || k.raw == nil || seen[k.raw] {
			continue
		}
		seen[k.raw] = true
		places := c.inside(c.find.places(k), h)
		if len(places) == 0 {
			continue
		}
		texts = append(texts, places)
		if len(places) < len(texts[rare]) {
			rare = len(texts) - 1
		}
	}
	best := int32(0)
	if len(texts) == 1 && len(list.kids) > 1 { // one text again and again: beside itself
		best = c.siblings(texts[0])
	} else if len(texts) > 0 && len(texts[rare]) <= mostPlaces {
		for _, pl := range texts[rare] {
			e := c.smallest(pl.elem, texts, h)
			if size := c.page.elems[e].end - e; e > 0 && (best == 0 || size < c.page.elems[best].end-best) {
				best = e
			}
		}
	}
	c.shelves[list] = best
	return best
}

// siblings is the element in whose children a text stands most often.
func (c *checker) siblings(list []place) int32 {
	count := map[int32]int{}
	best := int32(0)
	for _, pl := range list {
		up := c.page.elems[c.page.elems[pl.elem].parent].parent
		if count[up]++; count[up] > count[best] {
			best = up
		}
	}
	return best
}

// smallest is the smallest element around another in which each text stands.
func (c *checker) smallest(e int32, texts [][]place, h *home) int32 {
	p := c.page
	for ; e > 0 && e >= h.lo; e = p.elems[e].parent {
		if p.node(e).Name == "" {
			continue
		}
		in := &home{lo: e, hi: p.elems[e].end}
		if !slices.ContainsFunc(texts, func(list []place) bool { return len(c.inside(list, in)) == 0 }) {
			return e
		}
	}
	return 0
}

// entries are the places of a text of a list that stand on its shelf: those that are
// all of an element's text, if there are any.
func (c *checker) entries(v *value, h *home, open []place) []place {
	e := c.shelf(v.parent, h)
	if e == 0 {
		return open
	}
	in := c.inside(open, &home{lo: e, hi: c.page.elems[e].end})
	var whole []place
	for _, pl := range in {
		if c.whole(&pl) {
			whole = append(whole, pl)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return in
}

// whole reports whether a place is all of a line, or of an element's text.
func (c *checker) whole(pl *place) bool {
	if pl.line < 0 || pl.end < 0 {
		return true
	}
	l := &c.page.lines[pl.line]
	from, to := int32(0), int32(len(l.text))
	for i := range l.pieces {
		if l.pieces[i].start <= pl.at {
			from = l.pieces[i].start
		} else if l.pieces[i].start >= pl.end {
			to = l.pieces[i].start
			break
		}
	}
	return !strings.ContainsFunc(l.text[from:max(from, pl.at)], letter) && !strings.ContainsFunc(l.text[min(pl.end, to):to], letter)
}
