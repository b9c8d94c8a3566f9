package form

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// What follows returns the message of what does not hold of a control; empty if all does.

func (s *State) selectValidity(n *html.Node) string {
	if !dom.Has(n, "required") {
		return ""
	}
	chosen := s.Chosen(n)
	for _, o := range chosen {
		placeholder := !dom.Has(n, "multiple") && !Listbox(n) && s.Value(o) == "" && o == Options(n)[0] && o.Parent == n
		if !placeholder {
			return ""
		}
	}
	return "Please select an item in the list."
}

func (s *State) inputValidity(n *html.Node) string {
	t := InputType(n)
	v := s.Value(n)
	if dom.Has(n, "required") {
		switch t {
		case "checkbox":
			if !s.Checked(n) {
				return "Please check this box if you want to proceed."
			}
		case "radio":
		case "file":
			if v == "" {
				return "Please select a file."
			}
		case "range", "color", "submit", "image":
		default:
			if v == "" {
				return "Please fill out this field."
			}
		}
	}
	if t == "radio" {
		if g := s.Group(n); g.required && g.Checked == nil {
			return "Please select one of these options."
		}
		return ""
	}
	if v == "" {
		return ""
	}
	switch t {
	case "email":
		if msg := emailValidity(v, dom.Has(n, "multiple")); msg != "" {
			return msg
		}
	case "url":
		if u, err := dom.ParseURL(nil, v); err != nil || !u.IsAbs() {
			return "Please enter a URL."
		}
	}
	switch t {
	case "text", "search", "tel", "url", "email", "password":
		if msg := patternValidity(n, v); msg != "" {
			return msg
		}
		return s.lengthValidity(n, v)
	case "number", "date", "month", "week", "time", "datetime-local":
		return rangeValidity(n, t, v)
	}
	return ""
}

func patternValidity(n *html.Node, v string) string {
	p, ok := dom.Lookup(n, "pattern")
	if !ok {
		return ""
	}
	re, err := regexp.Compile(`^(?:` + p + `)$`)
	if err != nil { // not valid, or beyond what Go's expressions can say: no constraint
		return ""
	}
	values := []string{v}
	if InputType(n) == "email" && dom.Has(n, "multiple") {
		values = strings.Split(v, ",")
	}
	for _, v := range values {
		if !re.MatchString(v) {
			if title := dom.Attr(n, "title"); title != "" {
				return "Please match the requested format. " + title
			}
			return "Please match the requested format."
		}
	}
	return ""
}

// length counts in UTF-16, as browsers do, and only what a person typed.
func (s *State) lengthValidity(n *html.Node, v string) string {
	c := s.Inputs[n]
	if c == nil || !c.Dirty {
		return ""
	}
	have := len(utf16.Encode([]rune(v)))
	if lo, err := strconv.Atoi(dom.Trim(dom.Attr(n, "minlength"))); err == nil && v != "" && have < lo {
		return fmt.Sprintf("Please lengthen this text to %d characters or more (you are currently using %d character%s).", lo, have, plural(have))
	}
	if hi, ok := MaxLength(n); ok && have > hi {
		return fmt.Sprintf("Please shorten this text to %d characters or less (you are currently using %d character%s).", hi, have, plural(have))
	}
	return ""
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func MaxLength(n *html.Node) (int, bool) {
	hi, err := strconv.Atoi(dom.Trim(dom.Attr(n, "maxlength")))
	return hi, err == nil && hi >= 0
}

var emailPattern = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")

func emailValidity(v string, multiple bool) string {
	all := []string{v}
	if multiple {
		all = strings.Split(v, ",")
	}
	for _, v := range all {
		v = dom.Trim(v)
		if emailPattern.MatchString(v) {
			continue
		}
		local, domain, at := strings.Cut(v, "@")
		switch {
		case !at:
			return fmt.Sprintf("Please include an '@' in the email address. '%s' is missing an '@'.", v)
		case local == "":
			return fmt.Sprintf("Please enter a part followed by '@'. '%s' is incomplete.", v)
		case domain == "":
			return fmt.Sprintf("Please enter a part following '@'. '%s' is incomplete.", v)
		}
		return "Please enter an email address."
	}
	return ""
}

// rangeValidity checks min, max and step; the value of a range is within them.
func rangeValidity(n *html.Node, t, v string) string {
	parse := dom.Number
	step, scale, base := 1.0, 1.0, 0.0
	if t != "number" {
		parse = func(s string) (float64, bool) { return temporal(t, s) }
		switch t {
		case "date":
			scale = 86400000
		case "week":
			scale, base = 7*86400000, -259200000
		case "time", "datetime-local":
			step, scale = 60, 1000
		}
	}
	f, ok := parse(v)
	if !ok {
		return ""
	}
	lo, hasLo := parse(dom.Attr(n, "min"))
	hi, hasHi := parse(dom.Attr(n, "max"))
	if hasLo && hasHi && t == "time" && hi < lo { // a range over midnight
		if f < lo && f > hi {
			return fmt.Sprintf("Value must be between %s and %s.", dom.Attr(n, "min"), dom.Attr(n, "max"))
		}
	} else {
		if hasLo && f < lo {
			return boundMessage(t, "greater than or equal to", "or later", dom.Attr(n, "min"))
		}
		if hasHi && f > hi {
			return boundMessage(t, "less than or equal to", "or earlier", dom.Attr(n, "max"))
		}
	}
	if s := dom.Lower(dom.Attr(n, "step")); s == "any" {
		return ""
	} else if g, ok := dom.Number(s); ok && g > 0 {
		step = g
	}
	step *= scale
	if hasLo {
		base = lo
	} else if b, ok := parse(dom.Attr(n, "value")); ok {
		base = b
	}
	k := (f - base) / step
	if math.Abs(k-math.Round(k)) < 1e-7*max(1, math.Abs(k)) {
		return ""
	}
	if t != "number" {
		return "Please enter a valid value."
	}
	below, above := base+math.Floor(k)*step, base+math.Ceil(k)*step
	if hasHi && above > hi {
		return fmt.Sprintf("Please enter a valid value. The nearest valid value is %s.", FormatNumber(below))
	}
	return fmt.Sprintf("Please enter a valid value. The two nearest valid values are %s and %s.", FormatNumber(below), FormatNumber(above))
}

func FormatNumber(f float64) string { return strconv.FormatFloat(math.Round(f*1e9)/1e9, 'f', -1, 64) }

// boundMessage is what browsers say of a value beyond a bound.
func boundMessage(t, numeric, temporal, bound string) string {
	if t == "number" {
		return fmt.Sprintf("Value must be %s %s.", numeric, bound)
	}
	return fmt.Sprintf("Value must be %s %s.", shownTime(t, bound), temporal)
}

// shownTime is a date or time as Chrome writes it in English.
func shownTime(t, v string) string {
	for kind, form := range map[string][2]string{
		"date": {"2006-01-02", "01/02/2006"}, "month": {"2006-01", "January 2006"}, "time": {"15:04", "3:04\u202fPM"},
		"datetime-local": {"2006-01-02T15:04", "01/02/2006, 3:04\u202fPM"},
	} {
		if at, err := time.Parse(form[0], v); kind == t && err == nil {
			return at.Format(form[1])
		}
	}
	if year, week, ok := strings.Cut(v, "-W"); ok && t == "week" {
		return fmt.Sprintf("Week %s, %s", week, year)
	}
	return v
}
