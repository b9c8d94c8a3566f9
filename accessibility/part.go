package accessibility

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Part is an element of the page as what holds nodes of a snapshot. It need not have a
// line of its own in the outline, and most div have none.
type Part struct{ doc, at int32 } // Capture.Documents[doc].Nodes[at]

// Part returns the part that a node is.
func (s *Snapshot) Part(n *Node) Part { return Part{n.doc, n.node} }

// Around returns the element around a part: that of its frame at the top of a document.
// ok is false at the top of the page.
func (s *Snapshot) Around(p Part) (_ Part, ok bool) {
	if up := s.up(p); up.at >= 0 {
		return up, true
	}
	doc, at, ok := owner(s.Capture, p.doc)
	return Part{doc, at}, ok
}

// up returns the parent in the same document; at is -1 if there is none. A child comes after
// its parent, or the capture contradicts itself.
func (s *Snapshot) up(p Part) Part {
	if nodes := s.Capture.Documents[p.doc].Nodes; p.at >= 0 && int(p.at) < len(nodes) && nodes[p.at].Parent < p.at {
		return Part{p.doc, max(nodes[p.at].Parent, -1)}
	}
	return Part{p.doc, -1}
}

// Holds reports whether a node is in a part, in a frame there, or the part itself.
func (s *Snapshot) Holds(p Part, node int32) bool {
	in, ok := s.Part(&s.Nodes[node]), true
	for in.doc > p.doc && ok { // a frame comes after its document
		in.doc, in.at, ok = owner(s.Capture, in.doc)
	}
	for ok && in.doc == p.doc && in.at > p.at {
		in = s.up(in)
	}
	return ok && in == p
}

// Out returns how many elements further out than a node a part is, in the flat tree. ok is
// false if it does not hold the node, or the node is in a frame there.
func (s *Snapshot) Out(p Part, n *Node) (levels int, ok bool) {
	nodes := s.Capture.Documents[p.doc].Nodes
	for at := s.Part(n); at.doc == p.doc && at.at >= 0; at = s.up(at) {
		if up := s.up(at); at == p || up == p && up.at >= 0 && nodes[up.at].Kind != driver.ElementNode {
			return levels, true // a document is as far as its element
		}
		levels++
	}
	return 0, false
}

// Siblings returns the elements and texts before and behind a part in its own parent, in the
// order of the flat tree.
func (s *Snapshot) Siblings(p Part) (before, behind []Part) {
	nodes := s.Capture.Documents[p.doc].Nodes
	up := s.up(p)
	for i := up.at + 1; up.at >= 0 && int(i) < len(nodes) && nodes[i].Parent >= up.at; i++ {
		switch n := &nodes[i]; {
		case n.Parent != up.at || n.Kind != driver.ElementNode && n.Kind != driver.TextNode || i == p.at:
		case i < p.at:
			before = append(before, Part{p.doc, i})
		default:
			behind = append(behind, Part{p.doc, i})
		}
	}
	return before, behind
}

// Data returns the data of the text nodes that a part shows in its document, outside of a
// node in it: those before the node, and those behind it. It leaves out what did not reach us
// as it is, with U+FFFD in it.
func (s *Snapshot) Data(p Part, n *Node) (before, behind []string) {
	nodes, own := s.Capture.Documents[p.doc].Nodes, false
	for i := max(p.at, 0); int(i) < len(nodes) && (i == p.at || nodes[i].Parent >= p.at); i++ {
		captured := &nodes[i]
		switch own = n.doc == p.doc && (i == n.node || own && captured.Parent >= n.node); {
		case own || captured.Kind != driver.TextNode || !captured.Rendered || strings.TrimSpace(captured.Text) == "", strings.ContainsRune(captured.Text, utf8.RuneError):
		case i < n.node:
			before = append(before, captured.Text)
		default:
			behind = append(behind, captured.Text)
		}
	}
	return before, behind
}

// Range returns the nodes that a part holds, around one of them: Nodes[first:end]. What a
// part owns elsewhere (aria-owns) is not among them.
func (s *Snapshot) Range(p Part, node int32) (first, end int32) {
	before := sort.Search(int(node), func(i int) bool { return s.Holds(p, int32(i)) })
	behind := s.Nodes[node].End
	more := sort.Search(len(s.Nodes)-int(behind), func(i int) bool { return !s.Holds(p, behind+int32(i)) })
	return int32(before), behind + int32(more)
}

