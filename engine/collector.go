package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

const (
	// longestSilence is how long an action without any effect is watched.
	longestSilence = 200 * time.Millisecond
	// longestOutcome is how long an effect that has begun (a navigation, a
	// download, a dialog) is given to say what it came to.
	longestOutcome = 2 * time.Second
	// afterLink is how long a link's or a submit button's navigation may take
	// to be told, where something else was seen first.
	afterLink = 100 * time.Millisecond
	// oneFrame is the first pause between two looks for an effect.
	oneFrame = 16 * time.Millisecond
)

// An inquest finds out what a deed did. It begins to record before the deed.
type inquest struct {
	deed     *deed
	from     string // address before
	refused  int    // requests that the policy had refused before
	recorder *recorder
	revision driver.Revision // before
	before   *Snapshot       // nil where nobody asks for changes
	evidence Evidence
	idle     bool // the page can do nothing more by itself

	// failed is why documents could not be opened, nil for those that could.
	// Each is asked for once: how often the events are gone through depends on
	// how fast they come, and a recording keeps every question.
	failed map[driver.DocID]*driver.NavigationError
}

// openInquest begins to record. changes asks for the page to be read first.
func (d *deed) openInquest(ctx context.Context, changes bool) (*inquest, error) {
	q := &inquest{deed: d, from: d.page.URL(), refused: d.page.session.guard.refusals()}
	var err error
	if changes || d.method.confirms == byReading {
		if _, err = d.page.capture(ctx); err != nil {
			return nil, err
		}
	}
	if changes {
		q.before = d.page.build(nil)
	}
	if q.revision, err = d.page.driver.Revision(ctx); err != nil {
		return nil, err
	}
	q.recorder = d.page.watch.record()
	return q, nil
}

func (q *inquest) close() { q.recorder.stop() }

// conclude finds out what the deed did, and returns an error if it was done and
// did not take.
func (q *inquest) conclude(ctx context.Context) error {
	verdict := q.watchOut(ctx)
	q.lookAtRevision(ctx)
	if verdict == nil && q.evidence.Effect == EffectNone && q.deed.unsure {
		q.lookCloser(ctx)
		if q.evidence.Effect == EffectNone && q.deed.vain != nil {
			verdict = q.deed.vain(ctx)
		}
	}
	if verdict == nil && q.deed.slipped && strength[q.evidence.Effect] <= strength[EffectPage] {
		verdict = q.deed.notClicked(ctx)
	}
	return verdict
}

// watchOut looks for the deed's effect, up to the first real one.
func (q *inquest) watchOut(ctx context.Context) error {
	begun := time.Now()
	pause := oneFrame
	for {
		events, changed := q.recorder.seen()
		q.fold(events)
		verdict := q.lookAtElement(ctx)
		if verdict == nil {
			verdict = q.refusal()
		}
		if verdict == nil && q.deed.sent && !q.leftDocument() && (q.evidence.Effect == EffectNone || q.deed.expect != nil) {
			q.lookAtPage(ctx)
		}
		limit := longestSilence
		switch {
		case q.outcomePending():
			limit = longestOutcome
		case verdict == nil && q.overdue():
			limit = longestOutcome
		case q.settled(verdict):
			limit = q.grace()
		}
		left := limit - time.Since(begun)
		if left <= 0 || ctx.Err() != nil {
			// What the last look has waited for may have been told meanwhile.
			if now, _ := q.recorder.seen(); len(now) == len(events) || ctx.Err() != nil {
				return verdict
			}
			continue
		}
		timer := time.NewTimer(min(pause, left))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		pause *= 2
	}
}

// overdue reports that an effect which the deed had before has not come yet.
func (q *inquest) overdue() bool {
	foreseen, seen := strength[q.deed.foreseen], strength[q.evidence.Effect]
	if q.idle || !q.deed.sent || !q.deed.unsure {
		return false
	}
	return foreseen > 0 && seen == 0 || foreseen >= strength[EffectDownload] && seen < foreseen
}

// settled reports that no further look could change the verdict for the better.
func (q *inquest) settled(verdict error) bool {
	if verdict != nil {
		return false
	}
	return !q.deed.unsure || q.idle || q.evidence.Effect != EffectNone
}

// grace is how long a stronger effect may come behind a weak one: a browser
// tells of a navigation or a new page some milliseconds after it has taken the
// click, and a link is there to navigate.
func (q *inquest) grace() time.Duration {
	switch {
	case q.idle || !q.deed.sent || strength[q.evidence.Effect] >= strength[EffectDownload]:
		return 0
	case q.deed.expect != nil: // a page that renders anew may take the value back
		return oneFrame
	case !q.deed.unsure:
		return 0
	case q.deed.before.Tag == "a" || q.deed.before.Type == "submit":
		return afterLink
	}
	return oneFrame
}

