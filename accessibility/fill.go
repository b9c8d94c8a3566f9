package accessibility

import (
	"cmp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// fill completes a node from what it was made of.
func (p *pruner) fill(node *Node, from *draft) {
	c := p.tree.Capture
	d := &c.Documents[from.doc]
	n := &d.Nodes[from.node]
	node.Role, node.Name, node.Interactive = from.role, from.name, from.interactive
	node.Cells, node.Heading, node.Header = from.cells, int(from.heading), from.header
	node.newLine, node.joined, node.doc, node.node = from.newLine, from.joined, from.doc, from.node
	node.Source = driver.NodeRef{Frame: d.Frame, Doc: d.Doc, Node: n.ID}
	node.Target = node.Source
	switch {
	case from.object >= 0:
		p.fillElement(node, from, d, n)
	case from.role == "text":
		node.Target.Node = d.Nodes[holder(d, from.node)].ID
	default:
		node.Scroll = pageScroll(c, d)
	}
}

// fillElement completes a node that was made of an element.
func (p *pruner) fillElement(node *Node, from *draft, d *driver.Document, n *driver.Node) {
	o := &p.tree.Objects[from.object]
	node.Tag, node.States = n.Name, o.States
	if from.checked {
		node.States.Checked = On
	}
	if node.Role == "generic" {
		node.States.Level = 0
	}
	if scrolls(n) {
		node.Scroll = n.Rare.Scroll
	}
	if hasValue(node.Role) {
		node.Value = o.Value
		if v, ok := n.Attr("aria-valuetext"); ok && tidy(v) != "" {
			node.Value = tidy(v) // the number in words
		}
	}
	if n.Name == "select" && n.Namespace == driver.HTML {
		fillOptions(node, d, from.node)
	}
	fillBounds(node, n)
	fillHints(node, o, n)
	if node.Role == "link" && (n.Name == "a" || n.Name == "area") {
		node.URL = p.urls.href(d, from.doc, n)
	}
}

// pageScroll returns the scroll position of the page, nil if all of it is shown.
func pageScroll(c *driver.Capture, d *driver.Document) *driver.ScrollState {
	view := c.Viewport
	s := &driver.ScrollState{X: d.ScrollX, Y: d.ScrollY, MaxX: d.Content.Width - view.Width, MaxY: d.Content.Height - view.Height, View: view}
	if view.Height <= 0 || !(s.MaxY > 2 || s.MaxX > 2) {
		return nil
	}
	return s
}

// hasValue reports whether a line shows the value of a role beside the name.
func hasValue(r Role) bool {
	switch r {
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "progressbar", "meter", "scrollbar", "listbox",
		"colorwell", "date", "datetime", "inputtime", "generic":
		return true
	}
	return false
}

// fillBounds reads between what a number may be. ARIA's defaults, 0 and 100, are
// left out; those of HTML are not, as 0.4 of 1 says more than 0.4.
func fillBounds(node *Node, n *driver.Node) {
	low, high := "", ""
	switch node.Role {
	case "meter", "progressbar", "slider", "spinbutton", "scrollbar", "date", "datetime", "inputtime":
	default:
		return
	}
	if n.Namespace == driver.HTML {
		switch kind, _ := n.Attr("type"); {
		case n.Name == "meter" || n.Name == "progress":
			high = "1"
		case n.Name == "input" && strings.EqualFold(kind, "range"):
			low, high = "0", "100"
		}
		if n.Name == "input" || n.Name == "meter" || n.Name == "progress" {
			low, high = cmp.Or(bound(n, "min"), low), cmp.Or(bound(n, "max"), high)
		}
	}
	node.Min, node.Max = cmp.Or(bound(n, "aria-valuemin"), low), cmp.Or(bound(n, "aria-valuemax"), high)
}

// bound reads an attribute that is a number or a date.
func bound(n *driver.Node, name string) string {
	v, _ := n.Attr(name)
	if v = tidy(v); len(v) > 40 || v == "" || v[0] != '-' && v[0] != '.' && (v[0] < '0' || v[0] > '9') {
		return ""
	}
	return v
}

// fillHints adds what explains a control: description, placeholder, and why its
// value is not valid.
func fillHints(node *Node, o *axtree.Object, n *driver.Node) {
	if o.Description != "" {
		// What aria-describedby points to has a line of its own.
		if v, ok := n.Attr("aria-describedby"); !ok || v == "" {
			if d := tidy(o.Description); d != node.Name {
				node.Description = d
			}
		}
	}
	if node.Value == "" && takesText(node) {
		v, ok := n.Attr("placeholder")
		if !ok {
			v, _ = n.Attr("aria-placeholder")
		}
		if v = tidy(v); v != node.Name {
			node.Placeholder = v
		}
		if node.Description == node.Placeholder {
			node.Description = ""
		}
	}
	if n.Rare != nil {
		node.InvalidMessage = tidy(n.Rare.Invalid)
	}
	if node.States.Invalid == "" && node.InvalidMessage == "" {
		return
	}
	if _, said := n.Attr("aria-invalid"); !said && node.States.Required && node.Value == "" && node.States.Checked != On {
		node.States.Invalid, node.InvalidMessage = "", "" // it has not been filled in yet
	}
}

// takesText reports whether a person can type into a node.
func takesText(n *Node) bool {
	switch n.Role {
	case "textbox", "searchbox", "combobox", "spinbutton":
		return true
	}
	return n.States.Editable
}

// fillOptions reads the options of a native select.
func fillOptions(node *Node, d *driver.Document, at int32) {
	nodes := d.Nodes
	var chosen []string
	for i := int(at) + 1; i < len(nodes) && within(nodes, int32(i), at); i++ {
		if nodes[i].Name != "option" || nodes[i].Kind != driver.ElementNode {
			continue
		}
		label := optionLabel(nodes, int32(i))
		if nodes[i].Selected {
			chosen = append(chosen, label)
		}
		node.Options = append(node.Options, label)
	}
	if len(chosen) > 0 {
		node.Value = strings.Join(chosen, ", ")
	}
}

// within reports whether i is below top, given that everything between them is.
// It climbs no further than a select is deep.
func within(nodes []driver.Node, i, top int32) bool {
	for range 16 {
		up := nodes[i].Parent
		if up == top {
			return true
		}
		if up < top || up >= i {
			return false
		}
		i = up
	}
	return false
}

// optionLabel returns what an option shows.
func optionLabel(nodes []driver.Node, i int32) string {
	if v, ok := nodes[i].Attr("label"); ok && v != "" {
		return tidy(v)
	}
	text := ""
	for j := int(i) + 1; j < len(nodes) && within(nodes, int32(j), i); j++ {
		if nodes[j].Kind == driver.TextNode {
			if text == "" {
				text = nodes[j].Text
			} else {
				text += nodes[j].Text
			}
		}
	}
	return tidy(text)
}
