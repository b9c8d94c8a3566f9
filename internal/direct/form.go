package direct

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// A form is the part of a JSON Schema that decides what to look for.
type form struct {
	kind      string // "object", "array", "string", "number", "integer", "boolean"; empty is unsupported
	format    string
	enum      []string
	members   []*member // of an object, by name
	element   *form     // of an array
	recursive bool      // refers to itself below, which a page's records cannot be matched to
}

// A member is a named part of an object.
type member struct {
	name     string
	form     *form
	required bool
	wording  wording
}

// rawForm is a JSON Schema as far as it is read here.
type rawForm struct {
	Ref         string             `json:"$ref"`
	Type        any                `json:"type"`
	Format      string             `json:"format"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Properties  map[string]rawForm `json:"properties"`
	Required    []string           `json:"required"`
	Items       *rawForm           `json:"items"`
	AnyOf       []rawForm          `json:"anyOf"`
	OneOf       []rawForm          `json:"oneOf"`
	Defs        map[string]rawForm `json:"$defs"`
	Definitions map[string]rawForm `json:"definitions"`
}

// readForm reads a schema. What it has no word for gives forms without a kind,
// which nothing fills.
func readForm(s *schema.Schema) (*form, error) {
	var raw rawForm
	if err := json.Unmarshal(s.JSON(), &raw); err != nil {
		return nil, fmt.Errorf("direct: %w", err) // true and false are schemas, too
	}
	r := formReader{defs: map[string]rawForm{"#": raw}}
	for name, def := range raw.Defs {
		r.defs["#/$defs/"+name] = def
	}
	for name, def := range raw.Definitions {
		r.defs["#/definitions/"+name] = def
	}
	return r.read(&raw), nil
}

type formReader struct {
	defs  map[string]rawForm
	open  []string // references that are being read
	count int      // forms read so far
}

// mostForms bounds how far references may unfold a schema.
const mostForms = 10_000

func (r *formReader) read(raw *rawForm) *form {
	if r.count++; r.count > mostForms {
		return &form{}
	}
	if raw.Ref != "" {
		def, ok := r.defs[raw.Ref]
		if !ok {
			return &form{}
		}
		if slices.Contains(r.open, raw.Ref) {
			return &form{recursive: true}
		}
		r.open = append(r.open, raw.Ref)
		defer func() { r.open = r.open[:len(r.open)-1] }()
		return r.read(&def)
	}
	if one := sole(append(raw.AnyOf, raw.OneOf...)); one != nil {
		return r.read(one)
	}
	f := &form{kind: soleType(raw.Type), format: raw.Format}
	if f.kind == "" && raw.Properties != nil {
		f.kind = "object"
	}
	for _, v := range raw.Enum {
		switch v := v.(type) {
		case nil:
		case string:
			if f.enum = append(f.enum, v); f.kind == "" {
				f.kind = "string"
			}
		default:
			return &form{} // numbers as an enum: no text of a page names them
		}
	}
	switch f.kind {
	case "object":
		for name, p := range raw.Properties {
			m := &member{name: name, form: r.read(&p), required: slices.Contains(raw.Required, name)}
			m.wording = newWording(name, strings.TrimSpace(p.Title+" "+p.Description))
			f.members = append(f.members, m)
			f.recursive = f.recursive || m.form.recursive
		}
		slices.SortFunc(f.members, func(a, b *member) int { return strings.Compare(a.name, b.name) })
	case "array":
		if raw.Items == nil {
			return &form{}
		}
		f.element = r.read(raw.Items)
		f.recursive = f.element.recursive
	}
	return f
}

// sole returns the one alternative that is not null.
func sole(alternatives []rawForm) *rawForm {
	var one *rawForm
	for i := range alternatives {
		if t, _ := alternatives[i].Type.(string); t == "null" {
			continue
		}
		if one != nil {
			return nil
		}
		one = &alternatives[i]
	}
	return one
}

func soleType(t any) string {
	switch t := t.(type) {
	case string:
		return t
	case []any:
		one := ""
		for _, v := range t {
			switch v := v.(type) {
			case string:
				if v == "null" {
					continue
				}
				if one != "" {
					return ""
				}
				one = v
			}
		}
		return one
	}
	return ""
}

// scalar reports whether a value of the form holds no others.
func (f *form) scalar() bool {
	return f.kind == "string" || f.kind == "number" || f.kind == "integer" || f.kind == "boolean"
}

// address reports whether the form is that of an address.
func (f *form) address() bool {
	switch f.format {
	case "uri", "url", "iri", "uri-reference", "iri-reference":
		return f.kind == "string" && len(f.enum) == 0
	}
	return false
}
