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

const (
	mostThings  = 5000
	mostProps   = 80
	deepestData = 12
)

// A thing is what JSON-LD describes.
type thing struct {
	name  string // as it has to stand on the page, normalized
	props []prop
}

// A prop is a property with what it is called.
type prop struct {
	label []string
	value string
}

// readData reads what the page says for machines.
func (p *page) readData() {
	for d := range p.Snap.Capture.Documents {
		nodes := p.Snap.Capture.Documents[d].Nodes
		for i := range nodes {
			kind, _ := nodes[i].Attr("type")
			var v any
			if nodes[i].Name == "script" && strings.EqualFold(strings.TrimSpace(kind), "application/ld+json") && i+1 < len(nodes) && nodes[i+1].Parent == int32(i) && json.Unmarshal([]byte(nodes[i+1].Text), &v) == nil {
				p.collect(v, 0)
			}
		}
	}
}

// collect reads a thing, a list of them, or what has them as @graph or as items of a list.
func (p *page) collect(v any, depth int) {
	if depth > deepestData || len(p.things) >= mostThings {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			p.collect(inner, depth+1)
		}
	case map[string]any:
		t := thing{}
		for _, key := range []string{"title", "headline", "name"} {
			if s, ok := v[key].(string); ok {
				t.name = pagedata.Normalize(pagedata.Collapse(s))
			}
		}
		if t.add(v, ""); t.name != "" {
			p.things = append(p.things, t)
		}
		for _, key := range []string{"@graph", "itemListElement", "item", "mainEntity"} {
			p.collect(v[key], depth+1)
		}
	}
}

// add takes the texts and numbers of an object; those of an object within it under
// its own name, and its name under that of the property.
func (t *thing) add(v map[string]any, around string) {
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if strings.HasPrefix(name, "@") || len(t.props) >= mostProps {
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
			t.props = append(t.props, prop{label, pagedata.Collapse(inner)})
		case float64:
			t.props = append(t.props, prop{label, strconv.FormatFloat(inner, 'f', -1, 64)})
		case map[string]any:
			if around == "" {
				t.add(inner, name)
			}
		}
	}
}

// linked are the texts of a record that say what a property of the thing does that the
// record, or the page's main heading, names. A property that two texts say is taken
// once; one that no text says is not seen.
func (p *page) linked(r *record, main bool) (facts []fact) {
	var about *thing
	for e := r.lo; e < r.hi && about == nil && len(p.things) > 0; e++ {
		if main && p.Tag(e) != "h1" || !p.Elems[e].Visible || p.Tag(e) == "" {
			continue
		}
		said, _ := p.line(e)
		said = pagedata.Normalize(said)
		for i := range p.things {
			switch t := &p.things[i]; {
			case t.name != said:
			case about != nil && len(about.props) != len(t.props):
				return nil // two things of that name
			default:
				about = t
			}
		}
	}
	if about == nil {
		return nil
	}
	for _, prop := range about.props {
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
func (p *page) says(e int32, value string) bool {
	said, ok := p.line(e)
	if v, err := strconv.ParseFloat(value, 64); err == nil {
		n, number := p.figure(e)
		return number && n == v
	}
	date, _ := p.dateOf(said, e)
	return ok && (strings.EqualFold(said, value) || len(value) >= 10 && date == value[:10])
}
