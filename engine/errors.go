package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/outgoing"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Errors to branch on. The driver's own sentinels, such as driver.ErrObscured,
// come through as well.
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

	// ErrWrongHost: the element's document does not come from a host that the
	// variable is bound to. Nothing was sent.
	ErrWrongHost = errors.New("not for this host")

	// ErrUnexpected: a cached action was replayed, and its outcome differed
	// from the recorded one. The entry was dropped, and the action is not
	// repeated.
	ErrUnexpected = errors.New("another outcome than before")

	// ErrNotMet: the condition that was waited for did not come true.
	ErrNotMet = errors.New("not met")

	// ErrUngrounded: a strict extraction gave what the page does not say. See
	// [UngroundedError].
	ErrUngrounded = errors.New("not on the page")

	// ErrIncomplete: a bound ended an extraction before all of the page was read.
	// See [IncompleteError].
	ErrIncomplete = errors.New("not all of the page was read")

	// ErrNoModel: the call needs a model and the session has none.
	ErrNoModel = errors.New("no model")

	// ErrToolFailed: a tool of the page was called, and says that it failed. It may
	// have worked in part.
	ErrToolFailed = errors.New("the page's tool failed")

	// ErrWithheld: a request that an action caused was held and not let out,
	// because nobody approved it. The input was sent; its effect did not leave
	// the browser.
	ErrWithheld = outgoing.ErrWithheld

	// ErrClosed: the session, the page or the browser was closed, or is gone. It
	// is the driver's.
	ErrClosed = driver.ErrClosed
)

// ErrMayHaveHappened: input was sent and its outcome is unknown, because the
// answer was lost, the time ran out, or the page went away. It wraps the cause.
// Look at the page before repeating anything.
//
// No error from before the first input wraps it; such a call is safe to repeat.
// Neither does an error whose outcome is known, such as [ErrNoEffect].
// [ActResult].Sent always says what was sent.
var ErrMayHaveHappened = errors.New("its effect is unknown: look at the page before you retry")

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

// maxRepeated bounds, in bytes, how much of a selector or an address an error
// text repeats.
const maxRepeated = 200

