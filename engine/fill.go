package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// fill replaces the content of a control.
func (a *attempt) fill(ctx context.Context) error {
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
		if err := checkNumber(text); err != nil {
			return err
		}
	}
	a.suggest = a.suggests()
	a.expect = a.expectText(text)
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		at = a.labelForKeys(at)
		// Selecting focuses the field, which a page may act on.
		if err := a.sending(func() error { return a.page.driver.SelectText(ctx, a.target(at)) }); err != nil {
			return err
		}
		if text == "" {
			return a.send(ctx, at, driver.KeyDown{Key: "Delete"}, driver.KeyUp{Key: "Delete"})
		}
		return a.send(ctx, at, driver.InsertText{Text: text})
	})
}

// clear empties a control: a text, an optional value, a choice.
func (a *attempt) clear(ctx context.Context) error {
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
	_, ok := assigned[s.Type]
	return ok
}

// assign sets the value of a control that cannot be typed into.
func (a *attempt) assign(ctx context.Context, value string) error {
	form := assigned[a.before.Type]
	if always := a.before.Type == "color" || a.before.Type == "range"; value == "" && always || value != "" && !form.valid(value) {
		return fmt.Errorf("%w: %q does not go into a %s field; write %s", ErrInvalid, value, a.before.Type, form.words)
	}
	a.expect = func(after *driver.State) error {
		if !sameValue(a.before.Type, after.Value, value) {
			return fmt.Errorf("%w: the %s field holds something else now; write %s", ErrNoEffect, a.before.Type, form.words)
		}
		return nil
	}
	return a.setValue(ctx, value)
}

// suggests reports that the page may show suggestions for what is typed here.
func (a *attempt) suggests() bool {
	return a.before.Type == "search" || a.role == "combobox" || a.role == "searchbox" ||
		a.before.Expanded != nil // like a combobox
}

