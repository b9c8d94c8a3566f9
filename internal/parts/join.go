package parts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
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
	Empty    bool   // the page says that there is none
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
	j := &joiner{answers: answers}
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

type joiner struct{ answers []Answer }

// An item is a value of one answer.
type item struct {
	value   any
	answer  int
	pointer string
}

func (j *joiner) source(it item) (Source, bool) {
	s, ok := j.answers[it.answer].Sources[it.pointer]
	return s, ok
}

func (it item) member(name string) (item, bool) {
	o, _ := it.value.(map[string]any)
	v, ok := o[name]
	return item{v, it.answer, it.pointer + "/" + escape.Replace(name)}, ok
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

func (j *joiner) join(items []item, s shape.Shape) any {
	items = slices.DeleteFunc(items, func(it item) bool { return it.value == nil })
	if len(items) == 0 {
		return nil
	}
	switch items[0].value.(type) {
	case []any:
		if s.Tuple() {
			return j.first(items, func(it item) bool { return len(it.value.([]any)) > 0 }).value
		}
		return j.list(items, s)
	case map[string]any:
		out := map[string]any{}
		for _, it := range items {
			o, _ := it.value.(map[string]any)
			for name := range maps.Keys(o) {
				if _, done := out[name]; done {
					continue
				}
				var members []item
				for _, other := range items {
					if m, ok := other.member(name); ok {
						members = append(members, m)
					}
				}
				out[name] = j.join(members, s.Member(name))
			}
		}
		return out
	}
	return j.scalar(items)
}

func (j *joiner) first(items []item, good func(item) bool) item {
	if i := slices.IndexFunc(items, good); i >= 0 {
		return items[i]
	}
	return items[0]
}

// scalar chooses between the values of several parts.
func (j *joiner) scalar(items []item) any {
	var derived []item
	for _, it := range items {
		switch s, ok := j.source(it); {
		case !ok || s.Empty:
		case s.Derived == "":
			return it.value
		default:
			derived = append(derived, it)
		}
	}
	if len(derived) > 0 {
		if total, ok := j.total(derived); ok {
			return total
		}
		return derived[0].value
	}
	return j.first(items, func(it item) bool { return it.value != "" && it.value != json.Number("0") }).value
}

// total adds up counts, or sums, that each part has of its own.
func (j *joiner) total(items []item) (json.Number, bool) {
	total, decimals := new(big.Rat), 0
	for _, it := range items {
		s, _ := j.source(it)
		n, ok := it.value.(json.Number)
		if !ok || s.Derived != "count" && s.Derived != "sum" {
			return "", false
		}
		r, ok := new(big.Rat).SetString(string(n))
		if !ok || len(n) > 40 {
			return "", false
		}
		if _, fraction, ok := strings.Cut(string(n), "."); ok {
			decimals = max(decimals, len(fraction))
		}
		total.Add(total, r)
	}
	return json.Number(total.FloatString(decimals)), true
}

// list concatenates lists.
func (j *joiner) list(lists []item, s shape.Shape) any {
	var entries [][]item         // of each entry of the result, what the parts say of it
	places := map[string][]int{} // by place, the entries that have a value from there
	for _, list := range lists {
		l, _ := list.value.([]any)
		begun := len(entries)
		for i, v := range l {
			entry := item{v, list.answer, list.pointer + "/" + strconv.Itoa(i)}
			leaves := j.leaves(entry, nil)
			if at, ok := j.known(entry, leaves, entries[:begun], places); ok {
				entries[at] = append(entries[at], entry)
				continue
			}
			for _, leaf := range leaves {
				if src, ok := j.source(leaf); ok && src.At != "" {
					places[src.At] = append(places[src.At], len(entries))
				}
			}
			entries = append(entries, []item{entry})
		}
	}
	out := make([]any, 0, len(entries))
	for _, e := range entries {
		if len(e) == 1 {
			out = append(out, e[0].value)
		} else {
			out = append(out, j.join(e, s.Entry(math.MaxInt)))
		}
	}
	if s.Says("uniqueItems") {
		out = distinct(out)
	}
	if most, ok := s.Most(); ok && len(out) > most {
		out = out[:most]
	}
	return out
}

// known finds the entry of an earlier part that an entry repeats: one of its
// values stands in the context, and none stands elsewhere than the other's.
func (j *joiner) known(entry item, leaves []item, entries [][]item, places map[string][]int) (int, bool) {
	for _, leaf := range leaves {
		src, ok := j.source(leaf)
		if !ok || !src.Repeated || src.At == "" {
			continue
		}
		candidates := places[src.At]
		for k := len(candidates) - 1; k >= 0; k-- { // the context is what comes right before
			if at := candidates[k]; at < len(entries) && j.same(leaves, entries[at][0]) {
				return at, true
			}
		}
	}
	return 0, false
}

// same reports whether no value of an entry stands elsewhere than that of
// another one.
func (j *joiner) same(leaves []item, other item) bool {
	have := map[string]Source{}
	for _, leaf := range j.leaves(other, nil) {
		if src, ok := j.source(leaf); ok && src.At != "" {
			have[strings.TrimPrefix(leaf.pointer, other.pointer)] = src
		}
	}
	for _, leaf := range leaves {
		src, ok := j.source(leaf)
		if !ok || src.At == "" {
			continue
		}
		_, rest := splitEntry(leaf.pointer, other.pointer)
		if there, ok := have[rest]; ok && there.At != src.At {
			return false
		}
	}
	return true
}

// splitEntry divides a pointer after as many steps as another one has.
func splitEntry(pointer, like string) (entry, rest string) {
	at := 0
	for range strings.Count(like, "/") {
		next := strings.IndexByte(pointer[at+1:], '/')
		if next < 0 {
			return pointer, ""
		}
		at += 1 + next
	}
	return pointer[:at], pointer[at:]
}

// leaves appends the values of an entry that are not in lists of its own.
func (j *joiner) leaves(it item, to []item) []item {
	switch v := it.value.(type) {
	case nil, []any:
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			m, _ := it.member(name)
			to = j.leaves(m, to)
		}
	default:
		to = append(to, it)
	}
	return to
}

// distinct keeps the first of equal values.
func distinct(list []any) []any {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(v any) bool {
		raw, err := json.Marshal(v)
		if err != nil || seen[string(raw)] {
			return err == nil
		}
		seen[string(raw)] = true
		return false
	})
}
