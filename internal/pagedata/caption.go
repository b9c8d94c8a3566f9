package pagedata

import (
	"slices"
	"strings"
)

// A caption is what the page calls a value: surely, by a header, a term or a
// label; or by the way, through classes and marks.
type Caption struct {
	Sure []string
	Hint []string
	Row  int32 // the cell that its table row begins with, 0
	Old  bool  // struck through
}

// CaptionOf finds what a place of a line is called, up to the record around it.
func (p *Page) CaptionOf(e int32, at int32) Caption {
	var c Caption
	top := p.Rec.All[p.Elems[e].Record].Lo
	for i, k := 0, e; i < 8 && k > 0; i++ {
		switch p.Tag(k) {
		case "del", "s", "strike":
			c.Old = true
		case "td", "th":
			if t := p.TableOf(k); t != nil {
				c.Sure = append(c.Sure, p.cellLabel(t, k)...)
				if cells := t.rowOf(p, k); len(cells) > 0 && cells[0] != k {
					c.Row = cells[0]
				}
			}
		case "dd":
			for j := k - 1; j > p.Elems[k].Parent; j-- {
				if p.Tag(j) == "dt" && p.Elems[j].Parent == p.Elems[k].Parent {
					c.Sure = append(c.Sure, p.LabelOf(j)...)
					break
				}
			}
		case "input", "select", "textarea", "output", "meter", "progress":
			if s := p.Elems[k].Seen; s >= 0 {
				c.Sure = append(c.Sure, LabelWords(p.Snap.Nodes[s].Name)...)
			}
		}
		c.Hint = append(c.Hint, p.ClassWords(k)...)
		if k == top || p.Tag(k) == "tr" || p.Tag(k) == "li" {
			break
		}
		k = p.Elems[k].Parent
	}
	if at >= 0 && p.Elems[e].Line >= 0 {
		l := &p.Lines[p.Elems[e].Line]
		if int(at) <= len(l.Text) {
			before := l.Text[:at]
			if i := strings.LastIndexByte(before, ':'); i > 0 && at-int32(i) < 12 {
				from := strings.LastIndexAny(before[:i], ".,;|·•()\n:")
				c.Sure = append(c.Sure, LabelWords(before[from+1:i])...)
			} else {
				// The words right before it: "was 20 €", "from 9:00".
				toks := Tokenize(before, nil)
				for k := len(toks) - 1; k >= 0 && k >= len(toks)-2; k-- {
					if w := Stem(before[toks[k].Start:toks[k].End]); !toks[k].Digits && !Empty[w] {
						c.Hint = append(c.Hint, w)
					} else if toks[k].Digits {
						break
					}
				}
			}
		}
	}
	return c
}

// cellLabel is what a table calls a cell: by the headers of its columns, or else by the
// header right before it, or in a row of two by the first.
func (p *Page) cellLabel(t *Table, k int32) (label []string) {
	cells := t.rowOf(p, k)
	if t.Turned {
		return p.LabelOf(append(cells, 0)[0])
	}
	for column := t.Column[k]; column < t.Column[k]+p.span(k, "colspan"); column++ {
		if h, ok := t.Heads[column]; ok && h.Elem != k {
			label = append(label, h.Words...)
		}
	}
	at := slices.Index(cells, k)
	if len(label) > 0 || at < 1 || at > 1 && p.Tag(cells[at-1]) != "th" || at == 1 && len(cells) > 2 {
		return label
	}
	if label = p.LabelOf(cells[at-1]); at == 1 && len(label) > 6 {
		return nil
	}
	return label
}

// LabelOf are the words of an element as a label.
func (p *Page) LabelOf(e int32) []string {
	if e <= 0 {
		return nil
	}
	words, known := p.labels[e]
	if !known {
		words = LabelWords(p.TextOf(e, 120))
		p.labels[e] = words
	}
	return words
}

// fieldLike reports whether an element is labels with their values, by its markup.
func (p *Page) fieldLike(e int32) bool {
	labels, texts := 0, 0
	for k := e + 1; k < p.Elems[e].End; k++ {
		switch p.Tag(k) {
		case "th", "dt", "label", "legend":
			labels++
		case "":
			if p.Elems[k].Line >= 0 {
				texts++
			}
		}
	}
	return labels > 0 && texts <= 2*labels
}

// ClassWords are the words of an element's class, itemprop and data-label attributes.
func (p *Page) ClassWords(e int32) []string {
	n := p.Node(e)
	var key string
	for _, a := range n.Attrs {
		switch a.Name {
		case "class", "itemprop", "data-label", "data-title", "id", "data-testid", "headers":
			if a.Name == "id" && len(a.Value) > 24 {
				continue
			}
			key += a.Value + " "
		}
	}
	if key == "" {
		return nil
	}
	if w, ok := p.classes[key]; ok {
		return w
	}
	var out []string
	for _, w := range SplitName(key) {
		if !Empty[w] {
			out = append(out, Stem(w))
		}
	}
	p.classes[key] = out
	return out
}
