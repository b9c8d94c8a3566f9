package grounding

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
	"github.com/wayfinder-engine/wayfinder/internal/shape"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A former reads data, which is valid JSON, with what a schema says of each value.
type former struct {
	left    []byte // to be read
	members map[formKey]*member
}

// maxDepth bounds how deeply data may be nested.
const maxDepth = 200

// readData decodes data in the order of its text, and joins it to its schema.
func readData(form *schema.Schema, data json.RawMessage) (*value, error) {
	f := &former{members: map[formKey]*member{}}
	if err := json.Unmarshal(data, (*json.RawMessage)(&f.left)); err != nil {
		return nil, err
	}
	return f.read(shape.Of(form), nil, "", &member{found: map[any][]place{}}, 0)
}

// token takes the next token that says something: a string, a number, a word or a bracket.
// The tokens of package json cost a scan of each value, and an error at each one's end.
func (f *former) token() (t []byte) {
	f.left = bytes.TrimLeft(f.left, " \t\r\n,:")
	n := 1
	switch f.left[0] {
	case '{', '}', '[', ']':
	case '"':
		for ; f.left[n] != '"'; n++ {
			n += yes(f.left[n] == '\\')
		}
		n++
	default:
		if n = bytes.IndexAny(f.left, " \t\r\n,]}"); n < 0 {
			n = len(f.left)
		}
	}
	t, f.left = f.left[:n], f.left[n:]
	return t
}

// scalar is what a token stands for that is no bracket.
func scalar(t []byte) (raw any, err error) {
	switch t[0] {
	case 'n':
		return nil, nil
	case 't', 'f':
		return t[0] == 't', nil
	case '"':
		var s string
		if plain := t[1 : len(t)-1]; !bytes.ContainsRune(plain, '\\') && utf8.Valid(plain) {
			return string(plain), nil
		}
		err = json.Unmarshal(t, &s)
		return s, err
	}
	return json.Number(t), nil
}

type formKey struct {
	around *member
	name   string
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (f *former) read(form shape.Shape, parent *value, pointer string, m *member, depth int) (_ *value, err error) {
	t := f.token()
	v := &value{pointer: pointer, parent: parent, member: m, object: t[0] == '{', list: t[0] == '['}
	if v.leaf() {
		v.raw, err = scalar(t)
		return v, err
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("the data is nested more than %d deep", maxDepth)
	}
	entry, of := shape.Shape{}, m
	var named map[string]int // of an object, where it has which
	if v.object {
		named = map[string]int{}
	}
	for i := 0; !f.closed(); i++ {
		name := strconv.Itoa(i)
		switch {
		case v.object:
			t, err := scalar(f.token())
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
		if !again {
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
	f.token()
	return v, nil
}

// closed reports whether a bracket closes next.
func (f *former) closed() bool {
	f.left = bytes.TrimLeft(f.left, " \t\r\n,")
	return f.left[0] == '}' || f.left[0] == ']'
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
