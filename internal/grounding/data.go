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

// A former reads data with what a schema says of each value.
type former struct {
	*json.Decoder
	members map[formKey]*member
}

// maxDepth bounds how deeply data may be nested.
const maxDepth = 200

// readData decodes data in the order of its text, and joins it to its schema.
func readData(form *schema.Schema, data json.RawMessage) (*value, error) {
	f := &former{json.NewDecoder(bytes.NewReader(data)), map[formKey]*member{}}
	f.UseNumber()
	return f.read(shape.Of(form), nil, "", &member{found: map[any][]place{}}, 0)
}

type formKey struct {
	around *member
	name   string
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (f *former) read(form shape.Shape, parent *value, pointer string, m *member, depth int) (*value, error) {
	t, err := f.Token()
	if err != nil {
		return nil, err
	}
	v := &value{pointer: pointer, parent: parent, raw: t, member: m}
	delim, ok := t.(json.Delim)
	if !ok {
		return v, nil
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the data is nested more than %d deep", maxDepth)
	}
	v.raw, v.object, v.list = nil, delim == '{', delim == '['
	entry, of := shape.Shape{}, m
	named := map[string]int{}
	for i := 0; f.More(); i++ {
		name := strconv.Itoa(i)
		switch {
		case v.object:
			t, err := f.Token()
			if err != nil {
				return nil, err
			}
			name, _ = t.(string)
			of = f.member(m, name, form)
			entry = of.form
		case i == 0 || form.Tuple():
			entry = form.Entry(i)
		}
		kid, err := f.read(entry, v, pointer+"/"+escape.Replace(name), of, depth+1)
		if err != nil {
			return nil, err
		}
		at, again := named[name]
		if !v.object || !again {
			at = len(v.kids)
			v.kids = append(v.kids, kid)
		}
		if v.object {
			named[name] = at
		}
		v.kids[at], kid.index = kid, at // the last of two members of one name counts
	}
	if v.list && len(v.kids) == 0 {
		v.fields = []*member{}
		for _, name := range form.Entry(0).Members() {
			v.fields = append(v.fields, f.member(m, name, form.Entry(0)))
		}
	}
	_, err = f.Token()
	return v, err
}

// member is what is known of a property; the same for all items of a list.
func (f *former) member(around *member, name string, object shape.Shape) *member {
	key := formKey{around, name}
	if m, ok := f.members[key]; ok {
		return m
	}
	m := &member{name: name, form: object.Member(name), found: map[any][]place{}}
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
