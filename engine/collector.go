package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// collect starts recording. changes asks for a reading of the page first.
func (a *attempt) collect(ctx context.Context, changes bool) (*collector, error) {
	q := &collector{attempt: a, from: a.page.URL(), refused: a.page.session.guard.refusals()}
	var err error
	if changes || a.method.confirms == byReading && !a.page.last.holds(a.glance) {
		if _, err = a.page.capture(ctx); err != nil {
			return nil, err
		}
	}
	if changes {
		q.before = a.page.build(nil)
	}
	if a.glance != nil && a.glance.Revision != 0 {
		q.revision = a.glance.Revision
	} else if q.revision, err = a.page.driver.Revision(ctx); err != nil {
		return nil, err
	}
	q.recorder = a.page.watch.record()
	return q, nil
}

func (c *collector) close() { c.recorder.stop() }

// conclude finds out what the attempt did, and returns an error if it did not
// work.
func (c *collector) conclude(ctx context.Context) error {
	verdict := c.awaitEffect(ctx)
	c.lookAtRevision(ctx)
	if verdict == nil && c.evidence.Effect == EffectNone && c.attempt.watchPage {
		c.lookCloser(ctx)
		if c.evidence.Effect == EffectNone && c.attempt.ifUnseen != nil {
			verdict = c.attempt.ifUnseen(ctx)
		}
	}
	if verdict == nil && c.attempt.targetMoved && strength[c.evidence.Effect] <= strength[EffectPage] {
		verdict = c.attempt.notClicked(ctx)
	}
	if c.evidence.Effect != EffectNone {
		c.attempt.page.watch.showedEffect(c.answered())
	}
	return verdict
}

// mostOvertime bounds how many looks are made after the time for them is over.
const mostOvertime = 8

// awaitEffect waits for the attempt's first real effect.
func (c *collector) awaitEffect(ctx context.Context) error {
	begun := time.Now()
	pause, overtime := oneFrame, 0
	c.yield(ctx)
	for {
		events, changed := c.recorder.collected()
		c.fold(events)
		verdict := c.lookAtElement(ctx)
		if verdict == nil {
			verdict = c.refusal()
		}
		held := c.attempt.held(events)
		if held.err != nil {
			verdict = held.err
		} else if held.asking {
			select {
			case <-held.changed:
				begun = time.Now() // it goes on from the decision
			case <-ctx.Done():
				c.attempt.hold.GiveUp()
			}
			continue
		}
		if verdict == nil && c.attempt.sent && !c.leftDocument() && (c.evidence.Effect == EffectNone || c.attempt.expect != nil) {
			c.lookAtPage(ctx)
		}
		limit := longestSilence
		switch {
		case c.outcomePending(), held.awaited && verdict == nil:
			limit = longestOutcome
		case verdict == nil && c.overdue():
			limit = longestOutcome
		case c.conclusive(verdict):
			limit = c.grace()
		case verdict == nil && c.timers == driver.TimersNever && c.answered():
			limit = c.silence()
		}
		left := limit - time.Since(begun)
		if left <= 0 || ctx.Err() != nil {
			// More events may have arrived during the last look. A page that
			// always does something has others after every look.
			now, _ := c.recorder.collected()
			if len(now) == len(events) || overtime == mostOvertime || ctx.Err() != nil {
				return verdict
			}
			overtime++
			continue
		}
		c.attempt.glance = nil // the next look is another one
		timer := time.NewTimer(min(pause, left))
		select {
		case <-timer.C:
		case <-changed:
		case <-held.changed:
		case <-ctx.Done():
		}
		timer.Stop()
		pause *= 2
	}
}

// silence is how long an attempt without an effect is watched on a page whose
// scripts can come back to nothing.
func (c *collector) silence() time.Duration {
	a := c.attempt
	switch {
	case a.method.name == Hover && a.glance != nil && !c.transition:
		return 0 // styles were computed for that answer
	case a.method.name == Hover, a.method.name == Press && input.Writes(a.args[0]):
		return oneFrame
	}
	return longestSilence
}

// yield gives the page's scripts their turn instead of a frame's time, where
// nothing says that more will come.
func (c *collector) yield(ctx context.Context) {
	a := c.attempt
	y, ok := driver.PageAs[driver.Yielder](a.page.driver)
	if !ok || !a.sent || !a.watchPage && a.expect == nil || c.mayNavigate() || strength[a.expected] > strength[EffectPage] {
		return
	}
	if events, _ := c.recorder.collected(); len(events) > 0 {
		return
	}
	short, cancel := context.WithTimeout(ctx, longestSilence)
	defer cancel()
	err := c.glanceAfter(short)
	if err != nil && short.Err() == nil {
		err = y.Yield(short, a.node.Frame)
	}
	events, _ := c.recorder.collected()
	c.yielded = err == nil && len(events) == 0
}

