package direct

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

var (
	isoDate   = regexp.MustCompile(`^(\d{4})-(\d\d)-(\d\d)(?:$|[T ]\d\d:\d\d)`)
	cjkDate   = regexp.MustCompile(`^(\d{4})[年년] ?(\d{1,2})[月월] ?(\d{1,2})[日일]$`)
	numeric   = regexp.MustCompile(`^(\d{1,2})([./-])(\d{1,2})[./-](\d{4})$`)
	dayFirst  = regexp.MustCompile(`^(?:\pL+\.?,? )?(\d{1,2})(?:\.|st|nd|rd|th|er)?[ -](?:de )?(\pL+)\.?,?[ -](?:de )?(\d{4})$`)
	nameFirst = regexp.MustCompile(`^(?:\pL+\.?, )?(\pL+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$`)
)

// dateOf reads a text that is one date with its year, as ISO writes it. Of
// dates in figures alone, the page's language says where the day stands; in
// English it can be either, unless one of the two is no month.
func (p *page) dateOf(text string) (string, bool) {
	text = strings.TrimSpace(westernDigits(text))
	if m := isoDate.FindStringSubmatch(text); m != nil {
		return day(m[1], m[2], m[3])
	}
	if m := cjkDate.FindStringSubmatch(text); m != nil {
		return day(m[1], m[2], m[3])
	}
	if m := dayFirst.FindStringSubmatch(text); m != nil {
		if month, ok := calendar.Month(strings.ToLower(m[2])); ok {
			return day(m[3], strconv.Itoa(month), m[1])
		}
	}
	if m := nameFirst.FindStringSubmatch(text); m != nil {
		if month, ok := calendar.Month(strings.ToLower(m[1])); ok {
			return day(m[3], strconv.Itoa(month), m[2])
		}
	}
	if m := numeric.FindStringSubmatch(text); m != nil {
		first, _ := strconv.Atoi(m[1]) // two digits
		second, _ := strconv.Atoi(m[3])
		switch {
		case m[2] == "." || first > 12:
			return day(m[4], m[3], m[1])
		case second > 12:
			return day(m[4], m[1], m[3])
		case first == second || p.lang != "en" && p.lang != "" && p.lang != "ja" && p.lang != "zh" && p.lang != "ko":
			return day(m[4], m[3], m[1])
		}
	}
	return "", false
}

// day returns a date if the calendar has it.
func day(year, month, date string) (string, bool) {
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(date)
	if err1 != nil || err2 != nil || err3 != nil {
		return "", false
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if t.Day() != d || int(t.Month()) != m {
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d), true
}
