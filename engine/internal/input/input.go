// Package input parses the words in which actions describe input, key chords and
// gestures of the pointer, into a driver's events.
package input

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Gesture is what the arguments of a pointer's method say besides: which
// button, which keys are held meanwhile, and where in the element. In an
// Action's arguments each part is a word:
//
//	right, middle, left        the button
//	Shift, Control+Alt, …      the modifiers; ControlOrMeta is Meta on macOS
//	at 12,5                    the place, in pixels from the element's upper left corner
//	for 2s                     how long a button is held down
//	to 12,5                    for a drop, the place in the element that is dropped on
type Gesture struct {
	Button    driver.Button
	Modifiers driver.Modifiers
	At, To    *driver.Offset
	For       time.Duration
}

// Takes says which words of a gesture a method takes.
type Takes uint8

// The kinds of words.
const (
	TakesButton Takes = 1 << iota
	TakesModifiers
	TakesPlace
	TakesDropPlace
	TakesTime
)

// ParseGesture parses the words of a gesture.
func ParseGesture(words []string, takes Takes) (Gesture, error) {
	var g Gesture
	for _, word := range words {
		if err := g.read(word, takes); err != nil {
			return Gesture{}, err
		}
	}
	return g, nil
}

func (g *Gesture) read(word string, takes Takes) error {
	word = strings.TrimSpace(word)
	kind, place, _ := strings.Cut(word, " ")
	switch button := driver.Button(strings.ToLower(word)); {
	case takes&TakesButton != 0 && (button == driver.Left || button == driver.Middle || button == driver.Right):
		g.Button = button
		return nil
	case takes&TakesPlace != 0 && kind == "at":
		return parseOffset(place, &g.At)
	case takes&TakesDropPlace != 0 && kind == "to":
		return parseOffset(place, &g.To)
	case takes&TakesTime != 0 && kind == "for":
		return parseTime(place, &g.For)
	case takes&TakesModifiers != 0:
		if held, ok := parseModifiers(word); ok {
			g.Modifiers |= held
			return nil
		}
	}
	return fmt.Errorf("argument %q; %s", word, takes.words())
}

// words describe what a method takes, for error messages.
func (t Takes) words() string {
	var words []string
	for _, w := range []struct {
		takes Takes
		word  string
	}{
		{TakesButton, "a button (left, middle, right)"},
		{TakesModifiers, "modifiers (Shift, Control+Alt)"},
		{TakesPlace, "a place in the element (at 12,5)"},
		{TakesDropPlace, "a place to drop at (to 12,5)"},
		{TakesTime, "a time (for 2s)"},
	} {
		if t&w.takes != 0 {
			words = append(words, w.word)
		}
	}
	return "what can stand here is " + strings.Join(words, ", ")
}

// Arguments returns the words of a gesture.
func (g Gesture) Arguments() []string {
	var words []string
	if g.Button != "" && g.Button != driver.Left {
		words = append(words, string(g.Button))
	}
	if g.Modifiers != 0 {
		words = append(words, modifierWords(g.Modifiers))
	}
	if g.At != nil {
		words = append(words, "at "+OffsetWords(*g.At))
	}
	if g.To != nil {
		words = append(words, "to "+OffsetWords(*g.To))
	}
	if g.For != 0 {
		words = append(words, "for "+g.For.String())
	}
	return words
}

// Click is the input of a click at a point, count times in a row.
func (g Gesture) Click(at driver.Point, count int) []driver.InputEvent {
	button := cmp.Or(g.Button, driver.Left)
	events := []driver.InputEvent{driver.MouseMove{At: at, Modifiers: g.Modifiers}}
	for n := 1; n <= count; n++ {
		events = append(events,
			driver.MouseDown{At: at, Button: button, Clicks: n, Modifiers: g.Modifiers},
			driver.MouseUp{At: at, Button: button, Clicks: n, Modifiers: g.Modifiers})
	}
	return events
}

// How long LongPress holds a button down: longer than the half second after
// which systems take a press for a long one, and shorter than a call may last.
const (
	defaultHold = time.Second
	longestHold = 10 * time.Second
)

// LongPress is the input of a press at a point that is released after a time.
func (g Gesture) LongPress(at driver.Point) []driver.InputEvent {
	click := g.Click(at, 1)
	return slices.Insert(click, len(click)-1, driver.InputEvent(driver.Pause{For: cmp.Or(g.For, defaultHold)}))
}

func parseTime(text string, to *time.Duration) error {
	d, err := time.ParseDuration(strings.ReplaceAll(text, " ", ""))
	if err != nil || d <= 0 || d > longestHold {
		return fmt.Errorf("time %q; write up to %v, as \"for 2s\", \"for 800ms\"", text, longestHold)
	}
	*to = d
	return nil
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
	left, errX := Pixels(x)
	top, errY := Pixels(y)
	if !ok || errX != nil || errY != nil {
		return fmt.Errorf("place %q; write pixels from the element's upper left corner, as \"at 12,5\"", text)
	}
	*to = &driver.Offset{X: left, Y: top}
	return nil
}

// OffsetWords writes a place as arguments say it: "12,5".
func OffsetWords(o driver.Offset) string {
	return strconv.FormatFloat(o.X, 'f', -1, 64) + "," + strconv.FormatFloat(o.Y, 'f', -1, 64)
}

