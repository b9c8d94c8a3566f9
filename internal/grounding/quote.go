package grounding

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/calendar"
)

// A quoter reads one sentence.
type quoter struct {
	c       *checker
	nouns   bool // all nouns have capitals
	heading bool
	out     Sentence
	rest    []byte  // what was not read yet; spaces in the place of what was
	named   []place // what the sentence is about, where that tells records apart
	labels  []int32 // the records of labels with their values that it is about
	facts   []quote // numbers and moments
}

// A quote is a fact of a sentence with the places where it stands.
type quote struct {
	shown  string
	places []place
}

func (q *quoter) doubt(format string, args ...any) {
	if d := fmt.Sprintf(format, args...); !slices.Contains(q.out.Doubts, d) {
		q.out.Doubts = append(q.out.Doubts, d)
	}
}

// source notes where something stands.
func (q *quoter) source(pl place, said string, kind Kind) {
	v := &value{pointer: "", raw: said}
	if pl.kind == "" {
		pl.kind = kind
	}
	delete(q.c.report.Sources, "")
	q.c.ground(v, pl)
	s := q.c.report.Sources[""]
	if s.Text == "" {
		s.Text = said
	}
	if !slices.ContainsFunc(q.out.Sources, func(o Source) bool { return o.Ref == s.Ref && o.Text == s.Text }) {
		q.out.Sources = append(q.out.Sources, s)
	}
}

// take blanks what was read.
func (q *quoter) take(from, to int) {
	for i := from; i < to; i++ {
		q.rest[i] = ' '
	}
}

var (
	addressIn = regexp.MustCompile(`(?:https?://|www\.|mailto:|tel:)[^\s<>"”»)\]]+|[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+`)
	quotedIn  = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|»([^«]+)«|「([^」]+)」|『([^』]+)』|‘([^’]{2,})’|(?:^|[\s(])'([^']{2,})'(?:$|[\s).,;:!?])`)
	lineLabel = regexp.MustCompile(`^[^\d:：]{1,40}[:：](?:\s|$)`)
	codeIn    = regexp.MustCompile(`[\p{L}\d]+(?:[-_/.#][\p{L}\d]+)*`)
)

func (q *quoter) addresses() {
	for _, at := range addressIn.FindAllIndex(q.rest, -1) {
		said := strings.TrimRight(string(q.rest[at[0]:at[1]]), ".,;:!?'")
		q.take(at[0], at[0]+len(said))
		list := q.c.find.address(said)
		for _, other := range []string{"https://" + said, "http://" + said, said + "/", strings.TrimSuffix(said, "/")} {
			if len(list) == 0 {
				list = q.c.find.address(other)
			}
		}
		if len(list) == 0 {
			list = q.c.find.text(said)
		}
		if len(list) == 0 {
			q.doubt("%s is the address of no link or picture on the page", said)
			continue
		}
		q.source(list[0], said, Address)
	}
}

func (q *quoter) quoted() {
	for _, at := range quotedIn.FindAllSubmatchIndex(q.rest, -1) {
		for g := 2; g < len(at); g += 2 {
			if at[g] < 0 {
				continue
			}
			said := strings.TrimSpace(string(q.rest[at[g]:at[g+1]]))
			q.take(at[g], at[g+1])
			if said == "" {
				continue
			}
			list := q.c.find.findText(strings.TrimRight(said, ".,;"), &member{})
			if len(list) == 0 {
				q.doubt("%q stands nowhere on the page", said)
				continue
			}
			q.source(list[0], said, Text)
			q.name(list)
		}
	}
}

// name notes what a sentence is about.
func (q *quoter) name(list []place) {
	if len(list) > mostPlaces {
		return
	}
	for i := range list {
		if q.record(list[i].elem) < 0 {
			q.label(list)
			return // it stands above all records, too
		}
	}
	q.named = append(q.named, list...)
}

