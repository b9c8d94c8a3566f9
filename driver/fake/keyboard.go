package fake

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// keyboard is a person's keyboard.
type keyboard struct{ mouse }

// keys is what a key does by itself, by the element that has the focus.
type keys struct{ editing }

var modifierKeys = map[string]driver.Modifiers{"Alt": driver.Alt, "Control": driver.Control, "Meta": driver.Meta, "Shift": driver.Shift}

// keyDown presses a key where the focus is.
func (p *keyboard) keyDown(key string, mods driver.Modifiers) {
	if m := modifierKeys[key]; m != 0 {
		p.modifiers |= m
	}
	d := p.focusedDocument()
	target := cmp.Or(d.active, d.body())
	if d.dispatch(&Event{Type: "keydown", Key: key}, target) || modifierKeys[key] != 0 {
		return
	}
	if d.frame.doc != d {
		return
	}
	writes := utf8.RuneCountInString(key) == 1 && mods&(driver.Control|driver.Alt|driver.Meta) == 0
	switch {
	case key == "Tab":
		p.tab(mods&driver.Shift != 0)
	case key == "Escape":
		d.escape()
	case d.active != nil && d.keyOnControl(d.active, key, mods, writes):
	default:
		d.scrollByKey(key, mods)
	}
}

// keyUp releases it: Space activates now.
func (p *keyboard) keyUp(key string) {
	if m := modifierKeys[key]; m != 0 {
		p.modifiers &^= m
	}
	d := p.focusedDocument()
	target := cmp.Or(d.active, d.body())
	prevented := d.dispatch(&Event{Type: "keyup", Key: key}, target)
	pressed := p.spaceDown
	p.spaceDown = hit{}
	if key == " " && !prevented && pressed.d == d && pressed.n == d.active && pressed.n != nil {
		d.click(pressed.n, clickOptions{person: true})
	}
}

// keyOnControl does what a key does to the focused element.
func (d *keys) keyOnControl(n *html.Node, key string, mods driver.Modifiers, writes bool) bool {
	switch {
	case form.Editable(n):
		return d.keyOnText(n, key, mods, writes)
	case d.EditingHost(n) != nil:
		return d.keyOnContent(d.EditingHost(n), key, mods, writes)
	case dom.IsElement(n, "select"):
		return d.keyOnSelect(n, key)
	case dom.IsElement(n, "input") && form.InputType(n) == "radio" && d.keyOnRadio(n, key):
		return true
	case dom.IsElement(n, "input") && form.InputType(n) == "range":
		return d.keyOnRange(n, key)
	}
	switch key {
	case "Enter":
		switch {
		case dom.IsElement(n, "input") && (form.InputType(n) == "checkbox" || form.InputType(n) == "radio" || form.Assigned(form.InputType(n))):
			d.implicitSubmit(n)
			return true
		case d.activates(n):
			d.click(n, clickOptions{person: true, mods: mods})
			return true
		}
	case " ":
		if d.activates(n) && !isLink(n) {
			d.frame.page.spaceDown = hit{d.self, n}
			return true
		}
	}
	return false
}

func (d *keys) keyOnSelect(n *html.Node, key string) bool {
	changed := false
	all := form.Options(n)
	at := slices.IndexFunc(all, d.Selected)
	switch key {
	case "ArrowDown", "ArrowRight":
		changed = d.ChooseFrom(n, at+1, 1)
	case "ArrowUp", "ArrowLeft":
		if at < 0 {
			at = len(all)
		}
		changed = d.ChooseFrom(n, at-1, -1)
	case "Home", "PageUp":
		changed = d.ChooseFrom(n, 0, 1)
	case "End", "PageDown":
		changed = d.ChooseFrom(n, len(all)-1, -1)
	case "Enter":
		if form.Listbox(n) {
			d.implicitSubmit(n)
		}
		return true
	case " ":
		return true
	default:
		if utf8.RuneCountInString(key) != 1 {
			return false
		}
		changed = d.typeAhead(n, key)
	}
	if changed {
		d.fireChange(n)
	}
	return true
}

// typeAhead goes to the next option that begins with the letter.
func (d *keys) typeAhead(n *html.Node, key string) bool {
	all := form.Options(n)
	at := -1
	for i, o := range all {
		if d.Selected(o) {
			at = i
		}
	}
	for k := 1; k <= len(all); k++ {
		o := all[(at+k+len(all))%len(all)]
		if label := form.OptionLabel(o); !d.Disabled(o) && len(label) >= len(key) && dom.Lower(label[:len(key)]) == dom.Lower(key) {
			return d.Choose(n, []*html.Node{o})
		}
	}
	return false
}

func (d *keys) keyOnRadio(n *html.Node, key string) bool {
	by, arrow := map[string]int{"ArrowDown": 1, "ArrowRight": 1, "ArrowUp": -1, "ArrowLeft": -1}[key]
	if !arrow {
		return false
	}
	group := d.Group(n).Buttons
	at := max(0, slices.Index(group, n))
	for k := 1; k < len(group); k++ {
		r := group[((at+by*k)%len(group)+len(group))%len(group)]
		if d.focusable(r) {
			d.focus(r, true)
			d.click(r, clickOptions{person: true})
			return true
		}
	}
	return true
}

func (d *keys) keyOnRange(n *html.Node, key string) bool {
	lo, hi := form.Bounds(n)
	step, ok := dom.Number(dom.Attr(n, "step"))
	if !ok || step <= 0 {
		step = 1
	}
	v, _ := dom.Number(d.Value(n))
	switch key {
	case "ArrowUp", "ArrowRight":
		v += step
	case "ArrowDown", "ArrowLeft":
		v -= step
	case "PageUp":
		v += max(step, (hi-lo)/10)
	case "PageDown":
		v -= max(step, (hi-lo)/10)
	case "Home":
		v = lo
	case "End":
		v = hi
	default:
		return false
	}
	was := d.Value(n)
	d.SetValue(n, form.FormatNumber(max(lo, min(hi, v))))
	if d.Value(n) != was {
		d.fireChange(n)
	}
	return true
}

// tab moves the focus to the next or the previous stop.
func (p *keyboard) tab(back bool) {
	stops := p.main.doc.tabStops()
	if len(stops) == 0 {
		return
	}
	d := p.focusedDocument()
	at := slices.IndexFunc(stops, func(s stop) bool { return s.d == d && (s.n == d.active || d.sameGroup(s.n, d.active)) })
	to := at + 1
	switch {
	case at < 0 && d.active != nil:
		to = d.besides(stops, back)
	case back && at < 0:
		to = len(stops) - 1
	case back:
		to = at - 1
	}
	if to < 0 || to >= len(stops) { // out of the document: the browser's own controls
		p.focusedDocument().blurActive()
		p.setFocused(p.main)
		return
	}
	s := stops[to]
	s.d.focus(s.n, true)
	s.d.selectTabbed(s.n)
	p.scrollIntoView(s.d, s.n, nil)
}
