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

// A methodSpec is everything that the engine knows about a method. A new method
// is a constant, a row of this table, and the function that the row names;
// prompts, validation, results and the cache read the rest from here.
type methodSpec struct {
	name Method
	old  string // its name in actions that other tools stored

	takes    arguments
	offer    string       // what Act's prompt says after the name; adjacent methods with the same text share it
	done     string       // past tense; %s is the element
	sends    string       // what was sent, for errors
	needs    need         // what the element must satisfy before input is sent
	confirms confirmation // what confirms that it worked
	presses  bool         // see Method.Presses
	prepares bool         // see Method.Prepares

	// perCall reports that an action alone does not describe the call, so it
	// cannot be cached: a drop target has no fingerprint, and files belong to a
	// call.
	perCall bool

	// perform waits until the element can take the input, sends it, and sets
	// what to expect.
	perform func(*attempt, context.Context) error
}

// arguments describe what a method takes: the number of arguments, and the
// words of a gesture that may follow them.
type arguments struct {
	least, most int
	kind        argumentKind
	gestures    input.Takes
}

// An argumentKind says how arguments are checked.
type argumentKind uint8

const (
	wordArgument argumentKind = iota
	textArgument              // for a field
	nodeArgument              // another element: a ref in a model's answer, a selector in an action
	pathArgument              // of a file
)

// A confirmation says what confirms that a method worked.
type confirmation uint8

const (
	byPage    confirmation = iota // an effect that the page shows
	byReading                     // the same, but it may be styling only, so the page is read before
	byElement                     // the element's own state, which may have been right before
	byFocus                       // the element has, or has lost, the focus
)

// An attempt is one method under way on one element. args hold the values of
// variables and go nowhere but into input.
type attempt struct {
	page     *Page
	node     driver.NodeRef
	method   *methodSpec
	args     []string
	template []string          // args with placeholders instead of values
	gesture  input.Gesture     // the gesture among the arguments
	drop     *element          // the drop target; nil if an argument names it
	files    map[string][]byte // contents that arguments may name
	role     string            // of the element, if known
	// expected is the effect of the same action when the cache recorded it.
	expected  Effect
	hostBound bool // an argument holds a value that is bound to hosts

	print  *Fingerprint  // of the intended element; nil if nothing is known
	known  reading       // the reading in which it was last verified; without a capture, the browser has described it at the glance
	around *Surroundings // of it, when the action was stored

	// selected, if not nil, must select the element when the input arrives.
	selected *driver.Selection

	before *driver.State  // the element before the input
	glance *driver.Glance // what was seen before all; nil if it is used

	glanced bool // there was one

	hold    *Hold // what it may send is held; nil if nobody asked for that
	decided int   // what hold had decided before

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

	// ifUnseen, if set, is the verdict on an attempt for which watchPage found
	// no effect.
	ifUnseen func(context.Context) error

	pressed     driver.Point   // where a press was sent to
	targetMoved bool           // another element was there at the release
	released    driver.NodeRef // that element

	scroll    *ScrollSeen
	displaced bool // the element moved: into view, or by a drag
	hadFocus  bool // it had the focus when a key was pressed

	// earlier is the page right before input that may move the focus or a position
	// anywhere; nil for other input.
	earlier *Snapshot

	formatted  bool     // the field reformatted the text
	taken      bool     // the control took what was sent, whatever the page does with it since
	shown      string   // what a person sees in place of the list that the choice is for
	unseen     bool     // nobody sees that list
	remade     bool     // the page made something else of it
	chosen     []string // labels of the options that are to be chosen, quoted
	keyIgnored bool     // a key of a text produced no character
	consumed   string   // what the page did with a text that the field does not show
	suggest    bool     // typed where the page may show suggestions
}

