package knowledge

import (
	"context"
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// mostReplayed are the steps of a replay.
const mostReplayed = 200

// A replayer is a model that runs one program, and stops.
type replayer struct {
	program string
	began   bool
}

func (*replayer) Name() string { return "wayfinder/replay" }

func (r *replayer) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	call := llm.ToolCall{ID: "done", Name: "done"}
	var arguments any = map[string]any{"success": false, "message": "replayed", "criteria": []any{}}
	if !r.began {
		call, arguments = llm.ToolCall{ID: "run", Name: "run"}, map[string]any{"program": r.program}
	}
	r.began = true
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	call.Arguments = raw
	return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{call}, Usage: llm.Usage{Input: llm.Estimate(req)}}, nil
}
