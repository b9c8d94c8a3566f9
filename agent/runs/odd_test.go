package runs_test

import (
	"errors"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/internal/oddlog"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// logOf does a task up to its first step, or to its end, and returns its log.
func logOf(t testing.TB, first bool) ([]runs.Record, map[string]engine.Variable) {
	t.Helper()
	store := runs.NewMemory()
	vars := begin(t, agent.Config{Store: store}, first).Variables
	names, err := store.Runs(t.Context())
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	records, err := store.Load(t.Context(), names[0])
	if err != nil {
		t.Fatal(err)
	}
	return records, vars
}

// stored is a store with a log.
func stored(t *testing.T, log []runs.Record) runs.Store {
	t.Helper()
	store := runs.NewMemory()
	for _, r := range log {
		if err := store.Append(t.Context(), "odd", r); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// FuzzOddLog: whatever a log says that can be read, to load it and to recover its run
// ends, with a result or with an error.
func FuzzOddLog(f *testing.F) {
	oddlog.Seeds(func(change byte, at, number int, text string) {
		if at/2%chrometest.Thin(4) == 0 { // of a whole log and of a short one
			f.Add(change, at, number, text, at%2 == 0)
		}
	}, 16)
	log, vars := logOf(f, false)
	short, _ := logOf(f, true)
	f.Fuzz(func(t *testing.T, change byte, at, number int, text string, over bool) {
		whole := short
		if over {
			whole = log
		}
		odd, ok := oddlog.Apply(whole, oddlog.Change(change), at, number, text)
		if !ok {
			return
		}
		store := stored(t, odd)
		saved, err := agent.Load(t.Context(), store, "odd")
		if err != nil {
			return
		}
		saved.Task.WaitBetweenActions = 0
		if result, err := goOn(t, agent.Config{Store: store}, saved, vars); result == nil && err == nil {
			t.Error("neither a result nor an error")
		}
	})
}

// TestOddSteps: a log with a step that cannot come there is damaged: nothing is done, and
// nothing is called done.
func TestOddSteps(t *testing.T) {
	records, vars := logOf(t, false)
	at := map[string]int{}
	for i, r := range records {
		if _, ok := at[r.Kind]; !ok {
			at[r.Kind] = i
		}
	}
	set := func(kind, data string) []runs.Record {
		out := append([]runs.Record(nil), records...)
		out[at[kind]].Data = []byte(data)
		return out
	}
	for name, log := range map[string][]runs.Record{
		"a step far above the next": set("ended", `{"action":{"step":99}}`),
		"a step before the first":   set("ended", `{"action":{"step":0}}`),
		"a step of no call":         set("ended", `{"action":{"step":1,"parent":-4}}`),
		"input of a far step":       set("intended", `{"step":99}`),
		"input of no step":          set("intended", `{"step":-1}`),
		"input of a later call":     set("intended", `{"step":9,"parent":8}`),
	} {
		t.Run(name, func(t *testing.T) {
			odd := stored(t, log)
			saved, err := agent.Load(t.Context(), odd, "odd")
			if err != nil {
				t.Fatal(err)
			}
			if result, err := goOn(t, agent.Config{Store: odd}, saved, vars); result != nil || !errors.Is(err, runs.ErrDamaged) {
				t.Errorf("Recover = %v, %v, want none and %v", result != nil, err, runs.ErrDamaged)
			}
		})
	}
}
