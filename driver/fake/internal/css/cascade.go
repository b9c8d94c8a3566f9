// Package css computes styles: selectors, style sheets, the browser's own sheet
// and the cascade.
package css

import (
	"slices"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
)

// A Styler computes styles for one view, and makes equal ones the same.
type Styler struct {
	all    *Sheets
	equal  map[Style]*Style
	plain  map[plainKey]*Style
	rares  map[Rare]*Rare
	plains bool // no tree of the document has rules
}

// plainKey finds the style of an element to which no rule applies.
type plainKey struct {
	parent *Style
	name   string
	link   bool
}

func NewStyler(all *Sheets) *Styler {
	st := &Styler{all: all, equal: make(map[Style]*Style), plain: make(map[plainKey]*Style)}
	st.plains = all.of(all.Root) == noRules
	live := all.main.live
	for _, s := range all.Shadows {
		own := all.of(s.Root)
		st.plains = st.plains && own == noRules
		live = live || own.live
	}
	if live {
		all.Source.ReflectAll()
		all.reflectHas()
	}
	return st
}

// matching collects the rules that apply to n, weakest first.
func (all *Sheets) matching(n *html.Node, pseudo string) []*rule {
	top := dom.TopOf(n)
	var out []*rule
	take := func(r *rule) {
		if r.pseudo == pseudo && r.sel.Match(n) && all.fits(r.within, n) {
			out = append(out, r)
		}
	}
	if s := all.Shadows[n]; s != nil {
		own := all.of(s.Root)
		for i := range own.host {
			take(&own.host[i])
		}
		out = sorted(out, 0)
	}
	if n.Parent != nil {
		if s := all.Shadows[n.Parent]; s != nil {
			from := len(out)
			own := all.of(s.Root)
			for i := range own.slotted {
				take(&own.slotted[i])
			}
			out = sorted(out, from)
		}
	}
	from := len(out)
	all.of(top).candidates(n, take)
	return sorted(out, from)
}

func sorted(rules []*rule, from int) []*rule {
	slices.SortStableFunc(rules[from:], func(a, b *rule) int {
		for i := range a.weight {
			if a.weight[i] != b.weight[i] {
				return a.weight[i] - b.weight[i]
			}
		}
		return a.order - b.order
	})
	return rules
}

var RootStyle = &Style{
	Style: driver.Style{Display: "block", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto",
		Content: "normal", ContentVisibility: "visible"},
	OverflowX: "visible", OverflowY: "visible", Transform: "none", WhiteSpace: "normal", Direction: "row", ListStyle: "disc",
}

// Inherit begins a style below parent.
func Inherit(parent *Style) Style {
	s := *RootStyle
	s.Display = "inline"
	s.Visibility, s.PointerEvents, s.Cursor = parent.Visibility, parent.PointerEvents, parent.Cursor
	s.Transform, s.WhiteSpace = parent.Transform, parent.WhiteSpace
	s.ListStyle, s.listDepth, s.ListInside = parent.ListStyle, parent.listDepth, parent.ListInside
	s.vars = parent.vars
	if r := parent.Rare; r != nil && (r.Security != "" || r.Vanished || r.Tiny) {
		s.Rare = &Rare{Security: r.Security, Vanished: r.Vanished, Tiny: r.Tiny}
	}
	return s
}

// Style computes the style of an element.
func (st *Styler) Style(n *html.Node, parent *Style) *Style {
	var rules []*rule
	if !st.plains {
		rules = st.all.matching(n, "")
	}
	inline, styled := dom.Lookup(n, "style")
	key := plainKey{parent: parent, name: n.Data}
	simple := len(rules) == 0 && !styled && n.Namespace == "" && st.simple(n, &key)
	if simple {
		if s := st.plain[key]; s != nil {
			return s
		}
	}
	s := Inherit(parent)
	st.all.initial(n, &s)
	var own []declaration
	if styled {
		own = parseDeclarations(inline)
	}
	s.cascade(rules, own, parent)
	st.fix(n, &s, parent)
	out := st.same(s)
	if simple {
		st.plain[key] = out
	}
	return out
}

