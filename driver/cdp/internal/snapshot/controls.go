package snapshot

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// firstLetters gives texts the letters back that ::first-letter takes out of
// their rows.
func firstLetters(nodes []driver.Node) {
	for i := range nodes {
		p := &nodes[i]
		if p.Kind != driver.PseudoNode || p.Name != "::first-letter" || p.Shown == "" {
			continue
		}
		letter := p.Shown
		p.Shown = ""
		for j := i + 1; j < len(nodes) && nodes[j].Parent >= p.Parent; j++ {
			n := &nodes[j]
			if n.Kind != driver.TextNode || strings.TrimSpace(n.Text) == "" {
				continue
			}
			n.Shown = letter + n.Shown
			if !n.Rendered {
				n.Rendered, n.Box, n.Style = true, p.Box, p.Style
			} else {
				n.Box = union(n.Box, p.Box)
			}
			break
		}
	}
}

// finishControls gives selects and options their values and hides passwords.
func finishControls(nodes []driver.Node) {
	done := int32(-1) // the select whose first chosen option has been seen
	for i := range nodes {
		n := &nodes[i]
		if n.Kind != driver.ElementNode || n.Namespace != driver.HTML {
			continue
		}
		switch n.Name {
		case "input":
			if kind, _ := n.Attr("type"); strings.EqualFold(kind, "password") {
				hidePassword(n)
			}
		case "select", "button", "textarea":
			if n.Name == "select" {
				n.HasValue = true
			}
			if _, disabled := n.Attr("disabled"); !disabled {
				n.Clickable = true
			}
		case "option":
			n.Value, n.HasValue = optionValue(nodes, int32(i)), true
			if n.Selected {
				if s := selectOf(nodes, n.Parent); s >= 0 && s != done {
					done, nodes[s].Value = s, n.Value
				}
			}
		}
	}
}

// hidePassword masks the live value and the one in the markup.
func hidePassword(n *driver.Node) {
	n.Value = bullets(n.Value)
	for k := range n.Attrs {
		if n.Attrs[k].Name == "value" {
			n.Attrs[k].Value = bullets(n.Attrs[k].Value)
		}
	}
}

func bullets(s string) string { return strings.Repeat("•", utf8.RuneCountInString(s)) }

// selectOf returns the select around i, -1 if there is none.
func selectOf(nodes []driver.Node, i int32) int32 {
	for i >= 0 && nodes[i].Name != "select" {
		i = nodes[i].Parent
	}
	return i
}

// optionValue is the value attribute, else the text with white space collapsed.
func optionValue(nodes []driver.Node, option int32) string {
	if value, ok := nodes[option].Attr("value"); ok {
		return value
	}
	var text []string
	for j := option + 1; j < int32(len(nodes)) && nodes[j].Parent >= option; j++ {
		if nodes[j].Kind == driver.TextNode {
			text = append(text, nodes[j].Text)
		}
	}
	return strings.Join(strings.Fields(strings.Join(text, "")), " ")
}
