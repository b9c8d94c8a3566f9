package grounding

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

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
			if code := strings.ToUpper(strings.TrimSpace(p.lines[i].text)); len(code) == 3 && isCurrency(code) {
				return nil // as a text
			}
		}
	}
	at, _ := slices.BinarySearchFunc(places, h.lo, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
	tries := 0
	for i := at - 1; i >= 0 && tries < 12; i-- {
		tries++
		pl := places[i]
		if pl.option || !c.shared(pl.elem, h) {
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
		if rec.solid && !rec.header {
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
	if head < 0 {
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
