package runs

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	logs "github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server"
)

// keysOf returns keys made of a letter.
func keysOf(t *testing.T, letter string) *server.SealingKeys {
	t.Helper()
	keys, err := server.ParseSealingKeys(strings.NewReader(strings.Repeat(letter, 64)))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// TestSealedRecord: what an agent writes is read again by who has the key, also
// where it was long, or written twice; nobody else reads it, and the store has none
// of it in clear.
func TestSealedRecord(t *testing.T) {
	var memory fleet.Memory
	q, err := fleet.NewQueue(t.Context(), &memory, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, _, err := q.Enqueue(t.Context(), fleet.Request{Payload: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	c, err := q.Claim(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Log(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s := &record{claim: c, keys: keysOf(t, "a")}
	var want []logs.Record
	for n, size := range []int{10, longestPart + 1000, 20} {
		value := []byte("secret")
		for i := 0; len(value) < size; i++ { // no two parts are the same, as of real seals
			value = fmt.Append(value, i)
		}
		r := logs.Record{Revision: n + 1, Data: fmt.Appendf(nil, `{"cookie":%q}`, value)}
		want = append(want, r)
		if err := s.Append(context.Background(), c.Job.ID, r); err != nil {
			t.Fatal(err)
		}
	}
	records, err := fleet.List(t.Context(), &memory, "runs.")
	if err != nil || len(records) < 4 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, r := range records {
		if strings.Contains(string(r.Value), "secret") {
			t.Errorf("%s has the secret in clear", r.Key)
		}
	}
	if err := c.GiveUp(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if c, err = q.Claim(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	lines, err := c.Log(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var twice []fleet.LogLine
	for _, l := range lines {
		twice = append(twice, l, l)
	}
	for _, read := range [][]fleet.LogLine{lines, twice} {
		again := &record{claim: c, keys: keysOf(t, "a")}
		if _, err := again.read(read); err != nil {
			t.Error(err)
		}
		if !reflect.DeepEqual(want, again.past) {
			t.Errorf("%d records are read, of %d", len(again.past), len(want))
		}
	}
	for _, keys := range []*server.SealingKeys{nil, keysOf(t, "b")} {
		if _, err := (&record{claim: c, keys: keys}).read(lines); !errors.Is(err, errSealed) {
			t.Errorf("read with keys (%v) = %v, want %v", keys != nil, err, errSealed)
		}
	}
}

// TestRecordWithAGap: a log of which a line is missing is not taken for a shorter one, and
// what was written twice counts once, though it is not encrypted.
func TestRecordWithAGap(t *testing.T) {
	var memory fleet.Memory
	q, err := fleet.NewQueue(t.Context(), &memory, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if _, _, err := q.Enqueue(t.Context(), fleet.Request{Payload: []byte("{}")}); err != nil {
		t.Fatal(err)
	}
	c, err := q.Claim(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Log(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	s := &record{claim: c}
	const records = 4
	for n, size := range []int{10, 2*longestPart + 1000, 20, longestPart + 10} {
		data := fmt.Appendf(nil, `{"text":%q}`, strings.Repeat("a", size))
		if err := s.Append(t.Context(), c.Job.ID, logs.Record{Revision: n + 1, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.GiveUp(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if c, err = q.Claim(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	lines, err := c.Log(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var twice []fleet.LogLine
	for i, l := range lines {
		twice = append(twice, l, l)
		without := &record{claim: c}
		_, err := without.read(slices.Delete(slices.Clone(lines), i, i+1))
		if len(without.past) == records || err == nil && i < len(lines)-2 {
			t.Errorf("without line %d of %d: %d records, %v", i+1, len(lines), len(without.past), err)
		}
		if err != nil && !errors.Is(err, fleet.ErrDamaged) {
			t.Error(err)
		}
	}
	again := &record{claim: c}
	if _, err := again.read(twice); err != nil || len(again.past) != records {
		t.Errorf("of what was written twice %d records are read, of %d: %v", len(again.past), records, err)
	}
}
