package grounding

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A quoter reads one sentence.
type quoter struct {
	c     *checker
	out   Sentence
	rest  []byte  // what was not read yet; spaces in the place of what was
	named []place // what the sentence is about, where that tells records apart
	facts []quote // numbers and moments
}

// A quote is a fact of a sentence with the places where it stands.
type quote struct {
	shown  string
	unit   string // what it is an amount of: a currency, a word
	places []place
}

func (q *quoter) doubt(format string, args ...any) {
	if d := fmt.Sprintf(format, args...); !slices.Contains(q.out.Doubts, d) {
		q.out.Doubts = append(q.out.Doubts, d)
	}
}

// source notes where something stands.
func (q *quoter) source(pl place, said string) {
	v := &value{pointer: "", raw: said}
	delete(q.c.report.Sources, "")
	q.c.ground(v, pl)
	s := q.c.report.Sources[""]
	if !slices.ContainsFunc(q.out.Sources, func(o Source) bool { return o.Ref == s.Ref && o.Text == s.Text }) {
		q.out.Sources = append(q.out.Sources, s)
	}
}

var (
	addressIn = regexp.MustCompile(`(?:https?://|www\.|mailto:|tel:)[^\s<>"”»)\]]+|[\p{L}\d._%+-]+@[\p{L}\d-]+(?:\.[\p{L}\d-]+)+`)
	quotedIn  = regexp.MustCompile(`"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|»([^«]+)«|「([^」]+)」|『([^』]+)』|‘([^’]{2,})’|(?:^|[\s(])'([^']{2,})'(?:$|[\s).,;:!?])`)
	codeIn    = regexp.MustCompile(`[\p{L}\d]+(?:[-_/.#][\p{L}\d]+)*`)
	lineLabel = regexp.MustCompile(`^[^\d:：]{1,40}[:：](?:\s|$)`)
	nameIn    = regexp.MustCompile(`\p{Lu}[\p{L}\p{M}’']*(?:(?: | & |-)\p{Lu}[\p{L}\p{M}’']*)+`)
)

// each finds what an expression matches, or the group of it that does. What is returned
// of it was read.
func (q *quoter) each(re *regexp.Regexp, read func(said string) int) {
	for _, at := range re.FindAllSubmatchIndex(q.rest, -1) {
		for g := 2; g < len(at); g += 2 {
			if at[g] >= 0 {
				at[0], at[1] = at[g], at[g+1]
			}
		}
		n := read(string(q.rest[at[0]:at[1]]))
		for i := range n {
			q.rest[at[0]+i] = ' '
		}
	}
}

// stands holds words against the page: they name what the sentence is about, unless
// they stand above all records, too.
func (q *quoter) stands(said string, list []place) {
	if len(list) == 0 {
		q.doubt("%q stands nowhere on the page", said)
		return
	}
	q.source(list[0], said)
	if len(list) <= mostPlaces && !slices.ContainsFunc(list, func(pl place) bool { return q.record(pl.elem) < 0 }) {
		q.named = append(q.named, list...)
	}
}

func (q *quoter) address(said string) int {
	said = strings.TrimRight(said, ".,;:!?'")
	var list []place
	for _, spelling := range []string{said, "https://" + said, "http://" + said, said + "/", strings.TrimSuffix(said, "/")} {
		if len(list) == 0 {
			list = q.c.find.address(spelling)
		}
	}
	if len(list) == 0 {
		list = q.c.find.text(said)
	}
	if len(list) > 0 {
		q.source(list[0], said)
	} else {
		q.doubt("%s is the address of no link or picture on the page", said)
	}
	return len(said)
}

func (q *quoter) quoted(said string) int {
	if text := strings.TrimSpace(said); text != "" {
		q.stands(text, q.c.find.findText(strings.TrimRight(text, ".,;"), &member{}))
	}
	return len(said)
}

