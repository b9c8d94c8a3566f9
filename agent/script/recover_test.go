package script_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
)

const twoSteps = `{"wayfinder": "script", "version": 1, "start": "` + start + `", "variables": ["city"], "steps": [{"step": "1", "do": "fill", "target": {"role": "textbox", "name": "City"}, "arguments": ["%city%"], "expect": {"effect": "value"}},
	{"step": "2", "do": "click", "target": {"role": "button", "name": "Go"}, "expect": {"requests": ["POST /sent"], "texts": ["Sent"]}}]}`

// TestRecoverTakesWhatItBeganWith: another script, another start, other files and
// missing values are refused before anything is done, and so is a run that is not a
// script's.
func TestRecoverTakesWhatItBeganWith(t *testing.T) {
	var posted atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<form method="post" action="/sent"><label>City <input name="city"></label><button>Go</button></form>`))
	})
	mux.HandleFunc("POST /sent", func(w http.ResponseWriter, r *http.Request) {
		posted.Add(1)
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<h1>Sent to ` + r.FormValue("city") + `</h1>`))
	})
	open := func() *engine.Page {
		session, err := engine.Open(t.Context(), fake.New(fake.Options{Handler: mux}), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		return session.Page()
	}
	s, err := script.Parse([]byte(twoSteps))
	if err != nil {
		t.Fatal(err)
	}
	store, vars := runs.NewMemory(), map[string]engine.Variable{"city": {Value: "Bellinzona"}}
	opts := &script.Options{Variables: vars, Store: store, Run: "a", Files: map[string][]byte{"f": []byte("x")}}
	if _, err := script.Replay(t.Context(), open(), s, opts); err != nil {
		t.Fatal(err)
	}
	if _, err := script.Replay(t.Context(), open(), s, opts); !errors.Is(err, runs.ErrConflict) || posted.Load() != 1 {
		t.Errorf("a second run of the name: %v, and %d were sent", err, posted.Load())
	}
	if _, err := script.Replay(t.Context(), open(), s, &script.Options{Variables: vars, Store: store, Run: "../a"}); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("a name that is a path: %v", err)
	}
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil || !saved.Over || len(saved.Variables) != 1 || len(saved.Files) != 1 {
		t.Fatalf("Load: %+v, %v", saved, err)
	}
	if err := saved.Prepare(&engine.Options{}, nil); !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), "%city%") {
		t.Errorf("without a value: %v", err)
	}
	other := *s
	other.Task = "another"
	for name, c := range map[string]struct {
		s     *script.Script
		opts  script.Options
		wrong string
	}{
		"another script": {&other, *opts, "another script"},
		"another start":  {s, script.Options{Variables: vars, Files: opts.Files, Start: "https://other.test/"}, "it began at " + start},
		"another file":   {s, script.Options{Variables: vars, Files: map[string][]byte{"f": []byte("y")}}, "the file f"},
		"no value":       {s, script.Options{Files: opts.Files}, `the variable "city"`},
	} {
		if r, err := script.Recover(t.Context(), open(), c.s, &c.opts, saved); r != nil || !errors.Is(err, engine.ErrInvalid) || !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	r, err := script.Recover(t.Context(), open(), s, opts, saved)
	if err != nil || len(r.Steps) != 2 || r.Steps[1].Outcome != script.Unchanged || posted.Load() != 1 {
		t.Errorf("a run that is over: %+v, %v; %d were sent", r, err, posted.Load())
	}
	if _, err := agent.Load(t.Context(), store, "a"); !errors.Is(err, runs.ErrFormat) || !strings.Contains(err.Error(), "script") {
		t.Errorf("as an agent's: %v", err)
	}
	if _, err := script.Recover(t.Context(), open(), s, opts, nil); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("no run: %v", err)
	}
}

// TestRefusedStaysRefused: a replay that was refused is over, and says the same in
// another process.
func TestRefusedStaysRefused(t *testing.T) {
	store := runs.NewMemory()
	web := fake.Web{start: `<button>Stop</button>`}
	s := one(t, `{"step": "1", "do": "click", "target": {"role": "button", "name": "Go"}, "expect": {}}`)
	_, first := script.Replay(t.Context(), on(t, web), s, &script.Options{Store: store, Run: "a"})
	saved, err := script.Load(t.Context(), store, "a")
	if err != nil || !saved.Over {
		t.Fatalf("Load: %+v, %v", saved, err)
	}
	r, again := script.Recover(t.Context(), on(t, web), s, nil, saved)
	if !errors.Is(again, script.ErrRefused) || again.Error() != first.Error() || len(r.Steps) != 1 {
		t.Errorf("Recover: %v, %+v; Replay: %v", again, r, first)
	}
}
