package fake

import (
	"golang.org/x/net/html"
)

// A state is the live state of a document's controls: what is typed, checked and
// chosen in them.
type state struct {
	tree
	page     page2
	inputs   map[*html.Node]*control // of the elements that have some
	cache    choices
	mirrored map[*html.Node]*html.Node // the option that each of tree.mirrors shows
}

// A page2 is what the state of controls asks of the page, and tells it.
type page2 interface {
	// Stamp is another number after every change of the page.
	Stamp() uint64
	// Touched is for a change of one element's state.
	Touched(*html.Node)
	// Restructure is for a change of the tree.
	Restructure()
}

// A control is the live state of an element, as far as it differs from what its
// attributes say. Few elements have one.
type control struct {
	value     string
	dirty     bool // value counts
	check     bool
	dirtyMark bool // check counts; of an option: selected
	mixed     bool
	modal     bool
	popover   bool
	files     []string // paths
	names     []string
	start     int // selection, in characters
	stop      int
	edited    bool // changed since the focus came: change is due
	custom    string
	raw       string     // what stands in a number field, a number or not
	opener    *html.Node // what had the focus before a dialog opened
}

// control returns the live state of n, and makes it if need be.
func (s *state) control(n *html.Node) *control {
	if c := s.inputs[n]; c != nil {
		return c
	}
	if s.inputs == nil {
		s.inputs = make(map[*html.Node]*control)
	}
	c := new(control)
	s.inputs[n] = c
	return c
}

// inputTypes are the known types; any other is text.
var inputTypes = map[string]bool{
	"hidden": true, "text": true, "search": true, "tel": true, "url": true, "email": true, "password": true, "date": true, "month": true,
	"week": true, "time": true, "datetime-local": true, "number": true, "range": true, "color": true, "checkbox": true, "radio": true,
	"file": true, "submit": true, "image": true, "reset": true, "button": true,
}

// inputType is the type of an input element.
func inputType(n *html.Node) string {
	if t := lower(attr(n, "type")); inputTypes[t] {
		return t
	}
	return "text"
}

// textual reports inputs that take typed text.
func textual(t string) bool {
	switch t {
	case "text", "search", "tel", "url", "email", "password", "number":
		return true
	}
	return false
}

// assigned reports inputs whose value is set as a whole.
func assigned(t string) bool {
	switch t {
	case "date", "month", "week", "time", "datetime-local", "range", "color":
		return true
	}
	return false
}

// checked is the live state of a checkbox or radio button.
func (s *state) checked(n *html.Node) bool {
	if !isElement(n, "input") {
		return false
	}
	if t := inputType(n); t != "checkbox" && t != "radio" {
		return false
	}
	if inputType(n) == "radio" {
		return s.group(n).checked == n
	}
	if c := s.inputs[n]; c != nil && c.dirtyMark {
		return c.check
	}
	return has(n, "checked")
}

// setChecked checks or unchecks, and unchecks the rest of a radio group.
func (s *state) setChecked(n *html.Node, on bool) {
	if inputType(n) == "radio" && on {
		for _, r := range s.group(n).buttons {
			if r != n && s.checked(r) {
				c := s.control(r)
				c.check, c.dirtyMark = false, true
			}
		}
	}
	c := s.control(n)
	c.check, c.dirtyMark = on, true
	s.page.Touched(n)
}

// disabled reports that a control takes no part, by itself or by a fieldset.
func (s *state) disabled(n *html.Node) bool {
	if n.Namespace != "" {
		return false
	}
	switch n.Data {
	case "option":
		return has(n, "disabled") || isElement(n.Parent, "optgroup") && has(n.Parent, "disabled")
	case "optgroup":
		return has(n, "disabled")
	case "button", "input", "select", "textarea", "fieldset", "object", "output":
	default:
		return false
	}
	if has(n, "disabled") && n.Data != "output" && n.Data != "object" {
		return true
	}
	child := n
	for p := n.Parent; p != nil; child, p = p, p.Parent {
		if isElement(p, "fieldset") && has(p, "disabled") && child != firstLegend(p) {
			return true
		}
	}
	return false
}

func firstLegend(fieldset *html.Node) *html.Node {
	for c := fieldset.FirstChild; c != nil; c = c.NextSibling {
		if isElement(c, "legend") {
			return c
		}
	}
	return nil
}

// disabledAbove reports that n is or stands in a disabled control.
func (s *state) disabledAbove(n *html.Node) bool {
	for ; n != nil; n = s.up(n) {
		if n.Type == html.ElementNode && s.disabled(n) && n.Data != "fieldset" {
			return true
		}
	}
	return false
}

// readOnly reports a text control that takes no input.
func (s *state) readOnly(n *html.Node) bool {
	switch {
	case isElement(n, "textarea"):
		return has(n, "readonly")
	case isElement(n, "input"):
		switch t := inputType(n); {
		case textual(t), t == "date", t == "month", t == "week", t == "time", t == "datetime-local":
			return has(n, "readonly")
		}
	}
	return false
}

// editableText reports a text control that takes input now.
func (s *state) editableText(n *html.Node) bool {
	return editable(n) && !s.disabled(n) && !s.readOnly(n)
}

// editable reports text controls.
func editable(n *html.Node) bool {
	return isElement(n, "textarea") || isElement(n, "input") && textual(inputType(n))
}

// editingHost is the element whose contenteditable makes n editable; nil if
// nothing does.
func (s *state) editingHost(n *html.Node) *html.Node {
	for ; n != nil; n = n.Parent {
		if n.Type != html.ElementNode {
			continue
		}
		if v, ok := lookup(n, "contenteditable"); ok {
			switch lower(v) {
			case "", "true", "plaintext-only":
				return n
			case "false":
				return nil
			}
		}
	}
	return nil
}
