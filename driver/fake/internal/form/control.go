// Package form is the live state of controls: values, checks, chosen options,
// what is valid, and what a form sends. It fires no events and follows no
// links: that is the browser's.
package form

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A State is the live state of a document's controls: what is typed, checked and
// chosen in them.
type State struct {
	dom.Tree
	Page     Page
	Inputs   map[*html.Node]*Control // of the elements that have some
	cache    choices
	Mirrored map[*html.Node]*html.Node // the option that each of tree.mirrors shows
}

// A Page is what the state of controls needs from the page.
type Page interface {
	// Stamp is another number after every change of the page.
	Stamp() uint64
	// Touched is for a change of one element's state.
	Touched(*html.Node)
	// Restructure is for a change of the tree.
	Restructure()
}

// A Control is the live state of an element, as far as it differs from what its
// attributes say. Few elements have one.
type Control struct {
	Value     string
	Dirty     bool // value counts
	check     bool
	DirtyMark bool // check counts; of an option: selected
	Mixed     bool
	Modal     bool
	Popover   bool
	Files     []string // paths
	Names     []string
	Start     int // selection, in characters
	Stop      int
	Edited    bool // changed since the focus came: change is due
	Custom    string
	Raw       string            // what stands in a number field, a number or not
	Internals map[string]string // by attribute: what a custom element says of itself
	Member    bool              // a custom element that takes part in forms
	Opener    *html.Node        // what had the focus before a dialog opened
}

// Control returns the live state of n, and makes it if need be.
func (s *State) Control(n *html.Node) *Control {
	if c := s.Inputs[n]; c != nil {
		return c
	}
	if s.Inputs == nil {
		s.Inputs = make(map[*html.Node]*Control)
	}
	c := new(Control)
	s.Inputs[n] = c
	return c
}

// inputTypes are the known types; any other is text.
var inputTypes = map[string]bool{
	"hidden": true, "text": true, "search": true, "tel": true, "url": true, "email": true, "password": true, "date": true, "month": true,
	"week": true, "time": true, "datetime-local": true, "number": true, "range": true, "color": true, "checkbox": true, "radio": true,
	"file": true, "submit": true, "image": true, "reset": true, "button": true,
}

// InputType is the type of an input element.
func InputType(n *html.Node) string {
	if t := dom.Lower(dom.Attr(n, "type")); inputTypes[t] {
		return t
	}
	return "text"
}

// Textual reports inputs that take typed text.
func Textual(t string) bool {
	switch t {
	case "text", "search", "tel", "url", "email", "password", "number":
		return true
	}
	return false
}

// Assigned reports inputs whose value is set as a whole.
func Assigned(t string) bool {
	switch t {
	case "date", "month", "week", "time", "datetime-local", "range", "color":
		return true
	}
	return false
}

// Disabled reports that a control takes no part, by itself or by a fieldset.
func (s *State) Disabled(n *html.Node) bool {
	if n.Namespace != "" {
		return false
	}
	switch n.Data {
	case "option":
		return dom.Has(n, "disabled") || dom.IsElement(n.Parent, "optgroup") && dom.Has(n.Parent, "disabled")
	case "optgroup":
		return dom.Has(n, "disabled")
	case "button", "input", "select", "textarea", "fieldset", "object", "output":
	default:
		return false
	}
	if dom.Has(n, "disabled") && n.Data != "output" && n.Data != "object" {
		return true
	}
	child := n
	for p := n.Parent; p != nil; child, p = p, p.Parent {
		if dom.IsElement(p, "fieldset") && dom.Has(p, "disabled") && child != firstLegend(p) {
			return true
		}
	}
	return false
}

func firstLegend(fieldset *html.Node) *html.Node {
	for c := fieldset.FirstChild; c != nil; c = c.NextSibling {
		if dom.IsElement(c, "legend") {
			return c
		}
	}
	return nil
}

// DisabledAbove reports that n is or stands in a disabled control.
func (s *State) DisabledAbove(n *html.Node) bool {
	for ; n != nil; n = s.Up(n) {
		if n.Type == html.ElementNode && s.Disabled(n) && n.Data != "fieldset" {
			return true
		}
	}
	return false
}

// ReadOnly reports a text control that takes no input.
func (s *State) ReadOnly(n *html.Node) bool {
	switch {
	case dom.IsElement(n, "textarea"):
		return dom.Has(n, "readonly")
	case dom.IsElement(n, "input"):
		switch t := InputType(n); {
		case Textual(t), t == "date", t == "month", t == "week", t == "time", t == "datetime-local":
			return dom.Has(n, "readonly")
		}
	}
	return false
}

// EditableText reports a text control that takes input now.
func (s *State) EditableText(n *html.Node) bool {
	return Editable(n) && !s.Disabled(n) && !s.ReadOnly(n)
}

// Editable reports text controls.
func Editable(n *html.Node) bool {
	return dom.IsElement(n, "textarea") || dom.IsElement(n, "input") && Textual(InputType(n))
}

// EditingHost is the element whose contenteditable makes n editable; nil if
// nothing does.
func (s *State) EditingHost(n *html.Node) *html.Node {
	for ; n != nil; n = n.Parent {
		if n.Type != html.ElementNode {
			continue
		}
		if v, ok := dom.Lookup(n, "contenteditable"); ok {
			switch dom.Lower(v) {
			case "", "true", "plaintext-only":
				return n
			case "false":
				return nil
			}
		}
	}
	return nil
}

// FormOf is the form that a control belongs to.
func (s *State) FormOf(n *html.Node) *html.Node {
	if n == nil {
		return nil
	}
	if id, ok := dom.Lookup(n, "form"); ok && !dom.IsElement(n, "form") {
		if f := s.byID(n, id); dom.IsElement(f, "form") {
			return f
		}
		return nil
	}
	return dom.Closest(n.Parent, func(n *html.Node) bool { return dom.IsElement(n, "form") })
}

// byID finds an element by its id in the tree that n stands in. Once it has
// been asked for many in one state, it reads the ids of the whole tree.
func (s *State) byID(n *html.Node, id string) *html.Node {
	c := s.choice()
	top := dom.TopOf(n)
	if c.searches++; c.searches <= searchesBeforeTable || top.Type != html.DocumentNode {
		return dom.ByID(n, id)
	}
	ids := c.ids[top]
	if ids == nil {
		ids = map[string]*html.Node{}
		for m := top; m != nil; m = dom.Next(m, top) {
			if m.Type != html.ElementNode {
				continue
			}
			if id := dom.Attr(m, "id"); id != "" && ids[id] == nil {
				ids[id] = m
			}
		}
		if c.ids == nil {
			c.ids = map[*html.Node]map[string]*html.Node{}
		}
		c.ids[top] = ids
	}
	return ids[id]
}

// searchesBeforeTable is how many ids are searched for in one state before the
// ids of the tree are read.
const searchesBeforeTable = 4

// A choices caches what is asked of many elements of one state: the radio
// groups, the chosen options of selects, and elements by id.
type choices struct {
	revision uint64
	groups   map[groupKey]*RadioGroup
	chosen   map[*html.Node][]*html.Node
	searches int                                  // for ids
	ids      map[*html.Node]map[string]*html.Node // by the top of the tree
}

type groupKey struct {
	name      string
	form, top *html.Node
}

// A RadioGroup are the radio buttons of the same name, form and tree.
type RadioGroup struct {
	Buttons  []*html.Node
	Checked  *html.Node // nil if none is
	required bool
}
