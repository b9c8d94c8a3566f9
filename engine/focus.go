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
	d.unsure = true
	if d.before.Tag == "body" || d.before.Tag == "html" {
		return d.send(ctx, nil, events...)
	}
	d.held = true
	return d.keys(ctx, 0, driver.Target{}, events...)
}

// keys sends keys to the element, which is given the focus if it has it not. How
// they are meant besides says an aim's Only and Text.
func (d *deed) keys(ctx context.Context, n need, how driver.Target, events ...driver.InputEvent) error {
	return d.aimed(ctx, n, func(at *driver.Location) error {
		at = d.keyed(at)
		if err := d.giveFocus(ctx, at); err != nil {
			return err
		}
		aim := d.aim(at)
		aim.Only, aim.Text = how.Only, how.Text
		return d.sendTo(ctx, aim, events...)
	})
}

// takeFocus gives the element the focus, and returns the look that keys are held to.
func (d *deed) takeFocus(ctx context.Context, n need) (at *driver.Location, err error) {
	err = d.aimed(ctx, n, func(l *driver.Location) error {
		at = d.keyed(l)
		return d.giveFocus(ctx, at)
	})
	return at, err
}

// giveFocus gives the element the focus if it has it not.
func (d *deed) giveFocus(ctx context.Context, at *driver.Location) error {
	if d.before.Focused {
		return nil
	}
	return d.sending(func() error { return d.page.driver.Focus(ctx, d.aim(at)) })
}

func (d *deed) focus(ctx context.Context) error {
	d.expect = func(after *driver.State) error {
		if !after.Focused {
			return fmt.Errorf("%w: another element has the focus", ErrNoEffect)
		}
		return nil
	}
	return d.aimed(ctx, 0, func(at *driver.Location) error {
		return d.sending(func() error { return d.page.driver.Focus(ctx, d.aim(d.keyed(at))) })
	})
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
	return d.sending(func() error { return d.page.driver.Focus(ctx, driver.Target{At: document}) })
}
