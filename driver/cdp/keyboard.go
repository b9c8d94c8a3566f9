package cdp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mafredri/cdp/protocol/input"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A key is one of a US keyboard.
type key struct {
	name    string // UI Events "key"
	code    string // UI Events "code"
	virtual int    // Windows virtual key code, which pages read as keyCode
	text    string // what it writes
	at      int    // location: 1 is the left one of two
}

// named are the keys that write nothing, or not what they are called.
var named = map[string]key{
	"Enter": {code: "Enter", virtual: 13, text: "\r"}, "Tab": {code: "Tab", virtual: 9},
	"Backspace": {code: "Backspace", virtual: 8}, "Delete": {code: "Delete", virtual: 46}, "Insert": {code: "Insert", virtual: 45},
	"Escape": {code: "Escape", virtual: 27}, "CapsLock": {code: "CapsLock", virtual: 20}, "ContextMenu": {code: "ContextMenu", virtual: 93},
	"Home": {code: "Home", virtual: 36}, "End": {code: "End", virtual: 35}, "PageUp": {code: "PageUp", virtual: 33}, "PageDown": {code: "PageDown", virtual: 34},
	"ArrowLeft": {code: "ArrowLeft", virtual: 37}, "ArrowUp": {code: "ArrowUp", virtual: 38},
	"ArrowRight": {code: "ArrowRight", virtual: 39}, "ArrowDown": {code: "ArrowDown", virtual: 40},
	"Shift": {code: "ShiftLeft", virtual: 16, at: 1}, "Control": {code: "ControlLeft", virtual: 17, at: 1},
	"Alt": {code: "AltLeft", virtual: 18, at: 1}, "Meta": {code: "MetaLeft", virtual: 91, at: 1},
	"Pause": {code: "Pause", virtual: 19}, "PrintScreen": {code: "PrintScreen", virtual: 44}, "ScrollLock": {code: "ScrollLock", virtual: 145}, "NumLock": {code: "NumLock", virtual: 144},
	"F1": {code: "F1", virtual: 112}, "F2": {code: "F2", virtual: 113}, "F3": {code: "F3", virtual: 114}, "F4": {code: "F4", virtual: 115},
	"F5": {code: "F5", virtual: 116}, "F6": {code: "F6", virtual: 117}, "F7": {code: "F7", virtual: 118}, "F8": {code: "F8", virtual: 119},
	"F9": {code: "F9", virtual: 120}, "F10": {code: "F10", virtual: 121}, "F11": {code: "F11", virtual: 122}, "F12": {code: "F12", virtual: 123},
}

// aliases are names that people use besides those of UI Events.
var aliases = map[string]string{
	"Esc": "Escape", "Return": "Enter", "Space": " ", "Spacebar": " ", "Del": "Delete", "Ctrl": "Control", "Cmd": "Meta", "Command": "Meta",
	"Option": "Alt", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown",
}

// punctuation are the keys with signs, each with the sign that Shift gives. A
// sign's character code is no virtual key code: that of "." would be Delete.
var punctuation = []struct {
	plain, shifted rune
	code           string
	virtual        int
}{
	{'`', '~', "Backquote", 192}, {'-', '_', "Minus", 189}, {'=', '+', "Equal", 187}, {'[', '{', "BracketLeft", 219}, {']', '}', "BracketRight", 221},
	{'\\', '|', "Backslash", 220}, {';', ':', "Semicolon", 186}, {'\'', '"', "Quote", 222}, {',', '<', "Comma", 188}, {'.', '>', "Period", 190},
	{'/', '?', "Slash", 191}, {' ', ' ', "Space", 32},
	{'0', ')', "Digit0", 48}, {'1', '!', "Digit1", 49}, {'2', '@', "Digit2", 50}, {'3', '#', "Digit3", 51}, {'4', '$', "Digit4", 52},
	{'5', '%', "Digit5", 53}, {'6', '^', "Digit6", 54}, {'7', '&', "Digit7", 55}, {'8', '*', "Digit8", 56}, {'9', '(', "Digit9", 57},
}

// keyOf finds a key by its name, and what it is and writes with Shift held. A
// name that no key has is taken for a text that some keyboard writes.
func keyOf(name string, shift bool) key {
	if other, ok := aliases[name]; ok {
		name = other
	}
	if k, ok := named[name]; ok {
		k.name = name
		return k
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) {
		if len(name) > 1 && name[0] < utf8.RuneSelf && isWord(name) {
			return key{name: name}
		}
		return key{name: name, text: name}
	}
	if r < utf8.RuneSelf && unicode.IsLetter(r) {
		if shift {
			r = unicode.ToUpper(r)
		}
		upper := unicode.ToUpper(r)
		return key{name: string(r), code: "Key" + string(upper), virtual: int(upper), text: string(r)}
	}
	for _, p := range punctuation {
		if r == p.plain && shift {
			r = p.shifted
		}
		if r == p.plain || r == p.shifted {
			return key{name: string(r), code: p.code, virtual: p.virtual, text: string(r)}
		}
	}
	return key{name: name, text: name}
}

// isWord reports that a name is one of UI Events, as "AudioVolumeUp", rather
// than a text.
func isWord(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0 &&
		unicode.IsUpper(rune(name[0]))
}

var modifierKeys = map[string]driver.Modifiers{"Alt": driver.Alt, "Control": driver.Control, "Meta": driver.Meta, "Shift": driver.Shift}

func (k *key) args(m driver.Modifiers) input.DispatchKeyEventArgs {
	return input.DispatchKeyEventArgs{
		Key: &k.name, Code: &k.code, Location: &k.at, Modifiers: new(int(m)),
		WindowsVirtualKeyCode: &k.virtual, NativeVirtualKeyCode: &k.virtual,
	}
}
