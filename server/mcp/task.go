package mcp

import (
	"context"
	"errors"
	"iter"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// later and askLater have a run end with what it waits for. The user is asked between
// two rounds of the call, where the client can ask.
func later(context.Context, agent.Approval) error      { return agent.ErrLater }
func askLater(context.Context, string) (string, error) { return "", agent.ErrLater }

type (
	agentIn struct {
		inSession
		Task       string   `json:"task" jsonschema:"what to do, in words"`
		MaxSteps   int      `json:"max_steps,omitempty" jsonschema:"the most calls of tools; 0 is 20"`
		MaxCost    float64  `json:"max_cost,omitempty" jsonschema:"the most US dollars; 0 is no bound"`
		Checks     []string `json:"checks,omitempty" jsonschema:"conditions that alone decide whether the task succeeded: address=…, shown=…, gone=…, request=POST /order 200"`
		Background bool     `json:"background,omitempty" jsonschema:"return at once; agent_status reports on it"`
	}
	statusIn struct {
		inSession
		Run         string  `json:"run" jsonschema:"the handle that agent returned"`
		WaitSeconds float64 `json:"wait_seconds,omitempty" jsonschema:"wait up to this long for its end"`
	}
)

func runAgent(ctx context.Context, c *call, in agentIn) (agentOut, error) {
	if id := c.request.Params.RequestState; id != "" { // a further round of the same call
		return c.goOn(ctx, id)
	}
	if strings.TrimSpace(in.Task) == "" {
		return agentOut{}, errors.New("task is empty: say what to do")
	}
	if in.MaxSteps < 0 || in.MaxCost < 0 {
		return agentOut{}, errors.New("max_steps and max_cost are above zero, or 0")
	}
	task := agent.Task{Instruction: in.Task, MaxSteps: in.MaxSteps, MaxCost: in.MaxCost}
	for _, text := range in.Checks {
		check, err := agent.ParseCheck(text)
		if err != nil {
			return agentOut{}, err
		}
		task.Checks = append(task.Checks, check)
	}
	r := c.runs.add(c.session, c.page, task)
	c.runs.begin(ctx, r, func(ctx context.Context) iter.Seq2[agent.Step, error] {
		return c.runs.agent.Run(ctx, r.page, r.task)
	})
	if in.Background {
		out, _, _ := c.runs.report(r) // it has just begun
		return out, nil
	}
	return c.follow(ctx, r)
}

func agentStatus(ctx context.Context, c *call, in statusIn) (agentOut, error) {
	if id := c.request.Params.RequestState; id != "" {
		return c.goOn(ctx, id)
	}
	r, err := c.runs.find(c.caller, in.Run)
	if err != nil {
		return agentOut{}, err
	}
	if in.WaitSeconds < 0 {
		return agentOut{}, errors.New("wait_seconds is above zero, or 0")
	}
	wait, cancel := context.WithTimeout(ctx, seconds(in.WaitSeconds))
	defer cancel()
	c.await(wait, r, false)
	return c.settle(ctx, r)
}

// severalRounds is the revision from which a call asks by ending early.
const severalRounds = "2026-07-28"

// elicitation asks a client's user what a run waits for.
func elicitation(p *agent.Pending) *sdk.ElicitParams {
	property := map[string]any{"type": "string", "title": "Answer"}
	message := p.Question
	if p.Kind == agent.PendingApproval {
		property = map[string]any{"type": "boolean", "title": "Approve"}
		message = approvalText(p.Approval)
	}
	return &sdk.ElicitParams{Mode: "form", Message: message, RequestedSchema: map[string]any{
		"type": "object", "properties": map[string]any{asked: property}, "required": []string{asked},
	}}
}

// decisionOf is what a user has said: anything but a clear yes is a no.
func decisionOf(said *sdk.ElicitResult) agent.Decision {
	switch v := said.Content[asked].(type) {
	case string:
		if said.Action == "accept" {
			return agent.Decision{Answer: v, Approved: false}
		}
	case bool:
		if said.Action == "accept" && v {
			return agent.Decision{Approved: true}
		}
	}
	return agent.Decision{Reason: "the user said no (" + said.Action + ")"}
}
