package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

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

// mostIdentified bounds how often an element is read anew because the page
// changed meanwhile. A page that never rests is acted on all the same, if the
// element says what it said before it was read for the last time.
const mostIdentified = 3

// ready is Page.ready, for an element that is known to be the one that was
// meant. A page may show something else at the same node by now (lists do that
// which render anew and keep their nodes), so where the page has changed since
// the element was read, it is read again, and located once more.
func (d *deed) ready(ctx context.Context, n need) (*driver.Location, error) {
	says := ""
	for tries := 0; ; tries++ {
		at, err := d.page.ready(ctx, d.node, n, d.gesture.at)
		if err != nil {
			return nil, err
		}
		if tries == mostIdentified {
			if at.Label != says {
				return nil, fmt.Errorf("%w: %s was meant, and what is there says something else each time", ErrMismatch, d.print)
			}
			return at, nil
		}
		says = at.Label
		changed, err := d.identify(ctx)
		if err != nil {
			return nil, err
		}
		if !changed {
			return at, nil
		}
	}
}

// stillThere makes sure that an element of which something is known is what it
// was in the reading in which it was chosen.
func (p *Page) stillThere(ctx context.Context, el *element) error {
	if el.print == nil {
		return nil
	}
	if _, err := p.capture(ctx); err != nil || p.seen.capture == el.known.capture {
		return err
	}
	now := p.build(nil)
	if err := p.verify(now, el.node, el.print); err != nil {
		return err
	}
	return keepsRow(el.known.snapshot(), el.node, now, el.node)
}

// identify makes sure that the element still has the fingerprint of the action
// and stands where it stood, and reports whether the page has changed since that was last known.
func (d *deed) identify(ctx context.Context) (changed bool, _ error) {
	if d.print == nil || d.sent {
		return false, nil
	}
	if _, err := d.page.capture(ctx); err != nil {
		return false, err
	}
	if d.page.seen.capture == d.known.capture {
		return false, nil
	}
	now := d.page.build(nil)
	if err := d.page.verify(now, d.node, d.print); err != nil {
		return true, err
	}
	before := d.known.snapshot()
	d.known = d.page.seen
	return true, keepsRow(before, d.node, now, d.node)
}

// A need says what must hold of an element before input is sent to it.
type need uint8

const (
	needVisible need = 1 << iota // and still, in view, and not inert
	needEnabled
	needReached  // the point hits it
	needWritable // not read-only
)

// What the methods need.
const (
	needPointer = needVisible | needEnabled | needReached
	needHover   = needVisible | needReached
	needTyping  = needVisible | needEnabled | needWritable
)

// The pauses between two looks at an element that cannot be used yet: two
// frames, then longer.
const (
	firstPause = 32 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// ready brings an element, or a place in it, into view and waits until all that
// is needed holds, then returns where it is. It gives up at once where waiting cannot help, and
// otherwise after [Options].Patience, with what was in the way.
func (p *Page) ready(ctx context.Context, node driver.NodeRef, n need, place *driver.Offset) (*driver.Location, error) {
	deadline := time.Now().Add(p.session.patience())
	pause := firstPause
	var last driver.Rect
	for looks := 0; ; looks++ {
		at, err := p.driver.Locate(ctx, node, &driver.LocateOptions{Scroll: n != 0, Offset: place})
		if err != nil {
			return nil, err
		}
		obstacle := n.unmet(at)
		if obstacle == nil && looks > 0 && at.Box != last {
			obstacle = ErrNotStill
		}
		if obstacle == nil {
			return at, nil
		}
		if !time.Now().Before(deadline) || looks > 0 && p.idle(ctx) {
			return nil, p.nameObstacle(ctx, obstacle, node, at.Hit)
		}
		last = at.Box
		if err := wait(ctx, min(pause, time.Until(deadline))); err != nil {
			return nil, fmt.Errorf("%w: %w", err, obstacle)
		}
		pause = min(2*pause, lastPause)
	}
}

// unmet returns what speaks against acting on the element now, nil if nothing does.
func (n need) unmet(at *driver.Location) error {
	switch {
	case n&needVisible != 0 && !at.Visible:
		return driver.ErrNotVisible
	case n&needEnabled != 0 && at.Disabled:
		return fmt.Errorf("%w: it is disabled", ErrDisabled)
	case n&needEnabled != 0 && at.AriaDisabled:
		return fmt.Errorf("%w: it says that it is disabled (aria-disabled)", ErrDisabled)
	case n&needVisible != 0 && at.Inert:
		return fmt.Errorf("%w: it is inert, or lets the pointer through", ErrDisabled)
	case n&needWritable != 0 && at.ReadOnly:
		return fmt.Errorf("%w: it is read-only", ErrDisabled)
	case n&needVisible != 0 && at.Moving:
		return ErrNotStill
	case n&needReached != 0 && !at.InView:
		return fmt.Errorf("%w: it cannot be scrolled into view", driver.ErrNotVisible)
	case n&needReached != 0 && !at.Reached:
		return &driver.ObscuredError{By: at.Hit}
	}
	return nil
}

// nameObstacle gives an element that covers the other its role and name.
func (p *Page) nameObstacle(ctx context.Context, obstacle error, node, hit driver.NodeRef) error {
	if !errors.Is(obstacle, driver.ErrObscured) || hit.IsZero() {
		return obstacle
	}
	if _, err := p.capture(ctx); err != nil {
		return obstacle // the name is a courtesy
	}
	covered := &CoveredError{err: obstacle}
	snap := p.build(nil)
	at, ok := placeOf(snap.Capture, hit)
	if !ok {
		return covered
	}
	// What holds both says nothing about what lies on top.
	if n, ok := snap.Nearest(hit); ok && !around(snap.Capture, n.Source, node) {
		covered.Ref, covered.By = n.Ref, fingerprint(n).String()
	} else {
		covered.By = at.describe()
	}
	return covered
}
