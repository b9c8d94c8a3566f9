package fake

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"golang.org/x/net/html"
)

// validity is the message of a control whose value is not valid; empty if it is.
func (s *state) validity(n *html.Node) string {
	if !s.validated(n) {
		return ""
	}
	if c := s.inputs[n]; c != nil && c.custom != "" {
		return c.custom
	}
	switch n.Data {
	case "select":
		return s.selectValidity(n)
	case "textarea":
		v := s.value(n)
		if has(n, "required") && v == "" {
			return "Please fill out this field."
		}
		return s.lengthValidity(n, v)
	case "input":
		return s.inputValidity(n)
	}
	return ""
}

// validated reports that constraints apply to n at all.
func (s *state) validated(n *html.Node) bool {
	switch {
	case isElement(n, "input"):
		switch inputType(n) {
		case "hidden", "reset", "button":
			return false
		}
	case isElement(n, "select", "textarea"):
	case isElement(n, "button"):
		return false
	default:
		return false
	}
	return !s.disabled(n) && !s.readOnly(n) &&
		closest(n.Parent, func(a *html.Node) bool { return isElement(a, "datalist") }) == nil
}

func (s *state) selectValidity(n *html.Node) string {
	if !has(n, "required") {
		return ""
	}
	chosen := s.chosen(n)
	for _, o := range chosen {
		placeholder := !has(n, "multiple") && !listbox(n) && s.value(o) == "" && o == options(n)[0] && o.Parent == n
		if !placeholder {
			return ""
		}
	}
	return "Please select an item in the list."
}

func (s *state) inputValidity(n *html.Node) string {
	t := inputType(n)
	v := s.value(n)
	if has(n, "required") {
		switch t {
		case "checkbox":
			if !s.checked(n) {
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
		return s.radioValidity(n)
	}
	if v == "" {
		return ""
	}
	switch t {
	case "email":
		if msg := emailValidity(v, has(n, "multiple")); msg != "" {
			return msg
		}
	case "url":
		if u, err := parseURL(nil, v); err != nil || !u.IsAbs() {
			return "Please enter a URL."
		}
	}
	switch t {
	case "text", "search", "tel", "url", "email", "password":
		if msg := patternValidity(n, v); msg != "" {
			return msg
		}
		return s.lengthValidity(n, v)
	case "number", "range", "date", "month", "week", "time", "datetime-local":
		return rangeValidity(n, t, v)
	}
	return ""
}

// radioValidity asks for one of the group, if any of it is required.
func (s *state) radioValidity(n *html.Node) string {
	if g := s.group(n); g.required && g.checked == nil {
		return "Please select one of these options."
	}
	return ""
}

func patternValidity(n *html.Node, v string) string {
	p, ok := lookup(n, "pattern")
	if !ok {
		return ""
	}
	re, err := regexp.Compile(`^(?:` + p + `)$`)
	if err != nil { // not valid, or beyond what Go's expressions can say: no constraint
		return ""
	}
	values := []string{v}
	if inputType(n) == "email" && has(n, "multiple") {
		values = strings.Split(v, ",")
	}
	for _, v := range values {
		if !re.MatchString(v) {
			if title := attr(n, "title"); title != "" {
				return "Please match the requested format. " + title
			}
			return "Please match the requested format."
		}
	}
	return ""
}

// lengthValidity counts in UTF-16, as browsers do, and only what a person typed.
func (s *state) lengthValidity(n *html.Node, v string) string {
	c := s.inputs[n]
	if c == nil || !c.dirty {
		return ""
	}
	have := len(utf16.Encode([]rune(v)))
	if lo, err := strconv.Atoi(trim(attr(n, "minlength"))); err == nil && v != "" && have < lo {
		return fmt.Sprintf("Please lengthen this text to %d characters or more (you are currently using %d character%s).", lo, have, plural(have))
	}
	if hi, ok := maxLength(n); ok && have > hi {
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

func maxLength(n *html.Node) (int, bool) {
	hi, err := strconv.Atoi(trim(attr(n, "maxlength")))
	return hi, err == nil && hi >= 0
}

var emailPattern = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$")

func emailValidity(v string, multiple bool) string {
	all := []string{v}
	if multiple {
		all = strings.Split(v, ",")
	}
	for _, v := range all {
		v = trim(v)
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

// rangeValidity checks min, max and step.
func rangeValidity(n *html.Node, t, v string) string {
	parse := number
	step, scale, base := 1.0, 1.0, 0.0
	if t != "number" && t != "range" {
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
	lo, hasLo := parse(attr(n, "min"))
	hi, hasHi := parse(attr(n, "max"))
	if t == "range" {
		return "" // sanitized
	}
	if hasLo && hasHi && t == "time" && hi < lo { // a range over midnight
		if f < lo && f > hi {
			return fmt.Sprintf("Value must be between %s and %s.", attr(n, "min"), attr(n, "max"))
		}
	} else {
		if hasLo && f < lo {
			return boundMessage(t, "greater than or equal to", "or later", attr(n, "min"))
		}
		if hasHi && f > hi {
			return boundMessage(t, "less than or equal to", "or earlier", attr(n, "max"))
		}
	}
	if s := lower(attr(n, "step")); s == "any" {
		return ""
	} else if g, ok := number(s); ok && g > 0 {
		step = g
	}
	step *= scale
	if hasLo {
		base = lo
	} else if b, ok := parse(attr(n, "value")); ok {
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
		return fmt.Sprintf("Please enter a valid value. The nearest valid value is %s.", plain(below))
	}
	return fmt.Sprintf("Please enter a valid value. The two nearest valid values are %s and %s.", plain(below), plain(above))
}

func plain(f float64) string { return strconv.FormatFloat(math.Round(f*1e9)/1e9, 'f', -1, 64) }

// boundMessage is what browsers say of a value beyond a bound.
func boundMessage(t, numeric, temporal, bound string) string {
	if t == "number" {
		return fmt.Sprintf("Value must be %s %s.", numeric, bound)
	}
	return fmt.Sprintf("Value must be %s %s.", bound, temporal)
}
