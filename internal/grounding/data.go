package grounding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
	"github.com/wayfinder-engine/wayfinder/internal/shape"
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
	return f.join(raw, shape.Of(form), nil, "", &member{}), nil
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
		at := map[string]int{}
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
			if i, again := at[s]; again { // the last of two members of one name counts
				out[i].value = v
				continue
			}
			at[s] = len(out)
			out = append(out, field{s, v})
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
	members map[formKey]*member
}

type formKey struct {
	around *member
	name   string
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (f *former) join(raw any, form shape.Shape, parent *value, pointer string, m *member) *value {
	v := &value{pointer: pointer, parent: parent, raw: raw, member: m}
	switch raw := raw.(type) {
	case []field:
		v.object, v.raw = true, nil
		v.kids = make([]*value, 0, len(raw))
		for i, fl := range raw {
			of := f.member(m, fl.name, form)
			kid := f.join(fl.value, of.form, v, pointer+"/"+escape.Replace(fl.name), of)
			kid.index = i
			v.kids = append(v.kids, kid)
		}
	case []any:
		v.list, v.raw = true, nil
		entry, tuple := shape.Shape{}, form.Tuple()
		v.kids = make([]*value, 0, len(raw))
		for i, item := range raw {
			if i == 0 || tuple {
				entry = form.Entry(i)
			}
			kid := f.join(item, entry, v, pointer+"/"+strconv.Itoa(i), m)
			kid.index = i
			v.kids = append(v.kids, kid)
		}
		if len(raw) == 0 {
			v.fields = f.fields(form.Entry(0), m)
		}
	}
	return v
}

// fields are the members that a schema has for the items of a list.
func (f *former) fields(form shape.Shape, m *member) []*member {
	out := []*member{}
	for _, name := range form.Members() {
		out = append(out, f.member(m, name, form))
	}
	return out
}

// A unit is what a number is counted in: how many of a base unit, for which SI and the
// calendar have factors.
type unit struct {
	base   string
	factor float64
}

// units are the words of a name that only say what a number is counted in.
var units = map[string]unit{
	"mg": {"g", 1e-3}, "g": {"g", 1}, "grams": {"g", 1}, "kg": {"g", 1e3}, "t": {"g", 1e6},
	"mm": {"m", 1e-3}, "cm": {"m", 1e-2}, "m": {"m", 1}, "metres": {"m", 1}, "meters": {"m", 1}, "km": {"m", 1e3},
	"ml": {"l", 1e-3}, "cl": {"l", 1e-2}, "l": {"l", 1}, "kb": {"b", 1 << 10}, "mb": {"b", 1 << 20}, "gb": {"b", 1 << 30}, "tb": {"b", 1 << 40},
	"seconds": {"s", 1}, "secs": {"s", 1}, "sec": {"s", 1}, "minutes": {"s", 60}, "mins": {"s", 60}, "min": {"s", 60}, "hours": {"s", 3600}, "hrs": {"s", 3600}, "days": {"s", 86400},
	"cents": {"amount", 0.01}, "cent": {"amount", 0.01}, "minor": {"amount", 0.01},
}

// member is what is known of a property; the same for all items of a list.
func (f *former) member(around *member, name string, object shape.Shape) *member {
	key := formKey{around, name}
	if m, ok := f.members[key]; ok {
		return m
	}
	m := &member{name: name, form: object.Member(name)}
	words := slices.DeleteFunc(pagedata.SplitName(name), func(w string) bool { return pagedata.Empty[w] })
	for _, w := range words {
		m.words = append(m.words, pagedata.Stem(w))
		m.target = cmp.Or(units[w], m.target)
	}
	if len(words) == 0 && name != "" {
		m.words = []string{pagedata.Stem(pagedata.Normalize(name))}
	}
	for i, w := range words {
		if units[w].base == "" {
			m.core = append(m.core, m.words[i])
		}
	}
	if len(m.core) == 0 {
		m.core = m.words
	}
	m.describe(m.form)
	f.members[key] = m
	return m
}

// describe takes format, choices and description of a schema; of an array of values,
// those of its entries.
func (m *member) describe(form shape.Shape) {
	for _, key := range []string{"title", "description"} {
		for _, s := range form.Texts(key) {
			m.about = append(m.about, pagedata.LabelWords(s)...)
		}
	}
	m.format, m.typ, m.enum = form.Text("format"), form.Text("type"), form.Texts("enum")
	if entry := form.Entry(0); m.format == "" && entry.Text("type") != "object" && entry.Text("type") != "array" && len(entry.Forms) > 0 {
		var inner member
		inner.describe(entry)
		m.format, m.enum = inner.format, inner.enum
		m.about = append(m.about, inner.about...)
	}
}

// A member is what is known of a property: the words of its name and description.
type member struct {
	name   string
	form   shape.Shape
	words  []string // of its own name
	core   []string // those without a unit
	about  []string // of its description
	format string
	enum   []string
	typ    string
	target unit // that the name asks for
}
