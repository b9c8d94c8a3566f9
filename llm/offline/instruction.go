package offline

import (
	"regexp"
	"strings"
)

// firstQuote is the first of the private characters that stand for quoted
// strings while an instruction is taken apart.
const (
	firstQuote = '\ue000'
	lastQuote  = '\ue0ff'
)

// An instruction is what was asked, with its quoted strings taken out so that
// the words in them do not count as verbs or as connections.
type instruction struct {
	text   string
	raw    string // text with its line breaks and full stops
	quotes []string
	joined string // of a step of a task: it and the next, as they were written
}

var quoted = regexp.MustCompile("\"([^\"]*)\"|“([^”]*)”|«([^»]*)»|„([^“”]*)[“”]|`([^`]*)`|(?:^|[\\s(])'([^']*(?:'\\w[^']*)*)'(?:$|[\\s).,;:])")

func parseInstruction(s string) *instruction {
	in := &instruction{}
	s = strings.Map(func(r rune) rune { // the private characters are ours
		if r >= firstQuote && r <= lastQuote {
			return ' '
		}
		return r
	}, s)
	var b strings.Builder
	for {
		m := quoted.FindStringSubmatchIndex(s)
		if m == nil || len(in.quotes) > lastQuote-firstQuote {
			break
		}
		from, to := m[0], m[1]
		for g := 1; g < len(m)/2; g++ {
			if m[2*g] < 0 {
				continue
			}
			if g == 6 { // single quotes: what stands around them stays
				from, to = m[12]-1, m[13]+1
			}
			in.quotes = append(in.quotes, s[m[2*g]:m[2*g+1]])
			break
		}
		b.WriteString(s[:from])
		b.WriteRune(firstQuote + rune(len(in.quotes)-1))
		s = s[to:]
	}
	b.WriteString(s)
	in.raw = strings.TrimSpace(b.String())
	text := strings.Join(strings.Fields(in.raw), " ")
	text = courtesy.ReplaceAllString(text, "")
	in.text = strings.TrimRight(text, ".!")
	if strings.TrimSpace(in.text) == "" {
		in.text = text
	}
	return in
}

var courtesy = regexp.MustCompile(`(?i)^(?:please|now|then|next|and|kindly|could you|can you)[ ,]+`)

// say puts the quoted strings back, without their quotes.
func (in *instruction) say(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= firstQuote && r <= lastQuote }) {
		return strings.TrimSpace(s)
	}
	var b strings.Builder
	for _, r := range s {
		if n := int(r - firstQuote); r >= firstQuote && n < len(in.quotes) {
			b.WriteString(in.quotes[n])
			continue
		}
		b.WriteRune(r)
	}
	return strings.TrimSpace(b.String())
}

// A pair is an instruction's object parted at a connecting word.
type pair struct{ left, right string }

// mostPairs bounds at how many places an instruction is parted, half of
// them from its end: what stands between is a long text, and connects nothing.
const mostPairs = 8

// split parts a text at every place where the pattern stands, the last first.
func (in *instruction) split(s string, connection *regexp.Regexp) []pair {
	var out []pair
	for from := 0; from < len(s); {
		m := connection.FindStringIndex(s[from:])
		if m == nil {
			break
		}
		left, right := s[:from+m[0]], s[from+m[1]:]
		if strings.TrimSpace(left) != "" && strings.TrimSpace(right) != "" {
			out = append([]pair{{in.say(left), in.say(right)}}, out...)
		}
		from += m[0] + 1
	}
	if len(out) > mostPairs {
		out = append(out[:mostPairs/2:mostPairs/2], out[len(out)-mostPairs/2:]...)
	}
	return out
}
