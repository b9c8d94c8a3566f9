package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// delivery brings input to the element that was meant, once, and knows what of it
// was sent. It is the lowest layer of an attempt.
type delivery struct {
	page *Page
	element
	method   *methodSpec
	args     []string      // with the values of variables: they go nowhere but into input
	template []string      // args with placeholders instead of values
	gesture  input.Gesture // the gesture among the arguments

	before  *driver.State // the element before the input
	glanced bool          // there was a glance

	// sent is set before the first input goes out. From then on nothing may be
	// repeated.
	sent   bool
	sentAt time.Time

	onlyFocus bool // all that was sent gave the element the focus

	// expect, if set, tells from the element's state afterwards whether it
	// worked.
	expect func(after *driver.State) error

	// watchPage reports that the effect need not show at the element, so the
	// page must be watched for one.
	watchPage bool

	pressed     driver.Point   // where a press was sent to
	targetMoved bool           // another element was there at the release
	released    driver.NodeRef // that element

	// earlier is the page right before input that may move the focus or a position
	// anywhere; nil for other input.
	earlier *Snapshot

	keyIgnored bool // a key of a text produced no character
	suggest    bool // typed where the page may show suggestions
}

// sending is the only way to send something that a page may act on. It marks
// the point of no return, and the moment that settling counts from. send gets what it
// is meant for, and gets it from nowhere else, so that no call can forget a part: the
// element with the label that it has at a location, if there is one, and what its
// selector selects.
//
// Input that the driver withheld completely was not sent.
func (a *delivery) sending(at *driver.Location, send func(aim driver.Target) error) error {
	now, before := time.Now(), a.sent
	aim := driver.Target{At: a.node, Selected: a.selection(), Continued: a.sent}
	if !a.sent || a.onlyFocus { // from then on, the page may have reacted
		aim.Beside = a.beside()
	}
	if at != nil {
		aim.Label = &at.Label
	}
	only := a.onlyFocus
	a.glance, a.onlyFocus = nil, false
	if !a.sent {
		a.sent, a.sentAt = true, now
	}
	a.page.watch.sends(now, a.suggest)
	err := send(aim)
	a.page.watch.answered(time.Now())
	missed, ok := errors.AsType[*driver.MissedError](err)
	if ok && !missed.Taken || !ok && errors.Is(err, driver.ErrNotFocusable) {
		a.sent, a.onlyFocus = before, only
	}
	if errors.Is(err, driver.ErrChanged) {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	return err
}

// lookBefore reads the page before input that may move the focus or a position anywhere.
// By then the element is in view and has the focus, so that only what the input moves
// is different afterwards.
func (a *delivery) lookBefore(ctx context.Context) error {
	if _, err := a.page.capture(ctx); err != nil {
		return err
	}
	a.earlier = a.page.build(nil)
	return nil
}

// focusing is sending for what gives the focus before the input itself: if that is
// withheld, nothing was sent that could be done twice.
func (a *delivery) focusing(at *driver.Location, send func(aim driver.Target) error) error {
	first := !a.sent || a.onlyFocus
	err := a.sending(at, send)
	a.onlyFocus = err == nil && first
	return err
}

// state reads the element, which must still exist.
func (a *delivery) state(ctx context.Context) (*driver.State, error) {
	if g := a.glance; g != nil && g.State != nil {
		s := g.State
		g.State = nil
		return s, nil
	}
	return a.page.driver.State(ctx, a.node)
}

// wrongMethod is the error for a method that does not fit its element.
func (a *delivery) wrongMethod(advice string, args ...any) error {
	kind := "<" + a.before.Tag + ">"
	if a.before.Type != "" {
		kind = "<" + a.before.Tag + " type=" + a.before.Type + ">"
	}
	return fmt.Errorf("%w: %s does not go with %s: %s", ErrInvalid, a.method.name, kind, fmt.Sprintf(advice, args...))
}

// sentSoFar says how much was sent; err is the error of sending it.
func (a *delivery) sentSoFar(err error) Sent {
	switch {
	case !a.sent:
		return SentNone
	case err == nil:
		return SentAll
	case a.onlyFocus:
		return SentNone
	}
	return SentPossible
}

// unknownOutcome marks an error after input whose outcome is unknown.
func (a *delivery) unknownOutcome(sent Sent, err error) error {
	if err == nil || sent == SentNone || errors.Is(err, ErrNoEffect) || errors.Is(err, driver.ErrBlocked) || errors.Is(err, ErrWithheld) ||
		errors.As(err, new(*driver.NavigationError)) {
		return err
	}
	how := "was sent"
	if sent == SentPossible {
		how = "may have been sent"
		if errors.As(err, new(*driver.MissedError)) {
			how = "was sent in part"
		}
	}
	return fmt.Errorf("%s %s; %w (%w)", a.method.sends, how, ErrMayHaveHappened, err)
}

// send sends input to the attempt's element. The driver withholds what would go
// elsewhere; if it withholds everything, nothing was sent. If at is set, the
// element must still have the label that it had there.
func (a *delivery) send(ctx context.Context, at *driver.Location, events ...driver.InputEvent) error {
	return a.sendAs(ctx, at, driver.Target{}, events...)
}

// sendAs is send; how's Only and Text say how the driver treats keys.
func (a *delivery) sendAs(ctx context.Context, at *driver.Location, how driver.Target, events ...driver.InputEvent) error {
	err := a.sending(at, func(aim driver.Target) error {
		aim.Only, aim.Text = how.Only, how.Text
		return a.page.driver.Input(ctx, slices.Concat([]driver.InputEvent{aim}, events)...)
	})
	switch {
	case errors.Is(err, driver.ErrTargetMoved):
		a.targetMoved = true // the page's reaction to the press decides
		if missed, ok := errors.AsType[*driver.MissedError](err); ok {
			a.released = missed.By
		}
		return nil
	case errors.Is(err, driver.ErrNotTyped):
		a.keyIgnored = true // the field and the page decide
		return nil
	}
	return err
}

// labelForKeys returns the location whose label keys are held to, or nil for an
// element that may show what is typed: one without a name besides its text.
func (a *delivery) labelForKeys(at *driver.Location) *driver.Location {
	named := a.before.Editable
	switch a.before.Tag {
	case "a", "button", "input", "select", "summary", "textarea":
		named = true
	}
	if !named && (a.role() == "" || unnamed[a.role()]) {
		return nil
	}
	return at
}

// notClicked judges a press whose release went elsewhere, so that no click reached the
// element. The page may well have reacted to the press, as a list that closes on a
// choice, or a field that a calendar opens over. But if the element stands elsewhere
// now, the page moved it away from under the pointer. If it stands where it was, it was
// away for the moment of the release, with what is around it hit instead: by a style of
// a pressed button, or below the picture of a view transition. Without an effect it was not clicked then; what the page
// shows beside may be the press's doing or that of the transition.
func (a *delivery) notClicked(ctx context.Context, effect Effect) error {
	if a.released == a.node {
		return nil // what was pressed within it is gone, and the sentence says so
	}
	at, err := a.page.driver.Locate(ctx, a.node, nil)
	if err != nil || !at.Visible || at.Disabled || at.Inert || at.InView && !at.Reached && !a.isWithin(ctx, at.Hit) {
		return nil
	}
	if x, y := a.pressed.X-at.Box.X, a.pressed.Y-at.Box.Y; x >= 0 && y >= 0 && x <= at.Box.Width && y <= at.Box.Height {
		if !a.isWithin(ctx, a.released) {
			return nil // something else came over it
		}
		if effect == EffectNone {
			return fmt.Errorf("%w: the element was away when the button was released, so that it had no click", ErrNoEffect)
		}
		return errors.New("the page changed, and the element had no click: it was away when the button was released")
	}
	return fmt.Errorf("%w: the page moved the element away between press and release, so that it had no click", ErrNoEffect)
}

// isWithin reports that the element is below another in the page's tree.
func (a *delivery) isWithin(ctx context.Context, outer driver.NodeRef) bool {
	_, err := a.page.capture(ctx)
	return err == nil && encloses(a.page.last.capture, outer, a.node)
}

// pointAt locates the element and sends the input that events makes of its
// position.
func (a *delivery) pointAt(ctx context.Context, n need, events func(at driver.Point) []driver.InputEvent) error {
	return a.whenReady(ctx, n, func(at *driver.Location) error {
		a.pressed, a.page.rests = at.At, true
		return a.send(ctx, at, events(at.At)...)
	})
}

// whenReady locates the element and calls do with its location. If the page
// changed in between so that nothing was sent, it tries again.
func (a *delivery) whenReady(ctx context.Context, n need, do func(at *driver.Location) error) error {
	var before *driver.Location
	for misses := 1; ; misses++ {
		at, err := a.ready(ctx, n)
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
		case moved && !a.sent && misses == maxMisses:
			return ErrNotStill
		case a.sent || misses == maxMisses || !worthRetrying(err):
			return a.page.nameObstacle(ctx, err, a.node, &driver.Location{Hit: missed.By})
		}
	}
}

