package direct

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Metadata is what a page says of itself for machines: JSON-LD, OpenGraph,
// microdata in meta elements. It may be old or wrong, so that it gives no value:
// it names values that a person sees, where they are the same.

const (
	mostEntities = 5000
	mostProps    = 80
	deepestData  = 12
)

// entities reads the metadata of a page's documents.
func (p *page) entities(c *driver.Capture) {
	for d := range c.Documents {
		doc := &c.Documents[d]
		graph := entity{}
		for i := range doc.Nodes {
			n := &doc.Nodes[i]
			switch n.Name {
			case "script":
				if strings.EqualFold(strings.TrimSpace(attr(n, "type")), "application/ld+json") && i+1 < len(doc.Nodes) && doc.Nodes[i+1].Parent == int32(i) {
					var v any
					if json.Unmarshal([]byte(doc.Nodes[i+1].Text), &v) == nil {
						p.linked(v, 0)
					}
				}
			case "meta":
				value := collapse(attr(n, "content"))
				if value == "" {
					continue
				}
				if name := attr(n, "itemprop"); name != "" {
					p.entity(entity{props: []prop{{name, value}}, scope: scopeOf(doc, int32(i))})
					continue
				}
				switch kind, name, _ := strings.Cut(attr(n, "property"), ":"); kind {
				case "og", "product", "article", "book", "event":
					name = strings.TrimSuffix(name, ":amount")
					if name == "title" && graph.name == "" {
						graph.name = strings.ToLower(value)
						name = "name"
					}
					graph.props = append(graph.props, prop{strings.ReplaceAll(name, ":", " "), value})
				}
			}
		}
		if graph.name != "" {
			p.entity(graph)
		}
	}
}

// scopeOf is the element that the microdata of a node are about.
func scopeOf(doc *driver.Document, i int32) driver.NodeRef {
	up := doc.Nodes[i].Parent
	for at := up; at >= 0; at = doc.Nodes[at].Parent {
		if _, ok := doc.Nodes[at].Attr("itemscope"); ok {
			return doc.Ref(at)
		}
	}
	return doc.Ref(up)
}

func (p *page) entity(e entity) {
	if len(p.things) < mostEntities && len(e.props) > 0 {
		p.things = append(p.things, e)
		if e.name != "" {
			p.called[e.name] = append(p.called[e.name], len(p.things)-1)
		}
	}
}

// linked reads JSON-LD: an object, a list of them, or what has them as @graph or
// as items of a list.
func (p *page) linked(v any, depth int) {
	if depth > deepestData {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			p.linked(inner, depth+1)
		}
	case map[string]any:
		e := entity{}
		for _, key := range []string{"name", "headline", "title"} {
			if s, ok := v[key].(string); ok && e.name == "" {
				e.name = strings.ToLower(collapse(s))
			}
		}
		e.collect(v, "", 0)
		if e.name != "" {
			p.entity(e)
		}
		for _, key := range []string{"@graph", "itemListElement", "item", "mainEntity"} {
			if inner, ok := v[key]; ok {
				p.linked(inner, depth+1)
			}
		}
	}
}

// terms are names of schema.org that pages and schemas write otherwise.
var terms = map[string]string{
	"ratingValue": "rating", "reviewCount": "review count", "ratingCount": "review count", "priceCurrency": "currency", "hiringOrganization": "company",
	"datePublished": "published date", "dateCreated": "date", "datePosted": "posted date", "startDate": "start date", "endDate": "end date", "jobLocation": "location",
	"addressLocality": "city", "addressCountry": "country", "postalCode": "postal code", "streetAddress": "street", "headline": "title", "organizer": "organiser",
	"recipeYield": "servings", "recipeCuisine": "cuisine", "prepTime": "preparation time", "totalTime": "total time", "cookTime": "cooking time",
}

// collect takes the texts and numbers of an object, those of objects within it
// under their own names.
func (e *entity) collect(v map[string]any, around string, depth int) {
	if depth > deepestData {
		return
	}
	names := make([]string, 0, len(v))
	for name := range v {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.HasPrefix(name, "@") || name == "itemListElement" || name == "item" || len(e.props) >= mostProps {
			continue
		}
		label := name
		if around != "" && (name == "name" || name == "value" || name == "text") {
			label = around
		}
		if t, ok := terms[label]; ok {
			label = t
		}
		switch inner := v[name].(type) {
		case string:
			e.props = append(e.props, prop{label, collapse(inner)})
		case float64:
			e.props = append(e.props, prop{label, strconv.FormatFloat(inner, 'f', -1, 64)})
		case map[string]any:
			e.collect(inner, name, depth+1)
		case []any:
			if len(inner) == 1 {
				e.collect(map[string]any{name: inner[0]}, around, depth+1)
			}
		}
	}
}

// described adds the facts that metadata names: a text below a node is a
// property's value where it says the same.
func (p *page) described(root int32, record bool, facts []fact) []fact {
	if len(p.things) == 0 {
		return facts
	}
	var about []int
	end := p.nodes[root].end
	for i := root; i < end && about == nil; i++ {
		n := &p.nodes[i]
		if n.aside && !p.nodes[root].aside || n.kind != elementNode || n.to-n.from > 200 || !record && !n.is("h1") {
			continue
		}
		if list := p.called[strings.ToLower(p.span(i))]; len(list) <= 4 { // of one thing, said in several ways
			about = list
		}
	}
	for _, k := range about {
		facts = p.agreeing(&p.things[k], root, end, facts)
	}
	if p.scopes == nil {
		p.scopes = map[driver.NodeRef][]int{}
		for k := range p.things {
			if ref := p.things[k].scope; ref != (driver.NodeRef{}) {
				p.scopes[ref] = append(p.scopes[ref], k)
			}
		}
	}
	if len(p.scopes) == 0 {
		return facts
	}
	for i := root; i < end; i++ {
		if n := &p.nodes[i]; n.kind == elementNode && (!n.aside || p.nodes[root].aside) {
			for _, k := range p.scopes[p.tree.Capture.Documents[n.object.Doc].Ref(n.object.Node)] {
				facts = p.agreeing(&p.things[k], i, n.end, facts)
			}
		}
	}
	return facts
}

// agreeing adds the texts between two nodes that say what an entity's properties do.
func (p *page) agreeing(e *entity, from, to int32, facts []fact) []fact {
	for _, prop := range e.props {
		at := int32(-1)
		for i := from; i < to; i++ {
			if n := &p.nodes[i]; n.to-n.from > 400 || n.kind != textNode && n.end-i > 6 || n.aside && !p.nodes[from].aside || n.struck {
				continue
			}
			if p.says(p.span(i), prop.value) {
				at = i
				break
			}
		}
		if at < 0 {
			continue
		}
		facts = append(facts, fact{key: fmt.Sprintf("J:%s", strings.ToLower(prop.label)), label: prop.label, most: 90, least: 75, node: at, text: p.span(at)})
	}
	return facts
}

// says reports whether a text that is seen and a value of metadata are the same:
// letter by letter, as numbers or as dates.
func (p *page) says(text, value string) bool {
	if text == "" {
		return false
	}
	if strings.EqualFold(plain(text), value) {
		return true
	}
	if number, err := strconv.ParseFloat(value, 64); err == nil && len(text) < 40 {
		if n, ok := p.figureOf(text); ok {
			seen, err := strconv.ParseFloat(n.value, 64)
			return err == nil && seen == number
		}
		return false
	}
	if len(value) >= 10 && value[4] == '-' && value[7] == '-' && len(text) < 60 {
		date, ok := p.dateOf(text)
		return ok && date == value[:10]
	}
	return false
}