// code finds a word of letters and digits, as "ALB-1".
func (q *quoter) code(said string) int {
	first, _ := utf8.DecodeRuneInString(said)
	word := strings.ToLower(strings.TrimRight(said, "0123456789.,'-/"))
	if !unicode.IsLetter(first) || !strings.ContainsFunc(said, unicode.IsDigit) || strings.ContainsFunc(said, pagedata.Unspaced) || pagedata.Signs[word] != "" || pagedata.IsMonth(word) { // EUR99
		return 0
	}
	q.stands(said, q.c.find.text(said))
	return len(said)
}

// name finds a run of words with capitals. The first of them may have its capital for
// another reason: it begins a sentence, is a title, or is a German noun. Nor does a
// single word show by its capital that it is a name.
func (q *quoter) name(said string) int {
	said = strings.TrimSuffix(strings.TrimSuffix(said, "'s"), "’s")
	list := q.c.find.text(said)
	if _, rest, ok := strings.Cut(said, " "); ok && len(list) == 0 {
		list = q.c.find.text(rest)
	}
	q.stands(said, list)
	return 0
}

// record is the innermost record around an element that holds together; -1 if none.
func (q *quoter) record(e int32) int32 {
	for r := q.c.page.Elems[e].Record; r > 0; r = q.c.page.Rec.All[r].Parent {
		if rec := &q.c.page.Rec.All[r]; rec.Solid && !rec.Header {
			return r
		}
	}
	return -1
}

// figures finds dates, times, lengths of time and numbers.
func (q *quoter) figures() {
	s := pagedata.Normalize(string(q.rest))
	list := pagedata.MomentsIn(s, pagedata.Tokenize(s, nil), q.c.page.Now)
	left := []byte(s)
	for i := 0; i < len(list); {
		from, to := list[i].From, list[i].To
		length, relative := true, list[i].Relative
		for ; i < len(list) && list[i].From < to; i++ { // readings of the same words
			to = max(to, list[i].To)
			length = length && list[i].Kind == pagedata.LengthMoment
		}
		said := s[from:to]
		switch found := q.c.find.findText(said, &member{}); {
		case len(found) > 0:
			q.fact(said, "", found)
		case length:
			continue // its number may stand there with another word
		case !relative:
			q.doubt("%q stands nowhere on the page, in no way of writing it", said)
		}
		for k := from; k < to; k++ {
			left[k] = ' '
		}
	}
	q.numbers(string(left))
}

func (q *quoter) fact(said, unit string, found []place) {
	q.source(found[0], said)
	q.facts = append(q.facts, quote{said, unit, found})
}

// apart doubts facts that stand with something else than what the sentence names. One
// beside another of its unit that stands there may be compared with it.
func (q *quoter) apart() {
	units := map[string]bool{}
	here := func(f quote) bool {
		return slices.ContainsFunc(f.places, func(pl place) bool { return q.near(pl.elem) })
	}
	for _, f := range q.facts {
		units[f.unit] = units[f.unit] || here(f)
	}
	for _, f := range q.facts {
		if !units[f.unit] {
			ref, _ := q.c.page.Ref(f.places[0].elem)
			q.doubt("%s stands in another row or part (%s) than what the sentence names", f.shown, ref)
		}
	}
}

// numbers finds the numbers of a normalized text.
func (q *quoter) numbers(s string) {
	list := pagedata.NumbersIn(s, pagedata.Tokenize(s, nil), pagedata.Decimals{Dot: true, Comma: true})
	var missing []pagedata.Number
	var values []float64
	for i := 0; i < len(list); {
		n := list[i]
		var found []place
		for ; i < len(list) && list[i].Start <= n.Start; i++ { // readings of the same digits
			found = append(found, q.number(&list[i])...)
		}
		for i < len(list) && list[i].End <= n.End { // "1 299" as two
			i++
		}
		if len(found) > 0 {
			q.fact(strings.TrimSpace(s[n.Start:n.End]), cmp.Or(n.Currency, pagedata.Stem(n.After)), found)
			values = append(values, n.Readings[0].Value)
		} else {
			missing = append(missing, n)
		}
	}
	for _, n := range missing {
		if how, ok := q.computed(&n, values); ok {
			q.out.Sources = append(q.out.Sources, Source{Kind: Derived, Text: s[n.Start:n.End], How: how})
			continue
		}
		q.doubt("%s stands nowhere on the page, in no way of writing it", strings.TrimSpace(s[n.Start:n.End]))
	}
}

