package grounding

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// How much a label says of a member. It names it from named on, and no other member
// from exact on.
const (
	silent = iota
	hinted // one of several words, or the description's
	marked // all words, in a class or right before it
	named  // all words, among others, or all of the label's are the member's
	exact
)

// quality rates a label for a member by the words that they share.
func quality(m *member, label []string) int {
	if len(label) == 0 || len(m.core) == 0 {
		return silent
	}
	both, back, extra, about := 0, 0, 0, true
	for _, w := range m.core {
		both += yes(pagedata.HasWord(label, w))
	}
	for _, w := range label {
		about = about && pagedata.HasWord(m.about, w)
		switch {
		case !pagedata.LetterAt(w): // "VAT 20 %"
		case pagedata.HasWord(m.core, w) || pagedata.HasWord(m.words, w):
			back++
		case m.target.base == "s" && (w == "time" || w == "duration"): // what its unit measures
		default:
			extra++
		}
	}
	switch {
	case both == 0 && !about:
		return silent
	case both == 0:
		return hinted
	case both == len(m.core) && extra == 0:
		return exact
	case both == len(m.core), extra == 0 && back > 0:
		return named
	}
	return hinted
}

// calls rates what the page calls a place for a member: by its label, by the word
// behind a number, by classes.
func (c *checker) calls(m *member, pl *place) int {
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
func (c *checker) rowLabel(cap *pagedata.Caption) []string {
	if words := c.page.LabelOf(cap.Row); len(words) <= 6 {
		return words
	}
	return nil
}

// counts reports whether the word behind a number is one of a member's: "12 reviews".
func (c *checker) counts(m *member, pl *place) bool {
	if pl.number < 0 {
		return false
	}
	after := c.page.Numbers[pl.number].What.After
	return after != "" && pagedata.HasWord(m.core, pagedata.Stem(after))
}

// rival is the member beside a leaf that the page calls a place by, rather than by
// the leaf's own; nil if there is none.
func (c *checker) rival(v *value, pl *place, own int) (best *member) {
	if v.parent == nil || own >= exact {
		return nil
	}
	most := max(own, marked)
	for _, k := range v.parent.kids {
		if k == v || !k.leaf() || k.member == v.member || c.sort(v) != c.sort(k) || c.beside(k, pl) && !c.counts(k.member, pl) {
			continue
		}
		if q := c.calls(k.member, pl); q > most && c.distinct(k.member, v.member, pl) {
			best, most = k.member, q
		}
	}
	return best
}

// sort is what a leaf may be exchanged with: numbers, texts, addresses, or codes of
// currencies.
func (c *checker) sort(v *value) string {
	s, ok := v.raw.(string)
	if list := c.find.places(v); len(list) > 0 && list[0].kind == Address {
		return "address"
	}
	if ok && pagedata.IsCurrency(s) {
		return "currency"
	}
	return fmt.Sprintf("%T", v.raw)
}

// struck finds another amount that a leaf's may be exchanged with: what is deleted holds
// no more (HTML, the del element), and of two members of one name the longer one asks for
// it, as "oldPrice" beside "price". 2 is that such a member has the other amount.
func (c *checker) struck(v *value, h *home, pl *place) (found int) {
	p := c.page
	if pl.number < 0 || p.Numbers[pl.number].What.Currency == "" || v.parent == nil {
		return 0
	}
	old := c.captionOf(pl).Old
	longer := func(a, b *member) bool {
		return len(a.words) > len(b.words) && !slices.ContainsFunc(b.words, func(w string) bool { return !slices.Contains(a.words, w) })
	}
	c.numberIn(h, func(i int32) bool {
		o := c.find.numberPlace(i, Number)
		if p.Numbers[i].What.Currency == "" || c.captionOf(&o).Old == old {
			return false
		}
		k := slices.IndexFunc(v.parent.kids, func(k *value) bool {
			return k != v && k.leaf() && slices.ContainsFunc(c.find.places(k), func(o place) bool { return o.number == i })
		})
		switch {
		case k < 0:
			found = yes(old)
		case old && longer(v.parent.kids[k].member, v.member), !old && longer(v.member, v.parent.kids[k].member):
			found = 2
		}
		return found > 0
	})
	return found
}

// distinct reports whether a label has a word of one member that is not another's.
func (c *checker) distinct(m, other *member, pl *place) bool {
	cap := c.captionOf(pl)
	words := slices.Concat(cap.Sure, c.rowLabel(cap), cap.Hint)
	if pl.number >= 0 {
		words = append(words, pagedata.Stem(c.page.Numbers[pl.number].What.After))
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return w != "" && pagedata.HasWord(m.core, w) && !pagedata.HasWord(other.words, w) && !pagedata.HasWord(other.about, w)
	})
}

// beside reports whether another leaf stands in the cell of a place, and not there alone:
// what the cell's label calls may be either.
func (c *checker) beside(k *value, pl *place) bool {
	p, cell := c.page, pl.elem
	for i := 0; i < 8 && cell > 0 && p.Part(cell) != "td" && p.Tag(cell) != "dd" && p.Tag(cell) != "li"; i++ {
		cell = p.Elems[cell].Parent
	}
	in := span(c.find.places(k), cell, p.Elems[cell].End)
	return len(in) > 0 && !slices.ContainsFunc(in, func(o place) bool { return o.elem == pl.elem && o.at == pl.at && o.end == pl.end })
}

// elsewhere finds what the page calls exactly as a member in a home: a number for a
// number, a text for a text.
func (c *checker) elsewhere(v *value, h *home) (said string, at int32) {
	p := c.page
	if _, ok := v.raw.(json.Number); ok {
		i := c.numberIn(h, func(i int32) bool {
			pl := c.find.numberPlace(i, Number)
			return c.calls(v.member, &pl) >= exact && !c.captionOf(&pl).Old
		})
		if i < 0 {
			return "", 0
		}
		return p.Numbers[i].What.Raw, p.Numbers[i].Elem
	}
	c.linesIn(h, func(l int32) {
		ln := &p.Lines[l]
		if at > 0 || ln.Hidden || pagedata.Blank(strings.TrimSpace(ln.Text)) {
			return
		}
		colon := int32(strings.IndexByte(ln.Text, ':') + 1)
		for _, pc := range append(slices.Clip(ln.Pieces), pagedata.Piece{Start: colon, Elem: ln.ElemAt(colon)}) {
			if at == 0 && quality(v.member, c.caption(pc.Elem, pc.Start).Sure) >= exact {
				said, at = strings.TrimSpace(ln.Text[pc.Start:]), pc.Elem
			}
		}
	})
	return said, at
}

// captionOf is the caption of a place.
func (c *checker) captionOf(pl *place) *pagedata.Caption {
	if pl.line < 0 {
		return c.caption(pl.elem, -1)
	}
	return c.caption(pl.elem, pl.at)
}

// caption is that of a place of a line, made once.
func (c *checker) caption(e, at int32) *pagedata.Caption {
	for k := c.called[e]; k != nil; k = k.next {
		if k.at == at {
			return &k.Caption
		}
	}
	c.called[e] = &called{c.page.CaptionOf(e, at), at, c.called[e]}
	return &c.called[e].Caption
}
