package verdict

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

// A Clause is a part of an instruction: a verb, and what it is about.
type Clause struct {
	Text string
	Kind Kind
	// Literal says that the verb is one of a page's controls: to click, to fill.
	Literal bool
	// Tokens are what evidence has to speak of.
	Tokens []Token
	// Words are the other words that mean something, in lower case.
	Words []string
}

// A Token is a quoted text, a number, a date or a name.
type Token struct {
	Text string
	kind tokenKind
	want []string // in normal form; one of them has to be there
}

type tokenKind uint8

const (
	name tokenKind = iota
	quoted
	number
	amount // a number in words: said, or done so often
	tally  // a number of things, all of them and no more: done so often
	oneDay
)

var (
	quotes = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»|‘([^’]+)’|(?:^|\s)'([^']+)'(?:[\s.,;!?]|$)`)
	ends   = regexp.MustCompile(`[!?;](?:\s+|$)|\.(?:\s+|$)`)
	dates  = regexp.MustCompile(`(?i)\b(?:(\p{L}{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?(?:, ([0-9]{4}))?|([0-9]{1,2})(?:\.|er|st|nd|rd|th)? (\p{L}{3,9})\.?(?: ([0-9]{4}))?)(?:[^\p{L}\p{N}]|$)`)
	digits = regexp.MustCompile(`[0-9]+(?: [0-9]{2,4})+(?:\b|$)|[0-9]+(?:[.,:/'’-][0-9]+)*`)
	word   = regexp.MustCompile(`%[\p{L}\p{N}_]+%|[\p{L}\p{N}_@/][\p{L}\p{N}_@/.'’-]*`)
)

// Divide divides an instruction into clauses.
func Divide(instruction string) []Clause { return divide(instruction, inGerman(instruction)) }

// inGerman reports whether a text is German.
func inGerman(text string) bool {
	low := strings.Fields(strings.ToLower(quotes.ReplaceAllString(text, " ")))
	return count(low, german) >= 2 || strings.ContainsAny(text, "äöüß") || len(low) > 0 && germanVerbs[low[0]]
}

func divide(instruction string, isGerman bool) []Clause {
	var held []string
	hold := func(text string) string {
		held = append(held, strings.TrimSpace(text))
		return fmt.Sprintf(" \x00%c ", rune(0xE000+len(held)-1))
	}
	text := quotes.ReplaceAllStringFunc(instruction, func(m string) string {
		parts := quotes.FindStringSubmatch(m)
		for _, p := range parts[1:] {
			if p != "" {
				return hold(p)
			}
		}
		return m
	})
	var clauses []Clause
	for _, sentence := range sentences(text) {
		// What follows a colon is said word for word, unless it is an order itself.
		if before, after, ok := strings.Cut(sentence, ": "); ok {
			if w := word.FindString(after); w == "" || !isVerb(w) {
				sentence = before + hold(strings.TrimRight(after, ". "))
			}
		}
		for i, part := range split(sentence) {
			c := clause(part, i == 0, isGerman, held)
			// What has no verb of its own belongs to what stood before.
			if n := len(clauses); n > 0 && !c.verb && (len(c.Tokens) > 0 || len(c.Words) > 0) && i > 0 {
				last := &clauses[n-1]
				last.Text += ", " + c.Text
				last.Tokens, last.Words = append(last.Tokens, c.Tokens...), append(last.Words, c.Words...)
				continue
			}
			if len(c.Tokens) > 0 || len(c.Words) > 0 || c.verb {
				clauses = append(clauses, c.Clause)
			}
		}
	}
	return settle(clauses)
}

// settle joins sentences without a verb to those that have one.
func settle(clauses []Clause) []Clause {
	hasVerb := false
	for _, c := range clauses {
		hasVerb = hasVerb || c.Kind != Change || c.Literal || startsWithVerb(c.Text)
	}
	var out []Clause
	for _, c := range clauses {
		stated := c.Kind == Change && !startsWithVerb(c.Text)
		if n := len(out); stated && (n > 0 || hasVerb) {
			if n == 0 {
				out = append(out, c) // the next one takes it
				continue
			}
			last := &out[n-1]
			last.Text += ". " + c.Text
			last.Tokens, last.Words = append(last.Tokens, c.Tokens...), append(last.Words, c.Words...)
			continue
		}
		if n := len(out); n == 1 && out[0].Kind == Change && !startsWithVerb(out[0].Text) {
			c.Text = out[0].Text + ". " + c.Text
			c.Tokens, c.Words = append(out[0].Tokens, c.Tokens...), append(out[0].Words, c.Words...)
			out[0] = c
			continue
		}
		out = append(out, c)
	}
	return out
}

