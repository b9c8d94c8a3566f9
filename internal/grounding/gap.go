package grounding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// gaps finds records of a list's kind that the list does not have.
func (c *checker) gaps(v *value) {
	p := c.page
	type claimed struct {
		claimed map[int32]bool
		facts   []int32
		cells   map[int]int
		figures int // items with digits
	}
	groups := map[int32]*claimed{}
	for _, k := range v.kids {
		if !k.object || k.home == nil || k.home.group < 0 || k.home.record <= 0 {
			continue
		}
		t := groups[k.home.group]
		if t == nil {
			t = &claimed{claimed: map[int32]bool{}, cells: map[int]int{}}
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
		if p.figured(k.home.record) {
			t.figures++
		}
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
			if c.elsewhere(v, rec) {
				continue // in a list below or beside this one
			}
			if t.figures == len(t.facts) && len(t.facts) > 2 && !p.figured(m) {
				continue // "Sunday: closed" below opening hours
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

// elsewhere reports whether a record is, or holds, that of an object of the data
// that the list does not stand in.
func (c *checker) elsewhere(list *value, rec *record) bool {
	if c.homes == nil {
		c.homes = []owned{}
		list.root().owners(&c.homes)
		slices.SortStableFunc(c.homes, func(a, b owned) int { return cmp.Compare(a.home.lo, b.home.lo) })
	}
	i, _ := slices.BinarySearchFunc(c.homes, rec.lo, func(o owned, lo int32) int { return cmp.Compare(o.home.lo, lo) })
	for ; i < len(c.homes) && c.homes[i].home.lo < rec.hi; i++ {
		o := &c.homes[i]
		if o.home.hi > rec.hi || o.home.record <= 0 || o.home.run {
			continue
		}
		above := false
		for at := list; at != nil; at = at.parent {
			above = above || at == o.object
		}
		if !above {
			return true
		}
	}
	return false
}

// figured reports whether a record says a number or a time.
func (p *page) figured(r int32) bool {
	rec := &p.rec.all[r]
	n, _ := slices.BinarySearchFunc(p.numbers, rec.lo, func(n found[number], lo int32) int { return cmp.Compare(n.elem, lo) })
	m, _ := slices.BinarySearchFunc(p.moments, p.firstLine(rec.lo), func(m found[moment], line int32) int { return cmp.Compare(m.line, line) })
	return n < len(p.numbers) && p.numbers[n].elem < rec.hi || m < len(p.moments) && p.moments[m].elem < rec.hi
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	out := make([]K, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// hollow refuses an object or list that says nothing though the page may: an
// item of a list with nothing in it, and nulls alone where the page has a value
// that is called as one of them.
func (c *checker) hollow(v *value) {
	item := v.object && v.parent != nil && v.parent.list
	if !item && v.parent != nil {
		return
	}
	nulls, silent := c.silent(v, nil)
	switch {
	case !silent:
	case item:
		c.withdraw(v)
		c.report.Leaves++
		c.refuse(v, "nothing in this item rests on the page; leave the item out")
	case v.list && len(v.kids) > 0 && len(nulls) > 0:
		c.report.Leaves++
		c.refuse(v, "a list of nulls says nothing; leave them out")
	default:
		for _, n := range nulls {
			if ref, ok := c.called(n.member); ok {
				c.withdraw(v)
				c.report.Leaves++
				c.refuse(v, "all of it is null, but the page has what it calls %s (%s)", n.member.name, ref)
				return
			}
		}
	}
}

// silent reports whether all leaves of a value are null, or false because nothing
// speaks of them. It returns the nulls.
func (c *checker) silent(v *value, nulls []*value) ([]*value, bool) {
	switch raw := v.raw.(type) {
	case nil:
		if v.leaf() {
			return append(nulls, v), true
		}
	case bool:
		s, ok := c.report.Sources[v.pointer]
		return nulls, !raw && ok && s.Kind == Derived && s.Text == ""
	default:
		return nulls, false
	}
	if v.object && len(v.kids) == 0 {
		return nulls, false // refused as it is
	}
	for _, k := range v.kids {
		var ok bool
		if nulls, ok = c.silent(k, nulls); !ok {
			return nulls, false
		}
	}
	return nulls, len(v.kids) > 0 || v.parent != nil
}

// withdraw takes back what was concluded of a value's leaves.
func (c *checker) withdraw(v *value) {
	if _, ok := c.report.Sources[v.pointer]; ok && v.leaf() {
		delete(c.report.Sources, v.pointer)
		c.report.Leaves--
	}
	for _, k := range v.kids {
		c.withdraw(k)
	}
}

// called finds a value of the page that it calls as a member.
func (c *checker) called(m *member) (ref accessibility.Ref, ok bool) {
	p := c.page
	for i := range p.lines {
		l := &p.lines[i]
		text := strings.TrimSpace(l.text)
		if l.option || l.hidden || text == "" || blanks[text] {
			continue
		}
		e := l.pieces[0].elem
		if cap := p.captionOf(e, 0); likeness(m, cap.sure) > 0.9 {
			ref, _ = p.ref(e)
			return ref, true
		}
	}
	return "", false
}