// simple reports that the element's own style depends on nothing but the key.
func (st *Styler) simple(n *html.Node, key *plainKey) bool {
	switch n.Data {
	case "input", "dialog", "summary", "details", "audio", "html":
		return false
	case "a", "area":
		key.link = dom.Has(n, "href")
	}
	for i := range n.Attr {
		if k := n.Attr[i].Key; k == "hidden" || k == "popover" || k == "type" && dom.IsElement(n, "ul", "ol", "li") {
			return false
		}
	}
	return true
}

// cascade applies the declarations of rules, weakest first, and of the element
// itself: custom properties before those that may refer to them.
func (s *Style) cascade(rules []*rule, own []declaration, parent *Style) {
	s.define(rules, own, parent)
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			apply(s, r.decls, important, parent)
		}
		apply(s, own, important, parent)
	}
}

func apply(s *Style, decls []declaration, important bool, parent *Style) {
	for i := range decls {
		d := &decls[i]
		if d.important != important || d.custom() {
			continue
		}
		value := d.value
		if d.refers {
			var ok bool
			if value, ok = s.vars.substitute(value); !ok {
				s.unset(d.property, parent)
				continue
			}
			if d.property != "content" {
				value = dom.Lower(value)
			}
		}
		switch value {
		case "inherit", "unset", "revert":
			s.inheritOne(d.property, parent, value == "inherit")
		case "initial":
			s.inheritOne(d.property, RootStyle, true)
		default:
			s.set(d.property, value)
		}
	}
}

// unset is for a value that turns out to be none when its variables are there.
func (s *Style) unset(property string, parent *Style) {
	s.inheritOne(property, parent, false)
	switch property {
	case "display":
		s.Display = "inline"
	case "position":
		s.Position = "static"
	case "content":
		s.Content = "normal"
	}
}

func (s *Style) inheritOne(property string, parent *Style, all bool) {
	switch property {
	case "visibility":
		s.Visibility = parent.Visibility
	case "pointer-events":
		s.PointerEvents = parent.PointerEvents
	case "cursor":
		s.Cursor = parent.Cursor
	case "text-transform":
		s.Transform = parent.Transform
	case "white-space":
		s.WhiteSpace = parent.WhiteSpace
	case "display":
		if all {
			s.Display = parent.Display
			if parent == RootStyle {
				s.Display = "inline"
			}
		}
	}
}

// fix makes blocks of what must be one.
func (st *Styler) fix(n *html.Node, s *Style, parent *Style) {
	if s.Display == "contents" && dom.IsElement(n, "br", "wbr", "meter", "progress", "canvas", "embed", "object", "audio", "iframe", "img",
		"video", "frame", "frameset", "input", "textarea", "select") {
		s.Display = "none" // there is nothing in it that could stand without its box
	}
	item := parent.Display == "flex" || parent.Display == "grid" || parent.Display == "inline-flex" || parent.Display == "inline-grid"
	out := s.Position == "absolute" || s.Position == "fixed" || s.Float
	if !item && !out && n.Data != "html" {
		return
	}
	switch s.Display {
	case "inline", "inline-block":
		s.Display = "block"
	case "inline-flex":
		s.Display = "flex"
	case "inline-grid":
		s.Display = "grid"
	case "inline-table":
		s.Display = "table"
	}
}

// same returns the one value that equals s.
func (st *Styler) same(s Style) *Style {
	if s.Rare != nil {
		s.Rare = st.sameRare(*s.Rare)
	}
	if have := st.equal[s]; have != nil {
		return have
	}
	have := new(Style)
	*have = s
	st.equal[s] = have
	return have
}

func (st *Styler) sameRare(r Rare) *Rare {
	if have := st.rares[r]; have != nil {
		return have
	}
	if st.rares == nil {
		st.rares = make(map[Rare]*Rare)
	}
	st.rares[r] = &r
	return &r
}

// Generated computes the style of a pseudo-element; nil if it makes no box.
func (st *Styler) Generated(n *html.Node, pseudo string, parent *Style) *Style {
	rules := st.all.matching(n, pseudo)
	quote := dom.IsElement(n, "q")
	if len(rules) == 0 && !quote {
		return nil
	}
	s := Inherit(parent)
	s.Content = "none"
	if quote {
		s.Content = map[string]string{"::before": "open-quote", "::after": "close-quote"}[pseudo]
	}
	s.cascade(rules, nil, parent)
	if s.Content == "none" || s.Content == "normal" || s.Display == "none" {
		return nil
	}
	st.fix(&html.Node{Data: pseudo}, &s, parent)
	return st.same(s)
}
