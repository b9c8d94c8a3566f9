package accessibility

import (
	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A decision is whether an element gets a line, and as what.
type decision struct {
	keep        bool
	interactive bool
	checked     bool // the label of a control that is checked
	name        string
	how         treatment
}

// decide decides whether an element gets a line.
func (p *pruner) decide(i int32, role Role, o *axtree.Object, n *driver.Node, begins bool, f *openElement) decision {
	if role == "none" {
		return decision{}
	}
	v := decision{how: treatments[role]}
	if o.Name != "" {
		if v.name = tidy(o.Name); len(p.scripts) > 0 && !namedByAttribute(n) {
			v.name = p.withScripts(i, v.name)
		}
	}
	v.interactive = p.interactive(role, v.how, o, n, begins, f)
	if v.name == "" && (v.interactive && v.how&contentName != 0 || role == "image") {
		_, v.name = p.icons.icon(p.tree.Capture, o.Doc, o.Node)
	}
	if n.Name == "details" && role == "group" && !hasSummary(p.tree.Capture.Documents[o.Doc].Nodes, o.Node) {
		v.keep = true // browsers supply the summary
		if v.name == "" {
			v.name = "Details"
		}
		_, open := n.Attr("open")
		v.interactive = !open
	}
	switch {
	case v.interactive:
		v.keep = true
	case v.how&keepAlways != 0:
		v.keep = true
	case v.how&keepNamed != 0:
		v.keep = v.name != "" || role == "generic" && o.States.Busy
	}
	if !v.keep && scrolls(n) && n.Name != "html" && n.Name != "body" {
		v.keep = true
	}
	if role == "deletion" && v.keep {
		f.cover = -1 // a name does not tell which of its words are struck out
	}
	if v.keep && !v.interactive && f.cover >= 0 && f.inside && v.how&container == 0 {
		v.keep = role != "image" || v.name != "" && !p.covered(f, v.name)
		if v.keep && v.how&contentName != 0 {
			v.keep = v.name != "" && !p.covered(f, v.name)
		}
	}
	if v.keep && role == "image" && v.name == "" && !v.interactive {
		v.keep = n.Box.Width >= 32 && n.Box.Height >= 32
	}
	if role == "row" && v.interactive && !namedByAttribute(n) && p.hasCells(i, o) {
		v.name = "" // its cells are on its line, or below it
	}
	// The content shows a name that is made of it, except on one line.
	if v.keep && !v.interactive && v.how&contentName == 0 && (v.how&ownLine != 0 || role == "row") && !namedByAttribute(n) {
		v.name = ""
	}
	return v
}

// hasCells reports whether the first thing in a row that is shown is a cell.
func (p *pruner) hasCells(i int32, o *axtree.Object) bool {
	objects := p.tree.Objects
	for j := i + 1; j < min(o.End, int32(len(objects)), i+16); j++ {
		if !objects[j].Ignored {
			return cellRole(objects[j].Role)
		}
	}
	return false
}

// hasSummary reports whether a details element has a summary of its own.
func hasSummary(nodes []driver.Node, at int32) bool {
	for i := at + 1; int(i) < len(nodes) && nodes[i].Parent >= at; i++ {
		if nodes[i].Parent == at && nodes[i].Name == "summary" {
			return true
		}
	}
	return false
}

// interactive reports whether an element can be acted on.
func (p *pruner) interactive(role Role, how treatment, o *axtree.Object, n *driver.Node, begins bool, f *openElement) bool {
	if how&acts != 0 {
		return true
	}
	if n.Namespace == driver.HTML && (n.Name == "html" || n.Name == "body" || n.Name == "label" || n.Name == "iframe") {
		return false
	}
	if n.Clickable && !p.delegates(role, n, begins) && !(o.Ignored && p.editableAround(f)) { // Chromium: all that is edited is
		return true
	}
	if begins && !f.inside {
		return true
	}
	if o.States.Editable && !p.editableAround(f) {
		return true
	}
	if v, ok := n.Attr("draggable"); ok && v == "true" {
		return true
	}
	if !o.States.Focusable || scrolls(n) {
		return false
	}
	if cellRole(role) || role == "row" {
		return false // the arrow keys lead there
	}
	_, tab := n.Attr("tabindex")
	return tab && how&container == 0 || tab && role == "generic"
}

// delegates reports whether a listener is likely to be there for what is
// inside: an element without a role, as large as half the window.
func (p *pruner) delegates(role Role, n *driver.Node, begins bool) bool {
	view := p.tree.Capture.Viewport
	return treatments[role]&container != 0 && !begins && n.Rendered &&
		2*n.Box.Width*n.Box.Height >= view.Width*view.Height && view.Width > 0
}

// editableAround reports whether the node around is editable itself.
func (p *pruner) editableAround(f *openElement) bool {
	return f.node >= 0 && p.states(f.node).Editable
}

// namedByAttribute reports whether an element's own attribute gives its name.
func namedByAttribute(n *driver.Node) bool {
	for i := range n.Attrs {
		switch n.Attrs[i].Name {
		case "aria-label", "aria-labelledby", "aria-labeledby":
			return n.Attrs[i].Value != ""
		}
	}
	if n.Rare != nil && len(n.Rare.Internals) > 0 {
		v, _ := n.ARIA("aria-label")
		return v != ""
	}
	return false
}

// covered reports whether the name of a node above already contains text.
func (p *pruner) covered(f *openElement, text string) bool {
	if f.cover < 0 {
		return false
	}
	return p.open[f.cover].by.covers(text)
}

// add appends a node for an object below the node of f, and makes it f's own.
func (p *pruner) add(f *openElement, object int32, o *axtree.Object, role Role) int32 {
	k := p.append(f.node)
	node := &p.nodes[k]
	node.role, node.object, node.doc, node.node = role, object, o.Doc, o.Node
	node.newLine, node.joined = p.newLine, !p.spaceBefore
	p.newLine, p.spaceBefore = false, false
	f.node, f.own = k, true
	return k
}

// addElement gives an element a line.
func (p *pruner) addElement(f *openElement, i int32, n *driver.Node, role Role, v decision) {
	if v.how&(inlineRole|acts) == 0 {
		p.newLine = true
	}
	o := &p.tree.Objects[i]
	node := &p.nodes[p.add(f, i, o, role)]
	node.name, node.interactive, node.checked = v.name, v.interactive, v.checked
	f.by = cover{name: v.name, whole: v.how&contentName == 0}
	if o.States.Editable || role == "textbox" || role == "searchbox" || role == "combobox" {
		f.by.value = tidy(o.Value)
	}
	if v.interactive && v.name != "" && v.how&contentName != 0 {
		f.inside = true
	}
	if f.by.name != "" || f.by.value != "" || v.how&container != 0 {
		f.cover = int32(len(p.open))
	}
}

// label decides about a label element. If its control is visible, the label
// repeats the control's name, and that much of it is left out. If the control is
// hidden, the label is what a person clicks in its place.
func (p *pruner) label(i int32, o *axtree.Object, n *driver.Node, f *openElement, v *decision) {
	c := p.labels.control(p.tree, i, o, n)
	if c < 0 {
		return
	}
	control := &p.tree.Objects[c]
	if !control.Hidden {
		if !v.keep && control.Name != "" && control.Role != "status" { // a status shows its text, not its name
			f.cover = int32(len(p.open))
			f.by = cover{name: tidy(control.Name)}
		}
		return
	}
	v.checked = p.tree.Capture.Documents[control.Doc].Nodes[control.Node].Checked
	v.keep, v.interactive = true, true
}
