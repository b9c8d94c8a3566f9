package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// An object is a JSON object with the order of its members kept: models write
// members in the order of the schema, and a prompt cache wants the same bytes
// each time. Its values are *object, []any, string, json.Number, bool and nil.
type object struct {
	names  []string
	values map[string]any
}

// newObject makes an object of names and values in turn.
func newObject(members ...any) *object {
	o := &object{values: map[string]any{}}
	for i := 0; i+1 < len(members); i += 2 {
		o.set(members[i].(string), members[i+1])
	}
	return o
}

func (o *object) get(name string) (any, bool) {
	v, ok := o.values[name]
	return v, ok
}

// has reports whether the member is there.
func (o *object) has(name string) bool {
	_, ok := o.values[name]
	return ok
}

// str returns a member that is a string, or "".
func (o *object) str(name string) string {
	s, _ := o.values[name].(string)
	return s
}

// obj returns a member that is an object, or nil.
func (o *object) obj(name string) *object {
	v, _ := o.values[name].(*object)
	return v
}

// list returns a member that is an array, or nil.
func (o *object) list(name string) []any {
	v, _ := o.values[name].([]any)
	return v
}

func (o *object) set(name string, v any) {
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = v
}

func (o *object) remove(name string) {
	if _, ok := o.values[name]; ok {
		delete(o.values, name)
		o.names = slices.DeleteFunc(o.names, func(n string) bool { return n == name })
	}
}

// clone copies the object itself; its members are shared.
func (o *object) clone() *object {
	return &object{names: slices.Clone(o.names), values: maps.Clone(o.values)}
}

// moveRoot takes out of a schema what has to stay at the root, and sets it in another.
func (o *object) moveRoot(to *object) {
	for _, name := range rootKeywords {
		if v, ok := o.get(name); ok {
			o.remove(name)
			to.set(name, v)
		}
	}
}

// rootKeywords are what a schema has at its root alone.
var rootKeywords = []string{"$schema", "$id", "$defs", "definitions"}

// anywhere reports whether f holds for an object within a value, or for the value.
func anywhere(v any, f func(*object) bool) bool {
	inner := func(e any) bool { return anywhere(e, f) }
	switch v := v.(type) {
	case *object:
		return f(v) || slices.ContainsFunc(v.names, func(name string) bool { return inner(v.values[name]) })
	case []any:
		return slices.ContainsFunc(v, inner)
	}
	return false
}

// MarshalJSON writes the members in order.
func (o *object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeValue(&b, name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := writeValue(&b, o.values[name]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encodeTree writes a value without the escapes that only HTML wants.
func encodeTree(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := writeValue(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func writeValue(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case *object:
		raw, err := v.MarshalJSON()
		b.Write(raw)
		return err
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeValue(b, e); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	default:
		enc := json.NewEncoder(b)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
		return nil
	}
}

// decodeTree reads exactly one JSON value with the order of members kept.
func decodeTree(raw []byte) (any, error) {
	if _, err := decode(raw); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return readValue(dec)
}

func readValue(dec *json.Decoder) (any, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	if delim == '[' {
		list := []any{}
		for dec.More() {
			v, err := readValue(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := dec.Token()
		return list, err
	}
	o := newObject()
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := readValue(dec)
		if err != nil {
			return nil, err
		}
		o.set(name.(string), v) // the decoder takes nothing else for a name
	}
	_, err = dec.Token()
	return o, err
}
