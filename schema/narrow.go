package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// narrowing writes one schema in one dialect. Every definition that is
// referred to is written once, under a name of its own, in $defs.
type narrowing struct {
	schema      *Schema
	dialect     Dialect
	rules       *rules
	definitions *object
	names       map[string]string // from a reference to its definition's name
	issues      []Issue
}

func (n *narrowing) problem(path []any, format string, args ...any) {
	n.issues = append(n.issues, Issue{Path: append([]any{}, path...), Message: fmt.Sprintf(format, args...)})
}

// root returns the whole narrowed schema, and whether the original's root had
// to be wrapped in an object.
func (n *narrowing) root() (any, bool, error) {
	root, ok := n.schema.tree.(*object)
	if !ok { // true, false
		root = newObject()
		if n.schema.tree == false {
			root.set("not", newObject())
		}
	}
	if n.rules.whole {
		tree, wrapped := wrapWhole(n.openRoot(root))
		return tree, wrapped, nil
	}
	root = n.resolveRoot(root)
	out, _ := n.value(root, nil).(*object)
	wrapped := false
	if out != nil && out.str("type") != "object" {
		wrapped = true
		out = wrapRoot(out)
	}
	if out != nil && len(n.definitions.names) > 0 {
		out.set("$defs", n.definitions)
	}
	if len(n.issues) == 0 {
		n.issues = n.rules.limits.check(out)
	}
	if len(n.issues) > 0 {
		return nil, false, &UnsupportedError{Dialect: n.dialect, Issues: n.issues}
	}
	return out, wrapped, nil
}

// resolveRoot follows a root that is nothing but a reference: providers want
// the object itself there.
func (n *narrowing) resolveRoot(root *object) *object {
	for range maxDepth {
		ref := root.str("$ref")
		target, ok := n.lookup(ref)
		o, isObject := target.(*object)
		if ref == "" || !ok || !isObject {
			return root
		}
		o = o.clone()
		for _, name := range []string{"title", "description"} {
			if text := root.str(name); text != "" {
				o.set(name, text)
			}
		}
		root = o
	}
	return root
}

// openRoot shows that the root is an object where it only says so between the
// lines: by a reference to one, or by its members.
func (n *narrowing) openRoot(root *object) *object {
	if target := n.resolveRoot(root); target != root && target.str("type") == "object" {
		target = target.clone()
		for _, name := range []string{"$schema", "$id", "$defs", "definitions"} {
			if v, ok := root.get(name); ok {
				target.set(name, v)
			}
		}
		return target
	}
	if !root.has("type") && !root.has("$ref") && root.has("properties") {
		root = root.clone()
		root.set("type", "object")
	}
	return root
}

// wrapRoot puts a schema into an object's only member.
func wrapRoot(inner *object) *object {
	members := newObject()
	members.set(wrapper, inner)
	out := newObject()
	out.set("type", "object")
	out.set("properties", members)
	out.set("required", []any{wrapper})
	out.set("additionalProperties", false)
	return out
}

// wrapWhole wraps a root of the whole standard. References into the root are
// led to its new place; definitions and what else has its own address move up.
func wrapWhole(root *object) (*object, bool) {
	if root.str("type") == "object" {
		return root, false
	}
	inner, _ := rewrite(root, func(o *object) *object {
		ref := o.str("$ref")
		if ref != "#" && !strings.HasPrefix(ref, "#/") || definitionOf(ref) {
			return o
		}
		o = o.clone()
		o.set("$ref", "#/properties/"+wrapper+strings.TrimPrefix(ref, "#"))
		return o
	}).(*object)
	out := wrapRoot(inner)
	for _, name := range []string{"$schema", "$id", "$defs", "definitions"} {
		if v, ok := inner.get(name); ok {
			inner.remove(name)
			out.set(name, v)
		}
	}
	return out, true
}

func definitionOf(ref string) bool {
	return strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/")
}

// lookup finds the schema that a reference within the document names.
func (n *narrowing) lookup(ref string) (any, bool) {
	if ref == "#" {
		return n.schema.tree, true
	}
	if !strings.HasPrefix(ref, "#/") {
		return nil, false
	}
	v := n.schema.tree
	for _, part := range strings.Split(ref[2:], "/") {
		part = unescapePointer(part)
		switch parent := v.(type) {
		case *object:
			var ok bool
			if v, ok = parent.get(part); !ok {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(parent) {
				return nil, false
			}
			v = parent[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// reference returns a schema that refers to the definition of ref, which is
// written the first time.
func (n *narrowing) reference(ref string, path []any) any {
	name, ok := n.names[ref]
	if !ok {
		target, found := n.lookup(ref)
		if !found {
			n.problem(path, "refers to %s, only places within the schema itself can be referred to", ref)
			return newObject()
		}
		name = n.freshName(ref)
		n.names[ref] = name
		n.definitions.set(name, nil) // its place in the order
		n.definitions.set(name, n.value(target, path))
	}
	out := newObject()
	out.set("$ref", "#/$defs/"+name)
	return out
}

func (n *narrowing) freshName(ref string) string {
	name := "root"
	if i := strings.LastIndexByte(ref, '/'); i >= 0 {
		name = strings.Map(func(r rune) rune {
			if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
				return r
			}
			return '_'
		}, unescapePointer(ref[i+1:]))
	}
	unique := name
	for i := 2; n.definitions.has(unique); i++ {
		unique = name + strconv.Itoa(i)
	}
	return unique
}