// outcomePending reports that an effect has begun and not said yet what it came to.
func (q *inquest) outcomePending() bool {
	if n := q.evidence.Navigation; n != nil && n.Pending {
		return true
	}
	for _, d := range q.evidence.Downloads {
		if !d.Done {
			return true
		}
	}
	return q.dialogOpen()
}

// foldRefused makes evidence of what was refused since the deed began.
func (q *inquest) foldRefused() {
	page := q.deed.page
	q.evidence.Refused = page.session.guard.since(q.refused, page)
}

// refusal is the error of a deed whose navigation was refused, or came to
// nothing but the browser's own page about that: it was done, and it did not
// lead to where it leads.
func (q *inquest) refusal() error {
	if n := q.evidence.Navigation; n != nil && n.failed != nil {
		return fmt.Errorf("%s was done, and where it leads could not be opened: %w", q.deed.method.name, q.deed.page.session.guard.clarify(n.failed))
	}
	if q.evidence.Navigation != nil || strength[q.evidence.Effect] > strength[EffectPage] {
		return nil
	}
	for _, r := range q.evidence.Refused {
		if r.Kind == driver.RequestDocument && (r.frame == "" || r.frame == driver.FrameID(q.deed.page.id)) {
			return fmt.Errorf("%s was done, and where it leads was not opened: %w", q.deed.method.name, blocked(r.err))
		}
	}
	return nil
}

// blocked makes sure that an error can be told by driver.ErrBlocked.
func blocked(err error) error {
	if errors.Is(err, driver.ErrBlocked) {
		return err
	}
	return fmt.Errorf("%w: %w", driver.ErrBlocked, err)
}

// lookAtElement compares the element with what it was, and returns an error if
// it did not take what the deed gave it.
func (q *inquest) lookAtElement(ctx context.Context) error {
	if q.leftDocument() {
		return nil
	}
	after, err := q.deed.state(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case passing(err) || errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrDialog):
		return q.elementGone(err)
	default:
		return err
	}
	q.compare(q.deed.before, after)
	if q.deed.expect != nil {
		return q.deed.expect(after)
	}
	return nil
}

// leftDocument reports that the element's document is gone or about to go, or
// stands still behind a dialog, so that it cannot be asked any more.
func (q *inquest) leftDocument() bool {
	n := q.evidence.Navigation
	return n != nil && !n.SameDocument || q.dialogOpen()
}

func (q *inquest) dialogOpen() bool {
	return slices.ContainsFunc(q.evidence.Dialogs, func(d DialogSeen) bool { return d.Open })
}

// elementGone judges a deed whose element cannot be asked any more. A click may
// well remove what it hits; a value that cannot be read was not confirmed.
func (q *inquest) elementGone(err error) error {
	if q.deed.expect != nil {
		return fmt.Errorf("the element was replaced, so that its value cannot be confirmed: %w", err)
	}
	if strength[q.evidence.Effect] < strength[EffectPage] {
		q.evidence.Effect = EffectPage
	}
	return nil
}

// lookAtPage asks whether the page changed since the input was sent.
func (q *inquest) lookAtPage(ctx context.Context) {
	activity, err := q.deed.page.driver.Activity(ctx)
	if err != nil {
		return // the next look, or the next event, tells
	}
	if q.deed.unsure && (activity.Mutated >= 0 && activity.Mutated <= time.Since(q.deed.sentAt) || activity.Parsing) {
		q.raise(EffectPage)
	}
	q.idle = activity.Idle
}

// compare notes what changed at the element.
func (q *inquest) compare(before, after *driver.State) {
	ev := &q.evidence
	if before.Value != after.Value || !slices.Equal(before.Values, after.Values) || !slices.Equal(before.Files, after.Files) {
		ev.Value = &Change{Before: shownValue(before), After: q.deed.shownAfter(after)}
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
		q.raise(EffectValue)
	}
	// A click moves the focus by the way; a key may be pressed for that.
	asked := q.deed.method.confirms == byFocus
	left := q.deed.held && !after.Focused
	if asked && before.Focused != after.Focused || left {
		q.raise(EffectFocus)
	}
	note("focused", strconv.FormatBool(before.Focused || left), strconv.FormatBool(after.Focused))
	if len(states) > 0 {
		ev.States = states
	}
}

