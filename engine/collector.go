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
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// A collector gathers the evidence of an attempt. It starts recording before
// the attempt.
type collector struct {
	attempt  *attempt
	from     string // address before the attempt
	refused  int    // number of requests refused before
	recorder *recorder
	revision driver.Revision // before
	before   *Snapshot       // nil unless changes are asked for
	evidence Evidence
	seen     driver.Activity // of the page, at the last look
	yielded  bool            // what came at once is known, and no event has come of it
	rested   bool            // what the page put off has had its turn, too
	styles   bool            // GlanceAfter tells whether styles have changed what is shown
	same     bool            // they have not, and none is about to
	changes  int             // of the page, when GlanceAfter told of it

	// failures holds why documents could not be opened, nil for those that
	// could. Each is asked for once: how often the events are folded depends on
	// timing, and a recording keeps every query.
	failures map[driver.DocID]*driver.NavigationError

	// arrived is the last navigation that came to an end, nil if none did. One
	// that begins later and comes to nothing leaves it.
	arrived *NavigationSeen

	downloads []string // ids of those in the evidence
}

// conclude finds out what the attempt did, and returns an error if it did not
// work.
func (c *collector) conclude(ctx context.Context) error {
	verdict := c.awaitEffect(ctx)
	c.lookAtRevision(ctx)
	switch {
	case verdict != nil:
	case c.attempt.dragged != nil && strength[c.evidence.Effect] <= strength[EffectPage] && !c.leftDocument():
		verdict = c.lookAtDrag(ctx)
	case c.maybeMore() && c.attempt.watchPage:
		c.lookCloser(ctx)
	}
	if verdict == nil && c.attempt.targetMoved && strength[c.evidence.Effect] <= strength[EffectPage] {
		verdict = c.attempt.notClicked(ctx, c.evidence.Effect)
	}
	if effect := c.evidence.Effect != EffectNone; effect || c.rested && c.attempt.watchPage {
		c.attempt.page.watch.concluded(effect, c.answered(), c.changes)
	}
	return verdict
}

