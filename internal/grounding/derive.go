package grounding

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
)

// derive computes what was not found: sums, counts, averages, differences and
// products of what was.
func (c *checker) derive() {
	for _, p := range c.pending {
		if s, ok := c.compute(p.leaf); ok {
			c.report.Sources[p.leaf.pointer] = s
			continue
		}
		c.report.Ungrounded = append(c.report.Ungrounded, Finding{p.leaf.pointer, p.reason})
	}
}

// column is the leaves of one member of a list's objects.
type column struct {
	member *member
	values []float64
	at     []string
}

// A computation is a number that stands nowhere on the page, and may follow from
// others of the data.
type computation struct {
	*checker
	leaf *value
	want float64
}

func (c *checker) compute(v *value) (Source, bool) {
	n, ok := v.raw.(json.Number)
	if !ok {
		return Source{}, false
	}
	want, err := n.Float64()
	if err != nil {
		return Source{}, false
	}
	k := computation{c, v, want}
	if s, ok := k.ofLists(); ok {
		return s, true
	}
	if s, ok := k.ofRecord(); ok {
		return s, true
	}
	if v.parent == nil || !v.parent.object {
		return Source{}, false
	}
	if s, ok := k.ofSiblings(); ok {
		return s, true
	}
	if k.asks("duration", "length", "minutes") {
		return k.elapsed()
	}
	return Source{}, false
}

// asks reports whether the member is called by one of the words.
func (c *computation) asks(words ...string) bool {
	m := c.leaf.member
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains(m.words, w) || slices.Contains(m.about, w)
	})
}

func (c *computation) near(got float64) bool {
	return math.Abs(got-c.want) <= 0.005+1e-9*math.Abs(c.want)
}

// derived is the source of what was computed from other leaves.
func (c *computation) derived(how string, parts []string) (Source, bool) {
	s := Source{Kind: Derived, How: how, Parts: parts}
	if h := around(c.leaf); h != nil && h.record >= 0 {
		s.Ref, _ = c.page.ref(max(h.lo, 1))
		s.Frame = c.frame(max(h.lo, 1))
	}
	return s, true
}

// ofLists computes from the lists beside the leaf, and beside what it stands in.
func (c *computation) ofLists() (Source, bool) {
	for at := c.leaf.parent; at != nil; at = at.parent {
		for _, k := range at.kids {
			if !k.list || len(k.kids) == 0 || strings.HasPrefix(c.leaf.pointer, k.pointer+"/") {
				continue
			}
			if c.asks("count", "number", "how", "anzahl", "results", "size", "total") && c.near(float64(len(k.kids))) && c.grounded(k) {
				return c.derived("count", []string{k.pointer})
			}
			// Records that the list's items stand among.
			for _, col := range c.columns(k) {
				sum := 0.0
				for _, x := range col.values {
					sum += x
				}
				if c.asks("total", "sum", "subtotal", "gesamt", "amount", "value") && c.near(sum) && len(col.values) > 1 {
					return c.derived("sum", col.at)
				}
				if c.asks("average", "avg", "mean", "durchschnitt") && len(col.values) > 0 && math.Abs(sum/float64(len(col.values))-c.want) <= 0.01*math.Max(1, math.Abs(c.want)) {
					return c.derived("average", col.at)
				}
			}
			if s, ok := c.counted(k); ok {
				return s, true
			}
		}
		if at.parent != nil && at.parent.list {
			break // what is not an item's own is none of its
		}
	}
	return Source{}, false
}

// ofRecord counts pictures and entries of a kind in the record of the leaf: the
// faces of a team.
func (c *computation) ofRecord() (Source, bool) {
	h := around(c.leaf)
	if h == nil || h.record <= 0 || c.want < 1 {
		return Source{}, false
	}
	p := c.page
	type kind struct {
		shape uint64
		cell  int32
	}
	of := map[kind][]int32{}
	cell := int32(0)
	for e := h.lo; e < h.hi; e++ {
		tag := p.tag(e)
		if tag == "td" {
			cell = e
		}
		if p.elems[e].visible && (tag == "img" || tag == "li") {
			k := kind{p.elems[e].signature, cell}
			of[k] = append(of[k], e)
		}
	}
	asked := c.want > 1 && c.asks("count", "number", "size", "image")
	for k, list := range of {
		if float64(len(list)) != c.want || !asked && !c.calls(cmp.Or(k.cell, list[0]), -1, c.leaf.member) {
			continue
		}
		var parts []string
		for _, e := range list {
			ref, _ := p.ref(e)
			parts = append(parts, string(ref))
		}
		return c.derived("count", parts)
	}
	return Source{}, false
}

