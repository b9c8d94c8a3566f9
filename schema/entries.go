package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// A closed dialect has no object with free names. Such an object is a list of
// entries there, {"key": …, "value": …}.
const (
	entryKey   = "key"
	entryValue = "value"
)

// isFree reports whether a schema is an object of free names alone.
func isFree(o *object) bool {
	if o.str("type") != "object" {
		return false
	}
	if p := o.obj("properties"); p != nil && len(p.names) > 0 {
		return false
	}
	return o.obj("additionalProperties") != nil
}

// entryList is the schema of the list that stands for an object of free names.
func entryList(value any) *object {
	key := newObject()
	key.set("type", "string")
	members := newObject()
	members.set(entryKey, key)
	members.set(entryValue, value)
	entry := newObject()
	entry.set("type", "object")
	entry.set("properties", members)
	entry.set("required", []any{entryKey, entryValue})
	entry.set("additionalProperties", false)
	list := newObject()
	list.set("type", "array")
	list.set("items", entry)
	return list
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
