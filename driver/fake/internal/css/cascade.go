// Package css computes styles: selectors, style sheets, the browser's own sheet
// and the cascade.
package css

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// A Styler computes styles for one view, and makes equal ones the same.
type Styler struct {
	all    *Sheets
	equal  map[Style]*Style
	plain  map[plainKey]*Style
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
	st.plains = !all.anySet(func(s *ruleSet) bool { return s != noRules })
	if all.anySet(func(s *ruleSet) bool { return s.live }) {
		all.Source.ReflectAll()
		all.reflectHas()
	}
	return st
}

var RootStyle = &Style{
	Style: driver.Style{Display: "block", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto",
		Content: "normal", ContentVisibility: "visible", Interactivity: "auto"},
	OverflowX: "visible", OverflowY: "visible", Transform: "none", WhiteSpace: "normal", Direction: "row", ListStyle: "disc",
}

// Inherit begins a style below parent.
func Inherit(parent *Style) Style {
	s := *RootStyle
	s.Display = "inline"
	s.Visibility, s.PointerEvents, s.Cursor, s.Interactivity = parent.Visibility, parent.PointerEvents, parent.Cursor, parent.Interactivity
	s.Transform, s.WhiteSpace = parent.Transform, parent.WhiteSpace
	s.ListStyle, s.listDepth, s.ListInside = parent.ListStyle, parent.listDepth, parent.ListInside
	s.vars = parent.vars
	s.Security, s.Vanished, s.Tiny = parent.Security, parent.Vanished, parent.Tiny
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
	browser := s
	hint(n, &s)
	var own []declaration
	if styled {
		own = parseDeclarations(inline)
	}
	s.cascade(rules, own, parent, browser)
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
	case "input", "dialog", "embed", "summary", "details", "audio", "html":
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

// strictest returns rules in the order in which their important declarations apply: of
// two layers the one that is weaker otherwise is stronger (css-cascade-5 §6.4.3).
func strictest(rules []*rule) []*rule {
	if !slices.ContainsFunc(rules, func(r *rule) bool { return r.layer != rules[0].layer }) {
		return rules
	}
	return slices.SortedStableFunc(slices.Values(rules), func(a, b *rule) int { return b.layer.rank - a.layer.rank })
}

// A cascade is the computation of one style.
type cascade struct {
	*Style
	parent  *Style
	browser Style // as the browser's own sheet has it, for revert
	below   Style // as the weaker layers have it, for revert-layer
}

func (c *cascade) apply(decls []declaration, important bool) {
	s := c.Style
	for i := range decls {
		d := &decls[i]
		if d.important != important || d.custom() {
			continue
		}
		value := d.value
		if d.refers {
			var ok bool
			if value, ok = s.vars.substitute(value); !ok {
				c.keyword(d.property, "unset")
				continue
			}
			if d.property != "content" {
				value = dom.Lower(value)
			}
		}
		if p := properties[d.property]; !c.keyword(d.property, value) && p.set != nil {
			p.set(s, value)
		}
	}
}

// keyword gives a property the value that a keyword of all properties stands for
// (css-cascade-5 §7.3), and reports whether it is one.
func (c *cascade) keyword(name, value string) bool {
	from := &initialStyle
	switch value {
	case "initial", "unset":
	case "inherit":
		from = c.parent
	case "revert":
		from = &c.browser
	case "revert-layer":
		from = &c.below
	default:
		return false
	}
	take := func(p property) {
		switch {
		case p.take == nil:
		case value == "unset" && p.inherited:
			p.take(c.Style, c.parent)
		default:
			p.take(c.Style, from)
		}
	}
	if name != "all" {
		take(properties[name])
		return true
	}
	for _, p := range properties {
		take(p)
	}
	return true
}

// initialStyle holds the initial values of properties.
var initialStyle = func() Style {
	s := *RootStyle
	s.Display = "inline"
	return s
}()

// blockDisplays are what displays become where a block must stand.
var blockDisplays = map[string]string{"inline": "block", "inline-block": "block", "inline-flex": "flex", "inline-grid": "grid", "inline-table": "table"}

// fix makes blocks of what must be one.
func (st *Styler) fix(n *html.Node, s *Style, parent *Style) {
	if s.Display == "contents" && dom.IsElement(n, "br", "wbr", "meter", "progress", "canvas", "embed", "object", "audio", "iframe", "img",
		"video", "frame", "frameset", "input", "textarea", "select") {
		s.Display = "none" // there is nothing in it that could stand without its box
	}
	switch {
	case n.Namespace != "":
	case n.Data == "noscript" && st.all.Scripts, n.Data == "embed" && !dom.Has(n, "src") && !dom.Has(n, "type"),
		n.Data == "input" && form.InputType(n) == "hidden":
		s.Display = "none" // whatever a page says
	case s.Display == "inline" && dom.IsElement(n, "button", "input", "select", "textarea", "meter", "progress"):
		s.Display = "inline-block"
	}
	item := strings.HasSuffix(parent.Display, "flex") || strings.HasSuffix(parent.Display, "grid")
	out := s.Position == "absolute" || s.Position == "fixed" || s.Float
	if item || out || n.Data == "html" {
		s.Display = cmp.Or(blockDisplays[s.Display], s.Display)
	}
	if s.Display == "inline" && !dom.IsElement(n, "img", "canvas", "video", "audio", "iframe", "object", "embed", "svg") {
		s.Vanished = parent.Vanished // it cannot be transformed (css-transforms-1 §2)
	}
}

// same returns the one value that equals s.
func (st *Styler) same(s Style) *Style {
	if have := st.equal[s]; have != nil {
		return have
	}
	have := new(s)
	st.equal[s] = have
	return have
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
	browser := s
	s.cascade(rules, nil, parent, browser)
	if s.Content == "none" || s.Content == "normal" || s.Display == "none" {
		return nil
	}
	st.fix(&html.Node{Data: pseudo}, &s, parent)
	return st.same(s)
}
