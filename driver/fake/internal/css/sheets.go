package css

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/dom"
	"github.com/wayfinder-engine/wayfinder/driver/fake/internal/form"
)

// The Sheets of a document say how its elements look, by the rules of the page and
// of the browser.
type Sheets struct {
	form.State
	Source  Source
	Scripts bool                    // they run: noscript shows nothing
	rules   map[*html.Node]*ruleSet // by the root of their tree, once they are read

	// Containers are the sizes that container queries ask about, as a layout
	// without them, or with those of another size, gave them.
	Containers map[*html.Node]Container
	queried    bool // a rule asks about containers
}

// A Source is what style sheets depend on besides the tree and the state of controls.
type Source interface {
	// Medium is what shows the document.
	Medium() Medium
	// Linked is the text of a style sheet that a link element names.
	Linked(*html.Node) string
	// ReflectAll writes the live state into the attributes that selectors see.
	ReflectAll()
}

// A ruleSet is the style rules of one tree, by what an element must have to match.
type ruleSet struct {
	keyed     map[string][]rule // by rule.key; under "" those that any element may match
	pseudo    bool              // a rule makes ::before or ::after
	live      bool              // a rule asks for live state
	hover     bool              // for the pointer
	state     bool              // for another state
	has       []hasMark
	keyframes map[string]string
	sources   []string // in lower case
}

// Reread has the rules read anew.
func (all *Sheets) Reread() {
	all.rules = make(map[*html.Node]*ruleSet)
	all.queried = false
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

// Keyframes is the body of the keyframes of a name, in the tree of n; empty if there are none.
func (all *Sheets) Keyframes(n *html.Node, name string) string {
	return all.of(dom.TopOf(n)).keyframes[name]
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

// of returns the rules that apply in the tree of root: in one that is not in the
// document, those of the document.
func (all *Sheets) of(root *html.Node) *ruleSet {
	if all.Roots[root] == nil {
		root = all.Root
	}
	own := all.rules[root]
	if own == nil {
		own = all.read(root)
		all.rules[root] = own
	}
	return own
}

var noRules = &ruleSet{}

func (all *Sheets) read(root *html.Node) *ruleSet {
	var out *ruleSet
	order, layers := 0, &layer{}
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
		if media := dom.Attr(n, "media"); text == "" || media != "" && !mediaMatches(dom.Lower(media), all.Source.Medium()) {
			continue
		}
		if out == nil {
			out = &ruleSet{keyed: make(map[string][]rule), keyframes: make(map[string]string)}
		}
		out.sources = append(out.sources, dom.Lower(text))
		rules, keyframes := parseSheet(text, all.Source.Medium(), order, layers)
		order += len(rules)
		maps.Copy(out.keyframes, keyframes)
		for _, r := range rules {
			all.queried = all.queried || len(r.within) > 0
			out.add(r)
		}
	}
	if out == nil {
		return noRules
	}
	layers.settle()
	return out
}

// matching collects the rules that apply to n, weakest first.
func (all *Sheets) matching(n *html.Node, pseudo string) []*rule {
	var out []*rule
	all.of(dom.TopOf(n)).candidates(n, func(r *rule) {
		if r.pseudo == pseudo && r.sel.Match(n) && !slices.ContainsFunc(r.within, func(q *containerQuery) bool { return !all.answers(q, n) }) {
			out = append(out, r)
		}
	})
	slices.SortStableFunc(out, func(a, b *rule) int {
		return cmp.Or(a.layer.rank-b.layer.rank, slices.Compare(a.weight[:], b.weight[:]), a.order-b.order)
	})
	return out
}

// answers asks the nearest container of the query's name.
func (all *Sheets) answers(q *containerQuery, n *html.Node) bool {
	if len(all.Containers) == 0 {
		return false
	}
	for up := all.Up(n); up != nil; up = all.Up(up) {
		c, ok := all.Containers[up]
		if !ok || q.name != "" && !strings.Contains(" "+c.Name+" ", " "+q.name+" ") {
			continue
		}
		return q.text == "" || condition(q.text, func(name, inside string) bool { return name == "" && c.answers(inside) })
	}
	return false
}

// Queried reports that a rule asks about the sizes of containers.
func (all *Sheets) Queried() bool {
	all.anySet(func(*ruleSet) bool { return false }) // has them read
	return all.queried
}

// reflectHas writes the marks that the sheets of each tree ask for.
func (all *Sheets) reflectHas() {
	markAll(all.of(all.Root).has, all.Root)
	for _, s := range all.Shadows {
		markAll(all.of(s.Root).has, s.Root)
	}
}

// initial is the style that an element has by its name and attributes.
func (all *Sheets) initial(n *html.Node, s *Style) {
	if n.Namespace != "" {
		foreignInitial(n, s)
		return
	}
	for _, r := range userAgent()[n.Data] {
		if r.sel.Match(n) {
			for _, d := range r.decls {
				properties[d.property].set(s, d.value)
			}
		}
	}
	switch n.Data {
	case "ul", "ol", "menu", "dir", "li":
		listInitial(n, s)
	case "dialog":
		if c := all.Inputs[n]; c != nil && c.Modal && dom.Has(n, "open") {
			s.Position = "fixed"
			s.Top, s.Bottom = Length{0, 'p'}, Length{0, 'p'}
			s.OverflowX, s.OverflowY = "auto", "auto"
		}
	}
	if dom.Has(n, "popover") {
		all.popoverInitial(n, s)
	}
}

func (all *Sheets) popoverInitial(n *html.Node, s *Style) {
	c := all.Inputs[n]
	if c == nil || !c.Popover {
		if !(n.Data == "dialog" && dom.Has(n, "open")) {
			s.Display = "none"
		}
		return
	}
	if s.Display == "none" {
		s.Display = "block"
	}
	s.Position = "fixed"
	s.Padding, s.Border = edges{4, 4, 4, 4}, 2
	s.Left, s.Right, s.Top, s.Bottom = Length{0, 'p'}, Length{0, 'p'}, Length{0, 'p'}, Length{0, 'p'}
}

func (s *ruleSet) add(r rule) {
	s.live = s.live || r.live
	if r.live {
		text := r.sel.String()
		hover := strings.Count(text, "hover") + strings.Count(text, "active")
		s.hover = s.hover || hover > 0
		s.state = s.state || strings.Count(text, `[\20 `)+strings.Count(text, "[ ") > hover
	}
	s.has = appendMarks(s.has, r.has)
	s.pseudo = s.pseudo || r.pseudo == "::before" || r.pseudo == "::after"
	s.keyed[r.key] = append(s.keyed[r.key], r)
}

// candidates calls f with the rules whose key n has.
func (s *ruleSet) candidates(n *html.Node, f func(*rule)) {
	each := func(rules []rule) {
		for i := range rules {
			f(&rules[i])
		}
	}
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
	each(s.keyed[""])
}
