package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

func (g gesture) clickAt(at driver.Point, count int) []driver.InputEvent {
	button := cmp.Or(g.button, driver.Left)
	events := []driver.InputEvent{driver.MouseMove{At: at, Modifiers: g.held}}
	for n := 1; n <= count; n++ {
		events = append(events,
			driver.MouseDown{At: at, Button: button, Clicks: n, Modifiers: g.held},
			driver.MouseUp{At: at, Button: button, Clicks: n, Modifiers: g.held})
	}
	return events
}

func (d *deed) click(ctx context.Context) error {
	if d.before.Tag == "option" {
		return d.unfit("use selectOption on its select, with the option's label")
	}
	return d.clickTimes(ctx, d.method.needs, 1)
}

func (d *deed) doubleClick(ctx context.Context) error { return d.clickTimes(ctx, d.method.needs, 2) }
func (d *deed) tripleClick(ctx context.Context) error { return d.clickTimes(ctx, d.method.needs, 3) }

func (d *deed) clickTimes(ctx context.Context, n need, count int) error {
	d.unsure = true
	return d.point(ctx, n, func(at driver.Point) []driver.InputEvent { return d.gesture.clickAt(at, count) })
}

func (d *deed) hover(ctx context.Context) error {
	d.unsure = true
	return d.point(ctx, d.method.needs, func(at driver.Point) []driver.InputEvent {
		return []driver.InputEvent{driver.MouseMove{At: at, Modifiers: d.gesture.held}}
	})
}

func (d *deed) tap(ctx context.Context) error {
	d.unsure = true
	return d.point(ctx, d.method.needs, func(at driver.Point) []driver.InputEvent {
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
	return d.point(ctx, d.method.needs, func(at driver.Point) []driver.InputEvent { return d.gesture.clickAt(at, 1) })
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

// wheel turns the wheel over the element, for pages that listen to it and for
// what only scrolls that way.
func (d *deed) wheel(ctx context.Context) error {
	x, errX := parsePixels(d.args[0])
	y, errY := parsePixels(d.args[1])
	if errX != nil || errY != nil {
		return fmt.Errorf("%w: wheel %q, %q; write pixels to the right and down, as \"0\", \"400\"", ErrInvalid, d.args[0], d.args[1])
	}
	d.unsure = true
	return d.point(ctx, d.method.needs, func(at driver.Point) []driver.InputEvent {
		return []driver.InputEvent{
			driver.MouseMove{At: at, Modifiers: d.gesture.held},
			driver.Wheel{At: at, DeltaX: x, DeltaY: y, Modifiers: d.gesture.held},
		}
	})
}

// dragAndDrop drags the element onto the one that the argument names, by the
// means that the page offers: its own drag and drop, or the pointer's movement.
func (d *deed) dragAndDrop(ctx context.Context) error {
	target, err := d.dropTarget(ctx)
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	if _, err := d.page.ready(ctx, target, needVisible, d.gesture.to); err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	from, err := d.ready(ctx, d.method.needs)
	if err != nil {
		return err
	}
	// To bring the one into view may have moved the other.
	to, err := d.page.driver.Locate(ctx, target, &driver.LocateOptions{Offset: d.gesture.to})
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	drag := driver.Drag{From: from.At, To: to.At}
	switch {
	case !to.InView:
		// It comes into view once the element is held.
		drag.To = driver.Point{X: to.Box.X + to.Box.Width/2, Y: to.Box.Y + to.Box.Height/2}
		drag.Onto = &driver.DropPlace{At: target, Offset: d.gesture.to}
	case !to.Reached:
		if err := d.covered(ctx, target, to); err != nil {
			return fmt.Errorf("drop target: %w", err)
		}
	}
	return d.drag(ctx, from, drag)
}

// covered is the error of a place to drop at on which something else lies than
// what is dragged.
func (d *deed) covered(ctx context.Context, target driver.NodeRef, to *driver.Location) error {
	if _, err := d.page.capture(ctx); err != nil {
		return err
	}
	if around(d.page.seen.capture, d.node, to.Hit) {
		return nil
	}
	return d.page.nameObstacle(ctx, &driver.ObscuredError{By: to.Hit}, target, to.Hit)
}

// dropTarget is the element to drop on.
func (d *deed) dropTarget(ctx context.Context) (driver.NodeRef, error) {
	if d.drop != nil {
		return d.drop.node, d.page.stillThere(ctx, d.drop)
	}
	return d.page.findOne(ctx, d.args[0])
}

// dragByPixels drags the element by so many pixels.
func (d *deed) dragByPixels(ctx context.Context) error {
	x, errX := parsePixels(d.args[0])
	y, errY := parsePixels(d.args[1])
	if errX != nil || errY != nil {
		return fmt.Errorf("%w: dragByPixelOffset %q, %q; write pixels to the right and down, as \"120\", \"0\"", ErrInvalid, d.args[0], d.args[1])
	}
	from, err := d.ready(ctx, d.method.needs)
	if err != nil {
		return err
	}
	to := driver.Point{Frame: from.At.Frame, X: from.At.X + x, Y: from.At.Y + y}
	return d.drag(ctx, from, driver.Drag{From: from.At, To: to})
}

func (d *deed) drag(ctx context.Context, from *driver.Location, drag driver.Drag) error {
	d.unsure = true
	d.vain = func(ctx context.Context) error { return d.notDragged(ctx, from.Box) }
	return d.send(ctx, from, drag)
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
	return fmt.Errorf("%w: it was dragged, and no change was noticed", ErrNoEffect)
}

// scrollTo scrolls to a share of the length, or of the width where the content
// is no longer than its view.
func (d *deed) scrollTo(ctx context.Context) error {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(d.args[0]), "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return fmt.Errorf("%w: scrollTo %q; write a share from 0%% to 100%%", ErrInvalid, d.args[0])
	}
	return d.scrollBy(ctx, func(now driver.ScrollState) driver.ScrollTarget {
		if across(now) {
			return driver.ScrollTarget{X: now.MaxX * percent / 100, Y: now.Y}
		}
		return driver.ScrollTarget{Percent: &percent}
	})
}

func (d *deed) nextChunk(ctx context.Context) error { return d.scrollChunk(ctx, +1) }
func (d *deed) prevChunk(ctx context.Context) error { return d.scrollChunk(ctx, -1) }

// scrollChunk moves on by what is shown now.
func (d *deed) scrollChunk(ctx context.Context, direction float64) error {
	return d.scrollBy(ctx, func(now driver.ScrollState) driver.ScrollTarget {
		if across(now) {
			return driver.ScrollTarget{X: direction * now.View.Width, By: true}
		}
		return driver.ScrollTarget{Y: direction * now.View.Height, By: true}
	})
}

// across reports that content scrolls sideways alone.
func across(s driver.ScrollState) bool { return s.MaxY <= 0 && s.MaxX > 0 }

func (d *deed) scrollByPixels(ctx context.Context) error {
	var offset [2]float64
	for i, arg := range d.args {
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(arg), "px"), 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return fmt.Errorf("%w: scrollByPixelOffset %q; write pixels as \"0\", \"400\"", ErrInvalid, arg)
		}
		offset[i] = n
	}
	if len(d.args) == 1 { // one number is the way people scroll: down
		offset[0], offset[1] = 0, offset[0]
	}
	return d.scrollBy(ctx, func(driver.ScrollState) driver.ScrollTarget {
		return driver.ScrollTarget{X: offset[0], Y: offset[1], By: true}
	})
}

