package redact

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A scanner looks for values in the readings of one text.
type scanner struct {
	m     *Matcher
	short bool
	found []Match
}

// scan looks through a text, and through what is within its escapes and its Base64.
func (s *scanner) scan(text string) {
	(&reading{text: text}).walk(0, func(r *reading) (wrapped, escaped bool) {
		seen := s.m.survey(r.text)
		if seen.worth {
			s.read(r)
		}
		if s.short {
			s.readAlone(r)
		}
		return seen.wrapped, seen.escaped
	})
}

// What characters of ASCII are, for a survey.
const (
	escapes = 1 << iota // begins an escape
	digit
	large // a letter in upper case
	in64  // of Base64
)

var kinds = func() (t [utf8.RuneSelf]byte) {
	for i := range t {
		switch c := byte(i); {
		case strings.IndexByte(`%&\`, c) >= 0:
			t[i] = escapes
		case isDigit(c):
			t[i] = digit | in64
		case c >= 'A' && c <= 'Z':
			t[i] = large | in64
		case inBase64(c):
			t[i] = in64
		}
	}
	return t
}()

// A survey says what a text is worth looking at for.
type survey struct {
	worth   bool // a value may stand in it
	escaped bool // there may be escapes
	wrapped bool // there may be Base64
}

// A bench is where texts are folded.
type bench struct{ plain, other folded }

var benches = sync.Pool{New: func() any { return new(bench) }}

// read looks for values in what a reading says.
func (s *scanner) read(r *reading) {
	b := benches.Get().(*bench)
	defer benches.Put(b)
	b.plain.reset()
	b.plain.fold(r.text)
	look := func(t *table, f *folded) {
		t.each(f.text, func(n *needle, start, end int) { s.hit(n, r, int(f.at[start]), f.end(r.text, end)) })
	}
	look(&s.m.plain, &b.plain)
	digits := countDigits(b.plain.text)
	if len(s.m.joined.needles) > 0 && digits >= caseless {
		b.other.reset()
		b.other.join(&b.plain)
		look(&s.m.joined, &b.other)
	}
	if len(s.m.codes.needles) > 0 && digits*3 >= shortestCode {
		b.other.reset()
		b.other.strip(&b.plain)
		look(&s.m.codes, &b.other)
	}
}

// hit enters a place of a reading where a needle was found, if it is the value
// that stands there.
func (s *scanner) hit(n *needle, r *reading, start, end int) {
	if n.exact != "" && tidy(r.text[start:end]) != n.exact {
		return
	}
	if n.word && !isWord(r.text, start, end) {
		return
	}
	if n.base64 {
		start, end = n.widen(r.text, start, end)
	}
	v := s.m.values[n.value]
	start, end = withOuterSpace(r.text, start, end, v.Text)
	s.found = append(s.found, Match{r.origin(start), r.ending(end), v})
}

// isWord reports whether a part of a text is a word of its own. Pages set texts
// side by side without a space: where the kind of the letters changes, as in
// "PIN123", one ends and another begins.
func isWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	first, _ := utf8.DecodeRuneInString(text[start:])
	last, _ := utf8.DecodeLastRuneInString(text[:end])
	after, _ := utf8.DecodeRuneInString(text[end:])
	return (start == 0 || apart(before, first)) && (end == len(text) || apart(last, after) || unicode.IsUpper(last) && unicode.IsLower(after))
}

// apart reports whether a word ends between two characters.
func apart(a, b rune) bool {
	return !unicode.IsLetter(a) && !unicode.IsDigit(a) || !unicode.IsLetter(b) && !unicode.IsDigit(b) ||
		unicode.IsDigit(a) != unicode.IsDigit(b) || unicode.IsLower(a) && unicode.IsUpper(b)
}

// withOuterSpace takes in the white space that a value itself begins and ends with.
func withOuterSpace(text string, start, end int, value string) (int, int) {
	inner := strings.TrimSpace(value)
	if len(inner) == len(value) || text[start:end] != inner {
		return start, end
	}
	lead := strings.Index(value, inner)
	from := start - lead
	if from >= 0 && from+len(value) <= len(text) && text[from:from+len(value)] == value {
		return from, from + len(value)
	}
	return start, end
}

// readAlone looks for short values, in the whole of a text or in quotes.
func (s *scanner) readAlone(r *reading) {
	for i := range s.m.alone {
		n := &s.m.alone[i]
		for at := 0; ; {
			next := strings.Index(r.text[at:], n.text)
			if next < 0 {
				break
			}
			start := at + next
			at = start + len(n.text)
			if (start == 0 || r.text[start-1] == '"') && (at == len(r.text) || r.text[at] == '"') {
				s.found = append(s.found, Match{r.origin(start), r.ending(at), s.m.values[n.value]})
			}
		}
	}
}
