package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// trace checks every leaf within the home of its object.
func (c *checker) trace(v *value) {
	switch {
	case v.leaf():
		c.leaf(v)
	case v.object && len(v.kids) == 0:
		c.report.Leaves++
		c.contradict(v, "an empty object rests on nothing on the page; leave it out or give null")
	default:
		for _, k := range v.kids {
			c.trace(k)
		}
		c.hollow(v)
		if v.list {
			c.gaps(v)
		}
	}
}

func (c *checker) leaf(v *value) {
	h := around(v)
	switch raw := v.raw.(type) {
	case nil:
		return
	case bool:
		c.report.Leaves++
		c.boolean(v, h, raw)
		return
	case string:
		c.report.Leaves++
		if strings.TrimSpace(raw) == "" {
			if !c.noneFor(v, h) {
				c.contradict(v, "empty, but the page does not say that there is none; give what stands there, or null")
			}
			return
		}
	case json.Number:
		c.report.Leaves++
	}
	f := c.stand(v, h)
	if f.place != nil {
		c.ground(v, *f.place)
		if f.why != "" {
			c.doubt(v, "%s", f.why)
		}
		return
	}
	if n, ok := v.raw.(json.Number); ok {
		if key, ok := pagedata.CanonicalText(string(n)); ok && key == "0" && c.noneFor(v, h) {
			return
		}
		c.pending = append(c.pending, pending{v, f.why})
		return
	}
	if len(v.member.enum) > 0 && len(c.find.places(v)) == 0 {
		c.doubt(v, "%s is one of the given words, and stands nowhere on the page", shownValue(v))
		return
	}
	c.contradict(v, "%s", f.why)
}

// A standing is the place that a leaf was read from, with what is not sure of it; or
// none, with what contradicts it.
type standing struct {
	place *place
	why   string
}

// A ground is what speaks for a place.
type ground struct {
	place      *place
	own        int     // how the page calls it, for the member
	rival      *member // that the page calls it by
	seat       int
	struck     bool // another amount is what may be asked for
	exchanged  bool // and what the other member has
	cited, cut bool
	seen       bool // as text, not as an attribute
}

// compare brings what proves more before what proves less.
func (a *ground) compare(b *ground) int {
	rank := func(g *ground) (out [7]int) {
		yes := func(b bool) int {
			if b {
				return 1
			}
			return 0
		}
		out[0] = yes(g.rival == nil && g.seat >= 0 && !g.struck)
		out[1], out[2] = g.seat, min(g.own, named)
		out[3], out[4], out[5] = yes(g.cited), yes(!g.cut), yes(g.seen)
		out[6] = g.own
		return out
	}
	x, y := rank(a), rank(b)
	return slices.Compare(y[:], x[:])
}

