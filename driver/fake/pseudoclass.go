package fake

import "golang.org/x/net/html"

// pseudoClasses calls yes with each pseudo-class of live state that matches n.
func (d *document) pseudoClasses(n *html.Node, yes func(string)) {
	p := d.frame.page
	if p.hovers(d, n) {
		yes("hover")
	}
	if p.pressed && p.down.d == d && d.composedWithin(p.down.n, n) {
		yes("active")
	}
	if d.active != nil {
		if n == d.active {
			yes("focus")
			if d.byKeyboard || editable(n) {
				yes("focus-visible")
			}
		}
		if d.composedWithin(d.active, n) {
			yes("focus-within")
		}
	}
	if id := d.url.Fragment; id != "" && attr(n, "id") == id {
		yes("target")
	}
	if rightToLeft(n) {
		yes("rtl")
	}
	if n.Namespace != "" {
		if name := lower(n.Data); name != n.Data {
			yes(name)
		}
		return
	}
	switch n.Data {
	case "input", "select", "textarea", "button", "option", "optgroup", "fieldset":
		d.controlClasses(n, yes)
	case "details", "dialog":
		if has(n, "open") {
			yes("open")
		}
	default:
		if d.editingHost(n) != nil {
			yes("read-write")
		} else {
			yes("read-only")
		}
	}
	if c := d.inputs[n]; c != nil {
		if c.modal {
			yes("modal")
		}
		if c.popover {
			yes("popover-open")
		}
	}
}

// rightToLeft reports the direction that the nearest dir attribute gives.
func rightToLeft(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		switch lower(attr(n, "dir")) {
		case "rtl":
			return true
		case "ltr", "auto":
			return false
		}
	}
	return false
}

func (d *document) controlClasses(n *html.Node, yes func(string)) {
	if d.disabled(n) {
		yes("disabled")
	} else {
		yes("enabled")
	}
	if d.checked(n) || n.Data == "option" && d.selected(n) {
		yes("checked")
	}
	if c := d.inputs[n]; c != nil && c.mixed {
		yes("indeterminate")
	}
	switch n.Data {
	case "input", "select", "textarea":
		if has(n, "required") {
			yes("required")
		} else {
			yes("optional")
		}
		if d.editableText(n) {
			yes("read-write")
		} else {
			yes("read-only")
		}
		if d.validity(n) == "" {
			yes("valid")
		} else {
			yes("invalid")
		}
		if has(n, "placeholder") && d.value(n) == "" {
			yes("placeholder-shown")
		}
	case "button":
		if (submits(n) || resets(n)) && n == d.defaultButton(d.formOf(n)) {
			yes("default")
		}
	}
}

// composedWithin reports that n is top or below it, through shadow hosts.
func (d *document) composedWithin(n, top *html.Node) bool {
	for ; n != nil; n = d.up(n) {
		if n == top {
			return true
		}
	}
	return false
}
