package grounding

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// What a sentence says beyond what it quotes: how much at least, which is cheaper,
// that something is not so. None of it stands on the page as a value does, so it is
// derived where the page bears it out or does not contradict it, and doubted where it
// does.

// concluded notes what a sentence concludes, by a word of it.
func (q *quoter) concluded(how, said string) {
	q.out.Sources = append(q.out.Sources, Source{Kind: Derived, Text: said, How: how})
}

// bound are words before a number that is not given itself, with what holds of it:
// '>' more, 'g' at least, '<' less, 'l' at most, '~' about.
var bound = map[string]byte{
	"more than": '>', "over": '>', "above": '>', "at least": 'g', "no less than": 'g', "no fewer than": 'g', "less than": '<', "fewer than": '<', "under": '<', "below": '<',
	"at most": 'l', "no more than": 'l', "up to": 'l', "nearly": '~', "almost": '~', "about": '~', "around": '~', "approximately": '~', "roughly": '~', "some": '~',
	"mehr als": '>', "über": '>', "mindestens": 'g', "weniger als": '<', "unter": '<', "höchstens": 'l', "bis zu": 'l', "rund": '~', "etwa": '~', "circa": '~', "fast": '~', "knapp": '~',
	"plus de": '>', "au moins": 'g', "moins de": '<', "au plus": 'l', "environ": '~', "presque": '~', "más de": '>', "al menos": 'g', "menos de": '<', "como máximo": 'l', "unos": '~',
}

// boundAt finds such words and the number behind them.
var boundAt = func() *regexp.Regexp {
	words := make([]string, 0, len(bound))
	for w := range bound {
		words = append(words, regexp.QuoteMeta(w))
	}
	slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	return regexp.MustCompile(`(?:^|[^\p{L}])(` + strings.Join(words, "|") + `)\s+((?:[\p{Sc}]|[A-Z]{3}\s)?\s?\d[\d.,'’ ]*\d|(?:[\p{Sc}]|[A-Z]{3}\s)?\s?\d)`)
}()

// A limit is a number that only bounds others.
type limit struct {
	said string
	kind byte
	of   number
}

// bounds takes the numbers that only bound others out of the sentence.
func (q *quoter) bounds() (out []limit) {
	s := strings.ToLower(string(q.rest))
	if len(s) != len(q.rest) {
		return nil
	}
	for _, at := range boundAt.FindAllStringSubmatchIndex(s, -1) {
		said := s[at[2]:at[5]]
		if len(q.c.find.text(said)) > 0 {
			continue // the page puts it like this
		}
		line := normalize(s[at[4]:])
		list := numbersIn(line, tokenize(line, nil), decimals{dot: true, comma: true})
		if len(list) == 0 || len(list[0].readings) == 0 {
			continue
		}
		q.take(at[2], at[5])
		out = append(out, limit{said, bound[s[at[2]:at[3]]], list[0]})
	}
	return out
}

// limits holds the numbers that bound others against the page.
func (q *quoter) limits(list []limit) {
	for i := range list {
		l := &list[i]
		if s, ok := q.bounded(&l.of, l.kind); ok {
			s.Kind, s.Text, s.How = Derived, l.said, "comparison"
			q.out.Sources = append(q.out.Sources, s)
		} else {
			q.doubt("nothing on the page is %s", l.said)
		}
	}
}

// bounded finds a number, or a count of what the page repeats, of which a bound holds.
func (q *quoter) bounded(n *number, kind byte) (Source, bool) {
	limit := n.readings[0].value
	holds := func(v float64) bool {
		switch kind {
		case '>':
			return v > limit
		case 'g':
			return v >= limit
		case '<':
			return v < limit
		case 'l':
			return v <= limit
		}
		return math.Abs(v-limit) <= 0.1*math.Abs(limit)
	}
	p := q.c.page
	for i := range p.numbers {
		if q.c.find.dated(int32(i)) {
			continue
		}
		o := &p.numbers[i].what
		switch {
		case n.currency != "" && !shareWord(o.currency, n.currency), n.currency == "" && o.currency != "", n.percent != o.percent:
			continue
		case n.after != "" && o.after != "" && !alike(idea(stem(n.after)), idea(stem(o.after))):
			continue
		case len(q.named) > 0 && (q.record(p.numbers[i].elem) < 0 || !q.near(p.numbers[i].elem)), len(o.readings) == 0 || !holds(o.readings[0].value):
			continue
		}
		ref, _ := p.ref(p.numbers[i].elem)
		return Source{Ref: ref, Frame: q.c.frame(p.numbers[i].elem), Parts: []string{string(ref)}}, true
	}
	for _, g := range p.rec.groups {
		if n.currency == "" && len(q.named) == 0 && len(g.members) > 1 && p.rec.all[g.members[0]].solid && holds(float64(len(g.members))) {
			return Source{}, true
		}
	}
	return Source{}, false
}

