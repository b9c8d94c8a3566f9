package form

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

func Newlines(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// sanitize is the value sanitization algorithm of an input's type.
func sanitize(n *html.Node, v string) string {
	switch t := InputType(n); t {
	case "text", "search", "tel", "password":
		return withoutBreaks(v)
	case "url":
		return dom.Trim(withoutBreaks(v))
	case "email":
		if !dom.Has(n, "multiple") {
			return dom.Trim(withoutBreaks(v))
		}
		parts := strings.Split(withoutBreaks(v), ",")
		for i := range parts {
			parts[i] = dom.Trim(parts[i])
		}
		return strings.Join(parts, ",")
	case "number":
		if _, ok := dom.Number(v); !ok || v != dom.Trim(v) {
			return ""
		}
	case "range":
		return sanitizeRange(n, v)
	case "color":
		if len(v) == 7 && v[0] == '#' {
			if _, err := strconv.ParseUint(v[1:], 16, 32); err == nil {
				return strings.ToLower(v)
			}
		}
		return "#000000"
	case "date", "month", "week", "time", "datetime-local":
		if _, ok := temporal(t, v); !ok {
			return ""
		}
		if t == "datetime-local" {
			v = strings.Replace(v, " ", "T", 1)
			if strings.Count(v, ":") == 2 && strings.HasSuffix(v, ":00") {
				v = strings.TrimSuffix(v, ":00")
			}
		}
	}
	return v
}

func withoutBreaks(v string) string {
	if !strings.ContainsAny(v, "\r\n") {
		return v
	}
	return strings.NewReplacer("\r", "", "\n", "").Replace(v)
}

// sanitizeRange brings a value between its bounds and onto a step.
func sanitizeRange(n *html.Node, v string) string {
	lo, hi := Bounds(n)
	f, ok := dom.Number(v)
	if !ok {
		f = lo
		if hi > lo {
			f = lo + (hi-lo)/2
		}
	}
	f = max(lo, min(hi, f))
	if dom.Lower(dom.Attr(n, "step")) != "any" {
		step, ok := dom.Number(dom.Attr(n, "step"))
		if !ok || step <= 0 {
			step = 1
		}
		base := lo
		if _, has := dom.Number(dom.Attr(n, "min")); !has {
			base = 0
		}
		k := math.Floor((f-base)/step + 0.5)
		if base+k*step > hi {
			k--
		}
		if base+k*step < lo {
			k++
		}
		f = base + k*step
	}
	return FormatNumber(f)
}

// Bounds are those of a slider.
func Bounds(n *html.Node) (lo, hi float64) {
	lo, hi = 0, 100
	if f, ok := dom.Number(dom.Attr(n, "min")); ok {
		lo = f
	}
	if f, ok := dom.Number(dom.Attr(n, "max")); ok {
		hi = f
	}
	return lo, max(lo, hi)
}

// temporal reads a date or time as a number: milliseconds, or months for month.
func temporal(kind, v string) (float64, bool) {
	parse := func(layouts ...string) (time.Time, bool) {
		for _, l := range layouts {
			if t, err := time.Parse(l, v); err == nil {
				return t, true
			}
		}
		return time.Time{}, false
	}
	switch kind {
	case "date":
		t, ok := parse("2006-01-02")
		return float64(t.UnixMilli()), ok && t.Year() > 0
	case "month":
		t, ok := parse("2006-01")
		return float64((t.Year()-1970)*12 + int(t.Month()) - 1), ok && t.Year() > 0
	case "time":
		t, ok := parse("15:04", "15:04:05", "15:04:05.999")
		return float64(t.Hour()*3600000 + t.Minute()*60000 + t.Second()*1000 + t.Nanosecond()/1e6), ok
	case "datetime-local":
		t, ok := parse("2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15:04:05.999", "2006-01-02 15:04", "2006-01-02 15:04:05")
		return float64(t.UnixMilli()), ok && t.Year() > 0
	case "week":
		var year, week int
		if n, err := fmt.Sscanf(v, "%4d-W%2d", &year, &week); n != 2 || err != nil || len(v) != 8 || week < 1 || week > 53 {
			return 0, false
		}
		// The Monday of week 1 is that of the week of 4 January.
		jan4 := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
		monday := jan4.AddDate(0, 0, -(int(jan4.Weekday())+6)%7+(week-1)*7)
		if _, w := monday.ISOWeek(); w != week {
			return 0, false
		}
		return float64(monday.UnixMilli()), true
	}
	return 0, false
}
