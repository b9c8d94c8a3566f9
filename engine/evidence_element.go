package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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
	asked := q.deed.method == Focus || q.deed.method == Blur
	left := q.deed.method == Press && q.deed.held && !after.Focused
	if asked && before.Focused != after.Focused || left {
		q.raise(EffectFocus)
	}
	note("focused", strconv.FormatBool(before.Focused || left), strconv.FormatBool(after.Focused))
	if len(states) > 0 {
		ev.States = states
	}
}

// shownValue is a control's value as a person sees it: a password is bullets.
func shownValue(s *driver.State) string {
	switch {
	case s.Type == "password":
		return strings.Repeat("•", utf8.RuneCountInString(s.Value))
	case s.Type == "file":
		return strings.Join(s.Files, ", ")
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
