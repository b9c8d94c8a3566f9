package form

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

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
	// A select that takes one has one chosen option at most.
	for _, c := range s.Chosen(sel) {
		if c == o {
			return true
		}
	}
	return false
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
	was := s.Chosen(sel)
	same := len(was) == len(chosen)
	for i := range was {
		same = same && was[i] == chosen[i]
	}
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
		for c := at.FirstChild; c != nil; c = at.FirstChild {
			at.RemoveChild(c)
		}
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
		for i, o := range all {
			if o == now[0] {
				at = i
			}
		}
	} else if by < 0 {
		at = len(all)
	}
	for i := at + by; i >= 0 && i < len(all); i += by {
		if !s.Disabled(all[i]) {
			return s.Choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}

// StepEnd is Home and End.
func (s *State) StepEnd(sel *html.Node, by int) bool {
	all := Options(sel)
	i := 0
	if by < 0 {
		i = len(all) - 1
	}
	for ; i >= 0 && i < len(all); i += by {
		if !s.Disabled(all[i]) {
			return s.Choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}
