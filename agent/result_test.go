package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// TestResultJSON: a result is written as the interface has it, and read back whole.
func TestResultJSON(t *testing.T) {
	was := &agent.Result{
		ID: "r1", Success: true, Completed: true, Message: "ordered", Actions: []agent.Action{},
		Metadata: agent.Metadata{
			End: agent.EndDone, Mode: agent.DOM, Model: "script/test", Turns: 2, Steps: 3, Cost: 0.5, DurationMs: 1500,
			Changed: true, Ungrounded: []engine.Ungrounded{{Pointer: "/price", Degree: engine.Unproven, Reason: "said elsewhere"}}, Verdict: agent.Unproven, Open: []agent.OpenPart{{Text: "pay", Reason: "nothing was sent"}},
		},
	}
	raw, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	var members struct {
		Metadata map[string]any `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"mode": "dom", "model": "script/test", "turns": 2.0, "steps": 3.0, "costUSD": 0.5, "durationMs": 1500.0,
		"changed": true, "ungrounded": []any{map[string]any{"pointer": "/price", "degree": "unproven", "reason": "said elsewhere"}}, "end": "done", "verdict": "unproven", "open": []any{map[string]any{"text": "pay", "reason": "nothing was sent"}},
	}
	if !reflect.DeepEqual(members.Metadata, want) {
		t.Errorf("metadata = %v, want %v", members.Metadata, want)
	}
	var now agent.Result
	if err := json.Unmarshal(raw, &now); err != nil || !reflect.DeepEqual(&now, was) {
		t.Errorf("Unmarshal(Marshal(r)) = %+v, %v, want %+v", now, err, *was)
	}
}

// TestCanceledWithCause: a run whose context was canceled with a cause says both,
// wherever it was by then.
func TestCanceledWithCause(t *testing.T) {
	cause := errors.New("the user closed the window")
	for _, where := range []string{"a tool", "a wait", "a question"} {
		t.Run(where, func(t *testing.T) {
			page := counter(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			stop := agent.Tool{Name: "stop", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`), Run: func(ctx context.Context, _ *agent.Call) (*agent.Answer, error) {
				cancel(cause)
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			hooks := &agent.Hooks{StepBegan: func(ctx context.Context, s agent.Step) context.Context {
				if s.Action.Type == "wait" {
					cancel(cause)
				}
				return ctx
			}}
			model := endless(t, func(req *llm.Request) []llm.ToolCall {
				switch where {
				case "a tool":
					return []llm.ToolCall{call(req, "stop", args{})}
				case "a wait":
					return []llm.ToolCall{call(req, "wait", args{"for": "text", "value": "never"})}
				}
				cancel(cause)
				return []llm.ToolCall{call(req, "think", args{"thought": "hm"})}
			})
			a, err := agent.New(agent.Config{Model: model, Tools: []agent.Tool{stop}, Hooks: hooks})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(ctx, page, agent.Task{Instruction: "count"})
			if !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || result.End != agent.EndCanceled {
				t.Errorf("err = %v, end %q, want canceled and its cause", err, result.End)
			}
			if open := slices.ContainsFunc(result.Actions, func(a agent.Action) bool { return a.Status == agent.Unknown }); open != (where == "a tool") {
				t.Errorf("actions: %s", steps(result))
			}
		})
	}
}