// label notes the label of a value that a sentence is about.
func (q *quoter) label(list []place) {
	p := q.c.page
	if len(list) != 1 {
		return
	}
	r := p.elems[list[0].elem].record
	rec := &p.rec.all[r]
	if r > 0 && rec.group >= 0 && !rec.header && len(p.rec.groups[rec.group].members) > 1 && rec.head >= 0 && list[0].elem >= rec.head && list[0].elem < p.elems[rec.head].end {
		q.labels = append(q.labels, r)
	}
}

// codes finds words of letters and digits, as "ALB-1".
func (q *quoter) codes() {
	for _, at := range codeIn.FindAllIndex(q.rest, -1) {
		said := string(q.rest[at[0]:at[1]])
		first, _ := utf8.DecodeRuneInString(said)
		if !unicode.IsLetter(first) || unspaced(first) || !strings.ContainsFunc(said, unicode.IsDigit) || strings.ContainsFunc(said, unspaced) {
			continue
		}
		if signs[strings.ToLower(strings.TrimRight(said, "0123456789.,'"))] != "" || isMonth(strings.ToLower(strings.TrimRight(said, "0123456789-/."))) {
			continue // EUR99
		}
		q.take(at[0], at[1])
		list := q.c.find.text(said)
		if len(list) == 0 {
			q.doubt("%s stands nowhere on the page", said)
			continue
		}
		q.source(list[0], said, Text)
		q.name(list)
	}
}

// record is the innermost record around an element that holds together; -1 if none.
func (q *quoter) record(e int32) int32 {
	for r := q.c.page.elems[e].record; r > 0; r = q.c.page.rec.all[r].parent {
		if rec := &q.c.page.rec.all[r]; rec.solid && !rec.header {
			return r
		}
	}
	return -1
}

// figures finds dates, times, lengths of time and numbers.
func (q *quoter) figures() {
	s := normalize(string(q.rest))
	toks := tokenize(s, nil)
	p := q.c.page
	list := momentsIn(s, toks, p.now)
	left := []byte(s)
	for i := 0; i < len(list); {
		from, to := list[i].first, list[i].last
		var found []place
		length := true
		n := i
		for ; n < len(list) && list[n].first <= to; n++ { // readings of the same words
			to = max(to, list[n].last)
			length = length && list[n].kind == lengthMoment
			switch list[n].kind {
			case dateMoment:
				found = append(found, q.dates(&list[n])...)
			case timeMoment:
				found = append(found, q.c.find.momentPlaces(p.byTime[list[n].seconds%86400], nil)...)
			case lengthMoment:
				found = append(found, q.c.find.momentPlaces(p.byLength[list[n].seconds], nil)...)
			}
		}
		relative := list[i].relative
		i = n
		said := s[toks[from].start:toks[to].end]
		switch {
		case len(found) > 0:
			q.fact(said, found)
		case length:
			continue // its number may stand there with another word
		case !relative:
			q.doubt("%q stands nowhere on the page, in no way of writing it", said)
		}
		for k := toks[from].start; k < toks[to].end; k++ {
			left[k] = ' '
		}
	}
	q.numbers(string(left))
}

// dates finds a date; without a day, any of its month.
func (q *quoter) dates(d *moment) []place {
	if d.day > 0 {
		return q.c.find.dates(d)
	}
	var out []place
	for i := range q.c.page.moments {
		m := &q.c.page.moments[i].what
		if m.kind == dateMoment && m.month == d.month && (m.year == d.year || d.year == 0 || m.year == 0 && q.c.page.years[d.year]) {
			out = append(out, q.c.find.momentPlaces([]int32{int32(i)}, nil)...)
		}
	}
	return out
}

func (q *quoter) fact(said string, found []place) {
	q.source(found[0], said, Number)
	q.facts = append(q.facts, quote{said, found})
}

