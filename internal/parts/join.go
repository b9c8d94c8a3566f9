package parts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/wayfinder-engine/wayfinder/internal/shape"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// An Answer is the data that was read from one part.
type Answer struct {
	Data    json.RawMessage
	Sources map[string]Source // by JSON pointer into Data, of the values that were traced
}

// A Source is where a value of an answer stands.
type Source struct {
	At       string // the place; two values of one place are the same thing on the page
	Repeated bool   // in the part's context, which other parts show too
	Derived  string // "count", "sum" …: it was computed from the part alone
}

// Join makes the data of a page from the answers for its parts, in page order.
//
//   - Lists are concatenated. What stands in the context of a part is one thing
//     however many parts give it; things that merely look the same all stay.
//   - Objects are joined member by member. Of several values the first one that
//     stands on the page counts; a count or sum of each part is added up.
//
// form, which may be nil, says which arrays are no lists but tuples, and how long
// a list may be. The result need not satisfy it.
func Join(form *schema.Schema, answers []Answer) (json.RawMessage, error) {
	j := joiner(answers)
	var items []item
	for i := range answers {
		d := json.NewDecoder(bytes.NewReader(answers[i].Data))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, fmt.Errorf("parts: answer %d: %w", i+1, err)
		}
		items = append(items, item{v, i, ""})
	}
	return json.Marshal(j.join(items, shape.Of(form)))
}

// JoinTexts joins answers that are texts. Parts that have nothing to say are
// left out, and so is what was said already.
func JoinTexts(texts []string) string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}

// A joiner is the answers that are joined.
type joiner []Answer

// An item is a value of one answer.
type item struct {
	value   any
	answer  int
	pointer string
}

func (it item) below(step string, value any) item {
	return item{value, it.answer, it.pointer + "/" + escape.Replace(step)}
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// source is where a value stands; the zero value is that of one that was not traced.
func (j joiner) source(it item) Source { return j[it.answer].Sources[it.pointer] }

func (j joiner) join(items []item, s shape.Shape) any {
	items = slices.DeleteFunc(items, func(it item) bool { return it.value == nil })
	if len(items) == 0 {
		return nil
	}
	switch items[0].value.(type) {
	case []any:
		if s.Tuple() {
			return first(items, func(v any) bool { l, _ := v.([]any); return len(l) > 0 })
		}
		return j.list(items, s)
	case map[string]any:
		members := map[string][]item{}
		for _, it := range items {
			o, _ := it.value.(map[string]any)
			for name, v := range o {
				members[name] = append(members[name], it.below(name, v))
			}
		}
		out := make(map[string]any, len(members))
		for name, list := range members {
			out[name] = j.join(list, s.Member(name))
		}
		return out
	}
	return j.scalar(items)
}

// first is the first good value, or else the first.
func first(items []item, good func(v any) bool) any {
	return items[max(0, slices.IndexFunc(items, func(it item) bool { return good(it.value) }))].value
}

// scalar chooses between the values of several parts: one that stands on the page, or
// the total of what was computed, or one that says something.
func (j joiner) scalar(items []item) any {
	var derived []item
	for _, it := range items {
		switch s := j.source(it); {
		case s.Derived != "":
			derived = append(derived, it)
		case s.At != "":
			return it.value
		}
	}
	if len(derived) > 0 {
		return j.total(derived)
	}
	return first(items, func(v any) bool { return v != "" && v != json.Number("0") })
}

// total adds up counts, or sums, that each part has of its own; of anything else it is
// the first.
func (j joiner) total(items []item) any {
	total, decimals := new(big.Rat), 0
	for _, it := range items {
		n, _ := it.value.(json.Number)
		r, ok := new(big.Rat).SetString(string(n))
		if how := j.source(it).Derived; !ok || len(n) > 40 || how != "count" && how != "sum" {
			return items[0].value
		}
		_, fraction, _ := strings.Cut(string(n), ".")
		decimals = max(decimals, len(fraction))
		total.Add(total, r)
	}
	return json.Number(total.FloatString(decimals))
}

// list concatenates lists. An entry that repeats one of an earlier part is joined with
// it: one of its values stands in the context, and none stands elsewhere than the
// other's.
func (j joiner) list(lists []item, s shape.Shape) any {
	var entries [][]item          // of each entry of the result, what the parts say of it
	var stand []map[string]Source // where the values of each stand
	holding := map[string][]int{} // by place, the entries that have a value from there
	for _, list := range lists {
		l, _ := list.value.([]any)
		begun := len(entries)
		for i, v := range l {
			entry, own := list.below(strconv.Itoa(i), v), map[string]Source{}
			j.places(entry, len(entry.pointer), own)
			known := -1
			for _, src := range own {
				for _, k := range slices.Backward(holding[src.At]) { // the context is what comes right before
					if src.Repeated && k < begun && agree(own, stand[k]) {
						known = max(known, k)
						break
					}
				}
			}
			if known >= 0 {
				entries[known] = append(entries[known], entry)
				continue
			}
			for _, src := range own {
				holding[src.At] = append(holding[src.At], len(entries))
			}
			entries, stand = append(entries, []item{entry}), append(stand, own)
		}
	}
	out := make([]any, 0, len(entries))
	seen := map[string]bool{}
	for _, e := range entries {
		v := e[0].value
		if len(e) > 1 {
			v = j.join(e, s.Entry(math.MaxInt))
		}
		if s.Says("uniqueItems") {
			raw, err := json.Marshal(v)
			if err == nil && seen[string(raw)] {
				continue
			}
			seen[string(raw)] = true
		}
		out = append(out, v)
	}
	if most, ok := s.Most(); ok && len(out) > most {
		out = out[:most]
	}
	return out
}

// agree reports whether no value of one entry stands elsewhere than that of another.
func agree(a, b map[string]Source) bool {
	for member, src := range a {
		if there, ok := b[member]; ok && there.At != src.At {
			return false
		}
	}
	return true
}

// places collects where the values of an entry stand that are not in lists of its own,
// by their pointers from a byte on.
func (j joiner) places(it item, from int, to map[string]Source) {
	switch v := it.value.(type) {
	case nil, []any:
	case map[string]any:
		for name, inner := range v {
			j.places(it.below(name, inner), from, to)
		}
	default:
		if src := j.source(it); src.At != "" {
			to[it.pointer[from:]] = src
		}
	}
}
