package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A weigher decides which place of a leaf is the one that was read, and what is not sure
// of it or speaks against it.
type weigher struct {
	*reader
	*slots
}

// A ground is what speaks for a place.
type ground struct {
	*place
	own    int     // how the page calls it, for the member
	rival  *member // that the page calls it by
	seat   int
	struck int // whether another amount is (2), or may be (1) what is asked for
	cut    bool
}

// mostGrounds bounds how many places of a leaf are weighed within its record.
const mostGrounds = 24

// stand takes the place of a leaf that most speaks for, with what is not sure of it; or
// none, with what contradicts it.
func (c *weigher) stand(v *value, h *home) (*place, string) {
	shown := shownValue(v)
	places := c.find.places(v)
	switch {
	case h.record < 0:
		return nil, "no record of the page is left that says what this item says; leave the item out, and give each record once"
	case len(places) == 0:
		return nil, c.nowhere(v, shown)
	case v.parent != nil && v.parent.list:
		return c.entry(v, h, shown)
	}
	var g *ground
	var best [7]int
	option := false
	in := c.within(places, h)
	for i, n := 0, 0; i < len(in) && n < mostGrounds; i++ {
		pl := &in[i]
		if pl.option || pl.last >= h.hi && len(h.extra) == 0 {
			option = option || pl.option
			continue
		}
		x := &ground{place: pl, own: c.calls(v.member, pl), cut: c.cut(pl)}
		if pl.elem >= h.lo && !c.reachable(pl.elem, h) {
			continue
		}
		n++
		x.rival, x.seat, x.struck = c.rival(v, pl, x.own), c.seat(v, h, pl), c.struck(v, h, pl)
		e, cited := c.cited[v.pointer]
		rank := [7]int{yes(x.rival == nil), x.seat, min(x.own, named), yes(cited && c.samePlace(pl, e)), yes(!x.cut), yes(pl.line >= 0 && !c.page.Lines[pl.line].Hidden), x.own}
		if g == nil || slices.Compare(rank[:], best[:]) > 0 {
			g, best = x, rank
		}
	}
	if g == nil {
		if option {
			return nil, shown + " is a choice there, but not the one that is chosen"
		}
		return c.outside(v, h, places, shown)
	}
	ref, text := c.page.Ref(g.elem)
	switch {
	case g.rival != nil:
		return nil, fmt.Sprintf("the page calls %s at %s %s; give what it calls %s", shown, ref, g.rival.name, v.member.name)
	case g.struck > 1:
		return nil, fmt.Sprintf("%s at %s (%.60q) is what was, or what is now; give the other amount", shown, ref, text)
	case g.seat < 0:
		return nil, fmt.Sprintf("%s stands where other items have something else (%s: %.60q); give what stands in the place of %s", shown, ref, text, v.member.name)
	}
	if g.own < exact && g.seat < 1 {
		if said, at := c.elsewhere(v, h); !c.samePlace(g.place, at) {
			ref, _ := c.page.Ref(at)
			return nil, fmt.Sprintf("the page calls %.60q %s (%s), not %s", said, v.member.name, ref, shown)
		}
	}
	return g.place, c.unproven(v, h, g, shown)
}

// entry judges a text of a list. Where most of the texts stand in records of one kind,
// each has one of its own.
func (c *weigher) entry(v *value, h *home, shown string) (*place, string) {
	again := 0
	if v.home != nil {
		h = v.home
	} else {
		for _, k := range v.parent.kids[:v.index] {
			again += yes(k.raw == v.raw)
		}
	}
	in := c.within(c.find.places(v), h)
	switch {
	case h.record < 0, len(in) > 0 && again >= len(in):
		return nil, shown + " is given more often than it stands there"
	case len(in) == 0:
		return c.outside(v, h, c.find.places(v), shown)
	}
	pl := &c.wholes(in)[0]
	switch most := c.mostly(v.parent); {
	case c.cut(pl), most.whole && !c.whole(pl), most.full && v.home != nil && !c.full(v):
		return pl, c.part(pl, shown)
	}
	return pl, ""
}

