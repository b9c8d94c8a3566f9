package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// pointing presses, drags and scrolls with the pointer.
type pointing struct {
	keying
	scroll    *ScrollSeen
	displaced bool  // the element moved into view
	dragged   *drag // nil where nothing was dragged
}

func (a *pointing) click(ctx context.Context) error {
	if a.before.Tag == "option" {
		return a.wrongMethod("use selectOption on its select, with the option's label")
	}
	return a.clickTimes(ctx, a.method.needs, 1)
}

func (a *pointing) doubleClick(ctx context.Context) error {
	return a.clickTimes(ctx, a.method.needs, 2)
}
func (a *pointing) tripleClick(ctx context.Context) error {
	return a.clickTimes(ctx, a.method.needs, 3)
}

func (a *pointing) clickTimes(ctx context.Context, n need, count int) error {
	a.watchPage = true
	return a.pointAt(ctx, n, func(at driver.Point) []driver.InputEvent { return a.gesture.Click(at, count) })
}

// longPress holds the button down for a while. What the page shows meanwhile
// may lie under the release, or end it: a menu, a dialog, another page.
func (a *pointing) longPress(ctx context.Context) error {
	a.watchPage = true
	err := a.pointAt(ctx, a.method.needs, a.gesture.LongPress)
	a.targetMoved = false // it needs no click
	missed, ok := errors.AsType[*driver.MissedError](err)
	if ok && missed.Taken && (errors.Is(err, driver.ErrDialog) || errors.Is(err, driver.ErrStale)) {
		return nil
	}
	return err
}

func (a *pointing) hover(ctx context.Context) error {
	a.watchPage = true
	return a.pointAt(ctx, a.method.needs, func(at driver.Point) []driver.InputEvent {
		return []driver.InputEvent{driver.MouseMove{At: at, Modifiers: a.gesture.Modifiers}}
	})
}

func (a *pointing) tap(ctx context.Context) error {
	a.watchPage = true
	return a.pointAt(ctx, a.method.needs, func(at driver.Point) []driver.InputEvent {
		return []driver.InputEvent{driver.Tap{At: at}}
	})
}

func (a *pointing) check(ctx context.Context) error   { return a.setChecked(ctx, true) }
func (a *pointing) uncheck(ctx context.Context) error { return a.setChecked(ctx, false) }

// setChecked clicks a box that is not in the wanted state and leaves one alone
// that is: a click would undo it.
func (a *pointing) setChecked(ctx context.Context, want bool) error {
	on, known := checkedState(a.before)
	if !known {
		return a.wrongMethod("it is for checkboxes, radio buttons and switches; use click")
	}
	if !want && a.before.Type == "radio" {
		return a.wrongMethod("a radio button is let go by checking another of its group")
	}
	a.expect = func(after *driver.State) error {
		if is, _ := checkedState(after); is != want {
			return fmt.Errorf("%w: it is %s after the click", ErrNoEffect, onOff(is))
		}
		return nil
	}
	if on == want && !a.before.Mixed {
		return nil
	}
	click := func(at driver.Point) []driver.InputEvent { return a.gesture.Click(at, 1) }
	if err := a.pointAt(ctx, a.method.needs, click); err != nil || !a.before.Mixed {
		return err
	}
	// One that was mixed may be the other way by now.
	if now, err := a.page.driver.State(ctx, a.node); err != nil || now.Mixed || a.expect(now) == nil {
		return nil
	}
	return a.pointAt(ctx, a.method.needs, click)
}

// checkedState returns whether a box or switch is on, and whether the element
// is one.
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

// wheel turns the wheel over the element, for pages that listen to it and
// content that scrolls no other way.
func (a *pointing) wheel(ctx context.Context) error {
	x, y, err := a.distance("0", "400")
	if err != nil {
		return err
	}
	a.watchPage = true
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		if err := a.lookBefore(ctx); err != nil {
			return err
		}
		a.pressed = at.At
		return a.send(ctx, at,
			driver.MouseMove{At: at.At, Modifiers: a.gesture.Modifiers},
			driver.Wheel{At: at.At, DeltaX: x, DeltaY: y, Modifiers: a.gesture.Modifiers})
	})
}

