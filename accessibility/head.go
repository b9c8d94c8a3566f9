package accessibility

import (
	"strings"
	"unicode"
)

// HeadOfRow returns what the row or the list item of a node begins with: its first cell
// or text, as a rule what the row is about. It is empty if the node stands in none, if a
// list item begins with the node itself, and of a row that says nothing but the node.
func (s *Snapshot) HeadOfRow(n *Node) string {
	up := n.Parent
	for up >= 0 && s.Nodes[up].Role != "row" && s.Nodes[up].Role != "listitem" {
		up = s.Nodes[up].Parent
	}
	if up < 0 {
		return ""
	}
	row := &s.Nodes[up]
	head, at := "", int32(0) // the text that stands first in the document, and where
	consider := func(node *Node, text string, place int32) {
		if text = collapse(text); node.doc == row.doc && (head == "" || place < at) && strings.ContainsFunc(text, isWordRune) {
			head, at = text, place
		}
	}
	for i := up; i < row.End; i++ {
		other := &s.Nodes[i]
		if head != "" && other.node > at {
			break // the rest of the row stands behind it
		}
		for c := range other.Cells {
			consider(other, other.Cells[c].Text, other.Cells[c].node)
		}
		switch inside := n.index >= 0 && i >= n.index && i < n.End; {
		case i == up || inside || i < n.index && n.index < other.End: // around it, or in it
		case other.Interactive && other.Role != "link": // another control of the row
		default:
			consider(other, other.Name, other.node)
		}
	}
	if row.Role == "listitem" && n.doc == row.doc && n.node < at {
		return ""
	}
	return head
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
