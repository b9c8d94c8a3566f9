package fake

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// events runs the functions that stand for scripts.
type events struct {
	queries
	script *Document
}

// An Event is passed to handlers.
type Event struct {
	Type      string
	Document  *Document
	Target    *Element // where it happened
	Current   *Element // the element whose handler runs
	Submitter *Element // of submit: the button, or nil
	Key       string   // of keydown and keyup
	Data      string   // of input: what was written

	prevented, stopped bool
}

// PreventDefault keeps the browser from doing what it does by itself.
func (e *Event) PreventDefault() { e.prevented = true }

// StopPropagation keeps the event from the elements above.
func (e *Event) StopPropagation() { e.stopped = true }

// fire dispatches an event and reports whether a handler prevented its default.
func (d *events) fire(kind string, target *html.Node) bool {
	return d.dispatch(&Event{Type: kind}, target)
}

// fireChange says that a person has given a control another value.
func (d *events) fireChange(n *html.Node) {
	d.fire("input", n)
	d.fire("change", n)
}

// fireDocument dispatches an event of the document itself.
func (d *events) fireDocument(kind string) bool {
	if d.script == nil {
		return false
	}
	e := &Event{Type: kind, Document: d.script}
	d.callDocument(e)
	d.afterScript()
	return e.prevented
}

// dispatch runs the handlers from the target up to the document, through
// shadow roots: for each element, those that match it, in the order in which
// they were set, and those of the document last, where the event bubbles.
func (d *events) dispatch(e *Event, target *html.Node) bool {
	if d.script == nil || len(d.script.handlers) == 0 || target == nil {
		return false
	}
	e.Document = d.script
	e.Target = d.script.wrap(target)
	if slices.ContainsFunc(d.script.handlers, func(h handler) bool { return h.kind == e.Type && h.sel != nil && h.sel.Live }) {
		d.reflect(nil)
		for _, h := range d.script.handlers {
			if h.sel != nil {
				h.sel.ReflectHas(&d.Tree)
			}
		}
	}
	for n := target; n != nil && !e.stopped; n = d.Up(n) {
		if n.Type != html.ElementNode {
			continue
		}
		for _, h := range d.script.handlers {
			if h.kind != e.Type || h.elem != n && (h.sel == nil || !h.sel.Match(n)) {
				continue
			}
			e.Current = d.script.wrap(n)
			h.run(e)
		}
		if !bubbles(e.Type) {
			break
		}
	}
	if bubbles(e.Type) && !e.stopped {
		d.callDocument(e)
	}
	d.afterScript()
	return e.prevented
}

// callDocument calls the handlers of the document itself.
func (d *events) callDocument(e *Event) {
	for _, h := range d.script.handlers {
		if h.kind == e.Type && h.sel == nil && h.elem == nil {
			h.run(e)
		}
	}
}

func bubbles(kind string) bool {
	switch kind {
	case "focus", "blur", "scroll", "toggle", "invalid", "close", "cancel", "mouseenter", "mouseleave", "load", "error":
		return false
	}
	return true
}

// listening finds the elements that a handler for clicks makes clickable.
func (d *events) listening() map[*html.Node]bool {
	if d.script == nil {
		return nil
	}
	out := make(map[*html.Node]bool)
	for _, h := range d.script.handlers {
		switch {
		case h.kind != "click" && h.kind != "mousedown" && h.kind != "mouseup":
		case h.elem != nil:
			out[h.elem] = true
		case h.sel != nil:
			d.everywhere(h.sel, func(n *html.Node) { out[n] = true })
		}
	}
	return out
}

// afterScript makes up for what a handler may have done to the tree.
func (d *events) afterScript() {
	if d.frame.doc != d.self || !d.dirty {
		return
	}
	d.dirty = false
	if d.ready {
		d.attachFrames()
	}
	if d.active != nil && !d.Connected(d.active) {
		d.active = nil
	}
}

// runScripts calls what stands for the page's scripts.
func (d *events) runScripts() {
	for _, f := range d.frame.page.browser.driver.scripts(d.url) {
		f(d.handle())
		d.afterScript()
	}
}

