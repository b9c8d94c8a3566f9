package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// Values of this many bytes and more are searched for wherever they stand.
// Those of one less are searched for as words, and shorter ones only where
// they are all that is said: a digit or a "yes" stands everywhere.
const shortestSecret = 4

// mostCodes bounds how many one-time codes are remembered.
const mostCodes = 32

// secrets remembers the values of the variables that a session has used, so
// that a page which shows one back does not bring it to a model or a record.
// The zero value is ready; it may be used by several goroutines at once.
type secrets struct {
	// tell, if not nil, is told each value: a browser that records what passes
	// through it leaves them out, too. Set once, before the first use.
	tell    func(name, value string)
	needles atomic.Pointer[[]needle] // never changed, only replaced

	mu     sync.Mutex        // protects what follows
	values map[string]string // value → placeholder
	codes  []string          // one-time codes among the values, oldest first
}

// A needle is one spelling of one value.
type needle struct {
	spelling
	placeholder string
	length      int // of the value
}

// add remembers the values of variables.
func (s *secrets) add(vars map[string]Variable) {
	if len(vars) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.values)
	for name, v := range vars {
		s.keep(v.Value, name)
		if v.TOTP != nil {
			s.keep(v.TOTP.Secret, name)
			s.keep(strings.TrimRight(cleanBase32(v.TOTP.Secret), "="), name)
		}
	}
	if len(s.values) != before {
		s.sharpen()
	}
}

// addCode remembers a one-time code.
func (s *secrets) addCode(name, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.values[code]; ok {
		return
	}
	s.keep(code, name)
	s.codes = append(s.codes, code)
	if len(s.codes) > mostCodes {
		delete(s.values, s.codes[0])
		s.codes = s.codes[1:]
	}
	s.sharpen()
}

// keep enters a value under the name of its variable; the first name stands.
func (s *secrets) keep(value, name string) {
	if s.tell != nil {
		s.tell(name, value)
	}
	if s.values == nil {
		s.values = map[string]string{}
	}
	if _, ok := s.values[value]; !ok && strings.TrimSpace(value) != "" {
		s.values[value] = "%" + name + "%"
	}
}

// sharpen makes the needles of the values.
func (s *secrets) sharpen() {
	var all []needle
	for value, placeholder := range s.values {
		for _, sp := range spellings(value) {
			all = append(all, needle{sp, placeholder, len(value)})
		}
	}
	slices.SortFunc(all, func(a, b needle) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	s.needles.Store(&all)
}

// mask has the outline of a snapshot hide the values; opts may be nil.
func (s *secrets) mask(opts *accessibility.Options) *accessibility.Options {
	if s.needles.Load() == nil {
		return opts
	}
	var masked accessibility.Options
	if opts != nil {
		masked = *opts
	}
	masked.Mask = s.hide
	return &masked
}

// hide puts the placeholders in the place of values, however they are escaped.
// Its time grows with the length of the text times the number of values.
func (s *secrets) hide(text string) string { return s.replace(text, false) }

// hideShown hides what a result shows, where a value of a character or two is
// known for one: it is the whole text, or stands in quotes.
func (s *secrets) hideShown(text string) string { return s.replace(text, true) }

func (s *secrets) replace(text string, short bool) string {
	needles := s.needles.Load()
	if needles == nil || text == "" {
		return text
	}
	found := locate(text, *needles, short)
	if len(found) == 0 {
		return text
	}
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var b strings.Builder
	at := 0
	for _, f := range found {
		if f.start >= at {
			b.WriteString(text[at:f.start])
			b.WriteString(f.placeholder)
		}
		at = max(at, f.end) // what overlaps goes as well
	}
	b.WriteString(text[at:])
	return b.String()
}

// A span is a part of a text in which a value stands.
type span struct {
	start, end  int
	placeholder string
}

// locate finds the values in all readings of a text.
func locate(text string, needles []needle, short bool) []span {
	var found []span
	for _, r := range readings(text) {
		for i := range needles {
			n := &needles[i]
			for at := 0; ; {
				next := strings.Index(r.text[at:], n.text)
				if next < 0 {
					break
				}
				start := at + next
				end := start + len(n.text)
				at = end
				if n.stands(r.text, start, end, short) {
					start, end = n.widen(r.text, start, end)
					found = append(found, span{r.origin(start), r.origin(end), n.placeholder})
				}
			}
		}
	}
	return found
}

// stands reports whether what was found is the value, and not a part of a word
// or number that has nothing to do with it.
func (n *needle) stands(text string, start, end int, short bool) bool {
	if n.length >= shortestSecret {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])
	if n.length == shortestSecret-1 {
		return (start == 0 || !inWord(before)) && (end == len(text) || !inWord(after))
	}
	return short && (start == 0 || before == '"') && (end == len(text) || after == '"')
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// widen takes in the characters beside a value in base64 that carry a part of it.
func (n *needle) widen(text string, start, end int) (int, int) {
	if !n.base64 {
		return start, end
	}
	if n.before > 0 && start > 0 && isBase64(text[start-1]) {
		start--
	}
	if n.after > 0 && end < len(text) && isBase64(text[end]) {
		end++
	}
	for end < len(text) && text[end] == '=' {
		end++
	}
	return start, end
}

func isBase64(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("+/-_", b) >= 0
}

// hideJSON hides what stands in the strings of a JSON text. A number stays one,
// and nil stays nil.
func (s *secrets) hideJSON(data []byte) []byte {
	if data == nil || s.needles.Load() == nil {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] != '"' {
			out = append(out, data[i])
			i++
			continue
		}
		end := i + 1
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		out = append(out, '"')
		out = append(out, s.hide(string(data[i+1:end]))...)
		i = end
		if i < len(data) {
			out = append(out, '"')
			i++
		}
	}
	return out
}
