package schema

import "slices"

// orNull also takes null. Definitions stay at the root.
func orNull(o *object) *object {
	inner, out := o.clone(), newObject()
	inner.moveRoot(out)
	out.set("anyOf", []any{inner, newObject("type", "null")})
	return out
}

// kind returns the type of a schema's values: "" if it is not said.
func (n *narrowing) kind(o *object) string {
	o = n.resolveRoot(o)
	switch {
	case o.str("type") != "":
		return o.str("type")
	case o.has("properties"):
		return "object"
	case o.has("items"), o.has("prefixItems"):
		return "array"
	}
	return ""
}

// loose returns the schema of a part of a value. References that lead deeper
// than maxLoose stay as they are.
func (n *narrowing) loose(o *object, depth int) *object {
	if depth > maxLoose {
		return o
	}
	if ref := o.str("$ref"); ref != "" {
		t := n.target(ref)
		if t == nil || t == o {
			return o
		}
		joined := t.clone()
		for _, name := range o.names {
			if name != "$ref" {
				joined.set(name, o.values[name])
			}
		}
		return n.loose(joined, depth+1)
	}
	out := o.clone()
	for _, name := range []string{"required", "dependentRequired", "minProperties"} {
		out.remove(name)
	}
	if !isTuple(o) {
		for _, name := range []string{"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"} {
			out.remove(name)
		}
	}
	if members := out.obj("properties"); members != nil {
		members = members.clone()
		for _, name := range members.names {
			if m, ok := members.values[name].(*object); ok {
				members.values[name] = n.loose(m, depth+1)
			}
		}
		out.set("properties", members)
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		list := slices.Clone(out.list(name))
		if list == nil {
			continue
		}
		for i := range list {
			if e, ok := list[i].(*object); ok {
				list[i] = n.loose(e, depth+1)
			}
		}
		if name == "oneOf" && !out.has("anyOf") { // what is loose may fit several
			out.remove(name)
			name = "anyOf"
		}
		out.set(name, list)
	}
	return out
}

// maxLoose bounds how deep Partial goes: schemas may refer to themselves.
const maxLoose = 12

// isTuple reports whether an array's entries have a place each.
func isTuple(o *object) bool {
	if _, ok := o.values["items"].([]any); ok || o.has("prefixItems") {
		return true
	}
	least, ok := o.get("minItems")
	most, also := o.get("maxItems")
	return ok && also && least == most
}
