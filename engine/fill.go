package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/field"
	"github.com/wayfinder-engine/wayfinder/engine/internal/input"
)

// filling gives fields their text, lists their choice and controls their value.
type filling struct {
	choosing
	formatted bool     // the field reformatted the text
	shown     string   // what a person sees in place of the list that the choice is for
	unseen    bool     // nobody sees that list
	chosen    []string // labels of the options that are to be chosen, quoted
	consumed  string   // what the page did with a text that the field does not show
}

// FillCommand is how a value gets into a control of a reading: a text is written,
// an option is chosen by its label, a box is checked by "true" and unchecked by
// "false". An error wraps ErrInvalid.
func FillCommand(n *accessibility.Node, value string) (Command, error) {
	switch n.Role {
	case "checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio":
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "true", "on", "yes", "checked", "1":
			return Command{Method: Check}, nil
		case "false", "off", "no", "unchecked", "0":
			return Command{Method: Uncheck}, nil
		}
		return Command{}, fmt.Errorf("%w: %s %q takes true or false, and not %q", ErrInvalid, n.Role, n.Name, value)
	case "combobox", "listbox":
		if len(n.Options) > 0 || n.Tag == "select" {
			return Command{Method: SelectOption, Arguments: []string{value}}, nil
		}
	case "button", "link", "heading", "text", "document", "image":
		return Command{}, fmt.Errorf("%w: %s %q is no field", ErrInvalid, n.Role, n.Name)
	}
	return Command{Method: Fill, Arguments: []string{value}}, nil
}

// fill replaces the content of a control.
func (a *filling) fill(ctx context.Context) error {
	text := a.args[0]
	switch {
	case a.before.Tag == "select":
		return a.choose(ctx, []string{text})
	case takesValue(a.before):
		return a.assign(ctx, text)
	case a.before.Type == "file":
		return a.wrongMethod("use setInputFiles")
	case a.before.Type == "checkbox" || a.before.Type == "radio":
		return a.wrongMethod("use check or uncheck")
	case !a.before.Editable && !a.before.ReadOnly && !a.before.Disabled:
		if slides, err := a.isSlider(ctx); slides || err != nil {
			if err != nil {
				return err
			}
			return a.moveSlider(ctx, text)
		}
		return a.wrongMethod("it takes no text")
	}
	if a.before.Type == "number" {
		if err := field.CheckNumber(text); err != nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	a.suggest = a.suggests()
	a.expect = a.expectText(ctx, text)
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		at = a.labelForKeys(at)
		// Selecting focuses the field, which a page may act on.
		if err := a.focusing(at, func(aim driver.Target) error { return a.page.driver.SelectText(ctx, aim) }); err != nil {
			return err
		}
		if text == "" {
			return a.send(ctx, at, driver.KeyDown{Key: "Delete"}, driver.KeyUp{Key: "Delete"})
		}
		return a.sendAs(ctx, at, driver.Target{Text: true}, driver.InsertText{Text: text})
	})
}

// clear empties a control: a text, an optional value, a choice.
func (a *filling) clear(ctx context.Context) error {
	a.args = []string{""}
	switch {
	case a.before.Tag == "select":
		return a.clearChoice(ctx)
	case a.before.Type == "color" || a.before.Type == "range":
		return a.wrongMethod("it always has a value; use fill")
	}
	return a.fill(ctx)
}

// takesValue reports that a control's value is set rather than typed.
func takesValue(s *driver.State) bool {
	_, ok := field.Formats[s.Type]
	return ok
}

// assign sets the value of a control that cannot be typed into.
func (a *filling) assign(ctx context.Context, value string) error {
	form := field.Formats[a.before.Type]
	if always := a.before.Type == "color" || a.before.Type == "range"; value == "" && always || value != "" && !form.Valid(value) {
		return fmt.Errorf("%w: %q does not go into a %s field; write %s", ErrInvalid, value, a.before.Type, form.Words)
	}
	a.expect = func(after *driver.State) error {
		if !field.SameValue(a.before.Type, after.Value, value) {
			return fmt.Errorf("%w: the %s field holds something else now; write %s", ErrNoEffect, a.before.Type, form.Words)
		}
		return nil
	}
	return a.setValue(ctx, value)
}

// suggests reports that the page may show suggestions for what is typed here.
func (a *filling) suggests() bool {
	return a.before.Type == "search" || a.role() == "combobox" || a.role() == "searchbox" ||
		a.before.Expanded != nil // like a combobox
}

// setValue sets the value of a control. The control's state tells whether it
// took.
func (a *filling) setValue(ctx context.Context, values ...string) error {
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		a.shown, a.unseen = at.Shown, at.Unseen
		return a.sending(at, func(aim driver.Target) error {
			_, err := a.page.driver.SetValue(ctx, aim, values...)
			return err
		})
	})
}

