package direct

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// JSON-LD is what a page says of itself for machines. It may be old or wrong, so that it
// gives no value: it names texts that a person sees beside the thing's name, where they
// say the same.

// mostProps bounds the properties of a thing that are looked for among the texts of each record.
const mostProps = 80

// A prop is a property of a thing with what it is called.
type prop struct {
	label []string
	value string
}

// A linker finds what JSON-LD says among a page's texts.
type linker struct {
	reader
	things map[string][]prop // by their names
}

// readData reads what the page says for machines.
func (p *linker) readData() {
	for d := range p.Snap.Capture.Documents {
		nodes := p.Snap.Capture.Documents[d].Nodes
		for i := range nodes {
			kind, _ := nodes[i].Attr("type")
			var v any
			if nodes[i].Name == "script" && strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") && i+1 < len(nodes) && nodes[i+1].Parent == int32(i) && json.Unmarshal([]byte(nodes[i+1].Text), &v) == nil {
				p.collect(v)
			}
		}
	}
}

// collect reads a thing, a list of them, or what has them as @graph or as items of a
// list. Of two things of one name that differ, none is known.
func (p *linker) collect(v any) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			p.collect(inner)
		}
	case map[string]any:
		name, props := "", properties(v, "")
		for _, key := range []string{"title", "headline", "name"} {
			if s, ok := v[key].(string); ok {
				name = pagedata.Normalize(pagedata.Collapse(s))
			}
		}
		if before, ok := p.things[name]; ok && len(before) != len(props) {
			props = nil
		}
		p.things[name] = props
		for _, key := range []string{"@graph", "itemListElement", "item", "mainEntity"} {
			p.collect(v[key])
		}
	}
}

// properties are the texts and numbers of an object; those of an object within it under
// its own name, and its name under that of the property.
func properties(v map[string]any, around string) (out []prop) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.HasPrefix(name, "@") || len(out) >= mostProps {
			continue
		}
		label, inner := nameWords(name), v[name]
		if around != "" && (name == "name" || name == "value" || name == "text") {
			label = nameWords(around)
		}
		if list, ok := inner.([]any); ok && len(list) == 1 {
			inner = list[0]
		}
		switch inner := inner.(type) {
		case string:
			out = append(out, prop{label, pagedata.Collapse(inner)})
		case float64:
			out = append(out, prop{label, strconv.FormatFloat(inner, 'f', -1, 64)})
		case map[string]any:
			if around == "" {
				out = append(out, properties(inner, name)...)
			}
		}
	}
	return out
}

// linked are the texts of a record that say what a property of the thing does that the
// record, or the page's main heading, names. A property that two texts say is taken
// once; one that no text says is not seen.
func (p *linker) linked(r *record, main bool) (facts []fact) {
	var about []prop
	for e := r.lo; e < r.hi && about == nil && len(p.things) > 0; e++ {
		if said, ok := p.line(e); ok && p.Elems[e].Visible && (p.Tag(e) == "h1" || !main && p.Tag(e) != "") {
			about = p.things[pagedata.Normalize(said)]
		}
	}
	for _, prop := range about {
		for e := r.lo; e < r.hi; e++ {
			if p.Tag(e) != "" && p.Elems[e].Visible && p.Elems[e].Facts == 1 && p.says(e, prop.value) {
				facts = append(facts, fact{label: prop.label, node: e, mark: byData})
				break
			}
		}
	}
	return facts
}

// says reports whether an element says a value: letter by letter, as a number, or as a
// date.
func (p *linker) says(e int32, value string) bool {
	said, ok := p.line(e)
	if v, err := strconv.ParseFloat(value, 64); err == nil {
		n, number := p.figure(e)
		return number && n == v
	}
	date, _ := p.dateOf(said, e)
	return ok && (strings.EqualFold(said, value) || len(value) >= 10 && date == value[:10])
}