// distance reads the two arguments that are pixels to the right and down.
func (a *pointing) distance(exampleX, exampleY string) (x, y float64, _ error) {
	x, errX := input.Pixels(a.args[0])
	y, errY := input.Pixels(a.args[1])
	if errX != nil || errY != nil {
		return 0, 0, fmt.Errorf("%w: %s %q, %q; write pixels to the right and down, as %q, %q", ErrInvalid, a.method.name, a.args[0], a.args[1], exampleX, exampleY)
	}
	return x, y, nil
}

// dragAndDrop drags the element onto the one that the argument names, by the
// page's means: native drag and drop, or pointer movement.
func (a *pointing) dragAndDrop(ctx context.Context) error {
	target, err := a.dropTarget(ctx)
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	if _, err := a.page.ready(ctx, target, needVisible, a.gesture.To); err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	a.glance = nil // bringing that into view may have moved this
	from, err := a.ready(ctx, a.method.needs)
	if err != nil {
		return err
	}
	// Scrolling one into view may have moved the other.
	to, err := a.page.driver.Locate(ctx, target, &driver.LocateOptions{Offset: a.gesture.To})
	if err != nil {
		return fmt.Errorf("drop target: %w", err)
	}
	way := driver.Drag{From: from.At, To: to.At, Onto: &driver.DropPlace{At: target, Offset: a.gesture.To}}
	switch {
	case !to.InView:
		// It scrolls into view during the drag.
		way.To = driver.Point{X: to.Box.X + to.Box.Width/2, Y: to.Box.Y + to.Box.Height/2}
	case !to.Reached:
		if err := a.covered(ctx, target, to); err != nil {
			return fmt.Errorf("drop target: %w", err)
		}
	}
	return a.drag(ctx, from, way)
}

// covered is the error for a drop place that is covered by something other than
// the dragged element.
func (a *pointing) covered(ctx context.Context, target driver.NodeRef, to *driver.Location) error {
	if _, err := a.page.capture(ctx); err != nil {
		return err
	}
	if encloses(a.page.last.capture, a.node, to.Hit) {
		return nil
	}
	return a.page.nameObstacle(ctx, &driver.ObscuredError{By: to.Hit}, target, to)
}

// dropTarget returns the element to drop on, or the one that has replaced it.
func (a *pointing) dropTarget(ctx context.Context) (driver.NodeRef, error) {
	if a.drop == nil {
		return a.page.findOne(ctx, a.args[0])
	}
	_, err := a.page.checkElement(ctx, a.drop)
	if !replaced(err) || a.drop.print == nil || a.drop.known.capture == nil {
		return a.drop.node, err
	}
	again, lost := a.page.findAgain(ctx, a.drop.known.snapshot(), a.drop.node, *a.drop.print)
	if lost != nil {
		return again, fmt.Errorf("%w: %w", err, lost)
	}
	a.drop.node, a.drop.known = again, a.page.last
	return again, nil
}

// dragByPixels drags the element by an offset in pixels.
func (a *pointing) dragByPixels(ctx context.Context) error {
	x, y, err := a.distance("120", "0")
	if err != nil {
		return err
	}
	from, err := a.ready(ctx, a.method.needs)
	if err != nil {
		return err
	}
	to := driver.Point{Frame: from.At.Frame, X: from.At.X + x, Y: from.At.Y + y}
	return a.drag(ctx, from, driver.Drag{From: from.At, To: to})
}

// scrollTo scrolls to a percentage of the length, or of the width if the
// content only scrolls sideways.
func (a *pointing) scrollTo(ctx context.Context) error {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(a.args[0]), "%"), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return fmt.Errorf("%w: scrollTo %q; write a share from 0%% to 100%%", ErrInvalid, a.args[0])
	}
	return a.scrollBy(ctx, func(now driver.ScrollState) driver.ScrollTarget {
		if across(now) {
			return driver.ScrollTarget{X: now.MaxX * percent / 100, Y: now.Y}
		}
		return driver.ScrollTarget{Percent: &percent}
	})
}

func (a *pointing) nextChunk(ctx context.Context) error { return a.scrollChunk(ctx, +1) }
func (a *pointing) prevChunk(ctx context.Context) error { return a.scrollChunk(ctx, -1) }

