package accessibility

import (
	"cmp"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A filler completes the nodes that are left after a walk.
type filler struct {
	tree    *axtree.Tree
	icons   *iconIndex
	prompts map[int32]string // see pruner
	urls    resolver
	tables  tableIndex
}

// fill completes a node from what it was made of.
func (f *filler) fill(node *Node, from *draft) {
	c := f.tree.Capture
	d := &c.Documents[from.doc]
	n := &d.Nodes[from.node]
	node.Role, node.Name, node.Interactive = from.role, from.name, from.interactive
	node.Cells, node.Heading, node.Header = from.cells, int(from.heading), from.header
	node.newLine, node.joined, node.doc, node.node = from.newLine, from.joined, from.doc, from.node
	node.Source = d.Ref(from.node)
	node.Target = node.Source
	switch {
	case from.object >= 0:
		f.fillElement(node, from, d, n)
	case from.role == "text":
		node.Target.Node = d.Nodes[holder(d, from.node)].ID
	default:
		node.Scroll = pageScroll(c, d)
	}
}

// fillElement completes a node that was made of an element.
func (f *filler) fillElement(node *Node, from *draft, d *driver.Document, n *driver.Node) {
	o := &f.tree.Objects[from.object]
	node.Tag, node.States = n.Name, *o.States
	if from.checked {
		node.States.Checked = On
	}
	if node.Role == "generic" {
		node.States.Level = 0
	}
	if scrolls(n) {
		node.Scroll = n.Rare.Scroll
	}
	if hasValue(node.Role) || node.States.Editable {
		node.Value = o.Value
		if v, ok := n.ARIA("aria-valuetext"); ok && tidy(v) != "" {
			node.Value = tidy(v) // the number in words
		}
		if node.States.Editable && n.Name != "input" && n.Name != "textarea" && tidy(node.Value) == "" {
			node.Value = "" // a line break that holds an empty line open
		}
	}
	if n.Name == "select" && n.Namespace == driver.HTML {
		fillOptions(node, d, from.node)
	}
	fillBounds(node, n)
	f.fillField(node, from, n)
	node.Counts = countsOf(node, n)
	f.fillHints(node, from, o, n)
	if n.Name == "details" && node.Name == "Details" {
		_, open := n.Attr("open")
		if node.States.Expanded = Off; open {
			node.States.Expanded = On
		}
	}
	switch {
	case node.Role == "link" && (n.Name == "a" || n.Name == "area"):
		node.URL = f.urls.href(d, from.doc, n)
		node.Link = linkKind(d, n)
	case n.Name == "img" && n.Namespace == driver.HTML:
		node.URL = f.urls.picture(d, from.doc, n)
	}
}

// fillField notes passwords, and calls a field that has no name by the headers of
// the table that it stands in.
func (f *filler) fillField(node *Node, from *draft, n *driver.Node) {
	switch node.Role {
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "checkbox", "radio", "switch", "listbox",
		"colorwell", "date", "datetime", "inputtime":
	default:
		return
	}
	if kind, _ := n.Attr("type"); n.Name == "input" && strings.EqualFold(kind, "password") {
		node.Password = true
	}
	if node.Name == "" {
		node.Name = f.tables.label(f.tree.Capture.Documents[from.doc].Nodes, from.doc, from.node)
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
	v, _ := n.ARIA(name)
	if v = tidy(v); len(v) > 40 || v == "" || v[0] != '-' && v[0] != '.' && (v[0] < '0' || v[0] > '9') {
		return ""
	}
	return v
}

// fillHints adds what explains a control: description, placeholder, and why its
// value is not valid.
func (f *filler) fillHints(node *Node, from *draft, o *axtree.Object, n *driver.Node) {
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
		if v == "" {
			v = f.prompts[from.object]
		}
		if v = tidy(v); v != node.Name {
			node.Placeholder = v
		}
		if node.Description == node.Placeholder {
			node.Description = ""
		}
	}
	if node.Name == "" && node.Description == "" && node.Interactive {
		if fragment, _ := f.icons.icon(f.tree.Capture, from.doc, from.node); fragment != "" {
			node.Description = "icon #" + tidy(fragment)
		}
	}
	if n.Rare != nil {
		node.InvalidMessage = tidy(n.Rare.Invalid)
	}
	if node.States.Invalid == "" && node.InvalidMessage == "" {
		return
	}
	if _, said := n.ARIA("aria-invalid"); !said && node.States.Required && node.Value == "" && node.States.Checked != On {
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
