package direct

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A mark is the kind of markup that says what a fact is, surest first: of a fact that
// several say, the surest counts.
type mark uint8

const (
	labelled mark = iota // a header, a term, a label, an itemprop
	byTag                // a heading, the only link, the only picture
	byData               // JSON-LD that says the same as a text
	none
)

// A fact is what an element of the page says, with what its markup calls it.
type fact struct {
	label []string
	node  int32
	mark  mark
	tag   string // of a fact by its tag: "h", "a" or "img"
	url   string
	value string // of a control
	set   bool   // it is a control: value and on are all that it says
	on    *bool  // of a control that is on or off
}

// A record is one of several parts of a page that are built alike, or a page as a whole.
type record struct {
	lo, hi int32
	facts  []fact
}

// A marker reads what a page's markup calls its texts.
type marker struct{ linker }

// facts reads what the markup says between two elements, outside of the records in it.
func (p *marker) facts(lo, hi int32) (out []fact) {
	var items []fact // of microdata
	scope, several := int32(-1), false
	for e := lo; e < hi; {
		next := p.Elems[e].End
		f, control := p.held(e)
		switch tag := p.Part(e); {
		case !p.Elems[e].Visible:
			next = e + 1
		case e > lo && (p.Aside(e) || p.ofSeveral(e)):
		case tag == "td" || tag == "dd":
			if label, alone := p.LabelBefore(e); alone {
				out = append(out, fact{label: p.LabelOf(label), node: e})
			} else if label == 0 { // a layout
				next = e + 1
			}
		case control:
			// A field that is called by its placeholder has no label.
			if len(f.label) > 0 && p.Attr(e, "type") != "password" && p.Named(e).Name != p.Attr(e, "placeholder") && (f.on != nil || strings.TrimSpace(f.value) != "") {
				out = append(out, f)
			}
		default:
			next = e + 1
			if tag == "fieldset" || p.Attr(e, "role") == "radiogroup" {
				out = append(out, p.chosen(e)...)
			}
			if f, of, ok := p.property(e); ok {
				several = several || scope >= 0 && scope != of
				items, scope = append(items, f), of
			}
		}
		e = next
	}
	if several { // of several things that microdata describe, none is the record
		return out
	}
	return append(out, items...)
}

// whole adds to a record what its tags say, and JSON-LD of the thing that it names.
func (p *marker) whole(r record) record {
	r.facts = slices.Concat(r.facts, p.byTags(r.lo, r.hi))
	r.facts = append(r.facts, p.linked(&r, false)...)
	return r
}

// parts are what is a part of a page or of a thing, though there may be several.
var parts = pagedata.SetOfWords("section fieldset form table tbody dl dt dd td th")

// ofSeveral reports whether an element is one of several things.
func (p *marker) ofSeveral(e int32) bool {
	r := &p.Rec.All[p.Elems[e].Record]
	return r.Lo == e && r.Hi == p.Elems[e].End && r.Solid && !parts[p.Part(e)]
}

// chosen reads the one radio button that is chosen, by the name of its group.
func (p *marker) chosen(e int32) (out []fact) {
	group := p.Named(e)
	for c := e; c < p.Elems[e].End && group != nil; c++ {
		if n := p.Named(c); n != nil && n.Role == "radio" && n.States.Checked == accessibility.On {
			out = append(out, fact{label: pagedata.LabelWords(group.Name), node: c, value: n.Name, set: true})
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// property reads an element's itemprop, with the thing that it describes. What a meta
// element says for machines is not seen, and a thing that is a property is a thing of
// its own.
func (p *marker) property(e int32) (f fact, of int32, ok bool) {
	name := p.Attr(e, "itemprop")
	if name == "" || p.Attr(e, "content") != "" || p.Tag(e) == "meta" || p.Tag(e) == "link" {
		return f, 0, false
	}
	for of = e; of > 0; of = p.Elems[of].Parent {
		if _, scope := p.Node(of).Attr("itemscope"); scope {
			break
		}
	}
	f = fact{label: nameWords(name), node: e}
	if p.Tag(e) == "img" {
		f.url = p.Resolve(e, p.Attr(e, "src"))
	}
	return f, of, p.Attr(of, "itemprop") == ""
}

// byTags are what the tags in a record say of it: its one heading of the highest level,
// its only link, its only picture.
func (p *marker) byTags(lo, hi int32) (facts []fact) {
	if h, ok := p.topHeading(lo, hi); ok {
		facts = append(facts, fact{node: h, mark: byTag, tag: "h"})
	}
	for tag, attribute := range map[string]string{"a": "href", "img": "src"} {
		only := fact{mark: byTag, tag: tag}
		for e := lo; e < hi && only.node >= 0; e++ {
			if p.Tag(e) != tag || !p.Elems[e].Visible {
				continue
			}
			switch url := p.Resolve(e, p.Attr(e, attribute)); {
			case url != "" && only.url == "":
				only.node, only.url = e, url
			case url != "" && only.url != url:
				only.node = -1 // one of several
			}
		}
		if only.node > 0 {
			facts = append(facts, only)
		}
	}
	return facts
}

// topHeading is the one heading of the highest level between two elements.
func (p *marker) topHeading(lo, hi int32) (top int32, ok bool) {
	for e := lo; e < hi; e++ {
		if p.IsHeading(e) && (top == 0 || p.Tag(e) <= p.Tag(top)) {
			ok = top == 0 || p.Tag(e) < p.Tag(top)
			top = e
		}
	}
	return top, ok
}

// says reports whether a fact is what a member asks for. A member that is called as the
// markup itself asks for what a tag says.
func (f *fact) says(m *member) bool {
	switch {
	case f.mark != byTag:
		return m.called(f.label)
	case f.tag == "h":
		return m.form.kind == "string" && !m.form.address() && m.isOne("name", "title", "heading", "headline")
	case f.tag == "h1":
		return m.form.kind == "string" && !m.form.address() && m.isOne("heading", "headline")
	case f.tag == "a":
		return m.form.address() && m.isOne("link", "url", "href")
	}
	return m.form.address() && m.isOne("image", "img", "picture", "src")
}
