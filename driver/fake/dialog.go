package fake

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// dialogs are the elements that open: details, dialogs and popovers.
type dialogs struct{ focusing }

// setOpen opens or closes a details element or a dialog that is not modal.
func (d *dialogs) setOpen(n *html.Node, open bool) {
	if dom.Has(n, "open") == open {
		return
	}
	if open {
		dom.SetAttr(n, "open", "")
		if name := dom.Attr(n, "name"); n.Data == "details" && name != "" { // an accordion
			top := dom.TopOf(n)
			for c := top; c != nil; c = dom.Next(c, top) {
				if c != n && dom.IsElement(c, "details") && dom.Attr(c, "name") == name && dom.Has(c, "open") {
					d.setOpen(c, false)
				}
			}
		}
	} else {
		dom.RemoveAttr(n, "open")
	}
	d.mutated(n, false)
	d.fire("toggle", n)
}

// showModal opens a dialog above everything.
func (d *dialogs) showModal(n *html.Node) {
	if !dom.IsElement(n, "dialog") || dom.Has(n, "open") || !d.Connected(n) {
		return
	}
	c := d.Control(n)
	c.Modal, c.Opener = true, d.active
	d.TopLayer = append(d.TopLayer, n)
	dom.SetAttr(n, "open", "")
	d.mutated(n, true)
	d.focusWithin(n)
	d.fire("toggle", n)
}

// closeDialog closes a dialog and gives the focus back.
func (d *dialogs) closeDialog(n *html.Node) {
	if !dom.IsElement(n, "dialog") || !dom.Has(n, "open") {
		return
	}
	c := d.Control(n)
	opener, wasModal := c.Opener, c.Modal
	c.Modal, c.Opener = false, nil
	dom.RemoveAttr(n, "open")
	d.leaveTop(n)
	if wasModal && opener != nil && d.Connected(opener) {
		d.focus(opener, true)
	}
	d.fire("close", n)
}

// showPopover opens a popover; automatic ones close the others.
func (d *dialogs) showPopover(n *html.Node) {
	if !dom.Has(n, "popover") || d.Control(n).Popover || !d.Connected(n) {
		return
	}
	if automatic(n) {
		for _, t := range slices.Clone(d.TopLayer) {
			if automatic(t) && d.Control(t).Popover && !d.ComposedWithin(n, t) {
				d.hidePopover(t)
			}
		}
	}
	d.Control(n).Popover = true
	d.TopLayer = append(d.TopLayer, n)
	d.mutated(n, true)
	if a := dom.Find(n, func(n *html.Node) bool { return dom.Has(n, "autofocus") }); a != nil {
		d.focus(a, true)
	}
	d.fire("toggle", n)
}

func (d *dialogs) hidePopover(n *html.Node) {
	if c := d.Inputs[n]; c == nil || !c.Popover {
		return
	}
	d.Control(n).Popover = false
	d.leaveTop(n)
	d.fire("toggle", n)
}

// leaveTop removes a closing element from the top layer, and the focus from inside it.
func (d *dialogs) leaveTop(n *html.Node) {
	d.TopLayer = slices.DeleteFunc(slices.Clone(d.TopLayer), func(t *html.Node) bool { return t == n })
	d.mutated(n, false)
	if d.active != nil && !d.focusable(d.active) {
		d.blurActive()
	}
}

func (d *dialogs) togglePopover(n *html.Node, action string) {
	open := d.Inputs[n] != nil && d.Inputs[n].Popover
	switch {
	case open && action != "show":
		d.hidePopover(n)
	case !open && action != "hide":
		d.showPopover(n)
	}
}

// automatic reports popovers that close when something else is used.
func automatic(n *html.Node) bool {
	v, ok := dom.Lookup(n, "popover")
	return ok && (v == "" || dom.Lower(v) == "auto" || dom.Lower(v) == "hint")
}

// lightDismiss closes the popovers that a press lies outside of, except by the
// button that will toggle one itself.
func (d *dialogs) lightDismiss(at *html.Node) {
	for _, t := range slices.Clone(d.TopLayer) {
		if c := d.Inputs[t]; c == nil || !c.Popover || !automatic(t) || d.ComposedWithin(at, t) {
			continue
		}
		invoker := dom.Closest(at, func(n *html.Node) bool {
			return dom.ByID(n, dom.Attr(n, "popovertarget")) == t || dom.ByID(n, dom.Attr(n, "commandfor")) == t
		})
		if invoker == nil {
			d.hidePopover(t)
		}
	}
	if n := d.lastDialog(); n != nil && closedBy(n) == "any" && !d.ComposedWithin(at, n) {
		d.requestClose(n)
	}
}

// lastDialog is the dialog that lies on top of the others; nil if none is open. Those that
// are modal lie above those that are not, which are taken in their order in the source.
func (d *dialogs) lastDialog() *html.Node {
	if n := d.Modal(); n != nil {
		return n
	}
	var last *html.Node
	for n := d.Root; n != nil; n = dom.Next(n, d.Root) {
		if dom.IsElement(n, "dialog") && dom.Has(n, "open") {
			last = n
		}
	}
	return last
}

// closedBy is what closes an open dialog besides its page: any click outside, only a request
// as by Escape, or none (HTML, "computed closed-by state").
func closedBy(n *html.Node) string { return dom.Lower(dom.Attr(n, "closedby")) }

func (d *dialogs) requestClose(n *html.Node) {
	if !d.fire("cancel", n) {
		d.closeDialog(n)
	}
}

// escape closes what is on top: a popover or a modal dialog.
func (d *dialogs) escape() {
	for i := len(d.TopLayer) - 1; i >= 0; i-- {
		n := d.TopLayer[i]
		c := d.Control(n)
		switch {
		case c.Popover && automatic(n):
			d.hidePopover(n)
			return
		case c.Modal:
			if closedBy(n) != "none" {
				d.requestClose(n)
			}
			return
		}
	}
	if n := d.lastDialog(); n != nil && (closedBy(n) == "any" || closedBy(n) == "closerequest") {
		d.requestClose(n)
	}
}
