package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// trace finds every leaf in the home of its object.
func (c *checker) trace(v *value) {
	switch {
	case v.leaf():
		c.leaf(v)
	case v.object && len(v.kids) == 0:
		c.report.Leaves++
		c.refuse(v, "an empty object rests on nothing on the page; leave it out or give null")
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
			c.none(v, h)
			return
		}
	case json.Number:
		c.report.Leaves++
	}
	places := c.find.places(v)
	if h == nil {
		h = &home{record: 0, lo: 0, hi: int32(len(c.page.elems)), group: -1}
	}
	good, why := c.stand(v, h, places)
	if good != nil {
		c.ground(v, *good)
		return
	}
	if n, ok := v.raw.(json.Number); ok {
		if key, ok := canonicalText(string(n)); ok && key == "0" && c.noneFor(v, h) {
			return
		}
		c.pending = append(c.pending, pending{v, why})
		return
	}
	c.refuse(v, "%s", why)
}

// stand takes the place of a leaf that fits best, or says why none does.
func (c *checker) stand(v *value, h *home, places []place) (*place, string) {
	shown := shownValue(v)
	if h.record < 0 {
		if h.taken != nil {
			return nil, fmt.Sprintf("the record that it stands in is that of %s already; give each record of the page once", pointerName(h.taken.pointer))
		}
		if len(places) == 0 {
			return nil, shown + " stands nowhere on the page, nor does the rest of this item; leave the item out"
		}
		return nil, "no record of the page says what this item says; leave the item out"
	}
	if len(places) == 0 {
		return nil, c.nowhere(v, shown)
	}
	in := c.inside(places, h)
	if len(h.extra) > 0 {
		in = slices.Clone(in)
		for _, x := range h.extra {
			in = append(in, c.inside(places, &home{lo: x, hi: c.page.elems[x].end})...)
		}
	}
	listed := v.parent != nil && v.parent.list
	var open []place
	options := 0
	for _, pl := range in {
		if pl.last >= h.hi && h.holds(pl.elem, c.page) && len(h.extra) == 0 {
			continue
		}
		if pl.option && !listed {
			options++
			continue
		}
		if !h.run && !listed && v.parent != nil && !c.reachable(pl.elem, h, v.member) && !c.labelled(pl, v.member) && !c.among(pl, v) && !c.open(v, h, &pl) {
			continue
		}
		if pl.parts != nil && !c.partsInside(pl, h) {
			continue
		}
		open = append(open, pl)
		if len(open) >= 24 {
			break
		}
	}
	if len(open) == 0 {
		if s, ok := v.raw.(string); ok && len(in) > 0 && isCurrency(s) && c.allIn(s, h) {
			return &in[0], ""
		}
		if options > 0 {
			return nil, shown + " is a choice there, but not the one that is chosen"
		}
		if pl := c.context(v, h, places); pl != nil {
			return pl, ""
		}
		if len(in) == 0 || h.record > 0 {
			ref, _ := c.page.ref(places[0].elem)
			return nil, fmt.Sprintf("%s stands in another row or part (%s), not with the rest of this object; give what stands in its own", shown, ref)
		}
		ref, _ := c.page.ref(in[0].elem)
		return nil, fmt.Sprintf("%s stands in a row (%s) that the rest of this object is not from; give what stands with the rest", shown, ref)
	}
	if listed {
		open = c.entries(v, h, in)
		before := 0
		for _, k := range v.parent.kids[:v.index] {
			if k.raw == v.raw {
				before++
			}
		}
		if before > 0 && before >= c.apart(open) {
			return nil, shown + " is given more often than it stands there"
		}
	}
	return c.fitting(v, h, open, shown)
}

// apart counts the places that are not the same text once more, as the name of a
// control is that of its label: those that are seen, or else the elements.
func (c *checker) apart(list []place) int {
	seen := 0
	elems := map[int32]bool{}
	for _, pl := range list {
		elems[pl.elem] = true
		if pl.line >= 0 && !c.page.lines[pl.line].hidden {
			seen++
		}
	}
	return cmp.Or(seen, len(elems))
}

