package grounding

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// derive computes the numbers that stand nowhere on the page from the lists of the data:
// how many entries one has, or the sum of what they have.
func (c *checker) derive() {
	for _, p := range c.pending {
		if s, ok := c.compute(p.leaf); ok {
			if h := around(p.leaf); h != nil && h.record >= 0 {
				s.Ref, _ = c.page.Ref(max(h.lo, 1))
				s.Frame = c.frame(max(h.lo, 1))
			}
			c.report.Sources[p.leaf.pointer] = s
			continue
		}
		c.contradict(p.leaf, "%s", p.reason)
	}
}

// compute looks at the lists beside a leaf, and beside what it stands in up to the
// nearest entry of a list.
func (c *checker) compute(v *value) (Source, bool) {
	want, _ := v.raw.(json.Number).Float64() // what is out of range is near nothing
	near := func(got, slack float64) bool { return math.Abs(got-want) <= slack+1e-9*math.Abs(want) }
	for at := v.parent; at != nil; at = at.parent {
		for _, k := range at.kids {
			if !k.list || strings.HasPrefix(v.pointer, k.pointer+"/") {
				continue
			}
			counts := slices.ContainsFunc(append([]string{"count", "total"}, k.member.core...), func(w string) bool { return pagedata.HasWord(v.member.words, w) })
			if counts && near(float64(len(k.kids)), 0) && c.read(k) {
				return Source{Kind: Derived, How: "count", Parts: []string{k.pointer}}, true
			}
			sums, parts := map[*member]float64{}, map[*member][]string{}
			for _, entry := range k.kids {
				for _, l := range entry.kids {
					n, _ := l.raw.(json.Number)
					if f, err := n.Float64(); err == nil && c.read(l) {
						sums[l.member] += f
						parts[l.member] = append(parts[l.member], l.pointer)
					}
				}
			}
			for i := 0; len(k.kids) > 0 && i < len(k.kids[0].kids); i++ {
				m := k.kids[0].kids[i].member
				switch of := parts[m]; {
				case len(of) < 2:
				case near(sums[m], 0.005):
					return Source{Kind: Derived, How: "sum", Parts: of}, true
				}
			}
		}
		if at.parent != nil && at.parent.list {
			break
		}
	}
	return Source{}, false
}

// read reports whether a leaf was found on the page, or most entries of a list were.
func (c *checker) read(v *value) bool {
	switch {
	case v.leaf():
		_, ok := c.report.Sources[v.pointer]
		return ok
	case v.object:
		return v.home != nil && v.home.record >= 0
	case len(v.kids) == 0: // the page has no things that it could have
		return !slices.ContainsFunc(c.page.Rec.Groups, func(g pagedata.Group) bool {
			return c.page.Rec.All[g.Members[0]].Solid && !inNavigation(c.page, g.Parent)
		})
	}
	n := 0
	for _, k := range v.kids {
		n += yes(c.read(k))
	}
	return 2*n > len(v.kids)
}

// noneFor finds an empty field or cell, or a word for nothing, that is called as the
// member is.
func (c *checker) noneFor(v *value, h *home) bool {
	p := c.page
	if h == nil || h.record < 0 {
		return false
	}
	_, number := v.raw.(json.Number)
	called := func(label []string) bool { return quality(v.member, label) > silent }
	found, line := int32(-1), int32(-1)
	c.linesIn(h, func(l int32) {
		text := strings.TrimSpace(p.Lines[l].Text)
		e := p.Lines[l].Pieces[0].Elem
		label, value, labelled := strings.Cut(text, ":")
		first, rest, _ := strings.Cut(text, " ")
		none := false
		switch words := pagedata.LabelWords(rest); {
		case found >= 0:
		case pagedata.Blank(text):
			none = called(c.caption(e, 0).Sure) || called(c.caption(e, 0).Hint)
		case labelled && pagedata.Blank(strings.TrimSpace(value)):
			none = called(slices.Concat(c.caption(e, 0).Sure, pagedata.LabelWords(label)))
		case number && pagedata.Blank(first) && len(words) <= 3: // "No comments", "Free shipping"
			none = slices.ContainsFunc(words, func(w string) bool { return pagedata.HasWord(v.member.words, w) })
		}
		if none {
			found, line = e, l
		}
	})
	for e := h.lo; e < h.hi && found < 0; e++ {
		el, empty := &p.Elems[e], false
		switch p.Tag(e) {
		case "input", "textarea", "select":
			empty = el.Seen >= 0 && p.Node(e).Value == "" && called(pagedata.LabelWords(p.Snap.Nodes[el.Seen].Name))
		case "td", "dd":
			empty = el.Facts == 0 && el.Visible && (h.run || c.reachable(e, h)) && called(c.caption(e, 0).Sure)
		}
		if empty {
			found = e
		}
	}
	if found < 0 {
		return false
	}
	s := Source{Kind: Empty, Frame: c.frame(found)}
	s.Ref, _ = p.Ref(found)
	if line >= 0 {
		s.Text = p.Lines[line].Text
	}
	c.report.Sources[v.pointer] = s
	return true
}
