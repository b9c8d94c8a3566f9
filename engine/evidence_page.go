package engine

import (
	"context"
	"slices"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// mostChangeTokens bounds what a result says of the outline's changes.
const mostChangeTokens = 2000

// lookAtRevision notes the page's revision, where it is still the same page.
func (q *inquest) lookAtRevision(ctx context.Context) {
	q.evidence.Revision = nil
	if q.leftDocument() {
		return
	}
	after, err := q.deed.page.driver.Revision(ctx)
	if err != nil {
		return // the document is going: the events tell, or the next look
	}
	q.evidence.Revision = &RevisionSeen{Before: q.revision, After: after}
}

// lookCloser is for a deed after which no event and no change of the DOM was
// seen, and the revision differs all the same. A script that sets the value of
// another field leaves no other trace. It reads the page anew only where it
// was read before the deed, and the next look is spared the reading.
func (q *inquest) lookCloser(ctx context.Context) {
	p, r := q.deed.page, q.evidence.Revision
	if r == nil || r.Before == r.After || p.seen.capture == nil || p.seen.capture.Revision != r.Before {
		return
	}
	before := p.build(nil)
	if fresh, err := p.capture(ctx); err != nil || !fresh {
		return // a courtesy: what the deed did is known, but for this
	}
	if telling(accessibility.Diff(before, p.build(nil))) {
		q.raise(EffectPage)
	}
}

// telling reports that something is different besides the focus and the
// scrolling, which any click may bring with it.
func telling(c *accessibility.Changes) bool {
	return c.NewDocument || len(c.Added) > 0 || len(c.Removed) > 0 ||
		slices.ContainsFunc(c.Changed, func(ch accessibility.Change) bool {
			a, b := ch.Before.States, ch.After.States
			a.Focused, b.Focused = false, false
			return ch.Before.Name != ch.After.Name || ch.Before.Value != ch.After.Value || a != b
		})
}

// compareOutlines waits until the page is quiet and says what the outline has
// that it had not, where the caller asked for it.
func (q *inquest) compareOutlines(ctx context.Context) {
	if q.before == nil || q.dialogOpen() {
		return
	}
	p := q.deed.page
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return // a courtesy: the deed was done, and its evidence stands
	}
	if _, err := p.capture(ctx); err != nil {
		return
	}
	q.evidence.Changes = accessibility.Diff(q.before, p.build(nil)).Outline(mostChangeTokens)
}
