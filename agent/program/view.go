package program

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A view is a page as it was read.
type view struct {
	Snapshot *accessibility.Snapshot
	Address  string
	// Hide takes the values of variables out of a text of the page.
	Hide func(string) string
	// Variables are the names of the task's variables.
	Variables []string
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
			q.name != "" && !sameName(v.Hide(n.Name), q.name),
			q.text != "" && !says(v.Hide(v.textOf(i)), q.text):
			continue
		}
		out = append(out, i)
	}
	return out, nil
}

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

// element copies a node.
func (v *view) element(i int) *element {
	snap := v.Snapshot
	n := &snap.Nodes[i]
	copied := func(text string) string { return strings.Clone(v.Hide(text)) }
	e := &element{ref: accessibility.Ref(strings.Clone(string(n.Ref))), role: string(n.Role), name: copied(n.Name), value: copied(n.Value), url: copied(n.URL), states: n.States}
	for _, o := range n.OptionLabels() {
		e.options = append(e.options, copied(o))
	}
	text := v.textOf(i)
	if e.long = len(text) > mostText; !e.long {
		e.text = copied(text)
	}
	if len(n.Cells) > 0 {
		for _, text := range snap.CellTexts(n) {
			e.cells = append(e.cells, copied(text))
		}
		for _, text := range v.columns(i) {
			e.columns = append(e.columns, copied(text))
		}
	}
	return e
}

// textOf is what a node and all in it say, up to a little more than mostText.
func (v *view) textOf(i int) string {
	nodes := v.Snapshot.Nodes
	var b strings.Builder
	put := func(text string) {
		if text != "" && b.Len() <= mostText {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(text)
		}
	}
	for k := i; k < max(int(nodes[i].End), i+1) && b.Len() <= mostText; k++ {
		n := &nodes[k]
		if len(n.Cells) > 0 {
			for _, c := range n.Cells {
				if c.Reach == accessibility.NoReach {
					put(c.Text)
				}
			}
			continue
		}
		put(n.Name)
		if n.Value != n.Name {
			put(n.Value)
		}
	}
	return b.String()
}

// columns are the headers of the table that a row is in: the texts of the header
// row before it.
func (v *view) columns(i int) []string {
	nodes := v.Snapshot.Nodes
	table := nodes[i].Parent
	for table >= 0 && nodes[table].Role != "table" && nodes[table].Role != "grid" && nodes[table].Role != "treegrid" {
		table = nodes[table].Parent
	}
	if table < 0 {
		return nil
	}
	for k := i - 1; k > int(table); k-- {
		if nodes[k].Header && len(nodes[k].Cells) > 0 {
			return v.Snapshot.CellTexts(&nodes[k])
		}
	}
	return nil
}
