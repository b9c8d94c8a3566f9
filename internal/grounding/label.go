package grounding

import (
	"strings"
)

// A caption is what the page calls a value: surely, by a header, a term or a
// label; or by the way, through classes and marks.
type caption struct {
	sure []string
	hint []string
	old  bool // struck through
}

// captionOf finds what a place of a line is called, up to the record around it.
func (p *page) captionOf(e int32, at int32) caption {
	var c caption
	top := p.rec.all[p.elems[e].record].lo
	for i, k := 0, e; i < 8 && k > 0; i++ {
		switch p.tag(k) {
		case "del", "s", "strike":
			c.old = true
		case "td", "th":
			if t := p.tableOf(k); t != nil {
				if h, ok := t.heads[t.column[k]]; ok && h.elem != k && !t.turned {
					c.sure = append(c.sure, h.words...)
				}
				if p.tag(k) == "td" && p.tag(p.elems[k].parent) == "tr" && len(c.sure) == 0 {
					if r, ok := t.row[p.elems[k].parent]; ok {
						for i, cell := range t.rows[r].cells {
							if cell == k && i > 1 && p.tag(t.rows[r].cells[i-1]) == "th" {
								c.sure = append(c.sure, labelWords(p.textOf(t.rows[r].cells[i-1], 120))...)
							}
						}
					}
				}
				if len(c.sure) == 0 && t.turned && p.tag(k) == "td" {
					c.sure = append(c.sure, labelWords(p.textOf(t.rows[t.row[p.elems[k].parent]].first, 120))...)
				}
				if len(c.sure) == 0 {
					if r, ok := t.row[p.elems[k].parent]; ok && t.rows[r].first != k && len(t.rows[r].cells) == 2 {
						c.sure = append(c.sure, labelWords(p.textOf(t.rows[r].first, 120))...)
					}
				}
			}
		case "dd":
			for j := k - 1; j > p.elems[k].parent; j-- {
				if p.tag(j) == "dt" && p.elems[j].parent == p.elems[k].parent {
					c.sure = append(c.sure, labelWords(p.textOf(j, 120))...)
					break
				}
			}
		case "input", "select", "textarea", "output", "meter", "progress":
			if s := p.elems[k].seen; s >= 0 {
				c.sure = append(c.sure, labelWords(p.fieldName(k, p.snap.Nodes[s].Name))...)
			}
		}
		c.hint = append(c.hint, p.classWords(k)...)
		if k == top || p.tag(k) == "tr" || p.tag(k) == "li" {
			break
		}
		k = p.elems[k].parent
	}
	for _, w := range c.hint {
		if w == "old" {
			c.old = true
		}
	}
	if at >= 0 && p.elems[e].line >= 0 {
		l := &p.lines[p.elems[e].line]
		if int(at) <= len(l.text) {
			before := l.text[:at]
			if i := strings.LastIndexByte(before, ':'); i > 0 && at-int32(i) < 12 {
				from := strings.LastIndexAny(before[:i], ".,;|·•()\n:")
				c.sure = append(c.sure, labelWords(before[from+1:i])...)
			} else {
				// The words right before it: "was 20 €", "from 9:00".
				toks := tokenize(before, nil)
				for k := len(toks) - 1; k >= 0 && k >= len(toks)-2; k-- {
					if w := idea(before[toks[k].start:toks[k].end]); !toks[k].digits && !empty[w] {
						c.hint = append(c.hint, w)
						if w == "old" {
							c.old = true
						}
					} else if toks[k].digits {
						break
					}
				}
				if len(c.sure) == 0 && strings.TrimSpace(before) == "" {
					c.sure = append(c.sure, p.labelBefore(e)...)
				}
			}
		}
	}
	return c
}

// fieldName is what a field is called: by its name, unless that is what it shows
// while it is empty and a label stands before it.
func (p *page) fieldName(e int32, name string) string {
	if name == "" || name != p.attr(e, "placeholder") {
		return name
	}
	up := p.elems[e].parent
	for k := up + 1; k < e; k = p.elems[k].end {
		if p.tag(k) == "label" {
			name = p.textOf(k, 120)
		}
	}
	return name
}

// labelBefore is the label that stands in the element right before this one.
func (p *page) labelBefore(e int32) []string {
	line := p.elems[e].line
	if line <= 0 {
		return nil
	}
	for l := line - 1; l >= 0 && l >= line-2; l-- {
		if p.lines[l].hidden {
			continue
		}
		pieces := p.lines[l].pieces
		b := pieces[len(pieces)-1].elem
		if p.elems[b].record != p.elems[e].record && p.rec.all[p.elems[b].record].solid && !p.within(e, p.elems[b].record) {
			return nil
		}
		if strings.HasSuffix(strings.TrimSpace(p.lines[l].text), ":") || p.labelText(b) && p.tag(p.elems[b].parent) != "th" {
			return labelWords(p.lines[l].text)
		}
		return nil
	}
	return nil
}
