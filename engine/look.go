package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// seen is the last capture of a page, kept as long as the page's revision says
// that nothing changed.
type seen struct {
	capture *driver.Capture
	whole   *Snapshot // of the whole page; nil until asked for
	fickle  bool      // holds what a revision does not tell
}

// A view says what part of a page a look is about.
type view struct {
	selector  string
	ignore    []string
	mainFrame bool
	maxTokens int
	settle    time.Duration
}

// Snapshot waits until the page is quiet and reads it. opts may be nil: the
// whole page, without limit. Its outline is fit for a model: it holds no value
// of a variable. Its nodes and its text are the page's own.
func (p *Page) Snapshot(ctx context.Context, opts *SnapshotOptions) (*Snapshot, error) {
	if opts == nil {
		opts = &SnapshotOptions{}
	}
	ctx, end, err := p.begin(ctx, p.session.opts.limitOf(opts.Timeout, defaultLimit))
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	defer end()
	snap, err := p.look(ctx, view{
		selector:  opts.Selector,
		ignore:    opts.IgnoreSelectors,
		mainFrame: opts.MainFrame,
		maxTokens: opts.MaxTokens,
	})
	if err != nil {
		return nil, p.session.explain("snapshot", late(ctx, err))
	}
	return snap, nil
}

// look settles the page and reads the part that v names. What has not changed
// since the last look is not read again.
func (p *Page) look(ctx context.Context, v view) (*Snapshot, error) {
	report := Look{Begin: time.Now()}
	var err error
	if v.settle == 0 {
		v.settle = p.session.settleTimeout()
	}
	if report.Settle, err = p.settle(ctx, v.settle); err != nil {
		return nil, err
	}
	if err := p.unshown(); err != nil {
		return nil, err
	}
	opts, err := p.viewOptions(ctx, v)
	if err != nil {
		return nil, err
	}
	opts = p.session.secrets.mask(opts)
	start := time.Now()
	fresh, err := p.capture(ctx)
	if err != nil {
		return nil, err
	}
	if fresh {
		report.Capture = time.Since(start)
	}
	start = time.Now()
	snap := p.build(opts)
	report.Build = time.Since(start)
	p.session.metrics.looked(report)
	p.session.traceLook(ctx, func() Look {
		report.URL = p.session.secrets.hide(p.URL())
		report.Nodes = len(snap.Nodes)
		report.Notes = slices.Clone(snap.Capture.Notes)
		report.Tokens = accessibility.Tokens(snap.Outline())
		return report
	})
	return snap, nil
}

// lookLater waits until the page shows something else than a look has shown, up
// to the deadline, and looks again; nil if nothing has come.
func (p *Page) lookLater(ctx context.Context, seen *Snapshot, v view, deadline time.Time) (*Snapshot, error) {
	known := seen.Capture
	for {
		_, changed, err := p.watch.blocked()
		if err != nil {
			return nil, err
		}
		idle := p.idle(ctx) // before the look: what comes in between is seen by it
		begun := time.Now()
		if _, err := p.capture(ctx); err != nil && !passing(err) {
			return nil, err
		}
		if p.seen.capture != known {
			known = p.seen.capture
			if now, err := p.look(ctx, v); err != nil || now.Outline() != seen.Outline() {
				return now, err
			}
		}
		if idle || ctx.Err() != nil || !time.Now().Before(deadline) {
			return nil, nil
		}
		rest(ctx, time.Since(begun), nil)
		rest(ctx, min(longestTurn, time.Until(deadline)), changed)
	}
}

// unshown says why the page shows no document but the browser's own words about
// one that could not be fetched: nothing that is read there is an answer.
func (p *Page) unshown() error {
	if frames := p.driver.Frames(); len(frames) > 0 && frames[0].Failed != nil {
		return p.session.guard.clarify(frames[0].Failed)
	}
	return nil
}

// build makes the snapshot that opts ask for from the last capture. Of the whole
// page there is one, which is written as the caller wants it.
func (p *Page) build(opts *accessibility.Options) *Snapshot {
	if opts != nil {
		frames := opts.MainFrame && len(p.seen.capture.Documents) > 1 // are left out
		if len(opts.Scope) > 0 || len(opts.Ignore) > 0 || frames {
			return accessibility.Build(p.seen.capture, opts)
		}
		return p.build(nil).With(*opts)
	}
	return p.seen.snapshot()
}

// snapshot is that of the whole page.
func (s *seen) snapshot() *Snapshot {
	if s.whole == nil {
		s.whole = accessibility.Build(s.capture, nil)
	}
	return s.whole
}

// capture reads the page unless its revision says that the last reading still
// holds, and reports whether it did.
func (p *Page) capture(ctx context.Context) (fresh bool, _ error) {
	if p.seen.capture != nil && !p.seen.fickle {
		revision, err := p.driver.Revision(ctx)
		if err != nil {
			return false, err
		}
		if revision == p.seen.capture.Revision {
			return false, nil
		}
	}
	capture, err := p.driver.Capture(ctx)
	if err != nil {
		return false, err
	}
	if len(capture.Documents) == 0 {
		return false, fmt.Errorf("capture: the page has no document")
	}
	p.seen = seen{capture: capture, fickle: fickle(capture)}
	return true, nil
}

// fickle reports whether a capture holds facts whose change no revision tells:
// mixed boxes, and roles that scripts give to custom elements.
func fickle(c *driver.Capture) bool {
	for d := range c.Documents {
		nodes := c.Documents[d].Nodes
		for i := range nodes {
			if r := nodes[i].Rare; r != nil && (r.Mixed || r.Role != "" || r.Label != "") {
				return true
			}
		}
	}
	return false
}

// viewOptions resolves a view's selectors; nil is the whole page without limit.
func (p *Page) viewOptions(ctx context.Context, v view) (*accessibility.Options, error) {
	if v.selector == "" && len(v.ignore) == 0 && !v.mainFrame && v.maxTokens == 0 {
		return nil, nil
	}
	opts := &accessibility.Options{MainFrame: v.mainFrame, MaxTokens: v.maxTokens}
	if v.selector != "" {
		found, err := p.expect(ctx, v.selector)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%w: the selector %q matches nothing on %s", ErrNotFound, excerpt(v.selector), excerpt(p.URL()))
		}
		opts.Scope = nodesOf(found)
	}
	for _, selector := range v.ignore {
		nodes, err := p.find(ctx, selector)
		if err != nil {
			return nil, err
		}
		opts.Ignore = append(opts.Ignore, nodes...)
	}
	return opts, nil
}
