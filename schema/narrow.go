package schema

import (
	"encoding/json"
	"fmt"
	"slices"
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
	if inner := n.target(address); inner != nil && !n.reaches(inner, address, map[string]bool{}) {
		return n.value(combine(inner, rest), path)
	}
	return out // its rules are validated afterwards
}

// reaches reports whether a schema comes back to a reference.
func (n *narrowing) reaches(v any, ref string, seen map[string]bool) bool {
	return anywhere(v, func(o *object) bool {
		r := o.str("$ref")
		if r == ref {
			return true
		}
		target, ok := n.lookup(r)
		if !ok || seen[r] {
			return false
		}
		seen[r] = true
		return n.reaches(target, ref, seen)
	})
}

// merge brings the parts of allOf into one schema.
func (n *narrowing) merge(o *object, path []any) *object {
	out := o.clone()
	out.remove("allOf")
	for i, part := range o.list("allOf") {
		sub, ok := part.(*object)
		for depth := 0; ok && sub.str("$ref") != "" && depth < maxDepth; depth++ {
			ref := sub.str("$ref")
			inner := n.target(ref)
			if inner == nil || n.reaches(inner, ref, map[string]bool{}) {
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
		o := n.target(root.str("$ref"))
		if o == nil {
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
		root.clone().moveRoot(target)
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
	return newObject("type", "object", "properties", newObject(wrapper, inner), "required", []any{wrapper}, "additionalProperties", false)
}

// wrapWhole wraps a root of the whole standard. References into the root are
// led to its new place; definitions and what else has its own address move up.
func wrapWhole(root *object) (*object, bool) {
	if root.str("type") == "object" {
		return root, false
	}
	inner, _ := rewrite(root, func(o, _ *object) *object {
		ref := o.str("$ref")
		if ref != "#" && !strings.HasPrefix(ref, "#/") || definitionOf(ref) {
			return o
		}
		o = o.clone()
		o.set("$ref", "#/properties/"+wrapper+strings.TrimPrefix(ref, "#"))
		return o
	}).(*object)
	out := wrapRoot(inner)
	inner.moveRoot(out)
	return out, true
}

func definitionOf(ref string) bool {
	return strings.HasPrefix(ref, "#/$defs/") || strings.HasPrefix(ref, "#/definitions/")
}

// target is the object that a reference within the document names; nil if there is none.
func (n *narrowing) target(ref string) *object {
	v, _ := n.lookup(ref)
	o, _ := v.(*object)
	return o
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
		last := "root"
		if i := strings.LastIndexByte(ref, '/'); i >= 0 {
			last = unescapePointer(ref[i+1:])
		}
		name = freshName(last, n.definitions.has)
		n.names[ref] = name
		n.definitions.set(name, nil) // its place in the order
		n.definitions.set(name, n.value(target, path))
	}
	return newObject("$ref", "#/$defs/"+name)
}

// freshName makes a name for a definition that needs no escaping and is not taken.
func freshName(text string, taken func(string) bool) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, text)
	unique := name
	for i := 2; taken(unique); i++ {
		unique = name + strconv.Itoa(i)
	}
	return unique
}

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
	out := newObject("type", types)
	if len(types) == 1 {
		out.set("type", types[0])
	}
	var untold []string
	for _, name := range o.names {
		v := o.values[name]
		switch {
		case structural[name]:
		case name == "enum":
			out.set("enum", v)
		case name == "const": // which no dialect has
			out.set("enum", []any{v})
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
		out.set("items", newObject("anyOf", subs))
	case ok:
		out.set("items", n.value(items, append(slices.Clone(path), "items")))
	default:
		n.problem(path, "is an array of any items, a type is needed")
	}
}

// structural keywords are handled with the type, the object or the array.
var structural = keywords("type", "properties", "required", "additionalProperties", "items", "prefixItems", "$defs", "definitions")

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

// nullable returns the narrowed schema that also takes null.
func nullable(v any) any {
	o, ok := v.(*object)
	if !ok {
		return v
	}
	null := newObject("type", "null")
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
		return newObject("anyOf", []any{o, null})
	}
	if values := o.list("enum"); values != nil && !slices.Contains(values, nil) {
		o.set("enum", append(slices.Clone(values), nil))
	}
	return o
}
