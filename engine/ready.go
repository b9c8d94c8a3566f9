package engine

import (
	"context"
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

// wait lets so much time pass, unless the context ends before.
func wait(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// idle reports that the page cannot change until somebody acts.
func (p *Page) idle(ctx context.Context) bool {
	activity, err := p.driver.Activity(ctx)
	return err == nil && activity.Idle
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
