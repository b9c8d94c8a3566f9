package fake

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

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
