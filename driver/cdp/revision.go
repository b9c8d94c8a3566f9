package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/protocol"
)

// Revision implements driver.Reader.
//
// It reads, of every frame, which document it shows, whether our script there
// has noticed a change since it was last asked, and where it is scrolled to;
// and of every process how often styles and layout were computed. Equal
// looks have equal numbers.
//
// It does not notice, until something else changes with it: indeterminate,
// a custom validity message, what ElementInternals says, a new listener;
// changes that no style depends on in a shadow tree that no capture has shown
// yet; and what a script has just done to the value or the state of a control,
// until the browser has drawn the next frame.
func (p *page) Revision(ctx context.Context) (driver.Revision, error) {
	rev, err := p.readRevision(ctx)
	// Where a document went away between two commands, the next look has
	// its successor.
	for i := 1; i < captureAttempts && isGone(err); i++ {
		rev, err = p.readRevision(ctx)
	}
	return rev, opError("revision", "", err)
}

func (p *page) readRevision(ctx context.Context) (driver.Revision, error) {
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return 0, err
	}
	errs := make([]error, len(looks))
	for i, l := range looks {
		errs[i] = l.startTicks(ctx, p)
	}
	for i, l := range looks {
		err := errs[i]
		if err == nil {
			err = l.waitTicks(ctx, p)
		}
		if i > 0 && isGone(err) {
			l.ticks = append(l.ticks, gone) // the process went away with its frame
			continue
		}
		if err != nil {
			for k := range l.worlds {
				p.forget(&l.worlds[k])
			}
			return 0, err
		}
	}
	return p.kept.revision.read(tuple(looks)), nil
}

func (l *processLook) startTicks(ctx context.Context, p *page) error {
	var list []conn.Command
	for i := range l.worlds {
		list = append(list, p.install(&l.worlds[i])...)
	}
	for i := range l.worlds {
		r := call{name: "tick"}.request(&l.worlds[i])
		l.ticking, list = append(l.ticking, r), append(list, r)
	}
	l.metrics = protocol.PerformanceGetMetrics.With(conn.None{})
	_, err := l.session.Start(ctx, append(list, l.metrics)...)
	return err
}

// gone stands for the look at a document that went away meanwhile: it is a
// change, and the next look has its successor.
const gone = "gone"

func (l *processLook) waitTicks(ctx context.Context, p *page) error {
	for i, r := range l.ticking {
		o, err := evaluationOf(ctx, r)
		switch {
		case err == nil:
			l.ticks = append(l.ticks, string(o.value))
		case isGone(err) && l.worlds[i].Parent != "":
			p.forget(&l.worlds[i])
			l.ticks = append(l.ticks, gone)
		default:
			return err
		}
	}
	counts, err := layoutCounts(ctx, l.metrics)
	if err != nil {
		return err
	}
	l.ticks = append(l.ticks, counts)
	return nil
}

// A revisions gives looks at a page their numbers.
type revisions struct {
	mu      sync.Mutex // protects the following
	last    driver.Revision
	tuple   string // the look that last belongs to
	content uint64 // hash of the capture that last belongs to; 0 if there is none
}

// read returns the number of a look.
func (r *revisions) read(tuple string) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == 0 || tuple != r.tuple {
		r.last++
		r.tuple, r.content = tuple, 0
	}
	return r.last
}

// captured returns the number of a capture with that content. Where the
// look has changed since the last capture and the content has not, the
// number stays: something moved, or changed and changed back.
func (r *revisions) captured(tuple string, content uint64) driver.Revision {
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := content != r.content
	if r.content == 0 {
		changed = tuple != r.tuple
	}
	if r.last == 0 || changed {
		r.last++
	}
	r.tuple, r.content = tuple, content
	return r.last
}

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

// Yield implements driver.Yielder.
func (p *page) Yield(ctx context.Context, frame driver.FrameID) error {
	w, err := p.isolated(ctx, frame)
	if err == nil {
		_, err = p.run(ctx, &w, call{name: "rest", wait: true})
	}
	return opError("yield", string(frame), err)
}

func (p *page) readActivity(ctx context.Context) (*driver.Activity, error) {
	looks, err := p.allWorlds(ctx)
	if err != nil {
		return nil, err
	}
	for _, l := range looks {
		var list []conn.Command
		for i := range l.worlds {
			list = append(list, p.install(&l.worlds[i])...)
		}
		for i := range l.worlds {
			r := call{name: "activity"}.request(&l.worlds[i])
			l.asking, list = append(l.asking, r), append(list, r)
		}
		_, err := l.session.Start(ctx, list...)
		if err != nil && (l == looks[0] || !isGone(err)) {
			return nil, err
		}
		if err != nil {
			l.asking = nil
		}
	}
	a := &driver.Activity{Mutated: -1}
	for _, l := range looks {
		for i, c := range l.asking {
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
func addActivity(ctx context.Context, a *driver.Activity, r *callRequest, main bool) error {
	o, err := evaluationOf(ctx, r)
	if err != nil {
		return err
	}
	var ms float64
	var transition, busy, parsing, blank bool
	if err := json.Unmarshal(o.value, &[]any{&ms, &transition, &busy, &parsing, &blank}); err != nil {
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
