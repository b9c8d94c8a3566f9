package agent

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/agent/internal/verdict"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/twins"
)

// A survey reads what stands around the elements of a reading, for a task.
type survey struct {
	snapshot    *engine.Snapshot
	instruction string
	hide        func(string) string  // puts placeholders in the place of values
	alike       map[likeness][]int32 // in the snapshot's nodes; nil until it is asked for
	rows        map[likeness]*twins.Twins
}

// A likeness is all that is compared of elements that look the same.
type likeness struct {
	role accessibility.Role
	name string
}

// row finds the part of the page that belongs to an element alone. ok is false for a node
// without a line of its own.
func (s *survey) row(node *accessibility.Node, at int32) (_ twins.Row, ok bool) {
	if s.alike == nil {
		s.alike, s.rows = map[likeness][]int32{}, map[likeness]*twins.Twins{}
		for i := range s.snapshot.Nodes {
			key := likeness{s.snapshot.Nodes[i].Role, s.snapshot.Nodes[i].Name}
			s.alike[key] = append(s.alike[key], int32(i))
		}
	}
	key := likeness{node.Role, node.Name}
	k, ok := slices.BinarySearch(s.alike[key], at)
	if !ok {
		return twins.Row{}, false
	}
	t := s.rows[key]
	if t == nil {
		t = twins.New(s.snapshot, s.alike[key], s.hide)
		t.Prepare()
		s.rows[key] = t
	}
	return twins.Row{Twins: t, At: k}, true
}

// rowText returns the text of an element's row. It is empty if nothing else looks like the
// element, or if the text may belong to a neighbour.
func (s *survey) rowText(node *accessibility.Node, at int32) string {
	if r, ok := s.row(node, at); ok {
		return r.About()
	}
	return ""
}

// around is what an action says of the surroundings of its element, for a command to it.
func (s *survey) around(node *accessibility.Node, cmd engine.Command) Action {
	around := Action{About: s.about(node), Beside: s.beside(node), Nearer: s.nearer(node), Twins: s.twins(node)}
	_, around.InRow = s.inRow(node, indexOf(s.snapshot, node))
	if cmd.Method == engine.SelectOption {
		around.Beside = append(around.Beside, s.otherOptions(node, cmd.Arguments)...)
	}
	if (cmd.Method == engine.SelectOption || cmd.Method == engine.Fill) && node.Value != "" && !node.Password {
		around.Replaced = []string{s.hide(oneLine(node.Value))}
	}
	return around
}

// otherOptions are words of the task that another option of a select says, and the
// chosen ones do not.
func (s *survey) otherOptions(node *accessibility.Node, chosen []string) (out []string) {
	own := node.Name + " " + strings.Join(chosen, " ")
	for _, w := range verdict.Words(s.instruction) {
		if !verdict.Says(own, w) && slices.ContainsFunc(node.Options, func(o accessibility.Option) bool { return verdict.Says(o.Label, w) }) {
			out = append(out, w)
		}
	}
	return out
}

// about is what an element of the view stands in: itself, its row or item, its
// groups.
func (s *survey) about(node *accessibility.Node) []string {
	out := []string{string(node.Role) + ": " + node.Name, node.Description}
	inRow := false
	for at := node.Parent; at >= 0; at = s.snapshot.Nodes[at].Parent {
		n := &s.snapshot.Nodes[at]
		switch n.Role {
		case "row", "listitem", "article", "treeitem", "option":
			inRow = true
			out = append(out, cutText(nodeText(s.snapshot, n), mostAbout))
		case "document", "main":
		default:
			out = append(out, n.Name)
		}
	}
	if !inRow {
		out = append(out, s.rowText(node, indexOf(s.snapshot, node)))
	}
	for i, text := range out {
		out[i] = s.hide(oneLine(text))
	}
	return slices.DeleteFunc(out, func(text string) bool { return text == "" })
}

// beside are words of the task that another element of the same kind says, in its
// name or its row, and this one does not: another row may have been meant. What
// stands in a landmark for getting around is no alternative.
func (s *survey) beside(node *accessibility.Node) (out []string) {
	if !slices.Contains([]accessibility.Role{"link", "button", "checkbox", "radio", "option", "row", "treeitem", "menuitem", "tab"}, node.Role) {
		return nil
	}
	own, row := s.inRow(node, indexOf(s.snapshot, node))
	if own == "" {
		return nil
	}
	var others []string
	for i := range s.snapshot.Nodes {
		if n := &s.snapshot.Nodes[i]; n != node && n.Role == node.Role && n.Interactive {
			// Two buttons side by side do different things; in two rows they are twins.
			if text, r := s.inRow(n, int32(i)); text != "" && (r && row || node.Role != "button") {
				others = append(others, text)
			}
		}
	}
	for _, w := range verdict.Words(s.instruction) {
		if !verdict.Says(own, w) && slices.ContainsFunc(others, func(text string) bool { return verdict.Says(text, w) }) {
			out = append(out, w)
		}
	}
	return out
}

