package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// A Target says where an action goes. It is one of these:
//
//   - an element of a reading: Snapshot and Ref. The element is held to what it
//     was in that reading: its role, its name, its row. It is refused
//     ([ErrMismatch]) where the page shows something else at it by now.
//   - an element by Selector, a CSS selector or an XPath that names one element.
//     It has to be what the selector selects when the input arrives. Or the text of
//     a [Locator]; the element is held to what it is, as one of a reading.
//   - a point of the viewport: At alone. What lies there is found by hit-test and
//     then held to what it is. With Snapshot, the reading in which the point was
//     chosen, what lies there must be what lay there in that reading.
//   - what has the keyboard focus: Focused.
//
// At together with an element is a place within it.
type Target struct {
	Snapshot *Snapshot
	Ref      accessibility.Ref

	Selector string

	// At is in CSS pixels: from the upper left corner of the element's box, or
	// of the page's viewport if there is no element.
	At *driver.Offset

	Focused bool
}

// A Command is what to do to a [Target].
type Command struct {
	Method Method // Click if empty

	// Arguments are those of the method. They may hold %name% placeholders.
	Arguments []string

	// Description says in words what it is for; if empty, it is generated.
	Description string

	// Button and Modifiers apply to the pointer's methods: the button to press,
	// and the keys to hold.
	Button    driver.Button
	Modifiers driver.Modifiers

	// Drop is where DragAndDrop drops, instead of its argument.
	Drop *Target
}

// check rejects a target that names no element, or two.
func (t *Target) check() error {
	ways := 0
	for _, is := range []bool{t.Ref != "", t.Selector != "", t.Focused, t.Ref == "" && t.Selector == "" && !t.Focused && t.At != nil} {
		if is {
			ways++
		}
	}
	switch {
	case ways != 1:
		return fmt.Errorf("%w: a target is a ref, a selector, a point or the focus, and one of these", ErrInvalid)
	case t.Ref != "" && t.Snapshot == nil:
		return fmt.Errorf("%w: ref %q without the snapshot that it is of", ErrInvalid, t.Ref)
	case t.Ref != "":
		if _, ok := t.Snapshot.Lookup(t.Ref); !ok {
			return fmt.Errorf("%w: ref %q is not in the snapshot", ErrInvalid, t.Ref)
		}
	}
	return nil
}

// An element is a resolved target: a node, and what is known about it.
type element struct {
	node driver.NodeRef

	print  *Fingerprint  // nil if nothing is known
	known  reading       // the reading in which it was last verified; without a capture, the browser has described it at the glance
	around *Surroundings // when the action was stored

	held struct { // what beside returned, and of which reading
		capture *driver.Capture
		beside  *driver.Beside
	}

	// selector, if not empty, must select the node when the input arrives:
	// nothing else identifies the element. selected is how it does.
	selector string
	selected driver.Selection

	what string         // for messages
	path string         // the selector for the action; empty if not known yet
	at   *driver.Offset // the place in the element that a point hit
	drop *element       // what it is dropped on; nil if an argument says it

	glance *driver.Glance // what was seen of it a moment ago; nil if it is not to be used
}

// role is the element's, empty if it is not known.
func (el *element) role() string {
	if el.print == nil {
		return ""
	}
	return el.print.Role
}

// selection is what must select the element when the input arrives; nil if it is
// identified by what it is, or not at all.
func (el *element) selection() *driver.Selection {
	if el.print != nil || el.selector == "" {
		return nil
	}
	return &el.selected
}

// beside is the text that must still stand beside the element when the input arrives; nil
// if nothing tells it from others, or it is not known.
func (el *element) beside() *driver.Beside {
	if el.print == nil || el.known.capture == nil {
		return nil
	}
	if el.held.capture != el.known.capture {
		el.held.capture, el.held.beside = el.known.capture, besideOf(el.known.snapshot(), el.node)
	}
	return el.held.beside
}

// A resolver says which element a target or a stored action means.
type resolver struct{ page *Page }

// glance finds the one element that a stored action names, and all that is to be
// known of it and of the page before input is sent, in one round trip; aim makes the page
// ready for it. It returns nil where more is to be done for that: the page is not
// quiet, the element is not there yet, or the driver cannot.
func (r *resolver) glance(ctx context.Context, action *Action, aim func(*driver.Selection) *driver.Target) *element {
	g, ok := r.page.driver.(driver.Glancer)
	steps, err := accessibility.SplitSelector(action.Selector)
	if !ok || err != nil || len(steps) != 1 {
		return nil
	}
	if blocked, _, err := r.page.watch.blocked(); blocked || err != nil {
		return nil
	}
	by := driver.Selection{Selector: steps[0].Selector}
	at := driver.GlanceOptions{Selector: by.Selector, For: aim(&by), Styles: action.Method.spec().confirms == byReading}
	if print := action.Fingerprint; print != nil {
		at.For = aim(nil) // it is that which identifies the element
		if around := action.Surroundings; around != nil && (around.Alike > 1 || around.Head != "") {
			at.For = nil // Target.Beside is not known yet
		}
		if action.Surroundings != nil {
			at.Twins = &driver.Description{Tag: print.Tag, Name: print.Name}
		}
	}
	seen, err := g.Glance(ctx, at)
	if err != nil || seen.Node.IsZero() || r.page.watch.unquiet(seen.Activity, time.Now()) > 0 {
		g.Disarm()
		return nil // the usual way says what is wrong
	}
	return &element{node: seen.Node, selector: action.Selector, selected: by, what: action.Selector, path: action.Selector, glance: seen}
}

