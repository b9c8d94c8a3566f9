// Package flow tells which values of a text were read elsewhere than where the text
// goes. It knows no page and no model: readings come in by origin, and each is indexed
// once, so that the time of a search depends on the length of the sought text alone.
package flow

import (
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/redact"
)

// A Ledger holds what was read, by origin. The zero value is empty. A nil one takes
// nothing in; nobody may search it.
type Ledger struct {
	sources []*source
	said    source              // by the task, and by people
	sent    map[string][]string // to each destination, the newest values last
}

// A Found is a value that was read elsewhere.
type Found struct {
	Value string // as it goes out, folded
	From  string // the origin where it was read
	Label string // what stood beside it, or before it where nothing did
}

// A source is what one origin said.
type source struct {
	origin string
	only   bool // what a model or a program made of it; the origin itself need not know it
	lines  []string
	known  map[string]bool  // lines
	words  map[string]int32 // to the first line that has them
	grams  map[[gram]byte]int32
}

const (
	// Shortest is how many bytes a word has that carries a label, as the redactor
	// searches for values of that size wherever they stand.
	Shortest = 4
	// gram is how many letters and digits of a code are enough to know it by, of which
	// half at least are digits. A word that is read backwards is not shorter.
	gram = 6
	// together is how many values that went to one destination are read as one.
	together = 24
	// mostJoined bounds these, in bytes.
	mostJoined = 1024
)

func (s *source) add(text string) {
	if s.known == nil {
		s.known, s.words, s.grams = map[string]bool{}, map[string]int32{}, map[[gram]byte]int32{}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || s.known[line] {
			continue
		}
		s.known[line] = true
		at := int32(len(s.lines))
		s.lines = append(s.lines, line)
		for _, reading := range redact.Readings(line) {
			parts := split(reading)
			for _, w := range parts.words {
				if _, ok := s.words[w]; !ok {
					s.words[w] = at
				}
			}
			for g := range parts.grams() {
				if _, ok := s.grams[g]; !ok {
					s.grams[g] = at
				}
			}
		}
	}
}

// knows reports whether a source says a word, or all of it in groups.
func (s *source) knows(word string) bool {
	if _, ok := s.words[word]; ok {
		return true
	}
	count := 0
	p := parts{code: word}
	for g := range p.grams() {
		if _, ok := s.grams[g]; !ok {
			return false
		}
		count++
	}
	return count > 0 && count == len(word)-gram+1
}

// label is what a line says beside a value that a text takes along, or the line before it
// where it says no more.
func (s *source) label(at int32, value string, text []string) string {
	if own := beside(s.lines[at], value, text); own != "" || at == 0 {
		return own
	}
	return beside(s.lines[at-1], value, nil)
}

// separator ends a value within a line: what follows may be another one, with a name of
// its own.
var separator = regexp.MustCompile(`[,;|•·](?:\s|$)`)

// beside are the words of a line without the value, those that the text has around it, and
// digits. A value of several words ends at a separator, unless the text has the whole line;
// and it does not take along a name: a part that the text has whole keeps its words.
func beside(line, value string, text []string) string {
	whole := split(line).runs
	if _, n := shared(whole, value, text); n > 0 && n == len(whole) {
		return ""
	}
	var words []string
	for _, part := range separator.Split(line, -1) {
		runs := split(part).runs
		if at, n := shared(runs, value, text); n < len(runs) {
			runs = slices.Delete(runs, at, at+n)
		}
		words = append(words, runs...)
	}
	words = slices.DeleteFunc(words, func(w string) bool { return strings.Contains(value, w) || hasDigit(w) })
	return strings.Join(words, " ")
}

// shared is the longest stretch of words that a text has, too, and that has the value: n
// words from one on.
func shared(words []string, value string, text []string) (at, n int) {
	for i := range words {
		for k := range text {
			same := 0
			for i+same < len(words) && k+same < len(text) && words[i+same] == text[k+same] {
				same++
			}
			if same > n && strings.Contains(strings.Join(words[i:i+same], ""), value) {
				at, n = i, same
			}
		}
	}
	return at, n
}

// Say takes in what the task, or a person, says: it carries no label.
func (l *Ledger) Say(text string) {
	if l != nil {
		l.said.add(text)
	}
}

// Read takes in what an origin shows.
func (l *Ledger) Read(origin, text string) {
	if l != nil {
		l.source(origin, false).add(text)
	}
}

// Derive takes in what a model or a program made of an origin's data.
func (l *Ledger) Derive(origin, text string) {
	if l != nil {
		l.source(origin, true).add(text)
	}
}

