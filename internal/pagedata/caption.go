package pagedata

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
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
		switch p.Part(k) {
		case "del", "s", "strike":
			c.Old = true
		case "td", "th":
			if t := p.TableOf(k); t != nil {
				label, first := p.cellLabel(t, k)
				c.Sure = append(c.Sure, label...)
				if first != k {
					c.Row = first
				}
			}
		case "dd":
			term, _ := p.LabelBefore(k)
			c.Sure = append(c.Sure, p.LabelOf(term)...)
		default:
			if n := p.Control(k); n != nil && n.Role != "button" {
				c.Sure = append(c.Sure, LabelWords(n.Name)...)
			}
		}
		c.Hint = append(c.Hint, p.ClassWords(k)...)
		if k == top || p.Part(k) == "tr" || p.Tag(k) == "li" {
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
// header before it, or the only other cell of its row. first is the row's first cell; in
// a row of headers, nothing is called.
func (p *Page) cellLabel(t *Table, k int32) (label []string, first int32) {
	at, ok := t.At[k]
	if !ok || t.Rows[at.Row].Head {
		return nil, 0
	}
	row := &t.Rows[at.Row]
	cells := row.own()
	if t.Turned {
		return p.LabelOf(cells[0]), cells[0]
	}
	for column := at.Column; column < len(row.Cells) && row.Cells[column] == k; column++ {
		label = append(label, t.Heads[column]...)
	}
	i := slices.Index(cells, k)
	if len(label) > 0 || i < 1 || i > 1 && p.Part(cells[i-1]) != "th" || i == 1 && len(cells) > 2 {
		return label, cells[0]
	}
	if label = p.LabelOf(cells[i-1]); i == 1 && len(label) > 6 {
		label = nil
	}
	return label, cells[0]
}

// LabelBefore is the term of a definition, or the header right before a cell; 0 if there
// is none. alone is that the two label and are labelled by nothing else.
func (p *Page) LabelBefore(e int32) (label int32, alone bool) {
	value, name := p.Part(e), "dt"
	if value != "dd" {
		name = "th"
	}
	up, next := p.Elems[e].Parent, p.Elems[e].End
	before := func(e int32) int32 {
		for e--; e > up; e-- {
			for p.Elems[e].Parent != up {
				e = p.Elems[e].Parent
			}
			if p.Node(e).Kind == driver.ElementNode {
				return e
			}
		}
		return 0
	}
	for next < p.Elems[up].End && p.Node(next).Kind != driver.ElementNode {
		next = p.Elems[next].End
	}
	alone = next == p.Elems[up].End || p.Part(next) != value
	for label = before(e); p.Part(label) == value; label = before(label) {
		alone = false
	}
	if p.Part(label) != name {
		return 0, false
	}
	return label, alone && p.Part(before(label)) != name && p.span(label, "rowspan") == 1
}

// LabelOf are the words of an element as a label.
func (p *Page) LabelOf(e int32) []string {
	if e <= 0 {
		return nil
	}
	words, known := p.labels[e]
	if !known {
		words = p.labelWords(e)
		p.labels[e] = words
	}
	return words
}

// labelWords are those of an element's text; an abbreviation says them in full.
func (p *Page) labelWords(e int32) []string {
	for k := e; k < p.Elems[e].End; k++ {
		if full := p.Attr(k, "title"); full != "" && p.Tag(k) == "abbr" {
			return LabelWords(full)
		}
	}
	if text := p.TextOf(e, 120); text != "" {
		return LabelWords(text)
	}
	if n := p.Named(e); n != nil {
		return LabelWords(n.Name)
	}
	return nil
}

// Named is the line of the outline that an element is; nil if it is none.
func (p *Page) Named(e int32) *accessibility.Node {
	if s := p.Elems[e].Seen; s >= 0 && p.Elems[e].Cell == 0 {
		return &p.Snap.Nodes[s]
	}
	return nil
}

// controls are the roles of what holds a value.
var controls = SetOfWords("textbox searchbox combobox listbox spinbutton slider date datetime inputtime colorwell meter progressbar checkbox switch radio button")

// Control is the outline's line of a control; nil of what is none.
func (p *Page) Control(e int32) *accessibility.Node {
	if n := p.Named(e); n != nil && controls[string(n.Role)] {
		return n
	}
	return nil
}

// Title is what a list, a table or another part of the page is called: by its caption,
// its name, or the heading before it.
func (p *Page) Title(e int32) []string {
	if c := e + 1; c < p.Elems[e].End && p.Tag(c) == "caption" { // HTML has it first
		return p.LabelOf(c)
	}
	if n := p.Named(e); n != nil && n.Name != "" {
		return LabelWords(n.Name)
	}
	for ; e > 0; e = p.Elems[e].Parent {
		last := int32(0)
		for c := p.Elems[e].Parent + 1; c < e; c = p.Elems[c].End {
			if p.IsHeading(c) {
				last = c
			}
		}
		if last > 0 {
			return p.LabelOf(last)
		}
	}
	return nil
}

// landmarks are the roles of what stands beside a page's matter.
var landmarks = SetOfWords("navigation complementary banner contentinfo search")

// Aside reports whether an element begins something that stands beside the page's
// matter. A header, footer or aside of the main part, an article or a section is a part
// of that, though an aside of the main part has a landmark's role (HTML Accessibility
// API Mappings).
func (p *Page) Aside(e int32) bool {
	switch p.Tag(e) {
	case "nav":
		return true
	case "header", "footer", "aside":
		for up := p.Elems[e].Parent; up > 0; up = p.Elems[up].Parent {
			switch p.Tag(up) {
			case "main", "article", "section":
				return false
			}
		}
		return true
	}
	return landmarks[p.Attr(e, "role")]
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
