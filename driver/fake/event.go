package fake

import (
	"golang.org/x/net/html"
)

func (s *Document) wrap(n *html.Node) *Element {
	if e := s.elements[n]; e != nil {
		return e
	}
	if s.elements == nil {
		s.elements = make(map[*html.Node]*Element)
	}
	e := &Element{s, n}
	s.elements[n] = e
	return e
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
func (d *document) fire(kind string, target *html.Node) bool {
	return d.dispatch(&Event{Type: kind}, target)
}

// fireDocument dispatches an event of the document itself.
func (d *document) fireDocument(kind string) bool {
	if d.script == nil {
		return false
	}
	e := &Event{Type: kind, Document: d.script}
	d.callDocument(e)
	d.afterScript()
	return e.prevented
}

func (d *document) fireSubmit(form, submitter *html.Node) bool {
	e := &Event{Type: "submit"}
	if d.script != nil && submitter != nil {
		e.Submitter = d.script.wrap(submitter)
	}
	return d.dispatch(e, form)
}

// dispatch runs the handlers from the target up to the document, through
// shadow roots: for each element, those that match it, in the order in which
// they were set, and those of the document last, where the event bubbles.
func (d *document) dispatch(e *Event, target *html.Node) bool {
	if d.script == nil || len(d.script.handlers) == 0 || target == nil {
		return false
	}
	e.Document = d.script
	e.Target = d.script.wrap(target)
	live := false
	for _, h := range d.script.handlers {
		live = live || h.kind == e.Type && h.sel != nil && h.sel.Live
	}
	if live {
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
			d.script.call(h.run, e)
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
func (d *document) callDocument(e *Event) {
	for _, h := range d.script.handlers {
		if h.kind == e.Type && h.sel == nil && h.elem == nil {
			d.script.call(h.run, e)
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
func (d *document) listening() map[*html.Node]bool {
	if d.script == nil {
		return nil
	}
	var out map[*html.Node]bool
	for _, h := range d.script.handlers {
		if h.kind != "click" && h.kind != "mousedown" && h.kind != "mouseup" {
			continue
		}
		if out == nil {
			out = make(map[*html.Node]bool)
		}
		if h.elem != nil {
			out[h.elem] = true
			continue
		}
		if h.sel == nil {
			continue
		}
		if h.sel.Live {
			d.reflect(nil)
			h.sel.ReflectHas(&d.Tree)
		}
		d.Each(func(n *html.Node) {
			if h.sel.Match(n) {
				out[n] = true
			}
		})
	}
	return out
}

// afterScript makes up for what a handler may have done to the tree.
func (d *document) afterScript() {
	if d.frame.doc != d || !d.dirty {
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
func (d *document) runScripts() {
	for _, f := range d.frame.page.browser.driver.scripts(d.url) {
		d.parse()
		if d.script == nil {
			d.script = &Document{d: d}
		}
		f(d.script)
		d.afterScript()
	}
}

func (s *Document) call(f func(*Event), e *Event) { f(e) }
