package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

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

// series takes apart an instruction whose verb is said once: "type a into One
// and b into Two". Each part must be one by itself; nil where that is not so.
// doubt reports that a value would hold what reads as a further part, of which
// the page has no field.
func (q *question) series(in *instruction) (out []*instruction, doubt bool) {
	verb, last := fieldLast.FindString(in.text), true
	if verb == "" {
		verb, last = fieldFirst.FindString(in.text), false
	}
	if tick := ticking.FindString(in.text); tick != "" {
		verb, last = tick, true
	}
	text := in.text[len(verb):]
	cuts := append(enumeration.FindAllStringIndex(text, -1), []int{len(text), len(text)})
	if verb == "" || len(cuts) < 2 || len(cuts) > 2*cmp.Or(q.most, mostActions)+4 {
		return nil, false
	}
	part := func(from, to int) *instruction {
		s := verb + strings.TrimSpace(text[from:to])
		return &instruction{text: s, raw: s, quotes: in.quotes}
	}
	whole := func(from, to int) bool {
		if strings.TrimSpace(text[from:to]) == "" {
			return false
		}
		a := q.single(part(from, to))
		return a.Found && a.fit >= nearly
	}
	begin := func(i int) int {
		if i == 0 {
			return 0
		}
		return cuts[i-1][1]
	}
	start := 0 // of the last part
	for i := 0; i < len(cuts); {
		// A name or a value may hold "and": the first end with which it is a part counts.
		end := i
		for end < len(cuts) && !whole(begin(i), cuts[end][0]) {
			end++
		}
		switch {
		case end < len(cuts):
			start = begin(i)
			out = append(out, part(start, cuts[end][0]))
			doubt = doubt || last && len(toField.FindAllString(text[start:cuts[end][0]], 2)) > 1
			i = end + 1
		case last || len(out) == 0:
			return nil, false
		default: // "One with bread, butter": the value continues
			out[len(out)-1] = part(start, cuts[i][0])
			doubt = doubt || withValue.MatchString(text[begin(i):cuts[i][0]])
			i++
		}
	}
	if doubt || len(out) < 2 {
		return nil, doubt
	}
	return out, false
}

// act chooses the action that carries out the instruction. One that asks for
// several things is done in order, or refused before the first.
func (q *question) act() *answer {
	in := cmp.Or(q.of, parseInstruction(q.instruction))
	parts, certain := in.parts()
	if len(parts) == 0 {
		whole := q.single(in)
		if whole.Method == "selectOption" && len(whole.Arguments) > 1 {
			return whole
		}
		var doubt bool
		if parts, doubt = q.series(in); doubt {
			return no("%q reads as several values, and not all of their fields are on the page; put quotes around a text that is one", in.say(in.text))
		}
		if parts == nil {
			return whole
		}
	}
	if q.done > 0 {
		return q.part(parts, min(q.done, len(parts)-1))
	}
	plan, why := q.plan(parts)
	whole := q.single(in)
	named := whole.Found && len(whole.Arguments) == 0 && whole.fit == same
	switch {
	case why != nil && named:
		return whole
	case why != nil && whole.Found && !certain && len(whole.Arguments) == 0 && whole.fit >= allWords:
		return whole
	case why != nil:
		return why
	case named && nameFit(splitWords(in.say(in.text)), splitWords(text(q.item(whole.Ref)))) == same:
		return no("%s says the whole instruction, and what it says can be done as well; say \"click …\" with its name in quotes, or one thing at a time", describe(q.item(whole.Ref)))
	case named:
		return whole
	case whole.Found && len(whole.Arguments) > 0 && plan[0].fit < nearly:
		return no("%q can be read as one thing or as %d; put quotes around the text that is meant", in.say(in.text), len(parts))
	}
	first := plan[0]
	first.More, first.then = true, plan[1:]
	return first
}

// at is the index of an element; that of the document where it is not on the page.
func (q *question) at(ref string) int {
	return max(0, slices.IndexFunc(q.page.items, func(it accessibility.Item) bool { return string(it.Ref) == ref }))
}

func (q *question) item(ref string) *accessibility.Item { return &q.page.items[q.at(ref)] }

// part is the action for one of several parts, after those before it were done.
func (q *question) part(parts []*instruction, n int) *answer {
	within := *q
	within.done = q.done - n
	a := within.single(parts[n])
	if a.Found && a.Method == "press" && n > 0 && !strings.Contains(a.Description, " in ") {
		a = q.keyAfter(parts[n-1], a)
	}
	if a.Found && n+1 < len(parts) {
		a.More = true
	}
	if !a.Found {
		a.Reason = "the first " + numeral(q.done) + " done, and then: " + a.Reason
	}
	return a
}

// keyAfter has a key that names no element pressed in the field that was filled before.
func (q *question) keyAfter(before *instruction, key *answer) *answer {
	if i := q.at(key.Ref); i != 0 {
		return key // the focus says where
	}
	fresh := *q
	fresh.done = 0
	if a := fresh.single(before); a.Found && editable(q.item(a.Ref)) {
		return q.page.do(q.at(a.Ref), "press", key.Arguments...)
	}
	return key
}

func numeral(n int) string {
	if n == 1 {
		return "part was"
	}
	return "two parts were"
}

// plan finds the action for each part on the page as it is. why is the refusal
// of the whole where one of them cannot be done.
func (q *question) plan(parts []*instruction) (plan []*answer, why *answer) {
	steps := 0
	for i, part := range parts {
		a := q.single(part)
		last := i == len(parts)-1
		switch {
		case !a.Found && last && i > 0 && q.opens(plan[i-1]):
			// What opens may hold it.
		case !a.Found:
			return nil, no("it asks for %d things, and %q cannot be done on this page: %s. Nothing was done; give one instruction at a time", len(parts), part.say(part.text), a.Reason)
		case a.More && !last:
			return nil, no("%q takes more than one action, and more is to follow. Nothing was done; give one instruction at a time", part.say(part.text))
		}
		for _, b := range plan {
			if b.Method == "selectOption" && a.Method == b.Method && a.Ref == b.Ref {
				return nil, no("the options of one list are chosen at once: \"choose A and B in C\"")
			}
		}
		if plan = append(plan, a); a.More {
			steps++
		}
		steps++
	}
	if most := cmp.Or(q.most, mostActions); steps > most {
		return nil, no("it asks for %d actions, and one instruction takes at most %d. Nothing was done; give them in turn", steps, most)
	}
	return plan, nil
}

// opens reports whether an action opens something that holds more.
func (q *question) opens(a *answer) bool {
	it := q.item(a.Ref)
	return a.Method == "click" && opener(it)
}

// opener reports an element that opens a list or a menu.
func opener(it *accessibility.Item) bool {
	return it.Omitted == nil && (it.States.HasPopup != "" || it.States.Expanded == accessibility.Off) && it.Interactive()
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
