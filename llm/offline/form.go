package offline

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A form is the part of a JSON Schema that the matcher fills in.
type form struct {
	kind        string // object, array, string, number, integer, boolean; empty: anything
	nullable    bool
	title       string
	description string
	enum        []any
	format      string
	link        bool // a string that must be the ref of a link
	members     map[string]*form
	required    map[string]bool
	element     *form // of an array
}

// names returns the members' names in a fixed order.
func (f *form) names() []string { return slices.Sorted(maps.Keys(f.members)) }

// rawSchema is what is read of a schema.
type rawSchema struct {
	Ref         string                     `json:"$ref"`
	Type        json.RawMessage            `json:"type"`
	Title       string                     `json:"title"`
	Description string                     `json:"description"`
	Enum        []any                      `json:"enum"`
	Const       any                        `json:"const"`
	Format      string                     `json:"format"`
	Comment     string                     `json:"$comment"`
	Pattern     string                     `json:"pattern"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	AllOf       []json.RawMessage          `json:"allOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// refPattern is how a schema says that a string is the ref of a link.
const refPattern = `^[0-9]+-[0-9]+$`

// mostNested bounds how deep a form goes: a schema may refer to itself.
const mostNested = 12

func parseForm(raw []byte) (*form, error) {
	var root rawSchema
	if err := json.Unmarshal(raw, &root); err != nil {
		return nil, failed("invalid", "the schema is no JSON: %v", err)
	}
	defs := map[string]json.RawMessage{}
	for name, d := range root.Defs {
		defs["#/$defs/"+name] = d
	}
	for name, d := range root.Definitions {
		defs["#/definitions/"+name] = d
	}
	return readForm(raw, defs, 0)
}

func readForm(raw json.RawMessage, defs map[string]json.RawMessage, depth int) (*form, error) {
	if depth > mostNested || len(raw) == 0 {
		return &form{}, nil
	}
	var s rawSchema
	if json.Unmarshal(raw, &s) != nil {
		return &form{}, nil // true and false are schemas too
	}
	f := &form{title: s.Title, description: s.Description, format: s.Format, enum: s.Enum}
	if s.Const != nil {
		f.enum = []any{s.Const}
	}
	f.setKind(s.Type)
	f.link = f.kind == "string" && (s.Pattern == refPattern || strings.HasPrefix(s.Comment, "wayfinder: link"))
	if target, ok := defs[s.Ref]; ok && s.Ref != "" {
		inner, err := readForm(target, defs, depth+1)
		if err != nil {
			return nil, err
		}
		f.take(inner)
	}
	for _, group := range [][]json.RawMessage{s.AllOf, s.AnyOf, s.OneOf} {
		for _, alternative := range group {
			inner, err := readForm(alternative, defs, depth+1)
			if err != nil {
				return nil, err
			}
			if inner.kind == "null" {
				f.nullable = true
				continue
			}
			if f.kind == "" {
				f.take(inner)
			}
		}
	}
	if s.Properties != nil || f.kind == "object" && f.members == nil {
		f.kind, f.members, f.required = "object", map[string]*form{}, set(s.Required...)
		for name, member := range s.Properties {
			inner, err := readForm(member, defs, depth+1)
			if err != nil {
				return nil, err
			}
			f.members[name] = inner
		}
	}
	if f.kind == "array" && f.element == nil {
		var err error
		if f.element, err = readForm(s.Items, defs, depth+1); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// setKind reads "type", which is a word or a list of words.
func (f *form) setKind(raw json.RawMessage) {
	var one string
	var many []string
	if json.Unmarshal(raw, &one) == nil {
		many = []string{one}
	} else if json.Unmarshal(raw, &many) != nil {
		return
	}
	for _, k := range many {
		switch {
		case k == "null" && len(many) > 1:
			f.nullable = true
		case f.kind == "":
			f.kind = k
		}
	}
}

// take fills in what f does not say itself.
func (f *form) take(g *form) {
	if f.kind == "" {
		f.kind = g.kind
	}
	f.nullable = f.nullable || g.nullable
	f.link = f.link || g.link
	if f.title == "" {
		f.title = g.title
	}
	if f.description == "" {
		f.description = g.description
	}
	if f.format == "" {
		f.format = g.format
	}
	if f.enum == nil {
		f.enum = g.enum
	}
	if f.members == nil {
		f.members, f.required = g.members, g.required
	}
	if f.element == nil {
		f.element = g.element
	}
}
