package grounding

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/schema"
)

// maxDepth bounds how deeply data may be nested.
const maxDepth = 200

// readData decodes data and joins it to its schema.
func readData(form *schema.Schema, data json.RawMessage) (*value, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	raw, err := decodeOrdered(d, 0)
	if err != nil {
		return nil, err
	}
	f := &former{members: map[formKey]*member{}}
	var root any
	if form != nil {
		_ = json.Unmarshal(form.JSON(), &f.root)
		root = f.root
	}
	return f.join(raw, root, nil, "", &member{}), nil
}

// A field is a member of an object, in the order of the text.
type field struct {
	name  string
	value any
}

func decodeOrdered(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	if _, ok := t.(json.Delim); ok && depth > maxDepth {
		return nil, fmt.Errorf("the data is nested more than %d deep", maxDepth)
	}
	switch t {
	case json.Delim('{'):
		out := []field{}
		var at map[string]int // of an object with many members
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeOrdered(d, depth+1)
			if err != nil {
				return nil, err
			}
			s, _ := name.(string)
			i, again := at[s]
			if at == nil {
				i = slices.IndexFunc(out, func(f field) bool { return f.name == s })
				again = i >= 0
			}
			if again { // the last of two members of one name counts
				out[i].value = v
				continue
			}
			if out = append(out, field{s, v}); at != nil {
				at[s] = len(out) - 1
			} else if len(out) > 16 {
				at = make(map[string]int, 2*len(out))
				for i := range out {
					at[out[i].name] = i
				}
			}
		}
		_, err := d.Token()
		return out, err
	case json.Delim('['):
		out := []any{}
		for d.More() {
			v, err := decodeOrdered(d, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err := d.Token()
		return out, err
	}
	return t, nil
}

// A former reads what a schema says of each value.
type former struct {
	root    any
	members map[formKey]*member
}

type formKey struct {
	around *member
	name   string
}

var (
	escape   = strings.NewReplacer("~", "~0", "/", "~1")
	unescape = strings.NewReplacer("~1", "/", "~0", "~")
)

func (f *former) join(raw, form any, parent *value, pointer string, m *member) *value {
	v := &value{pointer: pointer, parent: parent, raw: raw, member: m}
	switch raw := raw.(type) {
	case []field:
		v.object, v.raw = true, nil
		v.kids = make([]*value, 0, len(raw))
		for i, fl := range raw {
			sub := f.property(form, fl.name, 0)
			kid := f.join(fl.value, sub, v, pointer+"/"+escape.Replace(fl.name), f.member(m, fl.name, sub))
			kid.index = i
			v.kids = append(v.kids, kid)
		}
	case []any:
		v.list, v.raw = true, nil
		v.kids = make([]*value, 0, len(raw))
		for i, item := range raw {
			sub := f.item(form, i, 0)
			kid := f.join(item, sub, v, pointer+"/"+strconv.Itoa(i), m)
			kid.index = i
			v.kids = append(v.kids, kid)
		}
	}
	return v
}

// member is what is known of a property; the same for all items of a list.
func (f *former) member(around *member, name string, form any) *member {
	key := formKey{around, name}
	if m, ok := f.members[key]; ok {
		return m
	}
	m := &member{name: name, path: append(append([]string(nil), around.path...), around.words...)}
	for _, w := range splitName(name) {
		if !empty[w] {
			m.words = append(m.words, idea(w))
		}
		switch w {
		case "cents", "cent", "minor":
			m.target = "cents"
		case "minutes", "mins", "min":
			m.target = "minutes"
		case "hours", "hrs":
			m.target = "hours"
		case "seconds", "secs", "sec":
			m.target = "seconds"
		case "days":
			m.target = "days"
		case "kg", "g", "grams", "mg", "km", "m", "cm", "mm", "metres", "meters", "gb", "mb", "tb", "ml", "l":
			m.target = w
		}
	}
	if len(m.words) == 0 && name != "" {
		m.words = []string{idea(normalize(name))}
	}
	f.describe(m, form, 0)
	f.members[key] = m
	return m
}

// describe takes format, choices and description of a schema.
func (f *former) describe(m *member, form any, depth int) {
	o, ok := form.(map[string]any)
	if !ok || depth > 8 {
		return
	}
	for _, key := range []string{"title", "description"} {
		if s, ok := o[key].(string); ok {
			m.about = append(m.about, labelWords(s)...)
			m.said = append(m.said, s)
		}
	}
	if s, ok := o["format"].(string); ok {
		m.format = s
	}
	if s, ok := o["type"].(string); ok {
		m.typ = s
	}
	if list, ok := o["enum"].([]any); ok {
		for _, e := range list {
			if s, ok := e.(string); ok {
				m.enum = append(m.enum, s)
			}
		}
	}
	if s, ok := o["$ref"].(string); ok {
		f.describe(m, f.resolve(s), depth+1)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := o[key].([]any); ok {
			for _, e := range list {
				f.describe(m, e, depth+1)
			}
		}
	}
	if items, ok := o["items"]; ok && m.format == "" && depth < 2 {
		var inner member
		f.describe(&inner, items, depth+1)
		if !strings.Contains("object array", inner.typ) || inner.typ == "" {
			m.format, m.enum = inner.format, inner.enum
			m.about = append(m.about, inner.about...)
		}
	}
}

// resolve follows a reference within the schema.
func (f *former) resolve(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	at := f.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		o, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = o[unescape.Replace(part)]
	}
	return at
}

// look finds what the parts of a schema say, by pick.
func (f *former) look(form any, depth int, pick func(map[string]any) any) any {
	o, ok := form.(map[string]any)
	if !ok || depth > 8 {
		return nil
	}
	if v := pick(o); v != nil {
		return v
	}
	if s, ok := o["$ref"].(string); ok {
		if v := f.look(f.resolve(s), depth+1, pick); v != nil {
			return v
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := o[key].([]any)
		for _, e := range list {
			if v := f.look(e, depth+1, pick); v != nil {
				return v
			}
		}
	}
	return nil
}

func (f *former) property(form any, name string, depth int) any {
	return f.look(form, depth, func(o map[string]any) any {
		if list, ok := o["properties"].(map[string]any); ok && list[name] != nil {
			return list[name]
		}
		if m, ok := o["additionalProperties"].(map[string]any); ok {
			return m
		}
		return nil
	})
}

func (f *former) item(form any, i, depth int) any {
	return f.look(form, depth, func(o map[string]any) any {
		if list, ok := o["prefixItems"].([]any); ok && i < len(list) {
			return list[i]
		}
		switch items := o["items"].(type) {
		case []any:
			if i < len(items) {
				return items[i]
			}
		case map[string]any:
			return items
		}
		return nil
	})
}
