package engine

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/llm"
)

var placeholder = regexp.MustCompile(`%([A-Za-z_][A-Za-z0-9_]*)%`)

// substitute puts the values of variables in the place of %name%. A name that
// is not a variable stays as it is: a percent sign is a percent sign.
func substitute(args []string, vars map[string]Variable) []string {
	out := make([]string, len(args))
	for i, arg := range args {
		out[i] = placeholder.ReplaceAllStringFunc(arg, func(m string) string {
			if v, ok := vars[m[1:len(m)-1]]; ok {
				return v.Value
			}
			return m
		})
	}
	return out
}

// checkVariables refuses names that could not stand between percent signs.
func checkVariables(vars map[string]Variable) error {
	for name := range vars {
		if whole := "%" + name + "%"; placeholder.FindString(whole) != whole {
			return fmt.Errorf("%w: variable name %q; a name is letters, digits and _, and begins with a letter", ErrInvalid, name)
		}
	}
	return nil
}

// variableParts tells a model which placeholders it may use.
func variableParts(vars map[string]Variable) []llm.Part {
	if len(vars) == 0 {
		return nil
	}
	names := make([]string, 0, len(vars))
	for name := range vars {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("Placeholders that stand for values you are not shown. Use them in arguments exactly as written:\n")
	for _, name := range names {
		fmt.Fprintf(&b, "%%%s%%", name)
		if d := vars[name].Description; d != "" {
			b.WriteString(": " + d)
		}
		b.WriteByte('\n')
	}
	return []llm.Part{llm.Text{Text: b.String()}}
}

// shortestSecret is the length below which a value is not searched for in
// other texts: a digit or a "yes" stands everywhere.
const shortestSecret = 4

// secrets remembers the values of the variables that a session has used, so
// that a page which shows one back does not bring it to a model or a record.
type secrets struct {
	tell   func(name, value string) // a browser that keeps what passes through it; may be nil
	mu     sync.Mutex               // protects what follows
	values map[string]string        // value, in each spelling → placeholder
	sorted []string                 // longest first
}

func (s *secrets) add(vars map[string]Variable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, v := range vars {
		if s.tell != nil {
			s.tell(name, v.Value)
		}
		if len(v.Value) < shortestSecret {
			continue
		}
		if s.values == nil {
			s.values = map[string]string{}
		}
		for _, spelling := range spellings(v.Value) {
			if _, ok := s.values[spelling]; !ok {
				s.sorted = append(s.sorted, spelling)
			}
			s.values[spelling] = "%" + name + "%"
		}
	}
	slices.SortFunc(s.sorted, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
}

// formLetters and scriptLetters are where forms, and encodeURIComponent of
// scripts, differ from package url.
var (
	formLetters   = strings.NewReplacer("%2A", "*", "~", "%7E")
	scriptLetters = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
)

// spellings are the ways in which a value stands in texts: as it is, and in an
// address, as a form writes it, as scripts do, and as a part of a path.
func spellings(value string) []string {
	escaped := url.QueryEscape(value)
	list := []string{value, formLetters.Replace(escaped), scriptLetters.Replace(escaped), url.PathEscape(value), escaped}
	slices.Sort(list)
	return slices.Compact(list)
}

// hide puts the placeholders back in the place of values.
func (s *secrets) hide(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, value := range s.sorted {
		if strings.Contains(text, value) {
			text = strings.ReplaceAll(text, value, s.values[value])
		}
	}
	return text
}
