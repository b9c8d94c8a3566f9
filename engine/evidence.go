package engine

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	recorder *recorder
	evidence Evidence
	idle     bool // the page can do nothing more by itself
}

func (d *deed) openInquest() *inquest {
	return &inquest{deed: d, from: d.page.URL(), recorder: d.page.watch.record()}
}

func (q *inquest) close() { q.recorder.stop() }

// conclude looks for the deed's effect, up to the first real one, and returns
// an error if the deed was done and did not take.
func (q *inquest) conclude(ctx context.Context) error {
	begun := time.Now()
	pause := oneFrame
	for {
		events, changed := q.recorder.seen()
		q.fold(events)
		verdict := q.lookAtElement(ctx)
		if verdict == nil && q.evidence.Effect == EffectNone && q.deed.unsure {
			q.lookAtPage(ctx)
		}
		limit := longestSilence
		switch {
		case q.outcomePending():
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
	case q.idle || !q.deed.unsure || strength[q.evidence.Effect] >= strength[EffectDownload]:
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
	for _, d := range q.evidence.Dialogs {
		if d.Open {
			return true
		}
	}
	return false
}

// fold makes evidence of the events so far.
func (q *inquest) fold(events []driver.Event) {
	q.evidence = Evidence{Effect: EffectNone, Scroll: q.deed.scroll}
	if s := q.deed.scroll; s != nil && s.BeforeY != s.AfterY {
		q.raise(EffectScroll)
	}
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
		} else {
			q.raise(EffectPage)
		}
	default:
		return false
	}
	return true
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
		}
	case driver.DownloadStarted:
		ev.Downloads = append(ev.Downloads, DownloadSeen{URL: e.URL, Name: e.Name})
		q.raise(EffectDownload)
	case driver.DownloadEnded:
		endDownload(ev.Downloads, earlier, e)
	case driver.RequestStarted:
		ev.Requests++
		q.raise(EffectRequest)
	case driver.FileChooserOpened, driver.PageClosed:
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
			return
		}
		i++
	}
}

// strength orders the effects.
var strength = map[Effect]int{
	EffectNone: 0, EffectScroll: 1, EffectFocus: 2, EffectRequest: 3, EffectPage: 4, EffectValue: 5,
	EffectDownload: 6, EffectDialog: 7, EffectNewPage: 8, EffectNavigation: 9,
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
	if n := q.evidence.Navigation; n != nil && !n.SameDocument {
		return true
	}
	for _, d := range q.evidence.Dialogs {
		if d.Open {
			return true
		}
	}
	return false
}

// elementGone judges a deed whose element cannot be asked any more. A click may
// well remove what it hits; a value that cannot be read was not confirmed.
func (q *inquest) elementGone(err error) error {
	if q.deed.expect != nil {
		return errors.Join(ErrNoEffect, errors.New("the element was replaced, so that its value cannot be confirmed"), err)
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
	if activity.Mutated >= 0 && activity.Mutated <= time.Since(q.deed.sentAt) || activity.Parsing {
		q.evidence.Effect = EffectPage
	}
	q.idle = activity.Idle
}

// compare notes what changed at the element.
func (q *inquest) compare(before, after *driver.State) {
	ev := &q.evidence
	if before.Value != after.Value || !slices.Equal(before.Values, after.Values) {
		ev.Value = &Change{Before: shownValue(before), After: shownValue(after)}
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
	if len(states) > 0 {
		ev.States = states
	}
	if (ev.Value != nil || ev.States != nil) && strength[ev.Effect] < strength[EffectValue] {
		ev.Effect = EffectValue
	}
	focusAsked := q.deed.method == Focus || q.deed.method == Blur
	if focusAsked && before.Focused != after.Focused && ev.Effect == EffectNone {
		ev.Effect = EffectFocus
	}
}

// shownValue is a control's value as a person sees it: a password is bullets.
func shownValue(s *driver.State) string {
	switch {
	case s.Type == "password":
		return strings.Repeat("•", utf8.RuneCountInString(s.Value))
	case s.Multiple:
		return strings.Join(s.Values, ", ")
	}
	return s.Value
}

func checkedWord(s *driver.State) string {
	switch {
	case s.Mixed:
		return "mixed"
	case s.AriaChecked != nil:
		return strconv.FormatBool(*s.AriaChecked)
	}
	return strconv.FormatBool(s.Checked)
}

func boolWord(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}