// scrollBy scrolls the element's content; where it has nothing to scroll, the
// content of the nearest container that has, as a wheel would over it, and in
// the end the page that it is in.
func (d *deed) scrollBy(ctx context.Context, target func(now driver.ScrollState) driver.ScrollTarget) error {
	node, before, err := d.scroller(ctx)
	if err != nil {
		return err
	}
	var after driver.ScrollState
	if err := d.sending(func() (err error) {
		after, err = d.page.driver.ScrollTo(ctx, node, target(before))
		return err
	}); err != nil {
		return err
	}
	d.scroll = scrollSeen(before, after)
	return nil
}

// scroller returns what there is to scroll for the element, and where it is.
func (d *deed) scroller(ctx context.Context) (driver.NodeRef, driver.ScrollState, error) {
	page := driver.NodeRef{Frame: d.node.Frame, Doc: d.node.Doc}
	switch d.before.Tag {
	case "iframe", "frame":
		roots, err := d.page.driver.Find(ctx, d.node, driver.Selector{Kind: driver.CSS, Text: ":root"})
		if err != nil || len(roots) != 1 {
			return page, driver.ScrollState{}, cmp.Or(err, error(driver.ErrDetached))
		}
		page = driver.NodeRef{Frame: roots[0].Frame, Doc: roots[0].Doc}
	case "html", "body", "":
	default:
		if _, err := d.page.capture(ctx); err != nil {
			return page, driver.ScrollState{}, err
		}
		if node, state, ok := scrollerOf(d.page.seen.capture, d.node); ok {
			return node, state, nil
		}
	}
	now, err := d.page.driver.ScrollTo(ctx, page, driver.ScrollTarget{By: true})
	return page, now, err
}

// scrollerOf returns the element, or its nearest ancestor in the document, that
// has something to scroll.
func scrollerOf(c *driver.Capture, node driver.NodeRef) (driver.NodeRef, driver.ScrollState, bool) {
	at, ok := placeOf(c, node)
	for ; ok; at, ok = at.up() {
		doc := &c.Documents[at.doc]
		ref, rare := doc.Ref(at.at), at.node().Rare
		if doc.Frame != node.Frame {
			break // the document itself scrolls
		}
		if rare != nil && rare.Scroll != nil && (!rare.Scroll.Clipped || ref == node) {
			return ref, *rare.Scroll, true
		}
	}
	return driver.NodeRef{}, driver.ScrollState{}, false
}

// scrollIntoView brings the element to where it can be seen.
func (d *deed) scrollIntoView(ctx context.Context) error {
	was, err := d.page.driver.Locate(ctx, d.node, nil)
	if err != nil {
		return err
	}
	var at *driver.Location
	if err := d.sending(func() (err error) {
		at, err = d.page.driver.Locate(ctx, d.node, &driver.LocateOptions{Scroll: true})
		return err
	}); err != nil {
		return err
	}
	if !at.Visible || !at.InView {
		return fmt.Errorf("%w: it cannot be scrolled into view", driver.ErrNotVisible)
	}
	d.brought = at.Box != was.Box
	return nil
}
