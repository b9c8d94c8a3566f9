package offline

import (
	"regexp"
	"strconv"
	"strings"
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
	for _, w := range telling(words(t.noun + " " + m[5])) {
		if scores[w] {
			return tally{}, false
		}
	}
	t.noun = strings.Join(telling(words(t.noun)), " ")
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

// shows reports whether a part of the page is called as a list is.
func (s *scope) shows(name string) bool {
	for _, g := range s.groups() {
		if s.called(g.at, readable(name)) > 0 {
			return true
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
