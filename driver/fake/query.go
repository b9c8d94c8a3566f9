package fake

import (
	"context"
	"errors"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Find answers a selector within one root.
func (p *page) Find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	var out []driver.NodeRef
	err := p.do(ctx, "find", sel.Text, func(ctx context.Context) (err error) {
		out, err = p.find(ctx, root, sel)
		return err
	})
	return out, err
}

func (p *page) find(ctx context.Context, root driver.NodeRef, sel driver.Selector) ([]driver.NodeRef, error) {
	d, top, err := p.node(root)
	if err != nil {
		return nil, err
	}
	if f := p.frameOf(d, top); f != nil {
		d = f.doc
		d.parse()
		top = d.root
	} else if s := d.shadows[top]; s != nil {
		top = s.root
	}
	nodes, err := d.find(ctx, top, sel)
	var out []driver.NodeRef
	for _, n := range nodes {
		out = append(out, d.ref(n))
	}
	return out, err
}

// frameOf returns the frame that n is the owner element of.
func (p *page) frameOf(d *document, n *html.Node) *frame {
	for _, c := range d.frame.children {
		if c.owner == n {
			return c
		}
	}
	return nil
}

func (d *document) find(ctx context.Context, top *html.Node, sel driver.Selector) ([]*html.Node, error) {
	switch sel.Kind {
	case driver.CSS:
		s, err := compile(sel.Text)
		if err != nil {
			return nil, err
		}
		return d.match(top, s), nil
	case driver.XPath:
		return evaluateXPath(ctx, top, sel.Text)
	}
	return nil, errors.ErrUnsupported
}

// match finds the elements below top (top excluded) that s matches, in order.
func (d *document) match(top *html.Node, s *selector) []*html.Node {
	if s.live {
		d.reflect(top)
	}
	var out []*html.Node
	for n := next(top, top); n != nil; n = next(n, top) {
		if n.Type == html.ElementNode && s.Match(n) {
			out = append(out, n)
		}
	}
	return out
}

// reflect writes the live state into the attributes that selectors see, in all
// trees. scope is the element that :scope names, if any.
func (d *document) reflect(scope *html.Node) {
	d.each(func(n *html.Node) {
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
			if isElement(c, "html") {
				c.Attr = append(c.Attr, html.Attribute{Key: " scope"})
			}
		}
	}
}

// ReflectAll writes the live state for style sheets.
func (d *document) ReflectAll() { d.reflect(nil) }

// pseudoClasses calls yes with each pseudo-class of live state that matches n.
func (d *document) pseudoClasses(n *html.Node, yes func(string)) {
	p := d.frame.page
	if p.hovers(d, n) {
		yes("hover")
	}
	if p.pressed && p.down.d == d && d.composedWithin(p.down.n, n) {
		yes("active")
	}
	if d.active != nil {
		if n == d.active {
			yes("focus")
			if d.byKeyboard || editable(n) {
				yes("focus-visible")
			}
		}
		if d.composedWithin(d.active, n) {
			yes("focus-within")
		}
	}
	if id := d.url.Fragment; id != "" && attr(n, "id") == id {
		yes("target")
	}
	if rightToLeft(n) {
		yes("rtl")
	}
	if n.Namespace != "" {
		if name := lower(n.Data); name != n.Data {
			yes(name)
		}
		return
	}
	switch n.Data {
	case "input", "select", "textarea", "button", "option", "optgroup", "fieldset":
		d.controlClasses(n, yes)
	case "details", "dialog":
		if has(n, "open") {
			yes("open")
		}
	default:
		if d.editingHost(n) != nil {
			yes("read-write")
		} else {
			yes("read-only")
		}
	}
	if c := d.inputs[n]; c != nil {
		if c.modal {
			yes("modal")
		}
		if c.popover {
			yes("popover-open")
		}
	}
}

// rightToLeft reports the direction that the nearest dir attribute gives.
func rightToLeft(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		switch lower(attr(n, "dir")) {
		case "rtl":
			return true
		case "ltr", "auto":
			return false
		}
	}
	return false
}

func (d *document) controlClasses(n *html.Node, yes func(string)) {
	if d.disabled(n) {
		yes("disabled")
	} else {
		yes("enabled")
	}
	if d.checked(n) || n.Data == "option" && d.selected(n) {
		yes("checked")
	}
	if c := d.inputs[n]; c != nil && c.mixed {
		yes("indeterminate")
	}
	switch n.Data {
	case "input", "select", "textarea":
		if has(n, "required") {
			yes("required")
		} else {
			yes("optional")
		}
		if d.editableText(n) {
			yes("read-write")
		} else {
			yes("read-only")
		}
		if d.validity(n) == "" {
			yes("valid")
		} else {
			yes("invalid")
		}
		if has(n, "placeholder") && d.value(n) == "" {
			yes("placeholder-shown")
		}
	case "button":
		if (submits(n) || resets(n)) && n == d.defaultButton(d.formOf(n)) {
			yes("default")
		}
	}
}
