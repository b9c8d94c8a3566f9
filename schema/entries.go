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