// nearer are the names of other controls of an element's row that say all that its own name
// says of the task, and more: "Delete order" beside "Delete note". Words that the row itself
// says name the record, and count only where that leaves none: for "delete the note of order
// 1002" it is "Delete note" beside "Delete order", if the row says "Order 1002".
func (s *survey) nearer(node *accessibility.Node) (out []string) {
	control := func(n *accessibility.Node) bool { return n.Role == "button" || n.Role == "link" }
	r, ok := s.row(node, indexOf(s.snapshot, node))
	if !ok || !control(node) {
		return nil
	}
	var controls []*accessibility.Node
	record := r.About() // without what other rows have, too
	for i := range s.snapshot.Nodes {
		n := &s.snapshot.Nodes[i]
		if n == node || !n.Interactive || !control(n) || !r.Holds(int32(i)) {
			continue
		}
		controls = append(controls, n)
		if len(s.alike[likeness{n.Role, n.Name}]) > 1 {
			record = strings.Replace(record, oneLine(n.Name), " ", 1)
		}
	}
	isOfRecord := func(w string) bool { return verdict.Says(record, w) }
	more := verdict.Words(s.instruction)
	var own []string
	for w := range strings.FieldsSeq(strings.ToLower(s.instruction)) {
		if verdict.Says(node.Name, w) {
			own = append(own, w)
		}
	}
	deed, moreDeed := slices.DeleteFunc(slices.Clone(own), isOfRecord), slices.DeleteFunc(slices.Clone(more), isOfRecord)
	for _, n := range controls {
		says := func(w string) bool { return verdict.Says(n.Name, w) }
		saysMore := func(own, more []string) bool {
			return len(own) > 0 && !slices.ContainsFunc(own, func(w string) bool { return !says(w) }) &&
				slices.ContainsFunc(more, func(w string) bool { return says(w) && !verdict.Says(node.Name, w) })
		}
		if saysMore(own, more) || saysMore(deed, moreDeed) {
			out = append(out, s.hide(oneLine(n.Name)))
		}
	}
	return out
}

// twins counts the elements that have an element's role and name and lead elsewhere; it
// is 0 where a word of the task tells the element from one of them, so that the task
// names it or its kind. Two elements are told apart by what stands around each and not
// around the other: all of the page up to where their ways part.
func (s *survey) twins(node *accessibility.Node) (n int) {
	above := map[int32]int32{} // each ancestor of the element, with the one below it
	for at, below := node.Parent, indexOf(s.snapshot, node); at >= 0 && below >= 0; at, below = s.snapshot.Nodes[at].Parent, at {
		above[at] = below
	}
	clauses := verdict.Divide(s.instruction)
	for i := range s.snapshot.Nodes {
		t := &s.snapshot.Nodes[i]
		if t == node || !t.Interactive || t.Role != node.Role || t.Name != node.Name || t.URL != "" && t.URL == node.URL {
			continue
		}
		if t.States.Checked != node.States.Checked || t.States.Pressed != node.States.Pressed {
			continue // it does not look the same
		}
		below, at := int32(i), t.Parent
		for at >= 0 && above[at] == 0 {
			below, at = at, s.snapshot.Nodes[at].Parent
		}
		if at < 0 {
			continue
		}
		if verdict.Tells(clauses, textOf(s.snapshot, above[at]), textOf(s.snapshot, below)) || verdict.Tells(clauses, s.rowText(node, indexOf(s.snapshot, node)), s.rowText(t, int32(i))) {
			return 0
		}
		n++
	}
	return n
}

// inRow is what an element says, with its row or item; empty in a landmark. The element
// stands at an index of the snapshot's nodes, -1 if it has no line.
func (s *survey) inRow(node *accessibility.Node, index int32) (text string, row bool) {
	text = node.Name
	for at := node.Parent; at >= 0; at = s.snapshot.Nodes[at].Parent {
		switch n := &s.snapshot.Nodes[at]; n.Role {
		case "navigation", "banner", "contentinfo":
			return "", false
		case "row", "listitem", "article", "treeitem":
			return text + " " + nodeText(s.snapshot, n), true
		}
	}
	if about := s.rowText(node, index); about != "" {
		return text + " " + about, true
	}
	return text, false
}

// mostAbout bounds what is kept of a row, in tokens: a row of a wide table has less.
const mostAbout = 200
