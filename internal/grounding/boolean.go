package grounding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A verdict is what the page says to a question, and on what ground.
type verdict struct {
	known, yes bool
	kind       Kind
	elem       int32 // -1 where it follows from what is missing
	how        string
	line       int32
}

// boolean holds a leaf against what the page says.
func (c *checker) boolean(v *value, h *home, raw bool) {
	if h == nil || h.record < 0 {
		c.refuse(v, "its item stands on no record of the page; leave the item out")
		return
	}
	d := c.ask(v.member, h)
	if !d.known {
		c.refuse(v, "nothing in its record says that it is %v: no word, no state", raw)
		return
	}
	if d.yes != raw {
		if d.elem < 0 {
			c.refuse(v, "%v, but %s", raw, d.how)
			return
		}
		ref, text := c.page.ref(d.elem)
		if d.line >= 0 {
			text = c.page.lines[d.line].text
		}
		c.refuse(v, "%v, but the page says otherwise at %s: %.60q", raw, ref, text)
		return
	}
	s := Source{Kind: d.kind, How: d.how}
	if d.elem >= 0 {
		s.Ref, s.Text = c.page.ref(d.elem)
		s.Frame = c.frame(d.elem)
		if d.line >= 0 {
			s.Text = c.page.lines[d.line].text
		}
	} else {
		s.Ref, _ = c.page.ref(max(h.lo, 1))
		s.Frame = c.frame(max(h.lo, 1))
	}
	c.report.Sources[v.pointer] = s
}

// ask answers a member's question from a home.
func (c *checker) ask(m *member, h *home) verdict {
	if d := c.control(m, h); d.known {
		return d
	}
	if d := c.cell(m, h); d.known {
		return d
	}
	if d := c.wording(m, h); d.known {
		return d
	}
	return c.silence(m, h)
}

// control reads the state of a control that is called as the member is, or of
// the only one of the record.
func (c *checker) control(m *member, h *home) verdict {
	p := c.page
	if h.hi-h.lo > 60_000 {
		return verdict{}
	}
	best, score := int32(-1), 0.0
	only := int32(-1)
	count := 0
	for e := h.lo; e < h.hi; e++ {
		s := p.elems[e].seen
		if s < 0 || p.elems[e].cell > 0 {
			continue
		}
		n := &p.snap.Nodes[s]
		if _, ok := stateOf(n, m); !ok || !h.run && !c.reachable(e, h, m) {
			continue
		}
		count++
		only = e
		label := labelWords(n.Name)
		if len(label) == 0 {
			label = p.captionOf(e, -1).sure
		}
		l := likeness(m, label)
		if l == 0 && len(m.about) > 0 {
			for _, w := range label {
				if hasWord(m.about, w) {
					l = max(l, 0.2)
				}
			}
		}
		if l == 0 { // "Newsletter" over a box that says "Click me"
			l = 0.9 * likeness(m, p.headWords(p.elems[e].record))
		}
		if l > score {
			best, score = e, l
		}
	}
	if best < 0 && count == 1 && h.record > 0 && (hasWord(m.words, "checked") || hasWord(m.words, "selected") || hasWord(m.words, "done") || hasWord(m.words, "completed") || hasWord(m.words, "enabled") || hasWord(m.words, "disabled") || hasWord(m.words, "active") || hasWord(m.words, "expanded") || hasWord(m.words, "pressed") || hasWord(m.words, "following") || hasWord(m.words, "favorite") || hasWord(m.words, "favourite") || hasWord(m.words, "liked") || hasWord(m.words, "starred") || hasWord(m.words, "finished")) {
		best = only
	}
	if best < 0 {
		return verdict{}
	}
	yes, _ := stateOf(&p.snap.Nodes[p.elems[best].seen], m)
	return verdict{known: true, yes: yes, kind: State, elem: best, line: -1, how: "state"}
}

// stateOf is the state of a node that a member asks for.
func stateOf(n *accessibility.Node, m *member) (yes, ok bool) {
	is := func(t accessibility.Tristate) (bool, bool) { return t == accessibility.On, t != accessibility.Unset }
	switch n.Role {
	case "row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "treeitem":
		// That a row is selected says nothing of what it tells.
		if !hasWord(m.words, "selected") && !hasWord(m.words, "expanded") && !hasWord(m.words, "checked") {
			return false, false
		}
	}
	switch {
	case hasWord(m.words, "disabled"):
		return n.States.Disabled, n.Interactive || n.States.Disabled
	case hasWord(m.words, "required"):
		return n.States.Required, n.States.Focusable || n.Interactive
	case hasWord(m.words, "expanded") || hasWord(m.words, "open"):
		if y, ok := is(n.States.Expanded); ok {
			return y, ok
		}
	}
	for _, t := range []accessibility.Tristate{n.States.Checked, n.States.Pressed, n.States.Selected} {
		if y, ok := is(t); ok {
			return y, true
		}
	}
	if hasWord(m.words, "enabled") {
		return !n.States.Disabled, n.Interactive
	}
	return false, false
}