// A manner is how most texts of a list stand on the page.
type manner struct {
	whole bool // each is all that an element says
	full  bool // each is all that its record says
}

// mostly is the manner of a list, made once.
func (c *weigher) mostly(list *value) manner {
	if list.manner == nil {
		whole, full, of := 0, 0, len(list.kids)-1
		for _, k := range list.kids {
			whole += yes(slices.ContainsFunc(c.within(c.find.places(k), cmp.Or(k.home, list.home)), func(pl place) bool { return c.whole(&pl) }))
			full += yes(c.full(k))
		}
		list.manner = &manner{whole > 0 && whole*2 >= of, full > 0 && full*2 >= of}
	}
	return *list.manner
}

// full reports whether a text of a list is all that its record says.
func (c *weigher) full(v *value) bool {
	if v.home == nil || v.home.record < 0 {
		return false
	}
	letters := func(s string) (n int) {
		for _, r := range s {
			n += yes(pagedata.Letter(r))
		}
		return n
	}
	s, _ := v.raw.(string)
	return letters(pagedata.Normalize(s)) == letters(c.page.TextOf(v.home.lo, math.MaxInt))
}

// part explains that the page shows more at a place than the text.
func (c *weigher) part(pl *place, shown string) string {
	ref, said := c.page.Ref(pl.elem)
	return fmt.Sprintf("%s is a part of what stands there (%s: %.80q); give all of it, or what ends where a part of it does", shown, ref, said)
}

// unproven says what is missing for a place to prove a leaf; "" if nothing is.
func (c *weigher) unproven(v *value, h *home, g *ground, shown string) string {
	ref, text := c.page.Ref(g.elem)
	s := c.usual[v.member]
	said, worded := v.raw.(string)
	if worded && g.number < 0 && (g.cut || s != nil && s.whole*2 > s.rows && !c.whole(g.place)) {
		return c.part(g.place, shown)
	}
	if other := c.same(v, g.place); other != nil && g.own < named {
		return fmt.Sprintf("%s stands at %s alone, and %s has it, too", shown, ref, other.member.name)
	}
	switch {
	case g.struck > 0:
		return fmt.Sprintf("%s at %s (%.60q) is struck through, and another amount there is not", shown, ref, text)
	case g.coded:
		return fmt.Sprintf("%s stands at %s as the digits of a code (%.60q)", shown, ref, text)
	case g.own >= marked, g.seat > 0, v.parent == nil, worded && (len(strings.Fields(said)) > 5 || c.heads(v, g.place)):
		return ""
	}
	return fmt.Sprintf("%s stands at %s (%.60q), but nothing there says that it is %s", shown, ref, text, v.member.name)
}

// same is another leaf of the object that has the same value, if the home has it in
// one place only: one place proves one leaf.
func (c *weigher) same(v *value, pl *place) *value {
	if v.parent == nil {
		return nil
	}
	i := slices.IndexFunc(v.parent.kids, func(k *value) bool { return k != v && k.raw == v.raw })
	if i < 0 || slices.ContainsFunc(c.within(c.find.places(v), around(v)), func(o place) bool {
		return o.line >= 0 && !c.page.Lines[o.line].Hidden && (o.elem != pl.elem || o.at != pl.at)
	}) {
		return nil
	}
	return v.parent.kids[i]
}

// heads reports whether a text is a heading, and the name, the title or the first text
// of its object: what a heading names is the thing.
func (c *weigher) heads(v *value, pl *place) bool {
	first := slices.IndexFunc(v.parent.kids, func(k *value) bool { _, ok := k.raw.(string); return ok })
	if v.parent.kids[first] != v && !pagedata.HasWord(v.member.core, "name") && !pagedata.HasWord(v.member.core, "title") {
		return false
	}
	for at, i := pl.elem, 0; at > 0 && i < 5; at, i = c.page.Elems[at].Parent, i+1 {
		if t := c.page.Tag(at); c.page.IsHeading(at) || t == "title" || t == "#document" || t == "legend" || t == "caption" {
			return true
		}
	}
	return false
}

