package fake

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// activation is what happens by itself when an element is clicked or a form sent.
type activation struct{ dialogs }

// clickOptions say how an element is clicked.
type clickOptions struct {
	person bool // by a hand, not by a script
	mods   driver.Modifiers
	middle bool
	label  bool // by way of a label
}

// click dispatches a click and does what follows from it. Checkboxes and radio
// buttons change before the handlers run, and back if one of them says so.
func (d *activation) click(target *html.Node, opts clickOptions) {
	if dom.IsElement(target, "button", "input", "select", "textarea") && d.Disabled(target) {
		return
	}
	// The nearest element on the way up that a click activates.
	active := target
	for active != nil && !d.activates(active) {
		active = d.Up(active)
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
	if active != nil && d.Connected(active) && d.frame.doc == d.self {
		d.activate(active, target, opts, undo != nil)
	}
}

// activates reports elements that do something by themselves when clicked.
func (d *activation) activates(n *html.Node) bool {
	switch {
	case isLink(n):
		return true
	case dom.IsElement(n, "button", "input"):
		return !d.Disabled(n)
	case dom.IsElement(n, "summary"):
		return opensDetails(n)
	}
	return dom.IsElement(n, "label")
}

// opensDetails reports the summary that opens the details around it.
func opensDetails(n *html.Node) bool {
	return dom.IsElement(n.Parent, "details") && n == dom.Child(n.Parent, "summary")
}

// preActivate changes a checkbox or radio button, and returns what takes the
// change back; nil for all else.
func (d *activation) preActivate(n *html.Node) (undo func()) {
	if !dom.IsElement(n, "input") {
		return nil
	}
	switch form.InputType(n) {
	case "checkbox":
		c := d.Control(n)
		was, mixed, dirty := d.Checked(n), c.Mixed, c.DirtyMark
		c.Mixed = false
		d.SetChecked(n, !was)
		return func() {
			d.SetChecked(n, was)
			c.Mixed, c.DirtyMark = mixed, dirty
		}
	case "radio":
		if d.Checked(n) {
			return nil
		}
		was := d.Group(n).Checked
		d.SetChecked(n, true)
		return func() {
			d.SetChecked(n, false)
			if was != nil {
				d.SetChecked(was, true)
			}
		}
	}
	return nil
}

// activate does what a click on n does by itself.
func (d *activation) activate(n, target *html.Node, opts clickOptions, changed bool) {
	switch {
	case isLink(n):
		d.follow(n, opts)
	case dom.IsElement(n, "summary"):
		d.setOpen(n.Parent, !dom.Has(n.Parent, "open"))
	case dom.IsElement(n, "label"):
		d.clickLabel(n, target, opts)
	case dom.IsElement(n, "input"):
		switch form.InputType(n) {
		case "checkbox", "radio":
			if changed {
				d.fireChange(n)
			}
		case "file":
			d.frame.page.browser.emit(driver.FileChooserOpened{Page: d.frame.page.id, Node: d.ref(n), Multiple: dom.Has(n, "multiple")})
		default:
			d.pushButton(n)
		}
	case dom.IsElement(n, "button"):
		d.pushButton(n)
	}
}

// clickLabel passes a click on to the label's control, unless something else
// within the label takes it.
func (d *activation) clickLabel(label, target *html.Node, opts clickOptions) {
	control := d.Labeled(label)
	if control == nil || opts.label || d.Disabled(control) {
		return
	}
	for n := target; n != nil && n != label; n = d.Up(n) {
		if n == control || isLink(n) || dom.IsElement(n, "button", "input", "select", "textarea", "iframe", "summary") || dom.Has(n, "tabindex") {
			return
		}
	}
	if opts.person && d.mouseFocusable(control) {
		d.focus(control, false)
	}
	d.click(control, clickOptions{person: opts.person, label: true})
}

// pushButton does what a button is for: submit, reset, popover, command.
func (d *activation) pushButton(n *html.Node) {
	f := d.FormOf(n)
	if f != nil {
		switch {
		case form.Submits(n):
			d.submit(f, n)
			return
		case form.Resets(n):
			d.reset(f)
			return
		}
	}
	if id, ok := dom.Lookup(n, "popovertarget"); ok {
		if target := dom.ByID(n, id); target != nil {
			d.togglePopover(target, dom.Lower(dom.Attr(n, "popovertargetaction")))
		}
		return
	}
	if target := dom.ByID(n, dom.Attr(n, "commandfor")); target != nil {
		d.command(target, dom.Lower(dom.Attr(n, "command")))
	}
}

// command is what the invoker commands do.
func (d *activation) command(n *html.Node, command string) {
	switch command {
	case "show-modal":
		d.showModal(n)
	case "close", "request-close":
		d.closeDialog(n)
	case "show-popover", "hide-popover", "toggle-popover":
		d.togglePopover(n, strings.TrimSuffix(command, "-popover"))
	}
}

// follow goes where a link points.
func (d *activation) follow(a *html.Node, opts clickOptions) {
	nav, err := d.self.leading(dom.Attr(a, "href"))
	if err != nil {
		return
	}
	u := nav.url
	if name, ok := dom.Lookup(a, "download"); ok && a.Namespace == "" && dom.OriginOf(u.String()) == dom.OriginOf(d.address()) || ok && u.Scheme == "data" {
		d.frame.page.save(d.self, u, name)
		return
	}
	target := cmp.Or(dom.Attr(a, "target"), d.baseTarget())
	if opts.middle || opts.mods&(driver.Control|driver.Meta|driver.Shift) != 0 {
		target = "_blank"
	}
	if slices.Contains(strings.Fields(dom.Lower(dom.Attr(a, "rel"))), "noreferrer") {
		nav.referrer = ""
	}
	d.open(nav, target)
}

// open sends a navigation to the frame or page that target names.
func (d *activation) open(nav *navigation, target string) {
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
		if allow(driver.RequestInfo{URL: nav.url.String(), Method: cmp.Or(nav.method, "GET"), Kind: driver.RequestDocument}) != nil {
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
	p.later(func() { fresh.visit(nav) })
}

// reset gives all controls of a form their first values.
func (d *activation) reset(f *html.Node) {
	if d.fire("reset", f) {
		return
	}
	for _, c := range d.Controls(f) {
		delete(d.Inputs, c)
		if dom.IsElement(c, "select") {
			for _, o := range form.Options(c) {
				delete(d.Inputs, o)
			}
		}
		d.Touched(c)
	}
	d.frame.page.changed()
	if d.MirrorChoices() {
		d.Restructure()
	}
}

// implicitSubmit is what Enter in a text field does.
func (d *activation) implicitSubmit(field *html.Node) {
	f := d.FormOf(field)
	if f == nil {
		return
	}
	if b := d.DefaultButton(f); b != nil {
		if !d.Disabled(b) {
			d.click(b, clickOptions{})
		}
		return
	}
	blocking := 0
	for _, c := range d.Controls(f) {
		if dom.IsElement(c, "input") && (form.Textual(form.InputType(c)) || form.Assigned(form.InputType(c)) && form.InputType(c) != "range" && form.InputType(c) != "color") {
			blocking++
		}
	}
	if blocking <= 1 {
		d.submit(f, nil)
	}
}

// submit validates and sends a form.
func (d *activation) submit(f, submitter *html.Node) {
	if !dom.Has(f, "novalidate") && !(submitter != nil && dom.Has(submitter, "formnovalidate")) {
		var bad *html.Node
		for _, c := range d.Controls(f) {
			if d.Validity(c) != "" {
				d.fire("invalid", c)
				if bad == nil {
					bad = c
				}
			}
		}
		if bad != nil {
			if d.focusable(bad) {
				d.frame.page.scrollIntoView(d.self, bad, nil)
				d.focus(bad, false)
			}
			return
		}
	}
	e := &Event{Type: "submit"}
	if d.script != nil && submitter != nil {
		e.Submitter = d.script.wrap(submitter)
	}
	if !d.dispatch(e, f) {
		d.send(f, submitter)
	}
}

// send sends a form without asking anybody.
func (d *activation) send(f, submitter *html.Node) {
	method, _ := form.Attr(f, submitter, "method")
	method = dom.Lower(method)
	if method == "dialog" {
		if dialog := dom.Closest(f, func(n *html.Node) bool { return dom.IsElement(n, "dialog") && dom.Has(n, "open") }); dialog != nil {
			d.closeDialog(dialog)
		}
		return
	}
	action, _ := form.Attr(f, submitter, "action")
	if dom.Trim(action) == "" {
		action = d.address()
	}
	u, err := d.resolve(dom.Trim(action))
	if err != nil {
		return
	}
	entries := d.Entries(f, submitter)
	nav := &navigation{url: u, referrer: d.address(), method: "GET", source: d.self}
	if method == "post" {
		nav.method = "POST"
		enctype, _ := form.Attr(f, submitter, "enctype")
		nav.body, nav.contentType = form.EncodeEntries(entries, dom.Lower(enctype))
	} else if u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "file" {
		q := *u
		q.RawQuery = form.URLEncoded(entries)
		q.ForceQuery = q.RawQuery == "" // a f without fields leads to "?"
		nav.url = &q
	}
	target, _ := form.Attr(f, submitter, "target")
	d.open(nav, cmp.Or(target, d.baseTarget()))
}

func (d *activation) baseTarget() string {
	if b := d.First("base"); b != nil {
		return dom.Attr(b, "target")
	}
	return ""
}

// pressOption chooses in a list box.
func (d *activation) pressOption(o *html.Node, mods driver.Modifiers) {
	sel := form.SelectOf(o)
	if sel == nil || !form.Listbox(sel) || d.Disabled(sel) || d.Disabled(o) {
		return
	}
	chosen := []*html.Node{o}
	if dom.Has(sel, "multiple") && mods&(driver.Control|driver.Meta|driver.Shift) != 0 {
		chosen = nil
		for _, c := range form.Options(sel) {
			if d.Marked(c) != (c == o) {
				chosen = append(chosen, c)
			}
		}
	}
	if d.Choose(sel, chosen) {
		d.fireChange(sel)
	}
}

// placeCaret is where a press puts the caret: the end of a text; a double
// press selects all of it.
func (d *activation) placeCaret(n *html.Node, clicks int) {
	if !form.Editable(n) {
		return
	}
	c := d.Control(n)
	end := len([]rune(d.Value(n)))
	c.Start, c.Stop = end, end
	if clicks >= 2 {
		c.Start = 0
	}
}
