package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A deed is one method about to be done to one element. Arguments are
// substituted: they hold the values of variables and go nowhere but into input.
type deed struct {
	page    *Page
	node    driver.NodeRef
	method  Method
	args    []string
	given   []string          // the arguments with their placeholders
	gesture gesture           // what else the arguments say
	drop    *element          // what it is dropped on; nil if an argument says it
	files   map[string][]byte // contents that arguments may name
	role    string            // of the element, where it is known
	// foreseen is the effect that the deed had when it was done before.
	foreseen Effect
	bound    bool // an argument holds a value that only some hosts may get

	print *Fingerprint // of the element that is meant; nil if nothing is known of it
	known seen         // the reading of the page in which it was last seen to be that

	// selected, if not nil, has to select the element when the input arrives.
	selected *driver.Selection

	before *driver.State // the element before the input

	// sent is set before the first input goes out. From then on nothing may be
	// done again.
	sent   bool
	sentAt time.Time

	// expect, if set, tells from the element's state afterwards whether it took.
	expect func(after *driver.State) error

	// unsure reports that an effect need not show at the element, so that the
	// page must be watched for one.
	unsure bool

	// vain, if set, judges an unsure deed of which nothing was seen.
	vain func(context.Context) error

	pressed driver.Point // where a press was sent to
	slipped bool         // something else lay there at the release

	scroll  *ScrollSeen
	brought bool // into view, from somewhere else
	held    bool // it had the focus when a key was pressed

	formatted bool   // the field has set the text in its own form
	unwritten bool   // a key of a text wrote nothing
	consumed  string // what the page did with a text that the field does not show
	suggest   bool   // typed where suggestions may come
}

// performers do the methods. Each makes sure that the element can take the
// input, sends it, and says what to expect.
var performers = map[Method]func(*deed, context.Context) error{
	Click:               (*deed).click,
	DoubleClick:         (*deed).doubleClick,
	TripleClick:         (*deed).tripleClick,
	Hover:               (*deed).hover,
	Tap:                 (*deed).tap,
	Fill:                (*deed).fill,
	Type:                (*deed).typeKeys,
	Press:               (*deed).press,
	SelectOption:        (*deed).selectOption,
	Check:               (*deed).check,
	Uncheck:             (*deed).uncheck,
	ScrollTo:            (*deed).scrollTo,
	ScrollIntoView:      (*deed).scrollIntoView,
	NextChunk:           (*deed).nextChunk,
	PrevChunk:           (*deed).prevChunk,
	ScrollByPixelOffset: (*deed).scrollByPixels,
	Wheel:               (*deed).wheel,
	DragAndDrop:         (*deed).dragAndDrop,
	DragByPixelOffset:   (*deed).dragByPixels,
	SetInputFiles:       (*deed).setFiles,
	Clear:               (*deed).clear,
	Focus:               (*deed).focus,
	Blur:                (*deed).blur,
}

// sending is the one way for anything to leave that a page may act on. It marks
// the point of no return, and what settling counts from.
//
// What the driver has withheld as a whole was not sent.
func (d *deed) sending(send func() error) error {
	now, before := time.Now(), d.sent
	if !d.sent {
		d.sent, d.sentAt = true, now
	}
	d.page.watch.sends(now, d.suggest)
	err := send()
	d.page.watch.answered(time.Now())
	if missed, ok := errors.AsType[*driver.MissedError](err); ok && !missed.Taken {
		d.sent = before
	}
	if errors.Is(err, driver.ErrChanged) {
		return fmt.Errorf("%w: %w", ErrMismatch, err)
	}
	return err
}

// state reads the element; it must still be there.
func (d *deed) state(ctx context.Context) (*driver.State, error) {
	return d.page.driver.State(ctx, d.node)
}

// unfit is the error of a method that does not go with its element.
func (d *deed) unfit(advice string, args ...any) error {
	kind := "<" + d.before.Tag + ">"
	if d.before.Type != "" {
		kind = "<" + d.before.Tag + " type=" + d.before.Type + ">"
	}
	return fmt.Errorf("%w: %s does not go with %s: %s", ErrInvalid, d.method, kind, fmt.Sprintf(advice, args...))
}