// Apart returns, for each of several nodes, the largest element that holds it and none of
// the others. One that holds another is its own. The nodes are given by their index, in
// order.
func (s *Snapshot) Apart(nodes []int32) []Part {
	parts := make([]Part, len(nodes))
	order := make([]int, len(nodes)) // as they stand in the page, whatever owns them
	for i := range nodes {
		order[i], parts[i] = i, s.Part(&s.Nodes[nodes[i]])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		one, other := s.level(parts[a], parts[b])
		return cmp.Or(cmp.Compare(one.at, other.at), cmp.Compare(parts[a].doc, parts[b].doc))
	})
	common := make([]Part, len(nodes)+1) // the smallest element around the ith in that order and the one before
	common[0], common[len(nodes)] = Part{-1, -1}, Part{-1, -1}
	for i := 1; i < len(nodes); i++ {
		common[i] = s.common(parts[order[i-1]], parts[order[i]])
	}
	for i, k := range order {
		around := common[i] // or the smaller one
		if after := common[i+1]; after.doc > around.doc || after.doc == around.doc && after.at > around.at {
			around = after
		}
		if around == parts[k] {
			continue // another stands in it
		}
		for up, ok := s.Around(parts[k]); ok && up != around; up, ok = s.Around(up) {
			parts[k] = up
		}
	}
	return parts
}

// level lifts two parts into one document: it replaces a part in a frame by the frame.
func (s *Snapshot) level(a, b Part) (_, _ Part) {
	for ok := true; ok && a.doc != b.doc; {
		if a.doc > b.doc {
			a.doc, a.at, ok = owner(s.Capture, a.doc)
		} else {
			b.doc, b.at, ok = owner(s.Capture, b.doc)
		}
	}
	return a, b
}

// common returns the smallest element around two parts.
func (s *Snapshot) common(a, b Part) Part {
	for a, b = s.level(a, b); a != b && a.at >= 0 && b.at >= 0; {
		if a.at > b.at {
			a = s.up(a)
		} else {
			b = s.up(b)
		}
	}
	return Part{a.doc, min(a.at, b.at)}
}

// RowAround returns the row or the list item that a node stands in.
func (s *Snapshot) RowAround(n *Node) (_ Part, ok bool) {
	if row := s.rowAround(n); row >= 0 {
		return s.Part(&s.Nodes[row]), true
	}
	return Part{}, false
}

// rowAround is RowAround by its index, -1 if there is none.
func (s *Snapshot) rowAround(n *Node) int32 {
	up := n.Parent
	for up >= 0 && s.Nodes[up].Role != "row" && s.Nodes[up].Role != "listitem" {
		up = s.Nodes[up].Parent
	}
	return up
}

// HeadOfRow returns what the row or the list item of a node begins with: its first cell
// or text, as a rule what the row is about. It is empty if the node stands in none, if a
// list item begins with the node itself, and of a row that says nothing but the node.
func (s *Snapshot) HeadOfRow(n *Node) string {
	at := s.rowAround(n)
	if at < 0 {
		return ""
	}
	row := &s.Nodes[at]
	head, first := s.head(n, at, row.End, s.Part(row))
	if row.Role == "listitem" && n.doc == row.doc && n.node < first {
		return ""
	}
	return head
}

// Beginning returns the first text of a part besides a node in it and other controls, as
// far as it stands in one element, and that element or text node; links are no controls
// here. The node has a line of its own.
func (s *Snapshot) Beginning(p Part, n *Node) (string, Part) {
	first, end := s.Range(p, n.index)
	head, at := s.head(n, first, end, p)
	if head == "" {
		return "", p
	}
	if captured := &s.Capture.Documents[p.doc].Nodes[at]; captured.Kind == driver.TextNode {
		head = cmp.Or(collapse(captured.Shown), head)
	}
	return head, Part{p.doc, at}
}

// head returns the text that stands first in a part, and where. A text is a whole run,
// through several elements.
func (s *Snapshot) head(n *Node, first, end int32, p Part) (head string, at int32) {
	consider := func(node *Node, text string, place int32) {
		if text = collapse(text); node.doc == p.doc && (head == "" || place < at) && strings.ContainsFunc(text, isWordRune) {
			head, at = text, place
		}
	}
	for i := first; i < end; i++ {
		other := &s.Nodes[i]
		if head != "" && other.doc == p.doc && other.node > at {
			break // the rest stands behind it
		}
		for c := range other.Cells {
			consider(other, other.Cells[c].Text, other.Cells[c].node)
		}
		switch inside := n.index >= 0 && i >= n.index && i < n.End; {
		case s.Part(other) == p || inside || i < n.index && n.index < other.End: // around it, or in it
		case other.Interactive && other.Role != "link": // another control
		default:
			consider(other, other.Name, other.node)
		}
	}
	return head, at
}
