// Package form holds the live state of controls (values, checks, chosen options),
// validates it, and writes what a form sends. The browser fires the events and follows
// the links.
package form

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A State holds what was typed, checked and chosen in the controls of a document.
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

// Renew forgets the state of all controls, as for another source.
func (s *State) Renew() {
	s.Inputs, s.Mirrored = map[*html.Node]*Control{}, map[*html.Node]*html.Node{}
}

// Control returns the live state of n, and makes it if need be.
func (s *State) Control(n *html.Node) *Control {
	if c := s.Inputs[n]; c != nil {
		return c
	}
	c := new(Control)
	s.Inputs[n] = c
	return c
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
		if dom.IsElement(p, "fieldset") && dom.Has(p, "disabled") && child != dom.Child(p, "legend") {
			return true
		}
	}
	return false
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
		t := InputType(n)
		return dom.Has(n, "readonly") && inputTypes[t] != other && t != "range" && t != "color"
	}
	return false
}

// EditableText reports a text control that takes input now.
func (s *State) EditableText(n *html.Node) bool {
	return Editable(n) && !s.Disabled(n) && !s.ReadOnly(n)
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
	return dom.Above(n.Parent, "form")
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
		c.ids[top] = ids
	}
	return ids[id]
}

// Checked is the live state of a checkbox or radio button.
func (s *State) Checked(n *html.Node) bool {
	if !dom.IsElement(n, "input") {
		return false
	}
	switch InputType(n) {
	case "radio":
		return s.Group(n).Checked == n
	case "checkbox":
		return s.marked(n, "checked")
	}
	return false
}