// activated are tags and roles of elements that a typed space would press.
var activated = map[string]bool{
	"button": true, "a": true, "input": true, "summary": true, "option": true, "label": true, "select": true,
	"link": true, "checkbox": true, "radio": true, "switch": true, "tab": true, "menuitem": true, "menuitemcheckbox": true, "menuitemradio": true,
}

// typeKeys types key by key at the caret. A focusable element without a caret,
// such as a spreadsheet or a game, gets the keys too.
func (a *filling) typeKeys(ctx context.Context) error {
	switch {
	case takesValue(a.before):
		return a.wrongMethod("use fill, with %s", field.Formats[a.before.Type].Words)
	case !a.before.Editable && (activated[a.before.Tag] || activated[a.role()]):
		return a.wrongMethod("it takes no text")
	}
	text := a.args[0]
	a.suggest = a.suggests()
	// A text must not go to another field, unless the caller moves on with a tab or,
	// where it holds no value of a variable, with Enter. What takes keys without being a
	// field may open one for them.
	secret := !slices.Equal(a.args, a.template)
	moves := strings.Contains(a.template[0], "\t") || !secret && (strings.Contains(text, "\n") || !a.before.Editable)
	aim := driver.Target{Only: !moves}
	if !a.before.Editable || strings.ContainsAny(text, "\n\t") {
		a.watchPage = true // the page handles keys itself, Enter may submit, Tab leaves the field
	} else {
		aim.Text, a.expect = true, a.expectTyped(ctx, text)
	}
	err := a.keys(ctx, aim, input.Typing(text)...)
	switch missed, ok := errors.AsType[*driver.MissedError](err); {
	case !ok || !missed.Taken:
		return err
	case errors.Is(err, driver.ErrDialog):
		return fmt.Errorf("the page showed a dialog, and the rest was not typed: %w", err)
	case errors.Is(err, driver.ErrStale):
		return fmt.Errorf("the page went to another while it was typed: %w", err)
	}
	if now, failed := a.page.driver.State(ctx, a.node); failed == nil && !secret {
		return fmt.Errorf("the page moved the focus away when the field held %q, and the rest was not typed: %w", now.Value, err)
	}
	return fmt.Errorf("the page moved the focus away, and the rest was not typed: %w", err)
}

// expectText checks that a field holds the text. The field may have reformatted
// it, but not cut it off.
func (a *filling) expectText(ctx context.Context, want string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		a.consumed, a.remade = "", false
		if after.Type == "email" || after.Type == "url" {
			want = strings.TrimSpace(want) // as HTML has these fields do
		}
		switch {
		case field.SameText(got, want), after.Type == "number" && field.SameNumber(got, want):
			return nil
		case got == "" && !a.keyIgnored && a.pageChanged(ctx):
			if !a.usedElsewhere(ctx, want) {
				return errors.New("the page has emptied the field; whether it used the text or refused it, it may show")
			}
			a.consumed = "the page has taken the text from the field"
			return nil
		case after.Type != "number" && after.Type != "password" && field.Reformatted(got, want):
			a.formatted = true
			return nil
		case got == a.before.Value:
			return fmt.Errorf("%w: the field did not change; one that acts on keys takes the method type", ErrNoEffect)
		case got != "" && len(got) < len(want) && strings.HasPrefix(want, got):
			return fmt.Errorf("%w: the field took only the first %d characters", ErrNoEffect, utf8.RuneCountInString(got))
		case field.Added(got, a.before.Value, want):
			return fmt.Errorf("%w: the text was added to what the field held", ErrNoEffect)
		case a.rewrote(after, want):
			return nil
		}
		// It refused what was sent, and holds something else.
		return fmt.Errorf("%w: the field holds %q now", ErrNoEffect, excerpt(a.shownAfter(after)))
	}
}

// expectTyped checks that a field took what was typed at its caret, in whatever
// form, or that the page consumed it.
func (a *filling) expectTyped(ctx context.Context, text string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		a.consumed, a.remade = "", false
		switch {
		case strings.Contains(got, text) && (got != a.before.Value || text == ""):
			return nil
		case a.pageConsumed(ctx, text, after):
			return nil
		case got == a.before.Value:
			return fmt.Errorf("%w: the field did not change", ErrNoEffect)
		case after.Type != "password" && field.Typed(got, a.before.Value, text):
			a.formatted = true
			return nil
		case a.rewrote(after, a.before.Value+text):
			return nil
		}
		return fmt.Errorf("%w: the field took only a part of it, or something else", ErrNoEffect)
	}
}

