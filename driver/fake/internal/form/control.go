// Package form is the live state of controls: values, checks, chosen options,
// what is valid, and what a form sends. It fires no events and follows no
// links: that is the browser's.
package form

import (
	"slices"

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

// Checked is the live state of a checkbox or radio button.
func (s *State) Checked(n *html.Node) bool {
	if !dom.IsElement(n, "input") {
		return false
	}
	if t := InputType(n); t != "checkbox" && t != "radio" {
		return false
	}
	if InputType(n) == "radio" {
		return s.Group(n).Checked == n
	}
	if c := s.Inputs[n]; c != nil && c.DirtyMark {
		return c.check
	}
	return dom.Has(n, "checked")
}

// SetChecked checks or unchecks, and unchecks the rest of a radio group.
func (s *State) SetChecked(n *html.Node, on bool) {
	if InputType(n) == "radio" && on {
		for _, r := range s.Group(n).Buttons {
			if r != n && s.Checked(r) {
				c := s.Control(r)
				c.check, c.DirtyMark = false, true
			}
		}
	}
	c := s.Control(n)
	c.check, c.DirtyMark = on, true
	s.Page.Touched(n)
}

// choice returns the cache for the state as it is.
func (s *State) choice() *choices {
	now := s.Page.Stamp()
	if s.cache.revision != now {
		s.cache = choices{revision: now}
	}
	return &s.cache
}

// Group returns the group of a radio button.
func (s *State) Group(n *html.Node) *RadioGroup {
	name := dom.Attr(n, "name")
	if name == "" {
		g := &RadioGroup{Buttons: []*html.Node{n}}
		s.count(g, n)
		return g
	}
	top := dom.TopOf(n)
	key := groupKey{name, s.FormOf(n), top}
	c := s.choice()
	if g := c.groups[key]; g != nil {
		return g
	}
	if c.groups == nil {
		c.groups = make(map[groupKey]*RadioGroup)
	}
	for m := top; m != nil; m = dom.Next(m, top) {
		if !dom.IsElement(m, "input") || InputType(m) != "radio" || dom.Attr(m, "name") == "" {
			continue
		}
		k := groupKey{dom.Attr(m, "name"), s.FormOf(m), top}
		g := c.groups[k]
		if g == nil {
			g = new(RadioGroup)
			c.groups[k] = g
		}
		g.Buttons = append(g.Buttons, m)
		s.count(g, m)
	}
	if c.groups[key] == nil { // not in its own tree, because it has just left it
		c.groups[key] = &RadioGroup{Buttons: []*html.Node{n}}
		s.count(c.groups[key], n)
	}
	return c.groups[key]
}

// count takes one button into account: the source leaves the last one checked,
// and a caller that checks one overrules it.
func (s *State) count(g *RadioGroup, n *html.Node) {
	g.required = g.required || dom.Has(n, "required")
	live := s.Inputs[n] != nil && s.Inputs[n].DirtyMark
	switch {
	case live && s.Inputs[n].check:
		g.Checked = n
	case !live && dom.Has(n, "checked"):
		if c := g.Checked; c == nil || s.Inputs[c] == nil || !s.Inputs[c].DirtyMark {
			g.Checked = n
		}
	}
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
	var out []*html.Node
	for c := dom.Next(sel, sel); c != nil; c = dom.Next(c, sel) {
		if dom.IsElement(c, "option") {
			out = append(out, c)
		}
	}
	return out
}

func OptionLabel(o *html.Node) string {
	if l, ok := dom.Lookup(o, "label"); ok && l != "" {
		return l
	}
	return dom.Collapse(dom.TextOf(o))
}

// SelectOf is the select that an option belongs to.
func SelectOf(o *html.Node) *html.Node {
	return dom.Closest(o.Parent, func(n *html.Node) bool { return dom.IsElement(n, "select") })
}

// Marked is the selectedness that the option itself has.
func (s *State) Marked(o *html.Node) bool {
	if c := s.Inputs[o]; c != nil && c.DirtyMark {
		return c.check
	}
	return dom.Has(o, "selected")
}

// Selected is the live state of an option.
func (s *State) Selected(o *html.Node) bool {
	sel := SelectOf(o)
	if sel == nil || dom.Has(sel, "multiple") {
		return s.Marked(o)
	}
	return slices.Contains(s.Chosen(sel), o) // one at most
}

// Chosen are the selected options of a select. A drop-down without any takes
// the first that is not disabled.
func (s *State) Chosen(sel *html.Node) []*html.Node {
	c := s.choice()
	if out, ok := c.chosen[sel]; ok {
		return out
	}
	if c.chosen == nil {
		c.chosen = make(map[*html.Node][]*html.Node)
	}
	out := s.findChosen(sel)
	c.chosen[sel] = out
	return out
}

func (s *State) findChosen(sel *html.Node) []*html.Node {
	var out []*html.Node
	var first *html.Node
	multiple := dom.Has(sel, "multiple")
	for c := dom.Next(sel, sel); c != nil; c = dom.Next(c, sel) {
		if !dom.IsElement(c, "option") {
			continue
		}
		if first == nil && !s.Disabled(c) {
			first = c
		}
		if s.Marked(c) {
			if !multiple {
				out = out[:0]
			}
			out = append(out, c)
		}
	}
	cleared := s.Inputs[sel] != nil && s.Inputs[sel].DirtyMark
	if len(out) == 0 && first != nil && !Listbox(sel) && !cleared {
		out = append(out, first)
	}
	return out
}

// Choose makes exactly these the selected options, and reports whether that
// changed anything.
func (s *State) Choose(sel *html.Node, chosen []*html.Node) bool {
	same := slices.Equal(s.Chosen(sel), chosen)
	for _, o := range Options(sel) {
		c := s.Control(o)
		c.check, c.DirtyMark = false, true
	}
	for _, o := range chosen {
		s.Control(o).check = true
	}
	s.Control(sel).DirtyMark = len(chosen) == 0
	s.Page.Touched(sel)
	if s.MirrorChoices() {
		s.Page.Restructure()
	}
	return !same
}

// MirrorChoices copies the content of chosen options to where their selects
// show them, and reports whether that changed anything.
func (s *State) MirrorChoices() bool {
	changed := false
	for _, at := range s.Mirrors {
		sel := SelectOf(at)
		if sel == nil {
			continue
		}
		var option *html.Node
		if chosen := s.Chosen(sel); len(chosen) > 0 {
			option = chosen[0]
		}
		if option == s.Mirrored[at] {
			continue
		}
		if s.Mirrored == nil {
			s.Mirrored = make(map[*html.Node]*html.Node)
		}
		changed, s.Mirrored[at] = true, option
		dom.Clear(at)
		if option == nil {
			continue
		}
		for c := option.FirstChild; c != nil; c = c.NextSibling {
			n := dom.Clone(c)
			at.AppendChild(n)
			s.Adopt(n)
		}
	}
	return changed
}

// StepOption moves the choice of a drop-down or list box by one that is not disabled.
func (s *State) StepOption(sel *html.Node, by int) bool {
	all := Options(sel)
	at := -1
	if now := s.Chosen(sel); len(now) > 0 {
		at = slices.Index(all, now[0])
	} else if by < 0 {
		at = len(all)
	}
	return s.chooseFrom(sel, all, at+by, by)
}

// StepEnd is Home and End.
func (s *State) StepEnd(sel *html.Node, by int) bool {
	all := Options(sel)
	if by < 0 {
		return s.chooseFrom(sel, all, len(all)-1, by)
	}
	return s.chooseFrom(sel, all, 0, by)
}

// chooseFrom chooses the first option from i on that is not disabled.
func (s *State) chooseFrom(sel *html.Node, all []*html.Node, i, by int) bool {
	for ; i >= 0 && i < len(all); i += by {
		if !s.Disabled(all[i]) {
			return s.Choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}
