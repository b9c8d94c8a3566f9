package computer

import (
	"slices"
	"strings"
)

// keyNames are what vendors write for keys, in lower case and without spaces and
// underscores, where that is not what the engine takes.
var keyNames = map[string]string{
	"kpenter": "Enter", "cr": "Enter", "linefeed": "Enter",
	"super": "Meta", "superl": "Meta", "superr": "Meta", "win": "Meta", "windows": "Meta", "cmd": "Meta", "command": "Meta", "metal": "Meta", "metar": "Meta",
	"ctrl": "Control", "control": "Control", "controll": "Control", "controlr": "Control",
	"altl": "Alt", "altr": "Alt", "option": "Alt", "opt": "Alt",
	"shiftl": "Shift", "shiftr": "Shift",
	"pagedown": "PageDown", "next": "PageDown", "pageup": "PageUp", "prior": "PageUp",
	"arrowleft": "ArrowLeft", "arrowright": "ArrowRight", "arrowup": "ArrowUp", "arrowdown": "ArrowDown",
	"left": "ArrowLeft", "right": "ArrowRight", "up": "ArrowUp", "down": "ArrowDown",
	"backspace": "Backspace", "escape": "Escape", "esc": "Escape", "return": "Enter", "space": "Space",
	"minus": "-", "equal": "=", "comma": ",", "period": ".", "slash": "/", "semicolon": ";", "plus": "Plus",
}

// Chord writes a key or a chord, as "ctrl+a" or "Page_Down", in the engine's
// words.
func Chord(text string) string {
	if text == "+" || text == " " {
		return text
	}
	parts := strings.Split(text, "+")
	if strings.HasSuffix(text, "++") { // ctrl and the plus itself
		parts = append(parts[:len(parts)-2], "Plus")
	}
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if name, ok := keyNames[strings.ToLower(strings.NewReplacer("_", "", " ", "").Replace(p))]; ok {
			p = name
		}
		// A chord with a capital letter is that key, and not the letter with Shift.
		if len(parts) > 1 && len(p) == 1 {
			p = strings.ToLower(p)
		}
		parts[i] = p
	}
	return strings.Join(parts, "+")
}

// modifier reports a key that is held while others are pressed.
func modifier(key string) bool {
	return slices.Contains([]string{"Control", "Alt", "Shift", "Meta"}, key)
}