// cell reads a cell, or another labelled value, that says yes or no.
func (c *checker) cell(m *member, h *home) verdict {
	p := c.page
	var best verdict
	top := 0.0
	check := func(e int32, l int32, text string) {
		if len(text) > 40 {
			return
		}
		yes, ok := answers[strings.Trim(text, ".!() ")]
		label := p.captionOf(e, 0)
		if i := strings.LastIndexByte(text, ':'); !ok && i > 0 {
			if yes, ok = answers[strings.Trim(text[i+1:], ". ")]; ok {
				label.sure = append(label.sure, labelWords(text[:i])...)
			}
		}
		if !ok {
			return
		}
		s := likeness(m, label.sure)
		if s == 0 {
			for _, w := range label.sure {
				if hasWord(m.about, w) {
					s = 0.2
				}
			}
		}
		if s == 0 {
			s = likeness(m, label.hint) / 2
		}
		if s > top {
			top = s
			best = verdict{known: true, yes: yes != negatedName(m, nil) || hasAny(label.sure, m), kind: Text, elem: e, line: l, how: "cell"}
			if hasAny(label.sure, m) {
				best.yes = yes
			}
		}
	}
	c.linesIn(h, m, func(l int32) {
		text, e := strings.TrimSpace(p.lines[l].text), p.lines[l].pieces[0].elem
		if strings.Count(text, ":") > 1 && len(text) < 400 { // "parking: yes. pets: no."
			for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '.' || r == ';' || r == ',' || r == '|' || r == '·' }) {
				check(e, l, strings.TrimSpace(part))
			}
		} else if len(p.lines[l].pieces) == 1 || len(text) < 40 {
			check(e, l, text)
		}
	})
	return best
}

// hasAny reports whether a label says a word of a member's name.
func hasAny(label []string, m *member) bool {
	for _, w := range label {
		if hasWord(m.words, w) {
			return true
		}
	}
	return false
}

// linesIn calls f for the lines that stand in a home.
func (c *checker) linesIn(h *home, m *member, f func(l int32)) {
	p := c.page
	each := func(lo, hi int32) {
		// Lines are in the order of their first element, but for attributes.
		i := p.firstLine(lo)
		for ; int(i) < len(p.lines); i++ {
			e := p.lines[i].pieces[0].elem
			if e >= hi {
				break
			}
			if e < lo || p.lines[i].option || !h.run && !c.reachable(e, h, m) {
				continue
			}
			f(i)
		}
	}
	each(h.lo, h.hi)
	for _, x := range h.extra {
		each(x, p.elems[x].end)
	}
}

// wording looks for set words, and for the words of the member's name.
func (c *checker) wording(m *member, h *home) verdict {
	o := c.opposition(m)
	var yes, no verdict
	find := func(phrases []string, whole bool) verdict {
		for _, phrase := range phrases {
			for _, pl := range c.inside(c.phrase(phrase), h) {
				if pl.option || pl.line < 0 || !h.run && !c.reachable(pl.elem, h, m) {
					continue
				}
				if c.long(pl, phrase) || c.disabled(pl.elem) || whole && c.negated(pl) {
					continue
				}
				return verdict{known: true, kind: Text, elem: pl.elem, line: pl.line, how: "words"}
			}
		}
		return verdict{}
	}
	if o != nil {
		no = find(o.no, false)
		if no.known {
			no.yes = negatedName(m, o)
			return no
		}
		yes = find(o.yes, true)
		if yes.known {
			yes.yes = !negatedName(m, o)
			return yes
		}
		// A button to buy that is disabled.
		return verdict{}
	}
	name := strings.Join(nameWords(m), " ")
	if name == "" {
		return verdict{}
	}
	for _, pl := range c.inside(c.phrase(name), h) {
		if pl.option || pl.line < 0 || !h.run && !c.reachable(pl.elem, h, m) {
			continue
		}
		if yes, ok := c.stated(pl); ok {
			return verdict{known: true, yes: yes, kind: Text, elem: pl.elem, line: pl.line, how: "words"}
		}
	}
	for _, pl := range c.inside(c.phrase(name), h) {
		if pl.option || pl.line < 0 || !h.run && !c.reachable(pl.elem, h, m) || c.long(pl, name) {
			continue
		}
		return verdict{known: true, yes: !c.negated(pl), kind: Text, elem: pl.elem, line: pl.line, how: "words"}
	}
	return verdict{}
}

