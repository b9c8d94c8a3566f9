package schema

import "slices"

// How the keywords of a schema hold other schemas.
var (
	schemaKeywords = keywords("additionalProperties", "unevaluatedProperties", "propertyNames", "items",
		"additionalItems", "unevaluatedItems", "contains", "contentSchema", "not", "if", "then", "else")
	schemaListKeywords = keywords("allOf", "anyOf", "oneOf", "prefixItems", "items")
	schemaMapKeywords  = keywords("properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions")
)

func keywords(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, n := range names {
		set[n] = true
	}
	return set
}

// rewrite returns a schema with change applied to each schema object in it,
// inner ones first, but none below the keywords except. was is the object as the input
// has it. The input is not changed; change must not change its arguments either.
func rewrite(schema any, change func(o, was *object) *object, except ...string) any {
	was, ok := schema.(*object)
	if !ok {
		return schema
	}
	o := was.clone()
	for _, name := range o.names {
		switch v := o.values[name].(type) {
		case *object:
			if schemaKeywords[name] && !slices.Contains(except, name) {
				o.values[name] = rewrite(v, change, except...)
			} else if schemaMapKeywords[name] {
				inner := v.clone()
				for _, n := range inner.names {
					inner.values[n] = rewrite(inner.values[n], change, except...)
				}
				o.values[name] = inner
			}
		case []any:
			if schemaListKeywords[name] {
				inner := make([]any, len(v))
				for i, e := range v {
					inner[i] = rewrite(e, change, except...)
				}
				o.values[name] = inner
			}
		}
	}
	return change(o, was)
}
