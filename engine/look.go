package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// SnapshotOptions refine Snapshot.
type SnapshotOptions struct {
	Timeout         time.Duration // in place of the session's
	Selector        string
	IgnoreSelectors []string
	MainFrame       bool // without the content of frames
	MaxTokens       int  // 0 is no limit
}

// A reader reads a page once it is quiet, and keeps what it read. Only the holder of the
// page's turn may use it.
type reader struct {
	page *Page
	last reading
}

// look settles the page and reads the part that v selects. If nothing changed
// since the last look, the page is not read again.
func (r *reader) look(ctx context.Context, v view) (*Snapshot, error) {
	report := Look{Begin: time.Now()}
	var err error
	if v.settle == 0 {
		v.settle = r.page.session.settleTimeout()
	}
	if report.Settle, err = r.settle(ctx, v.settle); err != nil {
		return nil, err
	}
	if err := r.documentFailure(); err != nil {
		return nil, err
	}
	opts, err := r.viewOptions(ctx, v)
	if err != nil {
		return nil, err
	}
	opts = r.page.session.secrets.mask(opts)
	start := time.Now()
	fresh, err := r.capture(ctx)
	if err != nil {
		return nil, err
	}
	if fresh {
		report.Capture = time.Since(start)
	}
	start = time.Now()
	snap := r.build(opts)
	report.Build = time.Since(start)
	r.page.session.journal.looked(ctx, report, func(report *Look) {
		report.URL = r.page.session.secrets.hide(r.page.URL())
		report.Nodes = len(snap.Nodes)
		report.Notes = slices.Clone(snap.Capture.Notes)
		report.Tokens = r.last.tokensOf(snap)
	})
	return snap, nil
}

