package drivertest

import (
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// input sends events.
func (t *trial) input(events ...driver.InputEvent) {
	t.ok("Input", t.page.Input(t.ctx, events...))
}

// clickAt clicks a point.
func (t *trial) clickAt(at driver.Point) {
	t.input(driver.MouseMove{At: at}, driver.MouseDown{At: at, Clicks: 1}, driver.MouseUp{At: at, Clicks: 1})
}

// click clicks the element at the end of a walk, which must be within reach.
func (t *trial) click(selectors ...string) { t.clickNode(t.find(selectors...)) }

func (t *trial) clickNode(ref driver.NodeRef) {
	l := t.locate(ref, &driver.LocateOptions{Scroll: true})
	if !l.Visible || !l.InView || !l.Reached {
		t.fatalf("Locate of what is to be clicked = %+v, want it visible, in view and reached", *l)
	}
	t.clickAt(l.At)
}

// focus focuses the element at the end of a walk.
func (t *trial) focus(selectors ...string) {
	t.ok("Focus "+strings.Join(selectors, " "), t.page.Focus(t.ctx, driver.Target{At: t.find(selectors...)}))
}

// press presses keys one after another: "Enter", "a", "Shift+Tab".
func (t *trial) press(keys ...string) {
	for _, k := range keys {
		t.input(chord(k)...)
	}
}

// chord returns the events of a key with its modifiers.
func chord(k string) []driver.InputEvent {
	var mods driver.Modifiers
	for {
		name, rest, ok := strings.Cut(k, "+")
		if !ok || name == "" {
			break
		}
		mods |= modifiers[name]
		k = rest
	}
	return []driver.InputEvent{
		driver.KeyDown{Key: k, Modifiers: mods},
		driver.KeyUp{Key: k, Modifiers: mods},
	}
}

var modifiers = map[string]driver.Modifiers{
	"Alt": driver.Alt, "Control": driver.Control, "Meta": driver.Meta, "Shift": driver.Shift,
}

// write types each character of s as a key.
func (t *trial) write(s string) {
	for _, r := range s {
		t.press(string(r))
	}
}

// setValue sets a control's value and returns what the driver says it is then.
func (t *trial) setValue(selector string, values ...string) []string {
	got, err := t.page.SetValue(t.ctx, driver.Target{At: t.find(selector)}, values...)
	t.ok("SetValue "+selector, err)
	return got
}

// scrollTo scrolls the element at a selector, or the page where it is empty.
func (t *trial) scrollTo(selector string, to driver.ScrollTarget) driver.ScrollState {
	ref := t.capture().Documents[0].Root()
	if selector != "" {
		ref = t.find(selector)
	}
	s, err := t.page.ScrollTo(t.ctx, ref, to)
	t.ok("ScrollTo "+selector, err)
	return s
}

// on is a behavior of the page at "/".
func on(event, selector string, actions ...Action) Behavior {
	return Behavior{Path: "/", Selector: selector, Event: event, Do: actions}
}

// onPage is a behavior of the page at a path.
func onPage(path, event, selector string, actions ...Action) Behavior {
	return Behavior{Path: path, Selector: selector, Event: event, Do: actions}
}

// logged are the behaviors that log events of an element of the page at "/"
// to its element #log.
func logged(selector string, events ...string) []Behavior {
	var bs []Behavior
	for _, e := range events {
		bs = append(bs, on(e, selector, Action{Kind: LogEvent, Target: "#log"}))
	}
	return bs
}
