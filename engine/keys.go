package engine

import (
	"cmp"
	"context"
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

// press presses a key or chord with the element focused.
func (a *attempt) press(ctx context.Context) error {
	events, err := parseChord(a.args[0])
	if err != nil {
		return err
	}
	a.watchPage = true
	if a.before.Tag == "body" || a.before.Tag == "html" {
		return a.send(ctx, nil, events...)
	}
	a.hadFocus = true
	return a.keys(ctx, driver.Target{}, events...)
}

// keys sends keys to the element, focusing it first if needed. how's Only and
// Text say how the driver treats them.
func (a *attempt) keys(ctx context.Context, how driver.Target, events ...driver.InputEvent) error {
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		at = a.labelForKeys(at)
		if err := a.giveFocus(ctx, at); err != nil {
			return err
		}
		aim := a.target(at)
		aim.Only, aim.Text = how.Only, how.Text
		return a.sendTo(ctx, aim, events...)
	})
}

// takeFocus focuses the element, and returns the location whose label keys are
// held to.
func (a *attempt) takeFocus(ctx context.Context, n need) (at *driver.Location, err error) {
	err = a.whenReady(ctx, n, func(l *driver.Location) error {
		at = a.labelForKeys(l)
		return a.giveFocus(ctx, at)
	})
	return at, err
}

// giveFocus focuses the element unless it has the focus.
func (a *attempt) giveFocus(ctx context.Context, at *driver.Location) error {
	if a.before.Focused {
		return nil
	}
	return a.sending(func() error { return a.page.driver.Focus(ctx, a.target(at)) })
}

func (a *attempt) focus(ctx context.Context) error {
	a.expect = func(after *driver.State) error {
		if !after.Focused {
			return fmt.Errorf("%w: another element has the focus", ErrNoEffect)
		}
		return nil
	}
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		return a.sending(func() error { return a.page.driver.Focus(ctx, a.target(a.labelForKeys(at))) })
	})
}

// blur takes the focus from the element, as a click beside it would.
func (a *attempt) blur(ctx context.Context) error {
	if !a.before.Focused {
		return nil
	}
	a.expect = func(after *driver.State) error {
		if after.Focused {
			return fmt.Errorf("%w: it still has the focus", ErrNoEffect)
		}
		return nil
	}
	document := driver.NodeRef{Frame: a.node.Frame, Doc: a.node.Doc}
	return a.sending(func() error { return a.page.driver.Focus(ctx, driver.Target{At: document}) })
}

// maxKeys bounds the key presses that move an ARIA slider.
const maxKeys = 1000

// isSlider reports an ARIA slider or spin button, which arrow keys move and
// whose value is an attribute.
func (a *attempt) isSlider(ctx context.Context) (bool, error) {
	if a.before.Tag == "input" || a.before.Editable {
		return false, nil
	}
	role, err := a.attribute(ctx, "role")
	role = strings.ToLower(strings.TrimSpace(role))
	return role == "slider" || role == "spinbutton", err
}

// attribute reads an attribute's current value.
func (a *attempt) attribute(ctx context.Context, name string) (string, error) {
	if _, err := a.page.capture(ctx); err != nil {
		return "", err
	}
	at, ok := placeOf(a.page.last.capture, a.node)
	if !ok {
		return "", driver.ErrStale
	}
	value, _ := at.node().Attr(name)
	return value, nil
}

// number reads a numeric attribute.
func (a *attempt) number(ctx context.Context, name string) (n float64, ok bool, _ error) {
	text, err := a.attribute(ctx, name)
	if err != nil {
		return 0, false, err
	}
	n, failure := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n, failure == nil, nil
}

// moveSlider moves an ARIA slider to a value with the arrow keys.
func (a *attempt) moveSlider(ctx context.Context, text string) error {
	want, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
		return fmt.Errorf("%w: %q does not go into a slider; write a number", ErrInvalid, text)
	}
	now, ok, err := a.number(ctx, "aria-valuenow")
	if err == nil && !ok {
		return a.wrongMethod("it does not say its value (aria-valuenow); press its arrow keys")
	}
	for _, bound := range []struct {
		name string
		sign float64
	}{{"aria-valuemin", -1}, {"aria-valuemax", 1}} {
		limit, known, e := a.number(ctx, bound.name)
		if err = cmp.Or(err, e); known && (want-limit)*bound.sign > 0 {
			return fmt.Errorf("%w: %s is beyond the slider's end, %v", ErrInvalid, text, limit)
		}
	}
	if err != nil {
		return err
	}
	at, err := a.takeFocus(ctx, needVisible|needEnabled)
	if err != nil {
		return err
	}
	a.watchPage = true
	keys := 1
	for sent := 0; now != want && sent < maxKeys; sent += keys {
		key := "ArrowUp"
		if want < now {
			key = "ArrowDown"
		}
		var events []driver.InputEvent
		for range keys {
			events = append(events, driver.KeyDown{Key: key}, driver.KeyUp{Key: key})
		}
		if err := a.send(ctx, at, events...); err != nil {
			return err
		}
		at = nil // its label changes with its value
		next, err := a.sliderMoved(ctx, now)
		switch {
		case err != nil:
			return err
		case next == now:
			return fmt.Errorf("%w: %s does not move the slider from %v", ErrNoEffect, key, now)
		case (next-want)*(now-want) < 0 && keys == 1:
			return fmt.Errorf("%w: the slider went from %v to %v, and does not stop at %s", ErrNoEffect, now, next, text)
		}
		step := math.Abs(next-now) / float64(keys)
		now = next
		keys = max(1, min(int(math.Abs(want-now)/step+1e-9), maxKeys-sent))
	}
	if now != want {
		return fmt.Errorf("%w: the slider is at %v", ErrNoEffect, now)
	}
	return nil
}

// sliderMoved waits until the slider leaves a value, as long as an action
// without an effect is watched, and returns its value.
func (a *attempt) sliderMoved(ctx context.Context, from float64) (float64, error) {
	deadline := time.Now().Add(longestSilence)
	for {
		_, changed, _ := a.page.watch.blocked()
		idle := a.page.idle(ctx)
		now, ok, err := a.number(ctx, "aria-valuenow")
		if err != nil || ok && now != from || idle || !time.Now().Before(deadline) || ctx.Err() != nil {
			if !ok {
				now = from
			}
			return now, cmp.Or(err, context.Cause(ctx))
		}
		rest(ctx, oneFrame, changed)
	}
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

// parseChord parses "Enter", "a" or "Control+Shift+T" into input.
// "ControlOrMeta" and "Mod" are Meta on macOS and Control elsewhere.
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

// typing returns text as key presses; a line break is Enter.
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
