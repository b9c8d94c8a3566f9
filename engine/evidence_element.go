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
