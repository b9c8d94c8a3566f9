package offline

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A tally is what a text like "Page 1 of 3" or "Showing 1–10 of 57 results"
// says: where one is, and how many there are.
type tally struct {
	noun string // in words, the number of both: "page"; may be empty
	at   string // empty for a range
	all  string
}

var ofMany = regexp.MustCompile(`(?i)^(?:(?:showing|displaying|viewing|you are on) )?((?:\p{L}[\p{L} ]{0,30}?)?) ?(\d[\d'’.,]*)(?:\s?(?:[-–—]|to)\s?(\d[\d'’.,]*))?\s?(?:of|out of|/)\s?(?:about |over |around )?(\d[\d'’.,]*)(?: (\p{L}[\p{L} ]{0,30}))?(?:[:.,·|(].*)?$`)

// scores are nouns whose "4 of 5" counts nothing.
var scores = set("rating", "score", "star", "grade", "mark", "point", "rated")

func tallyOf(s string) (tally, bool) {
	m := ofMany.FindStringSubmatch(s)
	if m == nil {
		return tally{}, false
	}
	at, ok := number(m[2])
	all, ok2 := number(m[4])
	if !ok || !ok2 || at > all || at != float64(int64(at)) || all != float64(int64(all)) {
		return tally{}, false
	}
	t := tally{noun: m[1], at: m[2], all: m[4]}
	if t.noun == "" {
		t.noun = m[5]
	}
	if m[3] != "" {
		t.at = ""
	}
	for _, w := range distinctive(words(t.noun + " " + m[5])) {
		if scores[w] {
			return tally{}, false
		}
	}
	t.noun = strings.Join(distinctive(words(t.noun)), " ")
	return t, true
}

var (
	totals   = set("total", "count", "num", "all", "overall", "max", "last", "found")
	currents = set("current", "number", "index", "no", "active", "position")
)

// asksTotal reads a member's name: "pages", "totalPages", "pageCount" and
// "numberOfPages" ask how many there are, "page" and "pageNumber" which it is.
// noun is what is counted, in the singular.
func asksTotal(name string) (total bool, noun string) {
	list := words(readable(name))
	var rest []string
	for i, w := range list {
		switch {
		case totals[w] || w == "number" && i+1 < len(list) && list[i+1] == "of":
			total = true
		case currents[w] || w == "of":
		default:
			total = total || stem(w) != w
			rest = append(rest, stem(w))
		}
	}
	return total, strings.Join(rest, " ")
}

// counted is the value that tallies of the scope have for a number that is
// called name.
func (s *scope) counted(name string, f *form) (any, bool) {
	if f.kind != "integer" && f.kind != "number" {
		return nil, false
	}
	total, noun := asksTotal(name)
	var found any
	for i := s.from; i < s.to; i++ {
		t, ok := tallyOf(text(&s.page.items[i]))
		if !ok || noun != "" && t.noun != noun || noun == "" && !total {
			continue
		}
		value := t.at
		if total {
			value = t.all
		}
		v, ok := s.page.value(f, fact{value: value, at: i})
		if !ok || found != nil && found != v {
			return nil, false // two of them that differ
		}
		found = v
	}
	return found, found != nil
}

// otherNumber reports that a label and a name differ in number alone: "Page: 1"
// does not say how many pages there are.
func otherNumber(label, name string) bool {
	l, n := lastWord(label), lastWord(readable(name))
	return l != n && stem(l) == stem(n)
}

// says0 are texts that say that there is nothing.
var says0 = regexp.MustCompile(`(?i)\b(?:(?:is|are) empty|no (?:results|data|items|entries|records|rows|matches)|nothing (?:found|here|yet|to show)|0 (?:results|items|entries|records|rows|matches))\b`)

// saysEmpty reports whether a part of the page says that a list has no entries.
func (s *scope) saysEmpty(name string) bool {
	noun := lastWord(readable(name))
	for i := s.from; i < s.to; i++ {
		t := text(&s.page.items[i])
		list := words(t)
		if t == "" || len(list) > 15 {
			continue
		}
		if says0.MatchString(t) {
			return true
		}
		for j, w := range list {
			if (w == "no" || w == "0" || w == "zero" || w == "any") && (w != "any" || strings.Contains(t, "not")) {
				for _, v := range list[j+1 : min(j+4, len(list))] {
					if stem(v) == stem(noun) {
						return true
					}
				}
			}
		}
	}
	return false
}

