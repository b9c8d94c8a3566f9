package fake

import (
	"context"
	"errors"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/css"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// queries matches selectors, those by live state included.
type queries struct {
	sight
	active     *html.Node // focused element
	byKeyboard bool       // the focus was last moved by keys
}

func (d *queries) find(ctx context.Context, top *html.Node, sel driver.Selector) ([]*html.Node, error) {
	switch sel.Kind {
	case driver.CSS:
		s, err := css.Compile(sel.Text)
		if err != nil {
			return nil, err
		}
		return d.match(top, s), nil
	case driver.XPath:
		return dom.EvaluateXPath(ctx, top, sel.Text)
	}
	return nil, errors.ErrUnsupported
}

// prepare writes the live state that a selector asks for. scope is as for reflect.
func (d *queries) prepare(s *css.Selector, scope *html.Node) {
	if s.Live {
		d.reflect(scope)
		s.ReflectHas(&d.Tree)
	}
}

// everywhere calls f for the elements that s matches, in the document and its shadow trees.
func (d *queries) everywhere(s *css.Selector, f func(*html.Node)) {
	d.prepare(s, nil)
	d.Each(func(n *html.Node) {
		if s.Match(n) {
			f(n)
		}
	})
}

// match finds the elements below top (top excluded) that s matches, in order.
func (d *queries) match(top *html.Node, s *css.Selector) []*html.Node {
	d.prepare(s, top)
	var out []*html.Node
	for n := dom.Next(top, top); n != nil; n = dom.Next(n, top) {
		if n.Type == html.ElementNode && s.Match(n) {
			out = append(out, n)
		}
	}
	return out
}

// reflect writes the live state into the attributes that selectors see, in all
// trees. scope is the element that :scope names, if any.
func (d *queries) reflect(scope *html.Node) {
	d.Each(func(n *html.Node) {
		if len(n.Attr) > 0 && n.Attr[len(n.Attr)-1].Key[0] == ' ' {
			i := len(n.Attr)
			for i > 0 && n.Attr[i-1].Key[0] == ' ' {
				i--
			}
			n.Attr = n.Attr[:i:i]
		}
		d.pseudoClasses(n, func(name string) {
			n.Attr = append(n.Attr, html.Attribute{Key: " " + name})
		})
	})
	if scope != nil && scope.Type == html.ElementNode {
		scope.Attr = append(scope.Attr, html.Attribute{Key: " scope"})
	} else if scope != nil {
		for c := scope.FirstChild; c != nil; c = c.NextSibling {
			if dom.IsElement(c, "html") {
				c.Attr = append(c.Attr, html.Attribute{Key: " scope"})
			}
		}
	}
}

// ReflectAll writes the live state for style sheets.
func (d *queries) ReflectAll() { d.reflect(nil) }

// pseudoClasses calls yes with each pseudo-class of live state that matches n.
func (d *queries) pseudoClasses(n *html.Node, yes func(string)) {
	p := d.frame.page
	if p.hovers(d.self, n) {
		yes("hover")
	}
	if p.pressed && p.down.d == d.self && d.ComposedWithin(p.down.n, n) {
		yes("active")
	}
	if d.active != nil {
		if n == d.active {
			yes("focus")
			if d.byKeyboard || form.Editable(n) {
				yes("focus-visible")
			}
		}
		if d.ComposedWithin(d.active, n) {
			yes("focus-within")
		}
	}
	if id := d.url.Fragment; id != "" && dom.Attr(n, "id") == id {
		yes("target")
	}
	if n.Namespace != "" {
		if name := dom.Lower(n.Data); name != n.Data {
			yes(name)
		}
		return
	}
	switch n.Data {
	case "input", "select", "textarea", "button", "option", "optgroup", "fieldset":
		d.controlClasses(n, yes)
	case "details", "dialog":
		if dom.Has(n, "open") {
			yes("open")
		}
	default:
		if d.EditingHost(n) != nil {
			yes("read-write")
		} else {
			yes("read-only")
		}
	}
	if c := d.Inputs[n]; c != nil {
		if c.Modal {
			yes("modal")
		}
		if c.Popover {
			yes("popover-open")
		}
	}
}

func (d *queries) controlClasses(n *html.Node, yes func(string)) {
	if d.Disabled(n) {
		yes("disabled")
	} else {
		yes("enabled")
	}
	if d.Checked(n) || n.Data == "option" && d.Selected(n) {
		yes("checked")
	}
	if c := d.Inputs[n]; c != nil && c.Mixed {
		yes("indeterminate")
	}
	switch n.Data {
	case "input", "select", "textarea":
		if dom.Has(n, "required") {
			yes("required")
		} else {
			yes("optional")
		}
		if d.EditableText(n) {
			yes("read-write")
		} else {
			yes("read-only")
		}
		if d.Validity(n) == "" {
			yes("valid")
		} else {
			yes("invalid")
		}
		if dom.Has(n, "placeholder") && d.Value(n) == "" {
			yes("placeholder-shown")
		}
	case "button":
		if (form.Submits(n) || form.Resets(n)) && n == d.DefaultButton(d.FormOf(n)) {
			yes("default")
		}
	}
}

func mustCompile(sel string) *css.Selector {
	c, err := css.Compile(sel)
	if err != nil {
		panic("fake: " + err.Error())
	}
	return c
}

// activeElement is the focused element, or the body as long as there is none.
func (d *queries) activeElement() *html.Node {
	if f := d.frame.page.focused; f != nil && f != d.frame {
		for a := f; a.parent != nil; a = a.parent {
			if a.parent == d.frame {
				return a.owner
			}
		}
	}
	return d.active
}
