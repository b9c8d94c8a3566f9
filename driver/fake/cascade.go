package fake

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// matching collects the rules that apply to n, weakest first.
func (d *document) matching(n *html.Node, pseudo string) []*rule {
	top := topOf(n)
	var out []*rule
	take := func(r *rule) {
		if r.pseudo == pseudo && r.sel.Match(n) {
			out = append(out, r)
		}
	}
	if s := d.shadows[n]; s != nil {
		for i := range d.sheetsOf(s.root).host {
			take(&s.sheets.host[i])
		}
		out = sorted(out, 0)
	}
	if n.Parent != nil {
		if s := d.shadows[n.Parent]; s != nil {
			from := len(out)
			for i := range d.sheetsOf(s.root).slotted {
				take(&s.sheets.slotted[i])
			}
			out = sorted(out, from)
		}
	}
	from := len(out)
	d.sheetsOf(top).candidates(n, take)
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
	d      *document
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

func newStyler(d *document) *styler {
	st := &styler{d: d, equal: make(map[style]*style), plain: make(map[plainKey]*style)}
	st.plains = d.sheetsOf(d.root) == noSheets
	live := d.sheets.live
	for _, s := range d.shadows {
		own := d.sheetsOf(s.root)
		st.plains = st.plains && own == noSheets
		live = live || own.live
	}
	if live {
		d.reflect(nil)
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
		rules = st.d.matching(n, "")
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
	st.d.initial(n, &s)
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
	rules := st.d.matching(n, pseudo)
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

// sheets are the style rules of one tree, by what an element must have to match.
type sheets struct {
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

// sheetsOf returns the rules that apply in the tree of root.
func (d *document) sheetsOf(root *html.Node) *sheets {
	if s := d.roots[root]; s != nil {
		if s.sheets == nil {
			s.sheets = d.readSheets(root)
		}
		return s.sheets
	}
	if d.sheets == nil {
		d.sheets = d.readSheets(d.root)
	}
	return d.sheets
}

var noSheets = &sheets{}

func (d *document) readSheets(root *html.Node) *sheets {
	var all *sheets
	order := 0
	for n := root; n != nil; n = next(n, root) {
		if n.Type != html.ElementNode || n.Data != "style" && n.Data != "link" {
			continue
		}
		text := ""
		if n.Data == "style" {
			text = textOf(n)
		} else {
			text = d.linked(n)
		}
		if media := attr(n, "media"); text == "" || media != "" && !mediaMatches(lower(media), d.viewport()) {
			continue
		}
		if all == nil {
			all = &sheets{keyed: make(map[string][]rule)}
		}
		all.sources = append(all.sources, lower(text))
		rules, keyframes := parseSheet(text, d.viewport(), order)
		order += len(rules)
		for name, body := range keyframes {
			if all.keyframes == nil {
				all.keyframes = make(map[string]string)
			}
			all.keyframes[name] = body
		}
		for _, r := range rules {
			all.add(r)
		}
	}
	if all == nil {
		return noSheets
	}
	return all
}

// styledBy reports whether an attribute may change how something looks. Of data-
// and aria- the page's sheets alone know: in a selector, or in a text's content.
func (d *document) styledBy(name string) bool {
	if !strings.HasPrefix(name, "data-") && !strings.HasPrefix(name, "aria-") {
		return true
	}
	named := func(source string) bool { return strings.Contains(source, name) }
	if slices.ContainsFunc(d.sheetsOf(d.root).sources, named) {
		return true
	}
	for _, s := range d.shadows {
		if slices.ContainsFunc(d.sheetsOf(s.root).sources, named) {
			return true
		}
	}
	return false
}

func (s *sheets) add(r rule) {
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
func (s *sheets) candidates(n *html.Node, f func(*rule)) {
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