// allIn reports whether all money of a home is of one currency.
func (c *checker) allIn(code string, h *home) bool {
	for other, list := range c.page.byCurrency {
		if other == code {
			continue
		}
		for _, i := range list {
			n := &c.page.numbers[i]
			if h.holds(n.elem, c.page) && !shareWord(n.what.currency, code) {
				return false
			}
		}
	}
	return true
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

func (c *checker) partsInside(pl place, h *home) bool {
	for _, list := range pl.parts {
		if len(list) == 1 && list[0].elem == pl.elem {
			continue
		}
		ok := slices.ContainsFunc(c.inside(list, h), func(x place) bool { return c.reachable(x.elem, h, &member{}) })
		for _, x := range h.extra {
			ok = ok || len(c.inside(list, &home{lo: x, hi: c.page.elems[x].end})) > 0
		}
		if !ok {
			return false
		}
	}
	return true
}

// ground records where a leaf stands.
func (c *checker) ground(v *value, pl place) {
	p := c.page
	ref, name := p.ref(pl.elem)
	s := Source{Ref: ref, Kind: pl.kind, Frame: c.frame(pl.elem)}
	if pl.line >= 0 {
		l := &p.lines[pl.line]
		end := pl.end
		if end < 0 || int(end) > len(l.text) {
			end = int32(len(l.text))
		}
		s.Text = l.text[min(pl.at, end):end]
		if str, ok := v.raw.(string); ok {
			if i := strings.Index(name, str); i >= 0 {
				s.Start, s.End, s.Text = i, i+len(str), str
			}
		}
		if s.End == 0 {
			if folded := strings.ToLower(name); len(folded) == len(name) {
				if i := strings.Index(folded, s.Text); i >= 0 && s.Text != "" {
					s.Start, s.End = i, i+len(s.Text)
					s.Text = name[s.Start:s.End]
				}
			}
		}
	} else if str, ok := v.raw.(string); ok {
		s.Text = str
	}
	if pl.kind == Derived || pl.scaled {
		s.Kind = Derived
		s.How = "read from another spelling"
		s.Parts = []string{string(ref)}
		for _, list := range pl.parts {
			if h := around(v); h != nil {
				if in := c.inside(list, h); len(in) > 0 {
					r, _ := p.ref(in[0].elem)
					if !slices.Contains(s.Parts, string(r)) {
						s.Parts = append(s.Parts, string(r))
					}
				}
			}
		}
	}
	c.report.Sources[v.pointer] = s
}

// context finds a leaf of a record in what is said for all records: the
// heading above, the caption, the column's head, the page's title.
func (c *checker) context(v *value, h *home, places []place) *place {
	if h.record <= 0 {
		return nil
	}
	p := c.page
	if len(places) > 0 && places[0].kind == Address && c.linked(h) {
		return nil // the record has links of its own
	}
	if n, ok := v.raw.(json.Number); ok && len(n) < 4 && !hasWord(v.member.words, "year") {
		return nil
	}
	currency := false
	if s, ok := v.raw.(string); ok && (isCurrency(s) || signs[normalize(s)] != "") {
		currency = true
		for _, list := range p.byCurrency {
			i, _ := slices.BinarySearchFunc(list, h.lo, func(i, lo int32) int { return cmp.Compare(p.numbers[i].elem, lo) })
			if i < len(list) && p.numbers[list[i]].elem < h.hi {
				return nil // the record has a currency of its own
			}
		}
		for i := int(p.firstLine(h.lo)); i < len(p.lines) && p.lineStarts[i] < h.hi; i++ {
			for _, w := range p.words[p.lines[i].first:p.lines[i].end] {
				if code := p.lines[i].text[w.token.start:w.token.end]; len(code) == 3 && code != "try" && isCurrency(strings.ToUpper(code)) {
					return nil // as a text
				}
			}
		}
	}
	at, _ := slices.BinarySearchFunc(places, h.lo, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
	tries := 0
	for i := at - 1; i >= 0 && tries < 12; i-- {
		tries++
		pl := places[i]
		if pl.option || pl.kind == Attribute && p.tag(pl.elem) != "" && p.tag(pl.elem) != "#document" || !c.shared(pl.elem, h) {
			continue
		}
		if currency || c.governs(pl.elem, h) {
			return &pl
		}
		if cap := p.captionOf(pl.elem, pl.at); likeness(v.member, cap.sure) > 0.3 {
			return &pl // "Date: 3 May" above a list
		}
	}
	if currency {
		for i := at; i < len(places) && i < at+12; i++ {
			if c.shared(places[i].elem, h) {
				return &places[i]
			}
		}
	}
	return nil
}

// linked reports whether a link stands in a home.
func (c *checker) linked(h *home) bool {
	for e := h.lo; e < h.hi; e++ {
		if !c.page.elems[e].visible {
			continue
		}
		if t := c.page.tag(e); t != "a" && t != "area" {
			continue
		}
		if _, ok := c.page.node(e).Attr("href"); ok {
			return true
		}
	}
	return false
}

// shared reports whether an element stands in no record beside the home's.
func (c *checker) shared(e int32, h *home) bool {
	for r := c.page.elems[e].record; r > 0; r = c.page.rec.all[r].parent {
		rec := &c.page.rec.all[r]
		if rec.lo <= h.lo && rec.hi >= h.hi {
			return true
		}
		if rec.solid && !rec.header || rec.group >= 0 && rec.group == h.group {
			return false
		}
	}
	return true
}

// governs reports whether an element is a heading for what a home holds: none
// of its kind stands between.
func (c *checker) governs(e int32, h *home) bool {
	p := c.page
	head := int32(-1)
	for at, i := e, 0; at > 0 && i < 6; at, i = p.elems[at].parent, i+1 {
		t := p.tag(at)
		if heading(t) || t == "caption" || t == "legend" || t == "summary" || t == "dt" || t == "th" || t == "title" || t == "header" || t == "tr" || p.attr(at, "role") == "heading" {
			head = at
			break
		}
	}
	if head < 0 || p.elems[head].end > h.lo {
		return false
	}
	if p.tag(head) == "th" || p.tag(head) == "tr" {
		t := p.tableOf(head)
		if t == nil || t.elem != p.tableElem(h.lo) {
			return false
		}
		if p.tag(head) == "th" && p.headerRow(p.elems[head].parent) {
			return len(t.heads) == 1
		}
	}
	sign := p.elems[head].signature
	between := 0
	for k := p.elems[head].end; k < h.lo; k++ {
		if p.elems[k].signature == sign && p.elems[k].visible && p.elems[k].facts > 0 && p.tag(k) != "" {
			if heading(p.tag(head)) || p.elems[k].parent == p.elems[head].parent {
				return false
			}
		}
		between++
		if between > 200_000 {
			return false
		}
	}
	return true
}

func (p *page) tableElem(e int32) int32 {
	if t := p.tableOf(e); t != nil {
		return t.elem
	}
	return -1
}