// number finds where a number stands, in its currency.
func (q *quoter) number(n *pagedata.Number) []place {
	var out []place
	for _, r := range n.Readings {
		for _, i := range q.c.page.ByValue[r.Key] {
			o := &q.c.page.Numbers[i].What
			if n.Currency != "" && o.Currency != "" && !shareWord(o.Currency, n.Currency) || n.Percent && !o.Percent {
				continue
			}
			out = append(out, q.c.find.numberPlace(i, Number))
		}
	}
	return inOrder(out)
}

// computed reports how a number follows from others of its sentence, that it counts
// what the page repeats, or that it is another, rounded to its digits. One number in a
// hundred ends in two noughts by chance; more than that are rounded.
func (q *quoter) computed(n *pagedata.Number, values []float64) (how string, ok bool) {
	p := q.c.page
	for _, r := range n.Readings {
		sum := 0.0
		about := func(v, slack float64) bool { return math.Abs(v-r.Value) <= slack+1e-9*math.Abs(v) }
		for i, a := range values {
			sum += a
			for k, b := range values {
				if i != k && about(a-b, 0.005) {
					return "difference", true
				}
			}
		}
		if len(values) > 1 && about(sum, 0.005) {
			return "sum", true
		}
		if n.Percent || r.Value != math.Trunc(r.Value) || strings.ContainsRune(n.Raw, '.') {
			continue
		}
		for _, g := range p.Rec.Groups {
			if n.Currency == "" && len(g.Members) > 1 && float64(len(g.Members)) == r.Value && p.Rec.All[g.Members[0]].Solid {
				return "count", true
			}
		}
		unit := 1.0
		for r.Value != 0 && math.Mod(r.Value, 10*unit) == 0 {
			unit *= 10
		}
		for i := range p.Numbers {
			o := &p.Numbers[i].What
			if unit >= 100 && len(o.Readings) > 0 && about(o.Readings[0].Value, unit/2) && (n.Currency == "" && o.Currency == "" || shareWord(o.Currency, n.Currency)) && q.near(p.Numbers[i].Elem) {
				return "rounded", true
			}
		}
	}
	return "", false
}

// near reports whether an element stands in a record of what a sentence names, or
// in none; a sentence that names nothing speaks of all.
func (q *quoter) near(e int32) bool {
	p := q.c.page
	r := q.record(e)
	return r < 0 || len(q.named) == 0 || slices.ContainsFunc(q.named, func(pl place) bool {
		own := q.record(pl.elem)
		return p.Within(e, own) || p.Within(pl.elem, r) || slices.ContainsFunc(p.Rec.All[own].Extra, func(x int32) bool { return e >= x && e < p.Elems[x].End })
	})
}

// read traces what a sentence quotes.
func (q *quoter) read(s string, heading bool) {
	bare := strings.TrimRight(s, ".!?。！？ ")
	if n := len(pagedata.Tokenize(pagedata.Normalize(bare), nil)); n > 1 || n == 1 && strings.ContainsFunc(bare, unicode.IsDigit) {
		if list := q.c.find.text(bare); len(list) > 0 {
			q.source(list[0], bare)
			return
		}
	}
	q.each(addressIn, q.address)
	q.each(quotedIn, q.quoted)
	q.each(codeIn, q.code)
	if !heading { // all its words have capitals
		q.each(lineLabel, func(label string) int { return len(label) })
		q.each(nameIn, q.name)
	}
	q.figures()
	q.apart()
}
