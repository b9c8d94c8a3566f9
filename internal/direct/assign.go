package direct

import (
	"cmp"
	"slices"
)

// A slot is the same part of every record of a list: a column, a labelled
// value, the heading. A page as a whole is a list of one record.
type slot struct {
	key, label, about string
	most, least       int
	entries           []entry
}

// An entry is a fact of a slot, with the position of its record. A record may
// have several.
type entry struct {
	record int
	fact   *fact
}

// slots sorts the facts of records by what they are.
func slots(records []record) []*slot {
	by := map[string]*slot{}
	var out []*slot
	for i := range records {
		for j := range records[i].facts {
			f := &records[i].facts[j]
			key := f.key
			if f.key[0] == 'C' {
				key += "\x00" + f.label
			}
			s := by[key]
			if s == nil {
				s = &slot{key: f.key, label: f.label, about: f.about, most: f.most, least: f.least}
				by[key] = s
				out = append(out, s)
			}
			s.entries = append(s.entries, entry{i, f})
		}
	}
	return out
}

// A column is a slot as a member's values, one for each record; nil where there
// is none, or where there are two.
type column struct {
	slot   *slot
	fit    int
	values []any
	facts  []*fact
}

// column converts a slot to a member's form. It is nil where the slot does not
// fit the member often enough.
func (p *page) column(m *member, s *slot, records int, fit int) *column {
	c := &column{slot: s, fit: fit, values: make([]any, records), facts: make([]*fact, records)}
	present, good, last := 0, 0, -1
	torn := -1
	for _, e := range s.entries {
		if e.record != last {
			present++
			last = e.record
		}
		v, ok := p.value(m, e.fact)
		if !ok || torn == e.record {
			continue
		}
		switch c.values[e.record] {
		case nil:
			c.values[e.record], c.facts[e.record] = v, e.fact
			good++
		case v:
		default:
			torn = e.record
			c.values[e.record], c.facts[e.record] = nil, nil
			good--
		}
	}
	if good == 0 || 10*good < 6*present || m.required && 2*good < records {
		return nil
	}
	return c
}

// fit says how well a slot is what a member asks for.
func (p *page) fit(m *member, s *slot, context map[string]bool) int {
	best := 0
	if s.label != "" {
		if n := min(m.wording.fit(p.label(s.label), context), s.most); n >= s.least {
			best = n
		}
		if best == 0 && m.form.kind == "boolean" && m.wording.covers(p.label(s.label)) {
			best = 60 // the value's words decide: "Online" under "Status"
		}
	}
	if s.key[0] == 'L' && m.wording.named && m.wording.about == "name" && slices.Equal(p.label(s.label), []string{"name"}) {
		best = max(best, 80)
	}
	if s.about != "" && s.about == about(m) {
		n := s.most
		if !m.wording.named {
			n -= 10
		}
		best = max(best, n)
	}
	return best
}

// about is the concept of a member, in which its type has a say.
func about(m *member) string {
	w := &m.wording
	switch {
	case m.form.address():
		if w.about == "image" {
			return "image"
		}
		return "link"
	case w.about == "link" || w.about == "image":
		return ""
	case w.about == "date" && !w.named && m.form.format == "":
		return "" // "number and days of the line" is no date
	}
	return w.about
}

// assign gives each scalar member the slot that fits it best. A member that two
// slots with different values fit equally has none, nor have two members that
// one slot fits equally.
func (p *page) assign(members []*member, records []record, context map[string]bool) map[*member]*column {
	all := slots(records)
	best := map[*member]*column{}
	for _, m := range members {
		if !m.form.scalar() {
			continue
		}
		var candidates []*column
		for _, s := range all {
			n := p.fit(m, s, context)
			if n == 0 {
				continue
			}
			if s.key == "K:first" && !p.names(s, all, len(records)) || s.key == "K:linked" && !different(s, len(records)) {
				continue
			}
			if c := p.column(m, s, len(records), n); c != nil {
				candidates = append(candidates, c)
			}
		}
		if top := elected(candidates); top != nil {
			best[m] = top
		}
	}
	// One slot, one member: the better fit has it.
	for _, m := range members {
		for _, other := range members {
			a, b := best[m], best[other]
			if m == other || a == nil || b == nil || !p.sharing(m, a, other, b) {
				continue
			}
			if a.fit <= b.fit {
				delete(best, m)
			}
			if b.fit <= a.fit {
				delete(best, other)
			}
		}
	}
	return best
}

// elected is the candidate that fits best. Of two that fit equally and differ it
// is the one that metadata name; what metadata alone name is the last resort.
func elected(candidates []*column) *column {
	slices.SortStableFunc(candidates, func(a, b *column) int {
		return cmp.Or(cmp.Compare(hidden(a), hidden(b)), cmp.Compare(b.fit, a.fit))
	})
	var tied, named []*column
	for _, c := range candidates {
		switch top := candidates[0]; {
		case hidden(c) > hidden(top):
			named = append(named, c)
		case c.fit == top.fit:
			tied = append(tied, c)
		}
	}
	if len(tied) == 0 {
		return nil
	}
	same := func(a, b *column) bool { return slices.Equal(a.values, b.values) }
	if !slices.ContainsFunc(tied, func(c *column) bool { return !same(c, tied[0]) }) {
		return tied[0]
	}
	var found *column
	for _, c := range tied {
		if slices.ContainsFunc(named, func(n *column) bool { return same(n, c) }) {
			if found != nil && !same(found, c) {
				return nil
			}
			found = c
		}
	}
	return found
}

// hidden is 1 for a slot that metadata name, and nobody sees the name of.
func hidden(c *column) int {
	if c.slot.key[0] == 'J' {
		return 1
	}
	return 0
}

// sharing reports whether two members would take the same of the same place.
func (p *page) sharing(m *member, a *column, other *member, b *column) bool {
	if m.form.address() != other.form.address() || (m.form.kind == "boolean") != (other.form.kind == "boolean") {
		return false
	}
	both, same := 0, 0
	for i := range a.facts {
		if a.facts[i] != nil && b.facts[i] != nil {
			both++
			if p.overlap(a.facts[i].node, b.facts[i].node) && a.values[i] == b.values[i] {
				same++
			}
		}
	}
	return same > 0 && same == both // a cell may span two columns in some rows
}

// overlap reports whether one node is or holds the other.
func (p *page) overlap(a, b int32) bool {
	return a <= b && b < p.nodes[a].end || b <= a && a < p.nodes[b].end
}

// names reports whether the first text of each record is what names it: it is
// in all of them, different in each, and no other text is.
func (p *page) names(s *slot, all []*slot, records int) bool {
	if !different(s, records) {
		return false
	}
	for _, other := range all {
		if other.key[0] == 'P' && different(other, records) {
			return false
		}
	}
	return true
}

// different reports whether a slot has one text in each of several records,
// never the same.
func different(s *slot, records int) bool {
	if records < 2 || len(s.entries) != records {
		return false
	}
	seen := make(map[string]bool, records)
	for i, e := range s.entries {
		if e.record != i || seen[e.fact.text] {
			return false
		}
		seen[e.fact.text] = true
	}
	return true
}