// fold makes evidence of the events so far.
func (q *inquest) fold(events []driver.Event) {
	q.evidence = Evidence{Effect: EffectNone, Scroll: q.deed.scroll}
	if s := q.deed.scroll; s != nil && s.moved() || q.deed.brought {
		q.raise(EffectScroll)
	}
	q.foldRefused()
	for i, e := range events {
		if main := driver.FrameID(q.deed.page.id); !q.foldNavigation(e, main) {
			q.foldOther(e, events[:i])
		}
	}
	if q.evidence.Navigation != nil {
		q.raise(EffectNavigation)
	}
}

// raise makes an effect the strongest if it is.
func (q *inquest) raise(e Effect) {
	if strength[e] > strength[q.evidence.Effect] {
		q.evidence.Effect = e
	}
}

// foldNavigation takes the events of the main frame's navigations.
func (q *inquest) foldNavigation(e driver.Event, main driver.FrameID) bool {
	ev := &q.evidence
	switch e := e.(type) {
	case driver.NavigationRequested:
		if e.Frame != main {
			q.raise(EffectPage)
			break
		}
		ev.Navigation = &NavigationSeen{From: q.from, To: e.URL, Pending: true}
	case driver.NavigationEnded:
		if e.Frame == main {
			ev.Navigation = nil
		}
	case driver.Navigated:
		if e.Frame == main {
			ev.Navigation = &NavigationSeen{From: q.from, To: e.URL, Status: e.Status, SameDocument: e.SameDocument}
			q.foldFailure(e)
		} else {
			q.raise(EffectPage)
		}
	default:
		return false
	}
	return true
}

// foldFailure names what could not be opened, where the browser shows a page of
// its own about that.
func (q *inquest) foldFailure(e driver.Navigated) {
	if n, why := q.evidence.Navigation, q.failure(e); why != nil {
		n.To, n.failed = cmp.Or(why.URL, n.To), why
		n.Failed = cmp.Or(why.Detail, string(why.Reason))
	}
}

// failure returns why a document could not be opened, nil if it could.
func (q *inquest) failure(e driver.Navigated) *driver.NavigationError {
	if why, known := q.failed[e.Doc]; known || e.SameDocument {
		return why
	}
	var why *driver.NavigationError
	for _, f := range q.deed.page.driver.Frames() {
		if f.ID == e.Frame && f.Doc == e.Doc {
			why = f.Failed
		}
	}
	if q.failed == nil {
		q.failed = map[driver.DocID]*driver.NavigationError{}
	}
	q.failed[e.Doc] = why
	return why
}

func (q *inquest) foldOther(e driver.Event, earlier []driver.Event) {
	ev := &q.evidence
	switch e := e.(type) {
	case driver.PageOpened:
		ev.NewPages = append(ev.NewPages, NewPageSeen{ID: string(e.Page), URL: e.URL})
		q.raise(EffectNewPage)
	case driver.DialogOpened:
		ev.Dialogs = append(ev.Dialogs, DialogSeen{Kind: string(e.Dialog.Kind), Message: e.Dialog.Message, Open: true})
		q.raise(EffectDialog)
	case driver.DialogClosed:
		if n := len(ev.Dialogs); n > 0 {
			ev.Dialogs[n-1].Open = false
			ev.Dialogs[n-1].Accepted = e.Answer.Accept
			ev.Dialogs[n-1].Answer = e.Answer.Text
		}
	case driver.DownloadStarted:
		ev.Downloads = append(ev.Downloads, DownloadSeen{URL: e.URL, Name: e.Name})
		q.raise(EffectDownload)
	case driver.DownloadEnded:
		endDownload(ev.Downloads, earlier, e)
	case driver.RequestStarted:
		ev.Requests++
		q.raise(EffectRequest)
	case driver.FileChooserOpened:
		ev.FileChooser = true
		q.raise(EffectPage)
	case driver.PageClosed:
		q.raise(EffectPage)
	}
}

// endDownload marks the download that ended; seen is in the order of the
// events that started them.
func endDownload(seen []DownloadSeen, events []driver.Event, end driver.DownloadEnded) {
	i := 0
	for _, e := range events {
		started, ok := e.(driver.DownloadStarted)
		if !ok {
			continue
		}
		if started.ID == end.ID && i < len(seen) {
			seen[i].Done, seen[i].Canceled = true, end.Canceled
			seen[i].Path, seen[i].Size = end.Path, end.Size
			if end.Err != nil {
				seen[i].Reason = end.Err.Error()
			}
			return
		}
		i++
	}
}

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
