package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// citation is the member in which a model cites. Providers take letters, digits and
// underscores in names.
const citation = "_ref"

// citationMark tells the members that WithCitations added from a schema's own.
const citationMark = "wayfinder: citation"

// Citations is a schema for a model in which each object also says where it was
// read: a ref for an object that is an entry of a list, a ref for each plain member
// of any other. It may be used from several goroutines at once.
type Citations struct {
	schema *Schema
	asks   bool // the schema has members for citations
}

// Schema returns the schema for the model.
func (c *Citations) Schema() *Schema { return c.schema }

// Take removes the citations from an answer, and returns them by the JSON pointer of
// the entry or the member that they are of.
func (c *Citations) Take(answer []byte) (data []byte, cited map[string]string, err error) {
	cited = map[string]string{}
	if !c.asks {
		return answer, cited, nil
	}
	doc, err := decode(answer)
	if err != nil {
		return nil, nil, err
	}
	take(doc, "", cited)
	data, err = json.Marshal(doc)
	return data, cited, err
}

func take(v any, pointer string, cited map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		switch at := v[citation].(type) {
		case string:
			cited[pointer] = at
		case map[string]any:
			for name, ref := range at {
				if s, ok := ref.(string); ok {
					cited[pointer+"/"+pointerEscape.Replace(name)] = s
				}
			}
		}
		delete(v, citation)
		for name, inner := range v {
			take(inner, pointer+"/"+pointerEscape.Replace(name), cited)
		}
	case []any:
		for i := range v {
			take(v[i], pointer+"/"+strconv.Itoa(i), cited)
		}
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// WithoutCitations takes out of a schema for a model what WithCitations put in, for
// comparison with a request that asked for none.
// changed is whether there was something.
func WithoutCitations(raw json.RawMessage) (out json.RawMessage, changed bool, err error) {
	tree, err := decodeTree(raw)
	if err != nil {
		return nil, false, err
	}
	tree = rewrite(tree, func(o, _ *object) *object {
		members := o.obj("properties")
		if members == nil {
			return o
		}
		if at := members.obj(citation); at == nil || at.str("$comment") != citationMark {
			return o
		}
		changed = true
		o, members = o.clone(), members.clone()
		members.remove(citation)
		o.set("properties", members)
		return o
	})
	out, err = encodeTree(tree)
	return out, changed, err
}

// citing finds out which objects of a schema are entries of lists.
type citing struct {
	n       *narrowing
	entries map[*object]bool // an object that is both is an entry
	seen    map[citedAs]bool
}

type citedAs struct {
	object *object
	entry  bool
}

// walk visits what a value may be, along references.
func (w *citing) walk(o *object, entry bool) {
	key := citedAs{o, entry}
	if o == nil || w.seen[key] {
		return
	}
	w.seen[key] = true
	if entry {
		w.entries[o] = true
	}
	w.walk(w.n.target(o.str("$ref")), entry)
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		for _, e := range o.list(name) {
			if e, ok := e.(*object); ok {
				w.walk(e, entry)
			}
		}
	}
	if members := o.obj("properties"); members != nil {
		for _, name := range members.names {
			w.walk(members.obj(name), false)
		}
	}
	w.walk(o.obj("items"), true)
	for _, e := range append(o.list("items"), o.list("prefixItems")...) {
		if e, ok := e.(*object); ok {
			w.walk(e, true)
		}
	}
}

// cite adds the members for citations to a schema's object. was is that object before
// anything in it was changed.
func (w *citing) cite(out, was *object) *object {
	members := out.obj("properties")
	if members == nil || out.has("maxProperties") || out.has("propertyNames") {
		return out
	}
	var at *object
	if w.entries[was] {
		at = newObject("type", []any{"string", "null"},
			"description", "the ref of the line that this entry was read from; where a text has several lines, also the first words of the one")
	} else {
		refs := newObject()
		for _, name := range members.names {
			if m := members.obj(name); m != nil && plain(m) {
				refs.set(name, newObject("type", []any{"string", "null"}))
			}
		}
		if len(refs.names) == 0 {
			return out
		}
		at = newObject("type", []any{"object", "null"},
			"description", "for each member the ref of the line that it was read from; where a text has several lines, also the first words of the one",
			"properties", refs, "additionalProperties", false)
	}
	at.set("$comment", citationMark)
	with := newObject(citation, at) // first: a model that has named the place reads on there
	for _, name := range members.names {
		with.set(name, members.values[name])
	}
	out = out.clone()
	out.set("properties", with)
	return out
}

// plain reports whether a member is a text, a number or a yes or no.
func plain(o *object) bool {
	is := func(t any) bool { return t == "string" || t == "number" || t == "integer" || t == "boolean" }
	switch t := o.values["type"].(type) {
	case string:
		return is(t)
	case []any:
		return slices.ContainsFunc(t, is)
	}
	return o.has("enum")
}
