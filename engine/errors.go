package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// What callers branch on. The driver's own sentinels (driver.ErrObscured and
// its like) come through as well.
var (
	// ErrInvalid: the caller's input is wrong; the text says what to write instead.
	ErrInvalid = errors.New("invalid")

	// ErrNotFound: the selector, or the model, found no element.
	ErrNotFound = errors.New("element not found")

	// ErrAmbiguous: more than one element fits. See [AmbiguousError].
	ErrAmbiguous = errors.New("more than one element fits")

	// ErrMismatch: the element is not the one that the action was made for.
	ErrMismatch = errors.New("another element is there")

	// ErrDisabled: the element is there and takes no input: it is disabled,
	// read-only, or inert.
	ErrDisabled = driver.ErrDisabled

	// ErrNotStill: the element did not keep still.
	ErrNotStill = errors.New("element is moving")

	// ErrNoEffect: the input was sent, and the element did not take it: a value
	// that did not stick, an option that is not there, a box that stayed unchecked.
	ErrNoEffect = errors.New("the action did not take")

	// ErrWrongHost: a variable is bound to other hosts than the one that the
	// element's document comes from. Nothing was sent.
	ErrWrongHost = errors.New("not for this host")

	// ErrUnexpected: an action from the cache was done, and something else came
	// of it than before. It was dropped from the cache and is not done again.
	ErrUnexpected = errors.New("another outcome than before")

	// ErrNotMet: what was waited for did not come to be so.
	ErrNotMet = errors.New("not met")

	// ErrNoModel: the call needs a model and the session has none.
	ErrNoModel = errors.New("no model")

	// ErrClosed: the session or page was closed.
	ErrClosed = errors.New("closed")
)

// ErrMayHaveHappened: input was sent, and what came of it is not known: the
// answer was lost, the time ran out, the page went away. It wraps what went
// wrong. Look at the page before anything is repeated.
//
// It is in the chain of no error before the first input, which is safe to
// repeat, nor of one whose outcome is known, such as [ErrNoEffect]. What was
// sent by then is in [ActResult].Sent in any case.
var ErrMayHaveHappened = errors.New("whether it took is not known: look before you repeat")

// An AmbiguousError lists the elements that fit. It wraps [ErrAmbiguous].
type AmbiguousError struct {
	Selector   string
	Candidates []string // at most ten, as lines of the outline
	Count      int
}

func (e *AmbiguousError) Error() string {
	s := fmt.Sprintf("%q: %v (%d)", excerpt(e.Selector), ErrAmbiguous, e.Count)
	if len(e.Candidates) > 0 {
		s += ": " + strings.Join(e.Candidates, "; ")
	}
	return s
}

// maxRepeated is how much of what a caller gave, a selector or an address, the
// text of an error repeats, in bytes.
const maxRepeated = 200

func excerpt(text string) string {
	if len(text) <= maxRepeated {
		return text
	}
	return strings.ToValidUTF8(text[:maxRepeated], "") + "…"
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// A CoveredError says which element lies on top of the one that was meant. It
// wraps driver.ErrObscured.
type CoveredError struct {
	By  string // role and name, as "dialog \"Cookies\""
	Ref accessibility.Ref
	err error
}

func (e *CoveredError) Error() string {
	if e.By == "" {
		return e.err.Error()
	}
	return fmt.Sprintf("%v: %s", e.err, e.By)
}

func (e *CoveredError) Unwrap() error { return e.err }

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
