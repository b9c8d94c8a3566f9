package fake

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// clickOptions say how an element is clicked.
type clickOptions struct {
	person bool // by a hand, not by a script
	mods   driver.Modifiers
	middle bool
	label  bool // by way of a label
}

// click dispatches a click and does what follows from it. Checkboxes and radio
// buttons change before the handlers run, and back if one of them says so.
func (d *document) click(target *html.Node, opts clickOptions) {
	if isElement(target, "button", "input", "select", "textarea") && d.disabled(target) {
		return
	}
	// The nearest element on the way up that a click activates.
	active := target
	for active != nil && !d.activates(active) {
		active = d.up(active)
	}
	var undo func()
	if active != nil {
		undo = d.preActivate(active)
	}
	if d.fire("click", target) {
		if undo != nil {
			undo()
		}
		return
	}
	if active != nil && d.connected(active) && d.frame.doc == d {
		d.activate(active, target, opts, undo != nil)
	}
}

// activates reports elements that do something by themselves when clicked.
func (d *document) activates(n *html.Node) bool {
	switch {
	case isLink(n):
		return true
	case isElement(n, "button", "input"):
		return !d.disabled(n)
	case isElement(n, "summary"):
		return isElement(n.Parent, "details") && n == firstSummary(n.Parent)
	case isElement(n, "label"):
		return true
	}
	return false
}

func isLink(n *html.Node) bool {
	if n.Namespace == "svg" && n.Data == "a" {
		return has(n, "href")
	}
	return isElement(n, "a", "area") && has(n, "href")
}

// preActivate changes a checkbox or radio button, and returns what takes the
// change back; nil for all else.
func (d *document) preActivate(n *html.Node) (undo func()) {
	if !isElement(n, "input") {
		return nil
	}
	switch inputType(n) {
	case "checkbox":
		c := d.control(n)
		was, mixed, dirty := d.checked(n), c.mixed, c.dirtyMark
		c.mixed = false
		d.setChecked(n, !was)
		return func() {
			d.setChecked(n, was)
			c.mixed, c.dirtyMark = mixed, dirty
		}
	case "radio":
		if d.checked(n) {
			return nil
		}
		was := d.group(n).checked
		d.setChecked(n, true)
		return func() {
			d.setChecked(n, false)
			if was != nil {
				d.setChecked(was, true)
			}
		}
	}
	return nil
}

// activate does what a click on n does by itself.
func (d *document) activate(n, target *html.Node, opts clickOptions, changed bool) {
	switch {
	case isLink(n):
		d.follow(n, opts)
	case isElement(n, "summary"):
		d.setOpen(n.Parent, !has(n.Parent, "open"))
	case isElement(n, "label"):
		d.clickLabel(n, target, opts)
	case isElement(n, "input"):
		switch inputType(n) {
		case "checkbox", "radio":
			if changed {
				d.fire("input", n)
				d.fire("change", n)
			}
		case "file":
			d.frame.page.browser.emit(driver.FileChooserOpened{Page: d.frame.page.id, Node: d.ref(n), Multiple: has(n, "multiple")})
		default:
			d.pushButton(n)
		}
	case isElement(n, "button"):
		d.pushButton(n)
	}
}

// clickLabel passes a click on to the label's control, unless something else
// within the label takes it.
func (d *document) clickLabel(label, target *html.Node, opts clickOptions) {
	control := d.labeled(label)
	if control == nil || opts.label || d.disabled(control) {
		return
	}
	for n := target; n != nil && n != label; n = d.up(n) {
		if n == control || isLink(n) || isElement(n, "button", "input", "select", "textarea", "iframe", "summary") || has(n, "tabindex") {
			return
		}
	}
	if opts.person && d.mouseFocusable(control) {
		d.focus(control, false)
	}
	d.click(control, clickOptions{person: opts.person, label: true})
}

// pushButton does what a button is for: submit, reset, popover, command.
func (d *document) pushButton(n *html.Node) {
	form := d.formOf(n)
	if form != nil {
		switch {
		case submits(n):
			d.submit(form, n)
			return
		case resets(n):
			d.reset(form)
			return
		}
	}
	if id, ok := lookup(n, "popovertarget"); ok {
		if target := byID(n, id); target != nil {
			d.togglePopover(target, lower(attr(n, "popovertargetaction")))
		}
		return
	}
	if target := byID(n, attr(n, "commandfor")); target != nil {
		d.command(target, lower(attr(n, "command")))
	}
}

// command is what the invoker commands do.
func (d *document) command(n *html.Node, command string) {
	switch command {
	case "show-modal":
		d.showModal(n)
	case "close", "request-close":
		d.closeDialog(n)
	case "show-popover":
		d.togglePopover(n, "show")
	case "hide-popover":
		d.togglePopover(n, "hide")
	case "toggle-popover":
		d.togglePopover(n, "toggle")
	}
}

// follow goes where a link points.
func (d *document) follow(a *html.Node, opts clickOptions) {
	href := attr(a, "href")
	u, err := d.resolve(href)
	if err != nil {
		return
	}
	if name, ok := lookup(a, "download"); ok && a.Namespace == "" && originOf(u.String()) == originOf(d.address()) || ok && u.Scheme == "data" {
		d.frame.page.save(d, u, name)
		return
	}
	nav := &navigation{url: u, referrer: d.address(), source: d}
	target := attr(a, "target")
	if target == "" {
		target = d.baseTarget()
	}
	if opts.middle || opts.mods&(driver.Control|driver.Meta|driver.Shift) != 0 {
		target = "_blank"
	}
	for _, rel := range strings.Fields(lower(attr(a, "rel"))) {
		if rel == "noreferrer" {
			nav.referrer = ""
		}
	}
	d.open(nav, target, true)
}

// open sends a navigation to the frame or page that target names.
func (d *document) open(nav *navigation, target string, _ bool) {
	p := d.frame.page
	if f := d.frame.named(target); f != nil {
		p.later(func() {
			if !f.detached && d.frame.page.mayLeave(f) {
				f.start(nav)
			}
		})
		return
	}
	if other := p.browser.named(target); other != nil && other != p {
		p.later(func() { other.visit(nav) })
		return
	}
	if allow := p.browser.opts.Allow; allow != nil && !isBlank(nav.url) {
		if allow(driver.RequestInfo{URL: nav.url.String(), Method: orGet(nav.method), Kind: driver.RequestDocument}) != nil {
			return
		}
	}
	fresh := p.browser.addPage(p.id, nav.url.String())
	if fresh == nil {
		return
	}
	if target != "_blank" {
		p.browser.setName(fresh, target)
		fresh.main.name = target
	}
	nav.replace = true
	p.shown = false
	p.later(func() { fresh.visit(nav) })
}

func orGet(method string) string {
	if method == "" {
		return "GET"
	}
	return method
}

// visit begins a navigation of another page's main frame.
func (p *page) visit(nav *navigation) {
	if p.acquire(p.ctx) != nil {
		return
	}
	p.main.start(nav)
	p.release()
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
		d.Touched(c)
	}
	d.frame.page.changed()
	if d.mirrorChoices() {
		d.Restructure()
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
