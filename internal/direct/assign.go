package direct

// A column is a member's values, one for each record; nil where there is none, or
// where there are two.
type column struct {
	values []any
	facts  []*fact
	sure   bool // a label says it, and not a tag alone
}

// says reports whether a fact is what a member asks for. A member that is called as the
// markup itself asks for what a tag says.
func (f *fact) says(m *member) bool {
	if f.mark != byTag {
		return m.called(f.label)
	}
	text := m.form.kind == "string" && !m.form.address()
	switch f.tag {
	case "h":
		return text && m.isOne("name", "title", "heading", "headline")
	case "h1":
		return text && m.isOne("heading", "headline")
	case "a":
		return m.form.address() && m.isOne("link", "url", "href")
	}
	return m.form.address() && m.isOne("image", "img", "picture", "src")
}

// assign gives each member that is a value the facts that say it. A value that two
// facts give otherwise is none, and neither are those of two members that are the same
// facts.
func (p *page) assign(members []*member, records []record) map[*member]*column {
	out := map[*member]*column{}
	for _, m := range members {
		if c := p.column(m, records); c != nil {
			out[m] = c
		}
	}
	var twice []*member
	for i, a := range members {
		for _, b := range members[i+1:] {
			if out[a] != nil && out[b] != nil && a.form.kind == b.form.kind && a.form.address() == b.form.address() && shared(out[a], out[b]) {
				twice = append(twice, a, b)
			}
		}
	}
	for _, m := range twice {
		delete(out, m)
	}
	return out
}

// shared reports whether two columns are the same facts.
func shared(a, b *column) bool {
	both := false
	for i := range a.facts {
		if a.facts[i] != nil && b.facts[i] != nil {
			if a.facts[i].node != b.facts[i].node {
				return false // a cell may span two columns in some rows
			}
			both = true
		}
	}
	return both
}

// column collects a member's values. It is nil where its facts do not fit it in most of
// the records that have them: the label means something else there.
func (p *page) column(m *member, records []record) *column {
	c := &column{values: make([]any, len(records)), facts: make([]*fact, len(records))}
	said, good := 0, 0
	for i := range records {
		mark, torn := none, false
		for k := range records[i].facts {
			f := &records[i].facts[k]
			if f.mark > mark || !f.says(m) {
				continue
			}
			if f.mark < mark {
				mark, torn = f.mark, false
				c.values[i], c.facts[i] = nil, nil
			}
			v, ok := p.value(m, f)
			if torn = torn || !ok || c.values[i] != nil && c.values[i] != v; c.values[i] == nil && ok {
				c.values[i], c.facts[i] = v, f
			}
		}
		if mark != none {
			said++
		}
		if torn {
			c.values[i], c.facts[i] = nil, nil
		} else if c.values[i] != nil {
			good++
			c.sure = c.sure || mark != byTag
		}
	}
	if good == 0 || 2*good <= said {
		return nil
	}
	return c
}
