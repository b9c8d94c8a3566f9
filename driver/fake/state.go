package fake

import (
	"errors"
	"fmt"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

func tristate(n *html.Node, name string) *bool {
	switch dom.Lower(dom.Attr(n, name)) {
	case "true":
		return new(true)
	case "false":
		return new(false)
	}
	return nil
}

// assign gives a control its value, for SetValue.
func (d *document) assign(n *html.Node, values []string) ([]string, error) {
	switch {
	case dom.IsElement(n, "select"):
		changed, ok := d.ChooseByValue(n, values)
		if !ok {
			return nil, fmt.Errorf("%d values for a select that takes one", len(values))
		}
		if changed {
			d.fireChange(n)
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
			d.fireChange(n)
		}
		return []string{d.Value(n)}, nil
	}
	return nil, errors.ErrUnsupported
}

var _ driver.ToolProvider = (*page)(nil)

var errToolsOff = fmt.Errorf("the browser was opened without BrowserOptions.PageTools: %w", errors.ErrUnsupported)

// fillTool fills in the form of a tool, and sends it where the form says so.
func (d *document) fillTool(c *ToolCall, t driver.Tool) {
	_, f, err := d.frame.page.node(t.Form)
	if err != nil {
		c.Fail(err.Error())
		return
	}
	changed, err := d.FillTool(f, c.Arguments)
	for _, n := range changed {
		d.fireChange(n)
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
