package fake

import (
	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
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
	revision driver.Revision
	groups   map[groupKey]*radioGroup
	chosen   map[*html.Node][]*html.Node
}

// choice returns the cache for the state as it is.
func (d *document) choice() *choices {
	now := driver.Revision(d.frame.page.revision + 1)
	if d.cache.revision != now {
		d.cache = choices{revision: now}
	}
	return &d.cache
}

// group returns the group of a radio button.
func (d *document) group(n *html.Node) *radioGroup {
	name := attr(n, "name")
	if name == "" {
		g := &radioGroup{buttons: []*html.Node{n}}
		d.count(g, n)
		return g
	}
	top := topOf(n)
	key := groupKey{name, d.formOf(n), top}
	c := d.choice()
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
		k := groupKey{attr(m, "name"), d.formOf(m), top}
		g := c.groups[k]
		if g == nil {
			g = new(radioGroup)
			c.groups[k] = g
		}
		g.buttons = append(g.buttons, m)
		d.count(g, m)
	}
	if c.groups[key] == nil { // not in its own tree, because it has just left it
		c.groups[key] = &radioGroup{buttons: []*html.Node{n}}
		d.count(c.groups[key], n)
	}
	return c.groups[key]
}

// count takes one button into account: the source leaves the last one checked,
// and whoever checks one overrules it.
func (d *document) count(g *radioGroup, n *html.Node) {
	g.required = g.required || has(n, "required")
	live := d.inputs[n] != nil && d.inputs[n].dirtyMark
	switch {
	case live && d.inputs[n].check:
		g.checked = n
	case !live && has(n, "checked"):
		if c := g.checked; c == nil || d.inputs[c] == nil || !d.inputs[c].dirtyMark {
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
func (d *document) marked(o *html.Node) bool {
	if c := d.inputs[o]; c != nil && c.dirtyMark {
		return c.check
	}
	return has(o, "selected")
}

// selected is the live state of an option.
func (d *document) selected(o *html.Node) bool {
	sel := selectOf(o)
	if sel == nil || has(sel, "multiple") {
		return d.marked(o)
	}
	// A select that takes one has one chosen option at most.
	for _, c := range d.chosen(sel) {
		if c == o {
			return true
		}
	}
	return false
}

// chosen are the selected options of a select. A drop-down without any takes
// the first that is not disabled.
func (d *document) chosen(sel *html.Node) []*html.Node {
	c := d.choice()
	if out, ok := c.chosen[sel]; ok {
		return out
	}
	if c.chosen == nil {
		c.chosen = make(map[*html.Node][]*html.Node)
	}
	out := d.findChosen(sel)
	c.chosen[sel] = out
	return out
}

func (d *document) findChosen(sel *html.Node) []*html.Node {
	var out []*html.Node
	var first *html.Node
	multiple := has(sel, "multiple")
	for c := next(sel, sel); c != nil; c = next(c, sel) {
		if !isElement(c, "option") {
			continue
		}
		if first == nil && !d.disabled(c) {
			first = c
		}
		if d.marked(c) {
			if !multiple {
				out = out[:0]
			}
			out = append(out, c)
		}
	}
	cleared := d.inputs[sel] != nil && d.inputs[sel].dirtyMark
	if len(out) == 0 && first != nil && !listbox(sel) && !cleared {
		out = append(out, first)
	}
	return out
}

// choose makes exactly these the selected options, and reports whether that
// changed anything.
func (d *document) choose(sel *html.Node, chosen []*html.Node) bool {
	was := d.chosen(sel)
	same := len(was) == len(chosen)
	for i := range was {
		same = same && was[i] == chosen[i]
	}
	for _, o := range options(sel) {
		c := d.control(o)
		c.check, c.dirtyMark = false, true
	}
	for _, o := range chosen {
		d.control(o).check = true
	}
	d.control(sel).dirtyMark = len(chosen) == 0
	d.touched(sel)
	if d.mirrorChoices() {
		d.restructure()
	}
	return !same
}

// A mirror is a selectedcontent element, which shows the content of the chosen
// option.
type mirror struct{ at, option *html.Node }

// mirrorChoices copies the content of chosen options to where their selects
// show them, and reports whether that changed anything.
func (d *document) mirrorChoices() bool {
	changed := false
	for i := range d.mirrors {
		m := &d.mirrors[i]
		sel := selectOf(m.at)
		if sel == nil {
			continue
		}
		var option *html.Node
		if chosen := d.chosen(sel); len(chosen) > 0 {
			option = chosen[0]
		}
		if option == m.option {
			continue
		}
		changed, m.option = true, option
		for c := m.at.FirstChild; c != nil; c = m.at.FirstChild {
			m.at.RemoveChild(c)
		}
		if option == nil {
			continue
		}
		for c := option.FirstChild; c != nil; c = c.NextSibling {
			n := clone(c)
			m.at.AppendChild(n)
			d.adopt(n)
		}
	}
	return changed
}

// chooseByValue picks options by value, or by label where no value fits. ok
// is false if one is missing or disabled.
func (d *document) chooseByValue(sel *html.Node, values []string) (changed, ok bool) {
	if len(values) > 1 && !has(sel, "multiple") {
		return false, false
	}
	all := options(sel)
	var chosen []*html.Node
	in := make(map[*html.Node]bool)
	for _, v := range values {
		var found *html.Node
		for _, o := range all {
			if d.value(o) == v && !d.disabled(o) {
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
	return d.choose(sel, chosen), true
}

// stepOption moves the choice of a drop-down or list box by one that is not disabled.
func (d *document) stepOption(sel *html.Node, by int) bool {
	all := options(sel)
	at := -1
	if now := d.chosen(sel); len(now) > 0 {
		for i, o := range all {
			if o == now[0] {
				at = i
			}
		}
	} else if by < 0 {
		at = len(all)
	}
	for i := at + by; i >= 0 && i < len(all); i += by {
		if !d.disabled(all[i]) {
			return d.choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}

// stepEnd is Home and End.
func (d *document) stepEnd(sel *html.Node, by int) bool {
	all := options(sel)
	i := 0
	if by < 0 {
		i = len(all) - 1
	}
	for ; i >= 0 && i < len(all); i += by {
		if !d.disabled(all[i]) {
			return d.choose(sel, []*html.Node{all[i]})
		}
	}
	return false
}
