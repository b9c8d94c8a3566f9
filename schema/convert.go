package schema

import (
	"slices"
	"strings"
)

// value narrows one schema.
func (n *narrowing) value(v any, path []any) any {
	o, ok := v.(*object)
	if !ok || len(o.names) == 0 {
		if v == false {
			n.problem(path, "allows no value at all")
		} else {
			n.problem(path, "allows any value, a type is needed")
		}
		return newObject()
	}
	if len(path) > maxDepth {
		n.problem(nil, "nests deeper than %d levels", maxDepth)
		return newObject()
	}
	if o.has("allOf") {
		o = n.merge(o, path)
	}
	if ref, ok := o.get("$ref"); ok {
		return n.refer(ref, o, path)
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		if o.has(name) {
			return n.alternatives(name, o, path)
		}
	}
	return n.typed(o, path)
}

// refer narrows a schema that refers to another. A reference stands alone in
// a closed dialect, so that what stands beside it goes where it can.
func (n *narrowing) refer(ref any, o *object, path []any) any {
	address, _ := ref.(string)
	out := n.reference(address, append(path, "$ref"))
	rest := o.clone()
	for _, name := range []string{"$ref", "$defs", "definitions", "$schema", "$id", "$comment", "title"} {
		rest.remove(name)
	}
	if len(rest.names) == 0 {
		return out
	}
	target, found := n.lookup(address)
	inner, isObject := target.(*object)
	if found && isObject && !n.reaches(inner, address, map[string]bool{}) {
		return n.value(combine(inner, rest), path)
	}
	return out // its rules are validated afterwards
}

// reaches reports whether a schema comes back to a reference.
func (n *narrowing) reaches(v any, ref string, seen map[string]bool) bool {
	switch v := v.(type) {
	case *object:
		if r := v.str("$ref"); r != "" {
			if r == ref {
				return true
			}
			if target, ok := n.lookup(r); ok && !seen[r] {
				seen[r] = true
				if n.reaches(target, ref, seen) {
					return true
				}
			}
		}
		return slices.ContainsFunc(v.names, func(name string) bool {
			return n.reaches(v.values[name], ref, seen)
		})
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return n.reaches(e, ref, seen) })
	default:
		return false
	}
}

// merge brings the parts of allOf into one schema.
func (n *narrowing) merge(o *object, path []any) *object {
	out := o.clone()
	out.remove("allOf")
	for i, part := range o.list("allOf") {
		sub, ok := part.(*object)
		for depth := 0; ok && sub.str("$ref") != "" && depth < maxDepth; depth++ {
			ref := sub.str("$ref")
			target, found := n.lookup(ref)
			inner, isObject := target.(*object)
			if !found || !isObject || n.reaches(inner, ref, map[string]bool{}) {
				n.problem(append(path, "allOf", i), "refers to %s, which can't be merged", ref)
				return newObject()
			}
			rest := sub.clone()
			rest.remove("$ref")
			sub = combine(inner, rest)
		}
		if !ok {
			continue // true says nothing
		}
		if sub.has("allOf") {
			sub = n.merge(sub, append(path, "allOf", i))
		}
		out = combine(out, sub)
	}
	return out
}

// combine returns one schema that says what both say, as far as keywords can
// be joined. Where both have the same keyword, b's stands: the answer is
// validated against the original in any case.
func combine(a, b *object) *object {
	out := a.clone()
	for _, name := range b.names {
		v := b.values[name]
		mine, both := a.get(name)
		if !both {
			out.set(name, v)
			continue
		}
		switch name {
		case "properties", "$defs", "definitions":
			x, isX := mine.(*object)
			y, isY := v.(*object)
			if isX && isY {
				joined := x.clone()
				for _, member := range y.names {
					joined.set(member, joinSchemas(x.values[member], y.values[member]))
				}
				v = joined
			}
		case "required":
			x, _ := mine.([]any)
			y, _ := v.([]any)
			joined := slices.Clone(x)
			for _, e := range y {
				if !slices.Contains(joined, e) {
					joined = append(joined, e)
				}
			}
			v = joined
		case "description":
			x, _ := mine.(string)
			y, _ := v.(string)
			if x != y && x != "" {
				v = strings.TrimSpace(x + " " + y)
			}
		}
		out.set(name, v)
	}
	return out
}

func joinSchemas(a, b any) any {
	x, isX := a.(*object)
	y, isY := b.(*object)
	if isX && isY {
		return combine(x, y)
	}
	return b
}

// alternatives narrows anyOf and oneOf, which no dialect tells apart.
func (n *narrowing) alternatives(keyword string, o *object, path []any) any {
	rest := o.clone()
	for _, name := range []string{keyword, "$defs", "definitions", "$schema", "$id", "$comment", "title", "description", "default", "examples", "discriminator"} {
		rest.remove(name)
	}
	var subs []any
	for i, sub := range o.list(keyword) {
		if inner, ok := sub.(*object); ok && len(rest.names) > 0 {
			sub = combine(rest, inner)
		}
		subs = append(subs, n.value(sub, append(slices.Clone(path), keyword, i)))
	}
	out := newObject()
	if d := o.str("description"); d != "" {
		out.set("description", d)
	}
	out.set("anyOf", subs)
	return out
}
