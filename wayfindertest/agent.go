package wayfindertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// AgentOptions are what a step "agent" needs beside its instruction, which is the
// task, and its schema, which is that of the output.
type AgentOptions struct {
	Mode         agent.Mode    `json:"mode,omitempty"`
	Programs     bool          `json:"programs,omitempty"` // the tool run was there
	Instructions string        `json:"instructions,omitempty"`
	Context      string        `json:"context,omitempty"`
	Exclude      []string      `json:"exclude,omitempty"`
	NeedApproval []agent.Class `json:"needApproval,omitempty"`
	AllowedHosts []string      `json:"allowedHosts,omitempty"`
	PageTools    []string      `json:"pageTools,omitempty"`
	Person       bool          `json:"person,omitempty"` // somebody could be asked
	MaxSteps     int           `json:"maxSteps,omitempty"`
	MaxFailures  int           `json:"maxFailures,omitempty"`
	MaxTokens    int           `json:"maxTokens,omitempty"`
	MaxCost      float64       `json:"maxCost,omitempty"`
	ToolTimeout  time.Duration `json:"toolTimeout,omitempty"`
}

// errNobody is what a person's answer is in a replay.
var errNobody = errors.New("nobody can be asked in a replay")

// agent does a task, and returns its steps and its end, a line each.
func (s *Step) agent(ctx context.Context, page *engine.Page, vars map[string]engine.Variable) (string, error) {
	o := s.Agent
	if o == nil {
		o = &AgentOptions{}
	}
	cfg := agent.Config{Mode: o.Mode, Instructions: o.Instructions, Exclude: o.Exclude, NeedApproval: o.NeedApproval, AllowedHosts: o.AllowedHosts, PageTools: o.PageTools}
	if o.Programs {
		cfg.Tools = []agent.Tool{program.Tool(program.Limits{})}
	}
	if o.Person {
		cfg.Ask = func(context.Context, string) (string, error) { return "", errNobody }
		cfg.Approve = func(context.Context, agent.Approval) error { return errNobody }
	}
	a, err := agent.New(cfg)
	if err != nil {
		return "", err
	}
	task := agent.Task{
		Instruction: s.Instruction, Context: o.Context, Variables: vars,
		MaxSteps: o.MaxSteps, MaxFailures: o.MaxFailures, MaxTokens: o.MaxTokens, MaxCost: o.MaxCost, ToolTimeout: o.ToolTimeout,
	}
	if s.Schema != nil {
		if task.Output, err = schema.Parse(s.Schema); err != nil {
			return "", err
		}
	}
	result, err := a.Execute(ctx, page, task)
	return AgentText(result), err
}

// AgentText is what a bundle holds of an agent's run for [Replay] to compare: its
// steps and its end, a line each. It is empty without a result.
func AgentText(r *agent.Result) string {
	if r == nil {
		return ""
	}
	var b strings.Builder
	for i := range r.Actions {
		a := &r.Actions[i]
		fmt.Fprintf(&b, "%d. %s, %s: %s\n", a.Step, a.Type, a.Status, oneLine(a.Message))
	}
	fmt.Fprintf(&b, "success %t, completed %t: %s\n", r.Success, r.Completed, oneLine(r.Message))
	return b.String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
