package knowledge_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/knowledge"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// looking are a note that is too long to be taken, a program that holds a value, and
// a note.
func looking() []llm.ToolCall {
	return []llm.ToolCall{
		call("remember", args{"note": strings.Repeat("x", 501)}),
		call("run", args{"program": "pin = \"" + pin + "\"\n" + look}),
		call("remember", args{"note": "the lamps are a list"}),
	}
}

const pin = "tr0ub4dor&three"

// counted claims what the program did.
func counted() llm.ToolCall {
	return call("done", args{"success": true, "message": "so be it", "criteria": []any{args{"criterion": "it is so", "evidence": []any{args{"kind": "action", "step": 2}}}}})
}

// TestLearnedBeforeTheProcessDied: wherever a run is cut, what it had learned by
// then is kept when another process ends it well, and once.
func TestLearnedBeforeTheProcessDied(t *testing.T) {
	store, log := knowledge.Memory(), runs.NewMemory()
	work := func(log runs.Store, known knowledge.Store, saved *agent.Saved, model *script) *agent.Result {
		t.Helper()
		session, err := engine.Open(t.Context(), web, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		cfg := agent.Config{Model: model, Store: log, Tools: []agent.Tool{program.Tool(program.Limits{})}}
		a, err := agent.New(knowledge.Use(cfg, known, nil))
		if err != nil {
			t.Fatal(err)
		}
		task := agent.Task{Instruction: "count the red lamps", Variables: map[string]engine.Variable{"pin": {Value: pin}}}
		steps := a.Run(t.Context(), session.Page(), task)
		if saved != nil {
			saved.Task.Variables = task.Variables // which no log holds
			steps = a.Recover(t.Context(), session.Page(), saved.Task, saved)
		} else if _, err := session.Page().Navigate(t.Context(), "https://a.test/", nil); err != nil {
			t.Fatal(err)
		}
		var result *agent.Result
		for step, err := range steps {
			if err != nil {
				t.Fatal(err)
			}
			result = step.Result
		}
		return result
	}
	first := &script{calls: append(looking(), counted())}
	whole := work(log, store, nil, first)
	if n := len(site(t, store, "https://a.test").Entries); n != 2 {
		t.Fatalf("%d entries are kept, want a note and a program", n)
	}
	records, err := log.Load(t.Context(), whole.ID)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(records); n++ {
		cut, known := runs.NewMemory(), knowledge.Memory()
		answered := 0
		for _, rec := range records[:n] {
			if err := cut.Append(t.Context(), whole.ID, rec); err != nil {
				t.Fatal(err)
			}
			if rec.Kind == "answered" {
				answered++
			}
		}
		saved, err := agent.Load(t.Context(), cut, whole.ID)
		if err != nil {
			t.Fatal(err)
		}
		if saved.Over {
			continue
		}
		calls := append(looking(), counted())[min(answered, 3):]
		result, want := work(cut, known, saved, &script{calls: calls}), 2
		for _, a := range result.Actions {
			if a.Status == agent.Unknown && a.Step > 1 { // nothing is learned of what is not known
				want--
			}
		}
		if !result.Success {
			want = 0 // of a program of which it is not known
		}
		if got := site(t, known, "https://a.test").Entries; len(got) != want || !result.Success && records[n-1].Kind != "intended" && records[n-1].Kind != "ended" {
			t.Errorf("cut after record %d (%s): %d entries are kept, want %d: %+v", n, records[n-1].Kind, len(got), want, got)
		}
		for _, e := range site(t, known, "https://a.test").Entries {
			if e.Program != "" && !strings.HasPrefix(e.Program, `pin = "%pin%"`) {
				t.Errorf("cut after record %d (%s): the program is kept as %q", n, records[n-1].Kind, e.Program)
			}
		}
	}
}
