package engine

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// scrollTo scrolls the element's content, or the page's where the element has
// nothing to scroll, to a share of its length.
func (d *deed) scrollTo(ctx context.Context) error {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(d.args[0]), "%"), 64)
	if err != nil || percent < 0 || percent > 100 {
		return fmt.Errorf("%w: scrollTo %q; write a share from 0%% to 100%%", ErrInvalid, d.args[0])
	}
	return d.scrollBy(ctx, func(driver.ScrollState) driver.ScrollTarget {
		return driver.ScrollTarget{Percent: &percent}
	})
}

func (d *deed) nextChunk(ctx context.Context) error { return d.scrollChunk(ctx, +1) }
func (d *deed) prevChunk(ctx context.Context) error { return d.scrollChunk(ctx, -1) }

// scrollChunk moves on by what is shown now.
func (d *deed) scrollChunk(ctx context.Context, direction float64) error {
	return d.scrollBy(ctx, func(now driver.ScrollState) driver.ScrollTarget {
		return driver.ScrollTarget{Y: direction * now.View.Height, By: true}
	})
}

func (d *deed) scrollByPixels(ctx context.Context) error {
	var offset [2]float64
	for i, arg := range d.args {
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(arg), "px"), 64)
		if err != nil {
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

// scrollBy scrolls the element itself if it has something to scroll, and else
// the page that it is in.
func (d *deed) scrollBy(ctx context.Context, target func(now driver.ScrollState) driver.ScrollTarget) error {
	node, before := d.node, d.before.Scroll
	root := d.before.Tag == "html" || d.before.Tag == "body"
	if root || before.MaxX <= 0 && before.MaxY <= 0 {
		node = driver.NodeRef{Frame: d.node.Frame, Doc: d.node.Doc}
		var err error
		if before, err = d.page.driver.ScrollTo(ctx, node, driver.ScrollTarget{By: true}); err != nil {
			return err
		}
	}
	var after driver.ScrollState
	if err := d.sending(func() (err error) {
		after, err = d.page.driver.ScrollTo(ctx, node, target(before))
		return err
	}); err != nil {
		return err
	}
	d.scroll = &ScrollSeen{BeforeY: before.Y, AfterY: after.Y, MaxY: after.MaxY}
	return nil
}

func (d *deed) scrollIntoView(ctx context.Context) error {
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
	return nil
}

// setFiles gives a file input its files.
func (d *deed) setFiles(ctx context.Context) error {
	if d.before.Tag != "input" || d.before.Type != "file" {
		return d.unfit("it is for file inputs")
	}
	if len(d.args) > 1 && !d.before.Multiple {
		return fmt.Errorf("%w: the input takes one file, got %d", ErrInvalid, len(d.args))
	}
	if d.before.Disabled {
		return fmt.Errorf("%w: it is disabled", ErrDisabled)
	}
	d.expect = func(after *driver.State) error {
		if len(after.Files) != len(d.args) {
			return fmt.Errorf("%w: the input holds %d of %d files", ErrNoEffect, len(after.Files), len(d.args))
		}
		return nil
	}
	return d.sending(func() error { return d.page.driver.SetFiles(ctx, d.node, d.args...) })
}
