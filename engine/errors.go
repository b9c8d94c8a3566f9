package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
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

// mostRepeated is how much of what a caller gave, a selector or an address, the
// text of an error repeats, in bytes.
const mostRepeated = 200

func excerpt(text string) string {
	if len(text) <= mostRepeated {
		return text
	}
	return strings.ToValidUTF8(text[:mostRepeated], "") + "…"
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