// disarm takes back what a glance has prepared for input that was not sent.
func (r *resolver) disarm() {
	if g, ok := r.page.driver.(driver.Glancer); ok {
		g.Disarm()
	}
}

// described reports that the browser describes an element as an action's fingerprint
// does, and that no other element could be meant. No means that it is not known.
func (r *resolver) described(ctx context.Context, el *element, action *Action) bool {
	g, ok := r.page.driver.(driver.Glancer)
	seen, print := el.glance, action.Fingerprint
	if !ok || seen == nil || seen.State == nil || seen.Location == nil || seen.State.Tag != print.Tag {
		return false
	}
	if around := action.Surroundings; around != nil {
		alone := seen.Twins == 1 && seen.Location.Label == print.Name && len(r.page.driver.Frames()) == 1
		if c := r.page.last.capture; around.Alike > 1 || around.Head != "" || !alone || c == nil || c.Documents[0].Doc != el.node.Doc {
			return false
		}
	}
	role, name, err := g.Described(ctx, el.node)
	return err == nil && role == print.Role && name == print.Name
}

// takeLocation returns, once, where an element was at a glance, if it could be
// pressed there without scrolling. What is different by the time of the input the
// driver notices.
func takeLocation(g *driver.Glance) *driver.Location {
	if g == nil || g.Location == nil {
		return nil
	}
	at := g.Location
	g.Location = nil
	if !at.InView || !at.Reached {
		return nil
	}
	return at
}

// resolve narrows a target to an element.
func (r *resolver) resolve(ctx context.Context, t Target) (*element, error) {
	switch {
	case t.Ref != "":
		n, _ := t.Snapshot.Lookup(t.Ref) // checked before
		el := r.elementIn(t.Snapshot, n)
		el.path = t.Snapshot.XPath(n)
		return el, nil
	case t.Selector != "":
		m, err := r.page.matchOne(ctx, t.Selector)
		if err != nil {
			return nil, err
		}
		if accessibility.IsLocator(t.Selector) {
			el := r.elementFor(r.page.build(nil), m.node) // it is held to what it is
			el.path = t.Selector
			return el, nil
		}
		return &element{node: m.node, selector: t.Selector, selected: m.by, what: t.Selector, path: t.Selector}, nil
	case t.Focused:
		return r.focusedElement(ctx)
	}
	return r.elementAt(ctx, *t.At, t.Snapshot)
}

// elementIn returns the element of a node of a reading.
func (r *resolver) elementIn(snap *Snapshot, n *accessibility.Node) *element {
	print := fingerprint(n)
	known := r.page.last
	if known.capture != snap.Capture {
		known = reading{capture: snap.Capture}
	}
	return &element{node: n.Source, print: &print, known: known, what: print.String()}
}

// focusedElement returns the element that has the keyboard focus, or the page
// itself.
func (r *resolver) focusedElement(ctx context.Context) (*element, error) {
	if _, err := r.page.capture(ctx); err != nil {
		return nil, err
	}
	at, ok := activeIn(r.page.last.capture)
	if !ok {
		return nil, fmt.Errorf("%w: nothing on the page has the focus", ErrNotFound)
	}
	return r.elementFor(r.page.build(nil), at.ref()), nil
}

// activeIn returns the focused element, in any frame.
func activeIn(c *driver.Capture) (place, bool) {
	at, ok := place{}, false
	for d := range c.Documents {
		doc := &c.Documents[d]
		inActive := doc.OwnerDocument < 0 || ok && at.doc == doc.OwnerDocument && at.at == doc.Owner
		if inActive && doc.Active >= 0 {
			at, ok = place{c, int32(d), doc.Active}, true
		}
	}
	return at, ok
}

// elementFor returns the element of a node with what the last reading knows
// about it.
func (r *resolver) elementFor(snap *Snapshot, node driver.NodeRef) *element {
	el := &element{node: node, known: r.page.last, what: "the element"}
	el.path, _ = snap.PathTo(node)
	if at, ok := placeOf(snap.Capture, node); ok {
		el.what = at.describe()
	}
	if n, ok := snap.Find(node); ok {
		print := fingerprint(n)
		el.print, el.what = &print, print.String()
	}
	return el
}

