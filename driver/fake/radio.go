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
