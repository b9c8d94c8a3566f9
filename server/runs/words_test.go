package runs_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server/runs"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A quitter is a model that gives a task up, in words of its own.
type quitter struct{ says string }

func (q quitter) Name() string { return "openai/gpt-5" }

func (q quitter) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	arguments, err := json.Marshal(map[string]any{"success": false, "message": q.says})
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: "1", Name: "done", Arguments: arguments}}}, err
}

// TestWordsOfAModel: no words of a model, or of a page that it repeats, decide whether a
// run is over. Each sentence is one that the service itself says of a session's end.
func TestWordsOfAModel(t *testing.T) {
	for _, says := range []string{
		"The page says: the server is shutting down for maintenance.",
		"The page says: the session is gone with the node that had it; start another",
		"The page says: the session's browser is gone, and the session with it; start another",
	} {
		s := serve(t, new(fleet.Memory), quitter{says}, &runs.Options{Workers: 1})
		run := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
		all := s.events("a", run.ID)
		last := all[len(all)-1].Run
		if last.Status != wire.RunFailed || last.Error == nil || last.Error.Code != wire.AgentFailed || len(last.Result) == 0 {
			t.Errorf("%q: the run is %s, %+v, with the result %s", says, last.Status, last.Error, last.Result)
		}
		begun := 0
		for _, e := range all {
			if e.Type == "begun" || e.Type == "resumed" {
				begun++
			}
		}
		if begun != 1 {
			t.Errorf("%q: the run was begun %d times", says, begun)
		}
	}
}

// A claimer is a model that does nothing and calls the task done.
type claimer struct{ quitter }

func (c claimer) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	arguments, err := json.Marshal(map[string]any{"success": true, "message": c.says, "criteria": []any{}})
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: "1", Name: "done", Arguments: arguments}}}, err
}

// TestUnproven: a run that nothing proves is over without an error and without a
// success; one that its model gave up has failed.
func TestUnproven(t *testing.T) {
	for name, c := range map[string]struct {
		model   llm.Model
		status  wire.RunStatus
		verdict string
	}{
		"claimed":  {claimer{quitter{"ordered"}}, wire.RunCompleted, "unproven"},
		"given up": {quitter{"there is no order"}, wire.RunFailed, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, new(fleet.Memory), c.model, &runs.Options{Workers: 1})
			run := s.call(201, "a", "POST", "/v1/runs", `{"task":"order","url":"https://shop.test/"}`)
			all := s.events("a", run.ID)
			last := all[len(all)-1].Run
			var result wire.AgentResult
			if err := json.Unmarshal(last.Result, &result); err != nil {
				t.Fatal(err)
			}
			if last.Status != c.status || (last.Error == nil) != (c.status == wire.RunCompleted) || result.Success || result.Metadata["verdict"] != c.verdict {
				t.Errorf("the run is %s, %+v, success %t, %v", last.Status, last.Error, result.Success, result.Metadata["verdict"])
			}
			if got := s.call(200, "a", "GET", "/v1/runs/"+run.ID, ""); got.Status != c.status || got.Ended == nil {
				t.Errorf("GET = %s, want %s", got.Status, c.status)
			}
		})
	}
}
