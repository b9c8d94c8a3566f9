package fake

import (
	"golang.org/x/net/html"
)

// A radioGroup are the radio buttons of the same name, form and tree.
type radioGroup struct {
	buttons  []*html.Node
	checked  *html.Node // nil if none is
	required bool
}

type groupKey struct {
	name      string
	form, top *html.Node
}

// A choices caches what is asked of many elements of one state: the radio
// groups, and the chosen options of selects.
type choices struct {
	revision uint64
	groups   map[groupKey]*radioGroup
	chosen   map[*html.Node][]*html.Node
}

// choice returns the cache for the state as it is.
func (s *state) choice() *choices {
	now := s.page.Stamp()
	if s.cache.revision != now {
		s.cache = choices{revision: now}
	}
	return &s.cache
}

// group returns the group of a radio button.
func (s *state) group(n *html.Node) *radioGroup {
	name := attr(n, "name")
	if name == "" {
		g := &radioGroup{buttons: []*html.Node{n}}
		s.count(g, n)
		return g
	}
	top := topOf(n)
	key := groupKey{name, s.formOf(n), top}
	c := s.choice()
	if g := c.groups[key]; g != nil {
		return g
	}
	if c.groups == nil {
		c.groups = make(map[groupKey]*radioGroup)
	}
	for m := top; m != nil; m = next(m, top) {
		if !isElement(m, "input") || inputType(m) != "radio" || attr(m, "name") == "" {
			continue
		}
		k := groupKey{attr(m, "name"), s.formOf(m), top}
		g := c.groups[k]
		if g == nil {
			g = new(radioGroup)
			c.groups[k] = g
		}
		g.buttons = append(g.buttons, m)
		s.count(g, m)
	}
	if c.groups[key] == nil { // not in its own tree, because it has just left it
		c.groups[key] = &radioGroup{buttons: []*html.Node{n}}
		s.count(c.groups[key], n)
	}
	return c.groups[key]
}

// count takes one button into account: the source leaves the last one checked,
// and whoever checks one overrules it.
func (s *state) count(g *radioGroup, n *html.Node) {
	g.required = g.required || has(n, "required")
	live := s.inputs[n] != nil && s.inputs[n].dirtyMark
	switch {
	case live && s.inputs[n].check:
		g.checked = n
	case !live && has(n, "checked"):
		if c := g.checked; c == nil || s.inputs[c] == nil || !s.inputs[c].dirtyMark {
			g.checked = n
		}
	}
}

// listbox reports a select that shows its options.
func listbox(n *html.Node) bool {
	if has(n, "multiple") {
		return true
	}
	size, ok := number(attr(n, "size"))
	return ok && size > 1
}

// options are the options of a select or datalist.
func options(sel *html.Node) []*html.Node {
	var out []*html.Node
	for c := next(sel, sel); c != nil; c = next(c, sel) {
		if isElement(c, "option") {
			out = append(out, c)
		}
	}
	return out
}

func optionLabel(o *html.Node) string {
	if l, ok := lookup(o, "label"); ok && l != "" {
		return l
	}
	return collapse(textOf(o))
}

// selectOf is the select that an option belongs to.
func selectOf(o *html.Node) *html.Node {
	return closest(o.Parent, func(n *html.Node) bool { return isElement(n, "select") })
}

// marked is the selectedness that the option itself has.
func (s *state) marked(o *html.Node) bool {
	if c := s.inputs[o]; c != nil && c.dirtyMark {
		return c.check
	}
	return has(o, "selected")
}

// selected is the live state of an option.
func (s *state) selected(o *html.Node) bool {
	sel := selectOf(o)
	if sel == nil || has(sel, "multiple") {
		return s.marked(o)
	}
	// A select that takes one has one chosen option at most.
	for _, c := range s.chosen(sel) {
		if c == o {
			return true
		}
	}
	return false
}

