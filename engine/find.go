package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// find resolves a selector to the elements that it matches, in document order.
// A selector that leads through frames and shadow roots is resolved root by
// root, each within what the part before it found.
func (p *Page) find(ctx context.Context, selector string) ([]driver.NodeRef, error) {
	steps, err := accessibility.SplitSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return p.walk(ctx, []driver.NodeRef{{}}, steps)
}

// walk resolves the steps of a selector, the first within roots.
func (p *Page) walk(ctx context.Context, roots []driver.NodeRef, steps []accessibility.Step) ([]driver.NodeRef, error) {
	for i, step := range steps {
		var next []driver.NodeRef
		for _, root := range roots {
			found, err := p.driver.Find(ctx, root, step.Selector)
			if err != nil {
				return nil, err
			}
			next = append(next, found...)
		}
		if len(next) == 0 {
			if step.Else == nil {
				return nil, nil
			}
			return p.walk(ctx, roots, step.Else)
		}
		if i == len(steps)-1 {
			return next, nil
		}
		roots = next
	}
	return nil, nil
}

// findOne resolves a selector that must name one element, which may come yet.
func (p *Page) findOne(ctx context.Context, selector string) (driver.NodeRef, error) {
	nodes, err := p.expect(ctx, selector)
	switch {
	case err != nil:
		return driver.NodeRef{}, err
	case len(nodes) == 0:
		return driver.NodeRef{}, fmt.Errorf("%w: %q matches nothing on %s", ErrNotFound, excerpt(selector), excerpt(p.URL()))
	case len(nodes) > 1:
		return driver.NodeRef{}, p.ambiguous(ctx, selector, nodes)
	}
	return nodes[0], nil
}

// expect is find, for elements that may come yet: where nothing matches it looks
// again, for as long as an element may take to become usable.
func (p *Page) expect(ctx context.Context, selector string) ([]driver.NodeRef, error) {
	deadline := time.Now().Add(p.session.patience())
	for {
		_, changed, gone := p.watch.blocked()
		idle := p.idle(ctx) // before the look: what comes in between is seen by it
		nodes, err := p.find(ctx, selector)
		if err != nil && !passing(err) || len(nodes) > 0 || idle || gone != nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return nodes, err
		}
		rest(ctx, min(longestTurn, time.Until(deadline)), changed)
	}
}

// ambiguous names the elements that a selector matches.
func (p *Page) ambiguous(ctx context.Context, selector string, nodes []driver.NodeRef) error {
	e := &AmbiguousError{Selector: selector, Count: len(nodes)}
	if _, err := p.capture(ctx); err != nil {
		return e // the names are a courtesy
	}
	snap := p.build(nil)
	for _, ref := range nodes[:min(len(nodes), maxAmbiguousNamed)] {
		if node, ok := snap.Find(ref); ok {
			e.Candidates = append(e.Candidates, candidate(node))
		}
	}
	return e
}

// deep reports a selector as the engine writes them.
func deep(selector string) bool { return strings.HasPrefix(selector, "xpath=/html[1]") }

// nameDeeply gives an action the deep XPath of its element, unless it has one.
func (p *Page) nameDeeply(ctx context.Context, node driver.NodeRef, action *Action) error {
	if deep(action.Selector) {
		return nil
	}
	if _, err := p.capture(ctx); err != nil {
		return err
	}
	if path, ok := p.build(nil).PathTo(node); ok {
		action.Selector, action.BackendNodeID = path, int64(node.Node)
	}
	return nil
}
