package form

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

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

// A kind of inputs is how a person gives them a value.
type kind int

const (
	other    kind = iota + 1
	typed         // they take typed text
	assigned      // their value is set as a whole
)

// inputTypes are the known types; any other is text.
var inputTypes = map[string]kind{
	"text": typed, "search": typed, "tel": typed, "url": typed, "email": typed, "password": typed, "number": typed,
	"date": assigned, "month": assigned, "week": assigned, "time": assigned, "datetime-local": assigned, "range": assigned, "color": assigned,
	"hidden": other, "checkbox": other, "radio": other, "file": other, "submit": other, "image": other, "reset": other, "button": other,
}

// InputType is the type of an input element.
func InputType(n *html.Node) string {
	if t := dom.Lower(dom.Attr(n, "type")); inputTypes[t] != 0 {
		return t
	}
	return "text"
}

// Textual reports inputs that take typed text.
func Textual(t string) bool { return inputTypes[t] == typed }

// Assigned reports inputs whose value is set as a whole.
func Assigned(t string) bool { return inputTypes[t] == assigned }

// Editable reports text controls.
func Editable(n *html.Node) bool {
	return dom.IsElement(n, "textarea") || dom.IsElement(n, "input") && Textual(InputType(n))
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

// Listbox reports a select that shows its options.
func Listbox(n *html.Node) bool {
	size, ok := dom.Number(dom.Attr(n, "size"))
	if dom.Has(n, "multiple") {
		return !ok || size != 1 // Chromium: a size that is written wins
	}
	return ok && size > 1
}

// Options are the options of a select or datalist.
func Options(sel *html.Node) []*html.Node {
	return dom.FindAll(sel, func(n *html.Node) bool { return dom.IsElement(n, "option") })
}

func OptionLabel(o *html.Node) string {
	if l, ok := dom.Lookup(o, "label"); ok && l != "" {
		return l
	}
	return dom.Collapse(dom.TextOf(o))
}

// SelectOf is the select that an option belongs to.
func SelectOf(o *html.Node) *html.Node {
	return dom.Above(o.Parent, "select")
}