func (l *Ledger) source(origin string, only bool) *source {
	for _, s := range l.sources {
		if s.origin == origin && s.only == only {
			return s
		}
	}
	s := &source{origin: origin, only: only}
	l.sources = append(l.sources, s)
	return s
}

// Sent takes in what has gone to a destination, which knows it from then on.
func (l *Ledger) Sent(to, text string) {
	if l == nil {
		return
	}
	l.Read(to, text)
	if l.sent == nil {
		l.sent = map[string][]string{}
	}
	before := append(l.sent[to], text)
	l.sent[to] = before[max(0, len(before)-together):]
}

// Find returns the values of texts that were read from other origins than their
// destination, and that neither the destination nor the task says. What goes to one
// destination is read together, one text after the other, with what went before.
func (l *Ledger) Find(to string, texts ...string) (out []Found) {
	knows := []*source{&l.said, l.source(to, false)}
	seen := map[string]bool{}
	look := func(ways []reading) {
		for _, r := range ways {
			l.find(r, to, knows, seen, &out)
		}
	}
	all := slices.Concat(l.sent[to], texts)
	for at := len(l.sent[to]); at < len(all); at++ {
		joined := all[at]
		look(readings(joined))
		first := max(0, at-together)
		for i := at - 1; i >= first && len(joined) < mostJoined; i-- {
			joined = all[i] + joined
			if i == at-1 || i == first || len(joined) >= mostJoined {
				look(readings(joined))
			} else {
				look([]reading{{text: joined}, {backwards(joined), true}})
			}
		}
	}
	return out
}

func (l *Ledger) find(r reading, to string, knows []*source, seen map[string]bool, out *[]Found) {
	parts := split(r.text)
	enter := func(value string, s *source, at int32) {
		if !seen[value] {
			seen[value] = true
			*out = append(*out, Found{value, s.origin, s.label(at, value, parts.runs)})
		}
	}
	for _, w := range parts.words {
		if r.turned && len(w) < gram || slices.ContainsFunc(knows, func(s *source) bool { return s.knows(w) }) {
			continue
		}
		for _, s := range l.sources {
			if at, ok := s.words[w]; ok && s.origin != to {
				enter(w, s, at)
				break
			}
		}
	}
	for g := range parts.grams() {
		if slices.ContainsFunc(knows, func(s *source) bool { _, ok := s.grams[g]; return ok }) {
			continue
		}
		for _, s := range l.sources {
			at, ok := s.grams[g]
			if !ok || s.origin == to {
				continue
			}
			value := string(g[:])
			if !slices.ContainsFunc(*out, func(f Found) bool { return strings.Contains(f.Value, value) }) {
				enter(wider(parts.code, s, value), s, at)
			}
			break
		}
	}
}

// wider is the stretch of a code around a part of it that a source knows.
func wider(code string, s *source, part string) string {
	start := strings.Index(code, part)
	end := start + gram
	for end < len(code) {
		if _, ok := s.grams[[gram]byte([]byte(code[end-gram+1:end+1]))]; !ok {
			break
		}
		end++
	}
	return code[start:end]
}

// A reading is one way to read a text.
type reading struct {
	text   string
	turned bool // it is none that a person would read
}

// readings are the ways in which a text is read: behind escapes, in Base64 and
// hexadecimal, backwards, and with digits in words.
func readings(text string) (out []reading) {
	for _, plain := range redact.Readings(text) {
		texts := []string{plain}
		for _, run := range hexRun.FindAllString(plain, -1) {
			digits := hexGap.ReplaceAllString(run, "")
			if raw, err := hex.DecodeString(digits[:len(digits)&^1]); err == nil {
				texts = append(texts, string(raw))
			}
		}
		for _, t := range texts {
			out = append(out, reading{text: t}, reading{backwards(t), true})
			if words := digitWord.ReplaceAllStringFunc(t, func(w string) string { return digitOf[strings.ToLower(w)] }); words != t {
				out = append(out, reading{text: words}, reading{backwards(words), true})
			}
		}
	}
	return out
}

var (
	hexRun    = regexp.MustCompile(`(?i)(?:[0-9a-f]{2}[ :,-]?){4,}`)
	hexGap    = regexp.MustCompile(`[ :,-]`)
	digitWord = regexp.MustCompile(`(?i)\b(?:zero|one|two|three|four|five|six|seven|eight|nine)\b`)
	digitOf   = map[string]string{"zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9"}
)

func backwards(text string) string {
	r := []rune(text)
	slices.Reverse(r)
	return string(r)
}
