package script

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// isToken reports whether a value looks made up by a program for one visit: long,
// without spaces, letters and digits mixed.
func isToken(value string) bool {
	letters, digits := 0, 0
	for _, r := range value {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		case r != '-' && r != '_' && r != '=' && r != '+' && r != '/' && r != '.':
			return false
		}
	}
	return letters+digits >= 20 && letters > 3 && digits > 3
}

// A Sends is a request that a form or a link would make. A * in its texts stands
// for any characters but a slash.
type Sends struct {
	Method  string `json:"method"`
	Address string `json:"address"`
	// Fields are those of a form, by name. Those that are not here are not compared:
	// tokens that are new each time.
	Fields []Field `json:"fields,omitempty"`
}

// differs says in what a request is another one; it is empty if it is that one.
func (s *Sends) differs(at place, now *engine.Outgoing) string {
	if now == nil {
		return fmt.Sprintf("%s %s was to be sent, and the page does not say what it would send", s.Method, s.Address)
	}
	if method := strings.ToUpper(now.Method); method != s.Method {
		return fmt.Sprintf("it would send %s %s, and not %s %s", method, at.path(now.URL), s.Method, s.Address)
	}
	if !fits(s.Address, at.path(now.URL)) {
		return fmt.Sprintf("it would send to %s, and not to %s", at.path(now.URL), s.Address)
	}
	if s.Fields == nil {
		return ""
	}
	left := slices.Clone(s.Fields)
	for _, f := range now.Fields {
		i := slices.IndexFunc(left, func(want Field) bool { return want.Name == f.Name && sameValue(want.Value, f.Value) })
		if i >= 0 {
			left = slices.Delete(left, i, i+1)
			continue
		}
		known := slices.ContainsFunc(s.Fields, func(want Field) bool { return want.Name == f.Name })
		if known || !f.Any && !isToken(f.Value) && f.Value != "" {
			return fmt.Sprintf("it would send %s=%q", f.Name, f.Value)
		}
	}
	for _, f := range left {
		return fmt.Sprintf("it would not send %s=%q", f.Name, f.Value)
	}
	return ""
}

// sameValue compares the value of a field. A star stands for anything, so that
// a person can write one.
func sameValue(want, now string) bool {
	if strings.Trim(want, "*") == "" && want != "" {
		return true
	}
	return want == now || strings.Contains(want, "*") && fits(want, now)
}
