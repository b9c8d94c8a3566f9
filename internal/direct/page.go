package direct

import (
	"slices"
	"strings"

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
		case p.Aside(e):
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

// partCalled finds the one part of the page, between two elements, whose heading,
// caption or legend is called as a member is.
func (p *page) partCalled(m *member, lo, hi int32) (from, to int32, ok bool) {
	for e := lo; e < hi; e++ {
		head := p.IsHeading(e)
		if !head && p.Tag(e) != "legend" && p.Tag(e) != "caption" || !p.Elems[e].Visible || !m.calledAll(p.LabelOf(e)) {
			continue
		}
		if ok {
			return 0, 0, false
		}
		from, to, ok = e, p.Elems[p.Elems[e].Parent].End, true
		for c := p.Elems[e].End; c < to && head; c = p.Elems[c].End {
			if p.IsHeading(c) {
				to = c
			}
		}
	}
	return from, to, ok
}
