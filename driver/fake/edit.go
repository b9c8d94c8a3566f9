package fake

import (
	"context"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// SelectText selects the content of a text control or editable element.
func (p *page) SelectText(ctx context.Context, at driver.Target) error {
	return p.do(ctx, "selecttext", "", func(context.Context) error {
		a, err := p.aimedAt(at)
		if err != nil {
			return err
		}
		d, n := a.d, a.n
		if n.Type != html.ElementNode {
			return driver.ErrNotVisible
		}
		if !editable(n) && d.editingHost(n) == nil || !d.focusable(n) && d.editingHost(n) == nil {
			return driver.ErrNotFocusable
		}
		if !editable(n) {
			n = d.editingHost(n)
		}
		if !d.focusable(n) {
			return driver.ErrNotFocusable
		}
		p.react(a, func() { d.focus(n, false) })
		c := d.control(n)
		c.start, c.stop = 0, len([]rune(d.editedText(n)))
		return nil
	})
}

// editedText is the text that a caret moves in.
func (d *document) editedText(n *html.Node) string {
	if editable(n) {
		return d.value(n)
	}
	return textOf(n)
}

// insertText writes where the caret is, as an input method does.
func (d *document) insertText(text string) {
	n := d.active
	if n == nil {
		return
	}
	switch {
	case editable(n):
		d.replaceSelection(n, text)
	case d.editingHost(n) != nil:
		d.replaceContent(d.editingHost(n), text)
	}
}

// replaceSelection puts a text in the place of what is selected.
func (d *document) replaceSelection(n *html.Node, text string) {
	if !d.editableText(n) {
		return
	}
	if n.Data == "input" {
		text = strings.ReplaceAll(newlines(text), "\n", " ")
		if inputType(n) == "number" {
			text = strings.Map(func(r rune) rune {
				if strings.ContainsRune("0123456789+-.eE", r) {
					return r
				}
				return -1
			}, text)
			if text == "" {
				return
			}
		}
	} else {
		text = newlines(text)
	}
	if d.dispatch(&Event{Type: "beforeinput", Data: text}, n) {
		return
	}
	c := d.control(n)
	now := []rune(d.typed(n))
	start, stop := clamp(c.start, len(now)), clamp(c.stop, len(now))
	if limit, ok := maxLength(n); ok {
		room := limit - len(utf16.Encode(now)) + len(utf16.Encode(now[start:stop]))
		full := text
		if text = truncate(full, room); text == "" && full != "" && start == stop {
			return // nothing fits in: nothing happens
		}
	}
	insert := []rune(text)
	out := string(now[:start]) + text + string(now[stop:])
	c.start = start + len(insert)
	c.stop = c.start
	d.write(n, out, text)
}

// typed is the text in a field, also one that is no value yet ("-" in a number).
func (d *document) typed(n *html.Node) string {
	if c := d.inputs[n]; c != nil && c.raw != "" && inputType(n) == "number" {
		return c.raw
	}
	return d.value(n)
}

// write makes a text that a person wrote the value.
func (d *document) write(n *html.Node, out, data string) {
	c := d.control(n)
	c.raw = out
	if n.Data == "input" && inputType(n) == "email" {
		c.value, c.dirty = out, true // sanitized when it is read, not while it is typed
		d.Touched(n)
	} else {
		d.setValue(n, out)
	}
	c.edited = true
	if data != "" {
		d.frame.page.wrote++
	}
	d.dispatch(&Event{Type: "input", Data: data}, n)
}

func clamp(i, n int) int { return max(0, min(i, n)) }

// truncate cuts a text to a number of UTF-16 units.
func truncate(s string, room int) string {
	for i, r := range s {
		if room -= utf16.RuneLen(r); room < 0 {
			return s[:i]
		}
	}
	return s
}

// keyOnText is a key in a text control.
func (d *document) keyOnText(n *html.Node, key string, mods driver.Modifiers, writes bool) bool {
	c := d.control(n)
	text := []rune(d.typed(n))
	c.start, c.stop = clamp(c.start, len(text)), clamp(c.stop, len(text))
	if writes {
		d.replaceSelection(n, key)
		return true
	}
	switch key {
	case "Enter":
		if n.Data == "textarea" {
			d.replaceSelection(n, "\n")
			return true
		}
		d.commitEdit(n)
		if d.frame.doc == d && d.connected(n) {
			d.implicitSubmit(n)
		}
	case "Backspace", "Delete":
		if !d.editableText(n) {
			return true
		}
		if c.start == c.stop {
			if key == "Backspace" {
				c.start--
			} else {
				c.stop++
			}
		}
		c.start, c.stop = clamp(c.start, len(text)), clamp(c.stop, len(text))
		if c.start == c.stop || d.dispatch(&Event{Type: "beforeinput"}, n) {
			return true
		}
		out := string(text[:c.start]) + string(text[c.stop:])
		c.stop = c.start
		d.write(n, out, "")
	case "a", "A":
		if mods&(driver.Control|driver.Meta) == 0 {
			return false
		}
		c.start, c.stop = 0, len(text)
	case "ArrowLeft", "ArrowRight", "Home", "End", "ArrowUp", "ArrowDown":
		d.moveCaret(n, c, key, mods, len(text))
	default:
		return false
	}
	return true
}

func (d *document) moveCaret(n *html.Node, c *control, key string, mods driver.Modifiers, length int) {
	if key == "ArrowUp" || key == "ArrowDown" {
		if inputType(n) == "number" && n.Data == "input" {
			d.stepNumber(n, key == "ArrowUp")
			return
		}
	}
	to := c.stop
	switch key {
	case "ArrowLeft":
		if to = c.stop - 1; c.start != c.stop && mods&driver.Shift == 0 {
			to = c.start
		}
	case "ArrowRight":
		if to = c.stop + 1; c.start != c.stop && mods&driver.Shift == 0 {
			to = c.stop
		}
	case "Home", "ArrowUp":
		to = 0
	case "End", "ArrowDown":
		to = length
	}
	to = clamp(to, length)
	if mods&driver.Shift == 0 {
		c.start, c.stop = to, to
		return
	}
	if key == "ArrowLeft" || key == "Home" {
		c.start = clamp(min(c.start-1, c.start), length)
		if key == "Home" {
			c.start = 0
		}
		return
	}
	c.stop = to
}

// stepNumber is the arrow keys in a number field.
func (d *document) stepNumber(n *html.Node, up bool) {
	if !d.editableText(n) {
		return
	}
	step, ok := number(attr(n, "step"))
	if !ok || step <= 0 {
		step = 1
	}
	v, _ := number(d.value(n))
	if up {
		v += step
	} else {
		v -= step
	}
	if lo, ok := number(attr(n, "min")); ok {
		v = max(v, lo)
	}
	if hi, ok := number(attr(n, "max")); ok {
		v = min(v, hi)
	}
	d.write(n, plain(v), "")
	d.commitEdit(n)
}

// keyOnContent is a key in an editable element.
func (d *document) keyOnContent(host *html.Node, key string, mods driver.Modifiers, writes bool) bool {
	switch {
	case writes:
		d.replaceContent(host, key)
	case key == "Enter":
		d.replaceContent(host, "\n")
	case (key == "a" || key == "A") && mods&(driver.Control|driver.Meta) != 0:
		c := d.control(host)
		c.start, c.stop = 0, len([]rune(textOf(host)))
	case key == "Backspace" || key == "Delete":
		c := d.control(host)
		if c.start == c.stop && key == "Backspace" {
			c.start = len([]rune(textOf(host))) - 1
			c.stop = c.start + 1
		}
		d.replaceContent(host, "")
	default:
		return false
	}
	return true
}

// replaceContent writes into an editable element. The caret is behind its text,
// unless all of it is selected.
func (d *document) replaceContent(host *html.Node, text string) {
	if d.dispatch(&Event{Type: "beforeinput", Data: text}, host) {
		return
	}
	c := d.control(host)
	now := []rune(textOf(host))
	switch {
	case c.start <= 0 && c.stop >= len(now) && len(now) > 0 && c.stop > 0: // everything
		for k := host.FirstChild; k != nil; k = host.FirstChild {
			host.RemoveChild(k)
		}
	case c.start < c.stop && c.stop >= len(now):
		cutTail(host, c.stop-c.start)
	}
	if text != "" {
		last := lastText(host)
		if last == nil {
			last = &html.Node{Type: html.TextNode}
			host.AppendChild(last)
			d.adopt(last)
		}
		last.Data += text
	}
	c.start = len([]rune(textOf(host)))
	c.stop = c.start
	d.mutated(host, false)
	if text != "" {
		d.frame.page.wrote++
	}
	d.dispatch(&Event{Type: "input", Data: text}, host)
}

func lastText(host *html.Node) *html.Node {
	n := host
	for n.LastChild != nil {
		n = n.LastChild
	}
	if n.Type == html.TextNode {
		return n
	}
	return nil
}

// cutTail takes characters off the end.
func cutTail(host *html.Node, n int) {
	for n > 0 {
		t := lastText(host)
		if t == nil {
			return
		}
		r := []rune(t.Data)
		k := min(n, len(r))
		t.Data = string(r[:len(r)-k])
		if n -= k; t.Data == "" {
			t.Parent.RemoveChild(t)
			if n > 0 && k == 0 {
				return
			}
		}
	}
}
