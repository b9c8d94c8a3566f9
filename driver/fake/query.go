package fake

import (
	"context"
	"errors"
	"slices"

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
	return dom.FindAll(top, s.Match)
}

// reflect writes the live state into the attributes that selectors see, in all
// trees. scope is the element that :scope names, if any.
func (d *queries) reflect(scope *html.Node) {
	d.Each(func(n *html.Node) {
		n.Attr = slices.Clip(dom.Attributes(n)) // what the elements share is not written over
		d.pseudoClasses(n, func(name string) {
			n.Attr = append(n.Attr, html.Attribute{Key: " " + name})
		})
	})
	if scope != nil && scope.Type != html.ElementNode {
		scope = dom.Child(scope, "html")
	}
	if scope != nil {
		scope.Attr = append(scope.Attr, html.Attribute{Key: " scope"})
	}
}

// ReflectAll writes the live state for style sheets.
func (d *queries) ReflectAll() { d.reflect(nil) }

// pseudoClasses calls yes with each pseudo-class of live state that matches n.
func (d *queries) pseudoClasses(n *html.Node, yes func(string)) {
	when := func(is bool, name string) {
		if is {
			yes(name)
		}
	}
	p, c, id := d.frame.page, d.Inputs[n], d.url.Fragment
	when(p.hovers(d.self, n), "hover")
	when(p.pressed && p.down.d == d.self && d.ComposedWithin(p.down.n, n), "active")
	if d.active != nil {
		when(n == d.active, "focus")
		when(n == d.active && (d.byKeyboard || form.Editable(n)), "focus-visible")
		when(d.ComposedWithin(d.active, n), "focus-within")
	}
	when(id != "" && dom.Attr(n, "id") == id, "target")
	when(rightToLeft(n), "rtl")
	if n.Namespace != "" {
		name := dom.Lower(n.Data)
		when(name != n.Data, name)
		return
	}
	switch n.Data {
	case "input", "select", "textarea", "button", "option", "optgroup", "fieldset":
		d.controlClasses(n, when)
	case "details", "dialog":
		when(dom.Has(n, "open"), "open")
	default:
		editable := d.EditingHost(n) != nil
		when(editable, "read-write")
		when(!editable, "read-only")
	}
	when(c != nil && c.Modal, "modal")
	when(c != nil && c.Popover, "popover-open")
}

// rightToLeft reports the direction that the nearest dir attribute gives.
func rightToLeft(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		switch dom.Lower(dom.Attr(n, "dir")) {
		case "rtl":
			return true
		case "ltr", "auto":
			return false
		}
	}
	return false
}

func (d *queries) controlClasses(n *html.Node, when func(bool, string)) {
	either := func(is bool, name, otherwise string) {
		when(is, name)
		when(!is, otherwise)
	}
	either(d.Disabled(n), "disabled", "enabled")
	when(d.Checked(n) || n.Data == "option" && d.Selected(n), "checked")
	when(d.Inputs[n] != nil && d.Inputs[n].Mixed, "indeterminate")
	switch n.Data {
	case "input", "select", "textarea":
		either(dom.Has(n, "required"), "required", "optional")
		either(d.EditableText(n), "read-write", "read-only")
		either(d.Validity(n) == "", "valid", "invalid")
		when(dom.Has(n, "placeholder") && d.Value(n) == "", "placeholder-shown")
	case "button":
		when((form.Submits(n) || form.Resets(n)) && n == d.DefaultButton(d.FormOf(n)), "default")
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
