package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

type (
	replayIn struct {
		onPage
		Script    map[string]any    `json:"script,omitempty" jsonschema:"a run's script, written by 'wayfinder trace --format script'"`
		Variables map[string]string `json:"variables,omitempty" jsonschema:"values for the script's variables, by name"`
		Start     string            `json:"start,omitempty" jsonschema:"the address where the script begins, in place of its own"`
	}
	replayOut struct {
		Session string       `json:"session"`
		Proved  bool         `json:"proved" jsonschema:"each step of the script was done and proved"`
		Steps   []scriptStep `json:"steps,omitempty" jsonschema:"of the script"`
		Calls   []done       `json:"calls" jsonschema:"without a script: what was done in the session"`
	}
	scriptStep struct {
		Step     string `json:"step"`
		Do       string `json:"do"`
		Target   string `json:"target,omitempty"`
		Outcome  string `json:"outcome" jsonschema:"unchanged, skipped or refused"`
		Message  string `json:"message" jsonschema:"what came of it, or what was expected and found"`
		Evidence object `json:"evidence,omitempty"`
	}
	done struct {
		Operation   string   `json:"operation"`
		Instruction string   `json:"instruction,omitempty"`
		URL         string   `json:"url" jsonschema:"where it began"`
		Success     bool     `json:"success"`
		Message     string   `json:"message,omitempty"`
		Actions     []action `json:"actions,omitempty"`
	}
)

func (o replayOut) text() string {
	if o.Proved {
		if len(o.Steps) == 1 {
			return "1 step, proved"
		}
		return fmt.Sprintf("%d steps, all proved", len(o.Steps))
	}
	lines := make([]string, len(o.Calls))
	for i, d := range o.Calls {
		lines[i] = strings.TrimSpace(d.Operation + " " + d.Instruction + ": " + d.Message)
	}
	return strings.Join(lines, "\n")
}

func replay(ctx context.Context, c *call, in replayIn) (replayOut, error) {
	out := replayOut{Session: c.session.id, Calls: []done{}}
	if in.Script != nil {
		err := c.replayScript(ctx, in, &out)
		return out, err
	}
	if in.Variables != nil || in.Start != "" {
		return out, errors.New("variables and start are for a script: give it, too")
	}
	for _, e := range c.page.Session().History() {
		out.Calls = append(out.Calls, done{string(e.Operation), e.Instruction, e.PageURL, e.Success, cmp.Or(e.Message, e.Arrived), actionsOf(e.Actions)})
	}
	return out, nil
}
