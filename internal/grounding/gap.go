package grounding

import (
	"cmp"
	"slices"
)

// gaps finds records of a list's kind that the list does not have.
func (c *checker) gaps(v *value) {
	p := c.page
	type tally struct {
		claimed map[int32]bool
		facts   []int32
		cells   map[int]int
	}
	groups := map[int32]*tally{}
	for _, k := range v.kids {
		if !k.object || k.home == nil || k.home.group < 0 || k.home.record <= 0 {
			continue
		}
		t := groups[k.home.group]
		if t == nil {
			t = &tally{claimed: map[int32]bool{}, cells: map[int]int{}}
			groups[k.home.group] = t
		}
		t.claimed[k.home.record] = true
		if k.home.run {
			members := p.rec.groups[k.home.group].members
			i, _ := slices.BinarySearchFunc(members, k.home.lo, func(m, lo int32) int { return cmp.Compare(p.rec.all[m].lo, lo) })
			for ; i < len(members) && p.rec.all[members[i]].lo < k.home.hi; i++ {
				t.claimed[members[i]] = true
			}
		}
		e := p.rec.all[k.home.record].lo
		t.facts = append(t.facts, p.elems[e].facts)
		t.cells[p.cells(e)]++
	}
	gap := Gap{Pointer: v.pointer}
	for _, g := range sortedKeys(groups) {
		t := groups[g]
		slices.Sort(t.facts)
		usual := t.facts[len(t.facts)/2]
		for _, m := range p.rec.groups[g].members {
			rec := &p.rec.all[m]
			if t.claimed[m] || rec.header || p.elems[rec.lo].facts*2 < usual && p.elems[rec.lo].facts < 3 || t.cells[p.cells(rec.lo)] == 0 || p.tag(p.elems[rec.lo].parent) == "tfoot" {
				continue
			}
			ref, _ := p.ref(rec.lo)
			if ref == "" || p.elems[rec.lo].seen < 0 {
				for e := rec.lo; e < rec.hi; e++ {
					if p.elems[e].seen >= 0 {
						ref, _ = p.ref(e)
						break
					}
				}
			}
			gap.Refs = append(gap.Refs, ref)
			gap.Text = append(gap.Text, p.textOf(rec.lo, 60))
		}
	}
	if len(gap.Refs) > 0 {
		c.report.Missing = append(c.report.Missing, gap)
	}
}

// cells counts a row's cells; 0 for what is no row.
func (p *page) cells(e int32) int {
	if p.tag(e) != "tr" {
		return 0
	}
	n := 0
	for k := e + 1; k < p.elems[e].end; k = p.elems[k].end {
		if t := p.tag(k); t == "td" || t == "th" {
			n++
		}
	}
	return n
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
