package grounding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// The texts of a list stand on one shelf, each in an entry of its own: the smallest
// element that has a place of each. A text that the list has twice has to stand there
// twice.

// entry judges a text of a list.
func (c *checker) entry(v *value, h *home, in []place, shown string) standing {
	if len(in) == 0 {
		return c.outside(v, h, c.find.places(v), shown)
	}
	open := c.entries(v, h, in)
	if len(open) == 0 {
		open = in
	}
	before := 0
	for _, k := range v.parent.kids[:v.index] {
		if k.raw == v.raw {
			before++
		}
	}
	if before > 0 && before >= c.apart(open) {
		return standing{nil, shown + " is given more often than it stands there"}
	}
	pl := &open[min(before, len(open)-1)]
	others := 0
	if !c.whole(pl) {
		for _, k := range v.parent.kids {
			if k != v && slices.ContainsFunc(c.within(c.find.places(k), h), func(pl place) bool { return c.whole(&pl) }) {
				others++
			}
		}
	}
	if _, text := v.raw.(string); text && (c.cut(pl) || others > 0 && others*2 >= len(v.parent.kids)-1) {
		ref, said := c.page.Ref(pl.elem)
		return standing{pl, fmt.Sprintf("%s is a part of what stands there (%s: %.80q); give all of it, or what ends where a part of it does", shown, ref, said)}
	}
	return standing{pl, ""}
}

// apart counts the places that are not the same text once more, as the name of a
// control is that of its label: those that are seen, or else the elements.
func (c *checker) apart(list []place) int {
	seen := 0
	elems := map[int32]bool{}
	for _, pl := range list {
		elems[pl.elem] = true
		if pl.line >= 0 && !c.page.Lines[pl.line].Hidden {
			seen++
		}
	}
	if seen > 0 {
		return seen
	}
	return len(elems)
}

// shelf finds the shelf of a list of texts; 0 if there is none.
func (c *checker) shelf(list *value, h *home) int32 {
	if e, ok := c.shelves[list]; ok {
		return e
	}
	var texts [][]place
	seen := map[any]bool{}
	rare := 0
	for _, k := range list.kids {
		if !k.leaf() || k.raw == nil || seen[k.raw] {
			continue
		}
		seen[k.raw] = true
		places := c.inside(c.find.places(k), h)
		if len(places) == 0 {
			continue
		}
		texts = append(texts, places)
		if len(places) < len(texts[rare]) {
			rare = len(texts) - 1
		}
	}
	best := int32(0)
	if len(texts) > 0 && len(texts[rare]) <= mostPlaces {
		for _, pl := range texts[rare] {
			e := c.smallest(pl.elem, texts, h)
			if size := c.page.Elems[e].End - e; e > 0 && (best == 0 || size < c.page.Elems[best].End-best) {
				best = e
			}
		}
	}
	c.shelves[list] = best
	return best
}

// smallest is the smallest element around another in which each text stands.
func (c *checker) smallest(e int32, texts [][]place, h *home) int32 {
	p := c.page
	for ; e > 0 && e >= h.lo; e = p.Elems[e].Parent {
		if p.Node(e).Name == "" {
			continue
		}
		in := &home{lo: e, hi: p.Elems[e].End}
		if !slices.ContainsFunc(texts, func(list []place) bool { return len(c.inside(list, in)) == 0 }) {
			return e
		}
	}
	return 0
}

// entries are the places of a text of a list that stand on its shelf: those that are
// all of an element's text, if there are any.
func (c *checker) entries(v *value, h *home, open []place) []place {
	e := c.shelf(v.parent, h)
	if e == 0 {
		return open
	}
	in := c.inside(open, &home{lo: e, hi: c.page.Elems[e].End})
	var whole []place
	for _, pl := range in {
		if c.whole(&pl) {
			whole = append(whole, pl)
		}
	}
	if len(whole) > 0 {
		return whole
	}
	return in
}

// leftOut finds the entries of a shelf that a list of texts does not have: elements
// on the way that its texts stand on, or parts of the line that all of them stand in.
func (c *checker) leftOut(v *value, h *home) (gap Gap) {
	p := c.page
	gap.Pointer = v.pointer
	shelf := c.shelf(v, h)
	if shelf == 0 || len(v.kids) == 0 {
		return gap
	}
	if e := shelf; len(v.kids) == 1 && c.page.Elems[e].Parent >= h.lo { // it stands among others of its shape
		shelf = c.page.Elems[e].Parent
	}
	on := &home{lo: shelf, hi: p.Elems[shelf].End, group: -1}
	taken := map[int32]bool{}
	lines := map[int32]bool{}
	paths := map[uint64]int{}
	said := map[string]bool{}
	n := 0
	for _, k := range v.kids {
		places := c.entries(k, h, c.inside(c.find.places(k), on))
		if len(places) == 0 {
			continue
		}
		n++
		own := map[uint64]bool{}
		for _, pl := range places {
			if at := c.entryAt(pl.elem, shelf); at > 0 {
				taken[at], own[c.path(at, shelf)] = true, true
			}
		}
		for path := range own {
			paths[path]++
		}
		lines[places[0].line] = true
		if s, ok := k.raw.(string); ok {
			said[pagedata.Normalize(pagedata.Collapse(s))] = true
		}
	}
	if len(lines) == 1 && len(taken) < 2 && n > 1 {
		for l := range lines {
			if l >= 0 {
				gap.Text = c.partsLeft(p.Lines[l].Text, said)
				for range gap.Text {
					ref, _ := p.Ref(p.Lines[l].Pieces[0].Elem)
					gap.Refs = append(gap.Refs, ref)
				}
			}
		}
		return gap
	}
	usual := most(paths, n)
	if n == 1 {
		usual = 1
	}
	if usual == 0 {
		return gap
	}
	for e := shelf + 1; e < p.Elems[shelf].End; e++ {
		if p.Elems[e].Visible && p.Elems[e].Facts > 0 && !taken[e] && p.Tag(e) != "" && paths[c.path(e, shelf)] == usual {
			gap.add(p, e)
		}
	}
	return gap
}

// partsLeft are the parts of a line between commas and the like that were not said,
// if all that was said are such parts.
func (c *checker) partsLeft(text string, said map[string]bool) (left []string) {
	if i := strings.IndexByte(text, ':'); i > 0 && i < 40 {
		text = text[i+1:]
	}
	n := 0
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(",;|·•/", r) }) {
		if part = strings.Trim(part, " ."); said[part] {
			n++
		} else if part != "" {
			left = append(left, part)
		}
	}
	if n < len(said) {
		return nil
	}
	return left
}

// entryAt is the element of an entry on a shelf: the innermost with a tag.
func (c *checker) entryAt(e, shelf int32) int32 {
	for ; e > shelf; e = c.page.Elems[e].Parent {
		if c.page.Tag(e) != "" {
			return e
		}
	}
	return 0
}

// path is the way from a shelf to an element, by shapes.
func (c *checker) path(e, shelf int32) (path uint64) {
	for ; e > shelf; e = c.page.Elems[e].Parent {
		path = path*31 + c.page.Elems[e].Signature
	}
	return path
}
