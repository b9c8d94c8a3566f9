package accessibility

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseLine reads one line. It accepts more than the canonical form: the caller
// writes the item again and compares.
func parseLine(line string) (Item, error) {
	var it Item
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if indent%2 != 0 {
		return it, errors.New("odd indentation")
	}
	it.Depth = indent / 2
	p := &lineParser{rest: text}
	if strings.HasPrefix(text, "…") {
		it.Omitted = p.omission()
		return it, p.err
	}
	p.expect("[")
	ref, after, ok := strings.Cut(p.rest, "] ")
	if !ok || !Ref(ref).Valid() {
		return it, errors.New("no ref")
	}
	it.Ref, p.rest = Ref(ref), after
	it.Role = Role(p.word())
	if it.Role == "" {
		return it, errors.New("no role")
	}
	if p.accept(": ") {
		p.name(&it)
	}
	for p.err == nil && p.rest != "" {
		p.expect(" ")
		if p.accept("(") {
			p.state(&it)
			p.expect(")")
		} else {
			p.property(&it)
		}
	}
	return it, p.err
}

// A lineParser reads a line from left to right. After an error it reads nothing more.
type lineParser struct {
	rest string
	err  error
}

func (p *lineParser) fail(msg string) {
	if p.err == nil {
		p.err = errors.New(msg)
		p.rest = ""
	}
}

func (p *lineParser) accept(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok && p.err == nil {
		p.rest = rest
	}
	return ok && p.err == nil
}

func (p *lineParser) expect(s string) {
	if !p.accept(s) {
		p.fail("want " + strconv.Quote(s))
	}
}

// word reads letters and dashes.
func (p *lineParser) word() string {
	n := 0
	for n < len(p.rest) && roleByte(p.rest[n]) {
		n++
	}
	w := p.rest[:n]
	p.rest = p.rest[n:]
	return w
}

