package grounding

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckText traces what the sentences of a text quote: words in quotation marks,
// numbers, dates, addresses, codes and names. The words between them may be
// anyone's. What a sentence says of something that it names has to stand in the
// record of that, as far as the page has such records.
func (p *Page) CheckText(text string) []Sentence {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page == nil || p.page.divided {
		p.page = newPage(p.snap, p.now)
	}
	c := &checker{page: p.page, report: &Report{Sources: map[string]Source{}}}
	c.find = finder{p: c.page, texts: map[textKey][]place{}, heads: map[headKey]bool{}, questions: map[*member]*opposition{}}
	nouns := capitalizesNouns(text)
	var out []Sentence
	for line := range strings.Lines(text) {
		line, heading := plainLine(line)
		for _, s := range sentencesOf(line) {
			q := &quoter{c: c, nouns: nouns, heading: heading}
			out = append(out, q.read(s))
		}
	}
	return out
}

var (
	listMark   = regexp.MustCompile(`^\s*(?:[-*•–]\s+|\d{1,3}[.)]\s+|>\s*)+`)
	emphasis   = strings.NewReplacer("**", "", "__", "", "`", "", "|", " | ")
	sentenceAt = regexp.MustCompile(`[.!?]["'”’)\]]*\s+|[。！？][”」』）]*`)
)

// plainLine takes the marks of Markdown off a line.
func plainLine(line string) (text string, heading bool) {
	line = strings.TrimSpace(line)
	trimmed := strings.TrimLeft(line, "#")
	heading = trimmed != line && strings.HasPrefix(trimmed, " ")
	if heading {
		line = trimmed
	}
	return collapse(emphasis.Replace(listMark.ReplaceAllString(line, ""))), heading
}

// abbreviations do not end a sentence with their full stop.
var abbreviations = map[string]bool{"dr": true, "mr": true, "mrs": true, "ms": true, "st": true, "no": true, "nr": true, "vs": true, "approx": true, "ca": true, "etc": true, "inc": true, "ltd": true, "co": true, "prof": true, "jr": true, "sr": true, "vol": true, "ed": true, "fig": true, "bzw": true, "inkl": true, "zzgl": true, "usw": true, "str": true, "art": true, "av": true, "tel": true, "dept": true}

// sentencesOf splits a line at the ends of its sentences.
func sentencesOf(line string) []string {
	var out []string
	start := 0
	for _, at := range sentenceAt.FindAllStringIndex(line, -1) {
		before := line[start:at[0]]
		word := strings.ToLower(strings.TrimLeft(before[strings.LastIndexAny(before, " (.")+1:], `"'“‘„«[`))
		next, _ := utf8.DecodeRuneInString(line[at[1]:])
		if line[at[0]] == '.' && (utf8.RuneCountInString(word) <= 1 || abbreviations[word] || strings.Trim(before[strings.LastIndexByte(before, ' ')+1:], "0123456789") == "" && len(word) < 3) {
			continue
		}
		if open := strings.LastIndexAny(before, "“„«「『"); open > strings.LastIndexAny(before, "”»」』") && !strings.ContainsAny(line[at[0]:at[1]], "”»」』") && strings.ContainsAny(line[at[1]:], "”»」』") {
			continue // it goes on in quotation marks
		}
		if unicode.IsLower(next) {
			continue
		}
		out = append(out, strings.TrimSpace(line[start:at[1]]))
		start = at[1]
	}
	if rest := strings.TrimSpace(line[start:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// germanWords and englishWords tell a language that writes all nouns with
// capitals from one that does not.
var (
	germanWords  = setOfWords("der die das und ist sind nicht ein eine einen einem einer mit für auf von zu im dem den des bei wird kostet hat es gibt auch als nach oder aus")
	englishWords = setOfWords("the and is are not a an with for on of to in at by has it there also as from or costs was were its this that")
)

func capitalizesNouns(text string) bool {
	german, english := 0, 0
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if germanWords[w] {
			german++
		}
		if englishWords[w] {
			english++
		}
	}
	return german > english
}

// read traces what a sentence quotes.
func (q *quoter) read(s string) Sentence {
	q.out.Text = s
	bare := strings.TrimRight(s, ".!?。！？ ")
	if n := len(tokenize(normalize(bare), nil)); n > 1 || n == 1 && strings.ContainsFunc(bare, unicode.IsDigit) {
		if list := q.c.find.text(bare); len(list) > 0 {
			q.source(list[0], bare, Text)
			return q.out
		}
	}
	q.rest = []byte(s)
	q.addresses()
	q.quoted()
	q.codes()
	limits := q.bounds()
	whole := slices.Clone(q.rest)
	q.counts()
	q.figures()
	if !q.heading {
		q.names()
		q.titled()
	}
	q.together()
	q.limits(limits)
	q.rest = whole
	q.claims()
	return q.out
}

// together doubts facts of a sentence that stand with something else than what
// the sentence names.
func (q *quoter) together() {
	if len(q.named) == 0 && len(q.labels) != 1 {
		return
	}
	for w := range strings.FieldsFuncSeq(strings.ToLower(q.out.Text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if compares[w] {
			return
		}
	}
	p := q.c.page
	if len(q.named) == 0 { // a label with its value: not that of the next one
		own := &p.rec.all[q.labels[0]]
		for _, f := range q.facts {
			beside := func(pl place) bool {
				r := &p.rec.all[p.elems[pl.elem].record]
				return r.group == own.group && r.lo != own.lo
			}
			if !slices.ContainsFunc(f.places, func(pl place) bool { return !beside(pl) }) {
				ref, _ := p.ref(f.places[0].elem)
				q.doubt("%s stands beside another label (%s) than the one that the sentence names", f.shown, ref)
			}
		}
		return
	}
	for _, f := range q.facts {
		if !slices.ContainsFunc(f.places, func(pl place) bool { return q.near(pl.elem) }) {
			ref, _ := p.ref(f.places[0].elem)
			q.doubt("%s stands in another row or part (%s) than what the sentence names", f.shown, ref)
		}
	}
}
