package wayfindertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/llm"
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

	Messages      []llm.Message `json:"messages,omitempty"` // said before the task
	Checks        []agent.Check `json:"checks,omitempty"`
	NoScreenshots bool          `json:"noScreenshots,omitempty"`

	Flows []agent.AllowedFlow `json:"flows,omitempty"`
}

// AgentStep is an agent's task as a bundle notes it, so that [Replay] begins the same run.
// The caller adds what came of it, as [AgentText] has it, and its variables.
func AgentStep(c *agent.Config, t *agent.Task) Step {
	step := Step{Method: "agent", Instruction: t.Instruction, Agent: &AgentOptions{
		Mode: c.Mode, Instructions: c.Instructions, Exclude: slices.Concat(c.Exclude, t.Exclude), NeedApproval: c.NeedApproval,
		AllowedHosts: c.AllowedHosts, PageTools: c.PageTools, Person: c.Ask != nil,
		Programs: slices.ContainsFunc(c.Tools, func(t agent.Tool) bool { return t.Name == toolPrograms }),
		Context:  t.Context, MaxSteps: t.MaxSteps, MaxFailures: t.MaxFailures, MaxTokens: t.MaxTokens, MaxCost: t.MaxCost, ToolTimeout: t.ToolTimeout,
		Messages: t.Messages, Checks: t.Checks, Flows: t.Flows, NoScreenshots: t.NoScreenshots,
	}}
	if t.Output != nil {
		step.Schema = json.RawMessage(t.Output.String())
	}
	return step
}

// toolPrograms is the name of package program's tool.
const toolPrograms = "run"

// errNoPrograms is the error of a run whose model wrote programs, played without the tool for them.
var errNoPrograms = errors.New("wayfindertest: the run's model could write programs: give Replay, Rerun or Step.Do the tool program.Tool(program.Limits{})")

// errNobody is what a person's answer is in a replay.
var errNobody = errors.New("no person can be asked in a replay")

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
