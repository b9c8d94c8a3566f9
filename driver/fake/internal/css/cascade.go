// Package css computes styles: selectors, style sheets, the browser's own sheet
// and the cascade.
package css

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// matching collects the rules that apply to n, weakest first.
func (all *Sheets) matching(n *html.Node, pseudo string) []*rule {
	top := dom.TopOf(n)
	var out []*rule
	take := func(r *rule) {
		if r.pseudo == pseudo && r.sel.Match(n) {
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
	st.plains = all.of(all.Root) == noRules
	live := all.main.live
	for _, s := range all.Shadows {
		own := all.of(s.Root)
		st.plains = st.plains && own == noRules
		live = live || own.live
	}
	if live {
		all.Source.ReflectAll()
	}
	return st
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
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			apply(&s, r.decls, important, parent)
		}
		apply(&s, own, important, parent)
	}
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

func apply(s *Style, decls []declaration, important bool, parent *Style) {
	for _, d := range decls {
		if d.important != important {
			continue
		}
		switch d.value {
		case "inherit", "unset", "revert":
			s.inheritOne(d.property, parent, d.value == "inherit")
		case "initial":
			s.inheritOne(d.property, RootStyle, true)
		default:
			s.set(d.property, d.value)
		}
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
	if have := st.equal[s]; have != nil {
		return have
	}
	have := new(Style)
	*have = s
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
	for _, important := range []bool{false, true} {
		for _, r := range rules {
			apply(&s, r.decls, important, parent)
		}
	}
	if s.Content == "none" || s.Content == "normal" || s.Display == "none" {
		return nil
	}
	st.fix(&html.Node{Data: pseudo}, &s, parent)
	return st.same(s)
}

// The Sheets of a document say how its elements look, by the rules of the page and
// of the browser.
type Sheets struct {
	form.State
	Source  Source
	Scripts bool // they run: noscript shows nothing
	main    *ruleSet
	shadow  map[*dom.ShadowRoot]*ruleSet
}

// A Source is what style sheets depend on besides the tree and the state of controls.
type Source interface {
	// Viewport is the size of what shows the document.
	Viewport() driver.Size
	// Linked is the text of a style sheet that a link element names.
	Linked(*html.Node) string
	// ReflectAll writes the live state into the attributes that selectors see.
	ReflectAll()
}

// Reread has the rules read anew.
func (all *Sheets) Reread() {
	all.main = nil
	clear(all.shadow)
}

// anySet reports that a rule set of the document has a property.
func (all *Sheets) anySet(has func(*ruleSet) bool) bool {
	if has(all.of(all.Root)) {
		return true
	}
	for _, s := range all.Shadows {
		if has(all.of(s.Root)) {
			return true
		}
	}
	return false
}

// UsesHover reports that a rule asks for the pointer.
func (all *Sheets) UsesHover() bool { return all.anySet(func(s *ruleSet) bool { return s.hover }) }

// UsesState reports that a rule asks for the state of a control.
func (all *Sheets) UsesState() bool { return all.anySet(func(s *ruleSet) bool { return s.state }) }

// Generates reports that a rule for the tree of n makes ::before or ::after.
func (all *Sheets) Generates(n *html.Node) bool { return all.of(dom.TopOf(n)).pseudo }

// Keyframes is the body of the keyframes of a name, in the tree of n.
func (all *Sheets) Keyframes(n *html.Node, name string) (string, bool) {
	body, ok := all.of(dom.TopOf(n)).keyframes[name]
	return body, ok
}

// A ruleSet is the style rules of one tree, by what an element must have to match.
type ruleSet struct {
	keyed     map[string][]rule
	any       []rule
	host      []rule
	slotted   []rule
	pseudo    bool // a rule makes ::before or ::after
	live      bool // a rule asks for live state
	hover     bool // for the pointer
	state     bool // for another state
	keyframes map[string]string
	sources   []string // in lower case
}

// of returns the rules that apply in the tree of root.
func (all *Sheets) of(root *html.Node) *ruleSet {
	if shadow := all.Roots[root]; shadow != nil {
		own := all.shadow[shadow]
		if own == nil {
			if all.shadow == nil {
				all.shadow = make(map[*dom.ShadowRoot]*ruleSet)
			}
			own = all.read(root)
			all.shadow[shadow] = own
		}
		return own
	}
	if all.main == nil {
		all.main = all.read(all.Root)
	}
	return all.main
}

var noRules = &ruleSet{}

func (all *Sheets) read(root *html.Node) *ruleSet {
	var out *ruleSet
	order := 0
	for n := root; n != nil; n = dom.Next(n, root) {
		if n.Type != html.ElementNode || n.Data != "style" && n.Data != "link" {
			continue
		}
		text := ""
		if n.Data == "style" {
			text = dom.TextOf(n)
		} else {
			text = all.Source.Linked(n)
		}
		if media := dom.Attr(n, "media"); text == "" || media != "" && !mediaMatches(dom.Lower(media), all.Source.Viewport()) {
			continue
		}
		if out == nil {
			out = &ruleSet{keyed: make(map[string][]rule)}
		}
		out.sources = append(out.sources, dom.Lower(text))
		rules, keyframes := parseSheet(text, all.Source.Viewport(), order)
		order += len(rules)
		for name, body := range keyframes {
			if out.keyframes == nil {
				out.keyframes = make(map[string]string)
			}
			out.keyframes[name] = body
		}
		for _, r := range rules {
			out.add(r)
		}
	}
	if out == nil {
		return noRules
	}
	return out
}

// StyledBy reports whether an attribute may change how something looks. Of data-
// and aria- the page's sheets alone know: in a selector, or in a text's content.
func (all *Sheets) StyledBy(name string) bool {
	if !strings.HasPrefix(name, "data-") && !strings.HasPrefix(name, "aria-") {
		return true
	}
	return all.anySet(func(s *ruleSet) bool {
		return slices.ContainsFunc(s.sources, func(source string) bool { return strings.Contains(source, name) })
	})
}

func (s *ruleSet) add(r rule) {
	s.live = s.live || r.live
	if r.live {
		text := r.sel.String()
		hover := strings.Count(text, "hover") + strings.Count(text, "active")
		s.hover = s.hover || hover > 0
		s.state = s.state || strings.Count(text, `[\20 `)+strings.Count(text, "[ ") > hover
	}
	s.pseudo = s.pseudo || r.pseudo == "::before" || r.pseudo == "::after"
	switch {
	case r.host:
		s.host = append(s.host, r)
	case r.slot:
		s.slotted = append(s.slotted, r)
	case r.key == "":
		s.any = append(s.any, r)
	default:
		s.keyed[r.key] = append(s.keyed[r.key], r)
	}
}

// candidates calls f with the rules whose key n has.
func (s *ruleSet) candidates(n *html.Node, f func(*rule)) {
	each := func(rules []rule) {
		for i := range rules {
			f(&rules[i])
		}
	}
	if len(s.keyed) > 0 {
		each(s.keyed[n.Data])
		for i := range n.Attr {
			switch a := &n.Attr[i]; a.Key {
			case "id":
				each(s.keyed["#"+a.Val])
			case "class":
				for _, c := range strings.Fields(a.Val) {
					each(s.keyed["."+c])
				}
			}
		}
	}
	each(s.any)
}
