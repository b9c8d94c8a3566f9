package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

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
