package direct

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A reader reads values of what elements say.
type reader struct{ *pagedata.Page }

// value brings a fact into a member's form; ok is false where it does not fit, or is
// not all that the element says.
func (p *reader) value(m *member, f *fact) (v any, ok bool) {
	if m.form.address() {
		url := f.url
		if url == "" && !f.set {
			url = p.only(f.node)
		}
		return url, url != ""
	}
	if m.form.kind == "boolean" {
		if on := p.state(f); on != nil {
			return *on, true
		}
	}
	text := f.value
	if !f.set {
		if text, ok = p.line(f.node); !ok {
			return nil, false
		}
	}
	if text == "" || f.on != nil {
		return nil, false
	}
	switch m.form.kind {
	case "boolean":
		yes, known := pagedata.Answers[strings.ToLower(text)]
		return yes, known && text != "-"
	case "number", "integer":
		n, ok := p.numberOf(text)
		return json.Number(n), ok && !(m.form.kind == "integer" && strings.Contains(n, "."))
	}
	if len(m.form.enum) > 0 {
		same := slices.DeleteFunc(slices.Clone(m.form.enum), func(v string) bool { return !slices.Equal(pagedata.LabelWords(v), pagedata.LabelWords(text)) })
		return strings.Join(same, ""), len(same) == 1
	}
	switch m.form.format {
	case "date":
		return p.dateOf(text, f.node)
	case "email":
		return text, mail.MatchString(text)
	case "":
		return text, strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) && (f.set || p.oneText(f.node))
	}
	return nil, false // formats that texts are rarely written in
}

var mail = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)

// line is all that an element says, if that is one line: its text, or what its one field
// holds.
func (p *reader) line(e int32) (string, bool) {
	lines, whole := p.Said(e)
	for c := e; c < p.Elems[e].End && len(lines) == 0; c++ {
		if f, ok := p.held(c); ok && len(f.label) > 0 && f.on == nil && p.Attr(c, "type") != "password" {
			lines = []string{f.value}
		}
	}
	if !whole || len(lines) != 1 {
		return "", false
	}
	return lines[0], true
}

// emphases are elements that only emphasize a part of a text.
var emphases = pagedata.SetOfWords("b strong i em abbr code mark u bdi wbr time")

// oneText reports whether an element's text is one: texts in elements of their own, but
// for those that only emphasize, may be a name and a badge beside it.
func (p *reader) oneText(e int32) bool {
	texts, apart := 0, false
	for c := e; c < p.Elems[e].End; c++ {
		if p.Tag(c) == "button" {
			c = p.Elems[c].End - 1
		} else if up := p.Elems[c].Parent; p.Elems[c].Line >= 0 && p.Tag(c) == "" {
			texts++
			apart = apart || up > e && !emphases[p.Tag(up)]
		}
	}
	return texts < 2 || !apart
}

// held is what a control holds, by its label; ok is false for what is none.
func (p *reader) held(e int32) (f fact, ok bool) {
	n := p.Control(e)
	if n == nil {
		return f, false
	}
	f = fact{node: e, set: true, value: n.Value, label: pagedata.LabelWords(n.Name)}
	for _, state := range []accessibility.Tristate{n.States.Checked, n.States.Pressed} {
		if state == accessibility.On || state == accessibility.Off {
			on := state == accessibility.On
			f.on, f.value = &on, ""
		}
	}
	if n.Role == "radio" || n.Role == "button" && f.on == nil {
		f.label = nil // it holds nothing of its own
	}
	return f, true
}

// state is that of the control that a fact is, or of the only one in its element; nil
// where there is none.
func (p *reader) state(f *fact) (on *bool) {
	if f.set {
		return f.on
	}
	for e := f.node; e < p.Elems[f.node].End; e++ {
		if f, ok := p.held(e); ok && f.on != nil {
			if on != nil {
				return nil
			}
			on = f.on
		}
	}
	return on
}

// only is the one address in an element: of its link, or of its picture where it has
// no link.
func (p *reader) only(e int32) string {
	list := p.AddressesIn(e, "a", "href")
	if len(list) == 0 {
		list = p.AddressesIn(e, "img", "src")
	}
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// numberOf reads a text that is one number, with its currency, a percent sign, or one
// word behind it for the unit. Words before it ("from", "about") make another of it.
func (p *reader) numberOf(text string) (string, bool) {
	line := pagedata.Normalize(text)
	toks := pagedata.Tokenize(line, nil)
	list := pagedata.NumbersIn(line, toks, p.Decimals())
	if len(list) == 0 || list[0].Raw == "" || strings.ContainsAny(line, "★⭐☆<>≤≥~≈±/") {
		return "", false
	}
	n := &list[0]
	if len(list) > 1 && (list[len(list)-1].End > n.End || n.Currency == "" && !strings.ContainsAny(n.Raw, ".,")) {
		return "", false // a space parts two numbers, unless it is one of an amount's or a fraction's
	}
	readings := n.Readings
	if len(readings) == 2 && (n.Percent || n.Currency != "" && readings[0].Value == 1000*readings[1].Value) { // amounts have no three decimals
		readings = readings[:1]
	}
	if len(readings) != 1 || pagedata.Multiples[n.After] > 0 {
		return "", false
	}
	behind := 0
	for _, t := range toks {
		w := line[t.Start:t.End]
		switch {
		case t.Start >= n.Start && t.End <= n.End, w == "-" && n.Negative && t.Start < n.End, w == "%" && n.Percent, n.Currency != "" && pagedata.Signs[w] == n.Currency, w == "+" && t.End == n.Start:
		case t.Start >= n.End && pagedata.LetterAt(w):
			behind++
		default:
			return "", false
		}
	}
	return readings[0].Key, behind == 0 || behind == 1 && n.After != ""
}

// figure is the number that an element says, and nothing else.
func (p *reader) figure(e int32) (float64, bool) {
	if e < 0 {
		return 0, false
	}
	said, _ := p.line(e)
	s, ok := p.numberOf(said)
	return pagedata.PlainValue(s), ok
}

// dateOf reads a text that is one date with its year, as ISO writes it. What a time
// element says for machines has to agree with it.
func (p *reader) dateOf(text string, e int32) (date string, ok bool) {
	line := pagedata.Normalize(text)
	toks := pagedata.Tokenize(line, nil)
	for _, m := range pagedata.MomentsIn(line, toks, time.Time{}) {
		if m.Kind != pagedata.DateMoment {
			continue
		}
		d := fmt.Sprintf("%04d-%02d-%02d", m.Year, m.Month, m.Day)
		if _, err := time.Parse(time.DateOnly, d); err != nil || date != "" && d != date || !strings.Contains(line, d[:4]) {
			return "", false // it can be read in two ways, or not as a day
		}
		date = d
		for i, t := range toks {
			clock := t.Gap == ':' || i+1 < len(toks) && toks[i+1].Gap == ':' || t.Start > 0 && line[t.Start-1] == 't'
			switch k := int32(i); {
			case t.Digits && !clock && (k < m.First || k > m.Last), k < m.First-1, k == m.First-1 && toks[m.First].Gap != ',':
				return "", false // a word before it makes another of it, but for a day of the week
			}
		}
	}
	for c := e; c < p.Elems[e].End; c++ {
		if marked := p.Attr(c, "datetime"); len(marked) >= 10 && date != "" && marked[:10] != date {
			return "", false
		}
	}
	return date, date != ""
}
