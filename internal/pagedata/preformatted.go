package pagedata

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A preLine is a line of a preformatted text that has several: each is an element of
// its own, so that it can be a record.
type preLine struct {
	text          string
	before, after int // line breaks around it, within the text
}

// preformatted reports whether an element stands in one whose line breaks are shown.
func (p *Page) preformatted(e int32) bool {
	for i, at := 0, p.Elems[e].Parent; i < 6 && at > 0; i, at = i+1, p.Elems[at].Parent {
		if t := p.Tag(at); t == "pre" || t == "listing" {
			return true
		}
	}
	return false
}

// layLines makes elements of the lines of a text that has line breaks; the text itself
// is the first.
func (p *Page) layLines(e int32) bool {
	n := p.Node(e)
	text := cmp.Or(n.Shown, n.Text)
	if !strings.Contains(text, "\n") {
		return false
	}
	at, breaks := e, 0
	var last *preLine
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			breaks++
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if last != nil {
			at++
			p.Elems = append(p.Elems, Elem{Doc: p.Elems[e].Doc, node: p.Elems[e].node, Parent: p.Elems[e].Parent, End: at + 1, Line: -1, Seen: -1})
		}
		last = &preLine{text: line, before: breaks}
		p.Elems[at].row = last
		breaks = 0
	}
	if last == nil {
		last = &preLine{before: breaks}
		p.Elems[e].row = last
	} else {
		last.after = breaks
	}
	return true
}

// apart parts the columns of a preformatted line: a tab, two spaces, a leader of dots.
var apart = regexp.MustCompile(`\s*\t\s*|\s*(?:\. ?){3,}\s*|\s{2,}`)

// PreColumn is the column, from 1, of a place of a preformatted line that is laid out in
// columns; 0 is in none.
func (p *Page) PreColumn(e, at int32) (column int) {
	if p.Elems[e].row == nil || p.Elems[e].Line < 0 {
		return 0
	}
	shown := func(s string) int { return utf8.RuneCountInString(strings.Join(strings.Fields(s), "")) }
	l, text := &p.Lines[p.Elems[e].Line], strings.TrimSpace(p.Elems[e].row.text)
	ends, before := apart.FindAllStringIndex(text, -1), 0
	for _, pc := range l.Pieces {
		if pc.Elem == e {
			before = shown(l.Text[min(pc.Start, at):at]) // the line's text has other spaces
		}
	}
	for _, end := range ends {
		column += min(1, max(0, before+1-shown(text[:end[1]])))
	}
	return column + min(1, len(ends))
}

// shown is what a text shows, in its own spaces.
func (p *Page) shown(e int32) string {
	if row := p.Elems[e].row; row != nil {
		return row.text
	}
	n := p.Node(e)
	return cmp.Or(n.Shown, n.Text)
}

// gatherLines makes records of the lines of a preformatted text: of each block of them,
// up to an empty line. They are things of their own where more than half are laid out
// in columns: by two spaces, a tab, or a leader of dots.
func (p *Page) gatherLines(container int32) {
	var lines [][2]int32 // lo and hi
	columns, breaks, apart := 0, 2, false
	flush := func() {
		if len(lines) > 1 {
			g := int32(len(p.Rec.Groups))
			gr := Group{Parent: container}
			for _, l := range lines {
				gr.Members = append(gr.Members, int32(len(p.Rec.All)))
				p.Rec.All = append(p.Rec.All, Record{Lo: l[0], Hi: l[1], Group: g, Head: l[0], Solid: 2*columns > len(lines)})
			}
			p.Rec.Groups = append(p.Rec.Groups, gr)
		}
		lines, columns = nil, 0
	}
	for k := container + 1; k < p.Elems[container].End; k = p.Elems[k].End {
		row := p.Elems[k].row
		if row != nil {
			breaks += row.before
		}
		if p.Elems[k].Facts == 0 || !p.Elems[k].Visible {
			continue
		}
		if breaks > 1 {
			flush()
		}
		if breaks > 0 {
			lines, apart = append(lines, [2]int32{k, p.Elems[k].End}), false
		} else {
			lines[len(lines)-1][1] = p.Elems[k].End
		}
		breaks = 0
		if row != nil {
			breaks = row.after
		}
		text := strings.TrimSpace(p.shown(k))
		if !apart && p.Tag(k) == "" && (strings.Contains(text, "  ") || strings.Contains(text, "\t") || strings.Contains(text, ". .") || strings.Contains(text, "...")) {
			apart = true
			columns++
		}
	}
	flush()
}
