package offline

import (
	"regexp"
	"strings"
)

// asksFor is a clause that wants to know something.
var asksFor = regexp.MustCompile(`(?i)^(?:tell me|read(?: out)?|find out|report|extract|return|give me|get me|get the|get all|what|which|how (?:much|many)|list|look up)\b`)

var (
	webAddress  = regexp.MustCompile(`(?i)^(?:go to|open|visit|navigate to|browse to|load) (?:the (?:page|address|site|url) )?(https?://\S+|/\S*)$`)
	loginClause = regexp.MustCompile(`(?i)^(?:log|sign) ?in(?: (?:to|at|on) (?:the )?[\w. ]+?)?(?: (?:as|with|using)(?: (?:the )?(?:user ?name|user|e-?mail(?: address)?|account|name|login))? (\S+?))?(?:,? (?:and |with |using )+(?:the |my )?(?:password|passphrase|pw)(?: (?:of )?(\S+))?)?$`)
	waitClause  = regexp.MustCompile(`(?i)^wait (?:until|for) (?:the )?(.+?)(?: (?:appears?|is shown|is visible|shows up|to appear|to show))?$`)
)

// A login is what a clause says of a login; its members are empty where it does not.
type login struct{ user, password string }

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

// keyNames are the keys that can be pressed, by what people call them.
var keyNames = map[string]string{
	"enter": "Enter", "return": "Enter", "tab": "Tab", "escape": "Escape", "esc": "Escape", "space": "Space", "spacebar": "Space",
	"backspace": "Backspace", "delete": "Delete", "del": "Delete", "home": "Home", "end": "End",
	"pageup": "PageUp", "page up": "PageUp", "pagedown": "PageDown", "page down": "PageDown",
	"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight",
	"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
	"arrow up": "ArrowUp", "arrow down": "ArrowDown", "arrow left": "ArrowLeft", "arrow right": "ArrowRight",
	"up arrow": "ArrowUp", "down arrow": "ArrowDown", "left arrow": "ArrowLeft", "right arrow": "ArrowRight",
	"f1": "F1", "f2": "F2", "f3": "F3", "f4": "F4", "f5": "F5", "f6": "F6", "f7": "F7", "f8": "F8", "f9": "F9", "f10": "F10", "f11": "F11", "f12": "F12",
}

var modifiers = map[string]string{
	"control": "Control", "ctrl": "Control", "shift": "Shift", "alt": "Alt", "option": "Alt",
	"meta": "Meta", "command": "Meta", "cmd": "Meta",
}

// keyOf reads a key or a chord, as "Enter", "ctrl+a".
func keyOf(s string) (string, bool) {
	s = strings.TrimSpace(s)
	if k, ok := keyNames[strings.ToLower(s)]; ok {
		return k, true
	}
	parts := strings.Split(s, "+")
	if len(parts) < 2 {
		return "", false
	}
	var out []string
	for _, m := range parts[:len(parts)-1] {
		name, ok := modifiers[strings.ToLower(strings.TrimSpace(m))]
		if !ok {
			return "", false
		}
		out = append(out, name)
	}
	last := strings.TrimSpace(parts[len(parts)-1])
	if k, ok := keyNames[strings.ToLower(last)]; ok {
		last = k
	} else if len([]rune(last)) != 1 {
		return "", false
	} else if out[0] != "Shift" || len(out) > 1 {
		last = strings.ToUpper(last)
	}
	return strings.Join(append(out, last), "+"), true
}

// mostActions is how many actions the engine carries out for one instruction.
const mostActions = 3

var (
	// apart parts an instruction wherever it stands outside of quotes.
	apart = regexp.MustCompile(`(?i)\s*[;\n]\s*(?:(?:and )?(?:then|next|finally|after that|afterwards)\b[ ,]*)?|[,.]?\s+(?:and |& )?(?:then|after that|afterwards|finally)\b[ ,]+|[,.]\s*next\s*,\s*`)
	// joined parts an instruction only where a verb follows: names hold "and" as well.
	joined = regexp.MustCompile(`(?i)\s*,\s*(?:and |& |also )*|\s+(?:and|&|\+)\s+(?:also )?|\.\s+`)
	// bare are verbs that need no object: what they name is a button.
	bare = regexp.MustCompile(`(?i)^(?:submit|save|search|send|continue|go|confirm|apply|log ?in|sign ?in)(?: it)?$`)
	// opening is what people put in front of the first of several things.
	opening = regexp.MustCompile(`(?i)^(?:please|first(?:ly)?|also|now|then|next|finally|and)[ ,]+`)
)

// begins reports whether a text begins with a verb that has its object.
func begins(s string) bool {
	for _, v := range verbs {
		if v.pattern.MatchString(s) {
			return true
		}
	}
	return false
}

