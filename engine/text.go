package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fill replaces the content of a control.
func (d *deed) fill(ctx context.Context) error {
	text := d.args[0]
	switch {
	case d.before.Tag == "select":
		return d.choose(ctx, []string{text})
	case takesValue(d.before):
		return d.assign(ctx, text)
	case d.before.Type == "file":
		return d.unfit("use setInputFiles")
	case d.before.Type == "checkbox" || d.before.Type == "radio":
		return d.unfit("use check or uncheck")
	case !d.before.Editable && !d.before.ReadOnly && !d.before.Disabled:
		if slides, err := d.slides(ctx); slides || err != nil {
			if err != nil {
				return err
			}
			return d.slide(ctx, text)
		}
		return d.unfit("it takes no text")
	}
	if d.before.Type == "number" {
		if err := checkNumber(text); err != nil {
			return err
		}
	}
	d.suggest = d.suggests()
	d.expect = d.expectText(text)
	return d.aimed(ctx, needTyping, func(at *driver.Location) error {
		at = d.keyed(at)
		// To select focuses, and a page may act on that.
		if err := d.sending(func() error { return d.page.driver.SelectText(ctx, d.aim(at)) }); err != nil {
			return err
		}
		if text == "" {
			return d.send(ctx, at, driver.KeyDown{Key: "Delete"}, driver.KeyUp{Key: "Delete"})
		}
		return d.send(ctx, at, driver.InsertText{Text: text})
	})
}

// clear empties a control: a text, a value that may be absent, a choice.
func (d *deed) clear(ctx context.Context) error {
	d.args = []string{""}
	switch {
	case d.before.Tag == "select":
		return d.clearChoice(ctx)
	case d.before.Type == "color" || d.before.Type == "range":
		return d.unfit("it always has a value; use fill")
	}
	return d.fill(ctx)
}

// takesValue reports that a control's value is set, not typed.
func takesValue(s *driver.State) bool {
	_, ok := assigned[s.Type]
	return ok
}

// assign sets the value of a control that takes no typed text.
func (d *deed) assign(ctx context.Context, value string) error {
	form := assigned[d.before.Type]
	if always := d.before.Type == "color" || d.before.Type == "range"; value == "" && always || value != "" && !form.valid(value) {
		return fmt.Errorf("%w: %q does not go into a %s field; write %s", ErrInvalid, value, d.before.Type, form.words)
	}
	d.expect = func(after *driver.State) error {
		if !sameValue(d.before.Type, after.Value, value) {
			return fmt.Errorf("%w: the %s field holds something else now; write %s", ErrNoEffect, d.before.Type, form.words)
		}
		return nil
	}
	return d.setValue(ctx, value)
}

// suggests reports that a page may well answer typing here with suggestions.
func (d *deed) suggests() bool {
	return d.before.Type == "search" || d.role == "combobox" || d.role == "searchbox" ||
		d.before.Expanded != nil // as a combobox has it
}

// setValue sets the value of a control. Whether it took, its state tells.
func (d *deed) setValue(ctx context.Context, values ...string) error {
	return d.aimed(ctx, needTyping, func(at *driver.Location) error {
		return d.sending(func() error {
			_, err := d.page.driver.SetValue(ctx, d.aim(at), values...)
			return err
		})
	})
}

// activated are tags and roles of what is there to be pressed: a space typed
// there would press it.
var activated = map[string]bool{
	"button": true, "a": true, "input": true, "summary": true, "option": true, "label": true, "select": true,
	"link": true, "checkbox": true, "radio": true, "switch": true, "tab": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true,
}

// typeKeys types key by key, where the caret is. A focusable element without a
// caret, as a spreadsheet or a game, has the keys as well.
func (d *deed) typeKeys(ctx context.Context) error {
	switch {
	case takesValue(d.before):
		return d.unfit("use fill, with %s", assigned[d.before.Type].words)
	case !d.before.Editable && (activated[d.before.Tag] || activated[d.role]):
		return d.unfit("it takes no text")
	}
	text := d.args[0]
	d.suggest = d.suggests()
	// A variable's value goes nowhere but where it is meant to, unless the
	// caller himself goes on to the next field.
	secret := !slices.Equal(d.args, d.given)
	aim := driver.Target{Only: secret && !strings.Contains(d.given[0], "\t")}
	if !d.before.Editable || strings.ContainsAny(text, "\n\t") {
		d.unsure = true // the page takes keys as it likes, Enter may send the text, Tab leaves the field
	} else {
		aim.Text, d.expect = true, d.expectTyped(ctx, text)
	}
	err := d.keys(ctx, needTyping, aim, typing(text)...)
	switch missed, ok := errors.AsType[*driver.MissedError](err); {
	case !ok || !missed.Taken:
		return err
	case errors.Is(err, driver.ErrNotTyped):
		d.unwritten = true // what the field and the page show decides
		return nil
	case errors.Is(err, driver.ErrDialog):
		return fmt.Errorf("the page showed a dialog, and the rest was not typed: %w", err)
	case errors.Is(err, driver.ErrStale):
		return fmt.Errorf("the page went to another while it was typed: %w", err)
	}
	return fmt.Errorf("the page moved the focus away, and the rest was not typed: %w", err)
}