// maybeMore reports that nothing was noticed yet, or what comes along with other
// effects: a key that ends an edit in place moves the focus, too.
func (c *collector) maybeMore() bool { return strength[c.evidence.Effect] <= strength[EffectFocus] }

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
				begun = time.Now() // it continues from the decision
			case <-ctx.Done():
				c.attempt.hold.GiveUp()
			}
			continue
		}
		if verdict == nil && c.attempt.sent && !c.leftDocument() && (c.maybeMore() || c.attempt.expect != nil) {
			c.lookAtPage(ctx)
		}
		limit := longestSilence
		switch {
		case c.unanswered():
			limit = longestFailure
		case c.outcomePending(), held.awaited && verdict == nil:
			limit = longestOutcome
		case verdict == nil && (c.overdue() || c.seen.Spent && c.evidence.Effect == EffectNone):
			limit = longestOutcome
		case c.conclusive(verdict):
			limit = c.grace()
		case verdict == nil && c.seen.Timers != driver.TimersUnknown && c.rested && c.answered():
			limit = c.silence()
		}
		left := limit - time.Since(begun)
		if left <= 0 || ctx.Err() != nil {
			// More events may have arrived during the last look. A page that
			// always does something has others after every look.
			now, _ := c.recorder.collected()
			if ctx.Err() != nil {
				c.fold(now)
				return verdict
			}
			if len(now) == len(events) || overtime == mostOvertime {
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
// scripts have put off nothing since the input.
func (c *collector) silence() time.Duration {
	a := c.attempt
	switch {
	case a.method.name == Hover && a.glance != nil && !c.seen.Transition:
		return 0 // styles were computed for that answer
	case a.method.name == Hover, a.method.name == Press && input.Writes(a.args[0]):
		return oneFrame
	}
	return shortSilence
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
		c.rested = err == nil
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
	if err == nil {
		c.rested, c.changes = seen.Rested, seen.Activity.Changes
		c.same = c.styles && seen.Same && !seen.Activity.Transition && seen.Activity.Timers != driver.TimersUnknown
	}
	if err == nil && seen.Activity.Timers != driver.TimersUnknown {
		c.attempt.glance = seen // else more may come, and each look gives it time
	}
	return err
}

// answered reports that the page has answered the input at once, and that no event
// has come since. What it put off without a delay is waited for by the next look or act.
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
	if c.seen.Idle || !c.attempt.sent || !c.attempt.watchPage {
		return false
	}
	return foreseen > 0 && seen == 0 || foreseen >= strength[EffectDownload] && seen < foreseen
}

// conclusive reports that no further look could improve the verdict.
func (c *collector) conclusive(verdict error) bool {
	if verdict != nil {
		return false
	}
	return !c.attempt.watchPage || c.seen.Idle || c.evidence.Effect != EffectNone
}

// grace is how long to wait for a stronger effect after a weak one: browsers
// report a navigation or a new page some milliseconds after the click, and a
// link is there to navigate.
func (c *collector) grace() time.Duration {
	switch {
	case c.seen.Idle || !c.attempt.sent || strength[c.evidence.Effect] >= strength[EffectDownload]:
		return 0
	case c.attempt.expect != nil: // a page that re-renders may reset the value
		if c.answered() && c.seen.Timers != driver.TimersUnknown {
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

// unanswered reports that the document which is under way could not be fetched.
func (c *collector) unanswered() bool {
	n := c.evidence.Navigation
	return n != nil && n.Pending && n.unanswered
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
	case endedByDialog(ctx):
		return nil // which the page opened in the midst of the answer: that is what it did
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case betweenDocuments(err) || errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrDialog):
		return c.elementGone(err)
	default:
		return err
	}
	c.compare(c.attempt.before, after)
	if c.attempt.expect == nil {
		return nil
	}
	verdict := c.attempt.expect(after)
	if verdict == nil && c.attempt.remade {
		c.showSent(c.attempt.before, after)
	}
	return verdict
}

// elementGone judges an attempt whose element is gone. A click may well remove
// its element; a value that cannot be read is not confirmed, but by the driver.
func (c *collector) elementGone(err error) error {
	if c.attempt.expect != nil && !c.attempt.taken {
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
	if c.attempt.watchPage && activity.Mutated >= 0 && activity.Mutated <= time.Since(c.attempt.sentAt) {
		c.raise(EffectPage)
	}
	c.seen = *activity
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
	if g := c.attempt.glance; g != nil && (g.Revision != 0 || c.same) {
		c.evidence.Revision = &RevisionSeen{Before: c.revision, After: cmp.Or(g.Revision, c.revision)}
		return
	}
	after, err := c.attempt.page.driver.Revision(ctx)
	if err != nil {
		return // the document is going; events or the next look will tell
	}
	c.evidence.Revision = &RevisionSeen{Before: c.revision, After: after}
}

// lookCloser handles an attempt without events or DOM changes but with a new
// revision, such as a script setting the value of another field, or a key that scrolls.
// It reads the page only if it was read before the attempt; the reading then serves the
// next look. Otherwise it asks what controls hold.
func (c *collector) lookCloser(ctx context.Context) {
	p, r, before := c.attempt.page, c.evidence.Revision, c.attempt.earlier
	if r == nil || r.Before == r.After || c.same {
		return
	}
	glanced := func(tells func(*driver.Glance) bool) {
		if g, ok := p.driver.(driver.Glancer); ok && c.attempt.glanced {
			if seen, err := g.GlanceAfter(ctx, c.attempt.node); err == nil && tells(seen) {
				c.raise(EffectPage)
			}
		}
	}
	switch {
	case before != nil:
	case p.last.capture != nil && p.last.capture.Revision == r.Before:
		before = p.build(nil)
	case c.styles:
		glanced(func(seen *driver.Glance) bool { return !seen.Same })
		return
	default:
		glanced(func(seen *driver.Glance) bool { return seen.Changed })
		return
	}
	if _, err := p.capture(ctx); err != nil {
		return // optional: the rest of the evidence stands
	}
	changes := accessibility.Diff(before, p.build(nil))
	if noticeable(changes) {
		c.raise(EffectPage)
	}
	if c.attempt.earlier != nil {
		c.moved(changes)
	}
}

// moved finds what an attempt moved: a position, which an outline names as a share only,
// or by a key the focus.
func (c *collector) moved(changes *accessibility.Changes) {
	for i := range changes.After.Nodes {
		now := &changes.After.Nodes[i]
		if now.Scroll == nil {
			continue
		}
		was, ok := changes.Before.Find(now.Source)
		if !ok || was.Scroll == nil {
			continue
		}
		if s := scrollSeen(*was.Scroll, *now.Scroll); s.moved() {
			c.evidence.Scroll = s
			c.raise(EffectScroll)
			break
		}
	}
	if c.attempt.method.name == Press && slices.ContainsFunc(changes.Changed, func(ch accessibility.Change) bool {
		return ch.Before.States.Focused != ch.After.States.Focused
	}) {
		c.raise(EffectFocus)
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

// fold makes evidence of the events so far.
func (c *collector) fold(events []driver.Event) {
	c.evidence, c.arrived, c.downloads = Evidence{Effect: EffectNone, Scroll: c.attempt.scroll}, nil, nil
	if s := c.attempt.scroll; s != nil && s.moved() || c.attempt.displaced {
		c.raise(EffectScroll)
	}
	page := c.attempt.page
	c.evidence.Refused = page.session.guard.since(c.refused, page)
	for _, e := range events {
		c.foldEvent(e, driver.FrameID(page.id))
	}
	if c.evidence.Navigation != nil {
		c.raise(EffectNavigation)
	}
}

// raise makes an effect the strongest if it is.
func (c *collector) raise(e Effect) {
	if strength[e] > strength[c.evidence.Effect] {
		c.evidence.Effect = e
	}
}

// foldEvent adds an event; main is the page's main frame, whose navigations are those of
// the page.
func (c *collector) foldEvent(e driver.Event, main driver.FrameID) {
	ev := &c.evidence
	switch e := e.(type) {
	case driver.NavigationRequested:
		if e.Frame != main {
			c.raise(EffectPage)
			break
		}
		ev.Navigation = &NavigationSeen{From: c.from, To: e.URL, Pending: true}
	case driver.NavigationEnded:
		if e.Frame == main {
			ev.Navigation = c.arrived
		}
	case driver.Navigated:
		if e.Frame == main {
			n := &NavigationSeen{From: c.from, To: e.URL, Status: e.Status, SameDocument: e.SameDocument}
			if why := c.failure(e); why != nil { // the browser shows a page of its own about that
				n.To, n.failed = cmp.Or(why.URL, n.To), why
				n.Failed = cmp.Or(why.Detail, string(why.Reason))
			}
			ev.Navigation, c.arrived = n, n
		} else {
			c.raise(EffectPage)
		}
	case driver.PageOpened:
		ev.NewPages = append(ev.NewPages, NewPageSeen{ID: string(e.Page), URL: e.URL})
		c.raise(EffectNewPage)
	case driver.DialogOpened:
		ev.Dialogs = append(ev.Dialogs, DialogSeen{Kind: string(e.Dialog.Kind), Message: e.Dialog.Message, Open: true})
		c.raise(EffectDialog)
	case driver.DialogClosed:
		if n := len(ev.Dialogs); n > 0 {
			ev.Dialogs[n-1].Open = false
			ev.Dialogs[n-1].Accepted = e.Answer.Accept
			ev.Dialogs[n-1].Answer = e.Answer.Text
		}
	case driver.DownloadStarted:
		ev.Downloads, c.downloads = append(ev.Downloads, DownloadSeen{URL: e.URL, Name: e.Name}), append(c.downloads, e.ID)
		c.raise(EffectDownload)
	case driver.DownloadEnded:
		if i := slices.Index(c.downloads, e.ID); i >= 0 {
			ev.Downloads[i].end(e)
		}
	case driver.RequestStarted:
		ev.Requests++
		c.raise(EffectRequest)
		if n := ev.Navigation; n != nil && e.Kind == driver.RequestDocument && e.Frame == driver.FrameID(e.Page) {
			n.request = e.ID
		}
	case driver.RequestEnded:
		if n := ev.Navigation; n != nil && e.Failed && e.ID == n.request {
			n.unanswered = true
		}
	case driver.FileChooserOpened:
		ev.FileChooser = true
		c.raise(EffectPage)
	case driver.PageClosed:
		c.raise(EffectPage)
	}
}

// failure returns why a document could not be opened, nil if it could.
func (c *collector) failure(e driver.Navigated) *driver.NavigationError {
	if why, known := c.failures[e.Doc]; known || e.SameDocument {
		return why
	}
	var why *driver.NavigationError
	for _, f := range c.attempt.page.driver.Frames() {
		if f.ID == e.Frame && f.Doc == e.Doc {
			why = f.Failed
		}
	}
	if c.failures == nil {
		c.failures = map[driver.DocID]*driver.NavigationError{}
	}
	c.failures[e.Doc] = why
	return why
}

// leftDocument reports that the element can no longer be queried: its document
// is gone or going, or blocked by a dialog.
func (c *collector) leftDocument() bool {
	n := c.evidence.Navigation
	return n != nil && !n.SameDocument || c.dialogOpen()
}

func (c *collector) dialogOpen() bool {
	return slices.ContainsFunc(c.evidence.Dialogs, func(d DialogSeen) bool { return d.Open })
}

// compare records what changed at the element.
func (c *collector) compare(before, after *driver.State) {
	ev := &c.evidence
	if before.Value != after.Value || !slices.Equal(before.Values, after.Values) || !slices.Equal(before.Files, after.Files) {
		ev.Value = &Change{Before: shownValue(before), After: c.attempt.shownAfter(after)}
	}
	states := map[string]Change{}
	note := func(name, a, b string) {
		if a != b {
			states[name] = Change{Before: a, After: b}
		}
	}
	note("checked", checkedWord(before), checkedWord(after))
	note("selected", strconv.FormatBool(before.Selected), strconv.FormatBool(after.Selected))
	note("expanded", boolWord(before.Expanded), boolWord(after.Expanded))
	note("pressed", boolWord(before.Pressed), boolWord(after.Pressed))
	if ev.Value != nil || len(states) > 0 {
		c.raise(EffectValue)
	}
	// A click moves the focus by the way; a key may be pressed for that.
	asked := c.attempt.method.confirms == byFocus
	left := c.attempt.hadFocus && !after.Focused
	if asked && before.Focused != after.Focused || left {
		c.raise(EffectFocus)
	}
	note("focused", strconv.FormatBool(before.Focused || left), strconv.FormatBool(after.Focused))
	if len(states) > 0 {
		ev.States = states
	}
}

// showSent records what was sent to a control that holds something else by now.
func (c *collector) showSent(before, after *driver.State) {
	a := c.attempt
	sent := strings.Join(a.template, ", ")
	if before.Type == "file" {
		sent = strings.Join(baseNames(a.template), ", ")
	}
	c.evidence.Value = &Change{Before: shownValue(before), Sent: sent, After: a.shownAfter(after)}
	c.raise(EffectValue)
}

// weakEffect describes an effect that has no event or value to name.
func (c *collector) weakEffect() []string {
	d, ev := c.attempt, &c.evidence
	switch {
	case ev.Effect == EffectPage && d.targetMoved:
		return []string{"the page changed at the press, and no click followed"}
	case ev.Effect == EffectPage:
		return []string{"the page changed"}
	case ev.Effect == EffectRequest:
		return []string{"the page asked its server for something"}
	case ev.Effect == EffectFocus && d.method.name == Press:
		return []string{"the focus moved on"}
	case ev.Effect == EffectScroll && d.earlier != nil:
		return []string{ev.Scroll.words()}
	case ev.Effect != EffectNone:
		return nil
	case ev.Scroll != nil || d.method.name == ScrollIntoView:
		return []string{"it was already there, nothing moved"}
	case d.watchPage && d.targetMoved:
		return []string{"it had no click, and no change was noticed"}
	case d.watchPage:
		return []string{"no change was noticed"}
	}
	return []string{"it was so already"}
}

// A heldEffect is what is known of what an attempt sends.
type heldEffect struct {
	err     error           // it was not let out
	asking  bool            // somebody is being asked
	awaited bool            // what was approved has not come yet
	changed <-chan struct{} // closed when this becomes another; nil: it does not
}
