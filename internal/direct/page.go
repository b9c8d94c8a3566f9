package direct

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A page is a reading of a snapshot with what is made of it here.
type page struct {
	*pagedata.Page
	lists  []group // in page order, made when asked for
	things []thing // that JSON-LD describes
	read   bool    // lists are made
}

func (p *page) source(f *fact) Source {
	s := Source{Node: p.Place(f.node), Text: f.value}
	if lines, _ := p.Said(f.node); !f.set {
		s.Text = strings.Join(lines, " ")
	}
	return s
}

// landmarks are the roles of what stands beside a page's matter.
var landmarks = map[string]bool{"navigation": true, "complementary": true, "banner": true, "contentinfo": true, "search": true}

// aside reports whether an element begins something that stands beside the page's
// matter. A header, footer or aside of the main part, an article or a section is a part
// of that (HTML Accessibility API Mappings).
func (p *page) aside(e int32) bool {
	switch p.Tag(e) {
	case "nav":
		return true
	case "header", "footer", "aside":
		return !p.in(e, func(tag string) bool { return tag == "main" || tag == "article" || tag == "section" })
	}
	return landmarks[p.Attr(e, "role")]
}

// in reports whether an element stands in one whose tag is so.
func (p *page) in(e int32, so func(tag string) bool) bool {
	for e = p.Elems[e].Parent; e > 0; e = p.Elems[e].Parent {
		if so(p.Tag(e)) {
			return true
		}
	}
	return false
}

// words are those of a text that an element says, as labels are compared.
func (p *page) words(e int32) []string {
	lines, _ := p.Said(e)
	return pagedata.LabelWords(strings.Join(lines, " "))
}

func (p *page) isHeading(e int32) bool {
	return pagedata.Heading(p.Tag(e)) || p.Attr(e, "role") == "heading"
}

// named is the node of the snapshot that an element is; nil if it is none.
func (p *page) named(e int32) *accessibility.Node {
	if s := p.Elems[e].Seen; s >= 0 && p.Elems[e].Cell == 0 {
		return &p.Snap.Nodes[s]
	}
	return nil
}

// caption is what a list or a table is called: its caption, its name, or the heading
// before it, at most three levels up.
func (p *page) caption(e int32) []string {
	for c := e + 1; c < p.Elems[e].End && p.Part(e) == "table"; c = p.Elems[c].End {
		if p.Tag(c) == "caption" {
			return p.words(c)
		}
	}
	if n := p.named(e); n != nil && n.Name != "" {
		return pagedata.LabelWords(n.Name)
	}
	for level := 0; e > 0 && level < 3; level++ {
		up, last := p.Elems[e].Parent, int32(0)
		for c := up + 1; c < e; c = p.Elems[c].End {
			if p.isHeading(c) {
				last = c
			}
		}
		if last > 0 {
			return p.words(last)
		}
		e = up
	}
	return nil
}

// partCalled finds the one part of the page, between two elements, whose heading,
// caption or legend is called as a member is.
func (p *page) partCalled(m *member, lo, hi int32) (from, to int32, ok bool) {
	for e := lo; e < hi; e++ {
		legend := p.Tag(e) == "legend" || p.Tag(e) == "caption"
		if !legend && !p.isHeading(e) || !p.Elems[e].Visible || !m.calledAll(p.words(e)) {
			continue
		}
		if ok {
			return 0, 0, false
		}
		up := p.Elems[e].Parent
		from, to, ok = e, p.Elems[up].End, true
		for c := p.Elems[e].End; c < to && !legend; c = p.Elems[c].End {
			if p.isHeading(c) {
				to = c
			}
		}
	}
	return from, to, ok
}

// A record is one of several parts of a page that are built alike, or a page as a whole.
type record struct {
	lo, hi int32
	facts  []fact
}

// facts reads what the markup says between two elements, outside of the records in it.
func (p *page) facts(lo, hi int32) []fact {
	r := reader{page: p, scope: -1}
	for e := lo; e < hi; {
		switch at, inner := p.innerRecord(e, lo, hi); {
		case !p.Elems[e].Visible:
			e++
		case e > lo && p.aside(e):
			e = p.Elems[e].End
		case inner:
			e = at
		default:
			e = r.element(e)
		}
	}
	if r.several { // of several things that microdata describe, none is the record
		return r.facts
	}
	return slices.Concat(r.facts, r.items)
}

// innerRecord reports whether an element begins one of several things within lo to hi,
// and where that ends. Sections are parts of a page.
func (p *page) innerRecord(e, lo, hi int32) (end int32, ok bool) {
	switch p.Part(e) {
	case "section", "fieldset", "form", "table", "tbody", "dl", "dt", "dd", "td", "th":
		return 0, false
	}
	for r := p.Elems[e].Record; r > 0 && p.Rec.All[r].Lo == e; r = p.Rec.All[r].Parent {
		rec := &p.Rec.All[r]
		if rec.Solid && rec.Hi == p.Elems[e].End && (rec.Lo > lo || rec.Hi < hi) {
			return rec.Hi, true
		}
	}
	return 0, false
}
