package engine

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// keying presses keys, and moves the focus and sliders by them.
type keying struct {
	delivery
	hadFocus bool // it had the focus when a key was pressed
}

// press presses a key or chord with the element focused.
func (a *keying) press(ctx context.Context) error {
	events, err := parseChord(a.args[0])
	if err != nil {
		return err
	}
	a.watchPage = true
	if (a.before.Tag == "body" || a.before.Tag == "html") && !a.before.Editable {
		if !input.Writes(a.args[0]) {
			if err := a.lookBefore(ctx); err != nil {
				return err
			}
		}
		return a.send(ctx, nil, events...)
	}
	a.hadFocus = true
	return a.keys(ctx, driver.Target{}, events...)
}

func parseChord(chord string) ([]driver.InputEvent, error) {
	events, err := input.Chord(chord)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return events, nil
}

// keys sends keys to the element, focusing it first if needed. how's Only and
// Text say how the driver treats them.
func (a *keying) keys(ctx context.Context, how driver.Target, events ...driver.InputEvent) error {
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		at = a.labelForKeys(at)
		if err := a.giveFocus(ctx, at); err != nil {
			return err
		}
		if a.mayScroll() {
			if err := a.lookBefore(ctx); err != nil {
				return err
			}
		}
		return a.sendAs(ctx, at, how, events...)
	})
}

// mayScroll reports a key that scrolls where the element has no use for it.
func (a *keying) mayScroll() bool {
	key := a.args[0]
	switch {
	case a.method.name != Press || !input.Scrolls(key):
		return false
	case a.before.Tag == "button":
		return key != " " && key != "Space"
	case a.before.Tag == "input":
		return strings.HasPrefix(key, "Page") && !takesValue(a.before)
	}
	return a.before.Tag != "select" && a.before.Tag != "textarea" && !a.before.Editable
}

// giveFocus focuses the element unless it has the focus. Editors with a model of their own
// set their selection a moment after the focus, and would undo what a key did before.
func (a *keying) giveFocus(ctx context.Context, at *driver.Location) error {
	if a.before.Focused {
		return nil
	}
	err := a.focusing(at, func(aim driver.Target) error { return a.page.driver.Focus(ctx, aim) })
	if err != nil || !a.before.Editable || a.before.Tag == "input" || a.before.Tag == "textarea" {
		return err
	}
	if seen, unknown := a.page.driver.Activity(ctx); unknown == nil && seen.Timers == driver.TimersUnknown {
		_, err = a.page.settle(ctx, longestSilence) // it has put something off
	}
	return err
}

func (a *keying) focus(ctx context.Context) error {
	a.expect = func(after *driver.State) error {
		if !after.Focused {
			return fmt.Errorf("%w: another element has the focus", ErrNoEffect)
		}
		return nil
	}
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		return a.sending(a.labelForKeys(at), func(aim driver.Target) error { return a.page.driver.Focus(ctx, aim) })
	})
}

// blur takes the focus from the element, as a click beside it would.
func (a *keying) blur(ctx context.Context) error {
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
	return a.sending(nil, func(driver.Target) error { return a.page.driver.Focus(ctx, driver.Target{At: document}) })
}

// maxKeys bounds the key presses that move an ARIA slider.
const maxKeys = 1000

// isSlider reports an ARIA slider or spin button, which arrow keys move and
// whose value is an attribute.
func (a *keying) isSlider(ctx context.Context) (bool, error) {
	if a.before.Tag == "input" || a.before.Editable {
		return false, nil
	}
	role, err := a.attribute(ctx, "role")
	role = strings.ToLower(strings.TrimSpace(role))
	return role == "slider" || role == "spinbutton", err
}