// ofSiblings computes from the grounded numbers of the same object.
func (c *computation) ofSiblings() (Source, bool) {
	var parts []float64
	var at []string
	for _, k := range c.leaf.parent.kids {
		n, ok := k.raw.(json.Number)
		if !ok || k == c.leaf || len(parts) == 24 {
			continue
		}
		if _, ok := c.report.Sources[k.pointer]; ok {
			if f, err := n.Float64(); err == nil {
				parts, at = append(parts, f), append(at, k.pointer)
			}
		}
	}
	for i, a := range parts {
		for j, b := range parts {
			if i == j {
				continue
			}
			if how := c.ofTwo(a, b, i < j); how != "" {
				return c.derived(how, []string{at[i], at[j]})
			}
		}
	}
	if len(parts) > 2 && c.asks("total", "sum", "gross", "due") {
		sum := 0.0
		for _, p := range parts {
			sum += p
		}
		if c.near(sum) {
			return c.derived("sum", at)
		}
	}
	return Source{}, false
}

// ofTwo says how the number follows from two, "" if it does not. What does not
// depend on their order is tried in one order alone.
func (c *computation) ofTwo(a, b float64, inOrder bool) string {
	switch {
	case c.near(a-b) && c.asks("difference", "discount", "change", "remaining", "left", "tax", "shipping", "balance", "savings", "due"):
		return "difference"
	case inOrder && c.near(a+b) && c.asks("total", "sum", "gross", "due"):
		return "sum"
	case inOrder && c.near(a*b) && c.asks("total", "subtotal", "amount", "line"):
		return "product"
	case b != 0 && c.asks("percent", "discount", "percentage", "off") && math.Abs((a-b)/a*100-c.want) <= 0.5 && a > b:
		return "percentage"
	case b != 0 && c.asks("per", "unit", "each", "average") && c.near(a/b):
		return "quotient"
	}
	return ""
}

// grounded reports whether most of a list's items have a home.
func (c *checker) grounded(list *value) bool {
	n := 0
	for _, k := range list.kids {
		if k.leaf() {
			if _, ok := c.report.Sources[k.pointer]; ok {
				n++
			}
		} else if k.home != nil && k.home.record >= 0 {
			n++
		}
	}
	return n*10 >= len(list.kids)*9
}

// columns are the grounded numbers of a list's objects, by member.
func (c *checker) columns(list *value) []column {
	var out []column
	index := map[*member]int{}
	for _, item := range list.kids {
		for _, k := range item.kids {
			n, ok := k.raw.(json.Number)
			if !ok {
				continue
			}
			if _, ok := c.report.Sources[k.pointer]; !ok {
				continue
			}
			f, err := n.Float64()
			if err != nil {
				continue
			}
			i, ok := index[k.member]
			if !ok {
				i = len(out)
				index[k.member] = i
				out = append(out, column{member: k.member})
			}
			out[i].values = append(out[i].values, f)
			out[i].at = append(out[i].at, k.pointer)
		}
	}
	return out
}

// counted finds a count of the items for which a boolean is true, as "remoteCount".
func (c *computation) counted(list *value) (Source, bool) {
	v := c.leaf
	if !hasWord(v.member.words, "count") && !slices.Contains(v.member.words, "number") {
		return Source{}, false
	}
	n := map[*member]int{}
	at := map[*member][]string{}
	for _, item := range list.kids {
		for _, k := range item.kids {
			if b, ok := k.raw.(bool); ok && b {
				if _, ok := c.report.Sources[k.pointer]; ok {
					n[k.member]++
					at[k.member] = append(at[k.member], k.pointer)
				}
			}
		}
	}
	for m, count := range n {
		if float64(count) == c.want && slices.ContainsFunc(m.words, func(w string) bool { return hasWord(v.member.words, w) }) {
			return c.derived("count", at[m])
		}
	}
	return Source{}, false
}

