package engine

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// keyNames are the names people use for keys, in lower case, and the UI Events
// values that they mean.
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

// parseChord reads "Enter", "a", "Control+Shift+T" into input. "ControlOrMeta"
// and "Mod" are Meta on macOS and Control elsewhere.
func parseChord(chord string) ([]driver.InputEvent, error) {
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
			return nil, fmt.Errorf("%w: key %q: %v", ErrInvalid, chord, err)
		}
		bit, modifier := modifierBits[key]
		if last := i == len(parts)-1; !last && !modifier {
			return nil, fmt.Errorf("%w: key %q: %s is no modifier; write for example Control+A", ErrInvalid, chord, part)
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

// keyInChord writes a letter as a page gets it from a keyboard: Control+A is the
// key "a", however it is written, and with Shift it is "A".
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

// knownKeys are the names of keys, each once.
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

// typing is text as keys, each pressed and released; a line break is Enter.
func typing(text string) []driver.InputEvent {
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
