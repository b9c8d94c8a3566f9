package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// restoring brings an answer back into the original's shape.
type restoring struct {
	entries bool // objects with free names came as lists of entries
	steps   int
}

// maxRestoreSteps bounds the trying of alternatives within alternatives. What
// is left as it was is refused by the validation that follows.
const maxRestoreSteps = 1_000_000

// value restores v, which it owns, by a schema. seen holds the schemas that
// are at work on the same value, as they may refer to each other in a circle.
func (r *restoring) value(s *jsonschema.Schema, v any, seen []*jsonschema.Schema) any {
	r.steps++
	if s == nil || r.steps > maxRestoreSteps || slices.Contains(seen, s) {
		return v
	}
	seen = append(slices.Clone(seen), s)
	v = r.value(s.Ref, v, seen)
	for _, part := range s.AllOf {
		v = r.value(part, v, seen)
	}
	v = r.alternative(s.AnyOf, v, seen)
	v = r.alternative(s.OneOf, v, seen)
	switch value := v.(type) {
	case map[string]any:
		r.members(s, value)
	case []any:
		if o, ok := r.fromEntries(s, value); ok {
			r.members(s, o)
			return o
		}
		for i := range value {
			for _, item := range itemSchemas(s, i) {
				value[i] = r.value(item, value[i], nil)
			}
		}
	}
	return v
}

func (r *restoring) members(s *jsonschema.Schema, o map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		member, known := s.Properties[name]
		if o[name] == nil && known && !slices.Contains(s.Required, name) && member.Validate(nil) != nil {
			delete(o, name)
			continue
		}
		for _, sub := range memberSchemas(s, name) {
			o[name] = r.value(sub, o[name], nil)
		}
	}
}

// alternative restores v by the first alternative that it fits then. A value
// that fits none stays as it is.
func (r *restoring) alternative(subs []*jsonschema.Schema, v any, seen []*jsonschema.Schema) any {
	for _, sub := range subs {
		if sub.Validate(v) == nil {
			return v
		}
	}
	for _, sub := range subs {
		restored := r.value(sub, copyValue(v), seen)
		if sub.Validate(restored) == nil {
			return restored
		}
	}
	return v
}

// copyValue copies a decoded document.
func copyValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		c := make(map[string]any, len(v))
		for name, e := range v {
			c[name] = copyValue(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = copyValue(e)
		}
		return c
	default:
		return v
	}
}

// fromEntries turns a list of entries back, where the original has an object.
// A key that comes twice is left for the validator to refuse: the list stays.
func (r *restoring) fromEntries(s *jsonschema.Schema, list []any) (map[string]any, bool) {
	if !r.entries || len(s.Properties) > 0 || s.Types == nil {
		return nil, false
	}
	if types := s.Types.ToStrings(); len(types) != 1 || types[0] != "object" {
		return nil, false
	}
	if _, ok := s.AdditionalProperties.(*jsonschema.Schema); !ok {
		return nil, false
	}
	o := make(map[string]any, len(list))
	for _, item := range list {
		entry, _ := item.(map[string]any)
		key, ok := entry[entryKey].(string)
		if !ok || len(entry) != 2 {
			return nil, false
		}
		value, ok := entry[entryValue]
		if _, twice := o[key]; !ok || twice {
			return nil, false
		}
		o[key] = value
	}
	return o, true
}
