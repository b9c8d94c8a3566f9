package fake

import (
	"golang.org/x/net/html"
)

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
func (d *document) control(n *html.Node) *control {
	if c := d.inputs[n]; c != nil {
		return c
	}
	if d.inputs == nil {
		d.inputs = make(map[*html.Node]*control)
	}
	c := new(control)
	d.inputs[n] = c
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
func (d *document) checked(n *html.Node) bool {
	if !isElement(n, "input") {
		return false
	}
	if t := inputType(n); t != "checkbox" && t != "radio" {
		return false
	}
	if inputType(n) == "radio" {
		return d.group(n).checked == n
	}
	if c := d.inputs[n]; c != nil && c.dirtyMark {
		return c.check
	}
	return has(n, "checked")
}

// setChecked checks or unchecks, and unchecks the rest of a radio group.
func (d *document) setChecked(n *html.Node, on bool) {
	if inputType(n) == "radio" && on {
		for _, r := range d.group(n).buttons {
			if r != n && d.checked(r) {
				c := d.control(r)
				c.check, c.dirtyMark = false, true
			}
		}
	}
	c := d.control(n)
	c.check, c.dirtyMark = on, true
	d.touched(n)
}

// disabled reports that a control takes no part, by itself or by a fieldset.
func (d *document) disabled(n *html.Node) bool {
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
func (d *document) disabledAbove(n *html.Node) bool {
	for ; n != nil; n = d.up(n) {
		if n.Type == html.ElementNode && d.disabled(n) && n.Data != "fieldset" {
			return true
		}
	}
	return false
}

// readOnly reports a text control that takes no input.
func (d *document) readOnly(n *html.Node) bool {
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
func (d *document) editableText(n *html.Node) bool {
	return editable(n) && !d.disabled(n) && !d.readOnly(n)
}

// editable reports text controls.
func editable(n *html.Node) bool {
	return isElement(n, "textarea") || isElement(n, "input") && textual(inputType(n))
}

// editingHost is the element whose contenteditable makes n editable; nil if
// nothing does.
func (d *document) editingHost(n *html.Node) *html.Node {
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
