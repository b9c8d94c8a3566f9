package driver

import "context"

// LocateOptions refine Locate. The zero value looks without moving anything.
type LocateOptions struct {
	// Scroll brings the element into view first, if it is not: the least
	// scrolling that shows it, in each container from the outside in.
	Scroll bool

	// Offset is the place within the element to look at; nil leaves the choice
	// to the driver. [Location].At is then that place, whatever lies there, and
	// InView, Hit and Reached speak of it. With Scroll it is what comes into view.
	Offset *Offset
}

// A Location is where an element is, and whether a person could use it there.
// The driver computes every field on each call and decides nothing: which of
// them matters for an action is the caller's.
type Location struct {
	// Box is the element's border box, the union of its boxes if it is
	// broken over lines, in the main frame's viewport.
	Box Rect

	// At is a point at which the element is hit, if there is one: the middle
	// of its first visible box, else of a later one, clipped to what can be
	// seen. Where a control with a purpose of its own lies there, as a delete
	// button in a row, it is a place beside that: a press on a container must
	// not press what is in it. Where the place itself matters, set
	// [LocateOptions].Offset. Meaningless unless Visible.
	At Point

	Visible  bool // has a box with an area, and its visibility is visible
	InView   bool // a part of it lies within all its scroll containers and the viewport
	Disabled bool // by its own attribute or by a fieldset's; aria-disabled does not count
	// AriaDisabled: it or an element around it says aria-disabled.
	AriaDisabled bool
	Inert        bool // inert, behind a modal dialog, or with pointer-events none
	ReadOnly     bool // a text control that takes no input
	Moving       bool // it or an ancestor runs an animation or transition that moves it

	// Unseen: nobody sees the element itself: its opacity is 0, or it is clipped away,
	// a pixel wide, or lets the pointer through. Set for selects, and for what is not Reached.
	Unseen bool

	// Hit is the element that At hits, through frames and shadow roots.
	Hit NodeRef
	// Reached reports that Hit is the element itself, a descendant of it in
	// the flat tree, or one whose activation is the element's own: its label or, for
	// a checkbox or radio button that nobody sees and that has no label, the box close
	// around that is drawn in its place, says nothing and holds no other control;
	// or, for the only control of a shadow tree that lets the pointer through, its host.
	// For a control that nobody can point at, Box, At and Hit are those of the label,
	// the box or the host; for one of opacity 0, where it is not reached itself.
	Reached bool

	// Shown is what a person sees in place of a select that nobody sees: the text of
	// the box, close around it or right beside it, that said what the select has chosen
	// when it was first located. It may say something else by now. For such a select, a
	// press on the box is one on it. Empty where nothing stands for it.
	Shown string

	// Label is what a person reads on the element: its aria-label, else what
	// labels it (aria-labelledby, its labels), else its text, with single spaces and cut
	// to [MaxLabel] letters (UTF-16 code units). A field's text is what it
	// holds; where nothing labels one, it is its placeholder, or else its title.
	// A page may come to show something else at the same node.
	Label string
}

// A Glancer is a [Page] that tells in one round trip what takes several calls
// otherwise. A driver need not have it, and a page that wraps another has it not:
// a wrapper that records calls, or disturbs them, sees each of them. An error means that it
// is to be asked one by one.
type Glancer interface {
	// Glance tells what Activity, Find in the main document, State, Locate without
	// scrolling and Revision would.
	Glance(ctx context.Context, at GlanceOptions) (*Glance, error)

	// GlanceAfter tells what Activity, State and Revision would after a Yield of
	// all frames. Where an effect of what was done since the last Glance shows at
	// once, and the scripts are not known to have put anything off, it does not wait for
	// that, and Rested is false: the next Activity or Glance waits, unless the element was
	// used before with nothing coming later. Evaluate, Revision and Capture do not wait.
	GlanceAfter(ctx context.Context, node NodeRef) (*Glance, error)

	// Disarm takes back what a Glance has prepared for input that does not come
	// after all. It does not wait for the page, and may be called at any time.
	Disarm()

	// Described is the role and the accessible name that the browser itself gives an
	// element. They may differ from those of a reading of the page.
	Described(ctx context.Context, node NodeRef) (role, name string, err error)
}

