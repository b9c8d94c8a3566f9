package engine

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// mostCodes bounds how many one-time codes are remembered.
const mostCodes = 32

// secrets remembers the values of the variables that a session has used, so
// that a page which shows one back does not bring it to a model or a record.
// The zero value is ready; it may be used by several goroutines at once.
type secrets struct {
	// tell, if not nil, is told each value: a browser that records what passes
	// through it leaves them out, too. Set once, before the first use.
	tell    func(name, value string)
	matcher atomic.Pointer[redact.Matcher] // of values

	mu     sync.Mutex // protects what follows
	values []redact.Value
	codes  []string // one-time codes among the values, oldest first
}

// add remembers the values of variables.
func (s *secrets) add(vars map[string]Variable) {
	if len(vars) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.values)
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		v := vars[name]
		s.keep(v.Value, name)
		if v.TOTP != nil {
			s.keep(v.TOTP.Secret, name)
			s.keep(strings.TrimRight(cleanBase32(v.TOTP.Secret), "="), name)
		}
	}
	if len(s.values) != before {
		s.matcher.Store(redact.New(s.values))
	}
}

// addCode remembers a one-time code.
func (s *secrets) addCode(name, code string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.knows(code) {
		return
	}
	s.keep(code, name)
	s.codes = append(s.codes, code)
	if len(s.codes) > mostCodes {
		oldest := s.codes[0]
		s.values = slices.DeleteFunc(s.values, func(v redact.Value) bool { return v.Text == oldest })
		s.codes = s.codes[1:]
	}
	s.matcher.Store(redact.New(s.values))
}

// keep enters a value under the name of its variable; the first name stands.
func (s *secrets) keep(value, name string) {
	if s.tell != nil {
		s.tell(name, value)
	}
	if !s.knows(value) && strings.TrimSpace(value) != "" {
		s.values = append(s.values, redact.Value{Name: name, Text: value})
	}
}

func (s *secrets) knows(value string) bool {
	return slices.ContainsFunc(s.values, func(v redact.Value) bool { return v.Text == value })
}

// mask has the outline of a snapshot hide the values; opts may be nil.
func (s *secrets) mask(opts *accessibility.Options) *accessibility.Options {
	if s.matcher.Load() == nil {
		return opts
	}
	var masked accessibility.Options
	if opts != nil {
		masked = *opts
	}
	masked.Mask = s.hide
	return &masked
}

// hide puts the placeholders in the place of values, however they are written.
// Its time grows with the length of the text.
func (s *secrets) hide(text string) string { return s.replace(text, false) }

// hideShown hides what a result shows, where a value of a character or two is
// known for one: it is the whole text, or stands in quotes.
func (s *secrets) hideShown(text string) string { return s.replace(text, true) }

func (s *secrets) replace(text string, short bool) string {
	return s.matcher.Load().Replace(text, short, func(v redact.Value, _ string) string { return "%" + v.Name + "%" })
}

// hideJSON hides what stands in the strings of a JSON text. A number stays one,
// and nil stays nil.
func (s *secrets) hideJSON(data []byte) []byte {
	if data == nil || s.matcher.Load() == nil {
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