// counts holds the counts that a sentence writes as words against the page: "five
// chairs" are as many as the page shows or says.
func (q *quoter) counts() {
	s := string(q.rest)
	words := codeIn.FindAllStringIndex(s, -1)
	for i, at := range words {
		w := strings.ToLower(s[at[0]:at[1]])
		n := spelled[w]
		if n < 2 || i+1 >= len(words) || strings.TrimSpace(s[at[1]:words[i+1][0]]) != "" || w == "double" {
			continue
		}
		next := strings.ToLower(s[words[i+1][0]:words[i+1][1]])
		if empty[next] || compares[next] || ordinary[next] {
			continue // "two of them"
		}
		q.take(at[0], at[1])
		said := w + " " + next
		if list := q.c.find.text(said); len(list) > 0 {
			q.source(list[0], said, Text)
			continue
		}
		m := &number{readings: []reading{{canonical(float64(n)), float64(n)}}, raw: "0", after: next}
		if found := q.number(m); len(found) > 0 {
			q.fact(said, found)
		} else if how, ok := q.computed(m, nil); ok {
			q.concluded(how, said)
		} else {
			q.doubt("there are not %s on the page", said)
		}
	}
}

// titles stand before or after names, in scripts that have no capitals.
var (
	titleBehind = regexp.MustCompile(`([\p{Han}\p{Katakana}ー・]{1,8}|\p{Hangul}{2,4})\s?(?:さん|氏|様|さま|先生|女士|小姐|씨|님)`)
	titleBefore = regexp.MustCompile(`(?:السيد|السيدة|الدكتور|الدكتورة|מר|גב'|ד"ר|آقای|خانم|श्री|श्रीमती)\s+([\p{L}\p{M}]+(?:\s[\p{L}\p{M}]+)?)`)
)

// titled finds the names of people in scripts without capitals, by their titles.
func (q *quoter) titled() {
	s := string(q.rest)
	for _, at := range titleBehind.FindAllStringSubmatchIndex(s, -1) {
		q.person(s[at[2]:at[3]])
	}
	for _, at := range titleBefore.FindAllStringSubmatchIndex(s, -1) {
		q.person(s[at[2]:at[3]])
	}
}

// person holds a name against the page. What stands right before it in a script
// without spaces may have been taken for a part of it, so its end counts.
func (q *quoter) person(name string) {
	letters := []rune(name)
	for from := 0; from <= max(0, len(letters)-2); from++ {
		if list := q.c.find.text(string(letters[from:])); len(list) > 0 {
			q.source(list[0], string(letters[from:]), Text)
			return
		}
		if !unspaced(letters[0]) {
			break
		}
	}
	if first, _, ok := strings.Cut(name, " "); ok && len(q.c.find.text(first)) > 0 {
		return // the second word was no part of it
	}
	q.doubt("%q stands nowhere on the page", name)
}

// Words that compare prices, each with the sign of the difference.
var (
	cheaper  = map[string]int{"cheaper": -1, "günstiger": -1, "billiger": -1, "preiswerter": -1, "dearer": 1, "pricier": 1, "costlier": 1, "teurer": 1}
	cheapest = map[string]int{"cheapest": -1, "günstigste": -1, "billigste": -1, "preiswerteste": -1, "dearest": 1, "priciest": 1, "teuerste": 1}
	// contrasts are other words that compare.
	contrasts = setOfWords("larger bigger smaller longer shorter heavier lighter faster slower higher lower older newer younger better worse fewer earlier later stronger closer highest lowest largest biggest smallest longest shortest heaviest lightest fastest slowest oldest newest youngest best worst earliest latest nearest größer kleiner länger kürzer schwerer leichter schneller höher niedriger älter neuer besser schlechter größte kleinste längste kürzeste höchste niedrigste beste neueste älteste mehr weniger twice half")
	// denials are words that say that something is not so.
	denials = setOfWords("no not none never without neither nor nobody nothing cannot kein keine keinen keinem keiner keines nicht nie ohne weder aucun aucune sans jamais ningún ninguna nunca sin nessun nessuna senza")
)

