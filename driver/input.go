package driver

import "time"

// An InputEvent is one act of a hand. The set is closed: the types of this file.
type InputEvent interface{ input() }

// A Button is a mouse button.
type Button string

// The buttons. The empty value is Left.
const (
	Left   Button = "left"
	Middle Button = "middle"
	Right  Button = "right"
)

// Modifiers are the keys held while something else happens.
type Modifiers uint8

// The modifiers.
const (
	Alt Modifiers = 1 << iota
	Control
	Meta
	Shift
)

type (
	// Target, as the first event, says for which element the others are meant.
	// What would go elsewhere at the moment at which the page takes it is
	// withheld from the page, and so is all that follows: a press that hits
	// neither the element, nor what is in it, nor its label, or that it would
	// not take because it is disabled by then; the first key or text while the
	// focus is outside of it. So is what the page would take after the deadline
	// of the call's context. Input then returns a [MissedError]. The movement of
	// the pointer is not withheld.
	//
	// A press may change the page: what lies below the pointer when the button
	// is let go, at the place where it was pressed, may be neither the element
	// nor what passes a press on to it. The page's document has that release, what
	// lies there may be spared it, and the element has no click; Input returns a
	// [MissedError] with [ErrTargetMoved]. So it does where the element has the
	// release and no click, because what was pressed within it is gone, or it is
	// disabled by then; By is the element itself.
	//
	// With Label, which a [Location] has, all is withheld where the element says
	// something else at the first of the events: a page can show another item
	// at the same node. What it says from then on may be the input's own doing.
	//
	// With Beside, all is withheld where a text of it is gone, at the first of the
	// events and at the press: a page can show another row at the same nodes. Where a
	// text goes between press and release, and not by the press, the document has the
	// release and the element no click; the error has Taken.
	//
	// Keys and text that follow when the element's document has been left are
	// withheld as far as that is known by then; Input returns a [MissedError]
	// with [ErrStale], also where they may have gone to the next document.
	//
	// With Only, every key and text has to find the focus on the element, or
	// passed on from one field for a single letter to another, as in a code's.
	//
	// With Text, the keys that write, and inserted text, are a text. Where one of them
	// wrote nothing, because the page or the field did not let it, Input returns a
	// [MissedError] with [ErrNotTyped]; nothing is withheld for that.
	//
	// With Selected, all is withheld where that does not select the element, and
	// it alone, at the first of the events.
	//
	// With Continued, more of an action follows what was sent of it before, so
	// that [Activity].Timers still counts from that.
	Target struct {
		At        NodeRef
		Label     *string
		Beside    *Beside
		Selected  *Selection
		Only      bool
		Text      bool
		Continued bool
	}

	// Beside is text that stands beside an element and tells it from others that look
	// the same. Places are of the flat tree.
	Beside struct {
		Up       int      // how far out the element is that it stands in: 1 is the parent
		From, To int      // the nodes around that one in its own parent that count as well: From -2 is two before it
		Texts    []string // the data of text nodes in there, each whole
	}

	// MouseMove moves the pointer.
	MouseMove struct {
		At        Point
		Modifiers Modifiers
	}

	// MouseDown presses a button. Clicks counts presses at one place: 2 is
	// the second of a double click.
	MouseDown struct {
		At        Point
		Button    Button
		Clicks    int
		Modifiers Modifiers
	}

	// MouseUp releases it.
	MouseUp struct {
		At        Point
		Button    Button
		Clicks    int
		Modifiers Modifiers
	}

	// Pause waits between two events, such as a press and its release. The page
	// continues meanwhile, and what is held stays held. A dialog ends it. So does
	// leaving the [Target]'s document: what follows is withheld, and Input
	// returns a [MissedError] with [ErrStale].
	//
	// If input with a Pause ends with an error, such as that of the context, a
	// button pressed before it is released all the same: where it was pressed,
	// or if that frame is gone, in the corner of the page.
	Pause struct{ For time.Duration }

	// Wheel turns the wheel at a point, in pixels; positive is right and down.
	Wheel struct {
		At             Point
		DeltaX, DeltaY float64
		Modifiers      Modifiers
	}

	// KeyDown presses a key, named by its UI Events "key" value: "a", "Enter",
	// "ArrowDown", "." . A key that writes, writes, unless Control, Alt or
	// Meta is held. A modifier key ("Shift") is held by the events between.
	KeyDown struct {
		Key       string
		Modifiers Modifiers
	}

	// KeyUp releases it.
	KeyUp struct {
		Key       string
		Modifiers Modifiers
	}

	// InsertText writes text where the caret is, as an input method or a
	// paste does: the page sees beforeinput and input, and no keys.
	InsertText struct{ Text string }

	// Tap touches and lets go, whether or not touch is emulated.
	Tap struct{ At Point }

	// Drag presses at From, moves to To and releases. If the page begins a
	// drag and drop of its own (draggable), what it drags is dropped at To.
	//
	// With Onto it is dropped on an element instead, where that is by then: it is
	// brought into view once the drag has begun, and followed while the page moves
	// it because of the drag. To is the direction of the first moves. If it goes from
	// under the pointer, the drop is there. Where the element does not come to rest, the button is released where it was pressed,
	// and Input returns a [MissedError] with [ErrChanged]. If the page began a
	// drag and drop and does not take the drop, it is one with [ErrNotDropped].
	Drag struct {
		From, To Point
		Onto     *DropPlace
	}
)

// A DropPlace is the element that something is dropped on, and where in it; a
// nil Offset leaves that to the driver.
type DropPlace struct {
	At     NodeRef
	Offset *Offset
}

func (Target) input()     {}
func (MouseMove) input()  {}
func (MouseDown) input()  {}
func (MouseUp) input()    {}
func (Pause) input()      {}
func (Wheel) input()      {}
func (KeyDown) input()    {}
func (KeyUp) input()      {}
func (InsertText) input() {}
func (Tap) input()        {}
func (Drag) input()       {}
