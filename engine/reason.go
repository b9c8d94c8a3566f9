package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// reasons are the errors whose words are ours, whatever wraps them.
var reasons = []error{
	ErrMayHaveHappened,
	ErrInvalid, ErrNotFound, ErrAmbiguous, ErrMismatch, ErrDisabled, ErrNotStill, ErrNoEffect, ErrWrongHost, ErrUnexpected, ErrNotMet, ErrNoModel,
	driver.ErrStale, driver.ErrDetached, driver.ErrNotVisible, driver.ErrObscured, driver.ErrNotFocusable, driver.ErrChanged, driver.ErrTargetMoved,
	driver.ErrSelector, driver.ErrNoHistory, driver.ErrDownload, driver.ErrDialog, driver.ErrBlocked, driver.ErrClosed, driver.ErrCrashed, driver.ErrTooLarge,
	ErrClosed, context.DeadlineExceeded, context.Canceled,
}

// Reason says why a call failed in words that no page had a hand in: those of
// the sentinels that err wraps. The text of err itself quotes names, options
// and addresses, and those are the page's.
func Reason(err error) string {
	var words []string
	for _, reason := range reasons {
		if text := reason.Error(); errors.Is(err, reason) && !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return "it failed"
	}
	return strings.Join(words, "; ")
}

// ErrorParts is an error as a model gets it: its [Reason] as text of ours, and
// its whole text as page text, in a fence. err is one that a session returned,
// so that no value of a variable is in it.
func ErrorParts(err error) []llm.Part {
	return []llm.Part{llm.Text{Text: Reason(err) + "."}, llm.Page{Kind: "error", Text: err.Error()}}
}
