package fake

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// matching collects the rules that apply to n, weakest first.
func (all *sheets) matching(n *html.Node, pseudo string) []*rule {
	top := topOf(n)
	var out []*rule
	take := func(r *rule) {
		if r.pseudo == pseudo && r.sel.Match(n) {
			out = append(out, r)
		}
	}
	if s := all.shadows[n]; s != nil {
		own := all.of(s.root)
		for i := range own.host {
			take(&own.host[i])
		}
		out = sorted(out, 0)
	}
	if n.Parent != nil {
		if s := all.shadows[n.Parent]; s != nil {
			from := len(out)
			own := all.of(s.root)
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

// A styler computes styles for one view, and makes equal ones the same.
type styler struct {
	all    *sheets
	equal  map[style]*style
	plain  map[plainKey]*style
	plains bool // no tree of the document has rules
}

// plainKey finds the style of an element to which no rule applies.
type plainKey struct {
	parent *style
	name   string
	link   bool
}

func newStyler(all *sheets) *styler {
	st := &styler{all: all, equal: make(map[style]*style), plain: make(map[plainKey]*style)}
	st.plains = all.of(all.root) == noRules
	live := all.main.live
	for _, s := range all.shadows {
		own := all.of(s.root)
		st.plains = st.plains && own == noRules
		live = live || own.live
	}
	if live {
		all.source.ReflectAll()
	}
	return st
}

var rootStyle = &style{
	Style: driver.Style{Display: "block", Visibility: "visible", Position: "static", PointerEvents: "auto", Cursor: "auto",
		Content: "normal", ContentVisibility: "visible"},
	overflowX: "visible", overflowY: "visible", transform: "none", whiteSpace: "normal", direction: "row", listStyle: "disc",
}

// inherit begins a style below parent.
func inherit(parent *style) style {
	s := *rootStyle
	s.Display = "inline"
	s.Visibility, s.PointerEvents, s.Cursor = parent.Visibility, parent.PointerEvents, parent.Cursor
	s.transform, s.whiteSpace = parent.transform, parent.whiteSpace
	s.listStyle, s.listDepth, s.listInside = parent.listStyle, parent.listDepth, parent.listInside
	return s
}

// style computes the style of an element.
func (st *styler) style(n *html.Node, parent *style) *style {
	var rules []*rule
	if !st.plains {
		rules = st.all.matching(n, "")
	}
	inline, styled := lookup(n, "style")
	key := plainKey{parent: parent, name: n.Data}
	simple := len(rules) == 0 && !styled && n.Namespace == "" && st.simple(n, &key)
	if simple {
		if s := st.plain[key]; s != nil {
			return s
		}
	}
	s := inherit(parent)
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
func (st *styler) simple(n *html.Node, key *plainKey) bool {
	switch n.Data {
	case "input", "dialog", "summary", "details", "audio", "html":
		return false
	case "a", "area":
		key.link = has(n, "href")
	}
	for i := range n.Attr {
		if k := n.Attr[i].Key; k == "hidden" || k == "popover" || k == "type" && isElement(n, "ul", "ol", "li") {
			return false
		}
	}
	return true
}

func apply(s *style, decls []declaration, important bool, parent *style) {
	for _, d := range decls {
		if d.important != important {
			continue
		}
		switch d.value {
		case "inherit", "unset", "revert":
			s.inheritOne(d.property, parent, d.value == "inherit")
		case "initial":
			s.inheritOne(d.property, rootStyle, true)
		default:
			s.set(d.property, d.value)
		}
	}
}

func (s *style) inheritOne(property string, parent *style, all bool) {
	switch property {
	case "visibility":
		s.Visibility = parent.Visibility
	case "pointer-events":
		s.PointerEvents = parent.PointerEvents
	case "cursor":
		s.Cursor = parent.Cursor
	case "text-transform":
		s.transform = parent.transform
	case "white-space":
		s.whiteSpace = parent.whiteSpace
	case "display":
		if all {
			s.Display = parent.Display
			if parent == rootStyle {
				s.Display = "inline"
			}
		}
	}
}

// fix makes blocks of what must be one.
func (st *styler) fix(n *html.Node, s *style, parent *style) {
	if s.Display == "contents" && isElement(n, "br", "wbr", "meter", "progress", "canvas", "embed", "object", "audio", "iframe", "img",
		"video", "frame", "frameset", "input", "textarea", "select") {
		s.Display = "none" // there is nothing in it that could stand without its box
	}
	item := parent.Display == "flex" || parent.Display == "grid" || parent.Display == "inline-flex" || parent.Display == "inline-grid"
	out := s.Position == "absolute" || s.Position == "fixed" || s.float
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
func (st *styler) same(s style) *style {
	if have := st.equal[s]; have != nil {
		return have
	}
	have := new(style)
	*have = s
	st.equal[s] = have
	return have
}

// generated computes the style of a pseudo-element; nil if it makes no box.
func (st *styler) generated(n *html.Node, pseudo string, parent *style) *style {
	rules := st.all.matching(n, pseudo)
	quote := isElement(n, "q")
	if len(rules) == 0 && !quote {
		return nil
	}
	s := inherit(parent)
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

// The sheets of a document say how its elements look, by the rules of the page and
// of the browser.
type sheets struct {
	state
	source  source2
	scripts bool // they run: noscript shows nothing
	main    *ruleSet
	shadow  map[*shadowRoot]*ruleSet
}

// A source2 is what style sheets depend on besides the tree and the state of controls.
type source2 interface {
	// Viewport is the size of what shows the document.
	Viewport() driver.Size
	// Linked is the text of a style sheet that a link element names.
	Linked(*html.Node) string
	// ReflectAll writes the live state into the attributes that selectors see.
	ReflectAll()
}

// reread has the rules read anew.
func (all *sheets) reread() {
	all.main = nil
	clear(all.shadow)
}

// anySet reports that a rule set of the document has a property.
func (all *sheets) anySet(has func(*ruleSet) bool) bool {
	if has(all.of(all.root)) {
		return true
	}
	for _, s := range all.shadows {
		if has(all.of(s.root)) {
			return true
		}
	}
	return false
}

// usesHover reports that a rule asks for the pointer.
func (all *sheets) usesHover() bool { return all.anySet(func(s *ruleSet) bool { return s.hover }) }

// usesState reports that a rule asks for the state of a control.
func (all *sheets) usesState() bool { return all.anySet(func(s *ruleSet) bool { return s.state }) }

// generates reports that a rule for the tree of n makes ::before or ::after.
func (all *sheets) generates(n *html.Node) bool { return all.of(topOf(n)).pseudo }

// keyframes is the body of the keyframes of a name, in the tree of n.
func (all *sheets) keyframes(n *html.Node, name string) (string, bool) {
	body, ok := all.of(topOf(n)).keyframes[name]
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
func (all *sheets) of(root *html.Node) *ruleSet {
	if shadow := all.roots[root]; shadow != nil {
		own := all.shadow[shadow]
		if own == nil {
			if all.shadow == nil {
				all.shadow = make(map[*shadowRoot]*ruleSet)
			}
			own = all.read(root)
			all.shadow[shadow] = own
		}
		return own
	}
	if all.main == nil {
		all.main = all.read(all.root)
	}
	return all.main
}

var noRules = &ruleSet{}

func (all *sheets) read(root *html.Node) *ruleSet {
	var out *ruleSet
	order := 0
	for n := root; n != nil; n = next(n, root) {
		if n.Type != html.ElementNode || n.Data != "style" && n.Data != "link" {
			continue
		}
		text := ""
		if n.Data == "style" {
			text = textOf(n)
		} else {
			text = all.source.Linked(n)
		}
		if media := attr(n, "media"); text == "" || media != "" && !mediaMatches(lower(media), all.source.Viewport()) {
			continue
		}
		if out == nil {
			out = &ruleSet{keyed: make(map[string][]rule)}
		}
		out.sources = append(out.sources, lower(text))
		rules, keyframes := parseSheet(text, all.source.Viewport(), order)
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

// styledBy reports whether an attribute may change how something looks. Of data-
// and aria- the page's sheets alone know: in a selector, or in a text's content.
func (all *sheets) styledBy(name string) bool {
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