// setValue sets the value of a control. The control's state tells whether it
// took.
func (a *attempt) setValue(ctx context.Context, values ...string) error {
	return a.whenReady(ctx, a.method.needs, func(at *driver.Location) error {
		return a.sending(func() error {
			_, err := a.page.driver.SetValue(ctx, a.target(at), values...)
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
func (a *attempt) typeKeys(ctx context.Context) error {
	switch {
	case takesValue(a.before):
		return a.wrongMethod("use fill, with %s", assigned[a.before.Type].words)
	case !a.before.Editable && (activated[a.before.Tag] || activated[a.role]):
		return a.wrongMethod("it takes no text")
	}
	text := a.args[0]
	a.suggest = a.suggests()
	// A variable's value must not go to another field, unless the caller moves
	// on with a tab.
	secret := !slices.Equal(a.args, a.template)
	aim := driver.Target{Only: secret && !strings.Contains(a.template[0], "\t")}
	if !a.before.Editable || strings.ContainsAny(text, "\n\t") {
		a.watchPage = true // the page handles keys itself, Enter may submit, Tab leaves the field
	} else {
		aim.Text, a.expect = true, a.expectTyped(ctx, text)
	}
	err := a.keys(ctx, aim, typing(text)...)
	switch missed, ok := errors.AsType[*driver.MissedError](err); {
	case !ok || !missed.Taken:
		return err
	case errors.Is(err, driver.ErrNotTyped):
		a.keyIgnored = true // the field and the page decide
		return nil
	case errors.Is(err, driver.ErrDialog):
		return fmt.Errorf("the page showed a dialog, and the rest was not typed: %w", err)
	case errors.Is(err, driver.ErrStale):
		return fmt.Errorf("the page went to another while it was typed: %w", err)
	}
	return fmt.Errorf("the page moved the focus away, and the rest was not typed: %w", err)
}

// expectText checks that a field holds the text. The field may have reformatted
// it, but not cut it off.
func (a *attempt) expectText(want string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		switch {
		case sameText(got, want), after.Type == "number" && sameNumber(got, want):
			return nil
		case after.Type != "number" && after.Type != "password" && formatted(got, want):
			a.formatted = true
			return nil
		case got != "" && len(got) < len(want) && strings.HasPrefix(want, got):
			return fmt.Errorf("%w: the field took only the first %d characters", ErrNoEffect, utf8.RuneCountInString(got))
		case got == a.before.Value:
			return fmt.Errorf("%w: the field did not change; one that acts on keys takes the method type", ErrNoEffect)
		}
		return fmt.Errorf("%w: the field holds something else now", ErrNoEffect)
	}
}

// expectTyped checks that a field took what was typed at its caret, in whatever
// form, or that the page consumed it.
func (a *attempt) expectTyped(ctx context.Context, text string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		a.consumed = ""
		switch {
		case strings.Contains(got, text) && (got != a.before.Value || text == ""):
			return nil
		case a.pageConsumed(ctx, text, after):
			return nil
		case got == a.before.Value:
			return fmt.Errorf("%w: the field did not change", ErrNoEffect)
		case after.Type != "password" && letters(text) != "" && strings.Contains(strings.ToLower(letters(got)), strings.ToLower(letters(text))):
			a.formatted = true
			return nil
		}
		return fmt.Errorf("%w: the field took only a part of it, or something else", ErrNoEffect)
	}
}

// pageConsumed reports that the page did something of its own with a text: a
// terminal takes each letter out of its field, a chips field empties at a
// comma, a one-time code field passes the focus on. If every key wrote, all of
// it arrived. But a field that keeps the beginning has cut the text off, and
// one that shows nothing on an unchanged page has dropped it.
func (a *attempt) pageConsumed(ctx context.Context, text string, after *driver.State) bool {
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

// pageChanged asks whether the page changed since the input was sent.
func (a *attempt) pageChanged(ctx context.Context) bool {
	activity, err := a.page.driver.Activity(ctx)
	return err == nil && activity.Mutated >= 0 && activity.Mutated <= time.Since(a.sentAt)
}

// sameText compares an element's content with what was typed into it. Editable
// elements append a line break and separate paragraphs; textareas use \n.
func sameText(got, want string) bool {
	clean := func(s string) string {
		s = strings.NewReplacer("\r\n", "\n", "\u00a0", " ", "\u200b", "", "\ufeff", "").Replace(s)
		return strings.TrimRight(s, "\n")
	}
	got, want = clean(got), clean(want)
	return got == want || strings.Contains(want, "\n") && strings.ReplaceAll(got, "\n\n", "\n") == strings.ReplaceAll(want, "\n\n", "\n")
}

// formatted reports that got is want as reformatted by the field: a card number
// in groups, a date with points, an amount with decimals, a code in capitals.
// Nothing significant may be lost.
func formatted(got, want string) bool {
	if a, b := plainNumber(got), plainNumber(want); a != "" && b != "" {
		return a == b // "12.5" is not "125", "1234" not "12.34"
	}
	if letters(want) == "" || !strings.EqualFold(letters(got), letters(want)) {
		return false
	}
	if strings.ContainsFunc(want, unicode.IsLetter) {
		return strings.EqualFold(letters(got), letters(want)) && addsOnly(got, want)
	}
	// Digits in groups: the field may use separators of its own. If it shows
	// none, the text must not have contained significant ones.
	return addsOnly(got, want) || got != letters(got) || letters(want) == strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(want)
}

// plainNumber returns an amount without currency, grouping and trailing zeros,
// or "" if s is not an amount.
func plainNumber(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) || strings.ContainsRune(",'’", r) {
			return -1
		}
		return r
	}, s)
	digits := strings.TrimPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	for _, part := range []string{whole, fraction} {
		if strings.ContainsFunc(part, func(r rune) bool { return r < '0' || r > '9' }) {
			return ""
		}
	}
	if whole == "" {
		return ""
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return s[:len(s)-len(digits)] + whole
}

// addsOnly reports that got is want with additional punctuation.
func addsOnly(got, want string) bool {
	rest := []rune(strings.ToLower(want))
	for _, r := range strings.ToLower(got) {
		switch {
		case len(rest) > 0 && r == rest[0]:
			rest = rest[1:]
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return false
		}
	}
	return len(rest) == 0
}

// letters returns the letters and digits of a text, without separators.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// shownAfter is a control's value after the attempt. What a field makes of a
// variable's value (a part of it, groups) is as secret as the value.
func (a *attempt) shownAfter(after *driver.State) string {
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

// A valueForm is the format of an input's value that cannot be typed. It does
// not depend on the locale.
type valueForm struct {
	words string
	valid func(string) bool
}

// assigned are the input types whose value is set rather than typed.
var assigned = map[string]valueForm{
	"date":           {"a date as 2026-03-31", validDate},
	"month":          {"a month as 2026-03", validMonth},
	"week":           {"a week as 2026-W14", validWeek},
	"time":           {"a time as 17:45", clock.MatchString},
	"datetime-local": {"a date and time as 2026-03-31T17:45", validDateTime},
	"color":          {"a color as #3366ff", hexColor.MatchString},
	"range":          {"a number within the field's minimum, maximum and step", func(s string) bool { return s != "" && checkNumber(s) == nil }},
}

var (
	clock    = regexp.MustCompile(`^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$`)
	hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)
)

func validDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func validMonth(s string) bool { return validDate(s + "-01") }

func validWeek(s string) bool {
	year, week, ok := strings.Cut(s, "-W")
	y, errY := strconv.Atoi(year)
	w, errW := strconv.Atoi(week)
	if !ok || errY != nil || errW != nil || len(year) != 4 || len(week) != 2 {
		return false
	}
	_, last := time.Date(y, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek() // always in the year's last week
	return w >= 1 && w <= last
}

func validDateTime(s string) bool {
	day, hour, ok := strings.Cut(strings.Replace(s, " ", "T", 1), "T")
	return ok && validDate(day) && clock.MatchString(hour)
}

// sameValue compares a control's value with what was set. Browsers write colors
// in lower case and shorten times.
func sameValue(inputType, got, want string) bool {
	if got == want || strings.EqualFold(got, want) && inputType == "color" {
		return true
	}
	switch inputType {
	case "time", "datetime-local":
		return shortTime(got) == shortTime(strings.Replace(want, " ", "T", 1))
	case "range", "number":
		return sameNumber(got, want)
	}
	return false
}

// shortTime drops zero seconds.
func shortTime(s string) string {
	if whole, fraction, ok := strings.Cut(s, "."); ok {
		if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
			return whole + "." + fraction
		}
		s = whole
	}
	if strings.Count(s, ":") == 2 {
		s = strings.TrimSuffix(s, ":00")
	}
	return s
}

// checkNumber rejects what a number field would silently drop. The format is
// HTML's "valid floating-point number".
func checkNumber(text string) error {
	if text == "" {
		return nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || strings.ContainsAny(text, "xXpP_iInN+") && !strings.ContainsAny(text, "eE") {
		return fmt.Errorf("%w: %q is no number as a number field takes it; write digits with a point, as -12.5", ErrInvalid, text)
	}
	return nil
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(b), 64)
	return errX == nil && errY == nil && x == y
}
