package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
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
	// cannot be cached: a cached step has one element, and a drag two; and files
	// belong to a call.
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

// An attempt is one method under way on one element.
//
// It consists of layers, each of which embeds the one below it and has fields and
// a file of its own:
//
//	delivery < keying < pointing < choosing < filling < attempt
type attempt struct {
	filling
	// expected is the effect of the same action when the cache recorded it.
	expected Effect

	hold    *Hold // what it may send is held; nil if nobody asked for that
	decided int   // what hold had decided before
}

// maxMisses is how often input may find another element at its target.
const maxMisses = 3

// unnamed are the roles whose text is not a name.
var unnamed = map[string]bool{
	"application": true, "document": true, "generic": true, "grid": true, "group": true, "list": true, "listbox": true, "log": true,
	"region": true, "table": true, "text": true, "textbox": true, "tree": true, "treegrid": true,
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
	between := firstPause
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
		over := !time.Now().Before(deadline) || looks > 0 && !moved && p.idle(ctx)
		covered := n&needReached != 0 && (at.Inert || errors.As(obstacle, new(*driver.ObscuredError)))
		switch {
		case covered && p.rests && (over || time.Until(deadline) < p.session.patience()/2):
			if err := p.leave(ctx); err != nil {
				return nil, err
			}
			continue
		case over:
			return nil, p.nameObstacle(ctx, obstacle, node, at)
		}
		last = at.Box
		if !pause.For(ctx, min(between, time.Until(deadline))) {
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), obstacle)
		}
		between = min(2*between, lastPause)
	}
}

// leave moves the pointer to the edge of the page. While it rests on a menu, the menu may
// cover the page or disable pointer events on it.
func (p *Page) leave(ctx context.Context) error {
	p.rests = false
	if _, err := p.capture(ctx); err != nil {
		return err
	}
	view := p.last.capture.Viewport
	return p.driver.Input(ctx, driver.MouseMove{At: driver.Point{X: view.Width - 2, Y: view.Height / 2}})
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
		return fmt.Errorf("%w; the keyboard reaches it: press %s", obstacle, keyFor(n.Role))
	}
	return obstacle
}

// aim is what the input of a method is meant for, before the element is known;
// nil if it sends none, or something else before.
func (m *methodSpec) aim(by *driver.Selection) *driver.Target {
	if m.name == SelectOption || m.needs == 0 && m.name != Press {
		return nil
	}
	return &driver.Target{Selected: by}
}

// collect notes what the element is before the input, and starts recording. changes asks
// for a reading of the page first.
func (a *attempt) collect(ctx context.Context, changes bool) (_ *collector, err error) {
	if a.before, err = a.state(ctx); err != nil {
		return nil, err
	}
	q := &collector{attempt: a, from: a.page.URL(), refused: a.page.session.guard.refusals()}
	// Closed trees are known to it once the document was read.
	styles := a.glance != nil && a.glance.Styles && a.page.last.capture != nil && a.page.last.capture.Documents[0].Doc == a.node.Doc
	read := changes || a.method.confirms == byReading && !styles && !a.page.last.holds(a.glance)
	if read {
		if _, err = a.page.capture(ctx); err != nil {
			return nil, err
		}
	}
	if changes {
		q.before = a.page.build(nil)
	}
	switch {
	case read:
		q.revision = a.page.last.capture.Revision
	case a.glance != nil && a.glance.Revision != 0:
		q.revision = a.glance.Revision
	default:
		if q.revision, err = a.page.driver.Revision(ctx); err != nil {
			return nil, err
		}
	}
	q.styles, q.recorder = styles, a.page.watch.record()
	return q, nil
}

// held says what became of what the attempt sends.
func (a *attempt) held(events []driver.Event) heldEffect {
	if a.hold == nil {
		return heldEffect{}
	}
	seen, asking, changed := a.hold.Seen(a.decided)
	e := heldEffect{asking: asking, awaited: len(seen) == 0 && (a.hold.Approved != nil || a.begins(events)), changed: changed}
	if len(seen) > 0 && !asking && !slices.Contains(seen, nil) { // else what came of it shows otherwise
		e.err = fmt.Errorf("%s was done, and nothing of it went out: %w", a.method.name, blocked(seen[0]))
	}
	return e
}

// begins reports a request that is going to be held: a browser may tell of it
// before it is.
func (a *attempt) begins(events []driver.Event) bool {
	return slices.ContainsFunc(events, func(e driver.Event) bool {
		r, ok := e.(driver.RequestStarted)
		return ok && a.hold.Concerns(driver.RequestInfo{URL: r.URL, Method: r.Method, Kind: r.Kind, Frame: r.Frame})
	})
}

// glanceAt is glance for an attempt on an element that was found. The page is
// settled.
func (a *attempt) glanceAt(ctx context.Context) *driver.Glance {
	g, ok := a.page.driver.(driver.Glancer)
	if blocked, _, err := a.page.watch.blocked(); !ok || blocked || err != nil {
		return nil
	}
	aim := a.method.aim(a.selection())
	if aim != nil && a.known.whole != nil {
		aim.Beside = a.beside()
	}
	seen, err := g.Glance(ctx, driver.GlanceOptions{Node: a.node, Offset: a.gesture.At, For: aim, Styles: a.method.confirms == byReading})
	if err != nil {
		return nil // the single calls say what is wrong
	}
	return seen
}

// fillIn sets the attempt's arguments with the values of variables. It rejects
// a value that is bound to another host than the element's document, and
// generates one-time codes once the element can take them.
func (a *attempt) fillIn(ctx context.Context, args []string, vars map[string]Variable) error {
	if err := a.page.checkBinding(a.node, args, vars); err != nil {
		return err
	}
	vars, err := a.page.session.withCodes(ctx, args, vars, func() error {
		_, err := a.ready(ctx, needTyping)
		return err
	})
	if err == nil {
		a.args = substitute(args, vars)
	}
	return err
}

// choice names what was chosen in a list, as its options say it; empty for another
// action. An option whose name is a variable's value is named by the variable.
func (a *attempt) choice() string {
	labels := a.chosen
	if a.method.name == Clear {
		return ""
	}
	if len(labels) > 0 && !slices.Equal(a.args, a.template) {
		labels = a.template
	}
	if n := len(labels) - maxOptionsNamed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(labels[:maxOptionsNamed], ", "), n)
	}
	return strings.Join(labels, ", ")
}

// propose asks whether an action may be done.
func (a *attempt) propose(ctx context.Context, p *Proposal, approve func(context.Context, *Proposal) error) error {
	err := approve(ctx, p)
	if err != nil && a.hold != nil {
		if !a.hold.Stands {
			a.hold.End()
		}
		a.hold = nil
	}
	return err
}
