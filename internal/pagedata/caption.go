package pagedata

import "strings"

// A caption is what the page calls a value: surely, by a header, a term or a
// label; or by the way, through classes and marks.
type Caption struct {
	Sure []string
	Hint []string
	Row  []string // what its table row begins with
	Old  bool     // struck through
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
				if r, ok := t.Row[p.Elems[k].Parent]; ok && t.Rows[r].First != k {
					if words := LabelWords(p.TextOf(t.Rows[r].First, 120)); len(words) <= 6 {
						c.Row = words
					}
				}
				for column := t.Column[k]; column < t.Column[k]+p.span(k, "colspan") && !t.Turned; column++ {
					if h, ok := t.Heads[column]; ok && h.Elem != k {
						c.Sure = append(c.Sure, h.Words...)
					}
				}
				if p.Tag(k) == "td" && p.Tag(p.Elems[k].Parent) == "tr" && len(c.Sure) == 0 {
					if r, ok := t.Row[p.Elems[k].Parent]; ok {
						for i, cell := range t.Rows[r].Cells {
							if cell == k && i > 1 && p.Tag(t.Rows[r].Cells[i-1]) == "th" {
								c.Sure = append(c.Sure, LabelWords(p.TextOf(t.Rows[r].Cells[i-1], 120))...)
							}
						}
					}
				}
				if len(c.Sure) == 0 && t.Turned && p.Tag(k) == "td" {
					c.Sure = append(c.Sure, LabelWords(p.TextOf(t.Rows[t.Row[p.Elems[k].Parent]].First, 120))...)
				}
				if len(c.Sure) == 0 {
					if r, ok := t.Row[p.Elems[k].Parent]; ok && t.Rows[r].First != k && len(t.Rows[r].Cells) == 2 {
						if words := LabelWords(p.TextOf(t.Rows[r].First, 120)); len(words) <= 6 {
							c.Sure = append(c.Sure, words...)
						}
					}
				}
			}
		case "dd":
			for j := k - 1; j > p.Elems[k].Parent; j-- {
				if p.Tag(j) == "dt" && p.Elems[j].Parent == p.Elems[k].Parent {
					c.Sure = append(c.Sure, LabelWords(p.TextOf(j, 120))...)
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
	for _, w := range c.Hint {
		if w == "old" {
			c.Old = true
		}
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
						if w == "old" {
							c.Old = true
						}
					} else if toks[k].Digits {
						break
					}
				}
			}
		}
	}
	return c
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

// OwnText is the text of an element within its line.
func (p *Page) OwnText(e int32) string {
	l := &p.Lines[p.Elems[e].Line]
	for i, pc := range l.Pieces {
		if pc.Elem == e {
			end := len(l.Text)
			if i+1 < len(l.Pieces) {
				end = int(l.Pieces[i+1].Start)
			}
			return strings.TrimSpace(l.Text[pc.Start:end])
		}
	}
	return strings.TrimSpace(l.Text)
}

// IsControl reports whether an element, or the one around it, is one that a person
// sets: what it shows may be a choice.
func (p *Page) IsControl(e int32) bool {
	for i := 0; i < 3 && e > 0; i++ {
		switch p.Tag(e) {
		case "input", "select", "textarea", "button", "option", "label":
			return true
		}
		e = p.Elems[e].Parent
	}
	return false
}
