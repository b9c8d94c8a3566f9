package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// A filler gives controls their values, for SetValue and for the tools of forms.
type filler struct{ *document }

// State reads one element's live state.
func (p *page) State(ctx context.Context, node driver.NodeRef) (*driver.State, error) {
	var out *driver.State
	err := p.do(ctx, "state", "", func(context.Context) error {
		d, n, err := p.node(node)
		if err != nil {
			return err
		}
		if n.Type == html.TextNode && n.Parent != nil {
			n = n.Parent
		}
		out = reader{d}.state(n)
		return nil
	})
	return out, err
}

func tristate(n *html.Node, name string) *bool {
	switch dom.Lower(dom.Attr(n, name)) {
	case "true":
		v := true
		return &v
	case "false":
		v := false
		return &v
	}
	return nil
}

// SetValue assigns the value of a control that takes no typed text.
func (p *page) SetValue(ctx context.Context, at driver.Target, values ...string) ([]string, error) {
	var out []string
	err := p.acting(ctx, func() error {
		a, err := p.resolveTarget(at)
		if err != nil {
			return err
		}
		if a.n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		out, err = filler{a.d}.assign(a.n, values)
		return err
	})
	return out, opError("setvalue", "", err)
}

func (d filler) assign(n *html.Node, values []string) ([]string, error) {
	switch {
	case dom.IsElement(n, "select"):
		changed, ok := d.ChooseByValue(n, values)
		if !ok {
			return nil, fmt.Errorf("%d values for a select that takes one", len(values))
		}
		if changed {
			d.fire("input", n)
			d.fire("change", n)
		}
		out := []string{}
		for _, o := range d.Chosen(n) {
			out = append(out, d.Value(o))
		}
		return out, nil
	case dom.IsElement(n, "input") && (form.Assigned(form.InputType(n)) || form.Textual(form.InputType(n))), dom.IsElement(n, "textarea"):
		if len(values) != 1 {
			return nil, fmt.Errorf("%d values for a control that takes one", len(values))
		}
		was := d.Value(n)
		d.SetValue(n, values[0])
		if d.Value(n) != was {
			d.fire("input", n)
			d.fire("change", n)
		}
		return []string{d.Value(n)}, nil
	}
	return nil, errors.ErrUnsupported
}

// SetFiles gives a file input its files.
func (p *page) SetFiles(ctx context.Context, at driver.Target, paths ...string) error {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			err = &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
		}
		if err != nil {
			return &driver.OpError{Op: "setfiles", Target: path, Err: err}
		}
	}
	err := p.acting(ctx, func() error {
		a, err := p.resolveTarget(at)
		if err != nil {
			return err
		}
		d, n := a.d, a.n
		if n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		if !dom.IsElement(n, "input") || form.InputType(n) != "file" {
			return errors.New("not a file input")
		}
		if len(paths) > 1 && !dom.Has(n, "multiple") {
			return errors.New("the input takes one file")
		}
		c := d.Control(n)
		c.Files, c.Names = slices.Clone(paths), nil
		for _, path := range paths {
			c.Names = append(c.Names, filepath.Base(path))
		}
		d.Touched(n)
		d.fire("input", n)
		d.fire("change", n)
		return nil
	})
	return opError("setfiles", "", err)
}

var _ driver.ToolProvider = (*page)(nil)

var errToolsOff = fmt.Errorf("the browser was opened without BrowserOptions.PageTools: %w", errors.ErrUnsupported)

// Tools implements driver.ToolProvider.
func (p *page) Tools(ctx context.Context) ([]driver.Tool, error) {
	out := []driver.Tool{}
	err := p.do(ctx, "tools", "", func(context.Context) error {
		if !p.browser.opts.PageTools {
			return errToolsOff
		}
		var each func(f *frame)
		each = func(f *frame) {
			out = append(out, f.doc.offers()...)
			for _, c := range f.children {
				each(c)
			}
		}
		each(p.main)
		return nil
	})
	return out, err
}

// CallTool implements driver.ToolProvider.
func (p *page) CallTool(ctx context.Context, ref driver.ToolRef, input string) (*driver.ToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	c := &ToolCall{Input: input}
	err := p.acting(ctx, func() error { return p.beginTool(c, ref) })
	if err == nil {
		err = p.acquire(ctx) // after a dialog that the tool shows
	}
	if err != nil {
		return nil, opError("calltool", string(ref.Name), err)
	}
	d := c.Document.d
	if err := p.await(ctx, func() bool { return c.result != nil || d.gone() }); err != nil {
		go func() { // when the page is free; its end frees it
			if p.acquire(p.ctx) == nil {
				c.canceled = true
				p.release()
			}
		}()
		return nil, opError("calltool", string(ref.Name), err)
	}
	defer p.release()
	if c.result == nil {
		return &driver.ToolResult{State: driver.ToolLeft}, nil
	}
	return c.result, nil
}

// beginTool has a tool begin to work.
func (p *page) beginTool(c *ToolCall, ref driver.ToolRef) error {
	if !p.browser.opts.PageTools {
		return errToolsOff
	}
	if err := json.Unmarshal([]byte(c.Input), &c.Arguments); err != nil || c.Arguments == nil {
		return errors.New("the input of a tool is the JSON of an object")
	}
	f := p.frame(ref.Frame)
	if f == nil {
		return driver.ErrDetached
	}
	d := f.doc
	if d.id != ref.Doc {
		return driver.ErrStale
	}
	at := slices.IndexFunc(d.offers(), func(t driver.Tool) bool { return t.Name == ref.Name })
	if at < 0 {
		return driver.ErrNoTool
	}
	c.Document = d.handle()
	if at < len(c.Document.tools) {
		c.Document.tools[at].Run(c)
	} else {
		filler{d}.fillTool(c, d.offers()[at])
	}
	d.afterScript()
	return nil
}

// fillTool fills in the form of a tool, and sends it where the form says so.
func (d filler) fillTool(c *ToolCall, t driver.Tool) {
	_, f, err := d.frame.page.node(t.Form)
	if err != nil {
		c.Fail(err.Error())
		return
	}
	changed, err := d.FillTool(f, c.Arguments)
	for _, n := range changed {
		d.fire("input", n)
		d.fire("change", n)
	}
	if err != nil {
		c.Fail(err.Error())
		return
	}
	if !t.AutoSubmit {
		c.end(&driver.ToolResult{State: driver.ToolWaiting})
		return
	}
	d.submit(f, d.DefaultButton(f))
	d.frame.page.later(func() {
		if d.frame.pending == nil && !d.gone() { // nothing was sent, or a script took it
			c.Answer([]any{})
		}
	})
}