// stand takes the place of a leaf that most speaks for, or says why there is none.
func (c *checker) stand(v *value, h *home) standing {
	shown := shownValue(v)
	places := c.find.places(v)
	if h.record < 0 {
		return standing{nil, "no record of the page is left that says what this item says; leave the item out, and give each record once"}
	}
	if len(places) == 0 {
		return standing{nil, c.nowhere(v, shown)}
	}
	listed := v.parent != nil && v.parent.list
	in := c.within(places, h)
	if listed {
		return c.entry(v, h, in, shown)
	}
	var list []ground
	options, owned := 0, 0
	for i := range in {
		pl := &in[i]
		switch {
		case pl.last >= h.hi && len(h.extra) == 0:
			continue
		case pl.option:
			options++
			continue
		case pl.elem >= h.lo && pl.elem < h.hi && !c.reachable(pl.elem, h):
			if owned++; c.calls(v.member, pl) < named {
				continue
			}
		}
		g := ground{place: pl, own: c.calls(v.member, pl), cut: c.cut(pl), seen: pl.line >= 0 && !c.page.Lines[pl.line].Hidden}
		g.rival = c.rival(v, pl, g.own)
		g.seat = c.seat(v, h, pl)
		g.struck, g.exchanged = c.struck(v, h, pl)
		if e, ok := c.cited[v.pointer]; ok {
			g.cited = pl.elem >= e && pl.elem < c.page.Elems[e].End || e >= pl.elem && e < c.page.Elems[pl.elem].End
		}
		if list = append(list, g); len(list) >= 24 {
			break
		}
	}
	if len(list) == 0 {
		if options > 0 {
			return standing{nil, shown + " is a choice there, but not the one that is chosen"}
		}
		return c.outside(v, h, places, shown)
	}
	slices.SortStableFunc(list, func(a, b ground) int { return a.compare(&b) })
	g := &list[0]
	ref, text := c.page.Ref(g.place.elem)
	switch {
	case g.rival != nil && g.seat < 1:
		return standing{nil, fmt.Sprintf("what the page says at %s is %s, not %s; give the value of %s", ref, g.rival.name, v.member.name, v.member.name)}
	case g.rival != nil:
		return standing{nil, fmt.Sprintf("the page calls %s at %s %s; give what it calls %s", shown, ref, g.rival.name, v.member.name)}
	case g.exchanged:
		return standing{nil, fmt.Sprintf("%s at %s (%.60q) is what was, or what is now; give the other amount", shown, ref, text)}
	case g.seat < 0:
		return standing{nil, fmt.Sprintf("%s stands where other items have something else (%s: %.60q); give what stands in the place of %s", shown, ref, text, v.member.name)}
	}
	if g.own < exact && g.seat < 1 {
		if said, at := c.elsewhere(v, h); at > 0 && !c.samePlace(g.place, at) {
			ref, _ := c.page.Ref(at)
			return standing{nil, fmt.Sprintf("the page calls %.60q %s (%s), not %s", said, v.member.name, ref, shown)}
		}
	}
	return standing{g.place, c.unproven(v, h, g, shown)}
}

func (c *checker) samePlace(pl *place, e int32) bool {
	return pl.elem == e || pl.elem >= e && pl.elem < c.page.Elems[e].End || e >= pl.elem && e < c.page.Elems[pl.elem].End
}

// unproven says what is missing for a place to prove a leaf; "" if nothing is.
func (c *checker) unproven(v *value, h *home, g *ground, shown string) string {
	ref, text := c.page.Ref(g.place.elem)
	s := c.usual[v.member]
	_, worded := v.raw.(string)
	alike := s != nil && s.rows > 2
	if worded && len(v.member.enum) == 0 && g.place.number < 0 && (g.place.kind == Text || g.place.kind == Attribute) && (alike && s.whole*2 > s.rows && !c.whole(g.place) || g.cut) {
		return fmt.Sprintf("%s is a part of what stands there (%s: %.80q); give all of it, or what ends where a part of it does", shown, ref, text)
	}
	if other := c.same(v, g.place); other != nil && g.own < named && g.own <= c.calls(other.member, g.place) && g.seat < 1 {
		return fmt.Sprintf("%s stands at %s alone, and %s has it, too", shown, ref, other.member.name)
	}
	switch {
	case g.struck && g.own < named:
		return fmt.Sprintf("%s at %s (%.60q) is struck through, and another amount there is not", shown, ref, text)
	case g.place.coded:
		return fmt.Sprintf("%s stands at %s as the digits of a code (%.60q)", shown, ref, text)
	case g.own >= marked, g.seat > 0, v.parent == nil:
		return ""
	}
	if s, ok := v.raw.(string); ok {
		if words := len(strings.Fields(s)); words > 5 || c.heads(v, h, g.place) {
			return ""
		}
	}
	return fmt.Sprintf("%s stands at %s (%.60q), but nothing there says that it is %s", shown, ref, text, v.member.name)
}

// same is another leaf of the object that has the same value, if the home has it in
// one place only: one place proves one leaf.
func (c *checker) same(v *value, pl *place) *value {
	if v.parent == nil {
		return nil
	}
	for _, k := range v.parent.kids {
		if k == v || !k.leaf() || k.raw != v.raw {
			continue
		}
		if !slices.ContainsFunc(c.within(c.find.places(v), around(v)), func(o place) bool {
			return o.line >= 0 && !c.page.Lines[o.line].Hidden && (o.elem != pl.elem || o.at != pl.at)
		}) {
			return k
		}
	}
	return nil
}