// numbers finds the numbers of a normalized text.
func (q *quoter) numbers(s string) {
	p := q.c.page
	list := numbersIn(s, tokenize(s, nil), decimals{dot: true, comma: true})
	var missing []number
	var values []float64
	for i := 0; i < len(list); {
		n := list[i]
		var found []place
		for ; i < len(list) && list[i].start <= n.start; i++ { // readings of the same digits
			found = append(found, q.number(&list[i])...)
		}
		for i < len(list) && list[i].end <= n.end { // "1 299" as two
			i++
		}
		if len(found) == 0 && len(n.raw) == 4 && n.currency == "" && p.years[int(plainValue(n.raw))] {
			found = q.c.find.momentPlaces(q.ofYear(int(plainValue(n.raw))), nil)
		}
		if len(found) == 0 {
			if missing = append(missing, n); len(n.readings) > 0 {
				continue
			}
		} else {
			q.fact(strings.TrimSpace(s[n.start:n.end]), found)
		}
		values = append(values, n.readings[0].value)
	}
	for _, n := range missing {
		if how, ok := q.computed(&n, values); ok {
			q.out.Sources = append(q.out.Sources, Source{Kind: Derived, Text: s[n.start:n.end], How: how})
			continue
		}
		q.doubt("%s stands nowhere on the page, in no way of writing it", strings.TrimSpace(s[n.start:n.end]))
	}
}

// ofYear are the moments of a year.
func (q *quoter) ofYear(year int) []int32 {
	var out []int32
	for i := range q.c.page.moments {
		if q.c.page.moments[i].what.year == year {
			out = append(out, int32(i))
		}
	}
	return out
}

// number finds where a number stands, in its currency and as what it counts.
func (q *quoter) number(n *number) []place {
	var out []place
	for _, r := range n.readings {
		for _, i := range q.c.page.byValue[r.key] {
			o := &q.c.page.numbers[i].what
			if n.currency != "" && o.currency != "" && !shareWord(o.currency, n.currency) || n.percent && !o.percent || counted[n.after] != "" && counted[o.after] != "" && counted[n.after] != counted[o.after] {
				continue
			}
			out = append(out, q.c.find.numberPlace(i, Number))
		}
	}
	slices.SortStableFunc(out, func(a, b place) int { return int(a.elem - b.elem) })
	return out
}

// computed reports how a number follows from others of its sentence, or that it
// counts what the page repeats.
func (q *quoter) computed(n *number, values []float64) (how string, ok bool) {
	for _, r := range n.readings {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		about := func(v float64) bool { return math.Abs(v-r.value) <= 0.005+1e-9*math.Abs(v) }
		if len(values) > 1 && about(sum) {
			return "sum", true
		}
		for i, a := range values {
			for j, b := range values {
				switch {
				case i == j:
				case about(a - b):
					return "difference", true
				case i < j && about(a*b):
					return "product", true
				}
			}
		}
		if n.currency != "" || n.percent || r.value != math.Trunc(r.value) || strings.ContainsAny(n.raw, ".,") {
			continue
		}
		for _, g := range q.c.page.rec.groups {
			if len(g.members) > 1 && float64(len(g.members)) == r.value && q.c.page.rec.all[g.members[0]].solid {
				return "count", true
			}
		}
	}
	return "", false
}

// ordinary are words with a capital that name nothing.
var ordinary = setOfWords("i yes no true false none unknown ja nein oui non am pm ok na a an the this that these those it its in on at of for with by from and or but not if is are there here our your their his her all each both other according as since until after before note please however also dr mr mrs ms prof herr frau der die das ein eine im am und le la les un une el los")

var weekdays = setOfWords("monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo")