// stated reads what a sentence says of what it begins with: "Paperless billing is on."
func (c *checker) stated(pl place) (yes, ok bool) {
	if pl.end < 0 {
		return false, false
	}
	l := &c.page.lines[pl.line]
	rest := l.text[min(int(pl.end), len(l.text)):]
	if i := strings.IndexAny(rest, ".!?;,"); i >= 0 {
		rest = rest[:i]
	}
	words := strings.Fields(rest)
	if len(words) < 2 || len(words) > 4 || !slices.ContainsFunc(words, func(w string) bool { return w == "is" || w == "ist" || w == "est" || w == "are" }) {
		return false, false
	}
	yes, ok = answers[words[len(words)-1]]
	return yes, ok
}

func (c *checker) phrase(s string) []place {
	key := textKey{as: 'p', text: s}
	list, ok := c.find.texts[key]
	if !ok {
		list = c.find.text(s)
		c.find.texts[key] = list
	}
	return list
}

// long reports whether a short phrase stands in running text, where it may mean anything.
func (c *checker) long(pl place, phrase string) bool {
	l := &c.page.lines[pl.line]
	n := int(l.end - l.first)
	return n > 14 && !strings.Contains(phrase, " ") || n > 40
}

// disabled reports whether an element is a control that cannot be used.
func (c *checker) disabled(e int32) bool {
	for i := 0; i < 4 && e > 0; i++ {
		if s := c.page.elems[e].seen; s >= 0 && c.page.elems[e].cell == 0 && c.page.snap.Nodes[s].States.Disabled {
			return true
		}
		e = c.page.elems[e].parent
	}
	return false
}

var negations = map[string]bool{"not": true, "no": true, "non": true, "nicht": true, "kein": true, "keine": true, "without": true, "ohne": true, "never": true, "pas": true, "sans": true, "sin": true, "un": true, "isn't": true, "non-": true, "לא": true, "غير": true, "не": true, "без": true, "✗": true, "✘": true, "✕": true, "❌": true, "×": true, "✖": true}

// negated reports whether the word before a place says no.
func (c *checker) negated(pl place) bool {
	p := c.page
	l := &p.lines[pl.line]
	for k := l.end - 1; k >= l.first; k-- {
		if t := p.words[k].token; t.end <= pl.at {
			w := l.text[t.start:t.end]
			if negations[w] {
				return true
			}
			if k > l.first {
				t = p.words[k-1].token
				return negations[l.text[t.start:t.end]]
			}
			return false
		}
	}
	// "remote: no" is read as a labelled value before.
	return false
}

// silence concludes from what a record does not say: no, as a rule; yes, where
// only the opposite is said, of other records.
func (c *checker) silence(m *member, h *home) verdict {
	o := c.opposition(m)
	if o != nil {
		negated := negatedName(m, o)
		said := func(phrases []string) bool {
			for _, phrase := range phrases {
				for _, pl := range c.phrase(phrase) {
					if pl.line >= 0 && !c.long(pl, phrase) && (h.record > 0 || h.holds(pl.elem, c.page)) {
						return true
					}
				}
			}
			return false
		}
		yes, no := said(o.yes), said(o.no)
		switch {
		case no && !yes:
			return verdict{known: true, yes: !negated, kind: Derived, elem: -1, line: -1, how: fmt.Sprintf("nothing here says the opposite, as %q does elsewhere", firstOf(c, o.no))}
		case yes && !no:
			return verdict{known: true, yes: negated, kind: Derived, elem: -1, line: -1, how: "nothing here says so, as other records do"}
		case o.asks[:3] == "sto" && !yes && !no:
			for _, e := range c.buttons(h) {
				if c.disabled(e) {
					return verdict{known: true, yes: negated, kind: State, elem: e, line: -1, how: "state"}
				}
			}
			return verdict{}
		}
	}
	if len(nameWords(m)) == 0 || m.name == "" {
		return verdict{}
	}
	return verdict{known: true, yes: false, kind: Derived, elem: -1, line: -1, how: "nothing here says so"}
}

func firstOf(c *checker, phrases []string) string {
	for _, s := range phrases {
		if len(c.phrase(s)) > 0 {
			return s
		}
	}
	return ""
}

// buttons are the buttons of a home.
func (c *checker) buttons(h *home) []int32 {
	var out []int32
	for e := h.lo; e < h.hi && len(out) < 8; e++ {
		if t := c.page.tag(e); t == "button" {
			out = append(out, e)
		}
	}
	return out
}

func (c *checker) frame(e int32) (frame driver.FrameID) {
	if e <= 0 || int(e) >= len(c.page.elems) {
		return frame
	}
	return c.page.snap.Capture.Documents[c.page.elems[e].doc].Frame
}