// ready is Page.ready for an element that must still be the intended one. Lists
// that re-render reuse their nodes, so if the page changed since the element
// was read, it is verified and located again.
func (a *delivery) ready(ctx context.Context, n need) (*driver.Location, error) {
	label := ""
	for tries := 0; ; tries++ {
		at, err := takeLocation(a.glance), error(nil)
		if at != nil && (a.gesture.At != nil || n.unmet(at) != nil) {
			at = nil
		}
		if at != nil && a.print != nil && (a.known.holds(a.glance) || a.known.capture == nil) {
			return at, nil
		}
		if at == nil {
			at, err = a.page.ready(ctx, a.node, n, a.gesture.At)
		}
		if err != nil {
			return nil, err
		}
		if tries == maxIdentified {
			if at.Label != label {
				return nil, fmt.Errorf("%w: %s was meant, and what is there says something else each time", ErrMismatch, a.print)
			}
			return at, nil
		}
		label = at.Label
		changed, err := a.identify(ctx)
		if err != nil {
			return nil, err
		}
		if !changed {
			return at, nil
		}
	}
}

// identify verifies, before input is sent, that the element still is what was meant,
// and reports whether the page changed since that was last verified.
func (a *delivery) identify(ctx context.Context) (changed bool, _ error) {
	if a.sent {
		return false, nil
	}
	return a.page.checkElement(ctx, &a.element)
}
