package fake

import (
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// editing changes the text of fields and of editable content.
type editing struct{ activation }

// editedText is the text that a caret moves in.
func (d *editing) editedText(n *html.Node) string {
	if form.Editable(n) {
		return d.Value(n)
	}
	return dom.TextOf(n)
}

// insertText writes where the caret is, as an input method does.
func (d *editing) insertText(text string) {
	n := d.active
	if n == nil {
		return
	}
	switch {
	case form.Editable(n):
		d.replaceSelection(n, text)
	case d.EditingHost(n) != nil:
		d.replaceContent(d.EditingHost(n), text)
	}
}

// replaceSelection puts a text in the place of what is selected.
func (d *editing) replaceSelection(n *html.Node, text string) {
	if !d.EditableText(n) {
		return
	}
	if n.Data == "input" {
		text = strings.ReplaceAll(form.Newlines(text), "\n", " ")
		if form.InputType(n) == "number" {
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
		text = form.Newlines(text)
	}
	if d.dispatch(&Event{Type: "beforeinput", Data: text}, n) {
		return
	}
	c := d.Control(n)
	now := []rune(d.typed(n))
	start, stop := clamp(c.Start, len(now)), clamp(c.Stop, len(now))
	if limit, ok := form.MaxLength(n); ok {
		room := limit - len(utf16.Encode(now)) + len(utf16.Encode(now[start:stop]))
		full := text
		if text = truncate(full, room); text == "" && full != "" && start == stop {
			return // nothing fits in: nothing happens
		}
	}
	insert := []rune(text)
	out := string(now[:start]) + text + string(now[stop:])
	c.Start = start + len(insert)
	c.Stop = c.Start
	d.write(n, out, text)
}

// typed is the text in a field, also one that is no value yet ("-" in a number), and
// with the spaces that an address has while it is typed.
func (d *editing) typed(n *html.Node) string {
	c := d.Inputs[n]
	switch {
	case c == nil:
	case c.Raw != "" && form.InputType(n) == "number":
		return c.Raw
	case c.Dirty && form.InputType(n) == "email":
		return c.Value
	}
	return d.Value(n)
}

// write makes a typed text the value.
func (d *editing) write(n *html.Node, out, data string) {
	c := d.Control(n)
	c.Raw = out
	if n.Data == "input" && form.InputType(n) == "email" {
		c.Value, c.Dirty = out, true // sanitized when it is read
		d.Touched(n)
	} else {
		d.SetValue(n, out)
	}
	c.Edited = true
	if data != "" {
		d.frame.page.inserted++
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
func (d *editing) keyOnText(n *html.Node, key string, mods driver.Modifiers, writes bool) bool {
	c := d.Control(n)
	text := []rune(d.typed(n))
	c.Start, c.Stop = clamp(c.Start, len(text)), clamp(c.Stop, len(text))
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
		if d.frame.doc == d.self && d.Connected(n) {
			d.implicitSubmit(n)
		}
	case "Backspace", "Delete":
		if !d.EditableText(n) {
			return true
		}
		if c.Start == c.Stop {
			if key == "Backspace" {
				c.Start--
			} else {
				c.Stop++
			}
		}
		c.Start, c.Stop = clamp(c.Start, len(text)), clamp(c.Stop, len(text))
		if c.Start == c.Stop || d.dispatch(&Event{Type: "beforeinput"}, n) {
			return true
		}
		out := string(text[:c.Start]) + string(text[c.Stop:])
		c.Stop = c.Start
		d.write(n, out, "")
	case "a", "A":
		if mods&(driver.Control|driver.Meta) == 0 {
			return false
		}
		c.Start, c.Stop = 0, len(text)
	case "ArrowLeft", "ArrowRight", "Home", "End", "ArrowUp", "ArrowDown":
		moveCaret(c, key, mods, len(text))
	default:
		return false
	}
	return true
}

func moveCaret(c *form.Control, key string, mods driver.Modifiers, length int) {
	to := c.Stop
	switch key {
	case "ArrowLeft":
		if to = c.Stop - 1; c.Start != c.Stop && mods&driver.Shift == 0 {
			to = c.Start
		}
	case "ArrowRight":
		if to = c.Stop + 1; c.Start != c.Stop && mods&driver.Shift == 0 {
			to = c.Stop
		}
	case "Home", "ArrowUp":
		to = 0
	case "End", "ArrowDown":
		to = length
	}
	switch to = clamp(to, length); {
	case mods&driver.Shift == 0:
		c.Start, c.Stop = to, to
	case key == "Home":
		c.Start = 0
	case key == "ArrowLeft":
		c.Start = clamp(c.Start-1, length)
	default:
		c.Stop = to
	}
}

// keyOnContent is a key in an editable element.
func (d *editing) keyOnContent(host *html.Node, key string, mods driver.Modifiers, writes bool) bool {
	switch {
	case writes:
		d.replaceContent(host, key)
	case key == "Enter":
		d.replaceContent(host, "\n")
	case (key == "a" || key == "A") && mods&(driver.Control|driver.Meta) != 0:
		c := d.Control(host)
		c.Start, c.Stop = 0, len([]rune(dom.TextOf(host)))
	case key == "Backspace" || key == "Delete":
		c := d.Control(host)
		if c.Start == c.Stop && key == "Backspace" {
			c.Start = len([]rune(dom.TextOf(host))) - 1
			c.Stop = c.Start + 1
		}
		d.replaceContent(host, "")
	default:
		return false
	}
	return true
}

// replaceContent writes into an editable element. The caret is behind its text,
// unless all of it is selected.
func (d *editing) replaceContent(host *html.Node, text string) {
	if d.dispatch(&Event{Type: "beforeinput", Data: text}, host) {
		return
	}
	c := d.Control(host)
	now := []rune(dom.TextOf(host))
	switch {
	case c.Start <= 0 && c.Stop >= len(now) && len(now) > 0 && c.Stop > 0: // everything
		dom.Clear(host)
	case c.Start < c.Stop && c.Stop >= len(now):
		cutTail(host, c.Stop-c.Start)
	}
	if text != "" {
		last := lastText(host)
		if last == nil {
			last = &html.Node{Type: html.TextNode}
			host.AppendChild(last)
			d.Adopt(last)
		}
		last.Data += text
	}
	c.Start = len([]rune(dom.TextOf(host)))
	c.Stop = c.Start
	d.mutated(host, false)
	if text != "" {
		d.frame.page.inserted++
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
	for t := lastText(host); t != nil && n > 0; t = lastText(host) {
		r := []rune(t.Data)
		k := min(n, len(r))
		if t.Data = string(r[:len(r)-k]); t.Data == "" {
			t.Parent.RemoveChild(t)
		}
		n -= k
	}
}
