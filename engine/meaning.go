package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// Find returns a stored action with its element as it is on the page now: selector,
// fingerprint, surroundings and node are those of today. It sends nothing and asks no
// model. The action needs a fingerprint, of which the tag may be empty. Where Do
// would refuse the action, Find does, too: the error wraps [ErrNotFound] if nothing
// is what the fingerprint says, [ErrMismatch] if what is stands in another row, and
// [ErrAmbiguous] if several fit.
func (p *Page) Find(ctx context.Context, action Action) (Action, error) {
	if action.Fingerprint == nil {
		return Action{}, p.session.rejected("find", fmt.Errorf("%w: the action has no fingerprint", ErrInvalid))
	}
	err := p.brief(ctx, "find", p.session.opts.limitOf(0, defaultLimit), func(ctx context.Context) error {
		snap, err := p.look(ctx, view{})
		if err != nil {
			return err
		}
		n, err := p.identify(snap, &action)
		if err != nil {
			return err
		}
		print := fingerprint(n)
		action.Selector, action.BackendNodeID, action.Fingerprint = snap.XPath(n), int64(n.Source.Node), &print
		action.Surroundings = surroundingsIn(snap, n.Source, p.session.secrets.hide)
		action.Locator = locatorsOf(snap, n.Source)[0]
		return nil
	})
	if err != nil {
		return Action{}, err
	}
	return p.handOut([]Action{action})[0], nil
}

// findStored finds the element of a stored action. The action's path says where the
// element stood; its fingerprint and surroundings say what it is. One element at the
// path is returned. If there is none, or several, the only element of the page that
// fits by meaning is. findStored waits for elements that may still appear.
//
// verify and checkSurroundings hold the element to the action afterwards.
func (p *Page) findStored(ctx context.Context, action *Action) (*element, error) {
	if action.Fingerprint == nil || !accessibility.DeepPath(action.Selector) {
		return p.resolve(ctx, Target{Selector: action.Selector})
	}
	deadline := time.Now().Add(p.session.patience())
	for {
		_, changed, gone := p.watch.blocked()
		idle := p.idle(ctx) // asked before the look, which sees what comes in between
		found, err := p.match(ctx, action.Selector)
		if err != nil && !betweenDocuments(err) {
			return nil, err
		}
		if err == nil && len(found) == 1 {
			return &element{node: found[0].node, selector: action.Selector, selected: found[0].by, what: action.Selector, path: action.Selector}, nil
		}
		el, lost := p.findByMeaning(ctx, action)
		switch {
		case lost == nil || !errors.Is(lost, ErrNotFound) && !errors.Is(lost, ErrMismatch) && !betweenDocuments(lost):
			return el, lost
		case !idle && gone == nil && ctx.Err() == nil && time.Now().Before(deadline):
			rest(ctx, min(longestTurn, time.Until(deadline)), changed)
		case err != nil:
			return nil, err
		case len(found) > 1:
			return nil, p.ambiguous(ctx, action.Selector, found)
		default:
			return nil, fmt.Errorf("%q matches nothing on %s: %w", excerpt(action.Selector), excerpt(p.URL()), lost)
		}
	}
}

// findByMeaning is identify on the page as it is now. The action has the element's
// path then.
func (p *Page) findByMeaning(ctx context.Context, action *Action) (*element, error) {
	if _, err := p.capture(ctx); err != nil {
		return nil, err
	}
	snap := p.build(nil)
	n, err := p.identify(snap, action)
	if err != nil {
		return nil, err
	}
	el := p.elementIn(snap, n)
	el.path = snap.XPath(n)
	action.Selector, action.BackendNodeID = el.path, int64(n.Source.Node)
	action.Locator = locatorsOf(snap, n.Source)[0]
	return el, nil
}

// identify returns the only element of a reading that is what a stored action says:
// with the role and the name of its fingerprint, in as many frames as its path leads
// through, in a row that begins as its own did and, where several were or are alike, in
// the same row. Where rows say the
// same, the path decides if there are as many as before. The last of several does not
// stand for one that is gone, nor one without a name for another.
//
// It is the one place where an action's element is told: for Do, the cache, Find, and
// by that for scripts.
func (p *Page) identify(snap *Snapshot, action *Action) (*accessibility.Node, error) {
	hide, old := p.session.secrets.hide, action.Surroundings
	want, depth := p.session.secrets.hidePrint(*action.Fingerprint), frameDepth(action.Selector)
	around := newRows(snap, hide)
	var alike, inRow []*accessibility.Node
	var there *accessibility.Node // where the action's path leads
	elsewhere := 0                // in rows that begin with something else
	consider := func(n *accessibility.Node, i int32) {
		print := p.session.secrets.hidePrint(fingerprint(n))
		if want.Tag == "" {
			print.Tag = ""
		}
		if print != want {
			return
		}
		path := snap.XPath(n)
		if accessibility.DeepPath(action.Selector) && frameDepth(path) != depth {
			return
		}
		said := false
		if isInlineCell(n) {
			said = old != nil && old.Row != "" && hide(around.surroundings(n.Source).Row) == old.Row
		} else if old != nil {
			r := around.row(i)
			said = old.saidBy(r)
			if !said && old.Head != "" && r.Head() != old.Head && !old.partlySaidBy(r) {
				elsewhere++
				return
			}
		}
		if path == action.Selector {
			there = n
		}
		alike = append(alike, n)
		if said {
			inRow = append(inRow, n)
		}
	}
	for i := range snap.Nodes {
		consider(&snap.Nodes[i], int32(i))
		for _, cell := range cellsOf(snap, &snap.Nodes[i]) {
			consider(cell, -1)
		}
	}
	several := old != nil && old.Alike > 1
	switch {
	case len(alike) == 0 && elsewhere > 0:
		return nil, fmt.Errorf("%w: %s is there, and does not stand where it was meant, beside %q", ErrMismatch, want, abbreviate(old.Head))
	case len(alike) == 0:
		return nil, fmt.Errorf("%w: %s is not on the page", ErrNotFound, want)
	case len(inRow) == 1 && (several || len(alike) > 1 || want.Name == ""):
		return inRow[0], nil
	case len(alike) == 1 && !several && (want.Name != "" || there != nil):
		return alike[0], nil
	case there != nil && old == nil, there != nil && old.Alike == len(alike)+elsewhere && (old.Row == "" || slices.Contains(inRow, there)):
		return there, nil
	case there != nil && len(inRow) == 0 && p.checkSurroundings(old, snap, there.Source) == nil:
		return there, nil // a part of its row has changed, such as a price
	case len(inRow) == 0 && old != nil && old.Row != "":
		return nil, fmt.Errorf("%w: %s is there, and does not stand where it was meant, beside %q", ErrMismatch, want, abbreviate(old.Row))
	}
	return nil, &AmbiguousError{Selector: want.String(), Candidates: candidates(alike), Count: len(alike)}
}

// frameStep is a step of a deep path into a frame.
var frameStep = regexp.MustCompile(`(?:^|/)i?frame(?:\[[^\]]*\])?(?:/|$)|name\(\)='i?frame'`)

// frameDepth is in how many frames an element of a deep path stands.
func frameDepth(path string) int {
	return len(frameStep.FindAllStringIndex(path, -1))
}
