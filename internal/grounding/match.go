package grounding

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// text finds a text, whole words of it, across the ends of elements.
func (f *finder) text(s string) []place {
	s = normalize(collapse(s))
	toks := tokenize(s, nil)
	if len(toks) == 0 {
		return f.symbols(s)
	}
	p := f.p
	ids := make([]int32, len(toks))
	rare := 0
	for i, t := range toks {
		id, ok := p.vocabulary[s[t.start:t.end]]
		if !ok {
			return nil
		}
		ids[i] = id
		if len(p.postings[id]) < len(p.postings[ids[rare]]) {
			rare = i
		}
	}
	if len(ids) > 1 && rare > 0 {
		// Begin with the rarest word of the first ones: the rest follows it.
		rare = 0
		for i := range min(len(ids), 12) {
			if len(p.postings[ids[i]]) < len(p.postings[ids[rare]]) {
				rare = i
			}
		}
	}
	var out []place
	for _, at := range p.postings[ids[rare]] {
		start, ok := p.back(at, ids, toks, rare)
		if !ok {
			continue
		}
		end, ok := p.follow(start, s, ids, toks)
		if !ok {
			continue
		}
		first, last := &p.words[start], &p.words[end]
		pl := place{line: first.line, at: first.token.start, number: -1, kind: Text}
		pl.elem = p.lines[first.line].elemAt(first.token.start)
		pl.last = p.lines[last.line].elemAt(last.token.start)
		pl.end = -1
		if first.line == last.line {
			pl.end = last.token.end
		}
		pl.option = p.lines[first.line].option
		if p.lines[first.line].hidden {
			pl.kind = Attribute
		}
		out = append(out, pl)
	}
	if len(toks) <= 2 {
		out = p.apartFromWords(out, toks, s)
	}
	byElem := func(a, b place) int { return int(a.elem - b.elem) }
	if !slices.IsSortedFunc(out, byElem) {
		slices.SortStableFunc(out, byElem)
	}
	return out
}

// symbols finds a text without a word, as "↑".
func (f *finder) symbols(s string) []place {
	var out []place
	if s == "" || len(s) > 12 {
		return nil
	}
	for i := range f.p.lines {
		if l := &f.p.lines[i]; strings.TrimSpace(l.text) == s {
			out = append(out, place{elem: l.pieces[0].elem, last: l.pieces[0].elem, line: int32(i), end: int32(len(l.text)), number: -1, kind: Text})
		}
	}
	return out
}

// back finds where a match begins of whose words the one at rare stands at at.
func (p *page) back(at int32, ids []int32, toks []token, rare int) (int32, bool) {
	for k := rare; k > 0; k-- {
		line := p.words[at].line
		at--
		for at >= 0 && p.words[at].line != line && p.lines[p.words[at].line].hidden && !p.lines[line].hidden {
			at = p.lines[p.words[at].line].first - 1
		}
		if at < 0 || p.words[at].id != ids[k-1] || p.words[at].line != line && p.lines[line].hidden {
			return 0, false
		}
	}
	return at, true
}

// follow reports whether words stand one after the other, and where the last is.
func (p *page) follow(at int32, s string, ids []int32, toks []token) (int32, bool) {
	start := p.words[at].line
	for k := range ids {
		if k > 0 {
			line := p.words[at].line
			at++
			for int(at) < len(p.words) && p.words[at].line != line && p.lines[p.words[at].line].hidden {
				if p.lines[start].hidden {
					return 0, false
				}
				at = p.lines[p.words[at].line].end
			}
			if int(at) >= len(p.words) || p.lines[start].hidden && p.words[at].line != start {
				return 0, false
			}
		}
		if p.words[at].id != ids[k] {
			return 0, false
		}
		if k > 0 && toks[k].digits && toks[k-1].digits {
			a, b := p.words[at].token.gap, toks[k].gap
			if p.words[at].token.start == 0 || p.words[at].line != p.words[at-1].line {
				a = ' '
			}
			if a != b && !(loose(a) && loose(b)) {
				return 0, false
			}
		}
		if k > 0 && !p.sameSpaces(at, s, toks, k) {
			return 0, false
		}
		if k == 0 || k == len(ids)-1 {
			// Not a part of a longer number.
			w := &p.words[at]
			if w.token.digits && !p.wholeNumber(at, k == 0, k == len(ids)-1) {
				return 0, false
			}
		}
	}
	return at, true
}

