package grounding

import (
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// text finds a text, whole words of it, across the ends of elements.
func (f *finder) text(s string) []place {
	s = pagedata.Normalize(pagedata.Collapse(s))
	toks := pagedata.Tokenize(s, nil)
	if len(toks) == 0 {
		return nil
	}
	p := f.p
	ids := make([]int32, len(toks))
	for i, t := range toks {
		id, ok := p.Vocabulary[s[t.Start:t.End]]
		if !ok {
			return nil
		}
		ids[i] = id
	}
	rare := 0 // begin with the rarest word of the first ones: the rest follows it
	for i := range min(len(ids), 12) {
		if len(p.Postings[ids[i]]) < len(p.Postings[ids[rare]]) {
			rare = i
		}
	}
	var out []place
	for _, at := range p.Postings[ids[rare]] {
		start, ok := back(p, at, ids, toks, rare)
		if !ok {
			continue
		}
		end, ok := follow(p, start, s, ids, toks)
		if !ok {
			continue
		}
		first, last := &p.Words[start], &p.Words[end]
		pl := place{line: first.Line, at: first.Token.Start, number: -1, kind: Text}
		pl.elem = p.Lines[first.Line].ElemAt(first.Token.Start)
		pl.last = p.Lines[last.Line].ElemAt(last.Token.Start)
		pl.end = -1
		if first.Line == last.Line {
			pl.end = last.Token.End
		}
		pl.option = p.Lines[first.Line].Option
		if p.Lines[first.Line].Hidden {
			pl.kind = Attribute
		}
		out = append(out, pl)
	}
	return inOrder(out)
}

// back finds where a match begins of whose words the one at rare stands at at.
func back(p *pagedata.Page, at int32, ids []int32, toks []pagedata.Token, rare int) (int32, bool) {
	for k := rare; k > 0; k-- {
		line := p.Words[at].Line
		at--
		for at >= 0 && p.Words[at].Line != line && p.Lines[p.Words[at].Line].Hidden && !p.Lines[line].Hidden {
			at = p.Lines[p.Words[at].Line].First - 1
		}
		if at < 0 || p.Words[at].Id != ids[k-1] || p.Words[at].Line != line && p.Lines[line].Hidden {
			return 0, false
		}
	}
	return at, true
}

// follow reports whether words stand one after the other, and where the last is.
func follow(p *pagedata.Page, at int32, s string, ids []int32, toks []pagedata.Token) (int32, bool) {
	start := p.Words[at].Line
	for k := range ids {
		if k > 0 {
			line := p.Words[at].Line
			at++
			for int(at) < len(p.Words) && p.Words[at].Line != line && p.Lines[p.Words[at].Line].Hidden {
				if p.Lines[start].Hidden {
					return 0, false
				}
				at = p.Lines[p.Words[at].Line].End
			}
			if int(at) >= len(p.Words) || p.Lines[start].Hidden && p.Words[at].Line != start {
				return 0, false
			}
		}
		if p.Words[at].Id != ids[k] {
			return 0, false
		}
		if k > 0 && toks[k].Digits && toks[k-1].Digits {
			a, b := p.Words[at].Token.Gap, toks[k].Gap
			if p.Words[at].Token.Start == 0 || p.Words[at].Line != p.Words[at-1].Line {
				a = ' '
			}
			if a != b && !(loose(a) && loose(b)) {
				return 0, false
			}
		}
		if k == 0 || k == len(ids)-1 {
			// Not a part of a longer number.
			w := &p.Words[at]
			if w.Token.Digits && !wholeNumber(p, at, k == 0, k == len(ids)-1) {
				return 0, false
			}
		}
	}
	return at, true
}

func loose(r rune) bool {
	return r == ' ' || r == '-' || r == '/' || r == '|' || r == '·' || r == '•' || r == ';'
}

// wholeNumber reports whether digits are not cut out of a longer number.
func wholeNumber(p *pagedata.Page, at int32, left, right bool) bool {
	w := &p.Words[at]
	glued := func(a, b *pagedata.Word) bool {
		if a.Line != b.Line || !a.Token.Digits || !b.Token.Digits || b.Token.Start-a.Token.End != 1 {
			return false
		}
		g := b.Token.Gap
		return g == '.' || g == ',' || g == '\''
	}
	if left && at > 0 && glued(&p.Words[at-1], w) {
		return false
	}
	return !(right && int(at)+1 < len(p.Words) && glued(w, &p.Words[at+1]))
}
