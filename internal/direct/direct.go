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

// Options refine Extract. The zero value reads all that the snapshot shows.
type Options struct {
	// Instruction is what the caller wants, in words. Where it asks for a
	// choice or a conclusion ("the cheapest three"), nothing is filled.
	Instruction string
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
	Node driver.NodeRef // an element
	Text string         // what stands there
}

// A Partial is a list of which the page says that it has more entries.
type Partial struct {
	Pointer   string // JSON pointer of the array
	Shown, Of int
}

// Extract reads data of a schema's shape from a page. opts may be nil. It does
// not change the snapshot, and may be called for one from several goroutines at
// once. The error says that the schema can't be read.
func Extract(snap *accessibility.Snapshot, s *schema.Schema, opts *Options) (*Result, error) {
	if snap == nil || s == nil {
		return nil, errors.New("direct: snapshot and schema must not be nil")
	}
	f, err := readForm(s)
	if err != nil {
		return nil, err
	}
	if opts == nil {
		opts = &Options{}
	}
	x := &extraction{result: &Result{Sources: map[string]Source{}}}
	var data any
	if concluding.MatchString(shown.ReplaceAllString(opts.Instruction, "")) || f.recursive {
		x.missing("")
	} else {
		x.page = newPage(pagedata.New(snap, time.Time{}))
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
var concluding = regexp.MustCompile(`(?i)\b(?:cheapest|cheaper|dearest|most expensive|(?:less|more|greater|fewer|larger|smaller|higher|lower|older|newer) than|at least|at most|above|below|under \W?\d|over \W?\d|average|without|except|exclud\w+|only (?:those|the|what|products|items)|sort(?:ed)?|order(?:ed)? by|newest|oldest|latest|highest|lowest|biggest|smallest|best|worst|summari[sz]e|translate|compare|(?:first|top|last) (?:\d+|two|three|four|five|ten)|günstigste\w*|billigste\w*|teuerste\w*|nur die|moins cher\w*|that (?:are|have|cost)|whose)\b`)

// shown are words of an instruction that leave nothing out.
var shown = regexp.MustCompile(`(?i)\b(?:that|which) (?:are|is|it|the \w+) (?:shown|listed|displayed|visible|shows|lists|on (?:this|the) page)\b`)

// An extraction is one call of Extract.
type extraction struct {
	page   *page
	result *Result
}

func (x *extraction) missing(pointer string) {
	x.result.Unfilled = append(x.result.Unfilled, pointer)
}

// root reads the whole page.
func (x *extraction) root(f *form) any {
	whole := int32(len(x.page.Elems))
	switch f.kind {
	case "object":
		r := record{lo: 1, hi: whole, facts: x.page.facts(1, whole)}
		r.facts = append(r.facts, x.page.linked(&r, true)...)
		r.facts = append(r.facts, x.page.mainHeading()...)
		return x.object(f, &r, x.page.assign(f.scalars(), []record{r}), 0, "")
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
			out[m.name] = x.inner(m, r, at)
		default:
			c := columns[m]
			if c != nil && c.values[i] != nil {
				out[m.name] = c.values[i]
				x.result.Sources[at] = x.page.source(c.facts[i])
			} else if c == nil || m.required {
				x.missing(at)
			}
		}
	}
	return out
}

// inner fills an object within another from the one part of the record that a
// heading, caption or legend calls by its name.
func (x *extraction) inner(m *member, r *record, pointer string) any {
	part := record{}
	if lo, hi, ok := x.page.partCalled(m, r.lo, r.hi); ok {
		part = record{lo: lo, hi: hi, facts: x.page.facts(lo, hi)}
	}
	return x.object(m.form, &part, x.page.assign(m.form.scalars(), []record{part}), 0, pointer)
}

// list fills an array from what stands between two elements.
func (x *extraction) list(m *member, beside []*member, lo, hi int32, pointer string) ([]any, bool) {
	switch e := m.form.element; {
	case e == nil || e.recursive:
		return nil, false
	case e.scalar():
		return x.texts(m, lo, hi, pointer)
	case e.kind != "object":
		return nil, false
	}
	f := m.form.element
	best, columns := x.page.groupFor(m, beside, lo, hi)
	if best == nil {
		return nil, false
	}
	out := make([]any, len(best.records))
	for i := range best.records {
		out[i] = x.object(f, &best.records[i], columns, i, pointer+"/"+strconv.Itoa(i))
	}
	if best.total > len(out) {
		x.result.Partial = append(x.result.Partial, Partial{pointer, len(out), best.total})
	}
	return out, true
}

// texts fills an array of texts or numbers from the one list that a heading or a name
// calls as the array is called.
func (x *extraction) texts(m *member, lo, hi int32, pointer string) ([]any, bool) {
	p := x.page
	var items []int32
	for e := lo; e < hi; e++ {
		if t := p.Tag(e); t != "ul" && t != "ol" || !p.Elems[e].Visible || p.aside(e) || !m.calledAll(p.caption(e)) {
			continue
		}
		if items != nil {
			return nil, false // two lists of that name
		}
		for c := e + 1; c < p.Elems[e].End; c = p.Elems[c].End {
			if p.Tag(c) == "li" && p.Elems[c].Facts > 0 {
				items = append(items, c)
			}
		}
		e = p.Elems[e].End - 1
	}
	entry := &member{form: m.form.element, names: m.names}
	var out []any
	for i, c := range items {
		v, ok := p.value(entry, &fact{node: c})
		if !ok {
			return nil, false
		}
		out = append(out, v)
		x.result.Sources[pointer+"/"+strconv.Itoa(i)] = p.source(&fact{node: c})
	}
	return out, len(out) > 0
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")
