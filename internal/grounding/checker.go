package grounding

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A checker is one run of Check.
type checker struct {
	*reader
	assigner
	*slots
	weigher
	gapFinder
	report  *Report
	used    []*value         // by element, the leaf that stands there
	pending []pending        // numbers that may be derived from others
	silent  []*value         // leaves that are false and of which the page says nothing
	filled  map[*member]bool // lists that have entries in one object at least
}

type pending struct {
	leaf   *value
	reason string
}

// trace checks every leaf within the home of its object.
func (c *checker) trace(v *value) {
	switch {
	case v.leaf():
		c.leaf(v)
	case v.object && len(v.kids) == 0:
		c.report.Leaves++
		c.contradict(v, "an empty object rests on nothing on the page; leave it out or give null")
	case v.list && len(v.kids) == 0:
		c.none(v)
	default:
		for _, k := range v.kids {
			c.trace(k)
		}
		c.hollow(v)
	}
}

func (c *checker) leaf(v *value) {
	if v.raw == nil {
		return
	}
	c.report.Leaves++
	h := around(v)
	switch raw := v.raw.(type) {
	case bool:
		c.boolean(v, h, raw)
		return
	case string:
		if strings.TrimSpace(raw) == "" {
			if !c.noneFor(v, h) {
				c.contradict(v, "empty, but the page does not say that there is none; give what stands there, or null")
			}
			return
		}
	}
	pl, why := c.stand(v, h)
	n, number := v.raw.(json.Number)
	switch {
	case pl != nil:
		c.ground(v, *pl)
		if why != "" {
			c.doubt(v, "%s", why)
		}
	case number:
		if key, ok := pagedata.CanonicalText(string(n)); !ok || key != "0" || !c.noneFor(v, h) {
			c.pending = append(c.pending, pending{v, why})
		}
	case len(v.member.enum) > 0 && len(c.find.places(v)) == 0:
		c.doubt(v, "%s is one of the given words, and stands nowhere on the page", shownValue(v))
	default:
		c.contradict(v, "%s", why)
	}
}

// boolean holds a leaf against what the page says: the state of a control, a yes or
// no beside a label, the member's own words. Silence means no where the page says yes of
// another object of the list. What the page answers in other words is unproven.
func (c *checker) boolean(v *value, h *home, raw bool) {
	if h.record < 0 {
		c.contradict(v, "its item stands on no record of the page; leave the item out")
		return
	}
	d := c.ask(v.member, h)
	if !d.known {
		if raw {
			c.doubt(v, "nothing in its record says in these words that %s is true", v.member.name)
			return
		}
		c.silent = append(c.silent, v)
		c.report.Sources[v.pointer] = c.silence(h)
		return
	}
	s := Source{Kind: d.kind, How: d.how, Frame: c.frame(d.elem)}
	s.Ref, s.Text = c.page.Ref(d.elem)
	if d.line >= 0 {
		s.Text = c.page.Lines[d.line].Text
	}
	if votes := c.usual[v.member]; votes != nil && d.yes {
		votes.yes = true
	}
	switch {
	case d.part:
		c.doubt(v, "%v, and the page says %s among other words at %s: %.60q", raw, v.member.name, s.Ref, s.Text)
	case d.yes != raw:
		c.contradict(v, "%v, but the page says otherwise at %s: %.60q", raw, s.Ref, s.Text)
		return
	}
	c.report.Sources[v.pointer] = s
}

func (c *checker) contradict(v *value, format string, args ...any) {
	c.report.Ungrounded = append(c.report.Ungrounded, Finding{v.pointer, Contradicted, fmt.Sprintf(format, args...)})
}

