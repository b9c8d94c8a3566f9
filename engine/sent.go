package engine

import (
	"errors"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// ErrMayHaveHappened: input was sent, and what came of it is not known: the
// answer was lost, the time ran out, the page went away. It wraps what went
// wrong. Look at the page before anything is repeated.
//
// It is in the chain of no error before the first input, which is safe to
// repeat, nor of one whose outcome is known, such as [ErrNoEffect]. What was
// sent by then is in [ActResult].Sent in any case.
var ErrMayHaveHappened = errors.New("whether it took is not known: look before you repeat")

// Sent says whether input was sent.
type Sent string

// What was sent of the input of an act.
const (
	// SentNone: nothing. To repeat the act is safe.
	SentNone Sent = "none"
	// SentAll: all that belongs to the actions of the result, and the browser
	// has taken it.
	SentAll Sent = "all"
	// SentPossible: a part of it, or the browser did not say that it has taken it.
	SentPossible Sent = "possible"
)

// and adds the input of a further step.
func (s Sent) and(next Sent) Sent {
	if next == SentNone {
		return s
	}
	return next
}

// sentWords name what each method sends.
var sentWords = map[Method]string{
	Click: "the click", DoubleClick: "the double click", TripleClick: "the triple click", Hover: "the movement of the pointer", Tap: "the tap",
	Fill: "the text", Type: "the text", Press: "the key", SelectOption: "the choice", Check: "the click", Uncheck: "the click",
	ScrollTo: "the scrolling", ScrollIntoView: "the scrolling", NextChunk: "the scrolling", PrevChunk: "the scrolling", ScrollByPixelOffset: "the scrolling",
	Wheel: "the turn of the wheel", DragAndDrop: "the drag", DragByPixelOffset: "the drag", SetInputFiles: "the choice of files", Clear: "the deletion", Focus: "the focus", Blur: "the focus",
}

// sentSoFar is what was sent of a deed; err is what sending it came to.
func (d *deed) sentSoFar(err error) Sent {
	switch {
	case !d.sent:
		return SentNone
	case err == nil:
		return SentAll
	}
	return SentPossible
}

// unknown makes an error tell that the outcome of what was sent is not known,
// unless it is.
func (d *deed) unknown(sent Sent, err error) error {
	if err == nil || sent == SentNone || errors.Is(err, ErrNoEffect) || errors.Is(err, driver.ErrBlocked) ||
		errors.As(err, new(*driver.NavigationError)) {
		return err
	}
	how := "was sent"
	if sent == SentPossible {
		how = "may have been sent"
		if errors.As(err, new(*driver.MissedError)) {
			how = "was sent in part"
		}
	}
	return fmt.Errorf("%s %s; %w (%w)", sentWords[d.method], how, ErrMayHaveHappened, err)
}
