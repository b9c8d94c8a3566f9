// Package oddlog changes the log of a run as no checksum shows it: each record can be
// read, and what it says is odd. Tests hold what reads logs against it.
package oddlog

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
)

// A Change is what becomes of a log.
type Change byte

// The changes. Which number, text or value is counted through the records of the log.
const (
	Number Change = iota // a number in a record's data becomes another
	Text                 // a text becomes another
	Null                 // a value is none
	Gone                 // a record is not there
	Twice                // a record comes again after itself
	Later                // a record comes after the next one
	Cut                  // the log ends before a record
	Changes
)

// Apply returns the records with the change at its place, with revisions that follow each
// other. ok is false where the log has no such place.
func Apply(records []runs.Record, change Change, at, number int, text string) (out []runs.Record, ok bool) {
	out = slices.Clone(records)
	switch change {
	case Number, Text, Null:
		for i := range out {
			data, left := edit(out[i].Data, change, at, number, text)
			if left < 0 {
				out[i].Data = data
				return out, true
			}
			at = left
		}
		return nil, false
	}
	if at < 0 || at >= len(out) || change == Later && at+1 == len(out) {
		return nil, false
	}
	switch change {
	case Gone:
		out = slices.Delete(out, at, at+1)
	case Twice:
		out = slices.Insert(out, at, out[at])
	case Later:
		out[at], out[at+1] = out[at+1], out[at]
	case Cut:
		out = out[:at]
	default:
		return nil, false
	}
	for i := range out {
		out[i].Revision = i + 1
	}
	return out, len(out) > 0
}

// edit changes a value of a JSON text. left is how many places are still to be counted
// after it, and negative once the change is done.
func edit(data []byte, change Change, at, number int, text string) (_ []byte, left int) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return data, at
	}
	value = walk(value, func(v any) (any, bool) {
		_, isNumber := v.(json.Number)
		_, isText := v.(string)
		if change == Number && !isNumber || change == Text && !isText {
			return v, false
		}
		at--
		switch {
		case at != -1:
			return v, false
		case change == Number:
			return number, true
		case change == Text:
			return text, true
		}
		return nil, true
	})
	if at >= 0 {
		return data, at
	}
	changed, err := json.Marshal(value)
	if err != nil {
		return data, at // what was JSON is JSON
	}
	return changed, -1
}

// walk gives each value to f, the outer ones first, in the order of the members' names.
func walk(value any, f func(any) (any, bool)) any {
	value, done := f(value)
	if done {
		return value
	}
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = walk(v[i], f)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = walk(v[name], f)
		}
	}
	return value
}

// Seeds are the changes that a fuzzer begins with: each kind, at places throughout a log.
func Seeds(add func(change byte, at, number int, text string), places int) {
	for change := range Changes {
		numbers := []int{0}
		if change == Number {
			numbers = []int{-1, 0, 1, 99, 1 << 40}
		}
		for at := range places {
			for _, n := range numbers {
				add(byte(change), at, n, "odd")
			}
		}
	}
}
