package fake

import (
	"golang.org/x/net/html"
)

// formOf is the form that a control belongs to.
func (d *document) formOf(n *html.Node) *html.Node {
	if n == nil {
		return nil
	}
	if id, ok := lookup(n, "form"); ok && !isElement(n, "form") {
		if f := byID(n, id); isElement(f, "form") {
			return f
		}
		return nil
	}
	return closest(n.Parent, func(n *html.Node) bool { return isElement(n, "form") })
}

// controls are the controls of a form in tree order.
func (d *document) controls(form *html.Node) []*html.Node {
	var out []*html.Node
	top := topOf(form)
	for n := top; n != nil; n = next(n, top) {
		if isElement(n, "button", "input", "select", "textarea", "object", "output", "fieldset") && d.formOf(n) == form {
			out = append(out, n)
		}
	}
	return out
}

// submits reports submit buttons.
func submits(n *html.Node) bool {
	switch {
	case isElement(n, "button"):
		switch lower(attr(n, "type")) {
		case "submit":
			return true
		case "button", "reset":
			return false
		}
		return !has(n, "command") && !has(n, "commandfor")
	case isElement(n, "input"):
		t := inputType(n)
		return t == "submit" || t == "image"
	}
	return false
}

func resets(n *html.Node) bool {
	return isElement(n, "button", "input") && lower(attr(n, "type")) == "reset"
}

// defaultButton is the first submit button of a form.
func (d *document) defaultButton(form *html.Node) *html.Node {
	if form == nil {
		return nil
	}
	for _, c := range d.controls(form) {
		if submits(c) {
			return c
		}
	}
	return nil
}

// labeled is the control that a label is for; nil if there is none.
func (d *document) labeled(label *html.Node) *html.Node {
	if id, ok := lookup(label, "for"); ok {
		if n := byID(label, id); n != nil && labelable(n) {
			return n
		}
		return nil
	}
	for c := next(label, label); c != nil; c = next(c, label) {
		if c.Type == html.ElementNode && labelable(c) {
			return c
		}
	}
	return nil
}

func labelable(n *html.Node) bool {
	if isElement(n, "input") {
		return inputType(n) != "hidden"
	}
	return isElement(n, "button", "meter", "output", "progress", "select", "textarea")
}

// reset gives all controls of a form their first values.
func (d *document) reset(form *html.Node) {
	if d.fire("reset", form) {
		return
	}
	for _, c := range d.controls(form) {
		delete(d.inputs, c)
		if isElement(c, "select") {
			for _, o := range options(c) {
				delete(d.inputs, o)
			}
		}
		d.touched(c)
	}
	d.frame.page.changed()
	if d.mirrorChoices() {
		d.restructure()
	}
}

// implicitSubmit is what Enter in a text field does.
func (d *document) implicitSubmit(field *html.Node) {
	form := d.formOf(field)
	if form == nil {
		return
	}
	if b := d.defaultButton(form); b != nil {
		if !d.disabled(b) {
			d.click(b, clickOptions{})
		}
		return
	}
	blocking := 0
	for _, c := range d.controls(form) {
		if isElement(c, "input") && (textual(inputType(c)) || assigned(inputType(c)) && inputType(c) != "range" && inputType(c) != "color") {
			blocking++
		}
	}
	if blocking <= 1 {
		d.submit(form, nil)
	}
}

// submit validates and sends a form.
func (d *document) submit(form, submitter *html.Node) {
	if !has(form, "novalidate") && !(submitter != nil && has(submitter, "formnovalidate")) {
		var bad *html.Node
		for _, c := range d.controls(form) {
			if d.validity(c) != "" {
				d.fire("invalid", c)
				if bad == nil {
					bad = c
				}
			}
		}
		if bad != nil {
			if d.focusable(bad) {
				d.frame.page.scrollIntoView(d, bad, nil)
				d.focus(bad, false)
			}
			return
		}
	}
	if d.fireSubmit(form, submitter) {
		return
	}
	d.send(form, submitter)
}

// formAttr is an attribute of the form that a submit button may override.
func formAttr(form, submitter *html.Node, name string) (string, bool) {
	if submitter != nil {
		if v, ok := lookup(submitter, "form"+name); ok {
			return v, true
		}
	}
	return lookup(form, name)
}

// send sends a form without asking anybody.
func (d *document) send(form, submitter *html.Node) {
	method, _ := formAttr(form, submitter, "method")
	method = lower(method)
	if method == "dialog" {
		if dialog := closest(form, func(n *html.Node) bool { return isElement(n, "dialog") && has(n, "open") }); dialog != nil {
			d.closeDialog(dialog)
		}
		return
	}
	action, _ := formAttr(form, submitter, "action")
	if trim(action) == "" {
		action = d.address()
	}
	u, err := d.resolve(trim(action))
	if err != nil {
		return
	}
	entries := d.entries(form, submitter)
	nav := &navigation{url: u, referrer: d.address(), method: "GET", source: d}
	if method == "post" {
		nav.method = "POST"
		enctype, _ := formAttr(form, submitter, "enctype")
		nav.body, nav.contentType = encodeEntries(entries, lower(enctype))
	} else if u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "file" {
		q := *u
		q.RawQuery = urlencoded(entries)
		q.ForceQuery = q.RawQuery == "" // a form without fields leads to "?"
		nav.url = &q
	}
	target, _ := formAttr(form, submitter, "target")
	if target == "" {
		target = d.baseTarget()
	}
	d.open(nav, target, true)
}

func (d *document) baseTarget() string {
	if b := d.first("base"); b != nil {
		return attr(b, "target")
	}
	return ""
}
