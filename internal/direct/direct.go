package direct

import (
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility/axtree"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// Options refine Extract. The zero value reads the whole page.
type Options struct {
	// Instruction is what the caller wants, in words. Where it asks for a
	// choice or a conclusion ("the cheapest three"), nothing is filled.
	Instruction string

	// Scope keeps only these elements and what is below them; without any, all
	// is kept. Ignore leaves elements and what is below them out, and wins.
	Scope, Ignore []driver.NodeRef
	// MainFrame leaves the content of frames out.
	MainFrame bool
}

// A Result is what could be read from a page without a model.
type Result struct {
	// Data has the schema's shape. It is valid against the schema where
	// Unfilled is empty; otherwise required members can be missing.
	Data json.RawMessage
	// Unfilled are JSON pointers to the members that could not be filled, in
	// order. Those of an array's entries are named one by one.
	Unfilled []string
	// Sources say where each leaf of Data stood, by JSON pointer.
	Sources map[string]Source
	// Partial are the lists of which the page shows only a part.
	Partial []Partial
}

// A Source is the place of a value.
type Source struct {
	Node driver.NodeRef // an element, or a text
	Text string         // what stands there
}

// A Partial is a list of which the page says that it has more entries.
type Partial struct {
	Pointer   string // JSON pointer of the array
	Shown, Of int
}

// Extract reads data of a schema's shape from a page. opts may be nil. It does
// not change the capture, and may be called for one from several goroutines at
// once. The error says that the schema can't be read.
func Extract(c *driver.Capture, s *schema.Schema, opts *Options) (*Result, error) {
	if c == nil || s == nil {
		return nil, errors.New("direct: capture and schema must not be nil")
	}
	f, err := readForm(s)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	x := &extraction{opts: opts, result: &Result{Sources: map[string]Source{}}}
	var data any
	if concluding.MatchString(shown.ReplaceAllString(opts.Instruction, "")) {
		x.missing("")
	} else {
		x.p = newPage(axtree.Compute(c), opts)
		x.p.entities(c)
		data = x.root(f)
	}
	if data == nil {
		switch f.kind {
		case "object":
			data = map[string]any{}
		case "array":
			data = []any{}
		}
	}
	slices.Sort(x.result.Unfilled)
	x.result.Data, err = json.Marshal(data)
	return x.result, err
}

// concluding are instructions that ask for more than reading: to pass over them
// would give data that nobody asked for.
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|(?:less|more|greater|fewer|larger|smaller|higher|lower|older|newer) than|at least|at most|above|below|under \W?\d|over \W?\d|average|only (?:those|the|what|products|items)|sort(?:ed)?|order(?:ed)? by|newest|oldest|latest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare|(?:first|top|last) (?:\d+|two|three|four|five|ten)|günstigste\w*|billigste\w*|teuerste\w*|nur die|moins cher\w*|that (?:are|have|cost)|whose)\b`)

// shown are words of an instruction that leave nothing out.
var shown = regexp.MustCompile(`(?i)\b(?:that|which) (?:are|is|it|the \w+) (?:shown|listed|displayed|visible|shows|lists|on (?:this|the) page)\b`)

// unsponsored are instructions that say what to do with advertisements.
var unsponsored = regexp.MustCompile(`(?i)\b(?:without|no|not|exclud\w+|except|ohne)\b.{0,20}\b(?:sponsored|ads?|advert\w*|anzeigen|werbung)\b`)

// An extraction is one call of Extract.
type extraction struct {
	p      *page
	opts   *Options
	result *Result
}

func (x *extraction) missing(pointer string) {
	x.result.Unfilled = append(x.result.Unfilled, pointer)
}

func (x *extraction) found(pointer string, f *fact) {
	source := x.p.source(f.node)
	source.Text = plain(collapse(f.text))
	x.result.Sources[pointer] = source
}

// root reads the whole page.
func (x *extraction) root(f *form) any {
	if len(x.p.nodes) == 0 || f.recursive {
		x.missing("")
		return nil
	}
	switch f.kind {
	case "object":
		records := []record{{node: 0, facts: x.p.subject(x.p.described(0, false, x.p.facts(0, false)))}}
		return x.objects(f, records, []string{""}, x.p.title)[0]
	case "array":
		if list, ok := x.list(&member{form: f, required: true}, nil, 0, ""); ok {
			return list
		}
	}
	x.missing("")
	return nil
}

// objects fills an object from each record.
func (x *extraction) objects(f *form, records []record, pointers []string, context map[string]bool) []map[string]any {
	columns := x.p.assign(scalars(f), records, context)
	if records[0].node == 0 {
		unconfirmed(columns, scalars(f))
	}
	out := make([]map[string]any, len(records))
	for i := range records {
		out[i] = map[string]any{}
	}
	x.fill(f, columns, records, pointers, out)
	return out
}

// unconfirmed drops the only value that was found of many, unless the page
// calls it just what the member does: the page is about something else.
func unconfirmed(columns map[*member]*column, members []*member) {
	for m, c := range columns {
		if c.fit < 90 && len(columns) == 1 && len(members) > 2 {
			delete(columns, m)
		}
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// scalars returns the members of an object that are values, those of objects
// within it included.
func scalars(f *form) []*member {
	var out []*member
	for _, m := range f.members {
		switch {
		case m.form.scalar():
			out = append(out, m)
		case m.form.kind == "object":
			out = append(out, scalars(m.form)...)
		}
	}
	return out
}

// fill puts what was assigned into objects, and reads the lists within them.
func (x *extraction) fill(f *form, columns map[*member]*column, records []record, pointers []string, out []map[string]any) {
	for _, m := range f.members {
		name := "/" + pointerEscape.Replace(m.name)
		column := columns[m]
		var inner []map[string]any
		var below []string
		if m.form.kind == "object" && len(m.form.members) > 0 {
			inner, below = make([]map[string]any, len(out)), make([]string, len(out))
			for i := range out {
				inner[i], below[i] = map[string]any{}, pointers[i]+name
				out[i][m.name] = inner[i]
			}
			x.fill(m.form, columns, records, below, inner)
			continue
		}
		for i := range out {
			pointer := pointers[i] + name
			switch {
			case m.form.kind == "array":
				if list, ok := x.list(m, f.members, records[i].node, pointer); ok {
					out[i][m.name] = list
					continue
				}
				x.missing(pointer)
			case column != nil && column.values[i] != nil:
				out[i][m.name] = column.values[i]
				x.found(pointer, column.facts[i])
			case column == nil || m.required:
				x.missing(pointer)
			}
		}
	}
}

// list fills an array from what stands below a node. A list that the page calls by the
// name of another of the members beside it is that one's.
func (x *extraction) list(m *member, beside []*member, root int32, pointer string) ([]any, bool) {
	switch {
	case m.form.element == nil || m.form.element.recursive:
		return nil, false
	case m.form.element.scalar():
		return x.strings(m, root, pointer)
	case m.form.element.kind != "object":
		return nil, false
	}
	f := m.form.element
	members := scalars(f)
	var best *group
	score, tied := 0, false
	groups := x.p.groups(root)
	context := x.p.context(m)
	main := root == 0 && x.p.hasMain()
	for i := range groups {
		g := &groups[i]
		if main && !x.p.inMain(g.at) {
			continue
		}
		g.read(x.p)
		if len(g.records) == 0 || x.p.another(m, beside, g) {
			continue
		}
		n := x.p.score(members, m, g, context)
		switch {
		case n == 0 || n < score:
		case n == score:
			tied = true
		default:
			best, score, tied = g, n, false
		}
	}
	if best == nil && root == 0 && x.saysNone() {
		return []any{}, true
	}
	if best == nil || tied || x.p.elsewhere(m, best, root) {
		return nil, false
	}
	records := best.records
	if slices.ContainsFunc(records, func(r record) bool { return x.p.isSponsored(r.node) }) {
		if !unsponsored.MatchString(x.opts.Instruction) {
			return nil, false
		}
		records = slices.DeleteFunc(slices.Clone(records), func(r record) bool { return x.p.isSponsored(r.node) })
	}
	pointers := make([]string, len(records))
	for i := range pointers {
		pointers[i] = pointer + "/" + strconv.Itoa(i)
	}
	out := make([]any, len(records))
	for i, o := range x.objects(f, records, pointers, context) {
		out[i] = o
	}
	if best.total > len(records) {
		x.result.Partial = append(x.result.Partial, Partial{pointer, len(records), best.total})
	}
	return out, true
}

// callsIt is from which fit on, of 100, words are taken for a member's name.
const callsIt = 55

// another reports whether a group is called as another list beside the member is.
func (p *page) another(m *member, beside []*member, g *group) bool {
	if len(beside) < 2 || m.name == "" {
		return false
	}
	caption := p.label(p.caption(g.at))
	return m.wording.fit(caption, p.title) < callsIt && slices.ContainsFunc(beside, func(o *member) bool {
		return o != m && o.form.kind == "array" && o.wording.fit(caption, p.title) >= callsIt
	})
}

// elsewhere reports whether a heading is called as the list is, and the group stands
// under another: it is another list.
func (p *page) elsewhere(m *member, g *group, root int32) bool {
	if m.name == "" || m.wording.fit(p.label(p.caption(g.at)), p.title) >= callsIt {
		return false
	}
	found, under := false, false
	for i := root + 1; i < p.nodes[root].end; i++ {
		if p.nodes[i].object.Role != "heading" || p.nodes[i].aside {
			continue
		}
		called := m.wording.fit(p.label(p.span(i)), p.title) >= callsIt
		found = found || called
		if i < g.at {
			under = called // the last heading before it
		}
	}
	return found && !under
}

// context returns the words that go without saying in the entries of a list:
// those of the page's title, and of the list's name.
func (p *page) context(m *member) map[string]bool {
	context := maps.Clone(p.title)
	for _, word := range m.wording.name {
		context[word] = true
	}
	return context
}

// score says how well a group is the list that a member asks for; 0 is not at all.
func (p *page) score(members []*member, m *member, g *group, context map[string]bool) int {
	columns := p.assign(members, g.records, context)
	sum, strong := 0, 0
	for _, c := range columns {
		sum += c.fit
		if c.fit >= 75 || c.slot.key == "K:name" {
			strong++
		}
	}
	if len(columns) == 0 || 2*len(columns) < len(members) || strong == 0 && (len(columns) < len(members) || len(members) == 1) {
		return 0
	}
	// A name alone is in every list: that of the member's name is the one.
	nameless := len(columns) == 1 && len(members) > 1
	for _, c := range columns {
		nameless = nameless && c.slot.key[0] == 'K'
	}
	switch {
	case m.name != "" && m.wording.fit(p.label(p.caption(g.at)), p.title) >= callsIt:
		sum += 40
	case nameless:
		return 0
	case g.onlyLinks():
		return 0 // a menu, unless it is asked for by its name
	}
	return sum
}

// strings fills an array of texts or numbers from the list of its name.
func (x *extraction) strings(m *member, root int32, pointer string) ([]any, bool) {
	if m.name == "" {
		return nil, false
	}
	p := x.p
	var nodes []int32
	for i := root; i < p.nodes[root].end; i++ {
		n := &p.nodes[i]
		if n.aside && !p.nodes[root].aside {
			i = n.end - 1
			continue
		}
		if n.kind != elementNode || n.object.Role != "list" || m.wording.fit(p.label(p.caption(i)), p.title) < 85 {
			continue
		}
		if nodes != nil {
			return nil, false // two lists of that name
		}
		p.children(i, func(c int32) {
			if p.nodes[c].is("li") || p.nodes[c].object.Role == "listitem" {
				nodes = append(nodes, c)
			}
		})
		i = n.end - 1
	}
	var out []any
	entry := &member{form: m.form.element, wording: m.wording}
	for i, c := range nodes {
		f := p.rich(c)
		v, ok := p.value(entry, &f)
		if !ok {
			return nil, false
		}
		out = append(out, v)
		x.found(pointer+"/"+strconv.Itoa(i), &f)
	}
	return out, len(out) > 0
}

var none = regexp.MustCompile(`(?i)^(?:(?:sorry, )?(?:there (?:are|were) )?no (?:\w+ )?(?:results?|matches|items|products|entries|records|data)\b|nothing (?:was )?found|0 results|keine (?:ergebnisse|treffer|einträge)|aucun résultat|sin resultados|no rows|검색 결과가 없|該当する.*ありません|没有(?:找到)?结果)`)

// saysNone reports whether the page says that there is nothing to list.
func (x *extraction) saysNone() bool {
	for i := range x.p.nodes {
		if n := &x.p.nodes[i]; n.kind == textNode && !n.aside && n.to-n.from < 200 && none.MatchString(collapse(x.p.text[n.from:n.to])) {
			return true
		}
	}
	return false
}
