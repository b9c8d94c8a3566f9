package css

import (
	"maps"
	"slices"
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

// define gives the style the custom properties that its element declares.
func (s *Style) define(rules []*rule, own []declaration, parent *Style) {
	var set map[string]string
	take := func(decls []declaration, important bool) {
		for i := range decls {
			d := &decls[i]
			if d.important != important || !d.custom() {
				continue
			}
			if set == nil {
				set = make(map[string]string)
			}
			switch strings.ToLower(d.value) {
			case "initial":
				set[d.property] = invalid
			case "inherit", "unset", "revert", "revert-layer":
				delete(set, d.property)
			default:
				set[d.property] = d.value
			}
		}
	}
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			if r.custom {
				take(r.decls, important)
			}
		}
		take(own, important)
	}
	if len(set) == 0 {
		return
	}
	r := resolver{from: &variables{parent: parent.vars, own: set}, known: make(map[string]string, len(set))}
	same := true
	resolved := make(map[string]string, len(set))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value, ok := r.resolve(name)
		if !ok {
			value = invalid
		}
		resolved[name] = value
		had, has := parent.vars.lookup(name)
		same = same && has == (value != invalid) && (!has || had == value)
	}
	if !same {
		s.vars = &variables{parent: parent.vars, own: resolved}
	}
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
