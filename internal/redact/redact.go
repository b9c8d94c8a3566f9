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
	"slices"
	"strings"
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
	s.scan(&reading{text: text}, 0)
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
