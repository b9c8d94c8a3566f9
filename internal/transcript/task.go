package transcript

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

//go:embed task.txt
var task string

// Task has an agent do a whole task with a server that speaks a vendor's wire
// format, and holds its steps against what is written down: in one piece and
// streamed, for every vendor.
func Task(t *testing.T, h llmtest.Harness) {
	for name, streamed := range map[string]bool{"a task in one piece": false, "a task streamed": true} {
		t.Run(name, func(t *testing.T) { do(t, h, streamed) })
	}
}

func do(t *testing.T, h llmtest.Harness, streamed bool) {
	session := open(t, nil)
	cfg := agent.Config{Model: h.New(t, serve(t, h, (&worker{t, streamed}).answer))}
	pieces := 0
	if streamed {
		cfg.Hooks = &agent.Hooks{Said: func(context.Context, llm.Delta) { pieces++ }}
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{
		Instruction: "add three large ones to the cart with the code %c%",
		Variables:   map[string]engine.Variable{"c": {Value: code, Description: "the code"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if streamed && pieces == 0 {
		t.Error("no piece of an answer came")
	}
	var record strings.Builder
	for _, s := range result.Actions {
		fmt.Fprintf(&record, "%d %s %s: %s\n  %s\n", s.Step, s.Type, s.Status, s.Message, sorted(t, s.Arguments))
	}
	for _, c := range result.Criteria {
		fmt.Fprintf(&record, "criterion %q: %s %s\n", c.Text, c.Verdict, c.Reason)
	}
	fmt.Fprintf(&record, "completed %t, success %t: %s\n%d tokens in, %d out\n", result.Completed, result.Success, result.Message, result.Usage.Input, result.Usage.Output)
	compare(t, task, record.String())
}

// A worker is the model of a task.
type worker struct {
	t        *testing.T
	streamed bool
}

// answer is what the model says to all that it heard.
func (w *worker) answer(heard *llmtest.Heard) *llmtest.Said {
	if heard.Stream != w.streamed || !strings.Contains(heard.System, llm.FenceRule) || len(heard.Tools) < 20 {
		w.t.Errorf("the server heard %d tools, streamed %t, and the system prompt %q", len(heard.Tools), heard.Stream, heard.System)
	}
	var results []llmtest.Result
	outline := ""
	for _, turn := range heard.Turns {
		results = append(results, turn.Results...)
		if page := fenced.FindStringSubmatch(turn.Text); page != nil {
			outline = page[1]
		}
	}
	said := &llmtest.Said{Usage: llm.Usage{Input: 100 + len(results), Output: 10}}
	call := caller(w.t, said, len(results))
	switch len(results) {
	case 0:
		call("fillForm", map[string]any{"fields": []any{
			map[string]any{"ref": ref(w.t, outline, "textbox: Amount"), "value": "3"},
			map[string]any{"ref": ref(w.t, outline, "textbox: Code"), "value": "%c%"},
			map[string]any{"ref": ref(w.t, outline, "combobox: Size"), "value": "large"},
		}})
		call("click", map[string]any{"ref": ref(w.t, outline, "button: Add to cart")})
		call("click", map[string]any{"ref": ref(w.t, outline, "button: Delete")})
	case 3:
		call("find", map[string]any{"query": "Kettle", "role": "link"})
		call("think", map[string]any{"thought": "“Größe” \\ \n 世界 🫖"})
	case 5:
		call("done", map[string]any{"success": true, "message": "ordered", "criteria": []any{
			map[string]any{"criterion": "the cart has them", "evidence": []any{
				map[string]any{"kind": "request", "method": "GET", "address": "/cart?n=3", "status": 200},
				map[string]any{"kind": "text", "text": "Teapot"},
				map[string]any{"kind": "action", "step": 2},
			}},
		}})
	default:
		w.t.Errorf("the server heard %d results", len(results))
	}
	return said
}
