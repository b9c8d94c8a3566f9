package fake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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
		out = d.state(n)
		return nil
	})
	return out, err
}

func (d *document) state(n *html.Node) *driver.State {
	v := d.render()
	s := &driver.State{Connected: true, Focused: d.active == n && d.frame.page.focusedDocument() == d, Scroll: d.scrollState(n)}
	if n.Type != html.ElementNode {
		return s
	}
	s.Tag = n.Data
	s.Value = d.value(n)
	s.Checked = d.checked(n)
	s.Disabled = d.disabled(n)
	s.ReadOnly = d.readOnly(n)
	s.Validity = d.validity(n)
	s.Editable = editable(n)
	s.Mixed = n.Data != "input" && lower(attr(n, "aria-checked")) == "mixed"
	s.Selected = lower(attr(n, "aria-selected")) == "true"
	s.Expanded, s.Pressed, s.AriaChecked = tristate(n, "aria-expanded"), tristate(n, "aria-pressed"), tristate(n, "aria-checked")
	if b := v.find(n); b != nil {
		s.Visible = b.rendered && !b.rect.IsZero() && b.style.Visibility == "visible"
	}
	if c := d.inputs[n]; c != nil {
		s.Mixed = s.Mixed || c.mixed
		s.Files = slices.Clone(c.names)
	}
	switch n.Data {
	case "input":
		s.Type = inputType(n)
		s.Multiple = has(n, "multiple")
	case "select":
		s.Multiple = has(n, "multiple")
		for _, o := range options(n) {
			opt := driver.OptionState{Value: d.value(o), Label: optionLabel(o), Selected: d.selected(o), Disabled: d.disabled(o)}
			if isElement(o.Parent, "optgroup") {
				opt.Group = attr(o.Parent, "label")
			}
			s.Options = append(s.Options, opt)
			if opt.Selected {
				s.Values = append(s.Values, opt.Value)
			}
		}
	case "option":
		s.Selected = d.selected(n)
	case "details":
		open := has(n, "open")
		s.Expanded = &open
	case "summary":
		if isElement(n.Parent, "details") && s.Expanded == nil {
			open := has(n.Parent, "open")
			s.Expanded = &open
		}
	}
	if host := d.editingHost(n); host != nil && !editable(n) {
		s.Editable = true
		s.Value = textOf(n)
	}
	if s.Values == nil && s.Value != "" {
		s.Values = []string{s.Value}
	}
	return s
}

func tristate(n *html.Node, name string) *bool {
	switch lower(attr(n, name)) {
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
		a, err := p.aimedAt(at)
		if err != nil {
			return err
		}
		if a.n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		out, err = a.d.assign(a.n, values)
		return err
	})
	return out, opError("setvalue", "", err)
}

func (d *document) assign(n *html.Node, values []string) ([]string, error) {
	switch {
	case isElement(n, "select"):
		changed, ok := d.chooseByValue(n, values)
		if !ok {
			return nil, fmt.Errorf("%d values for a select that takes one", len(values))
		}
		if changed {
			d.fire("input", n)
			d.fire("change", n)
		}
		out := []string{}
		for _, o := range d.chosen(n) {
			out = append(out, d.value(o))
		}
		return out, nil
	case isElement(n, "input") && (assigned(inputType(n)) || textual(inputType(n))), isElement(n, "textarea"):
		if len(values) != 1 {
			return nil, fmt.Errorf("%d values for a control that takes one", len(values))
		}
		was := d.value(n)
		d.setValue(n, values[0])
		if d.value(n) != was {
			d.fire("input", n)
			d.fire("change", n)
		}
		return []string{d.value(n)}, nil
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
		a, err := p.aimedAt(at)
		if err != nil {
			return err
		}
		d, n := a.d, a.n
		if n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		if !isElement(n, "input") || inputType(n) != "file" {
			return errors.New("not a file input")
		}
		if len(paths) > 1 && !has(n, "multiple") {
			return errors.New("the input takes one file")
		}
		c := d.control(n)
		c.files, c.names = slices.Clone(paths), nil
		for _, path := range paths {
			c.names = append(c.names, filepath.Base(path))
		}
		d.Touched(n)
		d.fire("input", n)
		d.fire("change", n)
		return nil
	})
	return opError("setfiles", "", err)
}