// count reads a number with commas between thousands.
func (p *lineParser) count() int {
	n := 0
	for n < len(p.rest) && (p.rest[n] == ',' || p.rest[n] >= '0' && p.rest[n] <= '9') {
		n++
	}
	v, err := strconv.Atoi(strings.ReplaceAll(p.rest[:n], ",", ""))
	if err != nil || v <= 0 {
		p.fail("no number")
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

// countOf reads a number behind what introduces it.
func (p *lineParser) countOf(before string) int {
	p.expect(before)
	return p.count()
}

// percent reads a number that may be 0.
func (p *lineParser) percent() Percent {
	n := 0
	for n < len(p.rest) && p.rest[n] >= '0' && p.rest[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(p.rest[:n])
	if err != nil {
		p.fail("no number")
	} else {
		p.rest = p.rest[n:]
	}
	return Percent{Set: true, Value: v}
}

func (p *lineParser) omission() *Omission {
	var o Omission
	p.expect("… ")
	o.Count = p.count()
	p.expect(" more ")
	o.Noun = p.word()
	if o.Noun == "" {
		p.fail("more of what?")
	}
	if p.accept(", ask with ref ") {
		o.Ref, p.rest = Ref(p.rest), ""
		if !o.Ref.Valid() {
			p.fail("no ref")
		}
	}
	if p.rest != "" {
		p.fail("text behind an omission")
	}
	return &o
}

// name reads what stands behind a role's colon.
func (p *lineParser) name(it *Item) {
	if it.Role != "row" {
		it.Name, it.Cut.Name = p.text("")
		return
	}
	for {
		var c OutlineCell
		bare := !strings.HasPrefix(p.rest, `"`)
		c.Text, c.Cut = p.text("|")
		if bare { // alone; a text may begin with the sign
			if sign, ok := cellOfSign(c.Text); ok {
				c = OutlineCell{Cell: sign}
			}
		}
		it.Cells = append(it.Cells, c)
		if p.err != nil || !p.accept(" | ") {
			return
		}
	}
}

// text reads a bare or a quoted text and how much of it is missing. A bare one
// ends before a property, a state, a cut, or in a list before stop.
func (p *lineParser) text(stop string) (string, int) {
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	end := len(p.rest)
	if i := strings.IndexByte(p.rest, '('); i >= 0 {
		end = i
	}
	if stop != "" {
		if i := strings.IndexAny(p.rest[:end], stop); i >= 0 {
			end = i
		}
	}
	if i := strings.Index(p.rest[:end], `="`); i >= 0 { // back to before the property's name
		end = i
		for end > 0 && roleByte(p.rest[end-1]) {
			end--
		}
	}
	s := p.rest[:end]
	if end < len(p.rest) {
		s = strings.TrimSuffix(s, " ")
	}
	if s == "" {
		p.fail("no text")
	}
	p.rest = p.rest[len(s):]
	return s, 0
}

// quoted reads a text in quotes.
func (p *lineParser) quoted() (string, int) {
	p.expect(`"`)
	n := strings.IndexAny(p.rest, `"\`)
	if n < 0 {
		p.fail("unclosed quote")
		return "", 0
	}
	s := p.rest[:n]
	if p.rest[n] == '\\' {
		s, n = unescape(p.rest)
		if n < 0 {
			p.fail("bad escape or unclosed quote")
			return "", 0
		}
	}
	p.rest = p.rest[n+1:]
	cut := 0
	if p.accept(" … ") {
		cut = p.count()
		p.expect(" more characters")
	}
	return s, cut
}

// unescape reads up to the closing quote and returns its index, -1 if s is wrong.
func unescape(s string) (string, int) {
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return string(b), i
		case s[i] != '\\':
			b = append(b, s[i])
			continue
		}
		i++
		if i >= len(s) {
			return "", -1
		}
		switch s[i] {
		case '"', '\\':
			b = append(b, s[i])
		case 'n':
			b = append(b, '\n')
		case 't':
			b = append(b, '\t')
		case 'u':
			hex, _, ok := strings.Cut(s[i+1:], "}")
			if !ok || len(hex) < 2 || len(hex) > 7 || hex[0] != '{' {
				return "", -1
			}
			v, err := strconv.ParseUint(hex[1:], 16, 32)
			if err != nil || v > utf8.MaxRune {
				return "", -1
			}
			b = utf8.AppendRune(b, rune(v))
			i += len(hex) + 1
		default:
			return "", -1
		}
	}
	return "", -1
}

// property reads name="value".
func (p *lineParser) property(it *Item) {
	name := p.word()
	p.expect("=")
	s, cut := p.quoted()
	switch name {
	case "value":
		it.Value, it.Cut.Value = s, cut
	case "placeholder":
		it.Placeholder, it.Cut.Placeholder = s, cut
	case "description":
		it.Description, it.Cut.Description = s, cut
	case "url":
		it.URL, it.Cut.URL = s, cut
	default:
		p.fail("unknown property " + strconv.Quote(name))
	}
}

// state reads what stands between parentheses.
func (p *lineParser) state(it *Item) {
	if p.rest != "" && p.rest[0] >= '0' && p.rest[0] <= '9' {
		it.Counts.Position = p.countOf("")
		it.Counts.Size = p.countOf(" of ")
		return
	}
	word := p.word()
	if word == "partly" || word == "new" { // of the two states of two words
		second, _, _ := strings.Cut(p.rest, ")")
		p.expect(second)
		word += second
	}
	for i := range flags {
		if flags[i].word == word {
			*flags[i].ref(it) = true
			return
		}
	}
	for i := range tristates {
		if tristates[i].words == word {
			*tristates[i].ref(&it.States) = tristates[i].is
			return
		}
	}
	for i := range valued {
		if valued[i].word == word {
			*valued[i].ref(it) = p.stateValue()
			return
		}
	}
	switch word {
	case "anchor", "download", "mailto", "new window", "sms", "tel":
		it.Link = word
	case "rows":
		it.Counts.Rows = p.countOf(" ")
	case "columns":
		it.Counts.Columns = p.countOf(" ")
	case "row":
		it.Counts.Row = p.countOf(" ")
	case "level":
		p.expect(" ")
		it.States.Level = p.percent().Value
	case "heading":
		p.expect(" ")
		it.Heading = p.percent().Value
	case "scrollable":
		p.expect(" ")
		if p.accept("across ") {
			it.ScrollX = p.percent()
		} else {
			it.ScrollY = p.percent()
		}
		p.expect("%")
	case "options":
		p.options(it)
	default:
		p.fail("unknown state " + strconv.Quote(word))
	}
}

// stateValue reads the value of a state, if it has one.
func (p *lineParser) stateValue() string {
	if !p.accept(": ") {
		return "true"
	}
	return p.inParens("|)")
}

// inParens reads a text within parentheses.
func (p *lineParser) inParens(stop string) string {
	if strings.HasPrefix(p.rest, `"`) {
		s, _ := p.quoted()
		return s
	}
	n := strings.IndexAny(p.rest, stop)
	if n < 0 {
		p.fail("unclosed parenthesis")
		return ""
	}
	s := p.rest[:n]
	if p.rest[n] == '|' {
		s = strings.TrimSuffix(s, " ")
	}
	p.rest = p.rest[len(s):]
	return s
}

// options reads what appendOptions writes.
func (p *lineParser) options(it *Item) {
	p.expect(":")
	group := ""
	for p.err == nil {
		p.expect(" ")
		if p.accept("… ") {
			it.MoreOptions = p.count()
			p.expect(" more")
			return
		}
		label, more := p.option()
		if more {
			if group != "" || label == "" {
				p.fail("a group in a group, or without a label")
			}
			group = label
			label, _ = p.option()
		}
		o := Option{Label: label, Group: group}
		o.Disabled = p.accept(" (disabled)")
		it.Options = append(it.Options, o)
		if group != "" && p.accept(")") {
			group = ""
		}
		if !p.accept(" |") {
			return
		}
	}
}

// option reads a label, and the parenthesis of the group that it is of.
func (p *lineParser) option() (label string, group bool) {
	if strings.HasPrefix(p.rest, `"`) {
		label, _ = p.quoted()
		return label, p.accept(": (")
	}
	n := strings.IndexAny(p.rest, "|()")
	if n < 0 {
		p.fail("unclosed parenthesis")
		return "", false
	}
	label = p.rest[:n]
	if p.rest[n] == '(' && strings.HasSuffix(label, ": ") {
		p.rest = p.rest[n+1:]
		return strings.TrimSuffix(label, ": "), true
	}
	if p.rest[n] != ')' {
		label = strings.TrimSuffix(label, " ")
	}
	p.rest = p.rest[len(label):]
	return label, false
}
