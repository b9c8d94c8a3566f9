package offline

import (
	"regexp"
	"strings"
)

// imperatives are verbs by which a clause of a task begins, beside those of an act.
var imperatives = regexp.MustCompile(`(?i)^(?:(?:log|sign) ?(?:in|out|up)|add|remove|delete|cancel|archive|mark|move|send|reply|forward|create|save|submit|approve|reject|decline|accept|assign|rename|sort|filter|download|buy|order|place|pay|book|confirm|apply|invite|close|reopen|edit|duplicate|pin|star|mute|block|complete|finish|start|stop|pause|resume|publish|report|restore|undo|continue|tell|read|find|get|extract|return|give|what|which|how|wait|go|navigate|visit|browse|reload|refresh|put|switch|unarchive|unmark|empty)\b`)

// asksFor is a clause that wants to know something.
var asksFor = regexp.MustCompile(`(?i)^(?:tell me|read(?: out)?|find out|report|extract|return|give me|get me|get the|get all|what|which|how (?:much|many)|list|look up)\b`)

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

// imperative reports whether a text begins as a step does.
func imperative(s string) bool {
	for o := opening.FindString(s); o != ""; o = opening.FindString(s) {
		s = s[len(o):]
	}
	return begins(s) || imperatives.MatchString(s) || loginClause.MatchString(s)
}

var (
	webAddress  = regexp.MustCompile(`(?i)^(?:go to|open|visit|navigate to|browse to|load) (?:the (?:page|address|site|url) )?(https?://\S+|/\S*)$`)
	loginClause = regexp.MustCompile(`(?i)^(?:log|sign) ?in(?: (?:to|at|on) (?:the )?[\w. ]+?)?(?: (?:as|with|using)(?: (?:the )?(?:user ?name|user|e-?mail(?: address)?|account|name|login))? (\S+?))?(?:,? (?:and |with |using )+(?:the |my )?(?:password|passphrase|pw)(?: (?:of )?(\S+))?)?$`)
	waitClause  = regexp.MustCompile(`(?i)^wait (?:until|for) (?:the )?(.+?)(?: (?:appears?|is shown|is visible|shows up|to appear|to show))?$`)
)

// A login is what a clause says of a login; its members are empty where it does not.
type login struct{ user, password string }

// loginOf reads "log in as ada with the password %pw%".
func (c *conversation) loginOf(in *instruction) (login, bool) {
	m := loginClause.FindStringSubmatch(in.text)
	if m == nil {
		return login{}, false
	}
	l := login{in.say(strings.Trim(m[1], ",")), in.say(m[2])}
	for _, v := range c.variables {
		switch name := strings.ToLower(v); {
		case l.password == "" && (strings.Contains(name, "pass") || strings.Contains(name, "pw")):
			l.password = v
		case l.user == "" && (strings.Contains(name, "user") || strings.Contains(name, "mail") || strings.Contains(name, "login")):
			l.user = v
		}
	}
	return l, true
}