func (c *checker) doubt(v *value, format string, args ...any) {
	c.report.Ungrounded = append(c.report.Ungrounded, Finding{v.pointer, Unproven, fmt.Sprintf(format, args...)})
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
	parts := strings.SplitN(s, text, n+2)
	end = len(s) - len(parts[len(parts)-1])
	return end - len(text), end
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

// none holds an empty list against the page, which has nothing that it leaves out. The
// page says that there is none, or says nothing in this object and of another it does.
func (c *checker) none(v *value) {
	if c.leftOut(v, c.emptied(v, v.home)) {
		return
	}
	c.report.Leaves++
	switch {
	case c.noneFor(v, v.home):
	case c.filled[v.member] && (v.home.record > 0 || v.home.run):
		c.report.Sources[v.pointer] = c.silence(v.home)
	default:
		c.doubt(v, "nothing on the page says that there is none")
	}
}

// silence is the source of what rests on what a home does not say.
func (c *checker) silence(h *home) Source {
	at := max(h.lo, 1)
	ref, _ := c.page.Ref(at)
	return Source{Frame: c.frame(at), Ref: ref, Kind: Derived, How: "nothing says so"}
}

// noneFor finds an empty field or cell, or a word for nothing, that is called as the
// member is.
func (c *checker) noneFor(v *value, h *home) bool {
	p := c.page
	_, number := v.raw.(json.Number)
	s := Source{Kind: Empty}
	found := int32(-1)
	called := func(label []string) bool { return quality(v.member, label) > silent }
	c.linesIn(h, func(l int32) {
		text, e := strings.TrimSpace(p.Lines[l].Text), p.Lines[l].Pieces[0].Elem
		label, value, labelled := strings.Cut(text, ":")
		if !labelled {
			label, value = "", text
		}
		first, rest, _ := strings.Cut(text, " ")
		words := pagedata.LabelWords(rest)
		if found < 0 && (pagedata.Blank(strings.TrimSpace(value)) && called(slices.Concat(c.caption(e, 0).Sure, pagedata.LabelWords(label))) ||
			(number || v.list) && pagedata.Blank(first) && len(words) <= 3 && slices.ContainsFunc(words, func(w string) bool { return pagedata.HasWord(v.member.words, w) })) { // "No comments", "Free shipping"
			found, s.Text = e, text
		}
	})
	for e := h.lo; e < h.hi && found < 0; e++ {
		switch el := &p.Elems[e]; p.Tag(e) {
		case "input", "textarea", "select":
			if el.Seen >= 0 && p.Node(e).Value == "" && called(pagedata.LabelWords(p.Snap.Nodes[el.Seen].Name)) {
				found = e
			}
		case "td", "dd":
			if el.Facts == 0 && el.Visible && c.reachable(e, h) && called(c.caption(e, 0).Sure) {
				found = e
			}
		}
	}
	if found < 0 {
		return false
	}
	s.Frame = c.frame(found)
	s.Ref, _ = p.Ref(found)
	c.report.Sources[v.pointer] = s
	return true
}

// hollow refuses an item of a list with nothing in it, and data that is null alone where
// the page has a value that it calls as one of the members. False is nothing where it
// rests on silence.
func (c *checker) hollow(v *value) {
	item := v.object && v.parent != nil && v.parent.list
	if !item && v.parent != nil || len(v.kids) == 0 {
		return
	}
	var nulls []*value
	silent := true
	v.walk(func(v *value) {
		switch {
		case v.leaf() && v.raw == nil:
			nulls = append(nulls, v)
		case v.raw == false:
			s := c.report.Sources[v.pointer]
			silent = silent && s.Kind == Derived && s.Text == ""
		case v.leaf() || v.object && len(v.kids) == 0:
			silent = false
		}
	})
	if !silent {
		return
	}
	refuse := func(format string, args ...any) {
		below := func(pointer string) bool { return strings.HasPrefix(pointer, v.pointer+"/") }
		gone := map[string]bool{}
		maps.DeleteFunc(c.report.Sources, func(pointer string, _ Source) bool {
			gone[pointer] = below(pointer)
			return gone[pointer]
		})
		c.report.Ungrounded = slices.DeleteFunc(c.report.Ungrounded, func(f Finding) bool {
			gone[f.Pointer] = below(f.Pointer)
			return gone[f.Pointer]
		})
		maps.DeleteFunc(gone, func(_ string, below bool) bool { return !below })
		c.report.Leaves += 1 - len(gone)
		c.contradict(v, format, args...)
	}
	switch {
	case item:
		refuse("nothing in this item rests on the page; leave the item out")
	case v.list && len(nulls) > 0:
		refuse("a list of nulls says nothing; leave them out")
	default:
		for _, n := range nulls {
			if _, at := c.elsewhere(n, v.home); at > 0 {
				ref, _ := c.page.Ref(at)
				refuse("all of it is null, but the page has what it calls %s (%s)", n.member.name, ref)
				return
			}
		}
	}
}

// derive computes the numbers that stand nowhere on the page from the lists of the data:
// how many entries one has, or the sum of what they have. It doubts a silent leaf where
// the page says yes of no other object of the list.
func (c *checker) derive() {
	for _, p := range c.pending {
		if s, ok := c.compute(p.leaf); ok {
			if h := around(p.leaf); h.record >= 0 {
				s.Ref, _ = c.page.Ref(max(h.lo, 1))
				s.Frame = c.frame(max(h.lo, 1))
			}
			c.report.Sources[p.leaf.pointer] = s
			continue
		}
		c.contradict(p.leaf, "%s", p.reason)
	}
	for _, v := range c.silent {
		if _, has := c.report.Sources[v.pointer]; has && (c.usual[v.member] == nil || !c.usual[v.member].yes) {
			c.doubt(v, "nothing on the page speaks of %s", v.member.name)
		}
	}
}

// compute looks at the lists beside a leaf, and beside what it stands in up to the
// nearest entry of a list.
func (c *checker) compute(v *value) (Source, bool) {
	want, _ := v.raw.(json.Number).Float64() // a number out of range is infinite, and near none
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
			return c.page.Rec.All[g.Members[0]].Solid && !c.aside(g.Parent)
		})
	}
	n := 0
	for _, k := range v.kids {
		n += yes(c.read(k))
	}
	return 2*n > len(v.kids)
}

// aside reports whether an element is a part of the page's frame, which leads elsewhere.
func (c *checker) aside(e int32) bool {
	for ; e > 0 && !c.page.Aside(e); e = c.page.Elems[e].Parent {
	}
	return e > 0
}
