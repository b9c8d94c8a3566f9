package schema

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// linkPattern is what a reference of an element looks like: frame and node.
const linkPattern = `^[0-9]+-[0-9]+$`

// linkMark tells the members that WithLinks changed from others that happen to
// have the same pattern.
const linkMark = "wayfinder: link"

const linkDescription = `The reference of the link on the page, as "0-123"; never an address.`

// Links is a schema for a model, in which references stand for addresses. It
// may be used from several goroutines at once.
type Links struct {
	schema   *Schema
	original *Schema
	found    bool
}

// Schema returns the schema for the model. It is the original if that has no links.
func (l *Links) Schema() *Schema { return l.schema }

// Found reports whether the original has links at all.
func (l *Links) Found() bool { return l.found }

// Resolve turns a model's answer into a document of the original schema: find
// gives the address for each reference, as a browser has it; what RFC 3986 does not
// allow in it is escaped. The answer is validated before, the document after; a reference that find does not know is an issue with its
// path. The error is a [*ValidationError].
func (l *Links) Resolve(answer []byte, find func(ref string) (address string, ok bool)) ([]byte, error) {
	if err := l.schema.Validate(answer); err != nil {
		return nil, err
	}
	if !l.found {
		return slices.Clone(answer), l.original.Validate(answer)
	}
	doc, err := decode(answer)
	if err != nil {
		return nil, err
	}
	w := &linkWalk{find: find}
	doc = w.walk(l.schema.compiled, doc, nil)
	if len(w.issues) > 0 {
		slices.SortFunc(w.issues, compareIssues)
		return nil, &ValidationError{Issues: w.issues}
	}
	if err := l.original.validate(doc); err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

func isLink(o *object) bool {
	switch o.str("format") {
	case "uri", "url", "iri", "uri-reference", "iri-reference":
	default:
		return false
	}
	if o.has("enum") || o.has("const") {
		return false
	}
	switch t := o.values["type"].(type) {
	case nil:
		return true
	case string:
		return t == "string"
	case []any:
		return slices.Contains(t, any("string"))
	default:
		return false
	}
}

func linkSchema(o *object) *object {
	o = o.clone()
	for _, name := range []string{"format", "minLength", "maxLength", "default", "examples", "example"} {
		o.remove(name)
	}
	description := linkDescription
	if d := o.str("description"); d != "" {
		description = d + " (" + linkDescription + ")"
	}
	o.set("description", description)
	o.set("pattern", linkPattern)
	o.set("$comment", linkMark)
	return o
}

// linkWalk replaces references along a schema.
type linkWalk struct {
	find   func(string) (string, bool)
	issues []Issue
	done   map[string]bool // paths that are replaced: two schemas may name one value
}

func (w *linkWalk) walk(s *jsonschema.Schema, v any, path []any) any {
	for _, sub := range applying(s, v) {
		if ref, ok := v.(string); ok && sub.Comment == linkMark {
			return w.replace(ref, path)
		}
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				for _, member := range memberSchemas(sub, name) {
					v[name] = w.walk(member, v[name], append(slices.Clone(path), name))
				}
			}
		case []any:
			for i := range v {
				for _, item := range itemSchemas(sub, i) {
					v[i] = w.walk(item, v[i], append(slices.Clone(path), i))
				}
			}
		}
	}
	return v
}

func (w *linkWalk) replace(ref string, path []any) any {
	key := FormatPath(path)
	if w.done[key] {
		return ref
	}
	if w.done == nil {
		w.done = map[string]bool{}
	}
	w.done[key] = true
	address, ok := w.find(ref)
	if !ok {
		w.issues = append(w.issues, Issue{Path: append([]any{}, path...), Message: "is " + show(ref) + ", which is no link on the page"})
		return ref
	}
	return asURI(address)
}
