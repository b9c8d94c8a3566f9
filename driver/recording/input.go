package recording

import (
	"strings"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// inputArgs describe input. Keys that write are put together to the text that
// they write: single ones would be found by nobody who looks for a value.
func inputArgs(events []driver.InputEvent) []arg {
	var args []arg
	var keys strings.Builder
	flush := func() {
		if keys.Len() > 0 {
			args = append(args, arg{Is: "keys", Text: keys.String()})
			keys.Reset()
		}
	}
	for _, e := range events {
		key, down, writes := writingKey(e)
		if writes {
			if down {
				keys.WriteString(key)
			}
			continue
		}
		flush()
		args = append(args, inputArg(e))
	}
	flush()
	return args
}

// writingKey tells the character of a key that writes one.
func writingKey(e driver.InputEvent) (key string, down, writes bool) {
	var held driver.Modifiers
	switch e := e.(type) {
	case driver.KeyDown:
		key, held, down = e.Key, e.Modifiers, true
	case driver.KeyUp:
		key, held = e.Key, e.Modifiers
	}
	return key, down, utf8.RuneCountInString(key) == 1 && held&^driver.Shift == 0
}

func inputArg(e driver.InputEvent) arg {
	switch e := e.(type) {
	case driver.MouseMove:
		return is("move %s %d", at(e.At), e.Modifiers)
	case driver.MouseDown:
		return is("down %s %s %d %d", e.Button, at(e.At), e.Clicks, e.Modifiers)
	case driver.MouseUp:
		return is("up %s %s %d %d", e.Button, at(e.At), e.Clicks, e.Modifiers)
	case driver.Wheel:
		return is("wheel %s %v %v %d", at(e.At), e.DeltaX, e.DeltaY, e.Modifiers)
	case driver.KeyDown:
		return is("key %s down %d", e.Key, e.Modifiers)
	case driver.KeyUp:
		return is("key %s up %d", e.Key, e.Modifiers)
	case driver.InsertText:
		return arg{Is: "insert", Text: e.Text}
	case driver.Tap:
		return is("tap %s", at(e.At))
	case driver.Drag:
		if e.Onto != nil {
			return is("drag %s onto %d %s", at(e.From), e.Onto.At.Node, at(e.To))
		}
		return is("drag %s %s", at(e.From), at(e.To))
	}
	return is("%T", e)
}

func at(p driver.Point) string { return string(is("%s(%v,%v)", p.Frame, p.X, p.Y).Is) }