// chosen are the selected options of a select. A drop-down without any takes
// the first that is not disabled.
func (s *state) chosen(sel *html.Node) []*html.Node {
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

func (s *state) findChosen(sel *html.Node) []*html.Node {
	var out []*html.Node
	var first *html.Node
	multiple := has(sel, "multiple")
	for c := next(sel, sel); c != nil; c = next(c, sel) {
		if !isElement(c, "option") {
			continue
		}
		if first == nil && !s.disabled(c) {
			first = c
		}
		if s.marked(c) {
			if !multiple {
				out = out[:0]
			}
			out = append(out, c)
		}
	}
	cleared := s.inputs[sel] != nil && s.inputs[sel].dirtyMark
	if len(out) == 0 && first != nil && !listbox(sel) && !cleared {
		out = append(out, first)
	}
	return out
}

// choose makes exactly these the selected options, and reports whether that
// changed anything.
func (s *state) choose(sel *html.Node, chosen []*html.Node) bool {
	was := s.chosen(sel)
	same := len(was) == len(chosen)
	for i := range was {
		same = same && was[i] == chosen[i]
	}
	for _, o := range options(sel) {
		c := s.control(o)
		c.check, c.dirtyMark = false, true
	}
	for _, o := range chosen {
		s.control(o).check = true
	}
	s.control(sel).dirtyMark = len(chosen) == 0
	s.page.Touched(sel)
	if s.mirrorChoices() {
		s.page.Restructure()
	}
	return !same
}

// mirrorChoices copies the content of chosen options to where their selects
// show them, and reports whether that changed anything.
func (s *state) mirrorChoices() bool {
	changed := false
	for _, at := range s.mirrors {
		sel := selectOf(at)
		if sel == nil {
			continue
		}
		var option *html.Node
		if chosen := s.chosen(sel); len(chosen) > 0 {
			option = chosen[0]
		}
		if option == s.mirrored[at] {
			continue
		}
		if s.mirrored == nil {
			s.mirrored = make(map[*html.Node]*html.Node)
		}
		changed, s.mirrored[at] = true, option
		for c := at.FirstChild; c != nil; c = at.FirstChild {
			at.RemoveChild(c)
		}
		if option == nil {
			continue
		}
		for c := option.FirstChild; c != nil; c = c.NextSibling {
			n := clone(c)
			at.AppendChild(n)
			s.adopt(n)
		}
	}
	return changed
}

// chooseByValue picks options by value, or by label where no value fits. ok
// is false if one is missing or disabled.
func (s *state) chooseByValue(sel *html.Node, values []string) (changed, ok bool) {
	if len(values) > 1 && !has(sel, "multiple") {
		return false, false
	}
	all := options(sel)
	var chosen []*html.Node
	in := make(map[*html.Node]bool)
	for _, v := range values {
		var found *html.Node
		for _, o := range all {
			if s.value(o) == v && !s.disabled(o) {
				found = o
				break
			}
		}
		if found == nil {
			continue // a browser leaves out what is not there
		}
		in[found] = true
	}
	for _, o := range all {
		if in[o] {
			chosen = append(chosen, o)
		}
	}
	return s.choose(sel, chosen), true
}

// stepOption moves the choice of a drop-down or list box by one that is not disabled.
func (s *state) stepOption(sel *html.Node, by int) bool {
	all := options(sel)
	at := -1
	if now := s.chosen(sel); len(now) > 0 {
		for i, o := range all {
			if o == now[0] {
				at = i
			}
		}
	} else if by < 0 {
		at = len(all)
	}
	for i := at + by; i >= 0 && i < len(all); i += by {
		if !s.disabled(all[i]) {
			return s.choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}

// stepEnd is Home and End.
func (s *state) stepEnd(sel *html.Node, by int) bool {
	all := options(sel)
	i := 0
	if by < 0 {
		i = len(all) - 1
	}
	for ; i >= 0 && i < len(all); i += by {
		if !s.disabled(all[i]) {
			return s.choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}