// leftOut says how many parts of a container the outline has left out; empty if none.
func (p *page) leftOut(at int) string {
	for j := at + 1; j < p.end[at]; j++ {
		if o := p.items[j].Omitted; o != nil {
			return "the outline leaves out " + strconv.Itoa(o.Count) + " more " + o.Noun + "; look at a part of the page, or raise the limit"
		}
	}
	return ""
}

// cutTexts are the texts that the outline shows the beginning of.
func (p *page) cutTexts() []string {
	var out []string
	add := func(s string, cut int) {
		if cut > 0 && s != "" {
			out = append(out, strings.TrimSpace(s))
		}
	}
	for i := range p.items {
		it := &p.items[i]
		add(it.Name, it.Cut.Name)
		add(it.Value, it.Cut.Value)
		for _, c := range it.Cells {
			add(c.Text, c.Cut)
		}
	}
	return out
}

// shortened reports a text of an answer that is longer on the page.
func shortened(v any, cut []string) bool {
	switch v := v.(type) {
	case string:
		for _, c := range cut {
			if v == c || len(c) > 20 && strings.Contains(v, c) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if shortened(e, cut) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if shortened(e, cut) {
				return true
			}
		}
	}
	return false
}

// A fact is something that a part of a page says under a label.
type fact struct {
	label string
	value string
	at    int   // index of the item
	state *bool // of a checkbox or a toggle
	rank  int   // how surely the label is one: higher is surer
}

// Ranks of facts.
const (
	guessed  = 1 // by its form alone: a price, a date
	beside   = 2 // two texts in a row
	inline   = 3 // "Label: value"
	labelled = 4 // a definition, a control, a table's cell
)