// elapsed finds the time between two times of the same object, in minutes.
func (c *computation) elapsed() (Source, bool) {
	var times []int
	var at []string
	for _, k := range c.leaf.parent.kids {
		s, ok := k.raw.(string)
		if !ok {
			continue
		}
		if _, ok := c.report.Sources[k.pointer]; !ok {
			continue
		}
		s = normalize(s)
		for _, m := range momentsIn(s, tokenize(s, nil), c.page.now) {
			if m.kind == timeMoment {
				times = append(times, m.seconds)
				at = append(at, k.pointer)
				break
			}
		}
	}
	for i := range times {
		for j := range times {
			d := (times[j] - times[i] + 86400) % 86400
			if i != j && (float64(d/60) == c.want || float64(d)/3600 == c.want) {
				return c.derived("time between", []string{at[i], at[j]})
			}
		}
	}
	return Source{}, false
}

// none grounds an empty text where the page says that there is none.
func (c *checker) none(v *value, h *home) {
	if c.noneFor(v, h) {
		return
	}
	c.refuse(v, "empty, but the page does not say that there is none; give what stands there, or null")
}

// nothingFound is how pages say that a list has no entries.
var nothingFound = regexp.MustCompile(`^(?:(?:sorry, )?(?:there (?:are|were) )?no (?:\w+ )?(?:results?|matches|items|products|entries|records|data|hits)\b|nothing (?:was )?found|0 results|keine (?:ergebnisse|treffer|einträge)|aucun (?:résultat|article)|sin resultados|nessun risultato|geen resultaten|no rows|검색 결과가 없|該当する.*ありません|没有(?:找到)?结果|لا توجد نتائج|לא נמצאו)`)

// noneFor finds an empty field or cell, or a word for nothing, that is called
// as the member is.
func (c *checker) noneFor(v *value, h *home) bool {
	p := c.page
	if h == nil || h.record < 0 || h.hi-h.lo > 60_000 {
		return false
	}
	ok := false
	at := int32(-1)
	line := int32(-1)
	_, number := v.raw.(json.Number)
	c.linesIn(h, v.member, func(l int32) {
		text := strings.TrimSpace(p.lines[l].text)
		e := p.lines[l].pieces[0].elem
		if !ok && number && h.record == 0 && len(text) < 200 && nothingFound.MatchString(text) && (hasWord(v.member.words, "total") || hasWord(v.member.words, "count") || hasWord(v.member.words, "number") || hasWord(v.member.words, "result")) {
			ok, at, line = true, e, l
		}
		if ok || len(text) > 40 {
			return
		}
		cap := p.captionOf(e, 0)
		blank := blanks[text]
		if !blank && number {
			// "No comments", "Free shipping", "be the first to reply".
			words := labelWords(text)
			first := ""
			if toks := tokenize(text, nil); len(toks) > 0 {
				first = text[toks[0].start:toks[0].end]
			}
			if (first == "no" || first == "keine" || first == "free" || first == "kein" || first == "kostenloser" || first == "gratis" || first == "aucun" || first == "sin") && len(words) <= 4 {
				for _, w := range words {
					if hasWord(v.member.words, w) {
						ok, at, line = true, e, l
						return
					}
				}
			}
		}
		if i := strings.LastIndexByte(text, ':'); !blank && i > 0 && blanks[strings.TrimSpace(text[i+1:])] {
			blank = true
			cap.sure = append(cap.sure, labelWords(text[:i])...)
		}
		if !blank {
			return
		}
		if text == "free" || text == "gratis" || text == "kostenlos" || text == "gratuit" || text == "無料" || text == "免费" || text == "مجاني" || text == "חינם" {
			if number && money(v.member) {
				ok, at, line = true, e, l
				return
			}
		}
		if likeness(v.member, cap.sure) > 0.2 || likeness(v.member, cap.hint) > 0.2 {
			ok, at, line = true, e, l
		}
	})
	if !ok {
		for e := h.lo; e < h.hi && !ok; e++ {
			switch p.tag(e) {
			case "input", "textarea", "select":
				n := p.node(e)
				if s := p.elems[e].seen; s >= 0 && n.Value == "" && likeness(v.member, labelWords(p.snap.Nodes[s].Name)) > 0.2 {
					ok, at = true, e
				}
			case "td", "dd":
				if p.elems[e].facts == 0 && p.elems[e].visible && (h.run || c.reachable(e, h, v.member)) {
					cap := p.captionOf(e, 0)
					if likeness(v.member, cap.sure) > 0.2 {
						ok, at = true, e
					}
				}
			}
		}
	}
	if !ok {
		return false
	}
	s := Source{Kind: Empty, Frame: c.frame(at)}
	s.Ref, _ = p.ref(at)
	if line >= 0 {
		s.Text = p.lines[line].text
	}
	c.report.Sources[v.pointer] = s
	return true
}
