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
	found, err := p.match(ctx, selector)
	return nodesOf(found), err
}

func nodesOf(found []match) []driver.NodeRef {
	nodes := make([]driver.NodeRef, len(found))
	for i, m := range found {
		nodes[i] = m.node
	}
	return nodes
}

// A match is an element that a selector names, and what selects it within the
// last root on the way.
type match struct {
	node driver.NodeRef
	by   driver.Selection
}

// match is find with what selects each.
func (p *Page) match(ctx context.Context, selector string) ([]match, error) {
	steps, err := accessibility.SplitSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return p.walk(ctx, []match{{}}, steps)
}

// walk resolves the steps of a selector, the first within roots.
func (p *Page) walk(ctx context.Context, roots []match, steps []accessibility.Step) ([]match, error) {
	for i, step := range steps {
		var next []match
		for _, root := range roots {
			found, err := p.driver.Find(ctx, root.node, step.Selector)
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
	m, err := p.matchOne(ctx, selector)
	return m.node, err
}

// matchOne is findOne with what selects the element.
func (p *Page) matchOne(ctx context.Context, selector string) (match, error) {
	found, err := p.expect(ctx, selector)
	switch {
	case err != nil:
		return match{}, err
	case len(found) == 0:
		return match{}, fmt.Errorf("%w: %q matches nothing on %s", ErrNotFound, excerpt(selector), excerpt(p.URL()))
	case len(found) > 1:
		return match{}, p.ambiguous(ctx, selector, found)
	}
	return found[0], nil
}

// expect is match, for elements that may come yet: where nothing matches it looks
// again, for as long as an element may take to become usable.
func (p *Page) expect(ctx context.Context, selector string) ([]match, error) {
	deadline := time.Now().Add(p.session.patience())
	for {
		_, changed, gone := p.watch.blocked()
		idle := p.idle(ctx) // before the look: what comes in between is seen by it
		found, err := p.match(ctx, selector)
		if err != nil && !passing(err) || len(found) > 0 || idle || gone != nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return found, err
		}
		rest(ctx, min(longestTurn, time.Until(deadline)), changed)
	}
}

// ambiguous names the elements that a selector matches.
func (p *Page) ambiguous(ctx context.Context, selector string, nodes []match) error {
	e := &AmbiguousError{Selector: selector, Count: len(nodes)}
	if _, err := p.capture(ctx); err != nil {
		return e // the names are a courtesy
	}
	snap := p.build(nil)
	for _, m := range nodes[:min(len(nodes), maxAmbiguousNamed)] {
		if node, ok := snap.Find(m.node); ok {
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
