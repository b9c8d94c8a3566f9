package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// look settles the page and reads the part that v selects. If nothing changed
// since the last look, the page is not read again.
func (p *Page) look(ctx context.Context, v view) (*Snapshot, error) {
	report := Look{Begin: time.Now()}
	var err error
	if v.settle == 0 {
		v.settle = p.session.settleTimeout()
	}
	if report.Settle, err = p.settle(ctx, v.settle); err != nil {
		return nil, err
	}
	if err := p.documentFailure(); err != nil {
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
	p.session.journal.looked(ctx, report, func(report *Look) {
		report.URL = p.session.secrets.hide(p.URL())
		report.Nodes = len(snap.Nodes)
		report.Notes = slices.Clone(snap.Capture.Notes)
		report.Tokens = p.last.tokensOf(snap)
	})
	return snap, nil
}

// lookLater waits until the page shows something new and looks again. It
// returns nil if nothing came before the deadline.
func (p *Page) lookLater(ctx context.Context, before *Snapshot, v view, deadline time.Time) (*Snapshot, error) {
	known := before.Capture
	for {
		_, changed, err := p.watch.blocked()
		if err != nil {
			return nil, err
		}
		idle := p.idle(ctx) // asked before the look, which sees what comes in between
		begun := time.Now()
		if _, err := p.capture(ctx); err != nil && !betweenDocuments(err) {
			return nil, err
		}
		if now := p.last.capture; now != nil && now != known {
			known = now
			if now, err := p.look(ctx, v); err != nil || now.Outline() != before.Outline() {
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
func (p *Page) documentFailure() error {
	if frames := p.driver.Frames(); len(frames) > 0 && frames[0].Failed != nil {
		return p.session.guard.clarify(frames[0].Failed)
	}
	return nil
}

// build makes the snapshot that opts ask for from the last capture. The whole
// page is built once and rendered with varying options.
func (p *Page) build(opts *accessibility.Options) *Snapshot {
	if opts != nil {
		frames := opts.MainFrame && len(p.last.capture.Documents) > 1 // are left out
		if len(opts.Scope) > 0 || len(opts.Ignore) > 0 || frames {
			return accessibility.Build(p.last.capture, opts)
		}
		return p.build(nil).With(*opts)
	}
	return p.last.snapshot()
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
func (p *Page) settle(ctx context.Context, limit time.Duration) (time.Duration, error) {
	start := time.Now()
	for {
		blocked, changed, err := p.watch.blocked()
		if err != nil {
			return time.Since(start), err
		}
		wait := limit // for events, if what is in progress ends with one
		if !blocked {
			activity, err := p.driver.Activity(ctx)
			if err != nil && !betweenDocuments(err) {
				return time.Since(start), err
			}
			if wait = p.watch.unquiet(activity, time.Now()); wait <= 0 {
				return time.Since(start), nil
			}
		}
		left := limit - time.Since(start)
		if left <= 0 {
			p.session.journal.unquiet(p.id, time.Since(start), p.pending())
			return time.Since(start), nil
		}
		timer := time.NewTimer(min(wait, left))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
			timer.Stop()
			return time.Since(start), fmt.Errorf("the page is not quiet (%s): %w", p.pending(), context.Cause(ctx))
		}
		timer.Stop()
	}
}

// pending names what keeps the page from being quiet.
func (p *Page) pending() string {
	return cmp.Or(p.session.secrets.hide(p.watch.pending()), "something happened just before")
}

// idle reports that the page cannot change until somebody acts.
func (p *Page) idle(ctx context.Context) bool {
	activity, err := p.driver.Activity(ctx)
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
func (p *Page) capture(ctx context.Context) (fresh bool, _ error) {
	if p.last.capture != nil && !p.last.unstable {
		revision, err := p.driver.Revision(ctx)
		if err != nil {
			return false, err
		}
		if revision == p.last.capture.Revision {
			return false, nil
		}
	}
	p.last = reading{}
	capture, err := p.driver.Capture(ctx)
	if err != nil {
		return false, err
	}
	if len(capture.Documents) == 0 {
		return false, fmt.Errorf("capture: the page has no document")
	}
	p.last = reading{capture: capture, unstable: isUnstable(capture)}
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
func (p *Page) viewOptions(ctx context.Context, v view) (*accessibility.Options, error) {
	if v.selector == "" && len(v.ignore) == 0 && !v.mainFrame && v.maxTokens == 0 && !v.whole {
		return nil, nil
	}
	opts := &accessibility.Options{MainFrame: v.mainFrame, MaxTokens: v.maxTokens, Whole: v.whole}
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

// A match is an element that a selector matches, and what selects it within the
// last root on the way.
type match struct {
	node driver.NodeRef
	by   driver.Selection
}

// match is find with the selection of each element.
func (p *Page) match(ctx context.Context, selector string) ([]match, error) {
	if accessibility.IsLocator(selector) {
		return p.locate(ctx, selector)
	}
	steps, err := accessibility.SplitSelector(selector)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return p.walk(ctx, []match{{}}, steps)
}

// walk resolves the steps of a selector, the first within roots.
func (p *Page) walk(ctx context.Context, roots []match, steps []accessibility.Step) ([]match, error) {
	for i, step := range steps {
		var next []match
		for _, root := range roots {
			found, err := p.driver.Find(ctx, root.node, step.Selector)
			if err != nil {
				return nil, err
			}
			for _, node := range found {
				next = append(next, match{node, driver.Selection{Root: root.node, Selector: step.Selector}})
			}
		}
		if len(next) == 0 {
			if step.Else == nil {
				return nil, nil
			}
			return p.walk(ctx, roots, step.Else)
		}
		if i == len(steps)-1 {
			return next, nil
		}
		roots = next
	}
	return nil, nil
}

// findOne resolves a selector that must match exactly one element, which may
// still appear.
func (p *Page) findOne(ctx context.Context, selector string) (driver.NodeRef, error) {
	m, err := p.matchOne(ctx, selector)
	return m.node, err
}

// matchOne is findOne with the element's selection.
func (p *Page) matchOne(ctx context.Context, selector string) (match, error) {
	found, err := p.expect(ctx, selector)
	switch {
	case err != nil:
		return match{}, err
	case len(found) == 0:
		return match{}, fmt.Errorf("%w: %q matches nothing on %s", ErrNotFound, excerpt(selector), excerpt(p.URL()))
	case len(found) > 1:
		return match{}, p.ambiguous(ctx, selector, found)
	}
	return found[0], nil
}

// expect is match for elements that may still appear: it looks again for as
// long as an element may take to become usable.
func (p *Page) expect(ctx context.Context, selector string) ([]match, error) {
	// Most elements are there, and need no look at what the page is about to do.
	if found, err := p.match(ctx, selector); err != nil && !betweenDocuments(err) || len(found) > 0 {
		return found, err
	}
	deadline := time.Now().Add(p.session.patience())
	for {
		_, changed, gone := p.watch.blocked()
		idle := p.idle(ctx) // asked before the look, which sees what comes in between
		found, err := p.match(ctx, selector)
		if err != nil && !betweenDocuments(err) || len(found) > 0 || idle || gone != nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return found, err
		}
		rest(ctx, min(longestTurn, time.Until(deadline)), changed)
	}
}

// ambiguous names the elements that a selector matches.
func (p *Page) ambiguous(ctx context.Context, selector string, nodes []match) error {
	e := &AmbiguousError{Selector: selector, Count: len(nodes)}
	if _, err := p.capture(ctx); err != nil {
		return e // without names
	}
	snap := p.build(nil)
	for _, m := range nodes[:min(len(nodes), maxAmbiguousNamed)] {
		if node, ok := snap.Find(m.node); ok {
			e.Candidates = append(e.Candidates, candidate(node))
		}
	}
	return e
}

// candidate names an element in a list of choices.
func candidate(n *accessibility.Node) string {
	return fmt.Sprintf("[%s] %s", n.Ref, fingerprint(n))
}

// find resolves a selector to the elements that it matches, in document order.
// A selector through frames and shadow roots is resolved root by root.
func (p *Page) find(ctx context.Context, selector string) ([]driver.NodeRef, error) {
	found, err := p.match(ctx, selector)
	return nodesOf(found), err
}

func nodesOf(found []match) []driver.NodeRef {
	nodes := make([]driver.NodeRef, len(found))
	for i, m := range found {
		nodes[i] = m.node
	}
	return nodes
}

// setDeepPath gives an action the deep XPath of its element, unless it has one.
func (p *Page) setDeepPath(ctx context.Context, node driver.NodeRef, action *Action) error {
	if accessibility.DeepPath(action.Selector) {
		return nil
	}
	if _, err := p.capture(ctx); err != nil {
		return err
	}
	if path, ok := p.build(nil).PathTo(node); ok {
		action.Selector, action.BackendNodeID = path, int64(node.Node)
		action.Locator = locatorsOf(p.build(nil), node)[0]
	}
	return nil
}

// A place is a node of a capture.
type place struct {
	capture *driver.Capture
	doc, at int32
}

// placeOf finds a node in a capture.
func placeOf(c *driver.Capture, ref driver.NodeRef) (place, bool) {
	if c == nil {
		return place{}, false
	}
	for d := range c.Documents {
		if doc := &c.Documents[d]; doc.Frame == ref.Frame && doc.Doc == ref.Doc {
			for i := range doc.Nodes {
				if doc.Nodes[i].ID == ref.Node {
					return place{c, int32(d), int32(i)}, true
				}
			}
		}
	}
	return place{}, false
}

func (p place) ref() driver.NodeRef { return p.capture.Documents[p.doc].Ref(p.at) }
func (p place) node() *driver.Node  { return &p.capture.Documents[p.doc].Nodes[p.at] }

// up returns the parent, across shadow roots and frames.
func (p place) up() (place, bool) {
	doc := &p.capture.Documents[p.doc]
	if parent := doc.Nodes[p.at].Parent; parent >= 0 {
		return place{p.capture, p.doc, parent}, true
	}
	if doc.OwnerDocument < 0 {
		return place{}, false
	}
	return place{p.capture, doc.OwnerDocument, doc.Owner}, true
}

// encloses reports whether outer is inner or one of its ancestors.
func encloses(c *driver.Capture, outer, inner driver.NodeRef) bool {
	in, ok := placeOf(c, inner)
	out, known := placeOf(c, outer)
	for ok && known {
		if in == out {
			return true
		}
		in, ok = in.up()
	}
	return false
}

// box returns the node's box in the page's viewport, as far as a reading tells:
// the borders of frames are not accounted for.
func (p place) box() driver.Rect {
	r := p.node().Box
	for {
		doc := &p.capture.Documents[p.doc]
		r.X, r.Y = r.X-doc.ScrollX, r.Y-doc.ScrollY
		if doc.OwnerDocument < 0 {
			return r
		}
		p = place{p.capture, doc.OwnerDocument, doc.Owner}
		r.X, r.Y = r.X+p.node().Box.X, r.Y+p.node().Box.Y
	}
}

func contains(r driver.Rect, at driver.Offset) bool {
	return at.X >= r.X && at.Y >= r.Y && at.X < r.X+r.Width && at.Y < r.Y+r.Height
}

// describe names an element without a role by its tag, its id and its text.
func (p place) describe() string {
	doc := &p.capture.Documents[p.doc]
	n := p.node()
	tag := "<" + n.Name
	if id, ok := n.Attr("id"); ok && id != "" {
		tag += " id=" + id
	}
	tag += ">"
	var words []string
	for i := p.at + 1; int(i) < len(doc.Nodes) && doc.Nodes[i].Parent >= p.at && len(words) < maxDescribed; i++ {
		words = append(words, strings.Fields(doc.Nodes[i].Shown)...)
	}
	if len(words) > 0 {
		tag += " " + strconv.Quote(strings.Join(words[:min(len(words), maxDescribed)], " "))
	}
	return tag
}

// maxDescribed bounds the words of an element's text that describe quotes.
const maxDescribed = 10
