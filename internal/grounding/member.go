package grounding

import (
	"slices"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
	"github.com/wayfinder-engine/wayfinder/internal/shape"
)

// A member holds the words of a property's name and description, and what its schema asks for.
type member struct {
	name   string
	form   shape.Shape
	words  []string // of its own name
	core   []string // those without a unit
	about  []string // of its description
	format string
	enum   []string
	typ    string
	target unit // that the name asks for
	found  map[any][]place
}

// A unit is what a number is counted in: how many of a base unit, for which SI and the
// calendar have factors.
type unit struct {
	base   string
	factor float64
}

// units are the words of a name that only say what a number is counted in.
var units = map[string]unit{
	"mg": {"g", 1e-3}, "g": {"g", 1}, "grams": {"g", 1}, "kg": {"g", 1e3}, "t": {"g", 1e6},
	"mm": {"m", 1e-3}, "cm": {"m", 1e-2}, "m": {"m", 1}, "metres": {"m", 1}, "meters": {"m", 1}, "km": {"m", 1e3},
	"ml": {"l", 1e-3}, "cl": {"l", 1e-2}, "l": {"l", 1}, "kb": {"b", 1 << 10}, "mb": {"b", 1 << 20}, "gb": {"b", 1 << 30}, "tb": {"b", 1 << 40},
	"seconds": {"s", 1}, "secs": {"s", 1}, "sec": {"s", 1}, "minutes": {"s", 60}, "mins": {"s", 60}, "min": {"s", 60}, "hours": {"s", 3600}, "hrs": {"s", 3600}, "days": {"s", 86400},
	"cents": {"amount", 0.01}, "cent": {"amount", 0.01}, "minor": {"amount", 0.01},
}

// describe takes format, choices and description of a schema; of an array of values,
// those of its entries.
func (m *member) describe(form shape.Shape) {
	for _, key := range []string{"title", "description"} {
		for _, s := range form.Texts(key) {
			m.about = append(m.about, pagedata.LabelWords(s)...)
		}
	}
	m.format, m.typ, m.enum = form.Text("format"), form.Text("type"), form.Texts("enum")
	if entry := form.Entry(0); m.format == "" && entry.Text("type") != "object" && entry.Text("type") != "array" && len(entry.Forms) > 0 {
		var inner member
		inner.describe(entry)
		m.format, m.enum = inner.format, inner.enum
		m.about = append(m.about, inner.about...)
	}
}

// extends reports whether a name has all words of another's, and more: "oldPrice" those
// of "price".
func (m *member) extends(other *member) bool {
	return len(m.words) > len(other.words) && !slices.ContainsFunc(other.words, func(w string) bool { return !slices.Contains(m.words, w) })
}

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
