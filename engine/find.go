package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A finder finds what selectors and locators match.
type finder struct{ page *Page }

// A match is an element that a selector matches, and what selects it within the
// last root on the way.
type match struct {
	node driver.NodeRef
	by   driver.Selection
}

// match is find with the selection of each element.
func (f *finder) match(ctx context.Context, selector string) ([]match, error) {
	if accessibility.IsLocator(selector) {
		return f.locate(ctx, selector)
	}
	steps, err := accessibility.SplitSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return f.walk(ctx, []match{{}}, steps)
}

// locate is match for a locator: the outline answers, and no query of the page.
func (f *finder) locate(ctx context.Context, text string) ([]match, error) {
	l, err := accessibility.ParseLocator(text)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if _, err := f.page.capture(ctx); err != nil {
		return nil, err
	}
	var found []match
	for _, n := range f.page.build(nil).Locate(l) {
		found = append(found, match{node: n.Target})
	}
	return found, nil
}

// walk resolves the steps of a selector, the first within roots.
func (f *finder) walk(ctx context.Context, roots []match, steps []accessibility.Step) ([]match, error) {
	for i, step := range steps {
		var next []match
		for _, root := range roots {
			found, err := f.page.driver.Find(ctx, root.node, step.Selector)
			if err != nil {
				return nil, err
			}
			for _, node := range found {
				next = append(next, match{node, driver.Selection{Root: root.node, Selector: step.Selector}})
			}
		}
		if len(next) == 0 {
			if step.Else == nil {
				return nil, nil
			}
			return f.walk(ctx, roots, step.Else)
		}
		if i == len(steps)-1 {
			return next, nil
		}
		roots = next
	}
	return nil, nil
}

// findOne resolves a selector that must match exactly one element, which may
// still appear.
func (f *finder) findOne(ctx context.Context, selector string) (driver.NodeRef, error) {
	m, err := f.matchOne(ctx, selector)
	return m.node, err
}

// matchOne is findOne with the element's selection.
func (f *finder) matchOne(ctx context.Context, selector string) (match, error) {
	found, err := f.expect(ctx, selector)
	switch {
	case err != nil:
		return match{}, err
	case len(found) == 0:
		return match{}, fmt.Errorf("%w: %q matches nothing on %s", ErrNotFound, excerpt(selector), excerpt(f.page.URL()))
	case len(found) > 1:
		return match{}, f.ambiguous(ctx, selector, found)
	}
	return found[0], nil
}

// expect is match for elements that may still appear: it looks again for as
// long as an element may take to become usable.
func (f *finder) expect(ctx context.Context, selector string) ([]match, error) {
	// Most elements are there, and need no look at what the page is about to do.
	if found, err := f.match(ctx, selector); err != nil && !betweenDocuments(err) || len(found) > 0 {
		return found, err
	}
	deadline := time.Now().Add(f.page.session.patience())
	for {
		_, changed, gone := f.page.watch.blocked()
		idle := f.page.idle(ctx) // asked before the look, which sees what comes in between
		found, err := f.match(ctx, selector)
		if err != nil && !betweenDocuments(err) || len(found) > 0 || idle || gone != nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return found, err
		}
		rest(ctx, min(longestTurn, time.Until(deadline)), changed)
	}
}

// ambiguous names the elements that a selector matches.
func (f *finder) ambiguous(ctx context.Context, selector string, nodes []match) error {
	e := &AmbiguousError{Selector: selector, Count: len(nodes)}
	if _, err := f.page.capture(ctx); err != nil {
		return e // without names
	}
	var shown []*accessibility.Node
	for _, m := range nodes[:min(len(nodes), maxAmbiguousNamed)] {
		if node, ok := f.page.build(nil).Find(m.node); ok {
			shown = append(shown, node)
		}
	}
	e.Candidates = candidates(shown)
	return e
}

// candidates names elements in a list of choices.
func candidates(nodes []*accessibility.Node) (names []string) {
	for _, n := range nodes[:min(len(nodes), maxAmbiguousNamed)] {
		names = append(names, fmt.Sprintf("[%s] %s", n.Ref, fingerprint(n)))
	}
	return names
}

// find resolves a selector to the elements that it matches, in document order.
// A selector through frames and shadow roots is resolved root by root.
func (f *finder) find(ctx context.Context, selector string) ([]driver.NodeRef, error) {
	found, err := f.match(ctx, selector)
	return nodesOf(found), err
}

func nodesOf(found []match) []driver.NodeRef {
	nodes := make([]driver.NodeRef, len(found))
	for i, m := range found {
		nodes[i] = m.node
	}
	return nodes
}

// setDeepPath gives an action the deep XPath of its element, unless it has one.
func (f *finder) setDeepPath(ctx context.Context, node driver.NodeRef, action *Action) error {
	if accessibility.DeepPath(action.Selector) {
		return nil
	}
	if _, err := f.page.capture(ctx); err != nil {
		return err
	}
	if path, ok := f.page.build(nil).PathTo(node); ok {
		action.Selector, action.BackendNodeID = path, int64(node.Node)
		action.Locator = locatorsOf(f.page.build(nil), node)[0]
	}
	return nil
}
