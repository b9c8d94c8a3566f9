package program

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// mostText bounds the text of an element, in bytes; what says more is read in
// parts.
const mostText = 16 << 10

// An element is a line of the page's outline, as it was when it was found. It
// holds copies: a program that keeps elements keeps no pages.
type element struct {
	ref              accessibility.Ref
	role, name       string
	value, url, text string
	states           accessibility.States
	options          []string
	cells            []string
	columns          []string // of the row's table, one for each cell; nil if it has no header
	long             bool     // the text is longer than mostText
}

var (
	_ starlark.HasAttrs   = (*element)(nil)
	_ starlark.Mapping    = (*element)(nil)
	_ starlark.Comparable = (*element)(nil)
)

// String is the element as a report has it.
func (e *element) String() string {
	name := e.name
	if len(e.cells) > 0 {
		name = strings.Join(e.cells, " | ")
	}
	return fmt.Sprintf("<%s %q [%s]>", e.role, cut(name, 60), e.ref)
}

// Type is its name in Starlark.
func (e *element) Type() string { return "element" }

// Freeze does nothing: an element never changes.
func (e *element) Freeze() {}

// Truth is true: there is an element.
func (e *element) Truth() starlark.Bool { return true }

// Hash makes elements keys of dicts.
func (e *element) Hash() (uint32, error) { return starlark.String(e.ref).Hash() }

// CompareSameType compares elements by their refs.
func (e *element) CompareSameType(op syntax.Token, other starlark.Value, _ int) (bool, error) {
	same := e.ref == other.(*element).ref
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("elements have no order; compare what they say")
}

// attributes are what a program can ask of an element.
var attributes = map[string]func(e *element) (starlark.Value, error){
	"ref":      func(e *element) (starlark.Value, error) { return starlark.String(e.ref), nil },
	"role":     func(e *element) (starlark.Value, error) { return starlark.String(e.role), nil },
	"name":     func(e *element) (starlark.Value, error) { return starlark.String(e.name), nil },
	"value":    func(e *element) (starlark.Value, error) { return starlark.String(e.value), nil },
	"url":      func(e *element) (starlark.Value, error) { return starlark.String(e.url), nil },
	"cells":    func(e *element) (starlark.Value, error) { return texts(e.cells), nil },
	"options":  func(e *element) (starlark.Value, error) { return texts(e.options), nil },
	"checked":  func(e *element) (starlark.Value, error) { return tristate(e.states.Checked), nil },
	"disabled": func(e *element) (starlark.Value, error) { return starlark.Bool(e.states.Disabled), nil },
	"expanded": func(e *element) (starlark.Value, error) { return tristate(e.states.Expanded), nil },
	"selected": func(e *element) (starlark.Value, error) { return tristate(e.states.Selected), nil },
	"text": func(e *element) (starlark.Value, error) {
		if e.long {
			return nil, fmt.Errorf("the text of %s is longer than %d bytes; find what is in it, or read it in parts", e, mostText)
		}
		return starlark.String(e.text), nil
	},
}

// Attr is e.name.
func (e *element) Attr(name string) (starlark.Value, error) {
	if f, ok := attributes[name]; ok {
		return f(e)
	}
	return nil, nil
}

// AttrNames lists them.
func (e *element) AttrNames() []string {
	return slices.Sorted(maps.Keys(attributes))
}

// Get is e[key]: a cell of a row by its column's header, or by its number.
func (e *element) Get(key starlark.Value) (starlark.Value, bool, error) {
	switch key := key.(type) {
	case starlark.String:
		at := slices.IndexFunc(e.columns, func(c string) bool { return sameName(c, string(key)) })
		if at < 0 || at >= len(e.cells) {
			return nil, false, fmt.Errorf("%s has no column %q; it has %q", e, cut(string(key), 80), e.columns)
		}
		if again := slices.IndexFunc(e.columns[at+1:], func(c string) bool { return sameName(c, string(key)) }); again >= 0 {
			return nil, false, fmt.Errorf("%s has two columns %q; take the cell by its number, as row.cells[0]", e, cut(string(key), 80))
		}
		return starlark.String(e.cells[at]), true, nil
	case starlark.Int:
		if i, ok := key.Int64(); ok && i >= 0 && int(i) < len(e.cells) {
			return starlark.String(e.cells[i]), true, nil
		}
	}
	return nil, false, fmt.Errorf("%s has no cell %s; it has %d", e, short(key), len(e.cells))
}

func texts(list []string) starlark.Value {
	out := make([]starlark.Value, len(list))
	for i, text := range list {
		out[i] = starlark.String(text)
	}
	return starlark.NewList(out)
}

// tristate is None where an element does not have the state.
func tristate(t accessibility.Tristate) starlark.Value {
	switch t {
	case accessibility.On:
		return starlark.True
	case accessibility.Off:
		return starlark.False
	case accessibility.Mixed:
		return starlark.String("mixed")
	}
	return starlark.None
}

// sameName compares names: white space and case do not count.
func sameName(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// A secret stands for the value of a variable. A program can give it to fill, and
// do nothing else with it; the value itself is never here.
type secret string

// String is the placeholder.
func (s secret) String() string { return "%" + string(s) + "%" }

// Type is its name in Starlark.
func (s secret) Type() string { return "variable" }

// Freeze does nothing.
func (s secret) Freeze() {}

// Truth is true: what the value is, is not known.
func (s secret) Truth() starlark.Bool { return true }

// Hash is refused: a variable is no key.
func (s secret) Hash() (uint32, error) { return 0, fmt.Errorf("a variable cannot be a key") }

// size is what an element takes, in bytes.
func (e *element) size() int {
	size := 320 + len(e.name) + len(e.value) + len(e.url) + len(e.text)
	for _, list := range [][]string{e.cells, e.columns, e.options} {
		for _, text := range list {
			size += slot + len(text)
		}
	}
	return size
}
