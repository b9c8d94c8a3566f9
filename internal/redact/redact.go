// Package redact finds values that must not be shown in texts that others
// wrote, however those write them. It is the one place where that is decided,
// for results, prompts, logs, traces and recordings alike.
//
// A value is found
//
//   - behind escapes: of addresses, HTML, JSON and scripts, in each other;
//   - within Base64 and hexadecimal, also as a part of something longer;
//   - in the form that pages give to it: white space as one space, characters
//     without width between its letters, and, from six characters on, letters
//     of the other case and digits in groups.
//
// What is found is at most a little more than the value: an escape is not cut
// in two.
package redact

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Value is a text that must not be shown, under a name.
type Value struct{ Name, Text string }

// A Matcher finds values. It does not change, and may be used by several
// goroutines at once. A nil Matcher finds nothing.
type Matcher struct {
	plain  table    // needles in folded text
	joined table    // in folded text without separators between digits
	codes  table    // in its letters and digits alone
	alone  []needle // of a character or two
	values []Value
}

// New returns a matcher of values. Of equal texts the first one's name counts;
// a text of white space alone is never found.
func New(values []Value) *Matcher {
	m := &Matcher{}
	for _, v := range values {
		known := slices.ContainsFunc(m.values, func(o Value) bool { return o.Text == v.Text })
		if !known && strings.TrimSpace(v.Text) != "" {
			m.values = append(m.values, v)
			m.sharpen(len(m.values) - 1)
		}
	}
	if len(m.values) == 0 {
		return nil
	}
	m.plain.index()
	m.joined.index()
	m.codes.index()
	return m
}

// A Match is a place where a value stands, however it is written there.
type Match struct {
	Start, End int // of what was written, in bytes
	Value      Value
}

// Find returns the places where values stand, in order and apart from each
// other. A value of a character or two is found where it is the whole text or
// stands in quotes, and only if short is set: such stand everywhere.
func (m *Matcher) Find(text string, short bool) []Match {
	if m == nil || text == "" {
		return nil
	}
	s := scanner{m: m, short: short}
	s.scan(text)
	if len(s.found) == 0 {
		return nil
	}
	slices.SortStableFunc(s.found, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
	apart := s.found[:1]
	for _, f := range s.found[1:] {
		if last := &apart[len(apart)-1]; f.Start >= last.End {
			apart = append(apart, f)
		} else {
			last.End = max(last.End, f.End) // what overlaps goes as well
		}
	}
	return apart
}

// Replace puts what put returns in the place of each value. written is what
// stood there.
func (m *Matcher) Replace(text string, short bool, put func(v Value, written string) string) string {
	found := m.Find(text, short)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(put(f.Value, text[f.Start:f.End]))
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String()
}

// stretch is how many times its length a value takes at most where it is
// escaped once, or spread by separators.
const stretch = 10

// Reach is how many bytes a value takes about at most, as it is written. Who
// gets a text in pieces has to hold back so much of it.
func (m *Matcher) Reach() int {
	longest := 0
	if m != nil {
		for _, v := range m.values {
			longest = max(longest, stretch*len(v.Text))
		}
	}
	return longest
}

// sharpen makes the needles of a value: of itself, and of what is left of it
// where an escape that it contains by chance is resolved with the others.
func (m *Matcher) sharpen(value int) {
	text := m.values[value].Text
	m.sharpenForm(value, text)
	rounds := 0
	for r, ok := (&reading{text: text}).resolve(); ok && rounds < mostRounds; r, ok = r.resolve() {
		if len(strings.TrimSpace(r.text)) >= anywhere {
			m.sharpenForm(value, r.text)
		}
		rounds++
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(text); other != text {
			m.sharpenForm(value, other)
		}
	}
	if len(text) < anywhere {
		return
	}
	if named := strings.Map(inFileName, text); named != text {
		m.sharpenForm(value, named)
	}
	m.plain.add(needle{text: foldOf(hex.EncodeToString([]byte(text))), value: value})
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for lead := range 3 {
			whole := alphabet.EncodeToString(append(make([]byte, lead), text...))
			bits := 8 * (lead + len(text))
			inner := whole[(8*lead+5)/6 : bits/6]
			m.plain.add(needle{text: foldOf(inner), exact: tidy(inner), value: value, base64: true, before: min(lead, 1), after: min(bits%6, 1)})
		}
	}
}

// sharpenForm makes the needles of a value in one form.
func (m *Matcher) sharpenForm(value int, text string) {
	text = strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) })
	var plain, joined, code folded
	plain.fold(text)
	joined.join(&plain)
	code.strip(&plain)
	shape := string(plain.text)
	n := needle{text: shape, value: value}
	if utf8.RuneCountInString(shape) < caseless {
		n.exact = tidy(text)
	}
	switch {
	case shape == "":
		return
	case len(text) < anywhere-1:
		n.text = text
		m.alone = append(m.alone, n)
		return
	case len(text) == anywhere-1:
		n.word = true
	}
	m.plain.add(n)
	digits := countDigits(code.text)
	size := utf8.RuneCount(code.text)
	n.exact = ""
	if digits >= caseless {
		n.text = strings.TrimFunc(string(joined.text), func(r rune) bool { return separator([]byte(string(r))) > 0 })
		m.joined.add(n)
	}
	if size >= shortestCode && digits < size && digits*3 >= size && slices.IndexFunc(code.text, func(b byte) bool { return b == 0 }) < 0 {
		n.text = string(code.text)
		m.codes.add(n)
	}
}

// survey looks at a text once, and copies nothing: most texts of a page have
// nothing in them.
func (m *Matcher) survey(text string) (s survey) {
	filter := (*[1 << filterBits / 64]uint64)(m.plain.filter)
	var key uint32
	digits, run, mixed, space := 0, 0, false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf {
			s.worth = true // it is folded character by character
			run = 0
			continue
		}
		kind := kinds[c]
		if kind&in64 != 0 {
			run++
			mixed = mixed || run > 1 && kind&(digit|large) != 0
			if run == shortestWrapped {
				s.wrapped = s.wrapped || mixed
			} else if run > shortestWrapped && mixed {
				s.wrapped = true
			}
		} else {
			run, mixed = 0, false
		}
		if kind&digit != 0 {
			digits++
		}
		s.escaped = s.escaped || kind == escapes
		c = lower[c]
		if c == ' ' && space {
			continue
		}
		space = c == ' '
		key = (key<<8 | uint32(c)) & 0xffffff
		h := hash(key)
		s.worth = s.worth || filter[h/64]>>(h%64)&1 != 0
	}
	s.worth = s.worth || len(m.plain.tiny) > 0 ||
		len(m.joined.needles) > 0 && digits >= caseless || len(m.codes.needles) > 0 && digits*3 >= shortestCode
	return s
}
