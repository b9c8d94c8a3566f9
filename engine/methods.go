package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
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

// sentWords name what each method sends.
var sentWords = map[Method]string{
	Click: "the click", DoubleClick: "the double click", TripleClick: "the triple click", Hover: "the movement of the pointer", Tap: "the tap",
	Fill: "the text", Type: "the text", Press: "the key", SelectOption: "the choice", Check: "the click", Uncheck: "the click",
	ScrollTo: "the scrolling", ScrollIntoView: "the scrolling", NextChunk: "the scrolling", PrevChunk: "the scrolling", ScrollByPixelOffset: "the scrolling",
	Wheel: "the turn of the wheel", DragAndDrop: "the drag", DragByPixelOffset: "the drag", SetInputFiles: "the choice of files", Clear: "the deletion", Focus: "the focus", Blur: "the focus",
}

// doneWords say what a method did, with the element in the place of %s.
var doneWords = map[Method]string{
	Click: "clicked %s", DoubleClick: "double-clicked %s", TripleClick: "triple-clicked %s", Hover: "moved the pointer over %s", Tap: "tapped %s",
	Fill: "filled %s", Type: "typed into %s", Press: "pressed a key in %s", SelectOption: "chose in %s",
	Check: "checked %s", Uncheck: "unchecked %s", ScrollTo: "scrolled %s", ScrollIntoView: "brought %s into view",
	NextChunk: "scrolled %s on", PrevChunk: "scrolled %s back", ScrollByPixelOffset: "scrolled %s",
	Wheel: "turned the wheel over %s", DragAndDrop: "dragged %s", DragByPixelOffset: "dragged %s", SetInputFiles: "gave files to %s", Clear: "cleared %s", Focus: "focused %s", Blur: "left %s",
}

// confirmed are methods that make sure by themselves that they took: that a
// field held the text before is as good as that it holds it now.
var confirmed = map[Method]bool{
	Fill: true, Clear: true, SelectOption: true, Check: true, Uncheck: true, Focus: true, Blur: true,
	ScrollTo: true, ScrollIntoView: true, NextChunk: true, PrevChunk: true, ScrollByPixelOffset: true,
}

// cacheable reports methods whose action says all that it needs. A drop's target
// has no fingerprint, and files belong to a call.
func cacheable(m Method) bool { return m != DragAndDrop && m != SetInputFiles }

// A gesture is what the arguments of a pointer's method say besides: which
// button, which keys are held meanwhile, and where in the element. In an
// Action's arguments each part is a word:
//
//	right, middle, left        the button
//	Shift, Control+Alt, …      the modifiers; ControlOrMeta is Meta on macOS
//	at 12,5                    the place, in pixels from the element's upper left corner
//	to 12,5                    for a drop, the place in the element that is dropped on
type gesture struct {
	button driver.Button
	held   driver.Modifiers
	at, to *driver.Offset
}

// A gestures says which words a method takes.
type gestures uint8

const (
	takesButton gestures = 1 << iota
	takesModifiers
	takesPlace
	takesDropPlace
)

// parseGesture reads the words of a gesture.
func parseGesture(words []string, takes gestures) (gesture, error) {
	var g gesture
	for _, word := range words {
		if err := g.read(word, takes); err != nil {
			return gesture{}, err
		}
	}
	return g, nil
}

func (g *gesture) read(word string, takes gestures) error {
	word = strings.TrimSpace(word)
	kind, place, _ := strings.Cut(word, " ")
	switch button := driver.Button(strings.ToLower(word)); {
	case takes&takesButton != 0 && (button == driver.Left || button == driver.Middle || button == driver.Right):
		g.button = button
		return nil
	case takes&takesPlace != 0 && kind == "at":
		return parseOffset(place, &g.at)
	case takes&takesDropPlace != 0 && kind == "to":
		return parseOffset(place, &g.to)
	case takes&takesModifiers != 0:
		if held, ok := parseModifiers(word); ok {
			g.held |= held
			return nil
		}
	}
	return fmt.Errorf("%w: argument %q; %s", ErrInvalid, word, takes.words())
}

// words say what a method takes, for people.
func (t gestures) words() string {
	var words []string
	for _, w := range []struct {
		takes gestures
		word  string
	}{
		{takesButton, "a button (left, middle, right)"},
		{takesModifiers, "modifiers (Shift, Control+Alt)"},
		{takesPlace, "a place in the element (at 12,5)"},
		{takesDropPlace, "a place to drop at (to 12,5)"},
	} {
		if t&w.takes != 0 {
			words = append(words, w.word)
		}
	}
	return "what can stand here is " + strings.Join(words, ", ")
}

// arguments are the words of a gesture.
func (g gesture) arguments() []string {
	var words []string
	if g.button != "" && g.button != driver.Left {
		words = append(words, string(g.button))
	}
	if g.held != 0 {
		words = append(words, modifierWords(g.held))
	}
	if g.at != nil {
		words = append(words, "at "+offsetWords(*g.at))
	}
	if g.to != nil {
		words = append(words, "to "+offsetWords(*g.to))
	}
	return words
}

func parseModifiers(chord string) (driver.Modifiers, bool) {
	var held driver.Modifiers
	for part := range strings.SplitSeq(chord, "+") {
		key, err := parseKey(part)
		bit, ok := modifierBits[key]
		if err != nil || !ok {
			return 0, false
		}
		held |= bit
	}
	return held, true
}

func modifierWords(held driver.Modifiers) string {
	var words []string
	for _, name := range []string{"Control", "Alt", "Shift", "Meta"} {
		if held&modifierBits[name] != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, "+")
}

func parseOffset(text string, to **driver.Offset) error {
	x, y, ok := strings.Cut(text, ",")
	left, errX := parsePixels(x)
	top, errY := parsePixels(y)
	if !ok || errX != nil || errY != nil {
		return fmt.Errorf("%w: place %q; write pixels from the element's upper left corner, as \"at 12,5\"", ErrInvalid, text)
	}
	*to = &driver.Offset{X: left, Y: top}
	return nil
}

func offsetWords(o driver.Offset) string {
	return strconv.FormatFloat(o.X, 'f', -1, 64) + "," + strconv.FormatFloat(o.Y, 'f', -1, 64)
}

func parsePixels(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "px"), 64)
	if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
		err = strconv.ErrRange
	}
	return n, err
}