func startsWithVerb(text string) bool {
	for _, w := range word.FindAllString(text, 4) {
		if joints[strings.ToLower(w)] {
			continue
		}
		return isVerb(w)
	}
	return false
}

func isVerb(w string) bool { _, ok := verbs[strings.ToLower(w)]; return ok }

// sentences cuts at full stops, not at those of a date or an abbreviation.
func sentences(text string) (out []string) {
	from := 0
	for _, at := range ends.FindAllStringIndex(text, -1) {
		before := text[from:at[0]]
		if text[at[0]] == '.' && at[1] < len(text) {
			last := before[strings.LastIndexAny(before, " ")+1:]
			next, _ := utf8.DecodeRuneInString(text[at[1]:])
			if isDigits(last) && len(last) <= 2 || unicode.IsLower(next) {
				continue
			}
		}
		end := at[0]
		if text[at[0]] == '?' {
			end++ // it is a question
		}
		out = append(out, text[from:end])
		from = at[1]
	}
	if strings.TrimSpace(text[from:]) != "" {
		out = append(out, text[from:])
	}
	return out
}

// split cuts a sentence before each verb that follows a comma or a conjunction.
func split(sentence string) (out []string) {
	from, may := 0, false
	last := 0
	for _, at := range word.FindAllStringIndex(sentence, -1) {
		w := strings.ToLower(sentence[at[0]:at[1]])
		gap := sentence[last:at[0]]
		if strings.ContainsAny(gap, ",;") {
			may = true
		}
		switch {
		case joints[w]:
			may = true
		case may && isVerb(w):
			out = append(out, sentence[from:at[0]])
			from, may = at[0], false
		default:
			may = false
		}
		last = at[1]
	}
	return append(out, sentence[from:])
}

type parsed struct {
	Clause
	verb bool
}

// clause reads one part.
func clause(text string, first, isGerman bool, held []string) parsed {
	var c parsed
	shown := text
	for i, h := range held {
		shown = strings.ReplaceAll(shown, fmt.Sprintf("\x00%c", rune(0xE000+i)), fmt.Sprintf("%q", h))
		if mark := fmt.Sprintf(" \x00%c ", rune(0xE000+i)); strings.Contains(text, mark) {
			text = strings.ReplaceAll(text, mark, " \x00 ")
			c.Tokens = append(c.Tokens, Token{Text: h, kind: quoted, want: []string{strings.TrimRight(normal(h), ".!? ")}})
		}
	}
	c.Text = strings.Trim(strings.Join(strings.Fields(shown), " "), " ,.")
	asks := strings.HasSuffix(c.Text, "?")
	text = dates.ReplaceAllStringFunc(text, func(m string) string {
		if t, ok := date(m); ok {
			c.Tokens = append(c.Tokens, t)
			return " \x00 "
		}
		return m
	})
	text = digitTokens(text, &c.Clause)
	words := word.FindAllString(text, -1)
	places := word.FindAllStringIndex(text, -1)
	begun, conditional := false, false
	for i, raw := range words {
		w := strings.TrimRight(raw, ".'’-/")
		low := strings.ToLower(w)
		initial := first && i == 0
		if !begun && !joints[low] {
			begun = true
			kind, ok := verbs[low]
			if ok {
				c.Kind, c.verb = kind, true
				c.Literal = kind == Press || kind == Enter || kind == Choose
				continue
			}
			if asks {
				c.Kind, c.verb = Read, true
			}
		}
		if conditions[low] {
			conditional = true
			continue
		}
		r, _ := utf8.DecodeRuneInString(w)
		switch {
		case conditional || w == "":
		case strings.HasPrefix(w, "%") || strings.ContainsAny(w, "@/") || strings.Contains(w, ".") || hasDigit(w):
			c.Tokens = append(c.Tokens, Token{Text: w, kind: name, want: []string{normal(w)}})
		case numerals[low] != "" && !initial:
			kind := amount
			if counts(words[:i]) {
				kind = tally
			}
			c.Tokens = append(c.Tokens, Token{Text: w, kind: kind, want: []string{numerals[low], low}})
		case hours[low] != "":
			c.Tokens = append(c.Tokens, Token{Text: w, kind: name, want: []string{hours[low], low}})
		case plain[low]:
		case isGerman && strings.HasPrefix(strings.TrimSpace(text[places[i][1]:]), numberMark):
			c.Words = append(c.Words, low) // a German noun before its number: das Konto 2005
		case unicode.IsUpper(r) && isName(words, i, initial, isGerman):
			c.Tokens = append(c.Tokens, Token{Text: w, kind: name, want: append(calendar.Same(low), normal(w))})
		case !empty[low] && !joints[low]:
			c.Words = append(c.Words, low)
		}
	}
	// To tell somebody a text is no reading: the text has to reach them.
	if c.Kind == Read && slices.ContainsFunc(c.Tokens, func(t Token) bool { return t.kind == quoted }) {
		if w := strings.ToLower(firstWord(c.Text)); w == "tell" || w == "report" {
			c.Kind = Change
		}
	}
	return c
}

