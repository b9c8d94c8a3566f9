package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Evaluate answers the expressions that Options registers.
func (p *page) Evaluate(ctx context.Context, expression string, opts *driver.EvaluateOptions) ([]byte, error) {
	if opts == nil {
		opts = new(driver.EvaluateOptions)
	}
	var out []byte
	err := p.acting(ctx, func() error {
		f := p.browser.driver.opts.Expressions[expression]
		if f == nil {
			return fmt.Errorf("expression %.24q: %w", expression, errors.ErrUnsupported)
		}
		fr := p.frame(opts.Frame)
		if !opts.Node.IsZero() {
			d, _, err := p.node(opts.Node)
			if err != nil {
				return err
			}
			fr = d.frame
		}
		if fr == nil {
			return driver.ErrDetached
		}
		v, err := f(fr.doc.handle(), opts.Args)
		fr.doc.afterScript()
		if err != nil {
			return err
		}
		out, err = json.Marshal(v)
		return err
	})
	return out, opError("evaluate", "", err)
}

// handle is the document as scripts see it.
func (d *document) handle() *Document {
	d.parse()
	if d.script == nil {
		d.script = &Document{d: d}
	}
	return d.script
}

// Change has f change what a page of this package shows, as one of its scripts
// would, from outside. It fails for pages of other drivers.
func Change(ctx context.Context, pg driver.Page, f func(*Document)) error {
	p, ok := pg.(*page)
	if !ok {
		if u, is := pg.(interface{ Unwrap() driver.Page }); is {
			return Change(ctx, u.Unwrap(), f)
		}
		return &driver.OpError{Op: "change", Err: errors.ErrUnsupported}
	}
	return opError("change", "", p.acting(ctx, func() error {
		d := p.main.doc
		f(d.handle())
		d.afterScript()
		return nil
	}))
}

// ChangeElements changes every element of the main document that a selector
// matches: "obscure" lays something on top of it, "rerender" replaces it by an
// equal one, "remove" takes it away. Package faults uses it.
func (p *page) ChangeElements(ctx context.Context, how, selector string) error {
	if _, err := compile(selector); err != nil {
		return opError("change", selector, err)
	}
	return Change(ctx, p, func(d *Document) {
		for _, e := range d.FindAll(selector) {
			switch how {
			case "obscure":
				v := d.d.render()
				b := v.find(e.n)
				if b == nil {
					continue
				}
				r := v.shown(b.rect, b.fixed)
				d.Body().Append(fmt.Sprintf(`<div style="position:fixed;z-index:2147483647;left:%gpx;top:%gpx;width:%gpx;height:%gpx"></div>`,
					r.X, r.Y, r.Width, r.Height))
			case "rerender":
				e.Rerender()
			case "remove":
				e.Remove()
			}
		}
	})
}
