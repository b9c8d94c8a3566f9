package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A valueForm is how the value of an input is written that takes no typed
// text. It is the same in every locale, whatever the page shows.
type valueForm struct {
	words string
	valid func(string) bool
}

// assigned are the types of inputs whose value is set, not typed.
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

// sameValue compares what a control holds with what it was given. Browsers
// write colors in lower case and drop what a time need not have.
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

// shortTime drops seconds that are none.
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

// checkNumber refuses what a number field would drop without a word. The form
// is that of HTML's "valid floating-point number".
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
