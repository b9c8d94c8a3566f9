package engine

import (
	"context"
	"errors"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// The constants of the rule by which a page counts as quiet. They were found by
// measurement over page kinds that poll, animate, debounce, render late and
// navigate late; shorter ones lose a navigation that comes 150 ms after the
// click, longer ones rescue nothing.
const (
	quietAfterRequest  = 100 * time.Millisecond  // since the last relevant request ended
	quietAfterMutation = 100 * time.Millisecond  // since the last novel change
	quietAfterEffect   = 100 * time.Millisecond  // since the action, if anything happened
	quietAfterNothing  = 200 * time.Millisecond  // since the action, if nothing did
	quietAfterTyping   = 400 * time.Millisecond  // since typing where suggestions may come
	longestRequest     = 2 * time.Second         // a script, style or fetch
	longestNovelty     = 1500 * time.Millisecond // since the action, that changes are asked for
	longestTransition  = 500 * time.Millisecond
	longestBusyMark    = 2500 * time.Millisecond
	longestBlank       = 2500 * time.Millisecond // that a page with scripts may show nothing
	longestTurn        = 50 * time.Millisecond   // between two looks at what events do not tell
)

// settle waits until the page is quiet, for limit at most, and returns how long
// it waited. A page that is never quiet is no error: the limit ends the wait. It
// counts from the last action, so that a page which was left alone since costs
// one question.
func (p *Page) settle(ctx context.Context, limit time.Duration) (time.Duration, error) {
	start := time.Now()
	for {
		blocked, changed, err := p.watch.blocked()
		if err != nil {
			return time.Since(start), err
		}
		wait := limit // for news, where something is under way that will tell
		if !blocked {
			activity, err := p.driver.Activity(ctx)
			if err != nil && !passing(err) {
				return time.Since(start), err
			}
			if wait = p.watch.unquiet(activity, time.Now()); wait <= 0 {
				return time.Since(start), nil
			}
		}
		left := limit - time.Since(start)
		if left <= 0 {
			return time.Since(start), nil
		}
		timer := time.NewTimer(min(wait, left))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			timer.Stop()
			return time.Since(start), context.Cause(ctx)
		}
		timer.Stop()
	}
}

// passing reports errors of a page that is between two documents: it is not
// quiet, and a later look will do.
func passing(err error) bool {
	return errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale)
}

// blocked reports that something is under way which will end with an event: a
// navigation, a document's parsing, a dialog. It returns a channel that is
// closed when there is news, and an error if the page is gone.
func (w *watch) blocked() (bool, <-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dialog > 0 || len(w.navigating) > 0 || len(w.parsing) > 0 {
		return true, w.changed, w.gone
	}
	for _, r := range w.requests {
		if r.kind == driver.RequestDocument && !r.began.Before(w.lastAction) {
			return true, w.changed, w.gone
		}
	}
	return false, w.changed, w.gone
}

// unquiet tells how long the page will at least not be quiet, 0 or less if it
// is. a is nil where the page is between two documents.
func (w *watch) unquiet(a *driver.Activity, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case a == nil || a.Parsing:
		return longestTurn
	case a.Idle:
		return 0
	}
	since := now.Sub(w.quietFrom)
	wait := w.unquietNetwork(now)
	mutated := a.Mutated >= 0 && a.Mutated <= since
	if mutated && since < longestNovelty {
		wait = max(wait, quietAfterMutation-a.Mutated)
	}
	if a.Transition && since < longestTransition || a.Busy && since < longestBusyMark || a.Blank && since < longestBlank {
		wait = max(wait, longestTurn)
	}
	switch {
	case w.typedIn:
		return max(wait, quietAfterTyping-since)
	case mutated || w.happened:
		return max(wait, quietAfterEffect-since)
	}
	return max(wait, quietAfterNothing-since)
}

// unquietNetwork is the part of unquiet that requests decide.
func (w *watch) unquietNetwork(now time.Time) time.Duration {
	var wait time.Duration
	for _, r := range w.requests {
		if !r.began.Before(w.lastAction) {
			wait = max(wait, longestRequest-now.Sub(r.began))
		}
	}
	if !w.lastEnd.Before(w.lastAction) {
		wait = max(wait, quietAfterRequest-now.Sub(w.lastEnd))
	}
	return wait
}
