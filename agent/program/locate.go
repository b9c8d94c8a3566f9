package program

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

var word = regexp.MustCompile(`[\p{L}\p{N}]`)

func hasWords(text string) bool { return word.MatchString(text) }

// A query is what an element has to be.
type query struct{ role, name, text string }

func (q query) String() string {
	if q.role == "" {
		return fmt.Sprintf("%q", q.name)
	}
	return fmt.Sprintf("%s %q", q.role, q.name)
}

// find returns the elements that fit, in the order of the page.
func (v *view) find(q query, within starlark.Value) ([]int, error) {
	nodes := v.Snapshot.Nodes
	first, end := 0, len(nodes)
	if within != nil && within != starlark.None {
		i, err := v.locate(within, nil)
		if err != nil {
			return nil, fmt.Errorf("within: %w", err)
		}
		first, end = i+1, int(nodes[i].End)
	}
	var out []int
	for i := first; i < end; i++ {
		n := &nodes[i]
		switch {
		case q.role != "" && !strings.EqualFold(string(n.Role), q.role),
			n.Header && strings.EqualFold(q.role, "row"), // rows are those with data
			q.name != "" && !sameName(v.hide(n.Name), q.name),
			q.text != "" && !says(v.hide(v.textOf(i)), q.text):
			continue
		}
		out = append(out, i)
	}
	return out, nil
}

func says(text, part string) bool {
	return strings.Contains(strings.ToLower(strings.Join(strings.Fields(text), " ")), strings.ToLower(strings.Join(strings.Fields(part), " ")))
}

var refForm = regexp.MustCompile(`^\[?[0-9]+-[0-9]+(:[0-9]+)?\]?$`)

// locate finds the one element that a program means: an element that it found, a
// ref, or the role and name of an outline's line. Two that fit are none.
func (v *view) locate(target, within starlark.Value) (int, error) {
	switch t := target.(type) {
	case *element:
		return v.byRef(t.ref, t.String())
	case starlark.String:
		text := string(t)
		if refForm.MatchString(text) {
			return v.byRef(accessibility.Ref(strings.Trim(text, "[]")), text)
		}
		role, name, ok := strings.Cut(text, ": ")
		if !ok {
			return 0, fmt.Errorf("%w: %q names no element; write its role and name as the outline does, as \"button: Save\", or pass one that find returned", ErrInvalid, cut(text, 80))
		}
		found, err := v.find(query{role: role, name: name}, within)
		switch {
		case err != nil:
			return 0, err
		case len(found) == 0:
			return 0, fmt.Errorf("there is no %s %q on the page%s", role, cut(name, 80), around(within))
		case len(found) > 1:
			return 0, fmt.Errorf("%d elements are %s %q%s; say within= which, or take one of find's", len(found), role, cut(name, 80), around(within))
		}
		return found[0], nil
	case *starlark.List:
		return 0, fmt.Errorf("%w: that is a list of %d elements; take one of them", ErrInvalid, t.Len())
	}
	return 0, fmt.Errorf("%w: a %s is no element", ErrInvalid, target.Type())
}

func around(within starlark.Value) string {
	if within == nil || within == starlark.None {
		return ""
	}
	return " within " + short(within)
}

func (v *view) byRef(ref accessibility.Ref, what string) (int, error) {
	n, ok := v.Snapshot.Lookup(ref)
	if !ok {
		return 0, fmt.Errorf("%s is not on the page any more; find it again after the page has changed", what)
	}
	i := slices.IndexFunc(v.Snapshot.Nodes, func(m accessibility.Node) bool { return m.Ref == n.Ref })
	if i < 0 {
		return 0, fmt.Errorf("%s has no line of its own; name the row or what is in it", what)
	}
	return i, nil
}
