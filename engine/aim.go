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
// is withheld by the driver; if that is all of it, nothing was sent. The element
// has to say what it said at a look, if one is given.
func (d *deed) send(ctx context.Context, at *driver.Location, events ...driver.InputEvent) error {
	return d.sendTo(ctx, d.aim(at), events...)
}

func (d *deed) sendTo(ctx context.Context, aim driver.Target, events ...driver.InputEvent) error {
	if err := d.keepFocus(ctx, events); err != nil {
		return err
	}
	events = slices.Concat([]driver.InputEvent{aim}, events)
	err := d.sending(func() error { return d.page.driver.Input(ctx, events...) })
	if errors.Is(err, driver.ErrTargetMoved) {
		d.slipped = true // what the page made of the press decides
		return nil
	}
	return err
}

// aim says what input is meant for: the element as it was at a look, and as long
// as nothing was sent, what its selector selects.
func (d *deed) aim(at *driver.Location) driver.Target {
	aim := driver.Target{At: d.node}
	if at != nil {
		aim.Label = &at.Label
	}
	if !d.sent {
		aim.Selected = d.selected
	}
	return aim
}

// keyed is a look as far as keys are held to it: what has no label but its own
// text, and no purpose that the text tells of, may well show what is typed.
func (d *deed) keyed(at *driver.Location) *driver.Location {
	named := d.before.Editable
	switch d.before.Tag {
	case "a", "button", "input", "select", "summary", "textarea":
		named = true
	}
	if !named && (d.role == "" || unnamed[d.role]) {
		return nil
	}
	return at
}

// unnamed are roles of elements whose text is no name of theirs.
var unnamed = map[string]bool{
	"application": true, "document": true, "generic": true, "grid": true, "group": true, "list": true, "listbox": true, "log": true,
	"region": true, "table": true, "text": true, "textbox": true, "tree": true, "treegrid": true,
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

// point sends the press that events makes of the element's place.
func (d *deed) point(ctx context.Context, n need, events func(at driver.Point) []driver.InputEvent) error {
	return d.aimed(ctx, n, func(at *driver.Location) error {
		d.pressed = at.At
		return d.send(ctx, at, events(at.At)...)
	})
}

// aimed looks at the element and does what is meant for it as it is there. If
// something has come between the look and the input, so that nothing was sent, it
// looks again.
func (d *deed) aimed(ctx context.Context, n need, do func(at *driver.Location) error) error {
	var before *driver.Location
	for misses := 1; ; misses++ {
		at, err := d.ready(ctx, n)
		if err != nil {
			return err
		}
		moved := before != nil && before.Box != at.Box
		before = at
		err = do(at)
		missed, ok := errors.AsType[*driver.MissedError](err)
		switch {
		case !ok:
			return err
		case moved && !d.sent && misses == mostMisses:
			return ErrNotStill
		case d.sent || misses == mostMisses || !mayPass(err):
			return d.page.nameObstacle(ctx, err, d.node, missed.By)
		}
	}
}

// mayPass reports a miss whose reason another look may find gone, or can tell
// better.
func mayPass(err error) bool {
	return errors.Is(err, driver.ErrObscured) || errors.Is(err, driver.ErrChanged) || errors.Is(err, driver.ErrDisabled)
}
