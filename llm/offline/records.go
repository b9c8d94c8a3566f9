package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
)

// A group is a set of like parts of a page: the rows of a table, the cards of a list.
type group struct {
	at    int   // the container
	parts []int // the index of each
}

// repeating are the roles whose elements come in groups.
var repeating = roles("listitem", "row", "article", "option", "treeitem", "group", "region", "link", "term", "definition", "text", "menuitem", "tab")

// entry are the roles of which one alone is a list, too.
var entry = roles("listitem", "row", "article", "option")

// groups finds the groups of a scope: like children of one container.
func (s *scope) groups() []group {
	var out []group
	for i := s.from; i < s.to; i++ {
		byRole := map[accessibility.Role][]int{}
		var seen []accessibility.Role
		for _, c := range s.page.children(i) {
			it := &s.page.items[c]
			if c >= s.to || !repeating[it.Role] || it.Role == "row" && it.Header {
				continue
			}
			if byRole[it.Role] == nil {
				seen = append(seen, it.Role)
			}
			byRole[it.Role] = append(byRole[it.Role], c)
		}
		for _, r := range seen {
			if len(byRole[r]) > 1 || entry[r] {
				out = append(out, group{i, byRole[r]})
			}
		}
	}
	return out
}

// list fills an array.
func (s *scope) list(name string, f *form) (any, bool) {
	if f.element == nil {
		return nil, false
	}
	if f.element.kind == "object" {
		return s.records(name, f.element)
	}
	return s.values(name, f.element)
}

// records fills an array of objects from the group of which most members can
// be read, and among equals from the one that was asked for by name.
func (s *scope) records(name string, f *form) (any, bool) {
	var best []any
	most, at, also := 0, -1, -1
	consider := func(list []any, filled, named, from int) {
		switch score := 100*filled/max(len(list), 1) + 10*named; {
		case len(list) == 0 || score < most:
		case score > most:
			best, most, at, also = list, score, from, -1
		case from > 0 && at > 0 && from >= s.page.end[at]:
			also = from // neither holds the other
		}
	}
	for _, g := range s.groups() {
		var list []any
		filled, whole := 0, true
		for _, i := range g.parts {
			part := s.page.scope(i, s.page.end[i], s.context)
			part.record = true
			out, n := part.members(f)
			if n == 0 {
				continue
			}
			list, filled = append(list, out), filled+n
		}
		evenLists(list, f)
		for _, out := range list {
			whole = whole && complete(out.(map[string]any), f)
		}
		if whole {
			consider(list, filled, s.asked(g.at, name), g.at)
		}
	}
	if list, ok := s.pairs(f); ok {
		consider(list, 2*len(list), 0, -1)
	}
	if also >= 0 && !s.record {
		s.page.why = cmp.Or(s.page.why, "two lists fit equally well, "+s.page.candidates([]int{at, also})+"; say which")
		return nil, false
	}
	return s.whole(best, at)
}

// evenLists gives entries an empty list where others of the same group have one.
func evenLists(list []any, f *form) {
	for name := range f.required {
		if f.members[name] == nil || f.members[name].kind != "array" {
			continue
		}
		some := slices.ContainsFunc(list, func(out any) bool { return out.(map[string]any)[name] != nil })
		for _, out := range list {
			if out := out.(map[string]any); some && out[name] == nil {
				out[name] = []any{}
			}
		}
	}
}

// whole limits a list to what was asked for, and notes if the outline leaves
// some of it out. at is the container.
func (s *scope) whole(list []any, at int) (any, bool) {
	short := limit(list, s.context)
	if at >= 0 && len(short) == len(list) && len(list) > 0 && (len(list) != limitOf(s.context)) {
		s.page.why = cmp.Or(s.page.why, s.page.leftOut(at))
	}
	return short, len(list) > 0
}

// complete reports whether an object has all that its form requires.
func complete(out map[string]any, f *form) bool {
	for name := range f.required {
		if _, ok := out[name]; !ok {
			return false
		}
	}
	return true
}

// asked reports how well a container is what was asked for: by its name, its
// heading, or what is around it.
func (s *scope) asked(i int, name string) int {
	return max(s.called(i, readable(name)), s.called(i, s.context))
}

