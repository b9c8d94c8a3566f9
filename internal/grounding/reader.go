package grounding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A reader looks up what a check asks of a page: what stands in the part of it that an
// object was read from, and what the page calls a place.
type reader struct {
	page   *pagedata.Page
	find   finder
	cited  map[string]int32 // by pointer, the element that was cited
	owners []*value         // by record, the object of a list whose home it is
	called []*called        // by element
}

// A called is the caption of a place, in a list of those of its element.
type called struct {
	pagedata.Caption
	at   int32
	next *called
}

// reachable reports whether an element stands in no record that is another
// object's, below a home.
func (c *reader) reachable(e int32, h *home) bool {
	for r := c.page.Elems[e].Record; r > 0; r = c.page.Rec.All[r].Parent {
		rec := &c.page.Rec.All[r]
		if r == h.record || rec.Lo <= h.lo && rec.Hi >= h.hi {
			return true
		}
		if c.owners[r] != nil {
			return false
		}
	}
	return true
}

func (c *reader) homeOf(r int32) *home {
	rec := &c.page.Rec.All[r]
	return &home{record: r, lo: rec.Lo, hi: rec.Hi, extra: rec.Extra, group: rec.Group}
}

// within is the part of a list of places that stands in a home, with the cells
// that reach into its row.
func (c *reader) within(list []place, h *home) []place {
	in := span(list, h.lo, h.hi)
	for _, x := range h.extra {
		in = append(slices.Clip(in), span(list, x, c.page.Elems[x].End)...)
	}
	return in
}

// frame is the frame of an element.
func (c *reader) frame(e int32) (frame driver.FrameID) {
	if doc := c.page.Elems[e].Doc; int(doc) < len(c.page.Snap.Capture.Documents) {
		frame = c.page.Snap.Capture.Documents[doc].Frame
	}
	return frame
}

// linesIn calls f for the lines of a home that belong to no other object.
func (c *reader) linesIn(h *home, f func(l int32)) {
	p := c.page
	for l := p.FirstLine(h.lo); int(l) < len(p.Lines) && p.LineStarts[l] < h.hi; l++ {
		if !p.Lines[l].Option && c.reachable(p.LineStarts[l], h) {
			f(l)
		}
	}
	for _, x := range h.extra {
		for l := p.FirstLine(x); int(l) < len(p.Lines) && p.LineStarts[l] < p.Elems[x].End; l++ {
			f(l)
		}
	}
}

// numberIn is the first number of a home that something holds for; -1 if there is none.
func (c *reader) numberIn(h *home, holds func(i int32) bool) int32 {
	list := c.page.Numbers
	i, _ := slices.BinarySearchFunc(list, h.lo, func(n pagedata.Found[pagedata.Number], lo int32) int { return cmp.Compare(n.Elem, lo) })
	for ; i < len(list) && list[i].Elem < h.hi; i++ {
		if l := &c.page.Lines[list[i].Line]; !l.Hidden && !l.Option && c.reachable(list[i].Elem, h) && holds(int32(i)) {
			return int32(i)
		}
	}
	return -1
}

// calls rates what the page calls a place for a member: by its label, by the word
// behind a number, by classes.
func (c *reader) calls(m *member, pl *place) int {
	cap := c.captionOf(pl)
	q := quality(m, cap.Sure)
	if q < exact && c.owners[c.page.Elems[pl.elem].Record] == nil && quality(m, c.rowLabel(cap)) >= named { // a row of a list begins with its name
		q = exact
	}
	if q < named && c.counts(m, pl) {
		q = named
	}
	if q < marked && len(m.core) > 0 && !slices.ContainsFunc(m.core, func(w string) bool { return !pagedata.HasWord(cap.Hint, w) }) {
		q = marked
	}
	return q
}

// rowLabel is what a row begins with, if that is short enough for a label.
func (c *reader) rowLabel(cap *pagedata.Caption) []string {
	if words := c.page.LabelOf(cap.Row); len(words) <= 6 {
		return words
	}
	return nil
}

// counts reports whether the word behind a number is one of a member's: "12 reviews".
func (c *reader) counts(m *member, pl *place) bool {
	if pl.number < 0 {
		return false
	}
	after := c.page.Numbers[pl.number].What.After
	return after != "" && pagedata.HasWord(m.core, pagedata.Stem(after))
}

