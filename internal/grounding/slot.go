package grounding

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A slot is where in their records the objects of a list have a member: the same
// column, the same element of each card.

// A layout is a record's elements by their slots.
type layout struct {
	elem map[uint64]int32
	slot map[int32]uint64 // of an element
	path map[int32]uint64 // of an element, its slot without its place among others
}

func (c *checker) layout(h *home) *layout {
	if l := c.layouts[h]; l != nil {
		return l
	}
	p := c.page
	l := &layout{map[uint64]int32{}, map[int32]uint64{}, map[int32]uint64{}}
	count := map[uint64]uint64{}
	add := func(lo, hi int32) {
		for e := lo; e < hi; e++ {
			if !p.Elems[e].Visible || p.Tag(e) == "" && p.Elems[e].Line < 0 {
				continue // not seen, or white space
			}
			path := step(p, e)
			if path < 1<<16 {
				path += 1 << 62 // a column, wherever the row has it
			} else if up := p.Elems[e].Parent; up >= lo {
				path += 31 * l.path[up]
			}
			slot := path*1009 + count[path]
			count[path]++
			l.path[e], l.slot[e], l.elem[slot] = path, slot, e
		}
	}
	add(h.lo, h.hi)
	for _, x := range h.extra {
		add(x, p.Elems[x].End)
	}
	c.layouts[h] = l
	return l
}

// step is an element's part of a path: its column, or its shape.
func step(p *pagedata.Page, e int32) uint64 {
	if tag := p.Tag(e); tag == "td" || tag == "th" {
		if t := p.TableOf(e); t != nil {
			if column, ok := t.Column[e]; ok && !t.Turned {
				return uint64(column)
			} else if ok && t.Turned {
				return uint64(t.Row[p.Elems[e].Parent]) + 1<<12
			}
		}
	}
	if s := p.Elems[e].Signature; s >= 1<<16 {
		return s
	}
	return maphash.String(pagedata.Seed, p.Tag(e)) | 1<<16
}

// votes count the slots of a member over all objects of its lists.
type votes struct {
	rows  int
	slots map[uint64]int
	whole int // texts that are all of an element's
}

// count collects the votes, once.
func (c *checker) count(v *value, out map[*member]*votes) {
	if v.leaf() && v.raw != nil && item(v) != nil && !v.parent.list {
		h := around(v)
		if h == nil || h.record < 0 || c.layouts == nil {
			return
		}
		s := out[v.member]
		if s == nil {
			s = &votes{slots: map[uint64]int{}}
			out[v.member] = s
		}
		l := c.layout(h)
		slots := map[uint64]bool{}
		whole := false
		for i, pl := range c.within(c.find.places(v), h) {
			if i > 24 {
				break
			}
			slot, ok := l.slot[pl.elem]
			if !ok || pl.option {
				continue
			}
			slots[slot] = true
			if last, ok := l.slot[pl.last]; ok { // a text may begin in an element of its own
				slots[last] = true
			}
			whole = whole || c.whole(&pl)
		}
		if len(slots) == 0 {
			return
		}
		s.rows++
		for slot := range slots {
			s.slots[slot]++
		}
		if whole {
			s.whole++
		}
	}
	for _, k := range v.kids {
		c.count(k, out)
	}
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

// seat says whether a place is where most objects have the member (1), elsewhere
// though something stands there (-1), or nothing of it (0). Two objects that agree
// are enough to say yes, three to say no.
func (c *checker) seat(v *value, h *home, pl *place) int {
	s := c.usual[v.member]
	if s == nil {
		return 0
	}
	l := c.layout(h)
	usual := most(s.slots, s.rows)
	if usual == 0 {
		return 0
	}
	known := false
	for _, e := range []int32{pl.elem, pl.last} { // a text may begin in an element of its own
		slot, ok := l.slot[e]
		if known = known || ok; ok && s.slots[slot] == usual {
			return 1
		}
	}
	if known && s.rows > 2 {
		for slot, n := range s.slots {
			if e, ok := l.elem[slot]; ok && n == usual && c.says(e) {
				return -1
			}
		}
	}
	return 0
}

// says reports whether an element holds something, other than nothing in words.
func (c *checker) says(e int32) bool {
	p := c.page
	if p.Elems[e].Line >= 0 {
		text := p.OwnText(e)
		return text != "" && !pagedata.Blank(text)
	}
	text := strings.TrimSpace(p.TextOf(e, 60))
	return text != "" && !pagedata.Blank(text) || len(p.Attr(e, "href"))+len(p.Attr(e, "src")) > 0
}

// pieceRange is the part of a line around a position that one element says.
func pieceRange(l *pagedata.Line, at int32) (from, to int32) {
	to = int32(len(l.Text))
	for i := range l.Pieces {
		if l.Pieces[i].Start <= at {
			from = l.Pieces[i].Start
		} else {
			to = l.Pieces[i].Start
			break
		}
	}
	return from, to
}

// whole reports whether a place is all of a line, or of an element's text.
func (c *checker) whole(pl *place) bool {
	if pl.line < 0 || pl.end < 0 {
		return true
	}
	l := &c.page.Lines[pl.line]
	from, _ := pieceRange(l, pl.at)
	_, to := pieceRange(l, max(pl.at, pl.end-1))
	return !strings.ContainsFunc(l.Text[from:max(from, pl.at)], pagedata.Letter) && !strings.ContainsFunc(l.Text[min(pl.end, to):to], pagedata.Letter)
}

// cut reports whether a text continues right behind a place: nothing but a space
// stands between it and the next word.
func (c *checker) cut(pl *place) bool {
	if pl.kind != Text && pl.kind != Attribute || pl.line < 0 || pl.end < 0 || pl.number >= 0 {
		return false
	}
	l := &c.page.Lines[pl.line]
	_, to := pieceRange(l, max(pl.at, pl.end-1))
	rest := l.Text[min(pl.end, to):to]
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, " "))
	last, _ := utf8.DecodeLastRuneInString(l.Text[:min(pl.end, to)])
	return rest != "" && unicode.IsLetter(last) && unicode.IsLetter(next) && !pagedata.Unspaced(last) && !pagedata.Unspaced(next)
}