// Pixels parses a length in pixels, with or without its unit.
func Pixels(text string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(text), "px"), 64)
	if err == nil && (math.IsNaN(n) || math.IsInf(n, 0)) {
		err = strconv.ErrRange
	}
	return n, err
}

// Chord parses "Enter", "a" or "Control+Shift+T" into input.
// "ControlOrMeta" and "Mod" are Meta on macOS and Control elsewhere.
func Chord(chord string) ([]driver.InputEvent, error) {
	parts := strings.Split(chord, "+")
	if chord == "+" || strings.HasSuffix(chord, "++") { // the plus key itself
		parts = append(strings.Split(strings.TrimSuffix(strings.TrimSuffix(chord, "+"), "+"), "+"), "+")
		if chord == "+" {
			parts = parts[1:]
		}
	}
	var down, up []driver.InputEvent
	var held driver.Modifiers
	for i, part := range parts {
		key, err := parseKey(part)
		if err != nil {
			return nil, fmt.Errorf("key %q: %w", chord, err)
		}
		bit, modifier := modifierBits[key]
		if last := i == len(parts)-1; !last && !modifier {
			return nil, fmt.Errorf("key %q: %s is no modifier; write for example Control+A", chord, part)
		}
		held |= bit
		if len(parts) > 1 && !modifier {
			key = keyInChord(key, held)
		}
		down = append(down, driver.KeyDown{Key: key, Modifiers: held})
		up = append([]driver.InputEvent{driver.KeyUp{Key: key, Modifiers: held}}, up...)
	}
	return append(down, up...), nil
}

// Writes reports a key that writes one character and does nothing else by itself: not
// a space, which presses buttons and scrolls.
func Writes(chord string) bool { return utf8.RuneCountInString(chord) == 1 && chord != " " }

// Scrolls reports a key that scrolls what it is pressed in, where nothing else takes it.
func Scrolls(chord string) bool {
	events, err := Chord(chord)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(events, func(e driver.InputEvent) bool {
		down, ok := e.(driver.KeyDown)
		return ok && slices.Contains(scrollKeys, down.Key)
	})
}

var scrollKeys = []string{" ", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowUp", "End", "Home", "PageDown", "PageUp"}

// keyInChord returns a letter as a keyboard would report it: Control+A is the
// key "a" in any spelling, and "A" with Shift.
func keyInChord(key string, held driver.Modifiers) string {
	if utf8.RuneCountInString(key) != 1 {
		return key
	}
	if held&driver.Shift != 0 {
		return strings.ToUpper(key)
	}
	return strings.ToLower(key)
}

func parseKey(name string) (string, error) {
	if utf8.RuneCountInString(name) == 1 {
		return name, nil
	}
	if name = strings.TrimSpace(name); utf8.RuneCountInString(name) == 1 {
		return name, nil // "Control + A"
	}
	lower := strings.ToLower(name)
	if lower == "controlormeta" || lower == "mod" {
		if runtime.GOOS == "darwin" {
			return "Meta", nil
		}
		return "Control", nil
	}
	if key, ok := keyNames[lower]; ok {
		return key, nil
	}
	return "", fmt.Errorf("no such key; use a character or one of %s", strings.Join(knownKeys(), ", "))
}

// knownKeys returns the names of keys, each once.
func knownKeys() []string {
	names := []string{"Space", "Plus", "ControlOrMeta"}
	for _, key := range keyNames {
		if utf8.RuneCountInString(key) > 1 {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// keyNames map the names that people use for keys, in lower case, to UI Events
// values.
var keyNames = map[string]string{
	"enter": "Enter", "return": "Enter", "tab": "Tab", "space": " ", "spacebar": " ",
	"esc": "Escape", "escape": "Escape", "backspace": "Backspace", "delete": "Delete", "del": "Delete",
	"insert": "Insert", "home": "Home", "end": "End",
	"pageup": "PageUp", "page up": "PageUp", "pgup": "PageUp",
	"pagedown": "PageDown", "page down": "PageDown", "pgdn": "PageDown",
	"up": "ArrowUp", "arrowup": "ArrowUp", "arrow up": "ArrowUp",
	"down": "ArrowDown", "arrowdown": "ArrowDown", "arrow down": "ArrowDown",
	"left": "ArrowLeft", "arrowleft": "ArrowLeft", "arrow left": "ArrowLeft",
	"right": "ArrowRight", "arrowright": "ArrowRight", "arrow right": "ArrowRight",
	"f1": "F1", "f2": "F2", "f3": "F3", "f4": "F4", "f5": "F5", "f6": "F6",
	"f7": "F7", "f8": "F8", "f9": "F9", "f10": "F10", "f11": "F11", "f12": "F12",
	"contextmenu": "ContextMenu", "plus": "+",
	"shift": "Shift", "control": "Control", "ctrl": "Control", "alt": "Alt", "option": "Alt",
	"meta": "Meta", "cmd": "Meta", "command": "Meta", "win": "Meta",
}

var modifierBits = map[string]driver.Modifiers{
	"Shift": driver.Shift, "Control": driver.Control, "Alt": driver.Alt, "Meta": driver.Meta,
}

// Typing returns text as key presses; a line break is Enter.
func Typing(text string) []driver.InputEvent {
	var events []driver.InputEvent
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		key := string(r)
		switch r {
		case '\n':
			key = "Enter"
		case '\t':
			key = "Tab"
		}
		events = append(events, driver.KeyDown{Key: key}, driver.KeyUp{Key: key})
	}
	return events
}
