package engine

import (
	"fmt"
	"slices"
	"strings"
)

// A Method is what an action does to its element.
type Method string

// The methods. [ParseMethod] also takes the older spellings.
//
// Those of the pointer take further arguments, each a word: the button ("right",
// "middle"), modifiers that are held ("Shift", "Control+Alt"), and a place
// within the element in pixels from its upper left corner ("at 12,5").
const (
	Click               Method = "click"
	DoubleClick         Method = "doubleClick"
	TripleClick         Method = "tripleClick"
	Hover               Method = "hover"
	Tap                 Method = "tap"
	Fill                Method = "fill"  // argument: the text; replaces what is there
	Type                Method = "type"  // argument: the text; key by key, where the caret is
	Press               Method = "press" // argument: a key or chord, as "Enter", "Control+A"
	SelectOption        Method = "selectOption"
	Check               Method = "check"
	Uncheck             Method = "uncheck"
	ScrollTo            Method = "scrollTo" // argument: "50%"
	ScrollIntoView      Method = "scrollIntoView"
	NextChunk           Method = "nextChunk"           // one view further down
	PrevChunk           Method = "prevChunk"           // one view back up
	ScrollByPixelOffset Method = "scrollByPixelOffset" // arguments: x, y
	Wheel               Method = "wheel"               // arguments: x, y; turns the wheel over the element
	DragAndDrop         Method = "dragAndDrop"         // argument: the selector of the element to drop on; "to 12,5" is the place in it
	DragByPixelOffset   Method = "dragByPixelOffset"   // arguments: x, y
	SetInputFiles       Method = "setInputFiles"       // arguments: paths
	Clear               Method = "clear"
	Focus               Method = "focus"
	Blur                Method = "blur"
)

// arity says how many arguments a method takes, and which words of a gesture
// may follow them.
type arity struct {
	least, most int
	gestures    gestures
}

var methods = []struct {
	method Method
	arity
}{
	{Click, arity{0, 0, takesButton | takesModifiers | takesPlace}},
	{DoubleClick, arity{0, 0, takesButton | takesModifiers | takesPlace}},
	{TripleClick, arity{0, 0, takesButton | takesModifiers | takesPlace}},
	{Hover, arity{0, 0, takesModifiers | takesPlace}},
	{Tap, arity{0, 0, takesPlace}},
	{Fill, arity{1, 1, 0}},
	{Type, arity{1, 1, 0}},
	{Press, arity{1, 1, 0}},
	{SelectOption, arity{1, many, 0}},
	{Check, arity{0, 0, 0}},
	{Uncheck, arity{0, 0, 0}},
	{ScrollTo, arity{1, 1, 0}},
	{ScrollIntoView, arity{0, 0, 0}},
	{NextChunk, arity{0, 0, 0}},
	{PrevChunk, arity{0, 0, 0}},
	{ScrollByPixelOffset, arity{1, 2, 0}},
	{Wheel, arity{2, 2, takesModifiers | takesPlace}},
	{DragAndDrop, arity{1, 1, takesPlace | takesDropPlace}},
	{DragByPixelOffset, arity{2, 2, takesPlace}},
	{SetInputFiles, arity{1, many, 0}},
	{Clear, arity{0, 0, 0}},
	{Focus, arity{0, 0, 0}},
	{Blur, arity{0, 0, 0}},
}

const many = 1000

// oldSpellings are names of methods that stored actions of other tools carry.
var oldSpellings = map[string]Method{
	"selectOptionFromDropdown": SelectOption,
	"mouse.wheel":              ScrollByPixelOffset,
	"scroll":                   ScrollTo,
}

// Methods returns all methods in the order of the documentation.
func Methods() []Method {
	names := make([]Method, len(methods))
	for i := range methods {
		names[i] = methods[i].method
	}
	return names
}

