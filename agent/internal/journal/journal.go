// Package journal is what an agent, or a script, writes into the log of a run, and
// reads from it.
package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A Log writes the records of one run. A nil Log writes nothing. One goroutine at
// a time uses it.
type Log struct {
	Store    runs.Store
	Run      string
	Revision int                 // of the last record
	Hide     func(string) string // takes the values of variables out of a text
	browser  known
}

// Browser is the part of the browser's state that the log does not have yet, with the
// tabs of a run alone; nil if the log has all of it, and for a nil Log. page is the run's
// present page. Where the browser does not answer, the log keeps the state that it has: the
// run continues, and another process could continue from that state.
func (l *Log) Browser(ctx context.Context, own *owned.Pages, page *engine.Page) *Browser {
	if l == nil {
		return nil
	}
	return l.browser.now(ctx, own, page)
}

// Write adds an entry: a pointer to one of the types of this package. The values of
// variables that still stand in its texts are taken out.
func (l *Log) Write(ctx context.Context, entry any) error {
	if l == nil {
		return nil
	}
	kind, err := kindOf(entry)
	if err != nil {
		return err
	}
	data, err := json.Marshal(entry)
	if err == nil {
		data, err = MapTexts(data, l.Hide)
	}
	if err != nil {
		return fmt.Errorf("the log of the run: %w", err)
	}
	rec := runs.Record{Revision: l.Revision + 1, Kind: kind, Time: time.Now().UTC(), Data: data}
	if err := l.Store.Append(ctx, l.Run, rec); err != nil {
		return fmt.Errorf("the log of the run: %w", err)
	}
	l.Revision++
	return nil
}

// An Entry is a record as it was read.
type Entry struct {
	Revision int
	Time     time.Time
	Of       any // a pointer to one of the types of this package
}

// Read returns the entries of a log. Its first one has the format of all.
func Read(records []runs.Record) ([]Entry, error) {
	out := make([]Entry, 0, len(records))
	for _, rec := range records {
		kind, known := kinds[rec.Kind]
		if !known {
			return nil, fmt.Errorf("%w: record %d is of the kind %q, which this version of Wayfinder does not know", runs.ErrFormat, rec.Revision, rec.Kind)
		}
		entry := reflect.New(kind).Interface()
		if err := json.Unmarshal(rec.Data, entry); err != nil {
			return nil, fmt.Errorf("%w: record %d (%s): %w", runs.ErrDamaged, rec.Revision, rec.Kind, err)
		}
		if format := formatOf(entry); format != Format {
			return nil, fmt.Errorf("%w: %d, and this version of Wayfinder reads %d; take the version that wrote it", runs.ErrFormat, format, Format)
		}
		out = append(out, Entry{rec.Revision, rec.Time, entry})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: it is empty", runs.ErrDamaged)
	}
	switch out[0].Of.(type) {
	case *Began, *Scripted:
		return out, nil
	}
	return nil, fmt.Errorf("%w: it does not begin with the run's begin", runs.ErrDamaged)
}

// formatOf is the format that an entry names, of those that may come first.
func formatOf(entry any) int {
	switch e := entry.(type) {
	case *Began:
		return e.Format
	case *Scripted:
		return e.Format
	}
	return Format
}

// words are members whose values are words of ours, in which nothing is hidden: a
// value may be spelled as one of them.
var words = map[string]bool{"type": true, "kind": true, "status": true, "role": true, "method": true, "effect": true, "id": true}

// contents is the member below which sites write what they like, names of members
// and words included.
const contents = "indexedDB"

// MapTexts returns a JSON text with its strings changed by f, nil for f changes
// none. Numbers and names of members stay as they are; names change in contents.
func MapTexts(data []byte, f func(string) string) ([]byte, error) {
	if f == nil {
		return data, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(mapTexts(value, f, false)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

func mapTexts(value any, f func(string) string, all bool) any {
	switch v := value.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = mapTexts(v[i], f, all)
		}
	case map[string]any:
		if all {
			mapped := make(map[string]any, len(v))
			for name, inner := range v {
				mapped[f(name)] = mapTexts(inner, f, all)
			}
			return mapped
		}
		for name, inner := range v {
			if _, text := inner.(string); !text || !words[name] {
				v[name] = mapTexts(inner, f, name == contents)
			}
		}
	}
	return value
}
