package offline

import (
	"slices"
)

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
	before := s.asking
	s.asking = f
	defer func() { s.asking = before }()
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
		if n < part || s.rival(is, name, n) || f.kind == "string" && s.page.inHeading(is) || (f.kind == "integer" || f.kind == "number") && otherNumber(is.label, name) {
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

// rival reports whether what a fact is called is the name of another member, and only
// in the description of this one: "where the train goes to" is no train.
func (s *scope) rival(is *fact, name string, n int) bool {
	if s.asking == nil {
		return false
	}
	for other, f := range s.asking.members {
		if other != name && f.kind != "object" && f.kind != "array" && fit(readable(other), is.label) > max(n, nearly) {
			return true
		}
	}
	return false
}

// inHeading reports whether a fact is a part of a heading or of the page's title, as
// 38 is of "Line 38": a text is not cut out of them.
func (p *page) inHeading(is *fact) bool {
	it := &p.items[is.at]
	return is.rank == inline && (it.Depth == 0 || headings[it.Role]) && leads.MatchString(text(it)) && !colon.MatchString(text(it))
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

// shows reports whether a part of the page is called as a list is.
func (s *scope) shows(name string) bool {
	for _, g := range s.groups() {
		if s.called(g.at, readable(name)) > 0 {
			return true
		}
	}
	return false
}
