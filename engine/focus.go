package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// press presses a key or chord with the element focused.
func (d *deed) press(ctx context.Context) error {
	events, err := parseChord(d.args[0])
	if err != nil {
		return err
	}
	if err := d.takeFocus(ctx, 0); err != nil {
		return err
	}
	d.unsure, d.held = true, d.before.Tag != "body" && d.before.Tag != "html"
	return d.send(ctx, events...)
}

// takeFocus gives the element the focus if it has it not.
func (d *deed) takeFocus(ctx context.Context, n need) error {
	if n != 0 {
		if _, err := d.ready(ctx, n); err != nil {
			return err
		}
	}
	if d.before.Focused || d.before.Tag == "body" || d.before.Tag == "html" {
		return nil
	}
	return d.sending(func() error { return d.page.driver.Focus(ctx, d.node) })
}

func (d *deed) focus(ctx context.Context) error {
	d.expect = func(after *driver.State) error {
		if !after.Focused {
			return fmt.Errorf("%w: another element has the focus", ErrNoEffect)
		}
		return nil
	}
	return d.sending(func() error { return d.page.driver.Focus(ctx, d.node) })
}

// blur moves the focus away from the element, as a click beside it would.
func (d *deed) blur(ctx context.Context) error {
	if !d.before.Focused {
		return nil
	}
	d.expect = func(after *driver.State) error {
		if after.Focused {
			return fmt.Errorf("%w: it still has the focus", ErrNoEffect)
		}
		return nil
	}
	document := driver.NodeRef{Frame: d.node.Frame, Doc: d.node.Doc}
	return d.sending(func() error { return d.page.driver.Focus(ctx, document) })
}
