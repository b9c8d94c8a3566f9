package recording

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// secrets are values that must not be in a recording, and the names that stand
// there for them. While a recording is replayed they are the values to put back.
type secrets struct {
	mu    sync.Mutex // protects what follows
	known []secret
	made  *change // of known; nil: has to be made
}

type secret struct{ name, value string }

// secretName is the name of what has none.
const secretName = "***"

// add takes a value. A name may have several: one-time codes, what a field made
// of a text. The one that was added last is put back for it.
func (s *secrets) add(name, value string) {
	if value == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := secret{name, value}
	if n := len(s.known); n > 0 && s.known[n-1] == one {
		return
	}
	s.known = append(slices.DeleteFunc(s.known, func(k secret) bool { return k == one }), one)
	s.made = nil
}

// A change puts tokens in the place of values, and values in that of tokens. It
// may be used by several goroutines at once; a nil one knows no value.
type change struct {
	matcher *redact.Matcher
	values  map[string]string // to put back, by name

	mu      sync.Mutex // protects spelled
	spelled map[[2]string]string
}

// change returns what the secrets known by now come to; nil if there are none.
func (s *secrets) change() *change {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made != nil || len(s.known) == 0 {
		return s.made
	}
	c := &change{values: map[string]string{}, spelled: map[[2]string]string{}}
	var values []redact.Value
	for _, k := range sorted(s.known) {
		values = append(values, redact.Value{Name: k.name, Text: k.value})
		if _, ok := c.values[k.name]; !ok {
			c.values[k.name] = k.value
		}
	}
	c.matcher = redact.New(values)
	s.made = c
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

// account is a user and password within an address.
var account = regexp.MustCompile(`://[^/?#@\s"<>]*:[^/?#@\s"<>]*@`)

// hide is what stands in a recording for a text.
func (c *change) hide(text string) string {
	if c != nil {
		text = c.matcher.Replace(text, true, c.token)
	}
	if strings.Contains(text, "@") && strings.Contains(text, "://") {
		text = account.ReplaceAllString(text, "://***@")
	}
	return text
}

// token stands for a value, with how it was written. Pages do not write so.
func (c *change) token(v redact.Value, written string) string {
	if v.Name == secretName {
		return secretName // nothing that is put back
	}
	if written == v.Text {
		return "⟪" + v.Name + "⟫"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := [2]string{v.Text, written}
	how, ok := c.spelled[key]
	if !ok {
		how = spellingOf(v.Text, written)
		c.spelled[key] = how
	}
	if how == "" {
		return "⟪" + v.Name + "⟫"
	}
	return "⟪" + v.Name + " " + how + "⟫"
}

var tokens = regexp.MustCompile(`⟪[^⟪⟫]*⟫`)

// back is what stood before tokens were put there: the values that are known
// now by the names, written as those were.
func (c *change) back(text string) string {
	if c == nil || !strings.Contains(text, "⟪") {
		return text
	}
	return tokens.ReplaceAllStringFunc(text, func(token string) string {
		inner := strings.TrimSuffix(strings.TrimPrefix(token, "⟪"), "⟫")
		for end := len(inner); end > 0; end = strings.LastIndexByte(inner[:end], ' ') {
			if value, ok := c.values[inner[:end]]; ok {
				return spell(value, strings.TrimPrefix(inner[end:], " "))
			}
		}
		return token
	})
}