// heads reports whether a text is a heading, and the name, the title or the first text
// of its object: what a heading names is the thing.
func (c *checker) heads(v *value, h *home, pl *place) bool {
	for _, k := range v.parent.kids {
		if s, ok := k.raw.(string); ok && k.leaf() && s != "" && !pagedata.HasWord(v.member.core, "name") && !pagedata.HasWord(v.member.core, "title") {
			if k != v {
				return false
			}
			break
		}
	}
	for at, i := pl.elem, 0; at > 0 && i < 5; at, i = c.page.Elems[at].Parent, i+1 {
		if t := c.page.Tag(at); pagedata.Heading(t) || t == "title" || t == "#document" || t == "legend" || t == "caption" || c.page.Attr(at, "role") == "heading" {
			return true
		}
	}
	return false
}

func (c *checker) nowhere(v *value, shown string) string {
	if _, ok := v.raw.(json.Number); ok {
		return shown + " stands nowhere on the page, in no way of writing it; give the number as the page has it"
	}
	if s := v.raw.(string); strings.Contains(s, "://") || v.member.format == "uri" {
		return shown + " is the address of no link or picture on the page; give that of one"
	}
	return shown + " stands nowhere on the page; give the words as the page has them"
}

// outside judges a leaf that stands on the page, and not in the record of its object.
func (c *checker) outside(v *value, h *home, places []place, shown string) standing {
	if pl := c.context(v, h, places); pl != nil {
		return standing{pl, ""}
	}
	ref, _ := c.page.Ref(places[0].elem)
	if h.record > 0 || h.run || item(v) != nil {
		return standing{nil, fmt.Sprintf("%s stands in another row or part (%s), not with the rest of this object; give what stands in its own", shown, ref)}
	}
	return standing{&places[0], fmt.Sprintf("%s stands in a row or part (%s) that is another's", shown, ref)}
}

// context finds a leaf of a record in what is said before it for all records: in a
// heading, a caption, the title. A number has to be called as its member is, and a record with an
// amount of money has its currency with it.
func (c *checker) context(v *value, h *home, places []place) *place {
	p := c.page
	if h.record <= 0 && !h.run || places[0].kind == Address {
		return nil
	}
	s, text := v.raw.(string)
	currency := pagedata.IsCurrency(s) || pagedata.Signs[pagedata.Normalize(s)] != ""
	if currency {
		own := c.numberIn(h, func(i int32) bool { return p.Numbers[i].What.Currency != "" }) >= 0
		c.linesIn(h, func(l int32) {
			own = own || pagedata.IsCurrency(strings.ToUpper(strings.TrimSpace(p.Lines[l].Text)))
		})
		if own {
			return nil
		}
	}
	at, _ := slices.BinarySearchFunc(places, h.lo, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
	for i := at - 1; i >= 0; i-- {
		pl := &places[i]
		if pl.option || pl.kind == Attribute && p.Tag(pl.elem) != "#document" || !c.shared(pl.elem, h) {
			continue
		}
		if text || c.calls(v.member, pl) >= named {
			return pl
		}
	}
	return nil
}

// numberIn is the first number of a home that something holds for; -1 if there is none.
func (c *checker) numberIn(h *home, holds func(i int32) bool) int32 {
	list := c.page.Numbers
	i, _ := slices.BinarySearchFunc(list, h.lo, func(n pagedata.Found[pagedata.Number], lo int32) int { return cmp.Compare(n.Elem, lo) })
	for ; i < len(list) && list[i].Elem < h.hi; i++ {
		if l := &c.page.Lines[list[i].Line]; !l.Hidden && !l.Option && c.reachable(list[i].Elem, h) && holds(int32(i)) {
			return int32(i)
		}
	}
	return -1
}

// shared reports whether an element stands in no record beside the home's.
func (c *checker) shared(e int32, h *home) bool {
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
