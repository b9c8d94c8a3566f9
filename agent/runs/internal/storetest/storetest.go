// Package storetest holds stores of runs to their contract.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/runs"
)

// Run checks a store. open opens it, as another process would, each time on the
// same runs; none are in it at first.
func Run(t *testing.T, open func(t *testing.T) runs.Store) {
	ctx := t.Context()
	store := open(t)
	at := time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)
	rec := func(revision int) runs.Record {
		return runs.Record{Revision: revision, Kind: "k", Time: at, Data: json.RawMessage(fmt.Sprintf(`{"n":%d,"line":"a\nb"}`, revision))}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Load(ctx, "none"); !errors.Is(err, runs.ErrNotFound) {
		t.Errorf("Load of a run that is not there = %v, want ErrNotFound", err)
	}
	if err := store.Append(ctx, "none", rec(2)); !errors.Is(err, runs.ErrConflict) {
		t.Errorf("Append of record 2 to no log = %v, want ErrConflict", err)
	}
	for n := 1; n <= 3; n++ {
		must(store.Append(ctx, "a", rec(n)))
	}
	must(store.Append(ctx, "b", rec(1)))
	for _, n := range []int{0, 1, 3, 5} {
		if err := store.Append(ctx, "a", rec(n)); !errors.Is(err, runs.ErrConflict) {
			t.Errorf("Append of record %d to a log of 3 = %v, want ErrConflict", n, err)
		}
	}
	other := open(t)
	log, err := other.Load(ctx, "a")
	must(err)
	if len(log) != 3 || log[2].Revision != 3 || log[2].Kind != "k" || !log[2].Time.Equal(at) || string(log[2].Data) != string(rec(3).Data) {
		t.Errorf("Load = %+v, want the three records", log)
	}
	must(other.Append(ctx, "a", rec(4)))
	if err := store.Append(ctx, "a", rec(4)); !errors.Is(err, runs.ErrConflict) {
		t.Errorf("Append after another process = %v, want ErrConflict", err)
	}
	must(store.Append(ctx, "a", rec(5)))
	names, err := store.Runs(ctx)
	must(err)
	if !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("Runs = %q, want a, b", names)
	}
	must(store.Remove(ctx, "a"))
	must(store.Remove(ctx, "a"))
	if _, err := other.Load(ctx, "a"); !errors.Is(err, runs.ErrNotFound) {
		t.Errorf("Load of what was removed = %v, want ErrNotFound", err)
	}
	must(other.Append(ctx, "a", rec(1)))
	for _, name := range []string{"", "../a", "a/b", "a.b", strings.Repeat("a", 65)} {
		if err := store.Append(ctx, name, rec(1)); err == nil {
			t.Errorf("Append to %q = nil, want an error", name)
		}
		if _, err := store.Load(ctx, name); err == nil {
			t.Errorf("Load of %q = nil, want an error", name)
		}
	}
	ended, end := context.WithCancel(ctx)
	end()
	if err := store.Append(ended, "b", rec(2)); err == nil {
		t.Error("Append with a context that has ended = nil, want an error")
	}
	race(t, open, rec)
}

// race has several owners add the same records: of each one gets in.
func race(t *testing.T, open func(t *testing.T) runs.Store, rec func(int) runs.Record) {
	const owners, records = 4, 8
	var wins [records + 1]atomic.Int32
	var all sync.WaitGroup
	for range owners {
		store := open(t)
		all.Go(func() {
			for n := 1; n <= records; n++ {
				switch err := store.Append(t.Context(), "race", rec(n)); {
				case err == nil:
					wins[n].Add(1)
				case !errors.Is(err, runs.ErrConflict):
					t.Errorf("Append = %v, want nil or ErrConflict", err)
				}
			}
		})
	}
	all.Wait()
	for n := 1; n <= records; n++ {
		if got := wins[n].Load(); got != 1 {
			t.Errorf("record %d was written by %d owners, want one", n, got)
		}
	}
	if log, err := open(t).Load(t.Context(), "race"); err != nil || len(log) != records {
		t.Errorf("Load after the race = %d records, %v, want %d", len(log), err, records)
	}
}
