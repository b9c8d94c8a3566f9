package grounding

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
)

// A verdict is what the page says to a question, and on what ground.
type verdict struct {
	known, yes bool
	part       bool // the words stand among others, which may deny them
	kind       Kind
	elem, line int32 // line -1: no text
	how        string
}

// ask answers a member's question from a home.
func (c *reader) ask(m *member, h *home) verdict {
	d := c.control(m, h)
	if !d.known {
		d = c.cell(m, h)
	}
	if !d.known {
		d = c.wording(m, h)
	}
	return d
}

// control reads the state of the control that is called as the member is, best of all.
func (c *reader) control(m *member, h *home) (best verdict) {
	p := c.page
	most := silent
	for e := h.lo; e < h.hi; e++ {
		s := p.Elems[e].Seen
		if s < 0 {
			continue
		}
		n := &p.Snap.Nodes[s]
		yes, ok := stateOf(n, m)
		if !ok || !c.reachable(e, h) {
			continue
		}
		label := pagedata.LabelWords(n.Name)
		if len(label) == 0 {
			label = c.caption(e, -1).Sure
		}
		if q := max(quality(m, label), quality(m, p.LabelOf(p.Rec.All[p.Elems[e].Record].Head))); q > most {
			most, best = q, verdict{known: true, yes: yes, kind: State, elem: e, line: -1, how: "state"}
		}
	}
	return best
}

// stateOf is the yes or no of a control.
func stateOf(n *accessibility.Node, m *member) (yes, ok bool) {
	switch n.Role {
	case "row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "treeitem":
		if !pagedata.HasWord(m.words, "selected") && !pagedata.HasWord(m.words, "checked") { // that a row is selected says nothing of what it tells
			return false, false
		}
	}
	state := cmp.Or(n.States.Checked, n.States.Pressed, n.States.Selected)
	return state == accessibility.On, state != accessibility.Unset
}

// cell reads a labelled value that says yes or no.
func (c *reader) cell(m *member, h *home) (best verdict) {
	p := c.page
	top := silent
	c.linesIn(h, func(l int32) {
		text, e := strings.TrimSpace(p.Lines[l].Text), p.Lines[l].Pieces[0].Elem
		i := strings.LastIndexByte(text, ':')
		yes, ok := pagedata.Answers[strings.Trim(text[i+1:], ".!() ")]
		if !ok || len(text) > 40 {
			return
		}
		if q := quality(m, slices.Concat(c.caption(e, 0).Sure, pagedata.LabelWords(text[:i+1]))); q > top {
			top, best = q, verdict{known: true, yes: yes, kind: Text, elem: e, line: l, how: "cell"}
		}
	})
	return best
}

// questions are verbs of a member's name that ask: "isFeatured" asks "featured".
var questions = pagedata.SetOfWords("is are was has have can")

// wording finds the member's own words in a home: "featured", "sold out".
func (c *reader) wording(m *member, h *home) verdict {
	words := slices.DeleteFunc(pagedata.SplitName(m.name), func(w string) bool { return questions[w] })
	if len(words) == 0 {
		return verdict{}
	}
	said := strings.Join(words, " ")
	for _, pl := range c.within(c.find.once(m, phrase(said), func() []place { return c.find.text(said) }), h) {
		if pl.line >= 0 && !pl.option && c.reachable(pl.elem, h) {
			denied := c.denied(pl)
			return verdict{known: true, yes: !denied, part: !denied && !c.whole(&pl), kind: Text, elem: pl.elem, line: pl.line, how: "words"}
		}
	}
	return verdict{}
}

// denied reports whether a no stands beside a place: a mark or a word before it, or one
// of the first two words behind it.
func (c *reader) denied(pl place) bool {
	l := &c.page.Lines[pl.line]
	before := strings.TrimRight(l.Text[:pl.at], " ")
	if r, _ := utf8.DecodeLastRuneInString(before); r != '-' && before != "" && !unicode.IsLetter(r) {
		if yes, ok := pagedata.Answers[string(r)]; ok {
			return !yes
		}
	}
	if yes, ok := pagedata.Answers[before[strings.LastIndexByte(before, ' ')+1:]]; ok && !yes {
		return true
	}
	if pl.end >= 0 {
		rest, _, _ := strings.Cut(l.Text[pl.end:], ".")
		words := strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune(" :,;", r) })
		for _, w := range words[:min(2, len(words))] {
			if yes, ok := pagedata.Answers[w]; ok {
				return !yes
			}
		}
	}
	return false
}
