package engine

import (
	"context"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func clickAt(at driver.Point, count int) []driver.InputEvent {
	events := []driver.InputEvent{driver.MouseMove{At: at}}
	for n := 1; n <= count; n++ {
		events = append(events,
			driver.MouseDown{At: at, Button: driver.Left, Clicks: n},
			driver.MouseUp{At: at, Button: driver.Left, Clicks: n})
	}
	return events
}

func (d *deed) click(ctx context.Context) error {
	if d.before.Tag == "option" {
		return d.unfit("use selectOption on its select, with the option's label")
	}
	return d.clickTimes(ctx, 1)
}

func (d *deed) doubleClick(ctx context.Context) error { return d.clickTimes(ctx, 2) }

func (d *deed) clickTimes(ctx context.Context, count int) error {
	d.unsure = true
	return d.point(ctx, needPointer, func(at driver.Point) []driver.InputEvent { return clickAt(at, count) })
}

func (d *deed) hover(ctx context.Context) error {
	at, err := d.ready(ctx, needHover)
	if err != nil {
		return err
	}
	d.unsure = true
	return d.sendAt(ctx, at, driver.MouseMove{At: at.At})
}

func (d *deed) tap(ctx context.Context) error {
	d.unsure = true
	return d.point(ctx, needPointer, func(at driver.Point) []driver.InputEvent {
		return []driver.InputEvent{driver.Tap{At: at}}
	})
}

func (d *deed) check(ctx context.Context) error   { return d.setChecked(ctx, true) }
func (d *deed) uncheck(ctx context.Context) error { return d.setChecked(ctx, false) }

// setChecked clicks a box that is not as it should be, and leaves one alone
// that is: to click it would undo what was asked for.
func (d *deed) setChecked(ctx context.Context, want bool) error {
	on, known := checkedState(d.before)
	if !known {
		return d.unfit("it is for checkboxes, radio buttons and switches; use click")
	}
	if !want && d.before.Type == "radio" {
		return d.unfit("a radio button is let go by checking another of its group")
	}
	d.expect = func(after *driver.State) error {
		if is, _ := checkedState(after); is != want {
			return fmt.Errorf("%w: it is %s after the click", ErrNoEffect, onOff(is))
		}
		return nil
	}
	if on == want && !d.before.Mixed {
		return nil
	}
	return d.point(ctx, needPointer, func(at driver.Point) []driver.InputEvent { return clickAt(at, 1) })
}

// checkedState tells whether a box or switch is on, and whether the element is one.
func checkedState(s *driver.State) (on, known bool) {
	switch {
	case s.Type == "checkbox" || s.Type == "radio":
		return s.Checked, true
	case s.AriaChecked != nil:
		return *s.AriaChecked, true
	case s.Mixed:
		return false, true
	case s.Pressed != nil:
		return *s.Pressed, true
	}
	return false, false
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// dragAndDrop drags the element onto the one that the argument names, by the
// means that the page offers: its own drag and drop, or the pointer's movement.
func (d *deed) dragAndDrop(ctx context.Context) error {
	target, err := d.page.findOne(ctx, d.args[0])
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	if _, err := d.page.ready(ctx, target, needVisible); err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	from, err := d.ready(ctx, needHover)
	if err != nil {
		return err
	}
	// To bring the one into view may have moved the other.
	to, err := d.page.driver.Locate(ctx, target, nil)
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	if !to.InView {
		return fmt.Errorf("drop target: %w: it cannot be seen together with the element", driver.ErrNotVisible)
	}
	d.unsure = true
	d.vain = func(ctx context.Context) error { return d.notDragged(ctx, from.Box) }
	return d.sendAt(ctx, from, driver.Drag{From: from.At, To: to.At})
}

// painted are elements whose content no look can tell.
var painted = map[string]bool{"canvas": true, "iframe": true, "object": true, "embed": true, "video": true}

// notDragged judges a drag after which nothing on the page was different: where
// the element is where it was, nothing was moved.
func (d *deed) notDragged(ctx context.Context, was driver.Rect) error {
	if painted[d.before.Tag] {
		return nil
	}
	at, err := d.page.driver.Locate(ctx, d.node, nil)
	switch {
	case passing(err):
		return nil // it is not where it was
	case err != nil:
		return err
	case at.Box != was:
		d.brought = true
		return nil
	}
	return fmt.Errorf("%w: it was dragged, and nothing on the page is different", ErrNoEffect)
}
