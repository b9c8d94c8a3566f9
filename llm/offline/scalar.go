package offline

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

var digits = regexp.MustCompile(`-?\d{1,3}(?: \d{3})+(?:[.,]\d+)?\b|-?\d(?:[\d'’.,\x{a0}\x{202f}]*\d)?`)

// number reads the first number of a text, with whatever parts its thousands:
// "CHF 1'234.50" is 1234.5, "1.234,50 €" too.
func number(s string) (float64, bool) {
	m := digits.FindStringIndex(s)
	if m == nil {
		return 0, false
	}
	t := s[m[0]:m[1]]
	if strings.HasPrefix(t, "-") && m[0] > 0 && isWord(s[m[0]-1]) {
		t = t[1:] // a hyphen within a word
	}
	if m[0] > 0 && strings.HasSuffix(s[:m[0]], "−") {
		t = "-" + t
	}
	t = strings.NewReplacer("'", "", "’", "", "\u00a0", "", "\u202f", "", " ", "").Replace(t)
	dot, comma := strings.LastIndex(t, "."), strings.LastIndex(t, ",")
	switch {
	case dot >= 0 && comma >= 0 && comma > dot:
		t = strings.ReplaceAll(strings.ReplaceAll(t, ".", ""), ",", ".")
	case dot >= 0 && comma >= 0:
		t = strings.ReplaceAll(t, ",", "")
	case comma >= 0 && (strings.Count(t, ",") > 1 || len(t)-comma-1 == 3):
		t = strings.ReplaceAll(t, ",", "")
	case comma >= 0:
		t = strings.ReplaceAll(t, ",", ".")
	case strings.Count(t, ".") > 1:
		t = strings.ReplaceAll(t, ".", "")
	}
	n, err := strconv.ParseFloat(t, 64)
	return n, err == nil
}

func isWord(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' }

var (
	yes = set("yes", "true", "on", "checked", "available", "enabled", "active", "instock", "included", "free")
	not = regexp.MustCompile(`(?i)\b(?:no|not|un\w+|out of|sold out|none|off|false|disabled|without|inactive)\b`)
)

// truth reads a text as yes or no.
func truth(s string) (bool, bool) {
	w := words(s)
	switch {
	case len(w) == 0:
		return false, false
	case not.MatchString(s):
		return false, true
	case yes[w[0]] || yes[strings.Join(w, "")]:
		return true, true
	}
	if n, ok := number(s); ok {
		return n > 0, true
	}
	return false, false
}

// value brings a fact into the form of a member; ok is false if it does not fit.
func (p *page) value(f *form, is fact) (any, bool) {
	switch f.kind {
	case "number":
		n, ok := number(is.value)
		return n, ok
	case "integer":
		n, ok := number(is.value)
		if !ok || n != float64(int64(n)) {
			return nil, false
		}
		return json.Number(strconv.FormatInt(int64(n), 10)), true
	case "boolean":
		if is.state != nil {
			return *is.state, true
		}
		return first2(truth(is.value))
	case "string", "":
		if f.link {
			return p.linkAt(is.at)
		}
		s := strings.TrimSpace(is.value)
		if len(f.enum) > 0 {
			return oneOf(f.enum, s)
		}
		if f.format == "date" {
			s = isoDate(s)
		}
		return s, s != "" || is.rank == labelled
	}
	return nil, false
}

func first2(b, ok bool) (any, bool) { return b, ok }

// isoDate brings a date that is written in another way into ISO's.
func isoDate(s string) string { return written("date", isoOr(s)) }

func isoOr(s string) string {
	if m := isoDay.FindString(s); m != "" && strings.Contains(m, "-") {
		return m
	}
	return s
}

// oneOf finds the one value of a list that a text names.
func oneOf(list []any, s string) (any, bool) {
	best, at := noFit, -1
	for i, v := range list {
		if t, ok := v.(string); ok {
			if n := max(fit(t, s), fit(s, t)); n > best {
				best, at = n, i
			}
		}
	}
	if at < 0 {
		return nil, false
	}
	return list[at], true
}

// linkAt is the ref of a link at an item: itself, or the one below or around it.
func (p *page) linkAt(i int) (any, bool) {
	for j := i; j < p.end[i]; j++ {
		if p.items[j].Role == "link" {
			return string(p.items[j].Ref), true
		}
	}
	if parent := p.items[i].Parent; parent >= 0 && p.items[parent].Role == "link" {
		return string(p.items[parent].Ref), true
	}
	return nil, false
}
