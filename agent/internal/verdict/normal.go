package verdict

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// normal is a text in the form in which texts are compared: lower case, single
// spaces, the apostrophe and the dash of the keyboard.
func normal(text string) string {
	text = strings.NewReplacer("’", "'", "‑", "-", "–", "-", "\u00a0", " ", "\u202f", " ").Replace(text)
	return strings.ToLower(strings.Join(strings.Fields(text), " "))
}

var grouped = regexp.MustCompile(`([0-9])[ ,'’]([0-9]{3,4})\b`)

// squeeze writes the digits of long numbers together, as card numbers and
// thousands: 4111 1111, 3,000.
func squeeze(text string) string {
	for {
		out := grouped.ReplaceAllString(text, "$1$2")
		if out == text {
			return out
		}
		text = out
	}
}

// said is what deeds say, ready to be searched.
type said struct {
	text     string // normal
	squeezed string
}

func saying(texts []string) said {
	text := normal(strings.Join(texts, "\n"))
	return said{text, squeeze(text)}
}

// has reports whether a token is there.
func (s said) has(t Token) bool {
	for _, want := range t.want {
		in := s.text
		if t.kind == number || t.kind == tally {
			// Long numbers are grouped in many ways; so many digits are no accident.
			spaced := squeeze(strings.ReplaceAll(want, " ", ""))
			if within(s.squeezed, spaced) || len(spaced) > 6 && strings.Contains(strings.ReplaceAll(s.text, " ", ""), spaced) {
				return true
			}
		}
		if want != "" && within(in, want) {
			return true
		}
	}
	return false
}

// within reports whether a part stands in a text as whole words.
func within(text, part string) bool {
	return Occurs(text, part, func(before, after string) bool {
		return !(isWord(lastRune(before)) && isWord(firstRune(part))) && !(isWord(firstRune(after)) && isWord(lastRune(part)))
	})
}

// Occurs reports whether a part stands in a text, between a beginning and an end that fit.
func Occurs(text, part string, fit func(before, after string) bool) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], part)
		if at < 0 {
			return false
		}
		at += from
		if fit(text[:at], text[at+len(part):]) {
			return true
		}
		from = at + 1
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

func lastRune(s string) rune { r, _ := utf8.DecodeLastRuneInString(s); return r }

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func count(words []string, of map[string]bool) (n int) {
	for _, w := range words {
		if of[strings.Trim(w, ",.;:!?")] {
			n++
		}
	}
	return n
}

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// number reports whether a number is said, in digits or in words; that of a month, as
// a part of a day, by the month's name too.
func (s said) number(n string, ofDay bool) bool {
	n = strings.TrimRight(n, ".,:'’-/")
	low := squeeze(strings.ReplaceAll(n, " ", ""))
	return s.has(Token{kind: number, want: []string{low}}) ||
		slices.ContainsFunc(inWords(n, ofDay), func(w string) bool { return within(s.text, w) })
}
