package wayfindertest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Step is something that a run was asked to do, as a bundle notes it.
type Step struct {
	Method      string            `json:"method"`                // navigate, wait, act, do, observe, extract, agent, snapshot
	Instruction string            `json:"instruction,omitempty"` // of navigate: the address; of wait: the condition
	Tab         int               `json:"tab,omitempty"`         // which of the session's pages, from 1; 0 is the active one
	Action      *engine.Action    `json:"action,omitempty"`      // of do
	DeepPaths   bool              `json:"deepPaths,omitempty"`   // of act and do
	Schema      json.RawMessage   `json:"schema,omitempty"`      // of extract, and of an agent's output
	Direct      bool              `json:"direct,omitempty"`      // of extract with a schema: no model was asked
	Agent       *AgentOptions     `json:"agent,omitempty"`
	Selector    string            `json:"selector,omitempty"`
	Ignored     []string          `json:"ignored,omitempty"` // selectors that observe and extract leave out
	Frames      bool              `json:"frames,omitempty"`  // of extract, as what follows
	Screenshot  bool              `json:"screenshot,omitempty"`
	Strict      bool              `json:"strict,omitempty"`
	StrictAll   bool              `json:"strictAll,omitempty"`
	WaitUntil   driver.WaitUntil  `json:"waitUntil,omitempty"` // of navigate, as what follows
	Referer     string            `json:"referer,omitempty"`
	Variables   []string          `json:"variables,omitempty"` // names alone
	Described   map[string]string `json:"described,omitempty"` // what a model is told of them
	Result      string            `json:"result,omitempty"`    // what extract read, observe found, snapshot showed
}

// Do does the step in a session's active page and returns what it gave. The
// values of its variables are taken from vars. tools are those of an agent, beside
// the usual ones.
func (s *Step) Do(ctx context.Context, session *engine.Session, vars map[string]engine.Variable, tools ...agent.Tool) (string, error) {
	page := session.Page()
	if pages := session.Pages(); s.Tab > 0 && s.Tab <= len(pages) {
		page = pages[s.Tab-1]
	}
	if page == nil {
		return "", fmt.Errorf("%s: no page is open", s.Method)
	}
	vars = maps.Clone(vars)
	for name, v := range vars {
		v.Description = cmp.Or(v.Description, s.Described[name])
		vars[name] = v
	}
	switch s.Method {
	case "navigate":
		_, err := page.Navigate(ctx, s.Instruction, &engine.NavigateOptions{WaitUntil: s.WaitUntil, Referer: s.Referer})
		return "", err
	case "wait":
		condition, err := engine.ParseCondition(s.Instruction)
		if err != nil {
			return "", err
		}
		return "", page.WaitFor(ctx, condition)
	case "act":
		_, err := page.Act(ctx, s.Instruction, &engine.ActOptions{Variables: vars, Selector: s.Selector, DeepPaths: s.DeepPaths})
		return "", err
	case "do":
		_, err := page.Do(ctx, *s.Action, &engine.ActOptions{Variables: vars, DeepPaths: s.DeepPaths})
		return "", err
	case "observe":
		found, err := page.Observe(ctx, s.Instruction, &engine.ObserveOptions{Variables: vars, Selector: s.Selector, IgnoreSelectors: s.Ignored})
		if err != nil {
			return "", err
		}
		return ActionsText(found.Actions), nil
	case "extract":
		return s.extract(ctx, page)
	case "agent":
		return s.agent(ctx, page, vars, tools)
	case "snapshot":
		snap, err := page.Snapshot(ctx, &engine.SnapshotOptions{Selector: s.Selector})
		if err != nil {
			return "", err
		}
		return snap.Outline(), nil
	}
	return "", fmt.Errorf("a replay cannot do the step %q", s.Method)
}

// ActionsText is what a bundle holds of what observe found.
func ActionsText(actions []engine.Action) string {
	text, err := json.Marshal(actions)
	if err != nil {
		return err.Error() // they hold texts and numbers alone
	}
	return string(text)
}

func (s *Step) extract(ctx context.Context, page *engine.Page) (string, error) {
	opts := &engine.ExtractOptions{
		Selector: s.Selector, IgnoreSelectors: s.Ignored, Frames: s.Frames, Screenshot: s.Screenshot,
		Direct: s.Direct, Strict: s.Strict, StrictAll: s.StrictAll,
	}
	if s.Schema != nil {
		var err error
		if opts.Schema, err = schema.Parse(s.Schema); err != nil {
			return "", err
		}
	}
	out, err := s.Extract(ctx, page, opts)
	if err != nil {
		return "", err
	}
	return string(out.Data), nil
}

// Extract reads data from a page, and notes whether a model was asked: a replay has
// then none to ask.
func (s *Step) Extract(ctx context.Context, page *engine.Page, opts *engine.ExtractOptions) (*engine.Extraction, error) {
	asked := func() int64 { return int64(page.Session().Metrics().Asks[llm.PurposeExtract].Requests) }
	before := asked()
	out, err := page.Extract(ctx, s.Instruction, opts)
	s.Direct = opts.Schema != nil && err == nil && asked() == before
	return out, err
}

// agent does a task, and returns its steps and its end, a line each.
func (s *Step) agent(ctx context.Context, page *engine.Page, vars map[string]engine.Variable, tools []agent.Tool) (string, error) {
	o := s.Agent
	if o == nil {
		o = &AgentOptions{}
	}
	cfg := agent.Config{Mode: o.Mode, Instructions: o.Instructions, Exclude: o.Exclude, NeedApproval: o.NeedApproval, AllowedHosts: o.AllowedHosts, PageTools: o.PageTools}
	cfg.Tools = slices.DeleteFunc(slices.Clone(tools), func(t agent.Tool) bool { return t.Name == toolPrograms && !o.Programs })
	if o.Programs && !slices.ContainsFunc(tools, func(t agent.Tool) bool { return t.Name == toolPrograms }) {
		return "", errNoPrograms
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
		Messages: o.Messages, Checks: o.Checks, Flows: o.Flows, NoScreenshots: o.NoScreenshots,
	}
	if s.Schema != nil {
		if task.Output, err = schema.Parse(s.Schema); err != nil {
			return "", err
		}
	}
	result, err := a.Execute(ctx, page, task)
	return AgentText(result), err
}
