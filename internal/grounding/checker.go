package grounding

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
)

// A checker is one run of Check.
type checker struct {
	page    *page
	find    finder
	report  *Report
	pending []pending         // leaves that may be derived from others
	homes   []owned           // of the objects, in page order; made when a list has gaps
	turns   map[*member]bool  // lists for which tables were turned, or none had to be
	masks   marks             // of the object whose candidates are looked for
	walls   map[*member]tally // made when asked for
	owners  map[int32]bool    // records that are homes of a list's objects
	shelves map[*value]int32  // of lists of texts
	slots   map[*value]slots  // of lists of objects
}

type pending struct {
	leaf   *value
	reason string
}

func (c *checker) refuse(v *value, format string, args ...any) {
	c.report.Ungrounded = append(c.report.Ungrounded, Finding{v.pointer, fmt.Sprintf(format, args...)})
}

// around is the home that a leaf has to stand in.
func around(v *value) *home {
	for at := v.parent; at != nil; at = at.parent {
		if at.home != nil {
			return at.home
		}
	}
	return v.home
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

// reachable reports whether no record stands between a home and a place in it.
func (c *checker) reachable(e int32, h *home, m *member) bool {
	for r := c.page.elems[e].record; r > 0; r = c.page.rec.all[r].parent {
		rec := &c.page.rec.all[r]
		if r == h.record || rec.lo <= h.lo && rec.hi >= h.hi {
			return true
		}
		if rec.solid && rec.group != h.group && !c.named(r, m) {
			return false
		}
	}
	return true
}

func (c *checker) homeOf(r int32) *home {
	rec := &c.page.rec.all[r]
	return &home{record: r, lo: rec.lo, hi: rec.hi, extra: rec.extra, group: rec.group}
}

// named reports whether a record is labelled as a member is called.
func (c *checker) named(r int32, m *member) bool {
	key := headKey{r, m}
	if v, ok := c.find.heads[key]; ok {
		return v
	}
	ok := false
	if words := c.page.headWords(r); len(words) <= 6 {
		var beside []string
		for _, w := range words {
			if !hasWord(m.words, w) && !hasWord(m.path, w) && !hasWord(m.about, w) {
				continue
			}
			if beside == nil {
				for _, s := range c.page.siblings(r) {
					beside = append(beside, c.page.headWords(s)...)
				}
			}
			// A word that stands in the label of each tells none from another.
			ok = ok || !hasWord(beside, w)
		}
	}
	c.find.heads[key] = ok
	return ok
}

// inside is the part of a list of places that stands in a home.
func (c *checker) inside(list []place, h *home) []place {
	lo, _ := slices.BinarySearchFunc(list, h.lo, func(pl place, lo int32) int { return cmp.Compare(pl.elem, lo) })
	hi, _ := slices.BinarySearchFunc(list, h.hi, func(pl place, hi int32) int { return cmp.Compare(pl.elem, hi) })
	if hi < lo {
		return nil
	}
	return list[lo:hi]
}