// counts reports whether the words before a number make it one of things to count:
// "exactly two", "all eight", "each of the three", "the first two".
func counts(before []string) bool {
	for _, w := range slices.Backward(before) {
		switch low := strings.ToLower(w); {
		case counting[low]:
			return true
		case !articles[low]:
			return false
		}
	}
	return false
}

// isName reports whether a capitalized word is a name. At the beginning of a sentence
// it is one before another. A German noun is written so, too: it is no name behind a
// determiner, be there adjectives between them.
func isName(words []string, i int, initial, isGerman bool) bool {
	if initial {
		if i+1 < len(words) && !isGerman {
			r, _ := utf8.DecodeRuneInString(words[i+1])
			return unicode.IsUpper(r) && !isVerb(words[i])
		}
		return false
	}
	for k := i - 1; k >= 0 && isGerman; k-- {
		if determiners[strings.ToLower(words[k])] {
			return false
		}
		if r, _ := utf8.DecodeRuneInString(words[k]); unicode.IsUpper(r) {
			break
		}
	}
	return true
}

// date reads a day with its month by name.
func date(text string) (Token, bool) {
	m := dates.FindStringSubmatch(text)
	month, day, year := m[1], m[2], m[3]
	if month == "" {
		day, month, year = m[4], m[5], m[6]
	}
	n, ok := calendar.Month(strings.ToLower(month))
	if !ok {
		return Token{}, false
	}
	short := strings.TrimLeft(day, "0")
	t := Token{Text: strings.TrimSpace(text), kind: oneDay}
	if len(short) == 0 {
		return t, false
	}
	iso := fmt.Sprintf("%02d-%02s", n, leading(short))
	if year != "" {
		iso = year + "-" + iso
	}
	low := strings.ToLower(month)
	t.want = []string{iso, low + " " + short, short + " " + low, short + ". " + low,
		fmt.Sprintf("%s.%d.", short, n), fmt.Sprintf("%s.%02d.", leading(short), n), fmt.Sprintf("%s/%02d", leading(short), n), fmt.Sprintf("%d/%s", n, short)}
	return t, true
}

func leading(day string) string {
	if len(day) == 1 {
		return "0" + day
	}
	return day
}

// numberMark stands in a text for a number that was taken out of it.
const numberMark = "\x01"

// digitTokens takes numbers that stand for themselves out of a text.
func digitTokens(text string, c *Clause) string {
	conditional := len(text)
	for _, at := range word.FindAllStringIndex(text, -1) {
		if conditions[strings.ToLower(text[at[0]:at[1]])] {
			conditional = at[0]
			if end := strings.IndexByte(text[at[0]:], ','); end >= 0 {
				text = text[:at[0]] + strings.Repeat(" ", end) + text[at[0]+end:]
				conditional = len(text)
			}
			break
		}
	}
	var b strings.Builder
	from := 0
	for _, at := range digits.FindAllStringIndex(text, -1) {
		before, _ := utf8.DecodeLastRuneInString(text[:at[0]])
		after, _ := utf8.DecodeRuneInString(text[at[1]:])
		if inWord(before) || inWord(after) || at[0] >= conditional {
			continue // a part of a word, as hana2008
		}
		n := strings.TrimRight(text[at[0]:at[1]], ".,:'’-/")
		kind := number
		if isDigits(n) && counts(word.FindAllString(text[:at[0]], -1)) {
			kind = tally
		}
		c.Tokens = append(c.Tokens, Token{Text: n, kind: kind, want: []string{squeeze(n)}})
		b.WriteString(text[from:at[0]] + " " + numberMark + " ")
		from = at[1]
	}
	b.WriteString(text[from:])
	return b.String()
}

func inWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '@' || r == '%')
}
