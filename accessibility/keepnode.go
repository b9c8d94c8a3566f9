package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// add appends a node for an element below the node of f, and makes it f's own.
func (p *pruner) add(f *opened, o *Object, n *driver.Node, role Role) int32 {
	k := p.append(f.node)
	node := &p.nodes[k]
	node.Role, node.Tag, node.doc, node.node = role, n.Name, o.Doc, o.Node
	node.broken = p.broken
	p.broken = false
	if o.Doc == 0 && n.Kind == driver.DocumentNode {
		node.Tag = ""
	}
	f.node, f.own = k, true
	return k
}

// keep gives an element a line.
func (p *pruner) keep(f *opened, o *Object, n *driver.Node, role Role, v ruling) {
	if v.how&(inlineRole|acts) == 0 {
		p.broken = true
	}
	node := &p.nodes[p.add(f, o, n, role)]
	node.Name = v.name
	node.Interactive = v.interactive
	node.States = o.States
	if scrolls(n) {
		node.Scroll = n.Rare.Scroll
	}
	if role == "generic" && node.States.Level > 0 {
		node.States.Level = 0
	}
	if hasValue(role) {
		node.Value = o.Value
	}
	if n.Name == "select" && n.Namespace == driver.HTML {
		p.selectBox(node, o)
	}
	p.explain(node, o, n)
	if role == "link" && (n.Name == "a" || n.Name == "area") {
		node.URL = p.urls.href(&p.tree.Capture.Documents[o.Doc], o.Doc, n)
	}
	f.by = cover{name: v.name, whole: v.how&contentName == 0}
	if node.States.Editable || role == "textbox" || role == "searchbox" || role == "combobox" {
		f.by.value = tidy(o.Value)
	}
	if v.interactive && v.name != "" && v.how&contentName != 0 {
		f.inside = true
	}
	if f.by.name != "" || f.by.value != "" || v.how&container != 0 {
		f.cover = int32(len(p.open))
	}
}

// hasValue reports whether the value of objects of a role is said beside the name.
func hasValue(r Role) bool {
	switch r {
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "progressbar", "meter", "scrollbar", "listbox",
		"colorwell", "date", "datetime", "inputtime", "generic":
		return true
	}
	return false
}

// explain adds what is said about a control besides its name and value.
func (p *pruner) explain(node *Node, o *Object, n *driver.Node) {
	if len(n.Attrs) > 0 && o.Description != "" {
		// What aria-describedby points to is on the page, and said there.
		if v, ok := n.Attr("aria-describedby"); !ok || v == "" {
			if d := tidy(o.Description); d != node.Name {
				node.Description = d
			}
		}
	}
	if node.Value == "" && (interactiveRole(node.Role) || node.States.Editable) {
		v, ok := n.Attr("placeholder")
		if !ok {
			v, _ = n.Attr("aria-placeholder")
		}
		if v = tidy(v); v != "" && v != node.Name {
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

// selectBox reads the options of a native select.
func (p *pruner) selectBox(node *Node, o *Object) {
	nodes := p.tree.Capture.Documents[o.Doc].Nodes
	var chosen []string
	for i := int(o.Node) + 1; i < len(nodes) && within(nodes, int32(i), o.Node); i++ {
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

// within reports whether i is below top, given that all between are. It climbs
// no further than a select is deep.
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
			text += nodes[j].Text
		}
	}
	return tidy(text)
}