// glanceAfter is yield with all that evidence asks next.
func (c *collector) glanceAfter(ctx context.Context) error {
	g, ok := c.attempt.page.driver.(driver.Glancer)
	if !ok {
		return errors.ErrUnsupported
	}
	seen, err := g.GlanceAfter(ctx, c.attempt.node)
	if err == nil && seen.Activity.Timers != driver.TimersUnknown {
		c.attempt.glance = seen // else more may come, and each look gives it time
	}
	return err
}

// answered reports that the page's tasks had their turn, and no event came of
// them.
func (c *collector) answered() bool {
	events, _ := c.recorder.collected()
	return c.yielded && len(events) == 0
}

// mayNavigate reports an element that is there to navigate, and was not only
// pointed at.
func (c *collector) mayNavigate() bool {
	a := c.attempt
	return a.method.name != Hover && (a.before.Tag == "a" || a.before.Type == "submit")
}

// overdue reports that an effect which the cache recorded has not come yet.
func (c *collector) overdue() bool {
	foreseen, seen := strength[c.attempt.expected], strength[c.evidence.Effect]
	if c.idle || !c.attempt.sent || !c.attempt.watchPage {
		return false
	}
	return foreseen > 0 && seen == 0 || foreseen >= strength[EffectDownload] && seen < foreseen
}

// conclusive reports that no further look could improve the verdict.
func (c *collector) conclusive(verdict error) bool {
	if verdict != nil {
		return false
	}
	return !c.attempt.watchPage || c.idle || c.evidence.Effect != EffectNone
}

// grace is how long to wait for a stronger effect after a weak one: browsers
// report a navigation or a new page some milliseconds after the click, and a
// link is there to navigate.
func (c *collector) grace() time.Duration {
	switch {
	case c.idle || !c.attempt.sent || strength[c.evidence.Effect] >= strength[EffectDownload]:
		return 0
	case c.attempt.expect != nil: // a page that re-renders may reset the value
		if c.answered() && c.timers != driver.TimersUnknown {
			return 0
		}
		return oneFrame
	case !c.attempt.watchPage:
		return 0
	case c.mayNavigate():
		return afterLink
	}
	if c.answered() {
		return 0
	}
	return oneFrame
}

// outcomePending reports that an effect has begun and not finished.
func (c *collector) outcomePending() bool {
	if n := c.evidence.Navigation; n != nil && n.Pending {
		return true
	}
	for _, d := range c.evidence.Downloads {
		if !d.Done {
			return true
		}
	}
	return c.dialogOpen()
}

// refusal is the error of an attempt whose navigation was refused or failed: it
// was done, and did not lead where it should.
func (c *collector) refusal() error {
	if n := c.evidence.Navigation; n != nil && n.failed != nil {
		return fmt.Errorf("%s was done, and where it leads could not be opened: %w", c.attempt.method.name, c.attempt.page.session.guard.clarify(n.failed))
	}
	if c.evidence.Navigation != nil || strength[c.evidence.Effect] > strength[EffectPage] {
		return nil
	}
	for _, r := range c.evidence.Refused {
		if r.Kind == driver.RequestDocument && (r.frame == "" || r.frame == driver.FrameID(c.attempt.page.id)) {
			return fmt.Errorf("%s was done, and where it leads was not opened: %w", c.attempt.method.name, blocked(r.err))
		}
	}
	return nil
}

// blocked makes an error match driver.ErrBlocked.
func blocked(err error) error {
	if errors.Is(err, driver.ErrBlocked) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrBlocked, err)
}

// lookAtElement compares the element with its state before, and returns an
// error if the attempt did not work.
func (c *collector) lookAtElement(ctx context.Context) error {
	if c.leftDocument() {
		return nil
	}
	after, err := c.attempt.state(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case betweenDocuments(err) || errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrDialog):
		return c.elementGone(err)
	default:
		return err
	}
	c.compare(c.attempt.before, after)
	if c.attempt.expect != nil {
		return c.attempt.expect(after)
	}
	return nil
}

// elementGone judges an attempt whose element is gone. A click may well remove
// its element; a value that cannot be read is not confirmed.
func (c *collector) elementGone(err error) error {
	if c.attempt.expect != nil {
		return fmt.Errorf("the element was replaced, so that its value cannot be confirmed: %w", err)
	}
	if strength[c.evidence.Effect] < strength[EffectPage] {
		c.evidence.Effect = EffectPage
	}
	return nil
}

