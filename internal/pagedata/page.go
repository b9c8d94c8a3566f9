package pagedata

import (
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A Page is a snapshot prepared for look-ups. Each part of it embeds the one that it
// reads: what is repeated the tables, these the labels, the values, the lines of text, the
// addresses, and the tree of elements.
type Page struct{ repeats }

// New reads a snapshot. Dates without a year, and "two days ago", are counted from now;
// where it is zero, from what the page says alone.
func New(snap *accessibility.Snapshot, now time.Time) *Page {
	p := &Page{}
	p.Snap, p.Now = snap, now
	p.ByValue, p.ByCurrency = map[string][]int32{}, map[string][]int32{}
	p.ByDay, p.ByTime, p.ByLength = map[int][]int32{}, map[int][]int32{}, map[int][]int32{}
	p.Addresses, p.Years = map[string][]int32{}, map[int]bool{}
	p.tables, p.said, p.classes = map[int32]*Table{}, map[int32][]string{}, map[string][]string{}
	p.lay()
	p.match()
	p.read()
	p.scan()
	p.findRecords()
	return p
}

// Cited is the element that a citation names: a ref or, for one line of a text that has
// several, the ref and the words that the line begins with.
func (p *Page) Cited(citation accessibility.Ref) (int32, bool) {
	ref, words, _ := strings.Cut(string(citation), " ")
	n, ok := p.Snap.Lookup(accessibility.Ref(ref))
	if !ok {
		return 0, false
	}
	e := p.place(n.Source)
	if e == 0 {
		return 0, false
	}
	if p.Tag(e) == "" { // the first of the texts on the outline's line
		e = p.Elems[e].Parent
	}
	words = Normalize(Collapse(words))
	for l := p.FirstLine(e); words != "" && int(l) < len(p.Lines) && p.LineStarts[l] < p.Elems[e].End; l++ {
		if strings.HasPrefix(Collapse(p.Lines[l].Text), words) {
			return p.LineStarts[l], true
		}
	}
	return e, true
}

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
		label = append(label, row.Heads[column]...)
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
