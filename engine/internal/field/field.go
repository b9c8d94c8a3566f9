// Package field knows what form fields make of the text that they get: which
// formats they take, and how they rewrite what was typed.
package field

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// SameText compares an element's content with what was typed into it. Editable
// elements append a line break and separate paragraphs; textareas use \n.
func SameText(got, want string) bool {
	clean := func(s string) string {
		s = strings.NewReplacer("\r\n", "\n", "\u00a0", " ", "\u200b", "", "\ufeff", "").Replace(s)
		return strings.TrimRight(s, "\n")
	}
	got, want = clean(got), clean(want)
	return got == want || strings.Contains(want, "\n") && strings.ReplaceAll(got, "\n\n", "\n") == strings.ReplaceAll(want, "\n\n", "\n")
}

// countryCode is what a telephone field puts before a number: a plus sign and up to
// three digits (E.164), set apart as E.123 has it, or by a hyphen.
var countryCode = regexp.MustCompile(`^\+[0-9]{1,3}[ \x{a0}(-]+`)

// Reformatted reports that got is want as reformatted by the field: a card number
// in groups, a date with points, an amount with decimals, a code in capitals, a
// telephone number behind its country's code. Nothing significant may be lost.
func Reformatted(got, want string) bool {
	if code := countryCode.FindString(got); code != "" && Letters(want) == Letters(got[len(code):]) && digitsAlone(want) {
		return true
	}
	if bare := withoutUnit(got); isNumber(want) && isNumber(bare) {
		return sameAmount(bare, want) // "12.5" is not "125", "1234" not "12.34"
	}
	if separated(want) { // "9:30" is "09:30", and not "93:0"
		all, ok := cutGroups(groups(got), groups(want))
		return ok && len(all) == 0
	}
	if Letters(want) == "" || !strings.EqualFold(Letters(got), Letters(want)) {
		return false
	}
	if strings.ContainsFunc(want, unicode.IsLetter) {
		return strings.EqualFold(Letters(got), Letters(want)) && addsOnly(got, want)
	}
	// Digits in groups: the field may use separators of its own. If it shows
	// none, the text must not have contained significant ones.
	return addsOnly(got, want) || got != Letters(got) || Letters(want) == strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(want)
}

// digitsAlone reports that a text has digits, and neither letters nor a code of its own.
func digitsAlone(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || r == '+' })
}

// Rewritten reports that got is what a page has made of want, as a completion or a
// full path. All words of want begin words of it, in their order: where one is
// gone, a part of want was refused. A number has to be the same number.
func Rewritten(got, want string) bool {
	switch {
	case isNumber(want):
		return sameAmount(withoutUnit(strings.Map(withoutLetters, got)), want)
	case separated(want):
		for all := groups(got); len(all) > 0; all = all[1:] {
			if _, ok := cutGroups(all, groups(want)); ok {
				return true
			}
		}
		return false
	}
	words, text := strings.FieldsFunc(strings.ToLower(want), noLetter), strings.ToLower(got)
	for _, word := range words {
		at := wordAt(text, word)
		if at < 0 {
			return false
		}
		text = text[at+len(word):]
	}
	return len(words) > 0 && !partOf(strings.ToLower(got), strings.ToLower(want))
}

func noLetter(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// wordAt returns the index of the first word in text that starts with word, -1 if there is
// none. In scripts without spaces a word may start anywhere.
func wordAt(text, word string) int {
	spaceless, _ := utf8.DecodeRuneInString(word)
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return -1
		}
		at += i
		if before, _ := utf8.DecodeLastRuneInString(text[:at]); at == 0 || noLetter(before) || unicode.In(spaceless, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			return at
		}
		at += len(word)
	}
}

func withoutLetters(r rune) rune {
	if unicode.IsLetter(r) {
		return -1
	}
	return r
}

// partOf reports that part is text with characters left out.
func partOf(part, text string) bool {
	for _, r := range part {
		at := strings.IndexRune(text, r)
		if at < 0 {
			return false
		}
		text = text[at+utf8.RuneLen(r):]
	}
	return true
}

