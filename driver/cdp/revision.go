package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Revision implements driver.Reader.
//
// It reads, of every frame, which document it shows, whether our script there
// has noticed a change since it was last asked, and where it is scrolled to;
// and of every process how often styles and layout were computed. Equal
// readings have equal numbers.
//
// It does not notice, until something else changes with it: indeterminate,
// a custom validity message, what ElementInternals says, a new listener;
// changes that no style depends on in a shadow tree that no capture has shown
// yet; and what a script has just done to the value or the state of a control,
// until the browser has drawn the next frame.
func (p *page) Revision(ctx context.Context) (driver.Revision, error) {
	rev, err := p.readRevision(ctx)
	// Where a document went away between two commands, the next reading has
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
	for _, l := range looks {
		if err := l.startTicks(ctx, p); err != nil {
			return 0, err
		}
	}
	for _, l := range looks {
		if err := l.waitTicks(ctx); err != nil {
			for i := range l.worlds {
				p.forget(&l.worlds[i])
			}
			return 0, err
		}
	}
	return p.sight.revision.read(tuple(looks)), nil
}

func (l *processLook) startTicks(ctx context.Context, p *page) error {
	var list []command
	for i := range l.worlds {
		list = append(list, p.equip(&l.worlds[i])...)
	}
	skip := len(list)
	for i := range l.worlds {
		list = append(list, call{name: "tick"}.command(&l.worlds[i]))
	}
	calls, err := l.session.start(ctx, append(list, command{method: "Performance.getMetrics"})...)
	if err != nil {
		return err
	}
	l.calls = calls[skip:]
	return nil
}

func (l *processLook) waitTicks(ctx context.Context) error {
	results := make([][]byte, len(l.calls))
	for i, c := range l.calls {
		var err error
		if results[i], err = c.wait(ctx); err != nil {
			return err
		}
	}
	n := len(l.worlds)
	var err error
	l.ticks, err = readings(results[:n], results[n])
	return err
}