// attribute reads an attribute's current value.
func (a *keying) attribute(ctx context.Context, name string) (string, error) {
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

// isNamed reports that an attribute, and not its text, says what the element is called.
func (a *keying) isNamed(ctx context.Context) (bool, error) {
	for _, name := range []string{"aria-label", "aria-labelledby"} {
		if text, err := a.attribute(ctx, name); text != "" || err != nil {
			return text != "", err
		}
	}
	return false, nil
}

// number reads a numeric attribute.
func (a *keying) number(ctx context.Context, name string) (n float64, ok bool, _ error) {
	text, err := a.attribute(ctx, name)
	if err != nil {
		return 0, false, err
	}
	n, failure := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return n, failure == nil, nil
}

// moveSlider moves an ARIA slider to a value with the arrow keys.
func (a *keying) moveSlider(ctx context.Context, text string) error {
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
	var at *driver.Location // whose label keys are held to
	if err := a.whenReady(ctx, needVisible|needEnabled, func(l *driver.Location) error {
		at = a.labelForKeys(l)
		return a.giveFocus(ctx, at)
	}); err != nil {
		return err
	}
	if named, err := a.isNamed(ctx); err != nil {
		return err
	} else if !named {
		at = nil // its text may be its value
	}
	a.watchPage = true
	// Scripts add up fractions.
	is := func(value float64) bool { return math.Abs(value-want) <= 1e-9*max(1, math.Abs(want)) }
	up, down := "ArrowUp", "ArrowDown"
	keys, step := 1, 0.0 // what a key moves it by; 0 as long as that is not known
	for sent := 0; !is(now) && sent < maxKeys; sent += keys {
		key := up
		if want < now {
			key = down
		}
		var events []driver.InputEvent
		for range keys {
			events = append(events, driver.KeyDown{Key: key}, driver.KeyUp{Key: key})
		}
		if err := a.send(ctx, at, events...); err != nil {
			return err
		}
		next, err := a.sliderMoved(ctx, now, step*float64(keys))
		switch {
		case err != nil:
			return err
		case next == now && step == 0 && up == "ArrowUp":
			up, down = "ArrowRight", "ArrowLeft" // some listen to these alone
			continue
		case next == now:
			return fmt.Errorf("%w: %s does not move the slider from %v", ErrNoEffect, key, now)
		case is(next):
		case math.Abs(next-want) > math.Abs(now-want) && step == 0 && up == "ArrowRight":
			up, down = down, up // it runs from right to left
		case (next-want)*(now-want) < 0 && keys == 1:
			return fmt.Errorf("%w: the slider went from %v to %v, and does not stop at %s", ErrNoEffect, now, next, text)
		case math.Abs(next-want) > math.Abs(now-want) && (next-want)*(now-want) > 0:
			return fmt.Errorf("%w: %s moves the slider from %v to %v", ErrNoEffect, key, now, next)
		}
		step = math.Abs(next-now) / float64(keys)
		now = next
		keys = max(1, min(int(math.Abs(want-now)/step+1e-9), maxKeys-sent))
	}
	if !is(now) {
		return fmt.Errorf("%w: the slider is at %v", ErrNoEffect, now)
	}
	return nil
}

// sliderMoved waits until the slider is as far from a value as its keys ought to
// bring it, one after the other, and returns its value. One that stops earlier is
// watched as long as an action without an effect.
func (a *keying) sliderMoved(ctx context.Context, from, distance float64) (float64, error) {
	last, deadline := from, time.Now().Add(longestSilence)
	for {
		_, changed, _ := a.page.watch.blocked()
		idle := a.page.idle(ctx)
		now, ok, err := a.number(ctx, "aria-valuenow")
		moved := ok && now != last
		if moved {
			last, deadline = now, time.Now().Add(longestSilence)
		}
		there := last != from && math.Abs(last-from) >= distance-1e-9
		if err != nil || there || idle && !moved || !time.Now().Before(deadline) || ctx.Err() != nil {
			return last, cmp.Or(err, context.Cause(ctx))
		}
		rest(ctx, oneFrame, changed)
	}
}

// entersLine reports whether the attempt presses Enter, which may send the form
// of the field that gets it.
func (a *keying) entersLine() bool {
	if len(a.args) == 0 {
		return false
	}
	switch a.method.name {
	case Press:
		chord := strings.Split(strings.ToLower(a.args[0]), "+")
		switch chord[len(chord)-1] {
		case "enter", "return", "numpadenter", "\n", "\r":
			return true
		}
	case Type:
		return strings.ContainsAny(a.args[0], "\r\n")
	}
	return false
}
