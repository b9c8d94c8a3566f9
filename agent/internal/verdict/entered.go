package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

// entered names what was entered and comes from nowhere: a number, or a text, that
// neither the instruction nor a page said before. A model may word a message itself;
// it may not make up its facts. A page that shows what the run itself entered is no
// source of it.
func entered(instruction string, clauses []Clause, deeds []Deed, read []Reading) (open []Part) {
	s := sources{task: saying([]string{instruction})}
	for _, c := range clauses {
		for _, t := range c.Tokens {
			if t.kind == oneDay {
				s.days = append(s.days, t)
			}
		}
	}
	for _, r := range read {
		s.pages = append(s.pages, page{r.Step, saying([]string{r.Text})})
	}
	first := map[string]int{} // the step that entered a text first
	for _, d := range deeds {
		for _, text := range d.Entered {
			if _, ok := first[text]; !ok {
				first[text] = d.Step
			}
			if !d.Proves || strings.Contains(text, "%") {
				continue
			}
			why, contrary := s.unknown(text, first[text]), false
			if why == "" {
				why = s.mixed(text, d, deeds)
				contrary = why != ""
			}
			if why == "" {
				why = s.otherDay(text)
			}
			if why != "" {
				open = append(open, Part{Text: fmt.Sprintf("what step %d entered", d.Step), Reason: fmt.Sprintf("%q: %s", text, why), Contrary: contrary})
			}
		}
	}
	return open
}

// sources are what a run may take facts from.
type sources struct {
	task  said
	days  []Token // that the task names
	pages []page
}

type page struct {
	step int
	said
}

// unknown says what of a text comes from nowhere; empty if all has a source. Pages
// count that were shown before the step.
func (s *sources) unknown(text string, step int) string {
	if whole := normal(text); whole != "" && within(s.task.text, whole) {
		return "" // the task says it as it is, as a password
	}
	numbers := digits.FindAllString(text, -1)
	for _, n := range numbers {
		for _, part := range parts(n, func(n string, ofDay bool) bool { return s.number(n, step, ofDay) }) {
			return "neither the task nor a page before says " + part
		}
	}
	words, ofTask, ofPages := 0, false, true
	for _, w := range word.FindAllString(text, -1) {
		low := strings.ToLower(strings.TrimRight(w, ".'’-/"))
		if empty[low] || low == "" || hasDigit(low) {
			continue
		}
		words++
		ofTask = ofTask || alike(s.task.text, low)
		ofPages = ofPages && slices.ContainsFunc(s.pages, func(p page) bool { return p.step < step && within(p.text, low) })
	}
	if words > 0 && !ofTask && !ofPages {
		return "the task says none of its words, and no page before says all of them"
	}
	return ""
}

// number reports whether the task or a page before a step says a number.
func (s *sources) number(n string, step int, ofDay bool) bool {
	return s.task.number(n, ofDay) || slices.ContainsFunc(s.pages, func(p page) bool { return p.step < step && p.number(n, ofDay) })
}

// mixed says that a number of a page was entered where the task has one of the same
// form for a field of that name: the page's may be another thing's.
func (s *sources) mixed(text string, d Deed, deeds []Deed) string {
	if strings.Trim(shape(text), "0.,:'’-/ ") != "" || s.task.has(Token{kind: number, want: []string{squeeze(text)}}) {
		return ""
	}
	for _, e := range deeds {
		for _, other := range e.Entered {
			if e.Proves && e.Element == d.Element && shape(other) == shape(text) && s.task.has(Token{kind: number, want: []string{squeeze(other)}}) {
				return "the task says " + other
			}
		}
	}
	return ""
}

// otherDay says that a day was entered where the task names another one. A calendar
// shows every day, so that a page is no source of one; a day that has to be reckoned
// stays open.
func (s *sources) otherDay(text string) string {
	day := saying([]string{text})
	if shape(text) != "0000-00-00" || len(s.days) == 0 || slices.ContainsFunc(s.days, day.has) {
		return ""
	}
	return "the task says " + s.days[0].Text
}

// shape is a text with 0 in the place of each digit.
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, text)
}

// parts are those of a number with separators that are not known, as of a date
// whose month is written as a name: none where the whole is known.
func parts(n string, known func(n string, ofDay bool) bool) (unknown []string) {
	if known(n, false) {
		return nil
	}
	fields := strings.FieldsFunc(n, func(r rune) bool { return strings.ContainsRune(".,:/'’-", r) })
	for _, p := range fields {
		ofDay := len(fields) > 1
		if !known(p, ofDay) && !known(strings.TrimLeft(p, "0"), ofDay) && strings.Trim(p, "0") != "" {
			unknown = append(unknown, p)
		}
	}
	return unknown
}

// inWords are words that mean a number: a numeral, or in a day a month.
func inWords(n string, ofDay bool) (out []string) {
	n = strings.TrimLeft(n, "0")
	for w, digit := range numerals {
		if digit == n {
			out = append(out, w)
		}
	}
	if ofDay {
		out = append(out, calendar.Names(n)...)
	}
	return out
}
