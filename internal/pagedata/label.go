package pagedata

import (
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/htmltable"
)

// labels are what elements of a page say as labels of others.
type labels struct {
	values
	said    map[int32][]string
	classes map[string][]string
}

// LabelBefore is the term of a definition, or the header right before a cell; 0 if there
// is none. alone is that the two label and are labelled by nothing else.
func (p *labels) LabelBefore(e int32) (label int32, alone bool) {
	value, name := p.Part(e), "dt"
	if value != "dd" {
		name = "th"
	}
	up, next := p.Elems[e].Parent, p.Elems[e].End
	before := func(e int32) int32 {
		for e--; e > up; e-- {
			for p.Elems[e].Parent != up {
				e = p.Elems[e].Parent
			}
			if p.Node(e).Kind == driver.ElementNode {
				return e
			}
		}
		return 0
	}
	for next < p.Elems[up].End && p.Node(next).Kind != driver.ElementNode {
		next = p.Elems[next].End
	}
	alone = next == p.Elems[up].End || p.Part(next) != value
	for label = before(e); p.Part(label) == value; label = before(label) {
		alone = false
	}
	if p.Part(label) != name {
		return 0, false
	}
	return label, alone && p.Part(before(label)) != name && htmltable.SpanOf(p.Node(label)).Down == 1
}

// LabelOf are the words of an element as a label.
func (p *labels) LabelOf(e int32) []string {
	if e <= 0 {
		return nil
	}
	words, known := p.said[e]
	if !known {
		words = p.labelWords(e)
		p.said[e] = words
	}
	return words
}

// labelWords are those of an element's text; an abbreviation says them in full.
func (p *labels) labelWords(e int32) []string {
	for k := e; k < p.Elems[e].End; k++ {
		if full := p.Attr(k, "title"); full != "" && p.Tag(k) == "abbr" {
			return LabelWords(full)
		}
	}
	if text := p.TextOf(e, 120); text != "" {
		return LabelWords(text)
	}
	if n := p.Named(e); n != nil {
		return LabelWords(n.Name)
	}
	return nil
}

// Title is what a list, a table or another part of the page is called: by its caption,
// its name, or the heading before it.
func (p *labels) Title(e int32) []string {
	if c := e + 1; c < p.Elems[e].End && p.Tag(c) == "caption" { // HTML has it first
		return p.LabelOf(c)
	}
	if n := p.Named(e); n != nil && n.Name != "" {
		return LabelWords(n.Name)
	}
	for ; e > 0; e = p.Elems[e].Parent {
		last := int32(0)
		for c := p.Elems[e].Parent + 1; c < e; c = p.Elems[c].End {
			if p.IsHeading(c) {
				last = c
			}
		}
		if last > 0 {
			return p.LabelOf(last)
		}
	}
	return nil
}

// ClassWords are the words of an element's class, itemprop and data-label attributes.
func (p *labels) ClassWords(e int32) []string {
	n := p.Node(e)
	var key string
	for _, a := range n.Attrs {
		switch a.Name {
		case "class", "itemprop", "data-label", "data-title", "id", "data-testid", "headers":
			if a.Name == "id" && len(a.Value) > 24 {
				continue
			}
			key += a.Value + " "
		}
	}
	if key == "" {
		return nil
	}
	if w, ok := p.classes[key]; ok {
		return w
	}
	var out []string
	for _, w := range SplitName(key) {
		if !Empty[w] {
			out = append(out, Stem(w))
		}
	}
	p.classes[key] = out
	return out
}
