package offline

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plural is the fit of a name that differs in number alone.
const plural = 65

// exact leaves out small words, but for one that ends the phrase as in "log in".
func exact(all []string) []string {
	var out []string
	for i, w := range all {
		if !small[w] || i > 0 && i == len(all)-1 && particles[w] != 0 {
			out = append(out, w)
		}
	}
	return out
}

func stems(list []string) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = stem(w)
	}
	return out
}

// particles make opposites of one verb: "log in" and "log out", "turn on" and "turn off".
var particles = map[string]int{"in": 1, "on": 2, "off": -2, "out": -1, "up": 3, "down": -3}

// denials turn a name into its opposite.
var denials = set("not", "dont", "never", "without", "no", "cannot", "cant", "decline", "refuse", "reject")

// contrary reports whether one of two texts denies what the other says.
func contrary(p, n []string) bool {
	for i, w := range n {
		if denials[w] && !slices.Contains(p, w) && !(w == "no" && i+1 < len(n) && n[i+1][0] >= '0' && n[i+1][0] <= '9') {
			return true
		}
	}
	for _, w := range p {
		if denials[w] && !slices.Contains(n, w) {
			return true
		}
	}
	for _, w := range p {
		if particles[w] == 0 || slices.Contains(n, w) {
			continue
		}
		for _, v := range n {
			if particles[v] != 0 && v != w && !slices.Contains(p, v) && (particles[v] == -particles[w] || particles[w] < 3 && v == "up") {
				return true // in and out, on and off, sign in and sign up
			}
		}
	}
	return false
}

// mostShownWords is from how many words on a text that holds them is the
// instruction itself and no name.
const mostShownWords = 4

// words splits a text into lower-case words of letters and digits. A hyphen or
// an apostrophe within a word is passed over, so that "e-mail" is "email".
func words(s string) []string {
	var out []string
	var b strings.Builder
	runes := []rune(strings.ToLower(s))
	flush := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	for i, r := range runes {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			b.WriteRune(r)
		case (r == '-' || r == '\'' || r == '’') && b.Len() > 0 && i+1 < len(runes) && unicode.IsLetter(runes[i+1]):
		default:
			flush()
		}
	}
	flush()
	return out
}

// small are words that tell nothing apart.
var small = set("the", "a", "an", "this", "that", "my", "your", "please", "of", "on", "in", "to", "for", "and", "with", "its", "is", "are", "it", "at", "by")

func set(list ...string) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, s := range list {
		m[s] = true
	}
	return m
}

// distinctive leaves out small words and brings plurals to the singular.
func distinctive(list []string) []string {
	var out []string
	for _, w := range list {
		if !small[w] {
			out = append(out, stem(w))
		}
	}
	return out
}

// stem takes a plural's ending off.
func stem(w string) string {
	switch {
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 4 && (strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "sses")):
		return w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us"):
		return w[:len(w)-1]
	}
	return w
}

// How well a phrase fits a name, from not at all to the same. Only equals are
// compared with each other: a better fit always wins.
const (
	noFit      = 0
	misspelled = 50  // all words, with slips of the pen
	part       = 60  // the name's words are a part of the phrase
	allWords   = 70  // the name holds all words
	inOrder    = 80  // the name holds the phrase
	nearly     = 90  // the same but for small words and plurals
	same       = 100 // the same but for case and punctuation
)

// A split is a text with its words.
type split struct {
	text   string
	all    []string
	joined string
}

func splitWords(text string) split {
	all := words(text)
	return split{strings.TrimSpace(text), all, strings.Join(all, "")}
}

// holds reports whether part stands in list without gaps.
func holds(list, part []string) bool {
	for i := 0; i+len(part) <= len(list); i++ {
		if slices.Equal(list[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

func subset(part, list []string, like func(a, b string) bool) bool {
	for _, w := range part {
		if !slices.ContainsFunc(list, func(v string) bool { return like(w, v) }) {
			return false
		}
	}
	return true
}

func equal(a, b string) bool { return a == b }

// similar reports whether two words differ by a slip of one letter behind the first.
func similar(a, b string) bool {
	if a == b {
		return true
	}
	n := min(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	switch {
	case n < 5 || stem(a) == stem(b) || strings.ContainsAny(a+b, "0123456789"):
		return false // "Send" is not "Sent", "1002" not "1003"
	case []rune(a)[0] != []rune(b)[0]:
		return false // "Deactivate" is not "activate"
	}
	return slip(a, b)
}

// slip reports whether one letter too many, too few, wrong, or swapped with its neighbour
// makes one word of the other.
func slip(a, b string) bool {
	s, t := []rune(a), []rune(b)
	if len(s) > len(t) {
		s, t = t, s
	}
	i := 0
	for i < len(s) && s[i] == t[i] {
		i++
	}
	rest := func(from, to int) bool { return slices.Equal(s[min(from, len(s)):], t[min(to, len(t)):]) }
	switch len(t) - len(s) {
	case 0:
		return rest(i+1, i+1) || i+1 < len(s) && s[i] == t[i+1] && s[i+1] == t[i] && rest(i+2, i+2)
	case 1:
		return rest(i, i+1)
	}
	return false
}

var enumeration = regexp.MustCompile(`(?i)\s*,\s*(?:and\s+)?|\s+and\s+|\s+&\s+`)

// harmless are words that say nothing about which element is meant.
var harmless = set("now", "again", "once", "here", "there", "page", "website", "screen", "option", "entry")

func harmlessBut(phrase, name []string) bool {
	for _, w := range phrase {
		if _, isKind := kindOf(w); !slices.Contains(name, w) && !harmless[w] && !isKind {
			return false
		}
	}
	return true
}

// nameFit reports how well a phrase fits the name of an element that is to be
// acted on. It is stricter than fit: no word of the phrase is passed over that
// could say something, and no name is taken that says the opposite.
func nameFit(p, n split) int {
	if len(p.all) == 0 || len(n.all) == 0 {
		if p.text != "" && p.text == n.text {
			return same // signs without letters, as "×"
		}
		return noFit
	}
	if p.joined == n.joined {
		return same
	}
	ep, en := exact(p.all), exact(n.all)
	if len(ep) == 0 || len(en) == 0 || contrary(p.all, n.all) {
		return noFit
	}
	switch {
	case slices.Equal(ep, en):
		return nearly
	case holds(n.all, p.all) || holds(en, ep):
		return inOrder
	case subset(ep, en, equal):
		return allWords
	case len(ep) > 1 && slices.Equal(stems(ep), stems(en)):
		return plural
	case subset(en, ep, equal) && 2*len(en) > len(ep) && harmlessBut(ep, en):
		return part
	case subset(ep, en, similar):
		return misspelled
	}
	return noFit
}
