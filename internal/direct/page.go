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
	lists  []group           // in page order
	things map[string][]prop // what JSON-LD says of things, by their names
	shapes map[uint64]int    // how many elements of the page's matter are of a shape
}

// newPage reads what the page says for machines, and its lists.
func newPage(read *pagedata.Page) *page {
	p := &page{Page: read, shapes: map[uint64]int{}, things: map[string][]prop{}}
	p.readData()
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		switch el := &p.Elems[e]; {
		case p.aside(e):
			e = el.End - 1
		case !el.Visible:
		case p.Part(e) == "table":
			p.tables(e)
			fallthrough
		default:
			p.shapes[el.Signature]++
		}
	}
	for i := range p.Rec.Groups {
		p.repeated(&p.Rec.Groups[i])
	}
	slices.SortStableFunc(p.lists, func(a, b group) int { return int(a.at - b.at) })
	return p
}

func (p *page) source(f *fact) Source {
	s := Source{Node: p.Place(f.node), Text: f.value}
	if lines, _ := p.Said(f.node); !f.set {
		s.Text = strings.Join(lines, " ")
	}
	return s
}

// landmarks are the roles of what stands beside a page's matter.
var landmarks = pagedata.SetOfWords("navigation complementary banner contentinfo search")

// aside reports whether an element begins something that stands beside the page's
// matter. A header, footer or aside of the main part, an article or a section is a part
// of that, though an aside of the main part has a landmark's role (HTML Accessibility
// API Mappings).
func (p *page) aside(e int32) bool {
	switch p.Tag(e) {
	case "nav":
		return true
	case "header", "footer", "aside":
		for up := p.Elems[e].Parent; up > 0; up = p.Elems[up].Parent {
			switch p.Tag(up) {
			case "main", "article", "section":
				return false
			}
		}
		return true
	}
	return landmarks[p.Attr(e, "role")]
}

// words are those of a text that an element says, as labels are compared.
func (p *page) words(e int32) []string {
	lines, _ := p.Said(e)
	return pagedata.LabelWords(strings.Join(lines, " "))
}

func (p *page) isHeading(e int32) bool {
	return (pagedata.Heading(p.Tag(e)) || p.Attr(e, "role") == "heading") && p.Elems[e].Visible
}

// named is the node of the snapshot that an element is; nil if it is none.
func (p *page) named(e int32) *accessibility.Node {
	if s := p.Elems[e].Seen; s >= 0 && p.Elems[e].Cell == 0 {
		return &p.Snap.Nodes[s]
	}
	return nil
}

// caption is what a list or a table is called: its caption, its name, or the heading
// before it.
func (p *page) caption(e int32) []string {
	if c := e + 1; c < p.Elems[e].End && p.Tag(c) == "caption" { // HTML has it first
		return p.words(c)
	}
	if n := p.named(e); n != nil && n.Name != "" {
		return pagedata.LabelWords(n.Name)
	}
	for ; e > 0; e = p.Elems[e].Parent {
		last := int32(0)
		for c := p.Elems[e].Parent + 1; c < e; c = p.Elems[c].End {
			if p.isHeading(c) {
				last = c
			}
		}
		if last > 0 {
			return p.words(last)
		}
	}
	return nil
}

// partCalled finds the one part of the page, between two elements, whose heading,
// caption or legend is called as a member is.
func (p *page) partCalled(m *member, lo, hi int32) (from, to int32, ok bool) {
	for e := lo; e < hi; e++ {
		head := p.isHeading(e)
		if !head && p.Tag(e) != "legend" && p.Tag(e) != "caption" || !p.Elems[e].Visible || !m.calledAll(p.words(e)) {
			continue
		}
		if ok {
			return 0, 0, false
		}
		from, to, ok = e, p.Elems[p.Elems[e].Parent].End, true
		for c := p.Elems[e].End; c < to && head; c = p.Elems[c].End {
			if p.isHeading(c) {
				to = c
			}
		}
	}
	return from, to, ok
}
