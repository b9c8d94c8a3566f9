package offline

import (
	"regexp"
	"strings"
)

// A verb is a way to begin an instruction. Its pattern has one group, the
// object.
type verb struct {
	pattern *regexp.Regexp
	act     func(q *question, in *instruction, object string) *answer
}

func starts(words string) *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:` + words + `) (.+)$`) }

// verbs are tried in order; the first whose pattern fits and that gives an
// answer takes the instruction.
var verbs []verb

// It is set here because the actions use find, which nothing in this table may depend on.
func init() {
	verbs = []verb{
		{starts(`double[- ]?click(?: on)?`), simple("doubleClick")},
		{starts(`(?:hover|mouse)(?: over| on)?|move the (?:mouse|pointer) (?:to|over|onto)|point (?:at|to)`), simple("hover")},
		{starts(`drag(?: and drop)?`), drag},
		{starts(`upload|attach`), upload},
		{starts(`press|hit|push|type|send`), key},
		{regexp.MustCompile(`(?i)^(scroll\b.*)$`), scroll},
		{starts(`(?:search|look)(?: for)?|google`), search},
		{starts(`type|enter|write|input|put|insert|paste|key in|append`), typeInto},
		{starts(`fill(?: in| out)?|set|change|update`), fillWith},
		{starts(`choose|select|pick`), choose},
		{starts(`uncheck|untick|unselect|deselect|disable|turn off|switch off`), box("uncheck")},
		{starts(`check|tick|enable|activate|turn on|switch on|accept|agree to`), box("check")},
		{starts(`clear|empty|erase`), clear},
		{starts(`focus(?: on)?`), simple("focus")},
		{starts(`blur|leave`), simple("blur")},
		{starts(`click(?: on)?|tap(?: on)?|press|push|hit|open|follow|go to|visit|navigate to|choose|select|expand|collapse|show|toggle|use`), click},
		{starts(`close|dismiss`), dismiss},
	}
}

const knownVerbs = "click, double click, hover, type … into …, fill … with …, choose … in …, check, uncheck, clear, press a key, upload … to …, drag … to …, scroll, focus, search for"

// keyNames are the keys that can be pressed, by what people call them.
var keyNames = map[string]string{
	"enter": "Enter", "return": "Enter", "tab": "Tab", "escape": "Escape", "esc": "Escape", "space": "Space", "spacebar": "Space",
	"backspace": "Backspace", "delete": "Delete", "del": "Delete", "home": "Home", "end": "End",
	"pageup": "PageUp", "page up": "PageUp", "pagedown": "PageDown", "page down": "PageDown",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
	"arrow up": "ArrowUp", "arrow down": "ArrowDown", "arrow left": "ArrowLeft", "arrow right": "ArrowRight",
	"up arrow": "ArrowUp", "down arrow": "ArrowDown", "left arrow": "ArrowLeft", "right arrow": "ArrowRight",
	"f1": "F1", "f2": "F2", "f3": "F3", "f4": "F4", "f5": "F5", "f6": "F6", "f7": "F7", "f8": "F8", "f9": "F9", "f10": "F10", "f11": "F11", "f12": "F12",
}

var modifiers = map[string]string{
	"control": "Control", "ctrl": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt",
	"meta": "Meta", "command": "Meta", "cmd": "Meta",
}

// keyOf reads a key or a chord, as "Enter", "ctrl+a".
func keyOf(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if k, ok := keyNames[strings.ToLower(s)]; ok {
		return k, true
	}
	parts := strings.Split(s, "+")
	if len(parts) < 2 {
		return "", false
	}
	var out []string
	for _, m := range parts[:len(parts)-1] {
		name, ok := modifiers[strings.ToLower(strings.TrimSpace(m))]
		if !ok {
			return "", false
		}
		out = append(out, name)
	}
	last := strings.TrimSpace(parts[len(parts)-1])
	if k, ok := keyNames[strings.ToLower(last)]; ok {
		last = k
	} else if len([]rune(last)) != 1 {
		return "", false
	} else if out[0] != "Shift" || len(out) > 1 {
		last = strings.ToUpper(last)
	}
	return strings.Join(append(out, last), "+"), true
}