// names finds words with capitals within a sentence.
func (q *quoter) names() {
	s := string(q.rest)
	if at := lineLabel.FindStringIndex(s); at != nil {
		q.take(0, at[1])
		s = string(q.rest)
	}
	var run []string
	begins := true // what follows may have its capital for standing there
	first := true  // so has the first word of the run
	flush := func() {
		if len(run) > 0 {
			q.run(run, first)
		}
		run = nil
	}
	gap := ""
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsLetter(r) {
			gap += string(r)
			at += size
			continue
		}
		end := at
		for end < len(s) {
			r, size := utf8.DecodeRuneInString(s[end:])
			if !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’' {
				break
			}
			end += size
		}
		word := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(s[at:end], "'s"), "’s"), "'’")
		if strings.ContainsAny(gap, ":;|•–—(…") || strings.Contains(gap, " - ") {
			flush()
			begins = true
		} else if gap != " " && gap != "-" && gap != " & " {
			flush()
		}
		capital := unicode.IsUpper(r)
		if capital {
			if len(run) == 0 {
				first = begins
			}
			run = append(run, word)
		} else {
			flush()
		}
		if len(word) < end-at { // "Anna's book"
			flush()
		}
		begins, gap, at = false, "", end
	}
	flush()
}

// run holds a run of words with capitals against the page.
func (q *quoter) run(words []string, first bool) {
	for len(words) > 0 && (first || len(words) > 1) && ordinary[strings.ToLower(words[0])] {
		words, first = words[1:], false
	}
	if len(words) == 0 || len(words) == 1 && (q.nouns || q.plain(words[0], first)) {
		return
	}
	said := strings.Join(words, " ")
	if list := q.c.find.text(said); len(list) > 0 {
		q.source(list[0], said, Text)
		q.name(list)
		return
	}
	if list := q.scattered(words); len(list) > 0 {
		for _, pl := range list {
			q.source(pl, said, Text)
		}
		return
	}
	q.doubt("%q stands nowhere on the page", said)
}

// plain reports whether a single word with a capital need not stand on the page.
func (q *quoter) plain(word string, first bool) bool {
	w := strings.ToLower(word)
	inner := strings.ContainsFunc(word[len(string([]rune(word)[0])):], unicode.IsUpper)
	switch {
	case first && !inner, ordinary[w], weekdays[w], utf8.RuneCountInString(word) < 2:
		return true
	case isMonth(w):
		month, _ := calendar.Month(w)
		return slices.ContainsFunc(q.c.page.moments, func(m found[moment]) bool { return m.what.kind == dateMoment && m.what.month == month })
	case signs[w] != "":
		return len(q.c.page.byCurrency[signs[w]]) > 0
	}
	return false
}

// scattered finds the words of a name that stand near each other, in one line or
// record, in another order.
func (q *quoter) scattered(words []string) []place {
	if len(words) < 2 {
		return nil
	}
	var out []place
	for _, first := range q.c.find.text(words[0]) {
		out = append(out[:0], first)
		r := q.record(first.elem)
		for _, w := range words[1:] {
			list := q.c.find.text(w)
			i := slices.IndexFunc(list, func(pl place) bool {
				return pl.line == first.line || r >= 0 && q.c.page.within(pl.elem, r)
			})
			if i < 0 {
				break
			}
			out = append(out, list[i])
		}
		if len(out) == len(words) {
			return out
		}
	}
	return nil
}

// compares are words of sentences that speak of more than what they name.
var compares = setOfWords("other others rest remaining all between from range ranges average than cheapest highest lowest total both each compared while whereas respectively andere anderen übrigen zwischen alle insgesamt als autres entre tous que")

// near reports whether an element stands in a record of what a sentence names, or
// in none.
func (q *quoter) near(e int32) bool {
	p := q.c.page
	r := q.record(e)
	if r < 0 {
		return true
	}
	for _, pl := range q.named {
		own := q.record(pl.elem)
		if p.within(e, own) || p.within(pl.elem, r) || slices.ContainsFunc(p.rec.all[own].extra, func(x int32) bool { return e >= x && e < p.elems[x].end }) {
			return true
		}
	}
	return false
}
