package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A checker is one run of Check.
type checker struct {
	page    *pagedata.Page
	find    finder
	report  *Report
	cited   map[string]int32 // by pointer, the element that was cited
	turned  map[*member]bool // lists for which tables were turned, or none had to be
	pending []pending        // numbers that may be derived from others
	held    map[int32]uint64 // by record, the leaves of one object that it holds
	owners  []*value         // by record, the object of a list whose home it is
	paths   map[uint64]uint64
	usual   map[*member]*votes
	spoke   map[spokenKey]bool          // whether the page says a member's words in a list
	called  []*called                   // by element
	shapes  map[*member]map[uint64]bool // of the records that lists of a member stand in
	used    []*value                    // by element, the leaf that stands there
}

// A called is the caption of a place, in a list of those of its element.
type called struct {
	pagedata.Caption
	at   int32
	next *called
}

type pending struct {
	leaf   *value
	reason string
}

func (c *checker) contradict(v *value, format string, args ...any) {
	c.report.Ungrounded = append(c.report.Ungrounded, Finding{v.pointer, Contradicted, fmt.Sprintf(format, args...)})
}

func (c *checker) doubt(v *value, format string, args ...any) {
	c.report.Ungrounded = append(c.report.Ungrounded, Finding{v.pointer, Unproven, fmt.Sprintf(format, args...)})
}

func shownValue(v *value) string {
	switch raw := v.raw.(type) {
	case string:
		if r := []rune(raw); len(r) > 60 {
			return fmt.Sprintf("%q…", string(r[:60]))
		}
		return fmt.Sprintf("%q", raw)
	case json.Number:
		return string(raw)
	}
	return fmt.Sprint(v.raw)
}

// reachable reports whether an element stands in no record that is another
// object's, below a home.
func (c *checker) reachable(e int32, h *home) bool {
	for r := c.page.Elems[e].Record; r > 0; r = c.page.Rec.All[r].Parent {
		rec := &c.page.Rec.All[r]
		if r == h.record || rec.Lo <= h.lo && rec.Hi >= h.hi {
			return true
		}
		if c.owners[r] != nil {
			return false
		}
	}
	return true
}

func (c *checker) homeOf(r int32) *home {
	rec := &c.page.Rec.All[r]
	return &home{record: r, lo: rec.Lo, hi: rec.Hi, extra: rec.Extra, group: rec.Group}
}

// span is the part of a list of places that stands between two elements.
func span(list []place, lo, hi int32) []place {
	from := behind(list, lo)
	return list[from : from+behind(list[from:], hi)]
}

// behind is the index of the first place at or behind an element.
func behind(list []place, e int32) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if at := (lo + hi) / 2; list[at].elem < e {
			lo = at + 1
		} else {
			hi = at
		}
	}
	return lo
}

// within is the part of a list of places that stands in a home, with the cells
// that reach into its row.
func (c *checker) within(list []place, h *home) []place {
	in := span(list, h.lo, h.hi)
	for _, x := range h.extra {
		in = append(slices.Clip(in), span(list, x, c.page.Elems[x].End)...)
	}
	return in
}

// frame is the frame of an element.
func (c *checker) frame(e int32) (frame driver.FrameID) {
	if doc := c.page.Elems[e].Doc; int(doc) < len(c.page.Snap.Capture.Documents) {
		frame = c.page.Snap.Capture.Documents[doc].Frame
	}
	return frame
}

// linesIn calls f for the lines of a home that belong to no other object.
func (c *checker) linesIn(h *home, f func(l int32)) {
	p := c.page
	for l := p.FirstLine(h.lo); int(l) < len(p.Lines) && p.LineStarts[l] < h.hi; l++ {
		if !p.Lines[l].Option && c.reachable(p.LineStarts[l], h) {
			f(l)
		}
	}
	for _, x := range h.extra {
		for l := p.FirstLine(x); int(l) < len(p.Lines) && p.LineStarts[l] < p.Elems[x].End; l++ {
			f(l)
		}
	}
}

// numberIn is the first number of a home that something holds for; -1 if there is none.
func (c *checker) numberIn(h *home, holds func(i int32) bool) int32 {
	list := c.page.Numbers
	i, _ := slices.BinarySearchFunc(list, h.lo, func(n pagedata.Found[pagedata.Number], lo int32) int { return cmp.Compare(n.Elem, lo) })
	for ; i < len(list) && list[i].Elem < h.hi; i++ {
		if l := &c.page.Lines[list[i].Line]; !l.Hidden && !l.Option && c.reachable(list[i].Elem, h) && holds(int32(i)) {
			return int32(i)
		}
	}
	return -1
}

// ground records where a leaf stands.
func (c *checker) ground(v *value, pl place) {
	ref, name := c.page.Ref(pl.elem)
	s := Source{Ref: ref, Kind: pl.kind, Frame: c.frame(pl.elem)}
	str, text := v.raw.(string)
	if s.Text = str; pl.line >= 0 {
		l := &c.page.Lines[pl.line]
		end := int32(len(l.Text))
		if pl.end >= 0 {
			end = min(pl.end, end)
		}
		s.Text = l.Text[min(pl.at, end):end]
		before := c.before(ref, pl, s.Text)
		if text && strings.Contains(name, str) {
			s.Start, s.End = nth(name, str, before)
		} else if folded := strings.ToLower(name); len(folded) == len(name) && s.Text != "" && strings.Contains(folded, s.Text) {
			s.Start, s.End = nth(folded, s.Text, before)
		}
		if s.End > 0 {
			s.Text = name[s.Start:s.End]
		}
	}
	if pl.scaled || pl.kind == Derived {
		s.Kind, s.How, s.Parts = Derived, "read from another spelling", []string{string(ref)}
	}
	s.Found = len(c.cited) > 0 && !c.citedAt(v, pl.elem)
	c.report.Sources[v.pointer] = s
	c.used[pl.elem] = v
}

// before counts how often a line of the outline says a text before a place: it may be of
// several lines of the page.
func (c *checker) before(ref accessibility.Ref, pl place, text string) (n int) {
	p := c.page
	for l := pl.line; l >= 0 && text != ""; l-- {
		said := p.Lines[l].Text
		if l == pl.line {
			said = said[:min(int(pl.at), len(said))]
		} else if r, _ := p.Ref(p.LineStarts[l]); r != ref {
			break
		}
		if !p.Lines[l].Hidden {
			n += strings.Count(said, text)
		}
	}
	return n
}

// nth finds a text in one that has it, after n others of it, or else the last of them.
func nth(s, text string, n int) (start, end int) {
	for start = strings.Index(s, text); n > 0; n-- {
		next := strings.Index(s[start+len(text):], text)
		if next < 0 {
			break
		}
		start += len(text) + next
	}
	return start, start + len(text)
}

// citedAt reports whether a place stands in what the answer cited for the leaf
// or for the object that it belongs to.
func (c *checker) citedAt(v *value, e int32) bool {
	for at := v; at != nil; at = at.parent {
		if x, ok := c.cited[at.pointer]; ok {
			if at == v {
				return c.samePlace(&place{elem: e}, x)
			}
			return at.home != nil && at.home.record >= 0 && at.home.holds(x, c.page)
		}
	}
	return false
}