// scrollChunk scrolls by one view.
func (a *pointing) scrollChunk(ctx context.Context, direction float64) error {
	return a.scrollBy(ctx, func(now driver.ScrollState) driver.ScrollTarget {
		if across(now) {
			return driver.ScrollTarget{X: direction * now.View.Width, By: true}
		}
		return driver.ScrollTarget{Y: direction * now.View.Height, By: true}
	})
}

// across reports content that scrolls only sideways.
func across(s driver.ScrollState) bool { return s.MaxY <= 0 && s.MaxX > 0 }

func (a *pointing) scrollByPixels(ctx context.Context) error {
	var offset [2]float64
	for i, arg := range a.args {
		n, err := input.Pixels(arg)
		if err != nil {
			return fmt.Errorf("%w: scrollByPixelOffset %q; write pixels as \"0\", \"400\"", ErrInvalid, arg)
		}
		offset[i] = n
	}
	if len(a.args) == 1 { // a single number scrolls down
		offset[0], offset[1] = 0, offset[0]
	}
	return a.scrollBy(ctx, func(driver.ScrollState) driver.ScrollTarget {
		return driver.ScrollTarget{X: offset[0], Y: offset[1], By: true}
	})
}

// scrollBy scrolls the element's content, or that of its nearest ancestor that
// can scroll, as a wheel over it would; else what lies over its middle and can, or else
// the page.
func (a *pointing) scrollBy(ctx context.Context, target func(now driver.ScrollState) driver.ScrollTarget) error {
	node, before, err := a.scroller(ctx)
	if err != nil {
		return err
	}
	var after driver.ScrollState
	if err := a.sending(nil, func(driver.Target) (err error) {
		after, err = a.page.driver.ScrollTo(ctx, node, target(before))
		return err
	}); err != nil {
		return err
	}
	a.scroll = scrollSeen(before, after)
	return nil
}

// scroller returns what scrolls for the element, and its position.
func (a *pointing) scroller(ctx context.Context) (driver.NodeRef, driver.ScrollState, error) {
	page := driver.NodeRef{Frame: a.node.Frame, Doc: a.node.Doc}
	switch a.before.Tag {
	case "iframe", "frame":
		roots, err := a.page.driver.Find(ctx, a.node, driver.Selector{Kind: driver.CSS, Text: ":root"})
		if err != nil || len(roots) != 1 {
			return page, driver.ScrollState{}, cmp.Or(err, error(driver.ErrDetached))
		}
		page = driver.NodeRef{Frame: roots[0].Frame, Doc: roots[0].Doc}
	case "html", "body", "":
	default:
		if _, err := a.page.capture(ctx); err != nil {
			return page, driver.ScrollState{}, err
		}
		if node, state, ok := scrollerOf(a.page.last.capture, a.node); ok {
			return node, state, nil
		}
	}
	now, err := a.page.driver.ScrollTo(ctx, page, driver.ScrollTarget{By: true})
	return page, now, err
}

// scrollerOf returns the element or its nearest ancestor in the document that
// can scroll, or what lies over its middle in it.
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
	if at, ok = placeOf(c, node); ok {
		box := at.node().Box
		x, y := box.X+box.Width/2, box.Y+box.Height/2
		for i, n := range at.subtree() {
			if s := n.Rare; s != nil && s.Scroll != nil && !s.Scroll.Clipped &&
				x >= n.Box.X && y >= n.Box.Y && x <= n.Box.X+n.Box.Width && y <= n.Box.Y+n.Box.Height {
				return c.Documents[at.doc].Ref(at.at + int32(i)), *s.Scroll, true
			}
		}
	}
	return driver.NodeRef{}, driver.ScrollState{}, false
}

// scrollIntoView scrolls the element to where it can be seen.
func (a *pointing) scrollIntoView(ctx context.Context) error {
	was, err := a.page.driver.Locate(ctx, a.node, nil)
	if err != nil {
		return err
	}
	var at *driver.Location
	if err := a.sending(nil, func(driver.Target) (err error) {
		at, err = a.page.driver.Locate(ctx, a.node, &driver.LocateOptions{Scroll: true})
		return err
	}); err != nil {
		return err
	}
	if !at.Visible || !at.InView {
		return fmt.Errorf("%w: it cannot be scrolled into view", driver.ErrNotVisible)
	}
	a.displaced = at.Box != was.Box
	return nil
}
