package wayfindertest

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Step is something that a run was asked to do, as a bundle notes it.
type Step struct {
	Method      string          `json:"method"`                // navigate, wait, act, do, observe, extract, agent, snapshot
	Instruction string          `json:"instruction,omitempty"` // of navigate: the address; of wait: the condition
	Action      *engine.Action  `json:"action,omitempty"`      // of do
	Schema      json.RawMessage `json:"schema,omitempty"`      // of extract, and of an agent's output
	Agent       *AgentOptions   `json:"agent,omitempty"`
	Selector    string          `json:"selector,omitempty"`
	Variables   []string        `json:"variables,omitempty"` // names alone
	Result      string          `json:"result,omitempty"`    // what extract read, observe found, snapshot showed
}

// Do does the step in a session's active page and returns what it gave. The
// values of its variables are taken from vars.
func (s *Step) Do(ctx context.Context, session *engine.Session, vars map[string]engine.Variable) (string, error) {
	page := session.Page()
	if page == nil {
		return "", fmt.Errorf("%s: no page is open", s.Method)
	}
	switch s.Method {
	case "navigate":
		_, err := page.Navigate(ctx, s.Instruction, nil)
		return "", err
	case "wait":
		condition, err := engine.ParseCondition(s.Instruction)
		if err != nil {
			return "", err
		}
		return "", page.WaitFor(ctx, condition)
	case "act":
		_, err := page.Act(ctx, s.Instruction, &engine.ActOptions{Variables: vars, Selector: s.Selector})
		return "", err
	case "do":
		_, err := page.Do(ctx, *s.Action, &engine.ActOptions{Variables: vars})
		return "", err
	case "observe":
		found, err := page.Observe(ctx, s.Instruction, &engine.ObserveOptions{Variables: vars, Selector: s.Selector})
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(found.Actions)
		return string(text), err
	case "extract":
		return s.extract(ctx, page)
	case "agent":
		return s.agent(ctx, page, vars)
	case "snapshot":
		snap, err := page.Snapshot(ctx, &engine.SnapshotOptions{Selector: s.Selector})
		if err != nil {
			return "", err
		}
		return snap.Outline(), nil
	}
	return "", fmt.Errorf("there is no step %q", s.Method)
}

func (s *Step) extract(ctx context.Context, page *engine.Page) (string, error) {
	opts := &engine.ExtractOptions{Selector: s.Selector}
	if s.Schema != nil {
		var err error
		if opts.Schema, err = schema.Parse(s.Schema); err != nil {
			return "", err
		}
	}
	out, err := page.Extract(ctx, s.Instruction, opts)
	if err != nil {
		return "", err
	}
	return string(out.Data), nil
}
