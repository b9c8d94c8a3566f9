package css

import (
	"strings"
)

// invalid stands for a custom property that has no value though the parent's may.
const invalid = "\x00"

// The variables of an element are its custom properties, those that it
// inherits included. They are never changed; nil has none.
type variables struct {
	parent *variables
	own    map[string]string // the values as they were written, or invalid
}

func (v *variables) lookup(name string) (string, bool) {
	for ; v != nil; v = v.parent {
		if value, ok := v.own[name]; ok {
			return value, value != invalid
		}
	}
	return "", false
}

// A resolver replaces the references in the custom properties of one element.
type resolver struct {
	from  *variables
	known map[string]string // by name: the value, or invalid; also of what is being resolved
	total int
}

// Bounds of values: of one, of all that an element declares together, and of
// how deep they refer to each other.
const (
	maxVariable  = 16 << 10
	maxVariables = 1 << 20
	maxReferring = 1000
)

// resolve is the value of a custom property with its own references replaced.
// One that leads back to itself has none.
func (r *resolver) resolve(name string) (string, bool) {
	if value, ok := r.known[name]; ok {
		return value, value != invalid
	}
	value, ok := r.from.lookup(name)
	if !ok || !strings.Contains(value, "var(") {
		return value, ok
	}
	if r.known[name] = invalid; len(r.known) > maxReferring {
		return "", false
	}
	if value, ok = r.replace(value); !ok {
		return "", false
	}
	if r.total += len(value); r.total > maxVariables {
		return "", false
	}
	r.known[name] = value
	return value, true
}

// substitute puts values in place of the references of a declaration.
func (v *variables) substitute(value string) (string, bool) {
	r := resolver{from: v}
	value, ok := r.replace(value)
	value = strings.TrimSpace(value)
	return value, ok && value != ""
}

func (r *resolver) replace(value string) (string, bool) {
	if len(value) > maxVariable {
		return "", false
	}
	var sb strings.Builder
	for {
		i := strings.Index(value, "var(")
		if i < 0 {
			sb.WriteString(value)
			return sb.String(), sb.Len() <= maxVariable
		}
		end := parenthesis(value, i+len("var"))
		if end < 0 || sb.Len() > maxVariable {
			return "", false
		}
		sb.WriteString(value[:i])
		name, fallback, has := strings.Cut(value[i+len("var("):end], ",")
		got, ok := r.resolve(strings.TrimSpace(name))
		if !ok {
			if !has {
				return "", false
			}
			if got, ok = r.replace(strings.TrimSpace(fallback)); !ok {
				return "", false
			}
		}
		sb.WriteString(got)
		value = value[end+1:]
	}
}