var (
	colon  = regexp.MustCompile(`^([^:.!?]{1,40}):\s+(\S.*)$`)
	money  = regexp.MustCompile(`(?:^|\s)(?:[A-Z]{3}|[$€£¥]|Fr\.)\s?\d[\d'’.,\x{a0}\x{202f} ]*|\d[\d'’.,\x{a0}\x{202f} ]*\s?(?:[A-Z]{3}\b|[$€£¥]|Fr\.)`)
	isoDay = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\s?\d{1,2}\.\s?\d{4}\b|\b\d{1,2}/\d{1,2}/\d{4}\b`)
	leads  = regexp.MustCompile(`^(\p{L}[\p{L} -]{0,30}?) (-?\d[\d'.,]*.*)$`)
	counts = regexp.MustCompile(`^(\d[\d'.,]*) (\p{L}[\p{L} ]{0,40})$`)
)

// facts lists what the items from index from to index to say.
func (p *page) facts(from, to int) []fact {
	var out []fact
	var header []string
	for i := from; i < to; i++ {
		it := &p.items[i]
		switch {
		case it.Omitted != nil:
		case it.Role == "row":
			if it.Header {
				header = cells(it)
			} else {
				out = append(out, p.rowFacts(i, p.headerOf(i, header))...)
			}
		case it.Role == "term" && i+1 < to:
			for j := p.end[i]; j < to && p.items[j].Role == "definition"; j = p.end[j] {
				out = append(out, fact{it.Name, strings.ReplaceAll(p.below(j), "\n", " "), j, nil, labelled})
			}
		case checkable(it) || it.States.Pressed != accessibility.Unset:
			on := it.States.Checked == accessibility.On || it.States.Pressed == accessibility.On
			out = append(out, fact{it.Name, map[bool]string{true: "yes", false: "no"}[on], i, &on, labelled})
			if on && it.Role == "radio" {
				if g := it.Parent; g >= 0 && p.items[g].Name != "" {
					out = append(out, fact{p.items[g].Name, it.Name, i, nil, labelled})
				}
			}
		case field(it) || it.Role == "meter" || it.Role == "progressbar":
			label := it.Name
			if label == "" {
				label = p.before(i)
			}
			out = append(out, fact{label, it.Value, i, nil, labelled})
		case it.Role == "definition" || it.Role == "term":
		default:
			out = append(out, p.textFacts(i, to)...)
		}
	}
	return out
}

// below is what an item says: its own name, or the text under it.
func (p *page) below(i int) string {
	if t := text(&p.items[i]); t != "" {
		return t
	}
	return p.allText(i)
}

func cells(it *accessibility.Item) []string {
	var out []string
	for _, c := range it.Cells {
		out = append(out, c.Text)
	}
	if len(out) == 0 && it.Name != "" {
		out = []string{it.Name}
	}
	return out
}

// headerOf returns the header of the table that a row stands in, which may be
// outside of what is looked at.
func (p *page) headerOf(row int, known []string) []string {
	if known != nil {
		return known
	}
	for parent := p.items[row].Parent; parent >= 0; parent = p.items[parent].Parent {
		for j := parent + 1; j < row; j++ {
			if p.items[j].Role == "row" && p.items[j].Header {
				return cells(&p.items[j])
			}
		}
		if p.items[parent].Role == "table" || p.items[parent].Role == "grid" {
			break
		}
	}
	return nil
}

// rowFacts are the cells of a row under their headers. A row of two cells
// without a header is a label with its value.
func (p *page) rowFacts(i int, header []string) []fact {
	it := &p.items[i]
	var out []fact
	if header == nil {
		if c := cells(it); len(c) == 2 {
			out = append(out, fact{c[0], c[1], i, nil, labelled})
		}
		return out
	}
	below := p.children(i)
	for n, c := range it.Cells {
		if n >= len(header) {
			break
		}
		switch {
		case !c.Below:
			out = append(out, fact{header[n], c.Text, i, nil, labelled})
		case len(below) > 0:
			at := below[0]
			if last := lastBelow(it); n < last {
				below = below[1:]
			}
			out = append(out, p.cellFact(header[n], at))
		}
	}
	return out
}

// lastBelow is the index of the last cell whose content has lines of its own.
func lastBelow(it *accessibility.Item) int {
	last := -1
	for n, c := range it.Cells {
		if c.Below {
			last = n
		}
	}
	return last
}

// cellFact is what a cell with lines of its own says: its control's value, its link's name.
func (p *page) cellFact(label string, i int) fact {
	for j := i; j < p.end[i]; j++ {
		if it := &p.items[j]; field(it) {
			return fact{label, it.Value, j, nil, labelled}
		}
	}
	for j := i; j < p.end[i]; j++ {
		if t := text(&p.items[j]); t != "" {
			return fact{label, t, j, nil, labelled}
		}
	}
	return fact{label, "", i, nil, labelled}
}

// textFacts reads labels out of running text.
func (p *page) textFacts(i, to int) []fact {
	it := &p.items[i]
	t := strings.TrimSpace(text(it))
	if t == "" {
		return nil
	}
	var out []fact
	if _, ok := tallyOf(t); ok {
		// see counted
	} else if m := colon.FindStringSubmatch(t); m != nil {
		out = append(out, fact{m[1], m[2], i, nil, inline})
	} else if m := leads.FindStringSubmatch(t); m != nil && len(words(m[1])) <= 3 {
		out = append(out, fact{m[1], m[2], i, nil, inline})
	} else if m := counts.FindStringSubmatch(t); m != nil {
		out = append(out, fact{m[2], m[1], i, nil, inline})
	}
	if m := money.FindString(t); m != "" && len([]rune(t)) < 40 {
		out = append(out, fact{"price", strings.TrimSpace(m), i, nil, guessed})
	}
	if m := isoDay.FindString(t); m != "" {
		out = append(out, fact{"date", m, i, nil, guessed})
	}
	if n := p.end[i]; it.Role == "text" && n < to && p.items[n].Role == "text" && p.items[n].Depth == it.Depth && len(words(t)) <= 4 {
		out = append(out, fact{strings.TrimSuffix(t, ":"), p.items[n].Name, n, nil, beside})
	}
	if it.Role == "status" || it.Role == "alert" {
		out = append(out, fact{string(it.Role) + " message", t, i, nil, inline})
	}
	return out
}

// value brings a fact into the form of a member; ok is false if it does not fit.
func (p *page) value(f *form, is fact) (any, bool) {
	switch f.kind {
	case "number":
		n, ok := number(is.value)
		return n, ok
	case "integer":
		n, ok := number(is.value)
		if !ok || n != float64(int64(n)) {
			return nil, false
		}
		return json.Number(strconv.FormatInt(int64(n), 10)), true
	case "boolean":
		if is.state != nil {
			return *is.state, true
		}
		return first2(truth(is.value))
	case "string", "":
		if f.link {
			return p.linkAt(is.at)
		}
		s := strings.TrimSpace(is.value)
		if len(f.enum) > 0 {
			return oneOf(f.enum, s)
		}
		if f.format == "date" {
			s = isoDate(s)
		}
		return s, s != "" || is.rank == labelled
	}
	return nil, false
}

// isoDate brings a date that is written in another way into ISO's.
func isoDate(s string) string { return formatted("date", isoOr(s)) }

func isoOr(s string) string {
	if m := isoDay.FindString(s); m != "" && strings.Contains(m, "-") {
		return m
	}
	return s
}
