package offline

import (
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
	asking   *form  // the object whose members are filled
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