// claims notes what a sentence compares or denies, and doubts what the page refutes.
func (q *quoter) claims() {
	text := strings.ToLower(string(q.rest))
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	compared, denied := "", ""
	for i, w := range words {
		sign, than := cheaper[w]
		if w == "expensive" && i > 0 && (words[i-1] == "more" || words[i-1] == "less") {
			sign, than = 1, true
			if words[i-1] == "less" {
				sign = -1
			}
		}
		most, super := cheapest[w]
		if w == "expensive" && i > 0 && (words[i-1] == "most" || words[i-1] == "least") {
			most, super = 1, true
			if words[i-1] == "least" {
				most = -1
			}
		}
		switch {
		case than:
			compared = w
			q.dearer(sign)
		case super:
			compared = w
			q.extreme(most)
		case contrasts[w] || w == "than" && compared == "":
			compared = w
		case denials[w] || strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t"):
			denied = w
		}
	}
	if compared != "" {
		q.concluded("comparison", compared)
	}
	if denied != "" && len(q.out.Sources) > 0 {
		q.concluded("negation", denied)
	}
	q.refuted(text)
}

// price is the one amount of money of a record; ok is false where there are none or
// several.
func (q *quoter) price(r int32) (v float64, ok bool) {
	p := q.c.page
	rec := &p.rec.all[r]
	at, _ := slices.BinarySearchFunc(p.numbers, rec.lo, func(n found[number], lo int32) int { return int(n.elem - lo) })
	for ; at < len(p.numbers) && p.numbers[at].elem < rec.hi; at++ {
		n := &p.numbers[at]
		if n.what.currency == "" || len(n.what.readings) == 0 || p.captionOf(n.elem, n.what.start).old {
			continue
		}
		if ok && v != n.what.readings[0].value {
			return 0, false
		}
		v, ok = n.what.readings[0].value, true
	}
	return v, ok
}

// things are the records of what a sentence names, in its order, if each name
// stands in one alone.
func (q *quoter) things() []int32 {
	var out []int32
	for _, pl := range q.named {
		if r := q.record(pl.elem); !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	return out
}

// dearer doubts that the first thing of a sentence is cheaper or dearer than the second.
func (q *quoter) dearer(sign int) {
	list := q.things()
	if len(list) != 2 {
		return
	}
	a, first := q.price(list[0])
	b, second := q.price(list[1])
	if first && second && (a-b)*float64(sign) <= 0 {
		q.doubt("what the page asks for the one and the other is %s and %s", canonical(a), canonical(b))
	}
}

// extreme doubts that a thing is the cheapest or dearest of its kind.
func (q *quoter) extreme(sign int) {
	list := q.things()
	if len(list) != 1 {
		return
	}
	p := q.c.page
	own, ok := q.price(list[0])
	if g := p.rec.all[list[0]].group; ok && g >= 0 {
		for _, m := range p.rec.groups[g].members {
			if v, ok := q.price(m); ok && (v-own)*float64(sign) > 0 {
				q.doubt("the page has one at %s beside it", canonical(v))
				return
			}
		}
	}
}

// refuted doubts a state that the record of what the sentence names contradicts: "in
// stock" of what is sold out.
func (q *quoter) refuted(text string) {
	list := q.things()
	if len(list) != 1 {
		return
	}
	text = " " + collapse(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || r == '\'' || r == '-' {
			return r
		}
		return ' '
	}, normalize(text))) + " "
	telling := func(phrase string) bool { return strings.Contains(phrase, " ") || len(phrase) >= 6 }
	for i := range oppositions {
		o := &oppositions[i]
		said := func(phrases []string) (string, bool) {
			for _, phrase := range phrases {
				if at := strings.Index(text, " "+phrase+" "); at >= 0 && telling(phrase) && !(i == 0 && strings.Contains(phrase, "stock")) {
					before := strings.Fields(text[:at])
					return phrase, len(before) > 0 && slices.ContainsFunc(before[max(0, len(before)-3):], func(w string) bool { return denials[w] || strings.HasSuffix(w, "n't") })
				}
			}
			return "", false
		}
		against, with := o.yes, o.no
		phrase, negated := said(o.no)
		if phrase == "" {
			against, with = o.no, o.yes
			phrase, negated = said(o.yes)
		}
		if phrase == "" {
			continue
		}
		if negated {
			against, with = with, against
		}
		if q.states(list[0], with) == "" {
			if other := q.states(list[0], against); other != "" {
				q.doubt("%q, but the page says %q there", phrase, other)
			}
		}
	}
}

// states returns the first of some phrases that a record says.
func (q *quoter) states(r int32, phrases []string) string {
	h := q.c.homeOf(r)
	for _, phrase := range phrases {
		for _, pl := range q.c.inside(q.c.phrase(phrase), h) {
			if pl.line >= 0 && !pl.option && !q.c.long(pl, phrase) && !q.c.disabled(pl.elem) && !q.c.negated(pl) {
				return phrase
			}
		}
	}
	return ""
}