// captionOf is the caption of a place.
func (c *reader) captionOf(pl *place) *pagedata.Caption {
	if pl.line < 0 {
		return c.caption(pl.elem, -1)
	}
	return c.caption(pl.elem, pl.at)
}

// caption is that of a place of a line, made once.
func (c *reader) caption(e, at int32) *pagedata.Caption {
	for k := c.called[e]; k != nil; k = k.next {
		if k.at == at {
			return &k.Caption
		}
	}
	c.called[e] = &called{c.page.CaptionOf(e, at), at, c.called[e]}
	return &c.called[e].Caption
}

func (c *reader) samePlace(pl *place, e int32) bool {
	return pl.elem >= e && pl.elem < c.page.Elems[e].End || e >= pl.elem && e < c.page.Elems[pl.elem].End
}

// shared reports whether an element stands in no record beside the home's.
func (c *reader) shared(e int32, h *home) bool {
	for r := c.page.Elems[e].Record; r > 0; r = c.page.Rec.All[r].Parent {
		rec := &c.page.Rec.All[r]
		if rec.Lo <= h.lo && rec.Hi >= h.hi {
			return true
		}
		if rec.Solid && !rec.Header || rec.Group >= 0 && rec.Group == h.group {
			return false
		}
	}
	return true
}

// wholes are the places that are all of an element's text, if there are any.
func (c *reader) wholes(list []place) []place {
	if whole := slices.DeleteFunc(slices.Clone(list), func(pl place) bool { return !c.whole(&pl) }); len(whole) > 0 {
		return whole
	}
	return list
}

// figured reports whether a home says a number or a time.
func (c *reader) figured(h *home) bool {
	list := c.page.Moments
	m, _ := slices.BinarySearchFunc(list, c.page.FirstLine(h.lo), func(m pagedata.Found[pagedata.Moment], line int32) int { return cmp.Compare(m.Line, line) })
	return m < len(list) && list[m].Elem < h.hi || c.numberIn(h, func(int32) bool { return true }) >= 0
}

// holding is how many of some leaves stand in a home.
func (c *reader) holding(leaves []*value, h *home) (n int) {
	for _, l := range leaves {
		if len(c.within(c.find.places(l), h)) > 0 {
			n++
		}
	}
	return n
}

// says reports whether an element holds something, other than nothing in words.
func (c *reader) says(e int32) bool {
	p := c.page
	text := strings.TrimSpace(p.TextOf(e, 60))
	if p.Elems[e].Line >= 0 {
		text = p.OwnText(e)
	}
	return text != "" && !pagedata.Blank(text) || len(p.Attr(e, "href"))+len(p.Attr(e, "src")) > 0
}

// piece is the part of a place's line that the elements say in which it stands.
func (c *reader) piece(pl *place) (before, after string) {
	l := &c.page.Lines[pl.line]
	from, to := int32(0), int32(len(l.Text))
	for _, pc := range l.Pieces {
		if pc.Start <= pl.at {
			from = pc.Start
		} else if pc.Start >= pl.end {
			to = pc.Start
			break
		}
	}
	return l.Text[from:max(from, pl.at)], l.Text[min(pl.end, to):to]
}

// whole reports whether a place is all of a line, or of an element's text.
func (c *reader) whole(pl *place) bool {
	if pl.line < 0 || pl.end < 0 {
		return true
	}
	before, after := c.piece(pl)
	return !strings.ContainsFunc(before, pagedata.Letter) && !strings.ContainsFunc(after, pagedata.Letter)
}

// cut reports whether a text continues right behind a place: nothing but a space
// stands between it and the next word.
func (c *reader) cut(pl *place) bool {
	if pl.kind != Text && pl.kind != Attribute || pl.line < 0 || pl.end < 0 || pl.number >= 0 {
		return false
	}
	_, rest := c.piece(pl)
	next, _ := utf8.DecodeRuneInString(strings.TrimPrefix(rest, " "))
	last, _ := utf8.DecodeLastRuneInString(c.page.Lines[pl.line].Text[:pl.end])
	return rest != "" && unicode.IsLetter(last) && unicode.IsLetter(next) && !pagedata.Unspaced(last) && !pagedata.Unspaced(next)
}
