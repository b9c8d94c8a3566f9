// Package shape reads what a JSON Schema says of the form of data. It is the one reader
// of schemas for dividing pages, for reading them without a model, and for checking
// what was read.
package shape

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Shape is what a schema says of one value: the schema itself with its alternatives
// and with what it refers to. The zero value says nothing.
type Shape struct {
	Forms []map[string]any
	Refs  []string // that were followed; a value below that has one of them again recurs
	root  any
}

// Of reads a schema; nil says nothing.
func Of(form *schema.Schema) Shape {
	var s Shape
	if form != nil && json.Unmarshal(form.JSON(), &s.root) == nil {
		s.add(s.root)
	}
	return s
}

// add takes a schema with what it refers to, each reference once.
func (s *Shape) add(form any) {
	o, ok := form.(map[string]any)
	if !ok {
		return
	}
	s.Forms = append(s.Forms, o)
	if ref, ok := o["$ref"].(string); ok && !slices.Contains(s.Refs, ref) {
		s.Refs = append(s.Refs, ref)
		s.add(s.resolve(ref))
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := o[key].([]any)
		for _, e := range list {
			s.add(e)
		}
	}
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// resolve follows a reference within the schema.
func (s *Shape) resolve(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := s.root
	for step := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if step == "" {
			continue
		}
		o, _ := at.(map[string]any)
		at = o[unescape.Replace(step)]
	}
	return at
}

// below collects what the alternatives say of a value below.
func (s Shape) below(of func(form map[string]any) any) Shape {
	out := Shape{root: s.root}
	for _, o := range s.Forms {
		out.add(of(o))
	}
	return out
}

// Member is the shape of an object's member.
func (s Shape) Member(name string) Shape {
	return s.below(func(o map[string]any) any {
		if properties, _ := o["properties"].(map[string]any); properties[name] != nil {
			return properties[name]
		}
		return o["additionalProperties"]
	})
}

// Members are the names of the members that the schema gives, in order.
func (s Shape) Members() (names []string) {
	for _, o := range s.Forms {
		properties, _ := o["properties"].(map[string]any)
		for name := range properties {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Entry is the shape of an array's entry.
func (s Shape) Entry(i int) Shape {
	return s.below(func(o map[string]any) any {
		for _, key := range []string{"prefixItems", "items"} {
			if list, ok := o[key].([]any); ok && i < len(list) {
				return list[i]
			}
		}
		return o["items"]
	})
}

// Tuple reports whether an array's entries have a place each.
func (s Shape) Tuple() bool {
	for _, o := range s.Forms {
		_, prefix := o["prefixItems"]
		_, list := o["items"].([]any)
		least, ok := o["minItems"].(float64)
		most, also := o["maxItems"].(float64)
		if prefix || list || ok && also && least == most && most > 1 {
			return true
		}
	}
	return false
}

// Most is how many entries an array may have.
func (s Shape) Most() (int, bool) {
	for _, o := range s.Forms {
		if n, ok := o["maxItems"].(float64); ok {
			return int(n), true
		}
	}
	return 0, false
}

// Says reports whether a keyword is true.
func (s Shape) Says(key string) bool {
	return slices.ContainsFunc(s.Forms, func(o map[string]any) bool { return o[key] == true })
}

// Texts are the texts of a keyword: of "type" without null, of "enum" those that are
// texts.
func (s Shape) Texts(key string) (out []string) {
	for _, o := range s.Forms {
		list, ok := o[key].([]any)
		if !ok {
			list = []any{o[key]}
		}
		for _, v := range list {
			if t, ok := v.(string); ok && !(key == "type" && t == "null") && !slices.Contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Text is the first text of a keyword.
func (s Shape) Text(key string) string {
	for _, t := range s.Texts(key) {
		return t
	}
	return ""
}
