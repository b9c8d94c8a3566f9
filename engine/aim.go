package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// mostMisses is how often a press may find something else at its place.
const mostMisses = 3

// send sends input that is meant for the deed's element. What would go elsewhere
// is withheld by the driver; if that is all of it, nothing was sent.
func (d *deed) send(ctx context.Context, events ...driver.InputEvent) error {
	return d.sendTo(ctx, driver.Aim{At: d.node}, events...)
}

// sendAt is send, for an element that has to say what it said at a look.
func (d *deed) sendAt(ctx context.Context, at *driver.Location, events ...driver.InputEvent) error {
	return d.sendTo(ctx, driver.Aim{At: d.node, Says: &at.Says}, events...)
}

func (d *deed) sendTo(ctx context.Context, aim driver.Aim, events ...driver.InputEvent) error {
	if err := d.keepFocus(ctx, events); err != nil {
		return err
	}
	before := d.sent
	events = slices.Concat([]driver.InputEvent{aim}, events)
	err := d.sending(func() error { return d.page.driver.Input(ctx, events...) })
	if missed, ok := errors.AsType[*driver.MissedError](err); ok && !missed.Taken {
		d.sent = before
	}
	switch {
	case errors.Is(err, driver.ErrChanged):
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	case errors.Is(err, driver.ErrSlipped):
		d.slipped = true // what the page made of the press decides
		return nil
	}
	return err
}

// notClicked judges a press that the element had without the release: a page may
// well answer the press itself, as a list that closes with the choice, and a
// field that a calendar opens over. Where the element stands elsewhere by now, the
// page has moved it away from under the pointer, and it had no click.
func (d *deed) notClicked(ctx context.Context) error {
	at, err := d.page.driver.Locate(ctx, d.node, nil)
	if err != nil || !at.Visible || at.Disabled || at.Inert || at.InView && !at.Reached {
		return nil
	}
	if x, y := d.pressed.X-at.Box.X, d.pressed.Y-at.Box.Y; x >= 0 && y >= 0 && x <= at.Box.Width && y <= at.Box.Height {
		return nil
	}
	return fmt.Errorf("%w: the page moved the element away between press and release, so that it had no click", ErrNoEffect)
}

// point sends the press that events makes of the element's place. If something
// has come between the look and the press, it looks again.
func (d *deed) point(ctx context.Context, n need, events func(at driver.Point) []driver.InputEvent) error {
	var before *driver.Location
	for misses := 1; ; misses++ {
		at, err := d.ready(ctx, n)
		if err != nil {
			return err
		}
		moved := before != nil && before.Box != at.Box
		before, d.pressed = at, at.At
		err = d.sendAt(ctx, at, events(at.At)...)
		missed, ok := errors.AsType[*driver.MissedError](err)
		switch {
		case !ok:
			return err
		case moved && !missed.Taken && misses == mostMisses:
			return ErrNotStill
		case missed.Taken || misses == mostMisses || !mayPass(err):
			return d.page.nameObstacle(ctx, err, d.node, missed.By)
		}
	}
}

// mayPass reports a miss whose reason another look may find gone, or can tell
// better.
func mayPass(err error) bool {
	return errors.Is(err, driver.ErrObscured) || errors.Is(err, driver.ErrChanged) || errors.Is(err, driver.ErrDisabled)
}
