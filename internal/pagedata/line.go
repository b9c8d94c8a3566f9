package pagedata

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// texts are the lines of a page.
type texts struct {
	links
	LineStarts []int32 // first element of each line, as a bound from below
	Lines      []Line
}

// A Line is a text that is read as one: adjacent inline texts, or an attribute.
type Line struct {
	Text   string // normalized
	Pieces []Piece
	Hidden bool // says something that is no text of the page: an attribute
	Option bool // of a choice that is not chosen
}

// A Piece is where the text of an element begins in its line.
type Piece struct{ Start, Elem int32 }

// ElemAt is the element in which a place of a line stands.
func (l *Line) ElemAt(at int32) int32 {
	for i := len(l.Pieces) - 1; i > 0; i-- {
		if l.Pieces[i].Start <= at {
			return l.Pieces[i].Elem
		}
	}
	return l.Pieces[0].Elem
}

// read makes lines of texts, values and attributes.
func (p *texts) read() {
	docs := p.Snap.Capture.Documents
	p.base = make([]*url.URL, len(docs))
	for i := range docs {
		p.base[i], _ = url.Parse(cmp.Or(docs[i].BaseURL, docs[i].URL))
	}
	r := lineReader{page: p}
	p.Lines = make([]Line, 0, len(p.Elems)/2)
	for e := int32(1); e < int32(len(p.Elems)); e++ {
		r.leave(e)
		el := &p.Elems[e]
		if !el.Visible {
			continue
		}
		switch n := p.Node(e); {
		case n.Kind == driver.TextNode || n.Kind == driver.PseudoNode:
			r.text(e)
		case n.Kind != driver.ElementNode:
		case n.Name == "br":
			r.flush()
		default:
			if !p.isInline(e) {
				r.flush()
				r.ends = append(r.ends, el.End)
			}
			p.attributes(e)
		}
	}
	r.flush()
	for i := range docs {
		if e := p.elemOf(int32(i), 0); e > 0 && p.Elems[e].Visible {
			p.addLine(e, docs[i].Title, true)
		}
	}
	p.order()
	if len(docs) > 0 {
		p.address(p.elemOf(0, 0), docs[0].URL)
	}
}

// addLine adds a line of its own that an element says, unless it is empty.
func (p *texts) addLine(e int32, s string, hidden bool) bool {
	if s = Collapse(s); s == "" {
		return false
	}
	p.Lines = append(p.Lines, Line{Text: Normalize(s), Pieces: []Piece{{0, e}}, Hidden: hidden})
	return true
}

// A lineReader puts texts together that stand on one line.
type lineReader struct {
	page      *texts
	open      *Line // the line that is being read, nil if none is
	said      strings.Builder
	wasRaised bool    // the last figure was an exponent or cents
	ends      []int32 // where block elements that are open end
}

