package grounding

import "github.com/wayfinder-engine/wayfinder/internal/pagedata"

// turnFor turns the tables whose rows are called as the members of a list's items
// are, and whose columns are not: "kWh", "days" and "temperature" of each month.
func (c *checker) turnFor(items []*value) {
	p := c.page
	list := items[0].parent.member
	if len(items) < 2 || c.turns[list] {
		return
	}
	c.turns[list] = true // once for all lists of a kind
	called := func(words []string) *member {
		for _, k := range items[0].kids {
			if k.leaf() && quality(k.member, words) >= named {
				return k.member
			}
		}
		return nil
	}
	for _, t := range p.Every {
		if t.Turned || len(t.Rows) < 2 || len(t.Rows) > 200 || len(t.Rows[0].Cells) < 3 {
			continue
		}
		n := len(t.Rows[0].Cells)
		even := len(t.Heads) == 0 || len(t.Heads) == n
		rows, columns := map[*member]bool{}, 0
		for _, row := range t.Rows {
			even = even && len(row.Cells) == n && len(row.Above) == 0
			if row.First >= 0 {
				if m := called(pagedata.LabelWords(p.TextOf(row.First, 120))); m != nil {
					rows[m] = true
				}
			}
		}
		heads := map[int32]bool{}
		for column, h := range t.Heads {
			even = even && !heads[h.Elem]
			heads[h.Elem] = true
			if column > 0 && called(h.Words) != nil {
				columns++
			}
		}
		if even && columns == 0 && len(rows) >= 2 && len(rows)*2 >= len(t.Rows) {
			p.TurnTable(t)
			p.Divided = true
		}
	}
}