// rewrote reports that the page took a text, and made another of it that holds more
// than a part of it. What a password field holds nobody sees, so there it is an error.
func (a *filling) rewrote(after *driver.State, want string) bool {
	a.remade = !a.keyIgnored && after.Type != "password" && after.Value != a.before.Value && field.Rewritten(after.Value, want)
	return a.remade
}

// pageConsumed reports that the page did something of its own with a text: a
// terminal takes each letter out of its field, a chips field empties at a
// comma, a one-time code field passes the focus on. If every key wrote, all of
// it arrived. But a field that keeps the beginning has cut the text off, and
// one that shows nothing on an unchanged page has dropped it.
func (a *filling) pageConsumed(ctx context.Context, text string, after *driver.State) bool {
	if after.Tag != "input" && after.Tag != "textarea" {
		return false // its text is part of the page
	}
	passedOn := !after.Focused
	gone := after.Value == a.before.Value || after.Value == "" || strings.HasSuffix(text, after.Value)
	switch {
	case passedOn && !a.keyIgnored:
		a.consumed = "the page passed the focus on while it was typed"
	case !gone || !passedOn && !a.pageChanged(ctx):
	case !a.keyIgnored:
		a.consumed = "the page has taken the text from the field"
	case after.Value == a.before.Value:
		a.consumed = "the page has taken the keys itself; the field shows nothing of them"
	}
	return a.consumed != ""
}

// usedElsewhere reports that a page which has emptied a field has done something with
// the text: an event came of it, as a request, or the page shows the text now.
func (a *filling) usedElsewhere(ctx context.Context, text string) bool {
	if a.page.watch.anyEvent() {
		return true
	}
	_, err := a.page.capture(ctx)
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) })
	return err == nil && text != "" && strings.Contains(a.page.build(nil).Outline(), text)
}

// pageChanged asks whether the page changed, or an event came, since the input was sent.
func (a *filling) pageChanged(ctx context.Context) bool {
	if a.page.watch.anyEvent() {
		return true
	}
	activity, err := a.page.driver.Activity(ctx)
	return err == nil && activity.Mutated >= 0 && activity.Mutated <= time.Since(a.sentAt)
}

func (a *filling) selectOption(ctx context.Context) error {
	if a.before.Tag != "select" {
		return a.wrongMethod("open it with click, then click the option")
	}
	return a.choose(ctx, a.args)
}

// choose selects options, each named by its label, its value, or else its
// index.
func (a *filling) choose(ctx context.Context, wanted []string) error {
	if len(wanted) > 1 && !a.before.Multiple {
		return fmt.Errorf("%w: the list takes one option, got %d", ErrInvalid, len(wanted))
	}
	var chosen []int
	for _, want := range wanted {
		i, err := pickOption(a.before.Options, want)
		if err != nil {
			return err
		}
		chosen = append(chosen, i)
	}
	return a.setChosen(ctx, chosen)
}

// clearChoice deselects everything, as far as the list allows it.
func (a *filling) clearChoice(ctx context.Context) error {
	if a.before.Multiple {
		return a.setChosen(ctx, nil)
	}
	i := slices.IndexFunc(a.before.Options, func(o driver.OptionState) bool { return o.Value == "" && !o.Disabled })
	if i < 0 {
		return a.wrongMethod("the list has no empty option; choose one with selectOption")
	}
	return a.setChosen(ctx, []int{i})
}

// setChosen selects exactly the options at these indices.
func (a *filling) setChosen(ctx context.Context, chosen []int) error {
	options := a.before.Options
	values := make([]string, len(chosen))
	for i, at := range chosen {
		values[i] = options[at].Value
		// The driver gets values and takes the first option with each.
		first := slices.IndexFunc(options, func(o driver.OptionState) bool { return o.Value == values[i] && !o.Disabled })
		if first != at && !slices.Contains(chosen, first) {
			return fmt.Errorf("%w: the options %q and %q have the same value and cannot be chosen apart; click the list and use the arrow keys",
				ErrAmbiguous, options[first].Label, options[at].Label)
		}
	}
	if len(chosen) > 0 {
		a.chosen = make([]string, len(chosen))
		for i, at := range chosen {
			a.chosen[i] = strconv.Quote(squeeze(options[at].Label))
		}
	}
	a.expect = func(after *driver.State) error {
		if !slices.Equal(values, a.before.Values) && slices.Equal(after.Options, options) && a.pageChanged(ctx) {
			return fmt.Errorf("the page has set the list back to %q; whether it acted on the choice, it may show", shownValue(after))
		}
		for i, o := range after.Options {
			if i < len(options) && o.Selected != slices.Contains(chosen, i) && o.Value == options[i].Value {
				return fmt.Errorf("%w: the option %q is %s", ErrNoEffect, o.Label, onOff(o.Selected))
			}
		}
		if len(after.Options) != len(options) {
			for _, want := range values { // all that can be checked of a list that was rebuilt
				if !slices.Contains(after.Values, want) {
					return fmt.Errorf("%w: the list did not keep the option", ErrNoEffect)
				}
			}
		}
		return a.followed(ctx, after)
	}
	return a.setValue(ctx, values...)
}

