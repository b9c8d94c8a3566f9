package accessibility

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Form is the HTML form that an element belongs to (HTML, form owner).
type Form struct {
	// Action is the absolute address that the form is sent to, by the element
	// itself where that is a button of it.
	Action string
	// Sends reports that pressing the element sends the form.
	Sends bool
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
	form := &Form{Sends: sendsForm(&doc.Nodes[n.node])}
	action, _ := doc.Nodes[owner].Attr("action")
	if own, ok := doc.Nodes[n.node].Attr("formaction"); ok && form.Sends {
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

// sendsForm reports whether an element is a submit button.
func sendsForm(n *driver.Node) bool {
	kind, _ := n.Attr("type")
	switch kind = strings.ToLower(kind); n.Name {
	case "button":
		return kind != "button" && kind != "reset"
	case "input":
		return kind == "submit" || kind == "image"
	}
	return false
}
