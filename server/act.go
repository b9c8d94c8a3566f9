package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// actJob does one action: one that a model finds from words, or a stored one.
func actJob(c *call, req *wire.ActRequest) (_ job, err error) {
	o := cmp.Or(req.Options, &wire.ActOptions{})
	opts := &engine.ActOptions{Variables: variables(o.Variables), Timeout: o.Timeout.Duration(), DeepPaths: true}
	j := job{frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout}
	var do func(context.Context, *engine.Page) (*engine.ActResult, error)
	step := wayfindertest.Step{Method: "act", Instruction: req.Input.Instruction, DeepPaths: opts.DeepPaths}
	if req.Input.Action != nil {
		action := fromWire(*req.Input.Action)
		if err := c.core.opts.Browsers.checkAction(action); err != nil {
			return job{}, err
		}
		step.Method, step.Action = "do", &action
		j.said = "doing: " + action.Description
		do = func(ctx context.Context, page *engine.Page) (*engine.ActResult, error) {
			return page.Do(ctx, action, opts)
		}
	} else {
		if opts.Model, err = c.model(o.Model); err != nil {
			return job{}, err
		}
		j.said = "acting: " + req.Input.Instruction
		do = func(ctx context.Context, page *engine.Page) (*engine.ActResult, error) {
			return page.Act(ctx, req.Input.Instruction, opts)
		}
	}
	j.do = func(ctx context.Context, page *engine.Page) (outcome, error) {
		step := c.session.stepOn(page, step, o.Variables)
		result, err := do(ctx, page)
		c.session.record.Step(step)
		if result != nil {
			c.sent = wire.Sent(result.Sent)
		}
		if err != nil && (result == nil || c.session.ctx.Err() != nil || notOfThePage(ctx, err)) {
			return outcome{}, err
		}
		return actOutcome(result, o.Locators)
	}
	return j, nil
}

// notOfThePage reports errors that say nothing about the action: the time ran
// out, the model failed, the browser is gone. All else is an action that could
// not be done, which is an answer.
func notOfThePage(ctx context.Context, err error) bool {
	if errors.Is(err, engine.ErrNoModel) {
		return true
	}
	switch faultOf(ctx, err).code {
	case wire.InvalidRequest, wire.Forbidden, wire.PageNotFound, wire.NotImplemented, wire.Internal:
		return false
	}
	return true
}

func actOutcome(r *engine.ActResult, locators bool) (outcome, error) {
	result := wire.ActResult{Success: r.Success, Message: r.Message, Description: r.Description, Actions: toWire(r.Actions, locators)}
	raw, err := json.Marshal(result)
	return outcome{data: wire.ActData{Result: result, ActionID: r.ID}, result: raw}, err
}

func variables(given map[string]wire.Variable) map[string]engine.Variable {
	vars := make(map[string]engine.Variable, len(given))
	for name, v := range given {
		vars[name] = engine.Variable{Value: v.Value, Description: v.Description}
	}
	return vars
}

// fromWire reads an action. By its selector and node number the engine knows one
// that it gave out, and holds it to the element that was meant.
func fromWire(a wire.Action) engine.Action {
	return engine.Action{
		Selector: a.Selector, Description: a.Description, BackendNodeID: int64(a.BackendNodeID),
		Method: engine.Method(a.Method), Arguments: a.Arguments,
	}
}

// toWire writes actions in the closed form of the interface, which has no
// fingerprint. With locators the selector says what the element is, where a locator can.
func toWire(actions []engine.Action, locators bool) []wire.Action {
	out := make([]wire.Action, len(actions))
	for i, a := range actions {
		selector := a.Selector
		if locators {
			selector = a.Named()
		}
		out[i] = wire.Action{
			Selector: selector, Description: a.Description, BackendNodeID: float64(a.BackendNodeID),
			Method: string(a.Method), Arguments: a.Arguments,
		}
	}
	return out
}

// observeJob finds what can be done. Without an instruction no model is asked.
func observeJob(c *call, req *wire.ObserveRequest) (_ job, err error) {
	o := cmp.Or(req.Options, &wire.ObserveOptions{})
	opts := &engine.ObserveOptions{Variables: variables(o.Variables), Selector: o.Selector, IgnoreSelectors: o.IgnoreSelectors, Timeout: o.Timeout.Duration()}
	if strings.TrimSpace(req.Instruction) != "" {
		if opts.Model, err = c.model(o.Model); err != nil {
			return job{}, err
		}
	}
	step := wayfindertest.Step{Method: "observe", Instruction: req.Instruction, Selector: o.Selector, Ignored: o.IgnoreSelectors}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout, said: "observing: " + req.Instruction,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			step := c.session.stepOn(page, step, o.Variables)
			found, err := page.Observe(ctx, req.Instruction, opts)
			defer func() { c.session.record.Step(step) }()
			if err != nil {
				return outcome{}, err
			}
			step.Result = wayfindertest.ActionsText(found.Actions)
			actions := toWire(found.Actions, o.Locators)
			raw, err := json.Marshal(actions)
			return outcome{data: wire.ObserveData{Result: actions, ActionID: found.ID}, result: raw}, err
		},
	}, nil
}