// OwnText is the text of an element within its line.
func (p *texts) OwnText(e int32) string {
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

// flush ends the line.
func (r *lineReader) flush() {
	if r.open != nil {
		r.open.Text = r.said.String()
		if strings.TrimSpace(r.open.Text) != "" {
			r.page.Lines = append(r.page.Lines, *r.open)
		}
	}
	r.open = nil
	r.said.Reset()
}

// leave ends the blocks that end before element e.
func (r *lineReader) leave(e int32) {
	for len(r.ends) > 0 && r.ends[len(r.ends)-1] <= e {
		r.ends = r.ends[:len(r.ends)-1]
		r.flush()
	}
}

// text adds a text to the line.
func (r *lineReader) text(e int32) {
	p := r.page
	n, parent := p.Node(e), p.Elems[e].Parent
	if !n.Rendered || n.Style != nil && n.Style.Visibility == "hidden" {
		return
	}
	if parent > 0 {
		if s := p.Node(parent).Style; s != nil && (s.Visibility == "hidden" || s.Visibility == "collapse") {
			return
		}
	}
	row := p.Elems[e].row
	if row != nil && row.before > 0 {
		r.flush()
	}
	if row != nil && row.after > 0 {
		defer r.flush()
	}
	s := p.shown(e)
	flat := Collapse(s)
	if n.Name == "::marker" && !strings.ContainsAny(flat, "0123456789") {
		return // a bullet
	}
	if flat == "" {
		if s != "" && r.open != nil {
			r.said.WriteByte(' ')
		}
		return
	}
	if r.open == nil {
		r.open = &Line{}
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	if unicode.IsSpace(first) && r.said.Len() > 0 {
		r.said.WriteByte(' ')
	}
	if r.said.Len() > 0 && p.apart(r.open.Pieces, e, r.said.String(), flat) {
		r.said.WriteByte(' ')
	}
	if digit := flat[0] >= '0' && flat[0] <= '9'; digit && r.said.Len() > 0 && p.raised(parent) {
		r.said.WriteByte(raised)
		r.wasRaised = true
	} else if digit && r.wasRaised {
		r.said.WriteByte(' ')
	} else {
		r.wasRaised = false
	}
	r.open.Pieces = append(r.open.Pieces, Piece{int32(r.said.Len()), e})
	r.said.WriteString(Normalize(flat))
	if unicode.IsSpace(last) {
		r.said.WriteByte(' ')
	}
	if len(r.open.Pieces) > 400 {
		r.flush()
	}
}

// apart reports whether two texts are read apart though no white space stands
// between them: each is in an element of its own, as fields are that a layout
// separates. The parts of one number stay together.
func (p *texts) apart(before []Piece, e int32, text, next string) bool {
	if len(before) == 0 {
		return false
	}
	a, b := p.Elems[before[len(before)-1].Elem].Parent, p.Elems[e].Parent
	if a == b || a <= b && b < p.Elems[a].End || b <= a && a < p.Elems[b].End || p.raised(b) {
		return false
	}
	last := text[len(text)-1]
	return last != '.' && last != ',' && next[0] != '.' && next[0] != ','
}

// order brings the lines into the order of their first elements: an element's
// attributes stand before its text, though a text is done only behind it.
func (p *texts) order() {
	slices.SortStableFunc(p.Lines, func(a, b Line) int { return int(a.Pieces[0].Elem - b.Pieces[0].Elem) })
	p.LineStarts = make([]int32, len(p.Lines))
	for i := range p.Lines {
		p.LineStarts[i] = p.Lines[i].Pieces[0].Elem
		for _, pc := range p.Lines[i].Pieces {
			if p.Node(pc.Elem).Name == "" || p.Node(pc.Elem).Kind == driver.PseudoNode {
				p.Elems[pc.Elem].Line = int32(i)
			}
		}
	}
}

// raised reports whether an element sets its text apart as exponent or cents.
func (p *texts) raised(e int32) bool {
	for i := 0; i < 2 && e > 0; i++ {
		switch p.Tag(e) {
		case "sup", "sub", "msup":
			return true
		}
		e = p.Elems[e].Parent
	}
	return false
}

// attributes makes lines of what an element says without text, and remembers addresses.
func (p *texts) attributes(e int32) {
	el := &p.Elems[e]
	n := p.Node(e)
	for _, a := range n.Attrs {
		switch a.Name {
		case "aria-label", "alt", "title", "placeholder", "aria-valuetext", "aria-valuenow", "datetime", "aria-description", "aria-roledescription", "label":
			p.addLine(e, a.Value, true)
		case "content": // of microdata
			if p.Attr(e, "itemprop") != "" {
				p.addLine(e, a.Value, true)
				p.address(e, a.Value)
			}
		case "value": // HTML has it for machines
			if n.Name == "data" || n.Name == "meter" || n.Name == "progress" || n.Name == "li" {
				p.addLine(e, a.Value, true)
			}
		case "href", "src", "xlink:href", "poster", "action", "cite", "currentsrc":
			p.address(e, a.Value)
		case "srcset":
			for part := range strings.SplitSeq(a.Value, ",") {
				address, _, _ := strings.Cut(strings.TrimSpace(part), " ")
				p.address(e, address)
			}
		}
	}
	if el.Seen >= 0 && el.Cell == 0 {
		s := &p.Snap.Nodes[el.Seen]
		p.addLine(e, s.Value, false)
		p.addLine(e, s.Description, true)
		for _, o := range s.OptionLabels() {
			if p.addLine(e, o, true) {
				p.Lines[len(p.Lines)-1].Option = !strings.EqualFold(Collapse(o), Collapse(s.Value))
			}
		}
	} else if n.HasValue && n.Name != "option" && n.Name != "select" && n.Rendered {
		if t, _ := n.Attr("type"); t != "hidden" && t != "password" && t != "checkbox" && t != "radio" {
			p.addLine(e, n.Value, false)
		}
	}
}

// FirstLine is the first line that stands at or behind an element.
func (p *texts) FirstLine(e int32) int32 {
	i, _ := slices.BinarySearch(p.LineStarts, e)
	return int32(i)
}

// inline are elements that do not end a line of text where no style says so.
var inline = SetOfWords("a abbr b bdi bdo cite code data del dfn em i ins kbd label mark q s samp slot small span strong strike sub sup time tt u var font ruby wbr output")

func (p *texts) isInline(e int32) bool {
	n := p.Node(e)
	if n.Style != nil && n.Style.Display != "" {
		return n.Style.Display == "inline" || n.Style.Display == "contents" || strings.HasPrefix(n.Style.Display, "ruby")
	}
	return inline[n.Name]
}

// Block is the element that a line is in, with all others that line breaks alone part
// from it.
func (p *texts) Block(l int32) int32 {
	e := p.Elems[p.LineStarts[l]].Parent
	for e > 0 && p.isInline(e) {
		e = p.Elems[e].Parent
	}
	return e
}

// TextOf is the normalized text of an element, up to a length.
func (p *texts) TextOf(e int32, most int) string {
	var b strings.Builder
	for k := e; k < p.Elems[e].End && b.Len() < most; k++ {
		if p.Elems[k].Line < 0 || p.Node(k).Name != "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(p.OwnText(k))
	}
	return b.String()
}

// Said returns what an element says as the page writes it, line by line, without the
// controls in it. ok is false where part of it is set apart as raised or struck
// through: the rest is then not all that it means.
func (p *texts) Said(e int32) (lines []string, ok bool) {
	last := int32(-1)
	for k := e; k < p.Elems[e].End; {
		switch p.Tag(k) {
		case "button", "select", "textarea", "option", "script", "style":
			k = p.Elems[k].End
			continue
		case "sup", "sub", "del", "s", "strike":
			return nil, false
		}
		at := p.Elems[k].Line
		if n := p.Node(k); at >= 0 && n.Name != "::marker" && (n.Kind == driver.TextNode || n.Kind == driver.PseudoNode) {
			text := Collapse(p.shown(k))
			l := &p.Lines[at]
			i := slices.IndexFunc(l.Pieces, func(pc Piece) bool { return pc.Elem == k })
			switch {
			case i < 0 || text == "":
			case at != last:
				lines = append(lines, text)
			case l.Pieces[i].Start > 0 && l.Text[l.Pieces[i].Start-1] == raised:
				return nil, false
			case l.Pieces[i].Start > 0 && l.Text[l.Pieces[i].Start-1] == ' ':
				lines[len(lines)-1] += " " + text
			default:
				lines[len(lines)-1] += text
			}
			last = at
		}
		k++
	}
	return lines, !strings.ContainsRune(strings.Join(lines, ""), raised)
}

// apart parts the columns of a preformatted line: a tab, two spaces, a leader of dots.
var apart = regexp.MustCompile(`\s*\t\s*|\s*(?:\. ?){3,}\s*|\s{2,}`)

// Columns are what a preformatted line has in each of its columns, or else a text.
func (p *texts) Columns(e int32) []string {
	if row := p.Elems[e].row; row != nil {
		return apart.Split(strings.TrimSpace(row.text), -1)
	}
	return []string{p.OwnText(e)}
}

// PreColumn is the column, from 1, of a place of a preformatted line that is laid out in
// columns; 0 is in none.
func (p *texts) PreColumn(e, at int32) (column int) {
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
