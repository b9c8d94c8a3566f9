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
	longestTurn        = 50 * time.Millisecond // between two looks at what events do not tell
)

// settle waits until the page is quiet, for limit at most, and returns how long
// it waited. A page that is never quiet is no error: the limit ends the wait. It
// counts from the last action, so that a page which was left alone since costs
// one question.
func (p *Page) settle(ctx context.Context, limit time.Duration) (time.Duration, error) {
	start := time.Now()
	for {
		wait, changed, err := p.watch.unquiet(time.Now())
		if err != nil {
			return time.Since(start), err
		}
		if wait == 0 {
			activity, err := p.driver.Activity(ctx)
			if err != nil && !passing(err) {
				return time.Since(start), err
			}
			if wait = p.watch.unquietPage(activity, time.Now()); wait == 0 {
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

// unquiet tells how long the page will at least not be quiet by what events
// told, 0 if it is, and a channel that is closed when there is news.
func (w *watch) unquiet(now time.Time) (time.Duration, <-chan struct{}, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.gone != nil {
		return 0, w.changed, w.gone
	}
	const news = time.Hour // nothing to wait for but an event
	since := now.Sub(w.quietFrom)
	if w.dialog > 0 || len(w.navigating) > 0 || len(w.parsing) > 0 {
		return news, w.changed, nil
	}
	var wait time.Duration
	for _, r := range w.requests {
		if r.began.Before(w.lastAction) {
			continue
		}
		if r.kind == driver.RequestDocument {
			return news, w.changed, nil
		}
		wait = max(wait, longestRequest-now.Sub(r.began))
	}
	if !w.lastEnd.Before(w.lastAction) {
		wait = max(wait, quietAfterRequest-now.Sub(w.lastEnd))
	}
	switch {
	case w.typedIn:
		wait = max(wait, quietAfterTyping-since)
	case w.happened:
		wait = max(wait, quietAfterEffect-since)
	}
	return wait, w.changed, nil
}

// unquietPage tells the same by what only the page knows; a is nil where the
// page is between two documents.
func (w *watch) unquietPage(a *driver.Activity, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := now.Sub(w.quietFrom)
	if a == nil || a.Parsing {
		return longestTurn
	}
	var wait time.Duration
	mutated := a.Mutated >= 0 && a.Mutated <= since
	if mutated && since < longestNovelty {
		wait = max(wait, quietAfterMutation-a.Mutated)
	}
	if a.Transition && since < longestTransition || a.Busy && since < longestBusyMark {
		wait = max(wait, longestTurn)
	}
	if !mutated && !w.happened {
		wait = max(wait, quietAfterNothing-since)
	} else {
		wait = max(wait, quietAfterEffect-since)
	}
	return max(wait, 0)
}