// followed checks that what a person sees in place of a list that nobody sees says
// what was chosen there.
func (a *filling) followed(ctx context.Context, after *driver.State) error {
	at := slices.IndexFunc(after.Options, func(o driver.OptionState) bool { return o.Selected })
	if a.unseen && a.shown == "" && at >= 0 && !a.pageChanged(ctx) {
		return fmt.Errorf("the list holds %q, nobody sees it, and nothing else on the page changed: click what stands for it, and then the option", squeeze(after.Options[at].Label))
	}
	if a.shown == "" || at < 0 || squeeze(after.Options[at].Label) == a.shown {
		return nil
	}
	if now, err := a.page.driver.Locate(ctx, a.node, nil); err != nil || now.Shown != a.shown {
		return err
	}
	return fmt.Errorf("the list holds %q, nobody sees it, and what stands for it still says %q: click that, and then the option",
		squeeze(after.Options[at].Label), a.shown)
}

// pickOption returns the index of the option that a person means: by label, by
// value, by label ignoring case and spaces, by group and label, or by index. A
// name that fits two options in one of these ways is ambiguous.
func pickOption(options []driver.OptionState, want string) (int, error) {
	fits := []func(driver.OptionState) bool{
		func(o driver.OptionState) bool { return o.Label == want },
		func(o driver.OptionState) bool { return o.Value == want },
		func(o driver.OptionState) bool { return strings.EqualFold(squeeze(o.Label), squeeze(want)) },
		func(o driver.OptionState) bool { return o.Group != "" && o.Group+" > "+o.Label == want },
	}
	for _, fit := range fits {
		var found []int
		for i, o := range options {
			if fit(o) {
				found = append(found, i)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return enabledOption(options, found[0])
		default:
			// An enabled option takes precedence over disabled ones.
			able := slices.DeleteFunc(slices.Clone(found), func(i int) bool { return options[i].Disabled })
			if len(able) == 1 {
				return able[0], nil
			}
			return 0, ambiguousOption(options, found, want)
		}
	}
	if i, err := strconv.Atoi(want); err == nil && i >= 0 && i < len(options) {
		return enabledOption(options, i)
	}
	return 0, fmt.Errorf("%w: no option %q; the options are %s", ErrNotFound, want, optionLabels(options))
}

// ambiguousOption lists the matching options, each by what distinguishes it.
func ambiguousOption(options []driver.OptionState, found []int, want string) error {
	e := &AmbiguousError{Selector: want, Count: len(found)}
	for _, i := range found[:min(len(found), maxAmbiguousNamed)] {
		o := options[i]
		name := fmt.Sprintf("option %q with the value %q", squeeze(o.Label), o.Value)
		if o.Group != "" {
			name = fmt.Sprintf("option %q", o.Group+" > "+o.Label)
		}
		e.Candidates = append(e.Candidates, name)
	}
	return e
}

func enabledOption(options []driver.OptionState, i int) (int, error) {
	if options[i].Disabled {
		return 0, fmt.Errorf("%w: the option %q is disabled", ErrDisabled, options[i].Label)
	}
	return i, nil
}

const maxOptionsNamed = 20

func optionLabels(options []driver.OptionState) string {
	if len(options) == 0 {
		return "none"
	}
	var labels []string
	for i, o := range options {
		if i == maxOptionsNamed {
			labels = append(labels, fmt.Sprintf("and %d more", len(options)-i))
			break
		}
		labels = append(labels, strconv.Quote(squeeze(o.Label)))
	}
	return strings.Join(labels, ", ")
}

// shownAfter is a control's value after the attempt. What a field makes of a
// variable's value (a part of it, groups) is as secret as the value.
func (a *filling) shownAfter(after *driver.State) string {
	shown := shownValue(after)
	if after.Type == "password" || after.Value == a.before.Value || slices.Equal(a.args, a.template) {
		return shown
	}
	written := strings.Join(a.template, ", ")
	if shown == strings.Join(a.args, ", ") {
		return written
	}
	secrets := &a.page.session.secrets
	if hidden := secrets.hide(shown); hidden != shown {
		return hidden
	}
	if m := placeholder.FindStringSubmatch(written); m != nil && after.Editable {
		secrets.add(map[string]Variable{m[1]: {Value: after.Value}})
	}
	if hidden := secrets.hide(shown); hidden != shown {
		return hidden
	}
	return strings.Repeat("•", utf8.RuneCountInString(shown))
}
