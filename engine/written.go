package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// expectText tells whether a field holds the text. A field may set it in its
// own form; a limit of length is no success.
func (d *deed) expectText(want string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		switch {
		case sameText(got, want), after.Type == "number" && sameNumber(got, want):
			return nil
		case after.Type != "number" && after.Type != "password" && formatted(got, want):
			d.formatted = true
			return nil
		case got != "" && len(got) < len(want) && strings.HasPrefix(want, got):
			return fmt.Errorf("%w: the field took only the first %d characters", ErrNoEffect, utf8.RuneCountInString(got))
		case got == d.before.Value:
			return fmt.Errorf("%w: the field did not change; one that acts on keys takes the method type", ErrNoEffect)
		}
		return fmt.Errorf("%w: the field holds something else now", ErrNoEffect)
	}
}

// expectTyped tells whether a field took what was typed at its caret, whatever
// it held before and in whatever form it sets it, or the page took it from there.
func (d *deed) expectTyped(ctx context.Context, text string) func(*driver.State) error {
	return func(after *driver.State) error {
		got := after.Value
		d.consumed = ""
		switch {
		case strings.Contains(got, text) && (got != d.before.Value || text == ""):
			return nil
		case d.pageTook(ctx, text, after):
			return nil
		case got == d.before.Value:
			return fmt.Errorf("%w: the field did not change", ErrNoEffect)
		case after.Type != "password" && letters(text) != "" && strings.Contains(strings.ToLower(letters(got)), strings.ToLower(letters(text))):
			d.formatted = true
			return nil
		}
		return fmt.Errorf("%w: the field took only a part of it, or something else", ErrNoEffect)
	}
}

// pageTook reports that the page has done something of its own with a text: a
// terminal takes each letter out of its field, a field for chips empties at a
// comma, one of a code's fields passes the focus on. Where every key wrote, all
// of it has arrived; but a field that keeps the beginning has cut it off, and
// one that shows nothing, on a page that shows nothing new, has dropped it.
func (d *deed) pageTook(ctx context.Context, text string, after *driver.State) bool {
	if after.Tag != "input" && after.Tag != "textarea" {
		return false // what is written there is a change of the page
	}
	passedOn := !after.Focused
	gone := after.Value == d.before.Value || after.Value == "" || strings.HasSuffix(text, after.Value)
	switch {
	case passedOn && !d.unwritten:
		d.consumed = "the page passed the focus on while it was typed"
	case !gone || !passedOn && !d.pageChanged(ctx):
	case !d.unwritten:
		d.consumed = "the page has taken the text from the field"
	case after.Value == d.before.Value:
		d.consumed = "the page has taken the keys itself; the field shows nothing of them"
	}
	return d.consumed != ""
}

// pageChanged asks whether the page has changed since the input was sent.
func (d *deed) pageChanged(ctx context.Context) bool {
	activity, err := d.page.driver.Activity(ctx)
	return err == nil && activity.Mutated >= 0 && activity.Mutated <= time.Since(d.sentAt)
}

// sameText compares what an element holds with what was typed into it: editable
// elements end with a line break of their own and set paragraphs apart,
// textareas write \n.
func sameText(got, want string) bool {
	clean := func(s string) string {
		s = strings.NewReplacer("\r\n", "\n", "\u00a0", " ", "\u200b", "", "\ufeff", "").Replace(s)
		return strings.TrimRight(s, "\n")
	}
	got, want = clean(got), clean(want)
	return got == want || strings.Contains(want, "\n") && strings.ReplaceAll(got, "\n\n", "\n") == strings.ReplaceAll(want, "\n\n", "\n")
}

// formatted reports that got is want as a field sets it in its own form: a card
// number in groups, a date with points, an amount with its decimals, a code in
// capitals. Nothing that was typed may be lost that means something.
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
	// Digits in groups: the field may have its own idea of what separates
	// them. Where it has none, points and slashes must not have been lost.
	return addsOnly(got, want) || got != letters(got) || letters(want) == strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(want)
}

// plainNumber writes an amount without currency, grouping and needless
// decimals; empty if s is none.
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

// addsOnly reports that got is want with further signs in between.
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

// letters keeps the letters and digits of a text: what is left when a field
// puts separators between them.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// shownAfter is a control's value after the deed. What a field has made of a
// variable's value (cut it off, put it in groups) is as secret as the value.
func (d *deed) shownAfter(after *driver.State) string {
	shown := shownValue(after)
	if after.Type == "password" || after.Value == d.before.Value || slices.Equal(d.args, d.given) {
		return shown
	}
	written := strings.Join(d.given, ", ")
	if shown == strings.Join(d.args, ", ") {
		return written
	}
	secrets := &d.page.session.secrets
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