// elementAt returns the element at a point of the viewport, with the point's
// place in it. If before is not nil, the element must have been there in that
// reading.
func (r *resolver) elementAt(ctx context.Context, point driver.Offset, before *Snapshot) (*element, error) {
	hit, err := r.page.driver.HitTest(ctx, driver.Point{X: point.X, Y: point.Y})
	if err != nil {
		return nil, err
	}
	if hit.IsZero() {
		return nil, fmt.Errorf("%w: there is nothing at %s", ErrNotFound, input.OffsetWords(point))
	}
	if _, err := r.page.capture(ctx); err != nil {
		return nil, err
	}
	snap := r.page.build(nil)
	node := hit
	// A control receives hits on its descendants.
	if n, ok := snap.Nearest(hit); ok && n.Interactive && n.Target.Doc == hit.Doc {
		node = n.Source
	}
	el := r.elementFor(snap, node)
	if before != nil {
		if err := r.checkPointAt(before, snap, el, point); err != nil {
			return nil, err
		}
		el.known = reading{capture: before.Capture}
	}
	at, err := r.page.driver.Locate(ctx, node, nil)
	if err != nil {
		return nil, err
	}
	el.at = &driver.Offset{X: point.X - at.Box.X, Y: point.Y - at.Box.Y}
	return el, nil
}

// checkPointAt verifies that an element was at a point in an earlier reading
// and looked the same.
func (r *resolver) checkPointAt(before, now *Snapshot, el *element, point driver.Offset) error {
	was, ok := placeOf(before.Capture, el.node)
	if !ok {
		return fmt.Errorf("%w: %s lies at %s now, and was not there when the page was read", ErrMismatch, el.what, input.OffsetWords(point))
	}
	if old, ok := before.Find(el.node); ok != (el.print != nil) || ok && fingerprint(old) != *el.print {
		return fmt.Errorf("%w: what lies at %s is %s now, and was something else when the page was read", ErrMismatch, input.OffsetWords(point), el.what)
	}
	is, ok := placeOf(now.Capture, el.node)
	if ok && was.box() != is.box() && !contains(was.box(), point) {
		return fmt.Errorf("%w: %s lies at %s now, and lay elsewhere when the page was read", ErrMismatch, el.what, input.OffsetWords(point))
	}
	return checkRow(before, el.node, now, el.node)
}

// complete adds to an action what is known about the element.
func (el *element) complete(action *Action, hide func(string) string) {
	action.Selector, action.BackendNodeID, action.Fingerprint = el.path, int64(el.node.Node), el.print
	if el.print != nil {
		action.Surroundings = surroundingsIn(el.known.snapshot(), el.node, hide)
		action.Locator = locatorsOf(el.known.snapshot(), el.node)[0]
	}
	if el.drop != nil {
		action.Arguments[0] = el.drop.path
		if known := el.drop; known.print != nil {
			action.Onto = &Action{Selector: known.path, Fingerprint: known.print, Surroundings: surroundingsIn(known.known.snapshot(), known.node, hide)}
		}
		if el.drop.at != nil {
			action.Arguments = append(action.Arguments, input.Gesture{To: el.drop.at}.Arguments()...)
		}
	}
	if el.at != nil && action.Method.spec().takes.gestures&input.TakesPlace != 0 {
		action.Arguments = append(action.Arguments, input.Gesture{At: el.at}.Arguments()...)
	}
	if action.Description == "" {
		action.Description = string(action.Method) + " " + el.what
	}
}

// action returns the command as a validated action without a selector. A place
// within the target's element becomes an argument.
func (c *Command) action(t *Target) (Action, error) {
	if err := t.check(); err != nil {
		return Action{}, err
	}
	method, err := ParseMethod(string(c.Method))
	if err != nil {
		return Action{}, err
	}
	words := input.Gesture{Button: c.Button, Modifiers: c.Modifiers}
	if t.Ref != "" || t.Selector != "" || t.Focused {
		words.At = t.At
	}
	a := Action{Method: method, Description: c.Description, Arguments: append([]string(nil), c.Arguments...)}
	if c.Drop != nil {
		if method != DragAndDrop {
			return Action{}, fmt.Errorf("%w: %s drops nothing", ErrInvalid, method)
		}
		if err := c.Drop.check(); err != nil {
			return Action{}, fmt.Errorf("drop target: %w", err)
		}
		if c.Drop.Ref != "" || c.Drop.Selector != "" || c.Drop.Focused {
			words.To = c.Drop.At
		}
		a.Arguments = append([]string{dropPlaceholder}, a.Arguments...)
	}
	a.Arguments = append(a.Arguments, words.Arguments()...)
	return a, method.checkArguments(a.Arguments)
}