// attachFrames gives every frame element of d that has none a frame, and
// takes away the frames whose element has left. Frames are then in document order.
func (d *events) attachFrames() {
	if !d.HasFrames && len(d.frame.children) == 0 {
		return
	}
	f, p := d.frame, d.frame.page
	byOwner := make(map[*html.Node]*frame, len(f.children))
	for _, c := range f.children {
		byOwner[c.owner] = c
	}
	var now, fresh []*frame
	total := len(p.frames())
	d.Each(func(n *html.Node) {
		if !d.showsFrame(n) {
			return
		}
		c := byOwner[n]
		delete(byOwner, n)
		if c == nil {
			if total >= maxFrames || f.depth() >= maxFrameDepth {
				d.note("frames beyond the limit were not opened")
				return
			}
			total++
			c = &frame{page: p, id: p.browser.frameID(), parent: f, owner: n, name: dom.Attr(n, "name"), ordinal: p.ordinals}
			p.ordinals++
			fresh = append(fresh, c)
		}
		now = append(now, c)
	})
	for _, c := range f.children {
		if byOwner[c.owner] == c {
			c.detach()
		}
	}
	f.children = now
	for _, c := range fresh {
		c.doc = newDocument(c, response{url: dom.BlankURL()})
		c.doc.complete()
		p.browser.emit(driver.FrameAttached{Page: p.id, Frame: c.id, Parent: f.id})
	}
	p.listFrames()
	for _, c := range fresh {
		c.load()
	}
}

// mayAsk reports a document that may ask whether it may be left.
func (d *events) mayAsk() bool {
	return d.script != nil && slices.ContainsFunc(d.script.handlers, func(h handler) bool { return h.kind == "beforeunload" })
}

// ask shows a dialog and waits for its answer. The caller has the page, and
// keeps it: while the dialog is open the page stands still.
func (d *events) ask(dialog driver.Dialog) driver.DialogAnswer {
	p := d.frame.page
	dialog.URL = d.address()
	answer := p.answerer()
	p.dialog.Store(&dialog)
	p.browser.emit(driver.DialogOpened{Page: p.id, Dialog: dialog})
	a := driver.DialogAnswer{Accept: dialog.Kind == driver.Alert || dialog.Kind == driver.BeforeUnload}
	if answer != nil {
		if p.yielded != nil {
			close(p.yielded)
			p.yielded = nil
		}
		answered := make(chan driver.DialogAnswer, 1)
		go func() { answered <- answer(dialog) }()
		select {
		case a = <-answered:
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

// handle is the document as scripts see it.
func (d *events) handle() *Document {
	if d.script == nil {
		d.script = &Document{d: d.self, elements: make(map[*html.Node]*Element)}
	}
	return d.script
}

// offers lists the tools of a document: those of scripts, then the forms.
func (d *events) offers() (out []driver.Tool) {
	origin := d.origin()
	for f := d.frame; f.parent != nil; f = f.parent {
		if f.doc.origin() != f.parent.doc.origin() && !strings.Contains(dom.Attr(f.owner, "allow"), "tools") {
			return nil // the permissions policy of a frame of another origin
		}
	}
	add := func(t driver.Tool) {
		if len(out) < driver.MaxTools && len(t.Name)+len(t.Description)+len(t.InputSchema) <= driver.MaxToolSize {
			t.Frame, t.Doc, t.Origin = d.frame.id, d.id, origin
			out = append(out, t)
		}
	}
	if d.script != nil {
		for _, t := range d.script.tools {
			add(driver.Tool{
				ToolRef: driver.ToolRef{Name: driver.ToolName(t.Name)}, Description: t.Description, InputSchema: t.InputSchema,
				ReadOnly: t.ReadOnly, Consequential: t.Consequential, Untrusted: t.Untrusted,
			})
		}
	}
	d.Each(func(n *html.Node) {
		if form.IsTool(n) {
			add(driver.Tool{
				ToolRef: driver.ToolRef{Name: driver.ToolName(dom.Attr(n, "toolname"))}, Description: dom.Attr(n, "tooldescription"),
				InputSchema: d.ToolSchema(n), Form: d.ref(n), AutoSubmit: dom.Has(n, "toolautosubmit"),
			})
		}
	})
	return out
}