// called is asked for one phrase.
func (s *scope) called(i int, phrase string) int {
	best := 0
	for depth := 0; i >= 0 && depth < 3 && (!s.record || i >= s.from); i, depth = s.page.items[i].Parent, depth+1 {
		label := s.page.items[i].Name
		if label == "" {
			for _, c := range s.page.children(i) {
				if headings[s.page.items[c].Role] {
					label = s.page.items[c].Name
					break
				}
			}
		}
		if label == "" || s.page.items[i].Depth == 0 {
			continue
		}
		if shares(phrase, label) {
			best = max(best, 3-depth)
		}
	}
	return best
}

// shares reports whether a phrase holds all distinctive words of a label, or one of two.
func shares(phrase, label string) bool {
	p, l := distinctive(words(phrase)), distinctive(words(label))
	n := 0
	for _, w := range l {
		if slices.Contains(p, w) {
			n++
		}
	}
	return n > 0 && 2*n >= len(l)
}

// pairs fills objects of a name and a value from a definition list.
func (s *scope) pairs(f *form) ([]any, bool) {
	if len(f.members) != 2 {
		return nil, false
	}
	key, value := "", ""
	for _, n := range f.names() {
		switch readable(n) {
		case "name", "label", "term", "key", "property", "field":
			key = n
		case "value", "definition", "text", "content":
			value = n
		}
	}
	if key == "" || value == "" {
		return nil, false
	}
	var out []any
	for _, is := range s.facts {
		if it := &s.page.items[is.at]; is.rank == labelled && (it.Role == "definition" || it.Role == "row") {
			if v, ok := s.page.value(f.members[value], is); ok {
				out = append(out, map[string]any{key: is.label, value: v})
			}
		}
	}
	return out, len(out) > 0
}

// values fills an array of texts or numbers: a column, the elements of a
// section, the names of a kind.
func (s *scope) values(name string, f *form) (any, bool) {
	var out []any
	column := 0
	add := func(is fact) {
		if v, ok := s.page.value(f, is); ok && v != "" {
			out = append(out, v)
		}
	}
	for _, is := range s.facts {
		if match(is.label, name, f) >= allWords && s.page.items[is.at].Role == "row" {
			add(is)
			column = is.at
		}
	}
	if len(out) > 0 {
		return s.whole(out, s.page.items[column].Parent)
	}
	for _, is := range s.facts { // a control with options: all that it offers
		if it := &s.page.items[is.at]; choosable(it) && it.MoreOptions == 0 && match(is.label, name, f) >= part {
			for _, o := range it.OptionLabels() {
				add(fact{value: o, at: is.at, rank: inline})
			}
			return out, len(out) > 0
		}
	}
	if k, ok := kindOf(lastWord(readable(name))); ok {
		for i := s.from; i < s.to; i++ {
			if it := &s.page.items[i]; k[it.Role] || k["heading"] && it.Heading > 0 {
				add(fact{value: it.Name, at: i})
			}
		}
		if len(out) > 0 {
			return s.whole(out, s.from)
		}
	}
	return s.groupValues(name, f)
}

// groupValues takes what the group that was asked for says, each part by its title.
func (s *scope) groupValues(name string, f *form) (any, bool) {
	var best []any
	most, at := 0, -1
	for _, g := range s.groups() {
		n := s.asked(g.at, name)
		if n == 0 || len(g.parts) < 2 || n < most {
			continue
		}
		var out []any
		for _, i := range g.parts {
			part := s.page.scope(i, s.page.end[i], s.context)
			part.record = true
			v, ok := part.title(f)
			if f.link {
				v, ok = s.page.linkAt(i)
			}
			if ok {
				out = append(out, v)
			}
		}
		if len(out) > len(best) || n > most && len(out) > 0 {
			best, most, at = out, n, g.at
		}
	}
	return s.whole(best, at)
}

// limit keeps as many entries as the instruction asks for.
func limit(list []any, wanted string) []any {
	if n := limitOf(wanted); n > 0 && n < len(list) {
		return list[:n]
	}
	return list
}

// limitOf is how many entries an instruction asks for; 0 is all.
func limitOf(wanted string) int {
	m := atMost.FindStringSubmatch(wanted)
	if m == nil {
		return 0
	}
	n, ok := numerals[strings.ToLower(m[1])]
	if !ok {
		n, _ = strconv.Atoi(m[1]) // too large a number is no limit
	}
	return max(n, 0)
}

var atMost = regexp.MustCompile(`(?i)\b(?:first|top) (\d+|two|three|four|five|six|seven|eight|nine|ten)\b`)

var numerals = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