// marked is the check of a checkbox or an option, as the attribute of the name has it
// until somebody changes it.
func (s *State) marked(n *html.Node, attribute string) bool {
	if c := s.Inputs[n]; c != nil && c.DirtyMark {
		return c.check
	}
	return dom.Has(n, attribute)
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
		s.cache = choices{now, map[groupKey]*RadioGroup{}, map[*html.Node][]*html.Node{}, 0, map[*html.Node]map[string]*html.Node{}}
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

// Value is the live value of a control.
func (s *State) Value(n *html.Node) string {
	if n.Namespace != "" {
		return ""
	}
	c := s.Inputs[n]
	switch n.Data {
	case "input":
		t := InputType(n)
		switch t {
		case "checkbox", "radio":
			return dom.AttrOr(n, "value", "on")
		case "file":
			if c != nil && len(c.Names) > 0 {
				return `C:\fakepath\` + c.Names[0]
			}
			return ""
		case "hidden", "submit", "reset", "button", "image":
			if c != nil && c.Dirty {
				return c.Value
			}
			return dom.Attr(n, "value")
		}
		switch {
		case c == nil || !c.Dirty:
			return sanitize(n, dom.Attr(n, "value"))
		case t == "email": // its spaces stay while it is typed
			return sanitize(n, c.Value)
		}
		return c.Value
	case "textarea":
		if c != nil && c.Dirty {
			return c.Value
		}
		return Newlines(strings.TrimPrefix(dom.TextOf(n), "\n"))
	case "select":
		if o := s.Chosen(n); len(o) > 0 {
			return s.Value(o[0])
		}
		return ""
	case "option":
		return dom.AttrOr(n, "value", dom.Collapse(dom.TextOf(n)))
	case "button", "data", "param":
		return dom.Attr(n, "value")
	}
	return ""
}

// SetValue assigns a control's value and marks it changed by somebody.
func (s *State) SetValue(n *html.Node, value string) {
	c := s.Control(n)
	if n.Data == "input" {
		value = sanitize(n, value)
	} else {
		value = Newlines(value)
	}
	if c.Dirty && c.Value == value {
		return
	}
	c.Value, c.Dirty = value, true
	s.Page.Touched(n)
}

// Marked is the selectedness that the option itself has.
func (s *State) Marked(o *html.Node) bool { return s.marked(o, "selected") }

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

// ChooseByValue picks options by value, or by label where no value fits. ok
// is false if one is missing or disabled.
func (s *State) ChooseByValue(sel *html.Node, values []string) (changed, ok bool) {
	if len(values) > 1 && !dom.Has(sel, "multiple") {
		return false, false
	}
	var chosen []*html.Node
	all := Options(sel)
	for _, v := range values { // a browser ignores values that no option has
		if i := slices.IndexFunc(all, func(o *html.Node) bool { return s.Value(o) == v && !s.Disabled(o) }); i >= 0 {
			chosen = append(chosen, all[i])
		}
	}
	chosen = slices.DeleteFunc(all, func(o *html.Node) bool { return !slices.Contains(chosen, o) })
	return s.Choose(sel, chosen), true
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

// ChooseFrom chooses the first option of a drop-down or list box, from the one at i on,
// that is not disabled.
func (s *State) ChooseFrom(sel *html.Node, i, by int) bool {
	for all := Options(sel); i >= 0 && i < len(all); i += by {
		if !s.Disabled(all[i]) {
			return s.Choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}

// Controls are the controls of a form in tree order.
func (s *State) Controls(form *html.Node) []*html.Node {
	return dom.FindAll(dom.TopOf(form), func(n *html.Node) bool {
		return dom.IsElement(n, "button", "input", "select", "textarea", "object", "output", "fieldset") && s.FormOf(n) == form
	})
}

// DefaultButton is the first submit button of a form.
func (s *State) DefaultButton(form *html.Node) *html.Node {
	if form == nil {
		return nil
	}
	return dom.Find(dom.TopOf(form), func(n *html.Node) bool { return Submits(n) && s.FormOf(n) == form })
}

// Labeled is the control that a label is for; nil if there is none.
func (s *State) Labeled(label *html.Node) *html.Node {
	if id, ok := dom.Lookup(label, "for"); ok {
		if n := s.byID(label, id); n != nil && Labelable(n) {
			return n
		}
		return nil
	}
	return dom.Find(label, Labelable)
}

// Entries is the form's entry list in tree order.
func (s *State) Entries(form, submitter *html.Node) []entry {
	var out []entry
	for _, n := range s.Controls(form) {
		name := dom.Attr(n, "name")
		switch {
		case s.Disabled(n) || dom.Above(n.Parent, "datalist") != nil:
		case n.Data == "input" && InputType(n) == "image":
			if n == submitter {
				if name != "" {
					name += "."
				}
				out = append(out, entry{name: name + "x", value: "0"}, entry{name: name + "y", value: "0"})
			}
		case name == "":
		case n.Data == "button":
			if n == submitter {
				out = append(out, entry{name: name, value: dom.Attr(n, "value")})
			}
		case n.Data == "input":
			out = append(out, s.inputEntries(n, name, submitter)...)
		case n.Data == "select":
			for _, o := range s.Chosen(n) {
				if !s.Disabled(o) {
					out = append(out, entry{name: name, value: s.Value(o)})
				}
			}
		case n.Data == "textarea":
			out = append(out, entry{name: name, value: s.Value(n)})
		}
	}
	return out
}

func (s *State) inputEntries(n *html.Node, name string, submitter *html.Node) []entry {
	switch t := InputType(n); t {
	case "submit", "reset", "button":
		if n != submitter {
			return nil
		}
		if !dom.Has(n, "value") && t == "submit" {
			return []entry{{name: name, value: "Submit"}}
		}
	case "checkbox", "radio":
		if !s.Checked(n) {
			return nil
		}
	case "file":
		c := s.Inputs[n]
		if c == nil || len(c.Files) == 0 {
			return []entry{{name: name, isFile: true}}
		}
		var out []entry
		for i, path := range c.Files {
			out = append(out, entry{name: name, value: c.Names[i], file: path, isFile: true})
		}
		return out
	case "hidden":
		if name == "_charset_" {
			return []entry{{name: name, value: "UTF-8"}}
		}
	}
	return []entry{{name: name, value: s.Value(n)}}
}

// ToolSchema is what the controls of a form take, as a JSON Schema.
func (s *State) ToolSchema(form *html.Node) string {
	properties, required := map[string]parameter{}, []string{}
	for _, c := range s.Controls(form) {
		name := dom.Attr(c, "name")
		p, ok := s.parameter(c)
		if !ok || name == "" {
			continue
		}
		if had, twice := properties[name]; twice { // radio buttons
			p.Enum = append(had.Enum, p.Enum...)
		}
		properties[name] = p
		if dom.Has(c, "required") && !slices.Contains(required, name) {
			required = append(required, name)
		}
	}
	raw, err := json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
	if err != nil {
		return "{}" // strings and numbers always marshal
	}
	return string(raw)
}

// parameter describes a control; it reports false for one that is not filled in.
func (s *State) parameter(c *html.Node) (p parameter, ok bool) {
	p = parameter{Type: "string", Description: dom.Attr(c, "toolparamdescription")}
	switch {
	case s.Disabled(c):
		return p, false
	case c.Data == "textarea":
		return p, true
	case c.Data == "select":
		for _, o := range Options(c) {
			p.Enum = append(p.Enum, s.Value(o))
		}
		return p, true
	case c.Data != "input":
		return p, false
	}
	switch kind := InputType(c); kind {
	case "hidden", "file", "submit", "image", "reset", "button":
		return p, false
	case "checkbox":
		p.Type = "boolean"
	case "radio":
		p.Enum = []string{s.Value(c)}
	case "number", "range":
		p.Type = "number"
		p.Minimum, p.Maximum = bound(c, "min"), bound(c, "max")
	case "date":
		p.Format = "date"
	}
	return p, true
}

// FillTool gives the controls of a form the values of a tool's arguments. It
// returns the controls that were changed, in tree order. A name that the form does
// not have is an error, and so is a value that a control does not take; what was
// given before it stays.
func (s *State) FillTool(form *html.Node, arguments map[string]any) (changed []*html.Node, _ error) {
	controls := s.Controls(form)
	for name := range arguments {
		if !slices.ContainsFunc(controls, func(c *html.Node) bool { return dom.Attr(c, "name") == name }) {
			return nil, fmt.Errorf("there is no parameter %q", name)
		}
	}
	for _, c := range controls {
		name := dom.Attr(c, "name")
		v, given := arguments[name]
		p, ok := s.parameter(c)
		if !given || !ok {
			continue
		}
		text := fmt.Sprint(v)
		if f, is := v.(float64); is {
			text = strconv.FormatFloat(f, 'f', -1, 64)
		}
		was, checked := s.Value(c), s.Checked(c)
		took := true
		switch {
		case c.Data == "select":
			_, took = s.ChooseByValue(c, []string{text})
		case p.Type == "boolean":
			on, is := v.(bool)
			took = is
			s.SetChecked(c, on)
		case c.Data == "input" && InputType(c) == "radio":
			if s.Value(c) == text {
				s.SetChecked(c, true)
			}
		default:
			s.SetValue(c, text)
			took = s.Value(c) != "" || text == ""
		}
		if !took {
			return changed, fmt.Errorf("invalid value %q for parameter %s", text, name)
		}
		if s.Value(c) != was || s.Checked(c) != checked {
			changed = append(changed, c)
		}
	}
	return changed, nil
}

// Validity is the message of a control whose value is not valid; empty if it is.
func (s *State) Validity(n *html.Node) string {
	if !s.validated(n) {
		return ""
	}
	if c := s.Inputs[n]; c != nil && c.Custom != "" {
		return c.Custom
	}
	switch n.Data {
	case "select":
		return s.selectValidity(n)
	case "textarea":
		v := s.Value(n)
		if dom.Has(n, "required") && v == "" {
			return "Please fill out this field."
		}
		return s.lengthValidity(n, v)
	case "input":
		return s.inputValidity(n)
	}
	return ""
}

// validated reports that constraints apply to n at all.
func (s *State) validated(n *html.Node) bool {
	if !dom.IsElement(n, "input", "select", "textarea") {
		return false
	}
	if t := InputType(n); n.Data == "input" && (t == "hidden" || t == "reset" || t == "button") {
		return false
	}
	return !s.Disabled(n) && !s.ReadOnly(n) &&
		dom.Above(n.Parent, "datalist") == nil
}
