package fake

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// An Element is one element of a [Document]. Two of the same document are equal
// if they are the same element. A nil Element panics, as in a script.
type Element struct {
	s *Document
	n *html.Node
}

// Name is the local name.
func (e *Element) Name() string { return e.n.Data }

// Text is the text below the element.
func (e *Element) Text() string { return dom.TextOf(e.n) }

// SetText puts a text in the place of all that is below.
func (e *Element) SetText(text string) {
	if c := e.n.FirstChild; c != nil && c == e.n.LastChild && c.Type == html.TextNode && text != "" {
		c.Data = text // the node stays, as it does where a framework renders text
		e.s.d.mutated(c, false)
		return
	}
	dom.Clear(e.n)
	if text != "" {
		t := &html.Node{Type: html.TextNode, Data: text}
		e.n.AppendChild(t)
		e.s.d.Adopt(t)
	}
	e.s.d.mutated(e.n, false)
}

// SetHTML puts parsed HTML in the place of all that is below.
func (e *Element) SetHTML(source string) {
	dom.Clear(e.n)
	e.insert(source, nil)
}

// Append adds parsed HTML behind the element's children and returns the first
// element of it, nil if there is none.
func (e *Element) Append(source string) *Element { return e.insert(source, nil) }

// Before adds parsed HTML before the element and returns the first element of it.
func (e *Element) Before(source string) *Element { return e.parent().insert(source, e.n) }

// Behind adds parsed HTML behind the element and returns the first element of it.
func (e *Element) Behind(source string) *Element { return e.parent().insert(source, e.n.NextSibling) }

func (e *Element) parent() *Element { return e.s.wrap(e.n.Parent) }

func (e *Element) insert(source string, before *html.Node) *Element {
	first := e.s.insert(source, e.n, before, e.n)
	e.s.d.mutated(e.n, first != nil)
	return first
}

// Remove takes the element out of the document.
func (e *Element) Remove() {
	if e.n.Parent != nil {
		parent := e.n.Parent
		parent.RemoveChild(e.n)
		e.s.d.mutated(parent, false)
	}
}

// Rerender puts an equal copy in the element's place, as a framework does that
// renders anew: it looks the same and is another element.
func (e *Element) Rerender() *Element {
	c := dom.Clone(e.n)
	e.n.Parent.InsertBefore(c, e.n)
	e.n.Parent.RemoveChild(e.n)
	e.s.d.Adopt(c)
	e.s.d.mutated(c.Parent, true)
	return e.s.wrap(c)
}

// Attr is an attribute's value, empty if it is not there.
func (e *Element) Attr(name string) string { return dom.Attr(e.n, name) }

// Has reports whether the attribute is there.
func (e *Element) Has(name string) bool { return dom.Has(e.n, name) }

// SetAttr sets an attribute.
func (e *Element) SetAttr(name, value string) {
	dom.SetAttr(e.n, dom.Lower(name), value)
	e.s.d.attributed(e.n, dom.Lower(name))
}

// RemoveAttr takes an attribute away.
func (e *Element) RemoveAttr(name string) {
	dom.RemoveAttr(e.n, dom.Lower(name))
	e.s.d.attributed(e.n, dom.Lower(name))
}

// Value is the live value of a control.
func (e *Element) Value() string { return e.s.d.Value(e.n) }

// SetValue sets it, as a script does: no event follows.
func (e *Element) SetValue(v string) {
	if e.n.Data == "select" {
		e.s.d.ChooseByValue(e.n, []string{v})
		return
	}
	e.s.d.SetValue(e.n, v)
}

// Checked is the live state of a checkbox or radio button.
func (e *Element) Checked() bool { return e.s.d.Checked(e.n) }

// SetMixed sets a checkbox's indeterminate state.
func (e *Element) SetMixed(on bool) {
	e.s.d.Control(e.n).Mixed = on
	e.s.d.Touched(e.n)
}

// SetValidity gives a control a message of its own that says what is wrong; empty is nothing.
func (e *Element) SetValidity(message string) {
	e.s.d.Control(e.n).Custom = message
	e.s.d.Touched(e.n)
}

// SetInternal sets what a custom element says of itself through ElementInternals, by
// the name of the attribute that says the same: "role", "aria-label", "aria-checked".
// An empty value takes it back.
func (e *Element) SetInternal(name, value string) {
	c := e.s.d.Control(e.n)
	if c.Internals == nil {
		c.Internals = map[string]string{}
	}
	if c.Internals[name] = value; value == "" {
		delete(c.Internals, name)
	}
	e.s.d.frame.page.changed()
}

// SetFormAssociated makes a custom element one that labels can name, as formAssociated
// of its class does.
func (e *Element) SetFormAssociated(on bool) {
	e.s.d.Control(e.n).Member = on
	e.s.d.frame.page.changed()
}

// Closest is the nearest of the element and those above that a selector matches; nil if none does.
func (e *Element) Closest(sel string) *Element {
	if n := dom.Closest(e.n, mustCompile(sel).Match); n != nil {
		return e.s.wrap(n)
	}
	return nil
}

// Parent is the element above; nil at the top.
func (e *Element) Parent() *Element {
	if e.n.Parent == nil || e.n.Parent.Type != html.ElementNode {
		return nil
	}
	return e.s.wrap(e.n.Parent)
}

// On sets a handler at this element alone.
func (e *Element) On(kind string, f func(*Event)) {
	e.s.handlers = append(e.s.handlers, handler{kind: kind, elem: e.n, run: f})
	e.s.d.frame.page.changed()
}

// Click clicks the element as a script does.
func (e *Element) Click() { e.s.d.click(e.n, clickOptions{}) }

// Focus focuses it.
func (e *Element) Focus() { e.s.d.focus(e.n, false) }

// Submit sends a form without asking its handlers.
func (e *Element) Submit() { e.s.d.send(e.n, nil) }

// Show opens a dialog or a details element, or a popover.
func (e *Element) Show() {
	if e.n.Data == "dialog" || e.n.Data == "details" {
		e.s.d.setOpen(e.n, true)
		return
	}
	e.s.d.showPopover(e.n)
}

// ShowModal opens a dialog that makes the rest of the document inert.
func (e *Element) ShowModal() { e.s.d.showModal(e.n) }

// Hide closes a dialog, a details element or a popover.
func (e *Element) Hide() {
	switch e.n.Data {
	case "dialog":
		e.s.d.closeDialog(e.n)
	case "details":
		e.s.d.setOpen(e.n, false)
	default:
		e.s.d.hidePopover(e.n)
	}
}

// Shadow attaches a shadow tree with the HTML given and returns its first
// element; a second call replaces the content.
func (e *Element) Shadow(source string, closed bool) *Element {
	s := e.s.d.Shadows[e.n]
	if s == nil {
		s = e.s.d.AttachShadow(e.n, closed)
	}
	dom.Clear(s.Root)
	e.s.d.Adopt(s.Root)
	first := e.s.insert(source, s.Root, nil, nil)
	e.s.d.mutated(e.n, true)
	return first
}

// HTML is the element's content as source. It is meant for messages of tests.
func (e *Element) HTML() string {
	var sb strings.Builder
	for c := e.n.FirstChild; c != nil; c = c.NextSibling {
		if err := html.Render(&sb, c); err != nil {
			return err.Error()
		}
	}
	return sb.String()
}