// lookAtPage asks whether the page changed since the input was sent.
func (c *collector) lookAtPage(ctx context.Context) {
	activity, err := c.activity(ctx)
	if err != nil {
		return // the next look or event will tell
	}
	if c.attempt.watchPage && (activity.Mutated >= 0 && activity.Mutated <= time.Since(c.attempt.sentAt) || activity.Parsing) {
		c.raise(EffectPage)
	}
	c.idle, c.timers, c.transition = activity.Idle, activity.Timers, activity.Transition
}

// activity returns how busy the page is.
func (c *collector) activity(ctx context.Context) (*driver.Activity, error) {
	if g := c.attempt.glance; g != nil && g.Activity != nil {
		a := g.Activity
		g.Activity = nil
		return a, nil
	}
	return c.attempt.page.driver.Activity(ctx)
}

// maxChangeTokens bounds what a result says of the outline's changes.
const maxChangeTokens = 2000

// lookAtRevision notes the page's revision, where it is still the same page.
func (c *collector) lookAtRevision(ctx context.Context) {
	c.evidence.Revision = nil
	if c.leftDocument() {
		return
	}
	if g := c.attempt.glance; g != nil && g.Revision != 0 {
		c.evidence.Revision = &RevisionSeen{Before: c.revision, After: g.Revision}
		return
	}
	after, err := c.attempt.page.driver.Revision(ctx)
	if err != nil {
		return // the document is going; events or the next look will tell
	}
	c.evidence.Revision = &RevisionSeen{Before: c.revision, After: after}
}

// lookCloser handles an attempt without events or DOM changes but with a new
// revision, such as a script setting the value of another field. It reads the
// page only if it was read before the attempt; the reading then serves the next
// look. Otherwise it asks what controls hold.
func (c *collector) lookCloser(ctx context.Context) {
	p, r := c.attempt.page, c.evidence.Revision
	if r == nil || r.Before == r.After {
		return
	}
	if p.last.capture == nil || p.last.capture.Revision != r.Before {
		if g, ok := p.driver.(driver.Glancer); ok && c.attempt.glanced {
			if seen, err := g.GlanceAfter(ctx, c.attempt.node); err == nil && seen.Changed {
				c.raise(EffectPage)
			}
		}
		return
	}
	before := p.build(nil)
	if fresh, err := p.capture(ctx); err != nil || !fresh {
		return // optional: the rest of the evidence stands
	}
	if noticeable(accessibility.Diff(before, p.build(nil))) {
		c.raise(EffectPage)
	}
}

// noticeable reports changes besides focus and scrolling, which any click may
// cause.
func noticeable(c *accessibility.Changes) bool {
	return c.NewDocument || len(c.Added) > 0 || len(c.Removed) > 0 ||
		slices.ContainsFunc(c.Changed, func(ch accessibility.Change) bool {
			a, b := ch.Before.States, ch.After.States
			a.Focused, b.Focused = false, false
			return ch.Before.Name != ch.After.Name || ch.Before.Value != ch.After.Value || a != b
		})
}

// compareOutlines settles the page and records the changes of the outline, if
// the caller asked for them.
func (c *collector) compareOutlines(ctx context.Context) {
	if c.before == nil || c.dialogOpen() {
		return
	}
	p := c.attempt.page
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return // optional: the rest of the evidence stands
	}
	if _, err := p.capture(ctx); err != nil {
		return
	}
	c.evidence.Changes = accessibility.Diff(c.before, p.build(nil)).Outline(maxChangeTokens)
}

// A heldEffect is what is known of what an attempt sends.
type heldEffect struct {
	err     error           // it was not let out
	asking  bool            // somebody is being asked
	awaited bool            // what was approved has not come yet
	changed <-chan struct{} // closed when this becomes another; nil: it does not
}

// held says what became of what the attempt sends.
func (a *attempt) held(events []driver.Event) heldEffect {
	if a.hold == nil {
		return heldEffect{}
	}
	seen, asking, changed := a.hold.Seen(0)
	e := heldEffect{asking: asking, awaited: len(seen) == 0 && (a.hold.Approved != nil || a.begins(events)), changed: changed}
	for _, s := range seen {
		if s.Out {
			return e // what came of it shows otherwise
		}
	}
	if len(seen) > 0 && !asking {
		e.err = fmt.Errorf("%s was done, and nothing of it went out: %w", a.method.name, blocked(seen[0].Err))
	}
	return e
}

// begins reports a request that is going to be held: a browser may tell of it
// before it is.
func (a *attempt) begins(events []driver.Event) bool {
	return slices.ContainsFunc(events, func(e driver.Event) bool {
		r, ok := e.(driver.RequestStarted)
		return ok && a.hold.Concerns(driver.RequestInfo{URL: r.URL, Method: r.Method, Kind: r.Kind, Frame: r.Frame})
	})
}
