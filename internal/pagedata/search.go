package pagedata

import (
	"cmp"
	"index/suffixarray"
	"slices"
	"strings"
)

// words are those of all lines in one text, to look up any run of them: the lines that
// are seen one after the other, and each other line for itself. A space stands between
// two words, whatever the page has there; but a mark between two figures is theirs, so
// that nothing is found within "12.50".
type words struct {
	index *suffixarray.Index
	all   []word
}

type word struct {
	line, at int32 // in the words' text
	tok      Token
}

// mark is what stands before a word.
func mark(toks []Token, i int) rune {
	if i == 0 || !toks[i].Digits || !toks[i-1].Digits || toks[i].Start-toks[i-1].End != 1 || strings.ContainsRune(" -/|·•;", toks[i].Gap) {
		return ' '
	}
	return toks[i].Gap
}

// collect puts the words of the lines together.
func (w *words) collect(lines []Line, toks [][]Token) {
	var b strings.Builder
	n, size := 0, 0
	for i := range lines {
		n, size = n+len(toks[i]), size+len(lines[i].Text)+2
	}
	b.Grow(size)
	w.all = make([]word, 0, n)
	for _, hidden := range []bool{false, true} {
		for i := range lines {
			l := &lines[i]
			if l.Hidden != hidden {
				continue
			}
			if hidden {
				b.WriteString(" \n")
			}
			for k, t := range toks[i] {
				b.WriteRune(mark(toks[i], k))
				w.all = append(w.all, word{int32(i), int32(b.Len()), t})
				b.WriteString(l.Text[t.Start:t.End])
			}
		}
	}
	b.WriteByte(' ')
	w.index = suffixarray.New([]byte(b.String()))
}

// A Span is where words stand: from a place of a line to one of the same line or of
// another.
type Span struct{ Line, Start, LastLine, End int32 }

// Find finds a text, whole words of it, across the ends of elements, in no order.
func (w *words) Find(text string) (out []Span) {
	text = Normalize(Collapse(text))
	var b strings.Builder
	toks := Tokenize(text, nil)
	for i := range toks {
		b.WriteRune(mark(toks, i))
		b.WriteString(text[toks[i].Start:toks[i].End])
	}
	if len(toks) == 0 {
		return nil
	}
	b.WriteByte(' ')
	for _, at := range w.index.Lookup([]byte(b.String()), -1) {
		first, _ := slices.BinarySearchFunc(w.all, int32(at), func(o word, at int32) int { return cmp.Compare(o.at, at) })
		from, to := &w.all[first], &w.all[first+len(toks)-1]
		out = append(out, Span{from.line, from.tok.Start, to.line, to.tok.End})
	}
	return out
}
