package accessibility

import "github.com/wayfinder-engine/wayfinder/driver"

// A labelIndex finds the controls of label elements. Its indexes are made when the
// first label comes.
type labelIndex struct {
	capture *driver.Capture
	ids     []map[string]int32 // by document: id to node
	objects []map[int32]int32  // by document: labelable node to object
}

// label settles what a label element says. One whose control is there for a
// person to see repeats the control's name, and is left out as far as it does.
// One whose control is hidden is what a person clicks in its place.
func (p *pruner) label(i int32, o *Object, n *driver.Node, f *opened, v *ruling) {
	c := p.labels.control(p.tree, i, o, n)
	if c < 0 {
		return
	}
	control := &p.tree.Objects[c]
	if !control.Hidden {
		if !v.keep && control.Name != "" {
			f.cover = int32(len(p.open))
			f.by = cover{name: tidy(control.Name)}
		}
		return
	}
	v.checked = p.tree.Capture.Documents[control.Doc].Nodes[control.Node].Checked
	v.keep, v.interactive = true, true
}

// control returns the object of a label's control, -1 if there is none.
func (l *labelIndex) control(t *Tree, i int32, o *Object, n *driver.Node) int32 {
	if l.ids == nil {
		l.build(t)
	}
	if id, ok := n.Attr("for"); ok {
		node, ok := l.ids[o.Doc][id]
		if !ok {
			return -1
		}
		if c, ok := l.objects[o.Doc][node]; ok {
			return c
		}
		return -1
	}
	nodes := t.Capture.Documents[o.Doc].Nodes
	for j := i + 1; j < min(t.Objects[i].End, int32(len(t.Objects)), i+200); j++ {
		c := &t.Objects[j]
		if c.Doc == o.Doc && c.Node > 0 && int(c.Node) < len(nodes) && labelable(&nodes[c.Node]) {
			return j
		}
	}
	return -1
}

// build makes the indexes of all documents.
func (l *labelIndex) build(t *Tree) {
	docs := t.Capture.Documents
	l.ids = make([]map[string]int32, len(docs))
	l.objects = make([]map[int32]int32, len(docs))
	for d := range docs {
		l.ids[d], l.objects[d] = map[string]int32{}, map[int32]int32{}
	}
	for j := range t.Objects {
		c := &t.Objects[j]
		if c.Doc < 0 || int(c.Doc) >= len(docs) || c.Node < 0 || int(c.Node) >= len(docs[c.Doc].Nodes) {
			continue
		}
		if !c.Hidden && !c.States.Focusable && !c.States.Disabled {
			continue
		}
		n := &docs[c.Doc].Nodes[c.Node]
		if n.Kind != driver.ElementNode || !labelable(n) {
			continue
		}
		l.objects[c.Doc][c.Node] = int32(j)
		if id, ok := n.Attr("id"); ok {
			if old, ok := l.ids[c.Doc][id]; !ok || c.Node < old {
				l.ids[c.Doc][id] = c.Node
			}
		}
	}
}

// labelable reports whether a label can be for an element.
func labelable(n *driver.Node) bool {
	switch n.Name {
	case "input":
		t, _ := n.Attr("type")
		return !equalFoldASCII(t, "hidden")
	case "button", "meter", "output", "progress", "select", "textarea":
		return true
	}
	return false
}

// equalFoldASCII compares two words whatever their case; b is in lower case.
func equalFoldASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		c := a[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != b[i] {
			return false
		}
	}
	return true
}
