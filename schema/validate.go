package schema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// issuesOf flattens the validator's tree to what is wrong where.
func issuesOf(failed *jsonschema.ValidationError, doc any) []Issue {
	issues := flatten(failed, doc)
	slices.SortFunc(issues, compareIssues)
	return slices.CompactFunc(issues, func(a, b Issue) bool {
		return compareIssues(a, b) == 0
	})
}

func flatten(e *jsonschema.ValidationError, doc any) []Issue {
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		return alternatives(e, doc)
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return alternatives(e, doc)
		}
	case *kind.Required:
		return missing(e, k.Missing, doc, "is missing")
	case *kind.AdditionalProperties:
		return missing(e, k.Properties, doc, "is not a known member")
	case *kind.PropertyNames:
		return misnamed(e, k.Property, doc)
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var issues []Issue
		for _, cause := range e.Causes {
			issues = append(issues, flatten(cause, doc)...)
		}
		return issues
	}
	path, _ := locate(e.InstanceLocation, doc)
	return []Issue{{Path: path, Message: message(e.ErrorKind)}}
}

// misnamed reports a member whose name is refused. The validator's location
// for these is right in its length alone: it shares memory with locations that
// are written later. So the objects at that depth which have the member are
// looked up.
func misnamed(e *jsonschema.ValidationError, name string, doc any) []Issue {
	text := message(e.ErrorKind)
	for _, cause := range e.Causes {
		for _, inner := range flatten(cause, doc) {
			text += ": " + inner.Message
		}
	}
	var issues []Issue
	for _, path := range holders(doc, name, len(e.InstanceLocation), []any{}) {
		issues = append(issues, Issue{Path: path, Message: text})
	}
	if issues == nil {
		path, _ := locate(e.InstanceLocation, doc)
		issues = []Issue{{Path: path, Message: text}}
	}
	return issues
}

// holders returns the paths of the objects at a depth that have a member.
func holders(v any, name string, depth int, path []any) [][]any {
	var found [][]any
	switch v := v.(type) {
	case map[string]any:
		if depth == 0 {
			if _, ok := v[name]; ok {
				found = append(found, path)
			}
			return found
		}
		for member, value := range v {
			found = append(found, holders(value, name, depth-1, append(slices.Clone(path), member))...)
		}
	case []any:
		for i, item := range v {
			if depth > 0 {
				found = append(found, holders(item, name, depth-1, append(slices.Clone(path), i))...)
			}
		}
	}
	return found
}

// missing reports members at their own place rather than at the object's.
func missing(e *jsonschema.ValidationError, names []string, doc any, what string) []Issue {
	names = slices.Sorted(slices.Values(names))
	issues := make([]Issue, len(names))
	for i, name := range names {
		path, _ := locate(e.InstanceLocation, doc)
		issues[i] = Issue{Path: append(path, name), Message: what}
	}
	return issues
}

// alternatives reports a value that fits none of several schemas. Schemas of
// another type than the value's tell nothing as long as one of the right type
// is there.
func alternatives(e *jsonschema.ValidationError, doc any) []Issue {
	var near [][]Issue
	var wanted []string
	for _, cause := range e.Causes {
		if t := typeAt(cause, len(e.InstanceLocation)); t != nil {
			wanted = append(wanted, t.Want...)
			continue
		}
		near = append(near, flatten(cause, doc))
	}
	path, got := locate(e.InstanceLocation, doc)
	switch len(near) {
	case 0:
		return []Issue{{Path: path, Message: typeMessage(describe(got), wanted)}}
	case 1:
		return near[0]
	}
	text := "fits none of the alternatives:"
	for i, issues := range near {
		text += " (" + strconv.Itoa(i+1) + ") "
		for j, issue := range issues {
			if j > 0 {
				text += ", "
			}
			issue.Path = issue.Path[min(len(path), len(issue.Path)):]
			text += issue.String()
		}
	}
	return []Issue{{Path: path, Message: text}}
}

// typeAt returns the type error that a branch consists of, if it is one about
// the value at the given depth.
func typeAt(e *jsonschema.ValidationError, depth int) *kind.Type {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		if len(e.InstanceLocation) == depth {
			return k
		}
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			if t := typeAt(cause, depth); t != nil {
				return t
			}
		}
	}
	return nil
}

// locate turns a location of strings into a path in which positions are numbers. It
// returns the path, and the value that doc has at it.
func locate(location []string, doc any) ([]any, any) {
	path := make([]any, 0, len(location)+1)
	for _, part := range location {
		switch v := doc.(type) {
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return append(path, part), nil // the validator names nothing else
			}
			path, doc = append(path, i), v[i]
		case map[string]any:
			path, doc = append(path, part), v[part]
		default:
			path = append(path, part)
		}
	}
	return path, doc
}

func compareIssues(a, b Issue) int {
	return cmp.Or(slices.CompareFunc(a.Path, b.Path, compareParts), cmp.Compare(a.Message, b.Message))
}

// compareParts orders positions by their numbers, and names by their letters.
func compareParts(a, b any) int {
	x, xIsIndex := a.(int)
	y, yIsIndex := b.(int)
	if xIsIndex && yIsIndex {
		return cmp.Compare(x, y)
	}
	s, _ := a.(string)
	t, _ := b.(string)
	return cmp.Compare(s, t)
}

// schemaError puts a failed compilation in our words.
func schemaError(err error) error {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if failed, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err); ok {
			return &SchemaError{Issues: issuesOf(failed, nil)}
		}
	}
	if pattern, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return &SchemaError{Issues: []Issue{{
			Path:    pointerPath(pattern.URL),
			Message: "is not a regular expression: " + strconv.Quote(pattern.Regex),
		}}, Err: pattern.Err}
	}
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return &SchemaError{Err: fmt.Errorf("%s: %w", load.URL, load.Err)}
	}
	if pointer, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return &SchemaError{Err: fmt.Errorf("%s: %w", strings.TrimPrefix(pointer.URL, base), errDangling)}
	}
	if anchor, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		return &SchemaError{Err: fmt.Errorf("%s: %w", strings.TrimPrefix(anchor.Reference, base), errDangling)}
	}
	return &SchemaError{Err: err}
}

var errDangling = errors.New("the schema refers to a place in itself that is not there")
