package direct

import (
	"errors"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
	"github.com/wayfinder-engine/wayfinder/internal/shape"
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
	names    [][]string // words that a label may have: of its name, its title, its description
	around   []string   // words of the names of lists and objects around it, which go without saying
}

// called reports whether a label is the member's: by all its words, or by all that
// do not go without saying.
func (m *member) called(label []string) bool {
	return m.calledAll(label) || slices.ContainsFunc(m.names, func(name []string) bool {
		return sameWords(without(name, m.around), without(label, m.around))
	})
}

// calledAll reports whether a label is the member's by all its words.
func (m *member) calledAll(label []string) bool {
	return slices.ContainsFunc(m.names, func(name []string) bool { return sameWords(name, label) })
}

// isOne reports whether the member's name, without what goes without saying, is one of
// the words that the markup has for a thing: "link" for an a element.
func (m *member) isOne(of ...string) bool {
	name := without(m.names[0], m.around)
	return len(name) == 1 && slices.Contains(of, name[0])
}

// sameWords reports whether two labels have the same words, or the same letters.
func sameWords(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && (len(without(a, b)) == 0 && len(without(b, a)) == 0 || strings.Join(a, "") == strings.Join(b, ""))
}

func without(words, context []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(context, w) })
}

// nameWords are the words of a member's name.
func nameWords(name string) []string {
	if words := pagedata.LabelWords(strings.Join(pagedata.SplitName(name), " ")); len(words) > 0 {
		return words
	}
	return []string{pagedata.Stem(pagedata.Normalize(name))}
}

// readForm reads a schema. What it has no word for gives forms without a kind,
// which nothing fills.
func readForm(s *schema.Schema) (*form, error) {
	of := shape.Of(s)
	if len(of.Forms) == 0 {
		return nil, errors.New("direct: the schema says nothing") // true and false are schemas, too
	}
	left := mostForms
	return formOf(of, nil, nil, &left), nil
}

// mostForms bounds how far references may unfold a schema.
const mostForms = 10_000

// formOf reads what a schema says of a value; open are the references that it stands in,
// and around the words of the names.
func formOf(s shape.Shape, open, around []string, left *int) *form {
	if *left--; *left < 0 || several(s) {
		return &form{}
	}
	if slices.ContainsFunc(s.Refs, func(ref string) bool { return slices.Contains(open, ref) }) {
		return &form{recursive: true}
	}
	open = slices.Concat(open, s.Refs)
	f := &form{format: s.Text("format"), enum: s.Texts("enum")}
	switch types := s.Texts("type"); {
	case len(types) == 1:
		f.kind = types[0]
	case len(types) > 1:
	case len(s.Members()) > 0:
		f.kind = "object"
	case len(f.enum) > 0:
		f.kind = "string"
	}
	switch f.kind {
	case "object":
		required := s.Texts("required")
		for _, name := range s.Members() {
			of := s.Member(name)
			m := &member{name: name, required: slices.Contains(required, name), around: around, names: [][]string{nameWords(name)}}
			for _, text := range []string{of.Text("title"), of.Text("description")} {
				if words := pagedata.LabelWords(text); len(words) > 0 {
					m.names = append(m.names, words)
				}
			}
			m.form = formOf(of, open, slices.Concat(around, m.names[0]), left)
			f.members = append(f.members, m)
			f.recursive = f.recursive || m.form.recursive
		}
	case "array":
		entry := s.Entry(0)
		if len(entry.Forms) == 0 {
			return &form{}
		}
		f.element = formOf(entry, open, around, left)
		f.recursive = f.element.recursive
	}
	return f
}

// several reports whether a value may have one of several forms, or be one of some
// numbers: no text of a page names them.
func several(s shape.Shape) bool {
	return slices.ContainsFunc(s.Forms, func(o map[string]any) bool {
		one, _ := o["anyOf"].([]any)
		other, _ := o["oneOf"].([]any)
		values, _ := o["enum"].([]any)
		forms := slices.DeleteFunc(slices.Concat(one, other), func(v any) bool {
			form, _ := v.(map[string]any)
			return form["type"] == "null"
		})
		return len(forms) > 1 || slices.ContainsFunc(values, func(v any) bool {
			_, text := v.(string)
			return !text && v != nil
		})
	})
}

// scalars are the members of an object that are values.
func (f *form) scalars() []*member {
	return slices.DeleteFunc(slices.Clone(f.members), func(m *member) bool { return !m.form.scalar() })
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
