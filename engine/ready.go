package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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

// patience is how long an element may take to become usable: an overlay fades,
// a button becomes enabled, an animation ends.
const patience = 3 * time.Second

// The pauses between two looks at an element that cannot be used yet: two
// frames, then longer.
const (
	firstPause = 32 * time.Millisecond
	lastPause  = 250 * time.Millisecond
)

// ready brings an element into view and waits until all that is needed holds,
// then returns where it is. It gives up at once where waiting cannot help, and
// otherwise after patience, with what was in the way.
func (p *Page) ready(ctx context.Context, node driver.NodeRef, n need) (*driver.Location, error) {
	deadline := time.Now().Add(patience)
	pause := firstPause
	var last driver.Rect
	for looks := 0; ; looks++ {
		at, err := p.driver.Locate(ctx, node, &driver.LocateOptions{Scroll: true})
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
		if !time.Now().Before(deadline) {
			return nil, p.nameObstacle(ctx, obstacle, at)
		}
		last = at.Box
		timer := time.NewTimer(min(pause, time.Until(deadline)))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, fmt.Errorf("%w: %w", context.Cause(ctx), obstacle)
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
func (p *Page) nameObstacle(ctx context.Context, obstacle error, at *driver.Location) error {
	if !errors.Is(obstacle, driver.ErrObscured) || at.Hit.IsZero() {
		return obstacle
	}
	if _, err := p.capture(ctx); err != nil {
		return obstacle // the name is a courtesy
	}
	snap := p.build(nil)
	covered := &CoveredError{err: obstacle}
	if node, ok := snap.Nearest(at.Hit); ok {
		covered.Ref = node.Ref
		covered.By = fingerprint(node).String()
	}
	return covered
}
