package server

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// act does one action: from words, by a model, or as it stands.
func (s *Server) act(c *call) error {
	req, err := read[wire.ActRequest](c)
	if err != nil {
		return err
	}
	o := req.Options
	if o == nil {
		o = &wire.ActOptions{}
	}
	opts := &engine.ActOptions{Variables: variables(o.Variables), Timeout: o.Timeout.Duration()}
	j := job{frame: req.FrameID, stream: req.StreamResponse, timeout: o.Timeout}
	var do func(context.Context, *engine.Page) (*engine.ActResult, error)
	if req.Input.Action != nil {
		action := fromWire(*req.Input.Action)
		if err := action.Check(); err != nil {
			return invalid([]any{"input"}, "%v", err)
		}
		j.said = "doing: " + action.Description
		do = func(ctx context.Context, page *engine.Page) (*engine.ActResult, error) {
			return page.Do(ctx, action, opts)
		}
	} else {
		if opts.Model, err = s.model(c, o.Model); err != nil {
			return err
		}
		j.said = "acting: " + req.Input.Instruction
		do = func(ctx context.Context, page *engine.Page) (*engine.ActResult, error) {
			return page.Act(ctx, req.Input.Instruction, opts)
		}
	}
	j.do = func(ctx context.Context, page *engine.Page) (outcome, error) {
		result, err := do(ctx, page)
		if err != nil && (result == nil || c.session.ctx.Err() != nil || notOfThePage(ctx, err)) {
			return outcome{}, err
		}
		return actOutcome(result)
	}
	return s.operate(c, j)
}

// notOfThePage reports errors that say nothing about the action: the time ran
// out, the model failed, the browser is gone. All else is an action that could
// not be done, which is an answer.
func notOfThePage(ctx context.Context, err error) bool {
	if errors.Is(err, engine.ErrNoModel) {
		return true
	}
	switch faultOf(ctx, err).code {
	case wire.InvalidRequest, wire.Forbidden, wire.PageNotFound, wire.Internal:
		return false
	}
	return true
}

func actOutcome(r *engine.ActResult) (outcome, error) {
	result := wire.ActResult{Success: r.Success, Message: r.Message, Description: r.Description, Actions: toWire(r.Actions)}
	raw, err := json.Marshal(result)
	return outcome{data: wire.ActData{Result: result, ActionID: r.ID}, result: raw}, err
}

func variables(given map[string]wire.Variable) map[string]engine.Variable {
	vars := make(map[string]engine.Variable, len(given))
	for name, v := range given {
		vars[name] = engine.Variable(v)
	}
	return vars
}

// fromWire reads an action. Its node number means nothing to the engine.
func fromWire(a wire.Action) engine.Action {
	return engine.Action{Selector: a.Selector, Description: a.Description, Method: engine.Method(a.Method), Arguments: a.Arguments}
}

// toWire writes actions in the closed form of the interface, which has no
// fingerprint.
func toWire(actions []engine.Action) []wire.Action {
	out := make([]wire.Action, len(actions))
	for i, a := range actions {
		out[i] = wire.Action{
			Selector: a.Selector, Description: a.Description, BackendNodeID: float64(a.BackendNodeID),
			Method: string(a.Method), Arguments: a.Arguments,
		}
	}
	return out
}
