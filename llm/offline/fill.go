package offline

import (
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A scope is the part of a page that a value is looked for in.
type scope struct {
	page     *page
	from, to int
	facts    []fact
	record   bool   // one of a repeated group: its first link is its name
	context  string // what was asked for, in words
}

func (p *page) scope(from, to int, context string) *scope {
	return &scope{page: p, from: from, to: to, facts: p.facts(from, to), context: context}
}

// alike are names of members that mean the same as others.
var alike = map[string][]string{
	"name":        {"title", "product", "item", "label", "heading"},
	"title":       {"name", "heading", "headline"},
	"price":       {"cost", "amount", "sum", "unit price"},
	"total":       {"sum", "total price", "amount"},
	"sum":         {"total", "amount"},
	"quantity":    {"count", "number", "qty", "amount", "pieces"},
	"count":       {"quantity", "number", "found"},
	"rating":      {"stars", "score"},
	"stars":       {"rating"},
	"author":      {"by", "customer", "writer"},
	"text":        {"review", "comment", "message", "description"},
	"comment":     {"review", "text"},
	"description": {"blurb", "summary", "text"},
	"stock":       {"in stock", "available"},
	"status":      {"state", "message", "status message"},
	"message":     {"status message", "alert message"},
	"email":       {"mail", "e-mail address"},
	"phone":       {"telephone", "tel", "mobile"},
	"city":        {"town"},
	"number":      {"no", "id"},
	"id":          {"number"},
}

// readable parts a member's name as programs write it: "inStock", "order_number".
func readable(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && r >= 'A' && r <= 'Z' && name[i-1] >= 'a' && name[i-1] <= 'z' {
			b.WriteByte(' ')
		}
		if r == '_' || r == '-' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// match reports how well a label fits a member, by its name, its words for
// others of the same meaning, and its description.
func match(label, name string, f *form) int {
	best := fit(readable(name), label)
	for _, other := range alike[readable(name)] {
		if n := fit(other, label) - 15; n > best {
			best = n
		}
	}
	for _, said := range []string{f.title, f.description} {
		if said == "" || f.link && strings.HasPrefix(said, "The reference") {
			continue
		}
		if n := fit(label, said) - 10; n > best {
			best = n
		}
	}
	return best
}

// fill gives a member its value from the scope; ok is false if nothing fits.
func (s *scope) fill(name string, f *form) (any, bool) {
	switch f.kind {
	case "object":
		return s.object(name, f)
	case "array":
		return s.list(name, f)
	}
	return s.scalar(name, f)
}

// object fills an object: from the section of its name, if there is one, else from the scope as a whole.
func (s *scope) object(name string, f *form) (any, bool) {
	inner := s
	if name != "" {
		if i := s.section(readable(name)); i >= 0 {
			inner = s.page.scope(i, s.page.end[i], s.context)
		}
	}
	out, found := inner.members(f)
	return out, found > 0 || len(f.members) == 0
}

// members fills an object's members and reports how many have a value.
func (s *scope) members(f *form) (map[string]any, int) {
	out, found := map[string]any{}, 0
	taken := map[int]bool{}
	names := f.names()
	// Names first: they are surest, and what they take is no description.
	slices.SortStableFunc(names, func(a, b string) int { return order(a) - order(b) })
	for _, name := range names {
		member := f.members[name]
		v, ok := s.member(name, member, taken)
		switch {
		case ok:
			out[name] = v
			found++
		case member.nullable:
			out[name] = nil
		case member.kind == "array" && f.required[name] && !s.shows(name) && s.saysEmpty(name):
			out[name] = []any{}
		}
	}
	return out, found
}

func order(name string) int {
	switch readable(name) {
	case "name", "title":
		return 0
	case "description", "text", "summary", "blurb":
		return 2
	}
	return 1
}

// member fills one member, and notes the text that it took.
func (s *scope) member(name string, f *form, taken map[int]bool) (any, bool) {
	if order(name) == 2 && f.kind == "string" {
		if best := s.best(name, f); best != nil && best.rank >= inline {
			return best.value, true
		}
		return s.longest(taken)
	}
	v, ok := s.fill(name, f)
	if t, isText := v.(string); ok && isText {
		for i := s.from; i < s.to; i++ {
			if text(&s.page.items[i]) == t {
				taken[i] = true
			}
		}
	}
	return v, ok
}

// longest is the longest text that no other member took.
func (s *scope) longest(taken map[int]bool) (any, bool) {
	best := ""
	for i := s.from; i < s.to; i++ {
		it := &s.page.items[i]
		if (it.Role == "text" || it.Role == "paragraph") && !taken[i] && len(it.Name) > len(best) {
			best = it.Name
		}
	}
	return best, len(words(best)) > 2
}

// best is the fact whose label fits a member best and whose value is of its kind.
func (s *scope) best(name string, f *form) *fact {
	var best *fact
	most := 0
	for i := range s.facts {
		is := &s.facts[i]
		n := match(is.label, name, f)
		if n < part || (f.kind == "integer" || f.kind == "number") && otherNumber(is.label, name) {
			continue
		}
		if _, ok := s.page.value(f, *is); !ok {
			continue
		}
		if n = 10*n + is.rank; n > most {
			best, most = is, n
		}
	}
	return best
}

func (s *scope) scalar(name string, f *form) (any, bool) {
	if f.link {
		return s.link(name, f)
	}
	if v, ok := s.counted(name, f); ok {
		return v, true
	}
	is := s.best(name, f)
	if order(name) == 0 && f.kind == "string" && (is == nil || fit(readable(name), is.label) < nearly) {
		// What a thing is called stands in its heading, rather than under a word like "name".
		if v, ok := s.title(f); ok {
			return v, true
		}
	}
	if is != nil {
		return s.page.value(f, *is)
	}
	if f.kind == "boolean" {
		return s.said(name)
	}
	if f.kind != "string" && f.kind != "" {
		return nil, false
	}
	switch readable(name) {
	case "name", "title", "heading", "headline", "product":
		return s.title(f)
	case "category", "kind", "section":
		return s.firstText(f)
	}
	return nil, false
}

// said reads a yes or no that stands as a text: "In stock", "Sold out".
func (s *scope) said(name string) (any, bool) {
	for i := s.from; i < s.to; i++ {
		t := text(&s.page.items[i])
		if n := fit(readable(name), t); n >= allWords && len(words(t)) <= 6 {
			return !not.MatchString(t), true
		}
	}
	return nil, false
}

// title is what a part of a page is called: its heading, its first link.
func (s *scope) title(f *form) (any, bool) {
	value := func(i int) (any, bool) { return s.page.value(f, fact{value: s.page.items[i].Name, at: i}) }
	for i := s.from; i < s.to; i++ {
		if it := &s.page.items[i]; (headings[it.Role] || it.Heading > 0) && it.Name != "" {
			return value(i)
		}
	}
	if !s.record {
		return nil, false
	}
	for _, want := range []accessibility.Role{"link", "rowheader", "text", "button"} {
		for i := s.from; i < s.to; i++ {
			if it := &s.page.items[i]; it.Role == want && it.Name != "" {
				return value(i)
			}
		}
	}
	if it := &s.page.items[s.from]; it.Name != "" {
		return value(s.from)
	}
	return nil, false
}

// firstText is the first text of a card: what stands above its name.
func (s *scope) firstText(f *form) (any, bool) {
	if !s.record {
		return nil, false
	}
	for i := s.from; i < s.to; i++ {
		if it := &s.page.items[i]; it.Role == "text" && it.Name != "" {
			return s.page.value(f, fact{value: it.Name, at: i})
		}
	}
	return nil, false
}

// link is the ref of a link: the one that the member's name fits; in one of a group, its first.
func (s *scope) link(name string, f *form) (any, bool) {
	best, at := noFit, -1
	for i := s.from; i < s.to; i++ {
		it := &s.page.items[i]
		if it.Role != "link" || it.Omitted != nil {
			continue
		}
		n := match(it.Name, name, f)
		if n < part {
			n = max(fit(s.context, it.Name), noFit)
		}
		if s.record && at < 0 || n > best {
			best, at = n, i
		}
	}
	if at < 0 {
		return nil, false
	}
	return string(s.page.items[at].Ref), true
}

// section is the container within the scope that a name fits; -1 if none does.
func (s *scope) section(name string) int {
	var f finding
	for i := s.from; i < s.to; i++ {
		it := &s.page.items[i]
		if it.Omitted != nil || it.Name == "" || it.Depth == 0 {
			continue
		}
		switch n := fit(name, it.Name); {
		case n < nearly || n < f.fit:
		case n > f.fit:
			f = finding{n, []int{i}}
		default:
			f.items = append(f.items, i)
		}
	}
	i := s.page.part(f)
	if i < s.from || i >= s.to {
		return -1
	}
	return i
}
