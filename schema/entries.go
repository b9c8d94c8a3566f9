package schema

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
	members := newObject(entryKey, newObject("type", "string"), entryValue, value)
	entry := newObject("type", "object", "properties", members, "required", []any{entryKey, entryValue}, "additionalProperties", false)
	return newObject("type", "array", "items", entry)
}