// sameSpaces reports whether syllables of Hangul, each of which is a token, are
// joined or apart as in the text s that is looked for.
func (p *page) sameSpaces(at int32, s string, toks []token, k int) bool {
	a, b := &p.words[at-1], &p.words[at]
	if !hangul(s[toks[k].start:]) || !hangul(s[toks[k-1].start:]) || a.line != b.line {
		return true
	}
	l := &p.lines[b.line]
	return (b.token.gap == 0) == (toks[k].gap == 0) || l.elemAt(a.token.start) != l.elemAt(b.token.start)
}

func hangul(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0xac00 && r <= 0xd7af
}

// apartFromWords keeps those places of one or two letters of a script without spaces
// that are no part of a longer word, if there are any.
func (p *page) apartFromWords(list []place, toks []token, s string) []place {
	for i := range toks {
		if !unspacedAt(s[toks[i].start:toks[i].end]) {
			return list
		}
	}
	var whole []place
	for _, pl := range list {
		if pl.end < 0 {
			continue
		}
		l := &p.lines[pl.line]
		before, _ := utf8.DecodeLastRuneInString(l.text[:pl.at])
		after, _ := utf8.DecodeRuneInString(l.text[pl.end:])
		if !unspaced(before) && !unspaced(after) {
			whole = append(whole, pl)
		}
	}
	if len(whole) == 0 {
		return list
	}
	return whole
}

func loose(r rune) bool {
	return r == ' ' || r == '-' || r == '/' || r == '|' || r == '·' || r == '•' || r == ';'
}

// wholeNumber reports whether digits are not cut out of a longer number.
func (p *page) wholeNumber(at int32, left, right bool) bool {
	w := &p.words[at]
	glued := func(a, b *word) bool {
		if a.line != b.line || !a.token.digits || !b.token.digits || b.token.start-a.token.end != 1 {
			return false
		}
		g := b.token.gap
		return g == '.' || g == ',' || g == '\''
	}
	if left && at > 0 && glued(&p.words[at-1], w) {
		return false
	}
	return !(right && int(at)+1 < len(p.words) && glued(w, &p.words[at+1]))
}

// wordAfter is the word that follows a place in its line.
func (p *page) wordAfter(pl place) string {
	if pl.line < 0 || pl.end < 0 {
		return ""
	}
	l := &p.lines[pl.line]
	for k := l.first; k < l.end; k++ {
		if p.words[k].token.start >= pl.end {
			t := p.words[k].token
			return l.text[t.start:t.end]
		}
	}
	return ""
}

// pieces finds a text whose parts stand apart.
func (f *finder) pieces(s string) []place {
	if len(s) > 1<<16 {
		return nil
	}
	for _, split := range []func(rune) bool{
		func(r rune) bool { return r == '\n' || r == ';' || r == '|' || r == '•' || r == '·' },
		func(r rune) bool {
			return r == '\n' || r == ';' || r == '|' || r == '•' || r == ',' || r == '·' || r == '/' || r == '(' || r == ')' || r == '–' || r == '—' || r == ':'
		},
		nil,
	} {
		var list []string
		if split != nil {
			list = strings.FieldsFunc(s, split)
		} else {
			list = sentences(s)
		}
		var parts [][]place
		for _, part := range list {
			if strings.TrimSpace(strings.Trim(part, ".!?- ")) == "" {
				continue
			}
			found := f.text(part)
			if len(found) == 0 {
				found = f.moment(part, &member{})
			}
			if len(found) == 0 {
				parts = nil
				break
			}
			parts = append(parts, found)
		}
		if len(parts) < 2 || len(parts) > 200 {
			continue
		}
		out := make([]place, 0, len(parts[0]))
		for _, pl := range parts[0] {
			pl.parts = parts
			pl.kind = Derived
			out = append(out, pl)
		}
		return out
	}
	return nil
}

// sentences splits a text at the ends of its sentences.
func sentences(s string) []string {
	var out []string
	start := 0
	for i, r := range s {
		if (r == '.' || r == '!' || r == '?' || r == '\n') && (i+1 >= len(s) || s[i+1] == ' ' || s[i+1] == '\n') || r == '。' || r == '！' || r == '？' {
			out = append(out, s[start:i])
			start = i + len(string(r))
		}
	}
	return append(out, s[start:])
}
