package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// assigned are the types of inputs that take no typed text: their value is set.
var assigned = map[string]bool{
	"date": true, "time": true, "month": true, "week": true, "datetime-local": true,
	"color": true, "range": true,
}

// fill replaces the content of a control.
func (d *deed) fill(ctx context.Context) error {
	text := d.args[0]
	switch {
	case d.before.Tag == "select":
		return d.choose(ctx, []string{text})
	case assigned[d.before.Type]:
		return d.assign(ctx, text)
	case d.before.Type == "file":
		return d.unfit("use setInputFiles")
	case d.before.Type == "checkbox" || d.before.Type == "radio":
		return d.unfit("use check or uncheck")
	case !d.before.Editable && !d.before.ReadOnly && !d.before.Disabled:
		return d.unfit("it takes no text")
	}
	if d.before.Type == "number" {
		if err := checkNumber(text); err != nil {
			return err
		}
	}
	if _, err := d.page.ready(ctx, d.node, needTyping); err != nil {
		return err
	}
	d.suggest = d.suggests()
	// To select focuses, and a page may act on that.
	if err := d.sending(func() error { return d.page.driver.SelectText(ctx, d.node) }); err != nil {
		return err
	}
	d.expect = d.expectText(text)
	if text == "" {
		return d.send(ctx, driver.KeyDown{Key: "Delete"}, driver.KeyUp{Key: "Delete"})
	}
	return d.send(ctx, driver.InsertText{Text: text})
}

func (d *deed) clear(ctx context.Context) error {
	d.args = []string{""}
	if d.before.Tag == "select" || assigned[d.before.Type] && d.before.Type != "color" && d.before.Type != "range" {
		return d.assign(ctx, "")
	}
	return d.fill(ctx)
}

// assign sets the value of a control that takes no typed text.
func (d *deed) assign(ctx context.Context, value string) error {
	if _, err := d.page.ready(ctx, d.node, needTyping); err != nil {
		return err
	}
	got, err := d.setValue(ctx, value)
	if err != nil {
		return err
	}
	if taken := strings.Join(got, ""); !sameValue(d.before.Type, taken, value) {
		return fmt.Errorf("%w: the %s field took %q for %q; write %s", ErrNoEffect, d.before.Type, taken, value, formatOf(d.before.Type))
	}
	return nil
}

// suggests reports that a page may well answer typing here with suggestions.
func (d *deed) suggests() bool {
	return d.before.Type == "search" || d.role == "combobox" || d.role == "searchbox"
}

// setValue sets the value of a control and returns what it holds then.
func (d *deed) setValue(ctx context.Context, values ...string) (got []string, err error) {
	err = d.sending(func() error {
		got, err = d.page.driver.SetValue(ctx, d.node, values...)
		return err
	})
	return got, err
}

// formatOf says how the value of an input is written.
func formatOf(inputType string) string {
	switch inputType {
	case "date":
		return "a date as 2026-03-31"
	case "time":
		return "a time as 17:45"
	case "datetime-local":
		return "a date and time as 2026-03-31T17:45"
	case "month":
		return "a month as 2026-03"
	case "week":
		return "a week as 2026-W14"
	case "color":
		return "a color as #3366ff"
	case "range":
		return "a number within the field's minimum, maximum and step"
	}
	return "another value"
}

// sameValue compares what a control holds with what it was given. Browsers
// write colors in lower case and drop what a time need not have.
func sameValue(inputType, got, want string) bool {
	if got == want || strings.EqualFold(got, want) && inputType == "color" {
		return true
	}
	switch inputType {
	case "time", "datetime-local":
		want = strings.Replace(want, " ", "T", 1)
		return got == want || strings.TrimSuffix(got, ":00") == strings.TrimSuffix(want, ":00")
	case "range", "number":
		return sameNumber(got, want)
	}
	return false
}

// expectText tells whether a field holds the text. A field that formats what
// is typed (a card number, a date) may add separators, and a limit of length
// is no success.
func (d *deed) expectText(want string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		if sameText(got, want) || after.Type == "number" && sameNumber(got, want) {
			return nil
		}
		if letters(got) == letters(want) && letters(want) != "" {
			return nil
		}
		if want != "" && len(got) < len(want) && strings.HasPrefix(want, got) && got != "" {
			return fmt.Errorf("%w: the field took only the first %d characters", ErrNoEffect, len([]rune(got)))
		}
		if got == d.before.Value {
			return fmt.Errorf("%w: the field did not change", ErrNoEffect)
		}
		return fmt.Errorf("%w: the field holds something else now", ErrNoEffect)
	}
}

// sameText compares what an element holds with what was typed into it: editable
// elements end with a line break of their own, textareas write \n.
func sameText(got, want string) bool {
	clean := func(s string) string {
		s = strings.ReplaceAll(s, "\r\n", "\n")
		s = strings.ReplaceAll(s, "\u00a0", " ")
		return strings.TrimRight(s, "\n")
	}
	return clean(got) == clean(want)
}

// typeKeys types key by key, where the caret is.
func (d *deed) typeKeys(ctx context.Context) error {
	if !d.before.Editable && !assigned[d.before.Type] {
		return d.unfit("it takes no text")
	}
	if err := d.takeFocus(ctx, needTyping); err != nil {
		return err
	}
	text := d.args[0]
	d.suggest = d.suggests()
	d.expect = func(after *driver.State) error {
		// What is only Enter or Tab leaves the text as it is.
		if strings.TrimSpace(text) != "" && d.before.Editable && after.Value == d.before.Value {
			return fmt.Errorf("%w: the field did not change", ErrNoEffect)
		}
		return nil
	}
	return d.send(ctx, typing(text)...)
}

// press presses a key or chord with the element focused.
func (d *deed) press(ctx context.Context) error {
	events, err := parseChord(d.args[0])
	if err != nil {
		return err
	}
	if err := d.takeFocus(ctx, 0); err != nil {
		return err
	}
	d.unsure = true
	return d.send(ctx, events...)
}

// takeFocus gives the element the focus if it has it not.
func (d *deed) takeFocus(ctx context.Context, n need) error {
	if n != 0 {
		if _, err := d.page.ready(ctx, d.node, n); err != nil {
			return err
		}
	}
	if d.before.Focused || d.before.Tag == "body" || d.before.Tag == "html" {
		return nil
	}
	return d.sending(func() error { return d.page.driver.Focus(ctx, d.node) })
}

func (d *deed) focus(ctx context.Context) error {
	d.expect = func(after *driver.State) error {
		if !after.Focused {
			return fmt.Errorf("%w: another element has the focus", ErrNoEffect)
		}
		return nil
	}
	return d.sending(func() error { return d.page.driver.Focus(ctx, d.node) })
}

// blur moves the focus away from the element, as a click beside it would.
func (d *deed) blur(ctx context.Context) error {
	if !d.before.Focused {
		return nil
	}
	d.expect = func(after *driver.State) error {
		if after.Focused {
			return fmt.Errorf("%w: it still has the focus", ErrNoEffect)
		}
		return nil
	}
	document := driver.NodeRef{Frame: d.node.Frame, Doc: d.node.Doc}
	return d.sending(func() error { return d.page.driver.Focus(ctx, document) })
}
