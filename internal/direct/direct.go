package direct

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pagedata"
	"github.com/wayfinder-engine/wayfinder/schema"
)

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
}

// A Source is the place of a value.
type Source struct {
	Node  driver.NodeRef // an element
	Text  string         // the text at that place
	Value any            // what was made of it: a string, a bool or a json.Number
}

// Extract reads data of a schema's shape from a page. Where the instruction, what the
// caller wants in words, asks for a choice or a conclusion ("the cheapest three"),
// nothing is filled. Extract does not change the snapshot, and may be called for one
// from several goroutines at once. The error says that the schema can't be read.
func Extract(snap *accessibility.Snapshot, s *schema.Schema, instruction string) (*Result, error) {
	if snap == nil || s == nil {
		return nil, errors.New("direct: snapshot and schema must not be nil")
	}
	f, err := readForm(s)
	if err != nil {
		return nil, err
	}
	x := &extraction{result: &Result{Sources: map[string]Source{}}}
	var data any
	if concluding.MatchString(shown.ReplaceAllString(instruction, "")) || f.recursive {
		x.missing("")
	} else {
		x.lists = lists{marker{linker{reader{pagedata.New(snap, time.Time{})}, map[string][]prop{}}}, nil, map[uint64]int{}}
		x.lists.read()
		data = x.root(f)
	}
	if data == nil && f.kind == "object" {
		data = map[string]any{}
	} else if data == nil && f.kind == "array" {
		data = []any{}
	}
	slices.Sort(x.result.Unfilled)
	x.result.Data, err = json.Marshal(data)
	return x.result, err
}

// concluding are instructions that ask for more than reading: to pass over them
// would give data that nobody asked for.
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|(?:less|more|greater|fewer|larger|smaller|higher|lower|older|newer) than|at least|at most|above|below|under \W?\d|over \W?\d|average|without|except|exclud\w+|only (?:those|the|what|products|items)|sort(?:ed)?|order(?:ed)? by|newest|oldest|latest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare|(?:first|top|last) (?:\d+|two|three|four|five|ten)|günstigste\w*|billigste\w*|teuerste\w*|nur die|moins cher\w*|that (?:are|have|cost)|whose)\b`)

// shown are words of an instruction that leave nothing out.
var shown = regexp.MustCompile(`(?i)\b(?:that|which) (?:are|is|it|the \w+) (?:shown|listed|displayed|visible|shows|lists|on (?:this|the) page)\b`)

// An extraction is one call of Extract.
type extraction struct {
	lists
	result *Result
}

func (x *extraction) missing(pointer string) {
	x.result.Unfilled = append(x.result.Unfilled, pointer)
}

// root reads the whole page.
func (x *extraction) root(f *form) any {
	whole := int32(len(x.Elems))
	switch f.kind {
	case "object":
		r := record{lo: 1, hi: whole, facts: x.facts(1, whole)}
		r.facts = append(r.facts, x.linked(&r, true)...)
		if h, ok := x.topHeading(1, whole); ok && x.Tag(h) == "h1" { // that it is also what the page is about would be a guess
			r.facts = append(r.facts, fact{node: h, mark: byTag, tag: "h1"})
		}
		return x.object(f, &r, assign(&x.reader, f.scalars(), []record{r}), 0, "")
	case "array":
		if list, ok := x.list(&member{form: f, required: true}, nil, 1, whole, ""); ok {
			return list
		}
	}
	x.missing("")
	return nil
}

// object fills an object from record i of those that columns were made of.
func (x *extraction) object(f *form, r *record, columns map[*member]*column, i int, pointer string) map[string]any {
	out := map[string]any{}
	for _, m := range f.members {
		at := pointer + "/" + escape.Replace(m.name)
		switch {
		case m.form.kind == "array":
			if list, ok := x.list(m, f.members, r.lo, r.hi, at); ok {
				out[m.name] = list
				continue
			}
			x.missing(at)
		case m.form.kind == "object" && len(m.form.members) > 0:
			part := record{}
			if lo, hi, ok := x.partCalled(m, r.lo, r.hi); ok {
				part = record{lo: lo, hi: hi, facts: x.facts(lo, hi)}
			}
			out[m.name] = x.object(m.form, &part, assign(&x.reader, m.form.scalars(), []record{part}), 0, at)
		default:
			c := columns[m]
			if c != nil && c.values[i] != nil {
				out[m.name] = c.values[i]
				x.result.Sources[at] = x.source(c.facts[i], c.values[i])
			} else if c == nil || m.required {
				x.missing(at)
			}
		}
	}
	return out
}

// list fills an array from what stands between two elements.
func (x *extraction) list(m *member, beside []*member, lo, hi int32, pointer string) ([]any, bool) {
	f := m.form.element
	switch {
	case f == nil || f.recursive:
		return nil, false
	case f.scalar():
		return x.texts(m, lo, hi, pointer)
	case f.kind != "object":
		return nil, false
	}
	best, columns := x.groupFor(m, beside, lo, hi)
	if best == nil {
		return nil, false
	}
	out := make([]any, len(best.records))
	for i := range best.records {
		out[i] = x.object(f, &best.records[i], columns, i, pointer+"/"+strconv.Itoa(i))
	}
	return out, true
}

// texts fills an array of texts or numbers from the one list that a heading or a name
// calls as the array is called.
func (x *extraction) texts(m *member, lo, hi int32, pointer string) ([]any, bool) {
	list := int32(-1)
	for e := lo; e < hi; e++ {
		if t := x.Tag(e); (t == "ul" || t == "ol") && x.Elems[e].Visible && !x.Aside(e) && m.calledAll(x.Title(e)) {
			if list >= 0 {
				return nil, false // two lists of that name
			}
			list, e = e, x.Elems[e].End-1
		}
	}
	if list < 0 {
		return nil, false
	}
	entry := &member{form: m.form.element, names: m.names}
	var out []any
	for e := list + 1; e < x.Elems[list].End; e = x.Elems[e].End {
		if x.Tag(e) != "li" || x.Elems[e].Facts == 0 {
			continue
		}
		v, ok := x.value(entry, &fact{node: e})
		if !ok {
			return nil, false
		}
		x.result.Sources[pointer+"/"+strconv.Itoa(len(out))] = x.source(&fact{node: e}, v)
		out = append(out, v)
	}
	return out, len(out) > 0
}

func (x *extraction) source(f *fact, value any) Source {
	s := Source{Node: x.Place(f.node), Text: f.value, Value: value}
	if lines, _ := x.Said(f.node); !f.set {
		s.Text = strings.Join(lines, " ")
	}
	return s
}

// partCalled finds the one part of the page, between two elements, whose heading,
// caption or legend is called as a member is.
func (x *extraction) partCalled(m *member, lo, hi int32) (from, to int32, ok bool) {
	for e := lo; e < hi; e++ {
		head := x.IsHeading(e)
		if !head && x.Tag(e) != "legend" && x.Tag(e) != "caption" || !x.Elems[e].Visible || !m.calledAll(x.LabelOf(e)) {
			continue
		}
		if ok {
			return 0, 0, false
		}
		from, to, ok = e, x.Elems[x.Elems[e].Parent].End, true
		for c := x.Elems[e].End; c < to && head; c = x.Elems[c].End {
			if x.IsHeading(c) {
				to = c
			}
		}
	}
	return from, to, ok
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")
