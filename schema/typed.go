package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// typed narrows a schema of one or more types.
func (n *narrowing) typed(o *object, path []any) any {
	types := typesOf(o)
	if len(types) == 0 {
		n.problem(path, "allows any value, a type is needed")
		return newObject()
	}
	if n.rules.closed && isFree(o) {
		return n.freeObject(o, path)
	}
	out := newObject()
	if len(types) == 1 {
		out.set("type", types[0])
	} else {
		out.set("type", types)
	}
	var untold []string
	for _, name := range o.names {
		v := o.values[name]
		switch {
		case name == "type" || n.structural(name):
		case name == "enum" || name == "const":
			n.listed(name, v, out)
		case name == "format" && n.rules.formats[fmt.Sprint(v)], n.rules.keywords[name]:
			out.set(name, v)
		case silent[name]:
		default:
			untold = append(untold, tell(name, v))
		}
	}
	if slices.Contains(types, any("object")) {
		n.object(o, out, path)
	}
	if slices.Contains(types, any("array")) {
		n.array(o, out, path)
	}
	if len(untold) > 0 {
		text := "Rules: " + strings.Join(untold, ", ") + "."
		if d := out.str("description"); d != "" {
			text = d + " (" + text + ")"
		}
		out.set("description", text)
	}
	return out
}

// structural reports whether a keyword is handled with the object or array.
func (n *narrowing) structural(name string) bool {
	switch name {
	case "properties", "required", "additionalProperties", "items", "prefixItems", "$defs", "definitions":
		return true
	default:
		return false
	}
}

// silent keywords say nothing about what a value must be.
var silent = keywords("$schema", "$id", "$comment", "$anchor", "default", "examples", "example", "deprecated",
	"readOnly", "writeOnly", "title", "contentEncoding", "contentMediaType", "unevaluatedProperties", "unevaluatedItems",
	"additionalItems", "$vocabulary")

// tell puts a keyword that the dialect does not have in words.
func tell(name string, v any) string {
	raw, err := encodeTree(v)
	if err != nil {
		return name // a decoded value always encodes
	}
	return name + " " + string(raw)
}

func typesOf(o *object) []any {
	switch t := o.values["type"].(type) {
	case string:
		return []any{t}
	case []any:
		return t
	}
	if list, ok := o.get("enum"); ok {
		values, _ := list.([]any)
		var types []any
		for _, v := range values {
			if t := typeOf(v); !slices.Contains(types, any(t)) {
				types = append(types, t)
			}
		}
		return types
	}
	if v, ok := o.get("const"); ok {
		return []any{typeOf(v)}
	}
	for _, hint := range []struct{ keyword, is string }{
		{"properties", "object"}, {"additionalProperties", "object"}, {"required", "object"},
		{"items", "array"}, {"prefixItems", "array"}, {"minItems", "array"}, {"maxItems", "array"},
		{"format", "string"}, {"pattern", "string"}, {"minLength", "string"}, {"maxLength", "string"},
		{"minimum", "number"}, {"maximum", "number"}, {"exclusiveMinimum", "number"}, {"exclusiveMaximum", "number"}, {"multipleOf", "number"},
	} {
		if o.has(hint.keyword) {
			return []any{hint.is}
		}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		return "string"
	case []any:
		return "array"
	default:
		return "object"
	}
}

// listed writes fixed values; a dialect that has no const has enum.
func (n *narrowing) listed(name string, v any, out *object) {
	if name == "const" {
		v = []any{v}
	}
	out.set("enum", v)
}

// object narrows the part about members.
func (n *narrowing) object(o, out *object, path []any) {
	members := newObject()
	required := []any{}
	if properties := o.obj("properties"); properties != nil {
		for _, name := range properties.names {
			member := n.value(properties.values[name], append(slices.Clone(path), "properties", name))
			demanded := slices.Contains(o.list("required"), any(name))
			if n.rules.required && !demanded {
				member = nullable(member)
			}
			if n.rules.required || demanded {
				required = append(required, name)
			}
			members.set(name, member)
		}
	}
	switch more := o.values["additionalProperties"].(type) {
	case *object:
		if !n.rules.closed {
			out.set("additionalProperties", n.value(more, append(slices.Clone(path), "additionalProperties")))
		}
	default:
		if n.rules.closed && len(members.names) == 0 && (more != false || o.has("patternProperties")) {
			n.problem(path, "is an object without known members")
		}
	}
	if n.rules.closed || len(members.names) > 0 {
		out.set("properties", members)
	}
	if n.rules.closed || len(required) > 0 {
		out.set("required", required)
	}
	if n.rules.closed {
		out.set("additionalProperties", false)
	}
}

// freeObject narrows an object with names of its own to a list of entries.
func (n *narrowing) freeObject(o *object, path []any) any {
	list := entryList(n.value(o.obj("additionalProperties"), append(slices.Clone(path), "additionalProperties")))
	text := "A list of entries, each key once."
	if d := o.str("description"); d != "" {
		text = d + " (" + text + ")"
	}
	list.set("description", text)
	return list
}

// array narrows the part about items.
func (n *narrowing) array(o, out *object, path []any) {
	items, ok := o.get("items")
	places := o.list("prefixItems")
	if list, isList := items.([]any); isList { // draft-07
		places, ok = list, false
	}
	switch {
	case len(places) > 0:
		var subs []any
		for i, place := range places {
			subs = append(subs, n.value(place, append(slices.Clone(path), "prefixItems", i)))
		}
		either := newObject()
		either.set("anyOf", subs)
		out.set("items", either)
	case ok:
		out.set("items", n.value(items, append(slices.Clone(path), "items")))
	default:
		n.problem(path, "is an array of any items, a type is needed")
	}
}

// nullable returns the narrowed schema that also takes null.
func nullable(v any) any {
	o, ok := v.(*object)
	if !ok {
		return v
	}
	null := newObject()
	null.set("type", "null")
	switch t := o.values["type"].(type) {
	case string:
		if t == "null" {
			return o
		}
		o = o.clone()
		o.set("type", []any{t, "null"})
	case []any:
		if slices.Contains(t, any("null")) {
			return o
		}
		o = o.clone()
		o.set("type", append(slices.Clone(t), "null"))
	default:
		if alternatives := o.list("anyOf"); alternatives != nil {
			o = o.clone()
			o.set("anyOf", append(slices.Clone(alternatives), null))
			return o
		}
		out := newObject()
		out.set("anyOf", []any{o, null})
		return out
	}
	if values := o.list("enum"); values != nil && !slices.Contains(values, nil) {
		o.set("enum", append(slices.Clone(values), nil))
	}
	return o
}