// GlanceOptions say what a [Glancer] looks at.
type GlanceOptions struct {
	// Node is the element, in the main document. If it is zero, the element is the
	// only one that Selector matches there.
	Node     NodeRef
	Selector Selector

	// Offset is that of [LocateOptions].
	Offset *Offset

	// For, if not nil, is the target of the input that is to follow, but for At and
	// Label, which are the element's. If the element could be pressed where it is, the page
	// is made ready for that input, which is then spared the round trip. Who sends
	// none calls Disarm.
	For *Target

	// Styles asks GlanceAfter for Same, which costs a look at all elements.
	Styles bool

	// Twins asks how many elements could pass for the one that is described so.
	Twins *Description
}

// A Description is what elements that look alike have in common.
type Description struct{ Tag, Name string }

// A Glance is what a [Glancer] tells.
type Glance struct {
	Node     NodeRef   // the only element that the selector matches; zero if it matches none, or more
	State    *State    // nil if it takes a call
	Location *Location // nil if it takes a call
	Activity *Activity
	Revision Revision // 0 if it takes a call

	// Twins is how many elements of the main document could pass for
	// [GlanceOptions].Twins; 0 if that is not known.
	Twins int

	// Changed, of GlanceAfter, reports that since the last Glance a control of the main
	// document has come to hold something else, or the document has another size. Scripts
	// change that without any event.
	Changed bool

	// Styles reports that GlanceAfter will tell Same.
	Styles bool

	// Same, of GlanceAfter, reports that since the last Glance, which asked for it, no
	// style has changed what the main document shows: which texts and elements, and the
	// texts that styles write around the element. What a style writes elsewhere, or does
	// in a frame, is not looked at.
	Same bool

	// Rested, of GlanceAfter, reports that what was put off without a delay has run.
	Rested bool
}

// MaxLabel bounds [Location].Label.
const MaxLabel = 500

// A ScrollTarget is where to scroll an element's content to.
type ScrollTarget struct {
	// X and Y are offsets in pixels; with By they are added to the present ones.
	X, Y float64
	By   bool

	// Percent, if set, stands in place of Y: 0 is the top, 100 the end.
	Percent *float64
}

// A ScrollState is the scroll position of an element's content.
type ScrollState struct {
	X, Y       float64 // offset of what is shown
	MaxX, MaxY float64 // the largest offsets
	// View is the size of the part that is shown.
	View Size
	// Clipped reports that there is more than is shown, and that no wheel
	// scrolls to it (overflow: hidden): a script can.
	Clipped bool
}

// A State is the live state of an element.
type State struct {
	Tag         string // local name in lower case
	Type        string // of an input: its type, in lower case
	Value       string // of a control, a password's too; of an editable element: its text; else aria-valuetext or aria-valuenow
	Values      []string
	Checked     bool
	Mixed       bool  // indeterminate, or aria-checked mixed
	Selected    bool  // of an option; of another element: aria-selected
	Expanded    *bool // aria-expanded; of details and its summary: open
	Pressed     *bool // aria-pressed; nil if absent or mixed
	AriaChecked *bool // aria-checked; nil if absent or mixed
	Focused     bool
	Disabled    bool
	ReadOnly    bool
	Editable    bool // takes typed text: text control or contenteditable
	Multiple    bool
	Connected   bool
	Visible     bool
	Validity    string        // the browser's message if the value is not valid
	Options     []OptionState // of a select
	Files       []string      // names, of a file input
	Scroll      ScrollState
}

// An OptionState is an option of a select.
//
// Label is the label attribute's value, else the text with white space
// collapsed. Disabled is its own attribute or its group's.
type OptionState struct {
	Value, Label, Group string
	Selected, Disabled  bool
}