// Added reports that got is what a field held before with want put into it.
func Added(got, before, want string) bool {
	for at := strings.Index(got, want); at >= 0 && before != "" && want != ""; {
		if got[:at]+got[at+len(want):] == before {
			return true
		}
		next := strings.Index(got[at+1:], want)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return false
}

// Typed reports whether got is what a field held before plus the typed text, in the field's
// own form. Signs, fractions and the parts of a date must be kept.
func Typed(got, before, text string) bool {
	switch {
	case Reformatted(got, before+text):
		return true
	case before == "", Letters(text) == "", separated(text), isNumber(text) && strings.ContainsAny(text, "-.,"):
		return false
	}
	return strings.Contains(strings.ToLower(Letters(got)), strings.ToLower(Letters(text)))
}

// number returns an amount without currency, grouping and trailing zeros, or "" if s is
// not an amount. fractionBehind is the decimal separator, "." or ","; the other one groups.
func number(s string, fractionBehind string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) || strings.ContainsRune("'’", r) {
			return -1
		}
		return r
	}, s)
	digits := strings.TrimPrefix(s, "-")
	whole, fraction, _ := strings.Cut(digits, fractionBehind)
	parts := strings.Split(whole, map[string]string{".": ",", ",": "."}[fractionBehind])
	for i, part := range parts {
		if last := i == len(parts)-1; i > 0 && len(part) != 3 && (last || len(part) != 2) || i == 0 && len(parts) > 1 && len(part) > 3 {
			return "" // groups are of three digits, or in India of two but for the last
		}
	}
	whole = strings.Join(parts, "")
	if whole == "" || strings.ContainsFunc(whole+fraction, func(r rune) bool { return r < '0' || r > '9' }) {
		return ""
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction != "" {
		whole += "." + fraction
	}
	return s[:len(s)-len(digits)] + whole
}

func isNumber(s string) bool { return number(s, ".") != "" || number(s, ",") != "" }

// sameAmount reports whether two amounts are equal under one choice of decimal separator.
func sameAmount(a, b string) bool {
	return slices.ContainsFunc([]string{".", ","}, func(behind string) bool {
		n := number(a, behind)
		return n != "" && n == number(b, behind)
	})
}

// withoutUnit trims units and other words around an amount.
func withoutUnit(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return !unicode.IsDigit(r) && !strings.ContainsRune("+-.,", r) })
}

var isoDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}$`)

// separated reports whether a text consists of several numbers, as dates, times and IP
// addresses do. Their boundaries matter.
func separated(s string) bool {
	return !strings.ContainsFunc(s, unicode.IsLetter) && len(groups(s)) > 1 && (strings.ContainsAny(s, ".,/:") || isoDate.MatchString(s))
}

// groups returns the numbers in a text.
func groups(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// cutGroups removes numbers from the beginning of a list. A field may have added leading
// zeros, or divided a number further.
func cutGroups(list, begin []string) (rest []string, ok bool) {
	for _, number := range begin {
		if len(list) == 0 {
			return nil, false
		}
		at := list[0]
		list = list[1:]
		if strings.TrimLeft(at, "0") == strings.TrimLeft(number, "0") {
			continue
		}
		for ; len(list) > 0 && len(at) < len(number); list = list[1:] {
			at += list[0]
		}
		if at != number {
			return nil, false
		}
	}
	return list, true
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

// Letters returns the letters and digits of a text, without separators.
func Letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// A Format is the format of an input's value that cannot be typed. It does
// not depend on the locale.
type Format struct {
	Words string
	Valid func(string) bool
}

// Formats are those of the input types whose value is set rather than typed.
var Formats = map[string]Format{
	"date":           {"a date as 2026-03-31", validDate},
	"month":          {"a month as 2026-03", validMonth},
	"week":           {"a week as 2026-W14", validWeek},
	"time":           {"a time as 17:45", clock.MatchString},
	"datetime-local": {"a date and time as 2026-03-31T17:45", validDateTime},
	"color":          {"a color as #3366ff", hexColor.MatchString},
	"range":          {"a number within the field's minimum, maximum and step", func(s string) bool { return s != "" && CheckNumber(s) == nil }},
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

// SameValue compares a control's value with what was set. Browsers write colors
// in lower case and shorten times.
func SameValue(inputType, got, want string) bool {
	if got == want || strings.EqualFold(got, want) && inputType == "color" {
		return true
	}
	switch inputType {
	case "time", "datetime-local":
		return shortTime(got) == shortTime(strings.Replace(want, " ", "T", 1))
	case "range", "number":
		return SameNumber(got, want)
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

// CheckNumber rejects what a number field would silently drop. The format is
// HTML's "valid floating-point number".
func CheckNumber(text string) error {
	if text == "" {
		return nil
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || strings.ContainsAny(text, "xXpP_iInN+") && !strings.ContainsAny(text, "eE") {
		return fmt.Errorf("%q is no number as a number field takes it; write digits with a point, as -12.5", text)
	}
	return nil
}

// SameNumber compares two texts as numbers.
func SameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(b), 64)
	return errX == nil && errY == nil && x == y
}
