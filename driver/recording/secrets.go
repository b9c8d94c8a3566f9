package recording

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// shortest is the length below which a value is hidden only where it stands
// alone: a digit or a "yes" stands everywhere.
const shortest = 4

// secrets are values that must not be in a recording, and the names that stand
// there for them. While a recording is replayed they are the values to put back.
type secrets struct {
	mu    sync.Mutex // protects what follows
	known []secret
}

type secret struct{ name, value string }

// add takes a value. A name may have several: one-time codes, what a field made
// of a text. The one that was added last is put back for it.
func (s *secrets) add(name, value string) {
	if value == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := secret{name, value}
	s.known = append(slices.DeleteFunc(s.known, func(k secret) bool { return k == one }), one)
}

// A change is a replacement of text.
type change struct {
	inText *strings.Replacer
	alone  map[string]string
}

// hider puts tokens in the place of values, restorer values in that of tokens.
// Both are nil where nothing is known.
func (s *secrets) hider() *change {
	return s.change(func(from, to string) (string, string) { return from, to })
}
func (s *secrets) restorer() *change {
	return s.change(func(from, to string) (string, string) { return to, from })
}

func (s *secrets) change(order func(spelled, token string) (from, to string)) *change {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.known) == 0 {
		return nil
	}
	type pair struct{ from, to string }
	var pairs []pair
	c := &change{alone: map[string]string{}}
	for _, k := range sorted(s.known) {
		if utf8.RuneCountInString(k.value) < shortest {
			if from, to := order(k.value, token(k.name, "")); c.alone[from] == "" {
				c.alone[from] = to
			}
			continue
		}
		for _, sp := range spellings {
			if spelled := sp.spell(k.value); len(spelled) >= sp.least {
				from, to := order(spelled, token(k.name, sp.name))
				pairs = append(pairs, pair{from, to})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return len(b.from) - len(a.from) })
	var list []string
	seen := map[string]bool{}
	for _, p := range pairs {
		if !seen[p.from] {
			seen[p.from] = true
			list = append(list, p.from, p.to)
		}
	}
	c.inText = strings.NewReplacer(list...)
	return c
}

// sorted puts what has a name before what has none, since a name can be played
// with another value, and within that the latest first.
func sorted(known []secret) []secret {
	var names, rest []secret
	for _, k := range slices.Backward(known) {
		if k.name == secretName {
			rest = append(rest, k)
		} else {
			names = append(names, k)
		}
	}
	return append(names, rest...)
}

// token stands for a value in one of its spellings. Pages do not write so.
func token(name, spelling string) string {
	if name == secretName {
		return secretName // nothing that is put back
	}
	if spelling != "" {
		name += " " + spelling
	}
	return "⟪" + name + "⟫"
}

// account is a user and password within an address.
var account = regexp.MustCompile(`://[^/?#@\s"<>]*:[^/?#@\s"<>]*@`)

// hide is what stands in a recording for a text.
func (c *change) hide(text string) string {
	text = c.apply(text)
	if strings.Contains(text, "@") && strings.Contains(text, "://") {
		text = account.ReplaceAllString(text, "://***@")
	}
	return text
}

func (c *change) apply(text string) string {
	if c == nil || text == "" {
		return text
	}
	if to, ok := c.alone[text]; ok {
		return to
	}
	if c.inText == nil {
		return text
	}
	return c.inText.Replace(text)
}

// back is what stood before a token was put there.
func (c *change) back(text string) string { return c.apply(text) }
