package script_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent/internal/oddlog"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
)

// sender is a site for twoSteps, which counts what it was sent.
func sender(posted *int) driver.Driver {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form method="post" action="/sent"><label>City <input name="city"></label><button>Go</button></form>`))
	})
	mux.HandleFunc("POST /sent", func(w http.ResponseWriter, _ *http.Request) {
		*posted++
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<h1>Sent</h1>`))
	})
	return fake.New(fake.Options{Handler: mux})
}

// sentOnce replays twoSteps and returns its log.
func sentOnce(t testing.TB) (s *script.Script, opts script.Options, log []runs.Record) {
	t.Helper()
	s, err := script.Parse([]byte(twoSteps))
	if err != nil {
		t.Fatal(err)
	}
	store := runs.NewMemory()
	opts = script.Options{Variables: map[string]engine.Variable{"city": {Value: "Bellinzona"}}, Store: store, Run: "a"}
	posted := 0
	if _, err := script.Replay(t.Context(), on(t, sender(&posted)), s, &opts); err != nil || posted != 1 {
		t.Fatal(err, posted)
	}
	if log, err = store.Load(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	opts.Store, opts.Run = nil, ""
	return s, opts, log
}

// recoverOf loads a log and recovers its replay.
func recoverOf(t *testing.T, s *script.Script, opts script.Options, log []runs.Record) (result *script.Result, posted int, err error) {
	t.Helper()
	store := runs.NewMemory()
	for _, r := range log {
		if err := store.Append(t.Context(), "a", r); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil {
		return nil, 0, err
	}
	result, err = script.Recover(t.Context(), on(t, sender(&posted)), s, &opts, saved)
	return result, posted, err
}

// FuzzOddLog: whatever a log says that can be read, to load it and to recover its replay
// ends; and where it ends without an error, all steps are there.
func FuzzOddLog(f *testing.F) {
	oddlog.Seeds(func(change byte, at, number int, text string) {
		if at%chrometest.Thin(4) == 0 {
			f.Add(change, at, number, text)
		}
	}, 40)
	s, opts, log := sentOnce(f)
	f.Fuzz(func(t *testing.T, change byte, at, number int, text string) {
		odd, ok := oddlog.Apply(log, oddlog.Change(change), at, number, text)
		if !ok {
			return
		}
		if result, _, err := recoverOf(t, s, opts, odd); err == nil && len(result.Steps) < 2 {
			t.Errorf("%d steps of 2, and no error", len(result.Steps))
		}
	})
}

// TestOddSteps: a log with a step that cannot come there is damaged: nothing is sent, and
// nothing is called done.
func TestOddSteps(t *testing.T) {
	s, opts, whole := sentOnce(t)
	var kinds string
	for _, r := range whole {
		kinds += r.Kind + " "
	}
	if want := "scripted arrived doing did doing did over "; kinds != want {
		t.Fatalf("the log has %s, want %s", kinds, want)
	}
	set := func(at int, data string) []runs.Record {
		out := append([]runs.Record(nil), whole...)
		out[at].Data = []byte(data)
		return out
	}
	without := func(change oddlog.Change, at int, log []runs.Record) []runs.Record {
		out, ok := oddlog.Apply(log, change, at, 0, "")
		if !ok {
			t.Fatal("no such place")
		}
		return out
	}
	for name, log := range map[string][]runs.Record{
		"a step far above the next":          set(3, `{"index":99,"result":{}}`),
		"a step that is left out":            set(3, `{"index":1,"result":{}}`),
		"a step before the first":            set(3, `{"index":-1,"result":{}}`),
		"input of a far step":                without(oddlog.Cut, 3, set(2, `{"index":99}`)),
		"input of a step before the first":   without(oddlog.Cut, 3, set(2, `{"index":-2,"changes":true}`)),
		"input of a step that is left out":   without(oddlog.Cut, 3, set(2, `{"index":1,"changes":true}`)),
		"an end without the step before it":  without(oddlog.Gone, 5, whole),
		"an end without any step":            append(append([]runs.Record(nil), whole[:2]...), runs.Record{Revision: 3, Kind: "over", Data: whole[6].Data}),
		"steps of a start that never opened": without(oddlog.Gone, 1, without(oddlog.Cut, 4, whole)),
	} {
		t.Run(name, func(t *testing.T) {
			if result, posted, err := recoverOf(t, s, opts, log); !errors.Is(err, runs.ErrDamaged) || posted != 0 {
				t.Errorf("Recover = %v, %v, want %v; %d were sent", result != nil, err, runs.ErrDamaged, posted)
			}
		})
	}
}