func excerpt(text string) string {
	if len(text) <= maxRepeated {
		return text
	}
	return strings.ToValidUTF8(text[:maxRepeated], "") + "…"
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// An IncompleteError says what an extraction left unread and which bound was
// reached. It wraps [ErrIncomplete] and the bound's own error.
type IncompleteError struct {
	Omitted []Omission
	Cause   error
}

func (e *IncompleteError) Error() string {
	s := ErrIncomplete.Error()
	if len(e.Omitted) > 0 {
		var words []string
		for _, o := range e.Omitted[:min(len(e.Omitted), maxOmissionsNamed)] {
			words = append(words, o.String())
		}
		if n := len(e.Omitted) - len(words); n > 0 {
			words = append(words, fmt.Sprintf("and more in %d places", n))
		}
		s += " (" + strings.Join(words, ", ") + ")"
	}
	return fmt.Sprintf("%s: %v", s, e.Cause)
}

func (e *IncompleteError) Unwrap() []error { return []error{ErrIncomplete, e.Cause} }

// maxOmissionsNamed bounds how many omissions the text of an error names.
const maxOmissionsNamed = 5

// A CoveredError names the element that covers the intended one. It wraps
// driver.ErrObscured.
type CoveredError struct {
	By     string // role and name, as "dialog \"Cookies\""
	Ref    accessibility.Ref
	Around accessibility.Ref // what takes clicks around both; empty if nothing does
	err    error
}

func (e *CoveredError) Error() string {
	text := e.err.Error()
	if e.By != "" {
		text += ": " + e.By
	}
	if e.Around != "" {
		text += fmt.Sprintf("; [%s] around both takes clicks", e.Around)
	}
	return text
}

func (e *CoveredError) Unwrap() error { return e.err }

// kinds are labels for errors, the more specific first: an error may wrap
// several.
var kinds = []struct {
	err  error
	word string
}{
	{ErrMayHaveHappened, "may_have_happened"},
	{ErrInvalid, "invalid"},
	{driver.ErrSelector, "selector"},
	{ErrWithheld, "withheld"},
	{driver.ErrBlocked, "blocked"},
	{ErrNoModel, "no_model"},
	{ErrIncomplete, "incomplete"},
	{driver.ErrCrashed, "crashed"},
	{ErrClosed, "closed"},
	{context.DeadlineExceeded, "timeout"},
	{context.Canceled, "canceled"},
	{ErrNoEffect, "no_effect"},
	{ErrNotMet, "not_met"},
	{ErrToolFailed, "tool_failed"},
	{driver.ErrNoTool, "not_found"},
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

// Kind returns a label for an error, one of few, such as "covered", "timeout"
// or "model_rate_limited". It is suitable for metrics and reveals nothing of
// the page. It is "other" for an error that the engine does not know and empty
// for nil.
func Kind(err error) string {
	if err == nil {
		return ""
	}
	if errors.Is(err, ErrUngrounded) { // a model's answer, but nothing failed there
		return "ungrounded"
	}
	if model, ok := errors.AsType[*llm.Error](err); ok {
		return "model_" + string(model.Kind)
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return k.word
		}
	}
	if errors.As(err, new(*driver.NavigationError)) {
		return "navigation"
	}
	return "other"
}

// reasons are the errors whose texts are the engine's own, whatever wraps them.
var reasons = []error{
	ErrMayHaveHappened,
	ErrInvalid, ErrNotFound, ErrAmbiguous, ErrMismatch, ErrDisabled, ErrNotStill, ErrNoEffect, ErrWrongHost, ErrUnexpected, ErrNotMet, ErrUngrounded, ErrIncomplete, ErrNoModel, ErrWithheld,
	driver.ErrStale, driver.ErrDetached, driver.ErrNotVisible, driver.ErrObscured, driver.ErrNotFocusable, driver.ErrChanged, driver.ErrTargetMoved,
	driver.ErrSelector, driver.ErrNoHistory, driver.ErrDownload, driver.ErrDialog, driver.ErrBlocked, ErrClosed, driver.ErrCrashed, driver.ErrTooLarge,
	context.DeadlineExceeded, context.Canceled,
}

// whyFailed says why a call failed without quoting the page: with the texts of the
// sentinels that err wraps. The text of err itself quotes names, options and
// addresses, which the page controls.
func whyFailed(err error) string {
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

// errorParts presents an error to a model: its [whyFailed] as the engine's text,
// and its full text fenced as page text. err must come from a session, so that
// values of variables are already hidden in it.
func errorParts(err error) []llm.Part {
	return []llm.Part{llm.Text{Text: whyFailed(err) + "."}, llm.Page{Kind: "error", Text: err.Error()}}
}

// squeeze trims white space and collapses it to single spaces.
func squeeze(s string) string {
	if isSqueezed(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

func isSqueezed(s string) bool {
	last := ' '
	for _, r := range s {
		if unicode.IsSpace(r) && (r != ' ' || last == ' ') {
			return false
		}
		last = r
	}
	return s == "" || last != ' '
}

// An OmissionCause says why something is not in an [Extraction].
type OmissionCause string

// The causes of omissions.
const (
	// OmittedByBudget: a bound was reached before it was read, or it is a line
	// longer than a part.
	OmittedByBudget OmissionCause = "budget"
	// OmittedByPage: the page itself shows a part of a list, and says so.
	OmittedByPage OmissionCause = "page"
	// OmittedByModel: it stands beside the records of a list in the data and is
	// like them. The instruction may be the reason.
	OmittedByModel OmissionCause = "model"
)

// An Omission is something of the page that an [Extraction] does not cover.
type Omission struct {
	Cause OmissionCause `json:"cause"`

	// Pointer is the list in the data that is concerned, as a JSON pointer. It
	// is empty where that is the data itself, or not known.
	Pointer string `json:"pointer,omitempty"`

	// Refs are what was left out, or what it stands below; without any, it
	// stands somewhere on the page.
	Refs []accessibility.Ref `json:"refs,omitempty"`

	// Count is how many of Noun are missing: "rows", "items", "characters". 0 is
	// not known.
	Count int    `json:"count,omitempty"`
	Noun  string `json:"noun"`
}

// String returns what is missing, and where: "2783 rows at 0-14".
func (o Omission) String() string {
	text := o.Noun
	if o.Count > 0 {
		text = fmt.Sprintf("%d %s", o.Count, o.Noun)
	}
	if len(o.Refs) > 0 {
		text += " at " + string(o.Refs[0])
	}
	return text
}

// A Degree says how much speaks against a value of an [Extraction].
type Degree string

// The degrees.
const (
	// Contradicted: the page has the value in another row or under another label,
	// or has it nowhere.
	Contradicted Degree = "contradicted"

	// Unproven: the page says the value, and nothing there says that it is what
	// the schema asks for; or what the schema asks for cannot be read off a page,
	// as a yes or no that it puts in words of its own. So is an empty list of which
	// the page does not say that there is none.
	Unproven Degree = "unproven"
)

// An Ungrounded is a value of an [Extraction] that the page contradicts or does not
// prove.
type Ungrounded struct {
	Pointer string `json:"pointer"` // a JSON pointer into the data
	Degree  Degree `json:"degree"`
	Reason  string `json:"reason"`
}

// String returns the pointer and the reason.
func (u Ungrounded) String() string {
	name := cmp.Or(u.Pointer, "the value")
	if u.Degree == Unproven {
		name += " (unproven)"
	}
	return name + ": " + u.Reason
}

// An UngroundedError lists the values that a strict extraction refused. It wraps
// [ErrUngrounded].
type UngroundedError struct{ Values []Ungrounded }

// maxUngroundedNamed bounds how many values the text of an error names.
const maxUngroundedNamed = 10

func (e *UngroundedError) Error() string {
	var b strings.Builder
	b.WriteString(ErrUngrounded.Error())
	for i, u := range e.Values {
		if i == maxUngroundedNamed {
			fmt.Fprintf(&b, "\n… and %d more", len(e.Values)-i)
			break
		}
		b.WriteString("\n" + u.String())
	}
	return b.String()
}

func (e *UngroundedError) Unwrap() error { return ErrUngrounded }