// ParseMethod reads a method's name. The empty name is Click. An unknown one
// is an error that wraps [ErrInvalid] and lists the known.
func ParseMethod(name string) (Method, error) {
	if name == "" {
		return Click, nil
	}
	if m, ok := oldSpellings[name]; ok {
		return m, nil
	}
	if m := Method(name); slices.Contains(Methods(), m) {
		return m, nil
	}
	known := make([]string, len(methods))
	for i := range methods {
		known[i] = string(methods[i].method)
	}
	return "", fmt.Errorf("%w: unknown method %q; the methods are %s", ErrInvalid, name, strings.Join(known, ", "))
}

// arity of a method that is known.
func (m Method) arity() arity {
	for i := range methods {
		if methods[i].method == m {
			return methods[i].arity
		}
	}
	return arity{}
}

// checkArguments tells whether a method takes such arguments. Surplus ones
// are an error too: an argument that is passed over was meant for something.
func (m Method) checkArguments(args []string) error {
	_, _, err := m.split(args)
	return err
}

// split parts the arguments of a method from the words of its gesture.
func (m Method) split(args []string) (own []string, g gesture, err error) {
	a := m.arity()
	switch {
	case len(args) < a.least:
		return nil, g, fmt.Errorf("%w: %s needs %d argument(s), got %d", ErrInvalid, m, a.least, len(args))
	case len(args) <= a.most:
		return args, g, nil
	case a.gestures == 0:
		return nil, g, fmt.Errorf("%w: %s takes at most %d argument(s), got %d", ErrInvalid, m, a.most, len(args))
	}
	if g, err = parseGesture(args[a.most:], a.gestures); err != nil {
		return nil, g, fmt.Errorf("%s: %w", m, err)
	}
	return args[:a.most], g, nil
}

// An Action is one thing that can be done to a page: found by Observe,
// returned by Act, stored, and done again by Do.
type Action struct {
	// Selector is a CSS selector or an XPath; those that the engine returns
	// are deep XPaths ("xpath=/html[1]/…") that lead through frames and
	// shadow roots.
	Selector string `json:"selector"`
	// Description says in words what the action is for.
	Description string `json:"description"`
	// BackendNodeID is the node's number when the action was made. An element
	// is never found by it: together with the selector it says which of the
	// actions that the session gave out this is, so that one that comes back
	// without its fingerprint is held to that.
	BackendNodeID int64 `json:"backendNodeId,omitempty"`
	// Method is Click if empty.
	Method Method `json:"method,omitempty"`
	// Arguments may hold %name% placeholders; a variable's value is never in them.
	Arguments []string `json:"arguments,omitempty"`

	// Fingerprint is what the element was when the action was made, and
	// Surroundings where it stood among those that look the same. If set, Do
	// refuses an element that is another, or stands in another row.
	Fingerprint  *Fingerprint  `json:"fingerprint,omitempty"`
	Surroundings *Surroundings `json:"surroundings,omitempty"`
}

// Check refuses what Do would refuse without looking at the page: an unknown
// method, arguments that it does not take, no selector. The error wraps [ErrInvalid].
func (a Action) Check() error {
	method, err := ParseMethod(string(a.Method))
	if err != nil {
		return err
	}
	if a.Selector == "" {
		return fmt.Errorf("%w: the action has no selector", ErrInvalid)
	}
	return method.checkArguments(a.Arguments)
}

// A Fingerprint tells whether an element is the one that was meant.
type Fingerprint struct {
	Role string `json:"role"`
	Name string `json:"name"`
	Tag  string `json:"tag"`
}

// Surroundings tell an element from others that look the same, as the button of
// one product from those of the others.
type Surroundings struct {
	// Row is what is written right around the element: in its list item, its
	// line of a table. What was far from it in a long one is not in it.
	Row string `json:"row"`
	// Alike is how many elements looked the same, it included.
	Alike int `json:"alike"`
}

func (f Fingerprint) String() string {
	if f.Name == "" {
		return f.Role
	}
	return fmt.Sprintf("%s %q", f.Role, f.Name)
}