func (c *weigher) nowhere(v *value, shown string) string {
	if _, ok := v.raw.(json.Number); ok {
		return shown + " stands nowhere on the page, in no way of writing it; give the number as the page has it"
	}
	if s := v.raw.(string); strings.Contains(s, "://") || v.member.format == "uri" {
		return shown + " is the address of no link or picture on the page; give that of one"
	}
	return shown + " stands nowhere on the page; give the words as the page has them"
}

// outside judges a leaf that stands on the page, and not in the record of its object:
// what is said before it for all records, as a heading, a caption or the title does, is
// said of each.
func (c *weigher) outside(v *value, h *home, places []place, shown string) (*place, string) {
	p := c.page
	ref, _ := p.Ref(places[0].elem)
	if h.record <= 0 && !h.run {
		return &places[0], fmt.Sprintf("%s stands in a row or part (%s) that is another's", shown, ref)
	}
	s, text := v.raw.(string)
	at := behind(places, h.lo)
	if pagedata.IsCurrency(s) || pagedata.Signs[pagedata.Normalize(s)] != "" { // it may have its own
		if c.numberIn(h, func(i int32) bool { return p.Numbers[i].What.Currency != "" }) >= 0 {
			at = 0
		}
		c.linesIn(h, func(l int32) {
			if pagedata.IsCurrency(strings.ToUpper(strings.TrimSpace(p.Lines[l].Text))) {
				at = 0
			}
		})
	}
	for i := at - 1; i >= 0 && places[0].kind != Address && (h.record > 0 || h.run); i-- {
		if pl := &places[i]; (pl.kind != Attribute || p.Tag(pl.elem) == "#document") && c.shared(pl.elem, h) && (text || c.calls(v.member, pl) >= named) {
			return pl, ""
		}
	}
	return nil, fmt.Sprintf("%s stands in another row or part (%s), not with the rest of this object; give what stands in its own", shown, ref)
}

// rival is the member beside a leaf that the page calls a place by, rather than by
// the leaf's own, and that stands beside it; nil if there is none. What is called so and
// says that member, too, may be either.
func (c *weigher) rival(v *value, pl *place, own int) (best *member) {
	if v.parent == nil || own >= exact {
		return nil
	}
	most := max(own, marked)
	_, number := v.raw.(json.Number)
	for _, k := range v.parent.kids {
		if _, also := k.raw.(json.Number); k == v || k.member == v.member || also != number || v.member.extends(k.member) {
			continue
		}
		in := c.within(c.find.places(k), around(v))
		if q := c.calls(k.member, pl); q > most && len(in) > 0 && !slices.ContainsFunc(in, func(o place) bool {
			return (o.elem != pl.elem || o.at != pl.at || o.end != pl.end) && c.calls(k.member, &o) >= q
		}) {
			best, most = k.member, q
		}
	}
	return best
}

// struck finds another amount that a leaf's may be exchanged with: what is deleted holds
// no more (HTML, the del element), and of two members of one name the longer one asks for
// it, as "oldPrice" beside "price". 2 is that such a member has the other amount.
func (c *weigher) struck(v *value, h *home, pl *place) (found int) {
	p := c.page
	if pl.number < 0 || p.Numbers[pl.number].What.Currency == "" || v.parent == nil {
		return 0
	}
	old := c.captionOf(pl).Old
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
		case old && v.parent.kids[k].member.extends(v.member), !old && v.member.extends(v.parent.kids[k].member):
			found = 2
		}
		return found > 0
	})
	return found
}

// elsewhere finds what the page calls exactly as a member in a home: a number for a
// number, a text for a text.
func (c *weigher) elsewhere(v *value, h *home) (said string, at int32) {
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
			if text := strings.TrimSpace(ln.Text[pc.Start:]); at == 0 && text != "" && quality(v.member, c.caption(pc.Elem, pc.Start).Sure) >= exact {
				said, at = text, pc.Elem
			}
		}
	})
	return said, at
}