// sending is the only way to send something that a page may act on. It marks
// the point of no return, and the moment that settling counts from. send gets what it
// is meant for, and gets it from nowhere else, so that no call can forget a part: the
// element with the label that it has at a location, if there is one, and what its
// selector selects.
//
// Input that the driver withheld completely was not sent.
func (a *attempt) sending(at *driver.Location, send func(aim driver.Target) error) error {
	now, before := time.Now(), a.sent
	aim := driver.Target{At: a.node, Selected: a.selected, Continued: a.sent}
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
func (a *attempt) lookBefore(ctx context.Context) error {
	if _, err := a.page.capture(ctx); err != nil {
		return err
	}
	a.earlier = a.page.build(nil)
	return nil
}

// focusing is sending for what gives the focus before the input itself: if that is
// withheld, nothing was sent that could be done twice.
func (a *attempt) focusing(at *driver.Location, send func(aim driver.Target) error) error {
	first := !a.sent || a.onlyFocus
	err := a.sending(at, send)
	a.onlyFocus = err == nil && first
	return err
}

// state reads the element, which must still exist.
func (a *attempt) state(ctx context.Context) (*driver.State, error) {
	if g := a.glance; g != nil && g.State != nil {
		s := g.State
		g.State = nil
		return s, nil
	}
	return a.page.driver.State(ctx, a.node)
}

// wrongMethod is the error for a method that does not fit its element.
func (a *attempt) wrongMethod(advice string, args ...any) error {
	kind := "<" + a.before.Tag + ">"
	if a.before.Type != "" {
		kind = "<" + a.before.Tag + " type=" + a.before.Type + ">"
	}
	return fmt.Errorf("%w: %s does not go with %s: %s", ErrInvalid, a.method.name, kind, fmt.Sprintf(advice, args...))
}

// sentSoFar says how much was sent; err is the error of sending it.
func (a *attempt) sentSoFar(err error) Sent {
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
func (a *attempt) unknownOutcome(sent Sent, err error) error {
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

// maxMisses is how often input may find another element at its target.
const maxMisses = 3

// send sends input to the attempt's element. The driver withholds what would go
// elsewhere; if it withholds everything, nothing was sent. If at is set, the
// element must still have the label that it had there.
func (a *attempt) send(ctx context.Context, at *driver.Location, events ...driver.InputEvent) error {
	return a.sendAs(ctx, at, driver.Target{}, events...)
}

// sendAs is send; how's Only and Text say how the driver treats keys.
func (a *attempt) sendAs(ctx context.Context, at *driver.Location, how driver.Target, events ...driver.InputEvent) error {
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
func (a *attempt) labelForKeys(at *driver.Location) *driver.Location {
	named := a.before.Editable
	switch a.before.Tag {
	case "a", "button", "input", "select", "summary", "textarea":
		named = true
	}
	if !named && (a.role == "" || unnamed[a.role]) {
		return nil
	}
	return at
}

// unnamed are the roles whose text is not a name.
var unnamed = map[string]bool{
	"application": true, "document": true, "generic": true, "grid": true, "group": true, "list": true, "listbox": true, "log": true,
	"region": true, "table": true, "text": true, "textbox": true, "tree": true, "treegrid": true,
}

// notClicked judges a press whose release went elsewhere, so that no click reached the
// element. The page may well have reacted to the press, as a list that closes on a
// choice, or a field that a calendar opens over. But if the element stands elsewhere
// now, the page moved it away from under the pointer. If it stands where it was, it was
// away for the moment of the release, with what is around it hit instead: by a style of
// a pressed button, or below the picture of a view transition. Without an effect it was not clicked then; what the page
// shows beside may be the press's doing or that of the transition.
func (a *attempt) notClicked(ctx context.Context, effect Effect) error {
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
func (a *attempt) isWithin(ctx context.Context, outer driver.NodeRef) bool {
	_, err := a.page.capture(ctx)
	return err == nil && encloses(a.page.last.capture, outer, a.node)
}

// pointAt locates the element and sends the input that events makes of its
// position.
func (a *attempt) pointAt(ctx context.Context, n need, events func(at driver.Point) []driver.InputEvent) error {
	return a.whenReady(ctx, n, func(at *driver.Location) error {
		a.pressed = at.At
		return a.send(ctx, at, events(at.At)...)
	})
}

// whenReady locates the element and calls do with its location. If the page
// changed in between so that nothing was sent, it tries again.
func (a *attempt) whenReady(ctx context.Context, n need, do func(at *driver.Location) error) error {
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

// worthRetrying reports a miss whose reason may be gone, or clearer, at another
// look.
func worthRetrying(err error) bool {
	return errors.Is(err, driver.ErrObscured) || errors.Is(err, driver.ErrChanged) || errors.Is(err, driver.ErrDisabled)
}

// maxIdentified bounds how often an element is verified anew because the page
// keeps changing. On a page that never rests the attempt continues if the
// element's label is stable.
const maxIdentified = 3

// ready is Page.ready for an element that must still be the intended one. Lists
// that re-render reuse their nodes, so if the page changed since the element
// was read, it is verified and located again.
func (a *attempt) ready(ctx context.Context, n need) (*driver.Location, error) {
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

// checkElement verifies that an element with a fingerprint still is what it was
// in the reading in which it was chosen.
func (p *Page) checkElement(ctx context.Context, el *element) error {
	if el.print == nil {
		return nil
	}
	if _, err := p.capture(ctx); err != nil || p.last.capture == el.known.capture {
		return err
	}
	now := p.build(nil)
	if err := p.verify(now, el.node, el.print); err != nil {
		return err
	}
	return checkRow(el.known.snapshot(), el.node, now, el.node)
}

// identify verifies the element's fingerprint and row, and reports whether the
// page changed since they were last verified.
func (a *attempt) identify(ctx context.Context) (changed bool, _ error) {
	if a.print == nil || a.sent {
		return false, nil
	}
	if _, err := a.page.capture(ctx); err != nil {
		return false, err
	}
	if a.page.last.capture == a.known.capture {
		return false, nil
	}
	now := a.page.build(nil)
	if err := a.page.verify(now, a.node, a.print); err != nil {
		return true, err
	}
	before := a.known
	a.known = a.page.last
	if before.capture == nil {
		return true, a.page.checkSurroundings(a.around, now, a.node)
	}
	return true, checkRow(before.snapshot(), a.node, now, a.node)
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

// ready scrolls an element, or a place in it, into view, waits until all needs
// are met, and returns its location. It gives up at once if waiting cannot
// help, and otherwise after [Options].Patience, and names the obstacle.
func (p *Page) ready(ctx context.Context, node driver.NodeRef, n need, place *driver.Offset) (*driver.Location, error) {
	deadline := time.Now().Add(p.session.patience())
	pause := firstPause
	var last driver.Rect
	for looks := 0; ; looks++ {
		at, err := p.driver.Locate(ctx, node, &driver.LocateOptions{Scroll: n != 0, Offset: place})
		if err != nil {
			return nil, err
		}
		obstacle, moved := n.unmet(at), looks > 0 && at.Box != last
		if obstacle == nil && moved {
			obstacle = ErrNotStill
		}
		if obstacle == nil {
			return at, nil
		}
		if !time.Now().Before(deadline) || looks > 0 && !moved && p.idle(ctx) {
			return nil, p.nameObstacle(ctx, obstacle, node, at)
		}
		last = at.Box
		if err := wait(ctx, min(pause, time.Until(deadline))); err != nil {
			return nil, fmt.Errorf("%w: %w", err, obstacle)
		}
		pause = min(2*pause, lastPause)
	}
}

// unmet returns the first need that is not met, nil if all are.
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

// nameObstacle says more of why an element cannot be pressed: role and name of what
// covers it, and what around it takes the press instead, where a field or a switch
// of a component library is only the part of a box that is not seen, and the key
// that works there.
func (p *Page) nameObstacle(ctx context.Context, obstacle error, node driver.NodeRef, at *driver.Location) error {
	covered := errors.Is(obstacle, driver.ErrObscured) && !at.Hit.IsZero()
	unseen := at.Unseen && !at.Disabled && !at.AriaDisabled
	if !covered && !unseen && !errors.Is(obstacle, driver.ErrNotVisible) {
		return obstacle
	}
	if _, err := p.capture(ctx); err != nil {
		return obstacle // without a name
	}
	snap := p.build(nil)
	hit := at.Hit
	if !covered {
		hit = driver.NodeRef{} // it is beside the point
	}
	around := pressableAround(snap, node, hit)
	switch {
	case covered:
		obstacle = coveredBy(snap, &CoveredError{Around: around, err: obstacle}, node, hit)
	case around != "":
		obstacle = fmt.Errorf("%w: [%s] around it takes clicks", obstacle, around)
	}
	if n, ok := snap.Find(node); ok && unseen && keyFor(n.Role) != "" {
		return fmt.Errorf("%w; nobody sees it, and the keyboard reaches it: press %s", obstacle, keyFor(n.Role))
	}
	return obstacle
}

// verify compares an element of a snapshot with the fingerprint of the action
// that names it.
func (p *Page) verify(snap *Snapshot, node driver.NodeRef, want *Fingerprint) error {
	if want == nil {
		return nil
	}
	found, ok := snap.Find(node)
	if !ok {
		return fmt.Errorf("%w: %s was meant, and what is there now says nothing of itself", ErrMismatch, want)
	}
	// The fingerprint was stored without values of variables.
	if got := fingerprint(found); got != *want && p.session.hidePrint(got) != p.session.hidePrint(*want) {
		return fmt.Errorf("%w: %s was meant, %s is there", ErrMismatch, want, got)
	}
	return nil
}

// aim is what the input of a method is meant for, before the element is known;
// nil if it sends none, or something else before.
func (m *methodSpec) aim(by *driver.Selection) *driver.Target {
	if m.name == SelectOption || m.needs == 0 && m.name != Press {
		return nil
	}
	return &driver.Target{Selected: by}
}
