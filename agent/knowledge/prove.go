package knowledge

import (
	"context"
	"encoding/json"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// proved reports a program that did the same again, or has worked since it is offered.
func (e *Entry) proved() bool { return e.Program != "" && (e.Proved || e.Worked > 0) }

// prove has what a run wrote run again, each program in a session of its own, and keeps
// which of them ended well.
func (k *keeper) prove(ctx context.Context, list []learned) {
	for _, x := range list {
		if x.program == "" || x.began == "" || !k.replay(ctx, x) {
			continue
		}
		err := k.change(ctx, x.origin, func(s *Site) {
			for i := range s.Entries {
				s.Entries[i].Proved = s.Entries[i].Proved || s.Entries[i].Program == x.program
			}
		})
		if err != nil {
			k.log.WarnContext(ctx, "a proof of a program could not be kept", "origin", x.origin, "error", err)
		}
	}
}

// replay runs a program from where it began. Nobody is there to approve: what would change
// something is held and refused, and the program fails by it.
func (k *keeper) replay(ctx context.Context, x learned) bool {
	session, err := k.fresh(ctx)
	if err != nil {
		k.log.WarnContext(ctx, "no session could be opened to prove a program", "origin", x.origin, "error", err)
		return false
	}
	defer session.Close()
	if _, err := session.Page().Navigate(ctx, x.began, nil); err != nil {
		return false // the page that it began on is gone
	}
	a, err := agent.New(agent.Config{Model: &replayer{program: x.program}, Tools: []agent.Tool{*k.run}, NeedApproval: agent.Classes(), Flows: agent.FlowsAllow})
	if err != nil {
		return false
	}
	result, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "run the program again", MaxSteps: mostReplayed})
	return err == nil && len(result.Actions) > 0 && result.Actions[0].Status == agent.Done
}

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
