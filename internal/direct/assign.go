package direct

import "slices"

// A column is a member's values, one for each record; nil where there is none, or
// where there are two.
type column struct {
	values []any
	facts  []*fact
	sure   bool // a label says it, and not a tag alone
}

// assign gives each member that is a value the facts that say it.
func assign(p *reader, members []*member, records []record) map[*member]*column {
	out := map[*member]*column{}
	for _, m := range members {
		if c := newColumn(p, m, members, records); c != nil {
			out[m] = c
		}
	}
	return out
}

// newColumn collects a member's values, from the surest facts of each record. A value that
// two facts give otherwise is none, and neither is one whose fact says another member,
// too. The column is nil where most of the facts do not fit: their label means something
// else there.
func newColumn(p *reader, m *member, beside []*member, records []record) *column {
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
				mark, torn, c.values[i], c.facts[i] = f.mark, false, nil, nil
			}
			v, ok := p.value(m, f)
			also := func(o *member) bool {
				return o != m && o.form.kind == m.form.kind && o.form.address() == m.form.address() && f.says(o)
			}
			if torn = torn || !ok || c.values[i] != nil && c.values[i] != v || slices.ContainsFunc(beside, also); !torn {
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
	if 2*good <= said {
		return nil
	}
	return c
}
