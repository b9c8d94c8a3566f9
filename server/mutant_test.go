package server_test

import (
	"iter"
	"maps"
	"slices"
)

// wrongValues are what may stand in the place of any value.
var wrongValues = []any{nil, true, -1.5, "", "\x00 no such word", []any{}, []any{nil}, map[string]any{}, map[string]any{"surplus": 1.0}}

// mutants yields a document with one thing changed: each value replaced by
// every wrong one, each member left out, one more member in each object.
func mutants(v any) iter.Seq[any] {
	return func(yield func(any) bool) {
		mutate(v, func(other any) bool { return yield(other) })
	}
}

// mutate calls put with every mutant of v, until it returns false.
func mutate(v any, put func(any) bool) bool {
	for _, wrong := range wrongValues {
		if !put(wrong) {
			return false
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			without := maps.Clone(v)
			delete(without, name)
			if !put(without) {
				return false
			}
			ok := mutate(v[name], func(other any) bool {
				with := maps.Clone(v)
				with[name] = other
				return put(with)
			})
			if !ok {
				return false
			}
		}
		surplus := maps.Clone(v)
		surplus["surplus"] = 1.0
		return put(surplus)
	case []any:
		for i := range v {
			ok := mutate(v[i], func(other any) bool {
				with := slices.Clone(v)
				with[i] = other
				return put(with)
			})
			if !ok {
				return false
			}
		}
	}
	return true
}