// lookLater waits until the page shows something new and looks again. It
// returns nil if nothing came before the deadline.
func (r *reader) lookLater(ctx context.Context, before *Snapshot, v view, deadline time.Time) (*Snapshot, error) {
	known := before.Capture
	for {
		_, changed, err := r.page.watch.blocked()
		if err != nil {
			return nil, err
		}
		idle := r.idle(ctx) // asked before the look, which sees what comes in between
		begun := time.Now()
		if _, err := r.capture(ctx); err != nil && !betweenDocuments(err) {
			return nil, err
		}
		if now := r.last.capture; now != nil && now != known {
			known = now
			if now, err := r.look(ctx, v); err != nil || now.Outline() != before.Outline() {
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

// documentFailure returns why the document could not be fetched. The browser
// then shows its own error page, whose content is no answer to anything.
func (r *reader) documentFailure() error {
	if frames := r.page.driver.Frames(); len(frames) > 0 && frames[0].Failed != nil {
		return r.page.session.guard.clarify(frames[0].Failed)
	}
	return nil
}

// build makes the snapshot that opts ask for from the last capture. The whole
// page is built once and rendered with varying options.
func (r *reader) build(opts *accessibility.Options) *Snapshot {
	if opts != nil {
		frames := opts.MainFrame && len(r.last.capture.Documents) > 1 // are left out
		if len(opts.Scope) > 0 || len(opts.Ignore) > 0 || frames {
			return accessibility.Build(r.last.capture, opts)
		}
		return r.build(nil).With(*opts)
	}
	return r.last.snapshot()
}

// A reading is the last capture of a page. It stays valid while the page's
// revision is unchanged.
type reading struct {
	capture  *driver.Capture
	whole    *Snapshot // of the whole page; nil until asked for
	tokens   int       // of its outline; 0 until asked for
	unstable bool      // holds facts that a revision does not cover
	actions  everyAction
}

// snapshot returns the snapshot of the whole page, an empty one if there is no
// reading.
func (r *reading) snapshot() *Snapshot {
	if r.capture == nil {
		return accessibility.Build(&driver.Capture{}, nil)
	}
	if r.whole == nil {
		r.whole = accessibility.Build(r.capture, nil)
	}
	return r.whole
}

// tokensOf counts the tokens of a snapshot's outline, of the whole page's once.
func (r *reading) tokensOf(snap *Snapshot) int {
	if snap != r.whole {
		return accessibility.Tokens(snap.Outline())
	}
	if r.tokens == 0 {
		r.tokens = accessibility.Tokens(snap.Outline())
	}
	return r.tokens
}

// holds reports that the page was, at a glance, as in a reading.
func (r *reading) holds(g *driver.Glance) bool {
	return g != nil && g.Revision != 0 && r.capture != nil && !r.unstable && r.capture.Revision == g.Revision
}

// settle waits until the page is quiet, at most for limit, and returns how long
// it waited. A page that is never quiet is not an error: the limit ends the
// wait. Quiescence counts from the last action, so a page that was left alone
// since then costs one query.
func (r *reader) settle(ctx context.Context, limit time.Duration) (time.Duration, error) {
	start := time.Now()
	for {
		blocked, changed, err := r.page.watch.blocked()
		if err != nil {
			return time.Since(start), err
		}
		wait := longestTurn // no event tells that longestLoad is over
		if !blocked {
			activity, err := r.page.driver.Activity(ctx)
			if err != nil && !betweenDocuments(err) {
				return time.Since(start), err
			}
			if wait = r.page.watch.unquiet(activity, time.Now()); wait <= 0 {
				return time.Since(start), nil
			}
		}
		left := limit - time.Since(start)
		if left <= 0 {
			r.page.session.journal.unquiet(r.page.id, time.Since(start), r.pending())
			return time.Since(start), nil
		}
		if rest(ctx, min(wait, left), changed); ctx.Err() != nil {
			return time.Since(start), fmt.Errorf("the page is not quiet (%s): %w", r.pending(), context.Cause(ctx))
		}
	}
}

// pending names what keeps the page from being quiet.
func (r *reader) pending() string {
	return cmp.Or(r.page.session.secrets.hide(r.page.watch.pending()), "something happened just before")
}

// idle reports that the page cannot change until somebody acts.
func (r *reader) idle(ctx context.Context) bool {
	activity, err := r.page.driver.Activity(ctx)
	return err == nil && activity.Idle
}

// betweenDocuments reports errors of a page that is switching documents: it is
// not quiet, and a later look will succeed.
func betweenDocuments(err error) bool {
	return errors.Is(err, driver.ErrDetached) || errors.Is(err, driver.ErrStale)
}

// capture reads the page unless its revision shows that the last reading is
// still valid. It reports whether it did. The reading that is none any more is
// given up before: of a large page there is not to be memory for two.
func (r *reader) capture(ctx context.Context) (fresh bool, _ error) {
	if r.last.capture != nil && !r.last.unstable {
		revision, err := r.page.driver.Revision(ctx)
		if err != nil {
			return false, err
		}
		if revision == r.last.capture.Revision {
			return false, nil
		}
	}
	r.last = reading{}
	capture, err := r.page.driver.Capture(ctx)
	if err != nil {
		return false, err
	}
	if len(capture.Documents) == 0 {
		return false, fmt.Errorf("capture: the page has no document")
	}
	r.last = reading{capture: capture, unstable: isUnstable(capture)}
	return true, nil
}

// isUnstable reports whether a capture holds facts that can change without a
// new revision: mixed checkboxes, and roles that scripts give to custom
// elements.
func isUnstable(c *driver.Capture) bool {
	for d := range c.Documents {
		nodes := c.Documents[d].Nodes
		for i := range nodes {
			if r := nodes[i].Rare; r != nil && (r.Mixed || len(r.Internals) > 0) {
				return true
			}
		}
	}
	return false
}

// viewOptions resolves a view's selectors. It returns nil for the whole page
// without limit.
func (r *reader) viewOptions(ctx context.Context, v view) (*accessibility.Options, error) {
	if v.Selector == "" && len(v.IgnoreSelectors) == 0 && !v.MainFrame && v.MaxTokens == 0 && !v.whole {
		return nil, nil
	}
	opts := &accessibility.Options{MainFrame: v.MainFrame, MaxTokens: v.MaxTokens, Whole: v.whole}
	if v.Selector != "" {
		found, err := r.page.expect(ctx, v.Selector)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%w: the selector %q matches nothing on %s", ErrNotFound, excerpt(v.Selector), excerpt(r.page.URL()))
		}
		opts.Scope = nodesOf(found)
	}
	for _, selector := range v.IgnoreSelectors {
		nodes, err := r.page.find(ctx, selector)
		if err != nil {
			return nil, err
		}
		opts.Ignore = append(opts.Ignore, nodes...)
	}
	return opts, nil
}
