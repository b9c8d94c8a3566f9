package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
)

// Activity implements driver.Reader.
//
// From the first call on, for ten seconds after the last one, every change of
// the page is looked at; before, only that there was one.
func (p *page) Activity(ctx context.Context) (*driver.Activity, error) {
	for range captureAttempts {
		a, err := p.readActivity(ctx)
		if !isGone(err) {
			return a, opError("activity", "", err)
		}
	}
	// It goes from document to document: it is busy.
	return &driver.Activity{Mutated: 0, Parsing: true}, nil
}

func (p *page) readActivity(ctx context.Context) (*driver.Activity, error) {
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range looks {
		var list []conn.Command
		for i := range l.worlds {
			list = append(list, p.equip(&l.worlds[i])...)
		}
		skip := len(list)
		for i := range l.worlds {
			list = append(list, call{name: "activity"}.command(&l.worlds[i]))
		}
		calls, err := l.session.Start(ctx, list...)
		if err != nil && (l == looks[0] || !isGone(err)) {
			return nil, err
		}
		if err == nil {
			l.calls = calls[skip:]
		}
	}
	a := &driver.Activity{Mutated: -1}
	for _, l := range looks {
		for i, c := range l.calls {
			if err := addActivity(ctx, a, c, l.worlds[i].Parent == ""); err != nil {
				p.forget(&l.worlds[i])
				if !isGone(err) || l.worlds[i].Parent == "" {
					return nil, err
				}
				// The frame goes to another document, which events tell.
			}
		}
	}
	return a, nil
}

// addActivity takes in what one frame tells.
func addActivity(ctx context.Context, a *driver.Activity, c *conn.Call, main bool) error {
	raw, err := c.Wait(ctx)
	if err != nil {
		return err
	}
	o, err := readOutcome(raw)
	if err != nil {
		return err
	}
	var ms float64
	var transition, busy, parsing, blank bool
	if err := json.Unmarshal(o.Result.Value, &[]any{&ms, &transition, &busy, &parsing, &blank}); err != nil {
		return fmt.Errorf("activity: unexpected answer: %w", err)
	}
	if ms >= 0 {
		if ago := time.Duration(ms * float64(time.Millisecond)); a.Mutated < 0 || ago < a.Mutated {
			a.Mutated = ago
		}
	}
	a.Transition = a.Transition || transition
	a.Busy = a.Busy || busy
	a.Parsing = a.Parsing || main && parsing
	a.Blank = a.Blank || main && blank
	return nil
}