// parts takes an instruction apart into the things that it asks for, in
// order. certain reports that a word or a sign says so, as "then" does.
func (in *instruction) parts() (out []*instruction, certain bool) {
	text := in.raw
	var cuts [][2]int
	for from := 0; from < len(text); {
		m := apart.FindStringIndex(text[from:])
		if m == nil {
			break
		}
		cuts = append(cuts, [2]int{from + m[0], from + m[1]})
		from += m[1]
	}
	start := 0
	add := func(s string) {
		s = strings.Join(strings.Fields(s), " ")
		for m := opening.FindString(s); m != "" && (begins(s[len(m):]) || bare.MatchString(s[len(m):])); m = opening.FindString(s) {
			s = s[len(m):]
		}
		if s = strings.TrimRight(s, " .!,;"); s != "" {
			out = append(out, &instruction{text: s, raw: s, quotes: in.quotes})
		}
	}
	for _, cut := range append(cuts, [2]int{len(text), len(text)}) {
		for _, s := range joinedParts(text[start:cut[0]]) {
			add(s)
		}
		start = cut[1]
	}
	if len(out) < 2 {
		return nil, false
	}
	// "click Save, then Reset": the second has the verb of the first.
	certain = len(cuts) > 0
	verb := ""
	for i, part := range out {
		if begins(part.text) || bare.MatchString(part.text) || history(part.text) != nil {
			verb, _, _ = strings.Cut(part.text, " ")
			continue
		}
		if i > 0 && set("click", "tap", "press", "open", "check", "tick", "uncheck", "untick")[strings.ToLower(verb)] {
			part.text = verb + " " + part.text
			part.raw = part.text
		}
	}
	return out, certain
}

// joinedParts parts a text where "and", a comma or a full stop is followed by a verb.
func joinedParts(text string) []string {
	var out []string
	start := 0
	for from := 0; from < len(text); {
		m := joined.FindStringIndex(text[from:])
		if m == nil {
			break
		}
		at, behind := from+m[0], from+m[1]
		rest := strings.TrimLeft(text[behind:], " ")
		rest = rest[len(opening.FindString(rest)):]
		word := rest
		if next := joined.FindStringIndex(rest); next != nil {
			word = rest[:next[0]]
		}
		if at > start && begins(text[start:at]) && (begins(rest) || bare.MatchString(strings.TrimRight(word, " .!"))) {
			out = append(out, text[start:at])
			start = behind
		}
		from = behind
	}
	return append(out, text[start:])
}

// values are the verbs that give values to fields, the field last or first.
var (
	fieldLast  = regexp.MustCompile(`(?i)^(?:type|enter|write|input|put|insert|paste|choose|select|pick) `)
	fieldFirst = regexp.MustCompile(`(?i)^(?:fill(?: in| out)?|set|change|update) `)
	ticking    = regexp.MustCompile(`(?i)^(?:check|tick|uncheck|untick) `)
)

var (
	toField   = regexp.MustCompile(`(?i) into `)
	withValue = regexp.MustCompile(`(?i) (?:with|to|=) `)
)

func numeral(n int) string {
	if n == 1 {
		return "part was"
	}
	return "two parts were"
}

// imperatives are verbs by which a clause of a task begins, beside those of an act.
var imperatives = regexp.MustCompile(`(?i)^(?:(?:log|sign) ?(?:in|out|up)|add|remove|delete|cancel|archive|mark|move|send|reply|forward|create|save|submit|approve|reject|decline|accept|assign|rename|sort|filter|download|buy|order|place|pay|book|confirm|apply|invite|close|reopen|edit|duplicate|pin|star|mute|block|complete|finish|start|stop|pause|resume|publish|report|restore|undo|continue|tell|read|find|get|extract|return|give|what|which|how|wait|go|navigate|visit|browse|reload|refresh|put|switch|unarchive|unmark|empty)\b`)

// imperative reports whether a text begins as a step does.
func imperative(s string) bool {
	for o := opening.FindString(s); o != ""; o = opening.FindString(s) {
		s = s[len(o):]
	}
	return begins(s) || imperatives.MatchString(s) || loginClause.MatchString(s)
}

// clauses takes a task apart into steps, in order.
func clauses(task string) []*instruction {
	in := parseInstruction(task)
	text := in.raw
	var out []*instruction
	var spans [][2]int
	add := func(at int, piece string) {
		s := strings.Join(strings.Fields(piece), " ")
		for m := opening.FindString(s); m != "" && imperative(s[len(m):]); m = opening.FindString(s) {
			s = s[len(m):]
		}
		if s = strings.TrimRight(s, " .!?,;"); s != "" {
			out = append(out, &instruction{text: s, raw: s, quotes: in.quotes})
			spans = append(spans, [2]int{at, at + len(piece)})
		}
	}
	start := 0
	for from := 0; from < len(text); {
		m, sure := apart.FindStringIndex(text[from:]), true
		if n := joined.FindStringIndex(text[from:]); m == nil || n != nil && n[0] < m[0] {
			m, sure = n, false
		}
		if m == nil {
			break
		}
		at, behind := from+m[0], from+m[1]
		rest := strings.TrimLeft(text[behind:], " ")
		for o := opening.FindString(rest); o != ""; o = opening.FindString(rest) {
			rest = rest[len(o):]
		}
		if at > start && (sure || imperative(rest) && imperative(strings.TrimLeft(text[start:at], " "))) {
			add(start, text[start:at])
			start = behind
		}
		from = max(behind, from+1)
	}
	add(start, text[start:])
	for i := range out[:max(len(out)-1, 0)] {
		s := strings.Join(strings.Fields(text[spans[i][0]:spans[i+1][1]]), " ")
		out[i].joined = strings.TrimRight(s, " .!?,;")
	}
	return out
}
