package grounding

import (
	"cmp"
	"slices"
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

// labelled reports whether the page calls a place as a member is called, and no
// other place of the records beside it: the field of a form, a figure of its own.
func (c *checker) labelled(pl place, m *member) bool {
	p := c.page
	r := p.elems[pl.elem].record
	if r <= 0 || p.rec.all[r].group < 0 {
		return false
	}
	own := c.captioned(r, &pl, m)
	if own == 0 && !c.calls(pl.elem, pl.at, m) {
		return false
	}
	for _, other := range p.rec.groups[p.rec.all[r].group].members {
		rec := &p.rec.all[other]
		if other == r {
			continue
		}
		if also := c.captioned(other, nil, m); rec.hi-rec.lo > 600 || also > 0 && also >= own {
			return false
		}
		for l := p.firstLine(rec.lo); int(l) < len(p.lines) && p.lineStarts[l] < rec.hi; l++ {
			if c.calls(p.lines[l].pieces[0].elem, int32(strings.IndexByte(p.lines[l].text, ':')+1), m) {
				return false
			}
		}
		i, _ := slices.BinarySearchFunc(p.numbers, rec.lo, func(n found[number], lo int32) int { return cmp.Compare(n.elem, lo) })
		for ; i < len(p.numbers) && p.numbers[i].elem < rec.hi; i++ {
			if c.calls(p.numbers[i].elem, p.numbers[i].what.start, m) {
				return false
			}
		}
	}
	return true
}

// captioned rates how well the lines of a record of two or three, a figure with what
// it is a figure of before or behind it, are called as a member: "1,503" over "Friends".
// "Followers" is followers in the very word, and "Following" is not.
func (c *checker) captioned(r int32, figure *place, m *member) (score int) {
	p := c.page
	rec := &p.rec.all[r]
	lines := 0
	for l := p.firstLine(rec.lo); int(l) < len(p.lines) && p.lineStarts[l] < rec.hi; l++ {
		if p.lines[l].hidden {
			continue
		}
		if lines++; lines > 3 {
			return 0
		}
		text := p.lines[l].text
		if figure != nil && l == figure.line {
			if figure.number < 0 {
				continue
			}
			text = text[:figure.at] + text[figure.end:]
		}
		if likeness(m, labelWords(text)) < 0.5 {
			continue
		}
		score = max(score, 1)
		if slices.ContainsFunc(splitName(m.name), func(w string) bool { return slices.Contains(splitName(text), w) }) {
			score = 2
		}
	}
	return score
}

// among reports whether a place stands in a record in which two other members of
// its object are labelled: a block of details that is the object's own.
func (c *checker) among(pl place, v *value) bool {
	r := c.page.elems[pl.elem].record
	if r <= 0 || v.parent.parent != nil && v.parent.parent.list {
		return false
	}
	rec := &c.page.rec.all[r]
	in := &home{record: r, lo: rec.lo, hi: rec.hi}
	others := 0
	for _, k := range v.parent.kids {
		if k == v || !k.leaf() || k.raw == nil {
			continue
		}
		if slices.ContainsFunc(c.inside(c.find.places(k), in), func(o place) bool { return c.labelled(o, k.member) }) {
			others++
		}
	}
	return others >= 2
}

// calls reports whether the page calls a place of a line as a member is called.
func (c *checker) calls(e, at int32, m *member) bool {
	cap := c.page.captionOf(e, at)
	if len(cap.sure) > 0 {
		return !cap.old && likeness(m, cap.sure) >= 0.5
	}
	return !cap.old && slices.ContainsFunc(m.words, func(w string) bool { return hasWord(cap.hint, w) })
}

// fieldLike reports whether an element is a label and its value.
func (p *page) fieldLike(e int32) bool {
	tag := p.tag(e)
	if tag == "tr" {
		var cells []int32
		for k := e + 1; k < p.elems[e].end; k = p.elems[k].end {
			if t := p.tag(k); t == "td" || t == "th" {
				cells = append(cells, k)
			}
		}
		if n := len(cells); n == 4 || n == 6 { // two or three fields on a line
			pairs := true
			for i, k := range cells {
				pairs = pairs && (p.tag(k) == "th") == (i%2 == 0)
			}
			if pairs {
				return true
			}
		}
		return len(cells) == 2 && (p.tag(cells[0]) == "th" && p.tag(cells[1]) == "td" || p.labelText(cells[0]) || p.plainTable(e))
	}
	var texts []int32
	control := false
	for k := e + 1; k < p.elems[e].end && len(texts) < 4; k++ {
		if p.elems[k].line >= 0 && p.node(k).Name == "" {
			texts = append(texts, k)
		}
		if t := p.tag(k); t == "input" || t == "select" || t == "textarea" {
			control = true
		}
	}
	if control { // and its label, and nothing else
		return len(texts) <= 1
	}
	if len(texts) == 0 || len(texts) > 3 {
		return false
	}
	return p.labelText(texts[0]) && len(texts) >= 2 || len(texts) == 1 && p.hasColon(texts[0])
}

func (p *page) hasColon(e int32) bool {
	l := &p.lines[p.elems[e].line]
	i := strings.IndexByte(l.text, ':')
	return i > 1 && i < 40 && i+1 < len(l.text) && l.text[i+1] == ' '
}

// ownText is the text of an element within its line.
func (p *page) ownText(e int32) string {
	l := &p.lines[p.elems[e].line]
	for i, pc := range l.pieces {
		if pc.elem == e {
			end := len(l.text)
			if i+1 < len(l.pieces) {
				end = int(l.pieces[i+1].start)
			}
			return strings.TrimSpace(l.text[pc.start:end])
		}
	}
	return strings.TrimSpace(l.text)
}

// labelText reports whether an element looks like the label of what follows.
func (p *page) labelText(e int32) bool {
	if p.elems[e].line >= 0 {
		if strings.HasSuffix(p.ownText(e), ":") {
			return true
		}
	} else if t := strings.TrimSpace(p.textOf(e, 80)); strings.HasSuffix(t, ":") {
		return true
	}
	for i, at := 0, e; i < 3 && at > 0; i++ {
		switch p.tag(at) {
		case "th", "dt", "label", "legend":
			return true
		case "b", "strong":
			if i < 2 && p.elems[e].line >= 0 && strings.Contains(p.lines[p.elems[e].line].text, ":") {
				return true
			}
		}
		for _, w := range p.classWords(at) {
			switch w {
			case "label", "key", "term", "caption", "fieldname":
				return true
			}
		}
		at = p.elems[at].parent
		if at > 0 && p.elems[at].facts > 1 {
			break
		}
	}
	return false
}

// plainTable reports whether the table of a row has two columns and no header.
func (p *page) plainTable(tr int32) bool {
	t := p.tableOf(tr)
	if t == nil || t.headed || len(t.rows) < 3 {
		return false
	}
	heads := map[string]bool{}
	for _, r := range t.rows {
		s := p.textOf(r.first, 80)
		if s == "" || heads[s] || strings.ContainsAny(s, "0123456789") {
			return false
		}
		heads[s] = true
	}
	// Values of several kinds are fields; of one kind, a list.
	digits, most := 0, 0
	shapes := map[string]int{}
	for _, r := range t.rows {
		text := p.textOf(r.last, 80)
		if strings.ContainsAny(text, "0123456789") {
			digits++
			shape := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '9' {
					return '0'
				}
				return r
			}, text)
			shapes[shape]++
			most = max(most, shapes[shape])
		}
	}
	return digits != len(t.rows) && digits != 0 && most*10 < len(t.rows)*6
}
