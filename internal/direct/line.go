package direct

import (
	"maps"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// line reports whether a node is a block that holds nothing but one line of
// text: what stands together in it belongs together.
func (p *page) line(i int32) bool {
	n := &p.nodes[i]
	if n.to <= n.from || n.end-i > 24 || n.to-n.from > 400 || !n.block {
		return false
	}
	for c := i + 1; c < n.end; c++ {
		if p.nodes[c].block {
			return p.pairOfBlocks(i)
		}
	}
	return true
}

// pairOfBlocks reports whether a block holds just two others, of a line each.
func (p *page) pairOfBlocks(i int32) bool {
	count := 0
	for c := i + 1; c < p.nodes[i].end; c = p.nodes[c].end {
		n := &p.nodes[c]
		if n.kind == textNode || n.to <= n.from && !n.leaf {
			return false
		}
		for d := c + 1; d < n.end; d++ {
			if p.nodes[d].block {
				return false
			}
		}
		count++
	}
	return count == 2
}

// atoms returns the parts of a line: texts, and inline elements of one text.
func (p *page) atoms(i int32) []int32 {
	var out []int32
	for c := i + 1; c < p.nodes[i].end; {
		n := &p.nodes[c]
		if n.kind == textNode || n.leaf || p.single(c) {
			if n.leaf || letterOrDigit(p.text[n.from:n.to]) {
				out = append(out, c)
			}
			c = n.end
			continue
		}
		c++
	}
	return out
}

// single reports whether an element holds one text and nothing else, but for
// what is above or below the line.
func (p *page) single(i int32) bool {
	texts := 0
	for c := i + 1; c < p.nodes[i].end; c++ {
		n := &p.nodes[c]
		if n.leaf {
			return false
		}
		if n.kind == textNode && !n.sup {
			texts++
		}
	}
	return texts == 1
}

func letterOrDigit(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '✓' || r == '✗' || r == '#'
	})
}

var colon = regexp.MustCompile(`^([^:：]{1,40})[:：]\s*(.+)$`)

// line adds what one line says: a label and a value, an amount, a count.
func (r *reader) line(i int32) {
	p := r.p
	text := p.span(i)
	atoms := p.atoms(i)
	named := false
	if lines := p.lines(i); len(lines) > 2 || len(lines) == 2 && colon.MatchString(lines[0]) && colon.MatchString(lines[1]) {
		r.lines(i, lines)
		return
	}
	if m := colon.FindStringSubmatch(text); m != nil && labelLike(m[1]) && !strings.HasPrefix(m[2], "//") && !clock(m[1], m[2]) {
		f := p.rich(i)
		f.text = m[2]
		r.labelled(m[1], f)
		named = true
		if len(atoms) > 0 && strings.HasSuffix(strings.TrimRight(p.span(atoms[0]), ":： "), strings.TrimSpace(m[1])) {
			r.label = p.nodes[atoms[0]].end
		}
	} else if len(atoms) == 2 {
		label := p.span(atoms[0])
		if strings.HasSuffix(strings.ToLower(label), " by") || strings.EqualFold(label, "by") || strings.EqualFold(label, "von") || strings.EqualFold(label, "par") {
			r.add(fact{key: "K:author", label: strings.TrimSuffix(label, " by"), about: "author", most: 90, node: atoms[1], text: p.span(atoms[1])})
		} else if labelLike(label) && !p.nodes[atoms[0]].leaf && !strings.HasSuffix(label, ",") {
			r.labelled(label, p.rich(atoms[1]))
			named = true
			if p.nodes[i].from == p.nodes[atoms[0]].from && len(p.span(atoms[1])) < 40 && claims[strings.Join(split(label), "")] {
				r.label = p.nodes[atoms[0]].end
			}
		}
	}
	if named && !r.record {
		r.named = p.nodes[i].end // an amount with a name is not the page's price
	} else if f, ok := p.figureOf(p.unstruck(i)); ok && f.money && len(text) < 60 {
		r.amount(i, p.unstruck(i), f)
	}
	if m := counted.FindStringSubmatch(text); m != nil {
		r.labelled(m[2], fact{node: i, text: text, figure: m[1], count: true, most: 90, least: 85})
	}
}

// lines adds the labels and values of several lines that stand in one element.
func (r *reader) lines(i int32, lines []string) {
	for _, line := range lines {
		if m := colon.FindStringSubmatch(line); m != nil && labelLike(m[1]) && !strings.HasPrefix(m[2], "//") && !clock(m[1], m[2]) {
			r.labelled(m[1], fact{node: i, text: m[2]})
		}
	}
	if !r.record {
		r.named = r.p.nodes[i].end
	}
}

// claims are labels that would be a value of their own elsewhere.
var claims = merged(inStock, outStock, yes, no)

