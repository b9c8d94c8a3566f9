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
