package engine

import (
	"context"
	"errors"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// kinds are words for errors, the more telling first: several may be in one.
var kinds = []struct {
	err  error
	word string
}{
	{ErrMayHaveHappened, "may_have_happened"},
	{ErrInvalid, "invalid"},
	{driver.ErrSelector, "selector"},
	{driver.ErrBlocked, "blocked"},
	{ErrNoModel, "no_model"},
	{driver.ErrCrashed, "crashed"},
	{ErrClosed, "closed"},
	{driver.ErrClosed, "closed"},
	{context.DeadlineExceeded, "timeout"},
	{context.Canceled, "canceled"},
	{ErrNoEffect, "no_effect"},
	{ErrNotMet, "not_met"},
	{ErrMismatch, "mismatch"},
	{driver.ErrChanged, "mismatch"},
	{ErrAmbiguous, "ambiguous"},
	{ErrDisabled, "disabled"},
	{driver.ErrObscured, "covered"},
	{ErrNotStill, "moving"},
	{driver.ErrNotFocusable, "not_focusable"},
	{driver.ErrNotVisible, "not_visible"},
	{ErrNotFound, "not_found"},
	{driver.ErrStale, "stale"},
	{driver.ErrDetached, "stale"},
	{driver.ErrDownload, "download"},
	{driver.ErrDialog, "dialog"},
	{driver.ErrNoHistory, "no_history"},
	{driver.ErrTooLarge, "too_large"},
	{errors.ErrUnsupported, "unsupported"},
}

// Kind returns a word for an error, out of few: "covered", "timeout",
// "model_rate_limited". It fits a metric's label, says nothing of the page, and
// is "other" for an error that the engine does not know, empty for nil.
func Kind(err error) string {
	if err == nil {
		return ""
	}
	var model *llm.Error
	if errors.As(err, &model) {
		return "model_" + string(model.Kind)
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.word
		}
	}
	var navigation *driver.NavigationError
	if errors.As(err, &navigation) {
		return "navigation"
	}
	return "other"
}