func merged(sets ...map[string]bool) map[string]bool {
	all := map[string]bool{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// counted is a number of something.
var counted = regexp.MustCompile(`^\(?(\d[\d.,'’ ]*) (\pL[\pL-]*(?: \pL+)?)\)?$`)

// clock reports whether a colon stands within a time of day.
func clock(before, behind string) bool {
	b, _ := utf8.DecodeLastRuneInString(before)
	a, _ := utf8.DecodeRuneInString(behind)
	return unicode.IsDigit(a) && unicode.IsDigit(b)
}

// labelLike reports whether a text can be what something is called.
func labelLike(text string) bool {
	text = strings.TrimSpace(text)
	words := strings.Fields(text)
	return len(words) > 0 && len(words) <= 5 && utf8.RuneCountInString(text) <= 40 && !strings.ContainsAny(text, "!?;") && strings.ContainsFunc(text, unicode.IsLetter)
}

// unstruck returns a line's text without what was deleted in it.
func (p *page) unstruck(i int32) string {
	struck := p.nodes[i].struck
	var b strings.Builder
	at := p.nodes[i].from
	for c := i + 1; c < p.nodes[i].end; c++ {
		if n := &p.nodes[c]; n.struck && !struck {
			b.WriteString(p.text[at:max(at, n.from)])
			at = max(at, n.to)
		}
	}
	b.WriteString(p.text[at:p.nodes[i].to])
	return collapse(b.String())
}

// amount adds an amount of money.
func (r *reader) amount(i int32, text string, f figure) {
	for _, word := range split(f.before) {
		if formerly[word] || word == "statt" || word == "instead" || word == "lieu" {
			r.add(fact{key: "K:former", about: "former price", most: 75, node: i, text: text})
			return
		}
	}
	if r.p.nodes[i].struck {
		r.add(fact{key: "K:former", about: "former price", most: 80, node: i, text: text})
		return
	}
	r.add(fact{key: "K:price", about: "price", most: 70, node: i, text: text})
}

// piece adds what a single text is by its form.
func (r *reader) piece(i int32) {
	p := r.p
	text := p.span(i)
	if !letterOrDigit(text) || i < r.label {
		return
	}
	if f, ok := p.figureOf(text); ok && f.money && i >= r.named && !p.pricedLine(i) {
		r.amount(i, text, f)
	} else if m := counted.FindStringSubmatch(text); m != nil {
		r.labelled(m[2], fact{node: i, text: text, figure: m[1], count: true, most: 90, least: 85})
	}
	if !r.record {
		return
	}
	dated := false
	if len(text) < 40 {
		_, dated = p.dateOf(text)
	}
	n, number := p.figureOf(text)
	number = number && n.before == "" && len(split(n.behind)) < 3
	if number && !n.money && n.behind == "" && cents.MatchString(text) {
		r.add(fact{key: "K:bare", about: "price", most: 65, node: i, text: text})
	}
	if timeOfDay.MatchString(text) {
		r.add(fact{key: "K:clock", about: "time", most: 65, node: i, text: text})
	}
	if joined := strings.Join(split(text), ""); inStock[joined] || outStock[joined] {
		r.add(fact{key: "K:stock", about: "stock", most: 75, node: i, text: text})
	}
	if dated {
		r.add(fact{key: "K:dated", about: "date", most: 60, node: i, text: text})
	}
	if words := split(text); !number && !dated && !p.nodes[i].struck && strings.ContainsFunc(text, unicode.IsLetter) {
		above := &p.nodes[p.nodes[i].parent]
		key := "P:" + above.dom.Name + "." + attr(above.dom, "class")
		f := fact{key: key, node: i, text: text}
		sentence := above.is("p") && (len(words) > 5 || len(words) > 3 && strings.HasSuffix(text, "."))
		if !r.first && !sentence {
			f.key, f.about, f.most = "K:first", "name", 65
			if above.is("a") && personal.MatchString(p.address(p.nodes[i].parent, "href")) {
				f.about = ""
			}
		} else if !colon.MatchString(text) && above.is("p") && !strings.HasSuffix(text, ":") && (sentence || len(words) > 3) {
			f.key, f.about, f.most = "K:prose", "prose", 60
		}
		r.first = true
		r.add(f)
	}
}

var (
	cents     = regexp.MustCompile(`^\d[\d.,'’ ]*[.,]\d\d$`)
	timeOfDay = regexp.MustCompile(`^\d{1,2}:\d\d(?::\d\d)?$`)
)

// pricedLine reports whether the line that a text stands in is one amount, and
// was read as a whole.
func (p *page) pricedLine(i int32) bool {
	for c := p.nodes[i].parent; c >= 0; c = p.nodes[c].parent {
		if !p.nodes[c].block {
			continue
		}
		if !p.line(c) {
			return false
		}
		f, ok := p.figureOf(p.unstruck(c))
		return ok && f.money && len(p.span(c)) < 60 && !p.nodes[i].struck
	}
	return false
}
