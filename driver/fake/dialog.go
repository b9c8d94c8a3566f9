package fake

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// OnDialog sets who answers the page's dialogs.
func (p *page) OnDialog(answer func(driver.Dialog) driver.DialogAnswer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answer = answer
}

// ask shows a dialog and waits for its answer. The caller has the page, and
// keeps it: while the dialog is open the page stands still.
func (d *document) ask(dialog driver.Dialog) driver.DialogAnswer {
	p := d.frame.page
	dialog.URL = d.address()
	p.mu.Lock()
	answer := p.answer
	p.mu.Unlock()
	p.dialog.Store(&dialog)
	p.browser.emit(driver.DialogOpened{Page: p.id, Dialog: dialog})
	a := driver.DialogAnswer{Accept: dialog.Kind == driver.Alert || dialog.Kind == driver.BeforeUnload}
	if answer != nil {
		if p.yielded != nil {
			close(p.yielded)
			p.yielded = nil
		}
		said := make(chan driver.DialogAnswer, 1)
		go func() { said <- answer(dialog) }()
		select {
		case a = <-said:
		case <-p.done:
			a = driver.DialogAnswer{}
		}
	}
	if dialog.Kind == driver.Alert {
		a.Accept = true
	}
	if !a.Accept || dialog.Kind != driver.Prompt {
		a.Text = ""
	}
	p.dialog.Store(nil)
	p.browser.emit(driver.DialogClosed{Page: p.id, Dialog: dialog, Answer: a})
	return a
}

// mayLeave asks the documents below f whether they may be left.
func (p *page) mayLeave(f *frame) bool {
	d := f.doc
	if d.script == nil || !slices.ContainsFunc(d.script.handlers, func(h handler) bool { return h.kind == "beforeunload" }) {
		return true
	}
	if !d.fireDocument("beforeunload") {
		return true
	}
	return d.ask(driver.Dialog{Kind: driver.BeforeUnload}).Accept
}

// setOpen opens or closes a details element or a dialog that is not modal.
func (d *document) setOpen(n *html.Node, open bool) {
	if has(n, "open") == open {
		return
	}
	n.Attr = attributes(n)
	if open {
		setAttr(n, "open", "")
		if name := attr(n, "name"); n.Data == "details" && name != "" { // an accordion
			top := topOf(n)
			for c := top; c != nil; c = next(c, top) {
				if c != n && isElement(c, "details") && attr(c, "name") == name && has(c, "open") {
					d.setOpen(c, false)
				}
			}
		}
	} else {
		removeAttr(n, "open")
	}
	d.mutated(n, false)
	d.fire("toggle", n)
}

// showModal opens a dialog above everything.
func (d *document) showModal(n *html.Node) {
	if !isElement(n, "dialog") || has(n, "open") || !d.connected(n) {
		return
	}
	c := d.control(n)
	c.modal, c.opener = true, d.active
	d.topLayer = append(d.topLayer, n)
	n.Attr = attributes(n)
	setAttr(n, "open", "")
	d.mutated(n, true)
	d.focusWithin(n)
	d.fire("toggle", n)
}

// focusWithin gives the focus to what a dialog that opens holds first.
func (d *document) focusWithin(n *html.Node) {
	var first *html.Node
	for c := next(n, n); c != nil; c = next(c, n) {
		if c.Type != html.ElementNode || !d.focusable(c) {
			continue
		}
		if has(c, "autofocus") {
			first = c
			break
		}
		if first == nil {
			first = c
		}
	}
	if first == nil {
		first = n
	}
	d.focus(first, true)
}

// closeDialog closes a dialog and gives the focus back.
func (d *document) closeDialog(n *html.Node) {
	if !isElement(n, "dialog") || !has(n, "open") {
		return
	}
	c := d.control(n)
	opener := c.opener
	wasModal := c.modal
	c.modal, c.opener = false, nil
	d.topLayer = slices.DeleteFunc(slices.Clone(d.topLayer), func(t *html.Node) bool { return t == n })
	n.Attr = attributes(n)
	removeAttr(n, "open")
	d.mutated(n, false)
	if d.active != nil && !d.focusable(d.active) {
		d.blurActive()
	}
	if wasModal && opener != nil && d.connected(opener) {
		d.focus(opener, true)
	}
	d.fire("close", n)
}

// showPopover opens a popover; automatic ones close the others.
func (d *document) showPopover(n *html.Node) {
	if !has(n, "popover") || d.control(n).popover || !d.connected(n) {
		return
	}
	if automatic(n) {
		for _, t := range slices.Clone(d.topLayer) {
			if automatic(t) && d.control(t).popover && !d.composedWithin(n, t) {
				d.hidePopover(t)
			}
		}
	}
	d.control(n).popover = true
	d.topLayer = append(d.topLayer, n)
	d.mutated(n, true)
	if a := firstAutofocus(n); a != nil {
		d.focus(a, true)
	}
	d.fire("toggle", n)
}

func firstAutofocus(n *html.Node) *html.Node {
	for c := n; c != nil; c = next(c, n) {
		if c.Type == html.ElementNode && has(c, "autofocus") {
			return c
		}
	}
	return nil
}

func (d *document) hidePopover(n *html.Node) {
	if c := d.inputs[n]; c == nil || !c.popover {
		return
	}
	d.control(n).popover = false
	d.topLayer = slices.DeleteFunc(slices.Clone(d.topLayer), func(t *html.Node) bool { return t == n })
	d.mutated(n, false)
	if d.active != nil && !d.focusable(d.active) {
		d.blurActive()
	}
	d.fire("toggle", n)
}

func (d *document) togglePopover(n *html.Node, action string) {
	open := d.inputs[n] != nil && d.inputs[n].popover
	switch {
	case open && action != "show":
		d.hidePopover(n)
	case !open && action != "hide":
		d.showPopover(n)
	}
}

// automatic reports popovers that close when something else is used.
func automatic(n *html.Node) bool {
	v, ok := lookup(n, "popover")
	return ok && (v == "" || lower(v) == "auto" || lower(v) == "hint")
}

// lightDismiss closes the popovers that a press lies outside of, except by the
// button that will toggle one itself.
func (d *document) lightDismiss(at *html.Node) {
	for _, t := range slices.Clone(d.topLayer) {
		if c := d.inputs[t]; c == nil || !c.popover || !automatic(t) || d.composedWithin(at, t) {
			continue
		}
		invoker := closest(at, func(n *html.Node) bool {
			return byID(n, attr(n, "popovertarget")) == t || byID(n, attr(n, "commandfor")) == t
		})
		if invoker == nil {
			d.hidePopover(t)
		}
	}
}

// escape closes what is on top: a popover or a modal dialog.
func (d *document) escape() {
	for i := len(d.topLayer) - 1; i >= 0; i-- {
		n := d.topLayer[i]
		c := d.control(n)
		switch {
		case c.popover && automatic(n):
			d.hidePopover(n)
			return
		case c.modal:
			if lower(attr(n, "closedby")) != "none" && !d.fire("cancel", n) {
				d.closeDialog(n)
			}
			return
		}
	}
}
