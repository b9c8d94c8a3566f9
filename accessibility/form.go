package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Form is the HTML form that an element belongs to (HTML, form owner).
type Form struct {
	// Action is the absolute address that the form is submitted to, by the element
	// itself where that is a button of it.
	Action string
	// Submits reports that pressing the element submits the form.
	Submits bool
	// Buttons are the form's buttons that the snapshot has, in its order.
	Buttons []*Node
}

// Form returns the form that a node's element belongs to, nil if there is none.
func (s *Snapshot) Form(n *Node) *Form {
	owner := s.formOwner(n)
	if owner < 0 {
		return nil
	}
	doc := &s.Capture.Documents[n.doc]
	form := &Form{Submits: submitsForm(&doc.Nodes[n.node])}
	action, _ := doc.Nodes[owner].Attr("action")
	if own, ok := doc.Nodes[n.node].Attr("formaction"); ok && form.Submits {
		action = own
	}
	r := resolver{}
	if form.Action = doc.URL; strings.TrimSpace(action) != "" { // an empty one is the document's own
		link := driver.Node{Attrs: []driver.Attr{{Name: "href", Value: action}}}
		form.Action = r.href(doc, n.doc, &link)
	}
	for i := range s.Nodes {
		if b := &s.Nodes[i]; b.Role == "button" && b.doc == n.doc && s.formOwner(b) == owner {
			form.Buttons = append(form.Buttons, b)
		}
	}
	return form
}

// formOwner is the index of a node's form element in its document; -1 is none.
func (s *Snapshot) formOwner(n *Node) int32 {
	if s.Captured(n) == nil {
		return -1
	}
	nodes := s.Capture.Documents[n.doc].Nodes
	if id, ok := nodes[n.node].Attr("form"); ok {
		for i := range nodes {
			if has, _ := nodes[i].Attr("id"); nodes[i].Name == "form" && has == id {
				return int32(i)
			}
		}
		return -1
	}
	for at := n.node; at >= 0; at = nodes[at].Parent {
		if nodes[at].Name == "form" {
			return at
		}
	}
	return -1
}

// submitsForm reports whether an element is a submit button.
func submitsForm(n *driver.Node) bool {
	kind, _ := n.Attr("type")
	switch kind = strings.ToLower(kind); n.Name {
	case "button":
		return kind != "button" && kind != "reset"
	case "input":
		return kind == "submit" || kind == "image"
	}
	return false
}

// A labelIndex finds the controls of label elements. Its indexes are made when the
// first label comes.
type labelIndex struct {
	capture *driver.Capture
	ids     []map[string]int32 // by document: id to node
	objects []map[int32]int32  // by document: labelable node to object
}

// control returns the object of a label's control, -1 if there is none.
func (l *labelIndex) control(t *axtree.Tree, i int32, o *axtree.Object, n *driver.Node) int32 {
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
func (l *labelIndex) build(t *axtree.Tree) {
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
		n := &docs[c.Doc].Nodes[c.Node]
		if !c.Hidden && !c.States.Focusable && !c.States.Disabled && (n.Rare == nil || !n.Rare.FormAssociated) {
			continue
		}
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
	return n.Rare != nil && n.Rare.FormAssociated
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
