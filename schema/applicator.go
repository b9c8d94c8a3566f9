package schema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// applying returns s and all schemas that apply to the same value by it, each
// once, though schemas may refer to each other in a circle.
func applying(s *jsonschema.Schema, v any) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s}
	for i := 0; i < len(all); i++ {
		for _, sub := range inPlace(all[i], v) {
			if !slices.Contains(all, sub) {
				all = append(all, sub)
			}
		}
	}
	return all
}

// inPlace returns the schemas that apply to the same value as s does. Of
// alternatives, those that the value fits.
func inPlace(s *jsonschema.Schema, v any) []*jsonschema.Schema {
	var subs []*jsonschema.Schema
	add := func(sub *jsonschema.Schema) {
		if sub != nil {
			subs = append(subs, sub)
		}
	}
	add(s.Ref)
	add(s.RecursiveRef)
	if s.DynamicRef != nil {
		add(s.DynamicRef.Ref)
	}
	for _, sub := range s.AllOf {
		add(sub)
	}
	for _, group := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		for _, sub := range group {
			if sub.Validate(v) == nil {
				add(sub)
			}
		}
	}
	if s.If != nil {
		if s.If.Validate(v) == nil {
			add(s.If)
			add(s.Then)
		} else {
			add(s.Else)
		}
	}
	if o, ok := v.(map[string]any); ok {
		for name, sub := range s.DependentSchemas {
			if _, ok := o[name]; ok {
				add(sub)
			}
		}
		for name, dependency := range s.Dependencies {
			if sub, isSchema := dependency.(*jsonschema.Schema); isSchema {
				if _, ok := o[name]; ok {
					add(sub)
				}
			}
		}
	}
	return subs
}

// memberSchemas returns the schemas that s itself has for a member.
func memberSchemas(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	var subs []*jsonschema.Schema
	if sub, ok := s.Properties[name]; ok {
		subs = append(subs, sub)
	}
	for pattern, sub := range s.PatternProperties {
		if pattern.MatchString(name) {
			subs = append(subs, sub)
		}
	}
	if len(subs) == 0 {
		if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
			subs = append(subs, sub)
		}
	}
	if s.UnevaluatedProperties != nil {
		subs = append(subs, s.UnevaluatedProperties)
	}
	return subs
}

// itemSchemas returns the schemas that s itself has for the item at i.
func itemSchemas(s *jsonschema.Schema, i int) []*jsonschema.Schema {
	var subs []*jsonschema.Schema
	add := func(v any) {
		if sub, ok := v.(*jsonschema.Schema); ok && sub != nil {
			subs = append(subs, sub)
		}
	}
	switch items := s.Items.(type) { // up to draft-07
	case *jsonschema.Schema:
		add(items)
	case []*jsonschema.Schema:
		if i < len(items) {
			add(items[i])
		} else {
			add(s.AdditionalItems)
		}
	}
	if i < len(s.PrefixItems) {
		add(s.PrefixItems[i])
	} else {
		add(s.Items2020)
	}
	add(s.Contains)
	add(s.UnevaluatedItems)
	return subs
}
