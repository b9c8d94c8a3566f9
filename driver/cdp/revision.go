package cdp

import (
	"context"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp/internal/conn"
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
	return p.sight.revision.read(tuple(looks)), nil
}

func (l *processLook) startTicks(ctx context.Context, p *page) error {
	var list []conn.Command
	for i := range l.worlds {
		list = append(list, p.equip(&l.worlds[i])...)
	}
	skip := len(list)
	for i := range l.worlds {
		list = append(list, call{name: "tick"}.command(&l.worlds[i]))
	}
	calls, err := l.session.Start(ctx, append(list, conn.Command{Method: "Performance.getMetrics"})...)
	if err != nil {
		return err
	}
	l.calls = calls[skip:]
	return nil
}

// gone stands for the reading of a document that went away meanwhile: it is a
// change, and the next reading has its successor.
const gone = "gone"

func (l *processLook) waitTicks(ctx context.Context, p *page) error {
	n := len(l.worlds)
	for i, c := range l.calls[:n] {
		o, err := outcomeOf(ctx, c)
		switch {
		case err == nil:
			l.ticks = append(l.ticks, string(o.Result.Value))
		case isGone(err) && l.worlds[i].Parent != "":
			p.forget(&l.worlds[i])
			l.ticks = append(l.ticks, gone)
		default:
			return err
		}
	}
	raw, err := l.calls[n].Wait(ctx)
	if err != nil {
		return err
	}
	counts, err := layoutCounts(raw)
	l.ticks = append(l.ticks, counts)
	return err
}
