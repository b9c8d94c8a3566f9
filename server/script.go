package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/weburl"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// A scriptWork is work that a script does.
type scriptWork struct {
	*work
	req *wire.ScriptRequest
}

// job is the job of replaying a script.
func (w *scriptWork) job() (job, error) {
	req := w.req
	o := cmp.Or(req.Options, &wire.ScriptOptions{})
	program, err := checkScript(&w.core.opts.Browsers, req.Script, o, map[string][]any{
		"start": {"options", "start"}, "variables": {"options", "variables"}, "files": {"options", "files"},
	})
	if err != nil {
		return job{}, err
	}
	opts := &script.Options{Variables: variables(o.Variables), Files: o.Files, Start: o.Start}
	if o.Heal {
		if opts.Model, err = w.model(o.Model); err != nil {
			return job{}, err
		}
	}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, agent: true,
		said:  fmt.Sprintf("replaying a script of %d steps", len(program.Steps)),
		limit: w.core.opts.Agents.runTime(),
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			step := w.session.stepOn(page, wayfindertest.Step{Method: "script", Instruction: program.Task}, o.Variables)
			result, err := w.replay(ctx, page, program, opts)
			w.session.record.Step(step)
			w.sent = progressOf(ctx).sum()
			var refused *script.RefusedError
			if err != nil && (result == nil || context.Cause(ctx) != nil || w.session.ctx.Err() != nil || script.CutShort(err) || !errors.As(err, &refused)) {
				return outcome{}, err
			}
			return scriptOutcome(program, result, refused)
		},
	}, nil
}

// checkScript reads a script, and refuses what needs no page to be refused. places
// say where the options stand in the request, if not by their own names.
func checkScript(browsers *Browsers, raw json.RawMessage, o *wire.ScriptOptions, places map[string][]any) (*script.Script, error) {
	place := func(option string) []any {
		if p := places[option]; p != nil {
			return p
		}
		return []any{option}
	}
	program, err := script.Parse(raw)
	if err != nil {
		return nil, invalid([]any{"script"}, "%v", err)
	}
	if o.Start != "" {
		if err := weburl.Check(o.Start); err != nil {
			return nil, invalid(place("start"), "%v", err)
		}
	}
	for _, name := range program.Variables {
		if _, ok := o.Variables[name]; !ok {
			return nil, invalid(place("variables"), "the script needs a value for %s", name)
		}
	}
	for i := range program.Steps {
		step := &program.Steps[i]
		if step.Do != string(engine.SetInputFiles) {
			continue
		}
		for _, name := range step.Arguments {
			if _, given := o.Files[name]; given {
				continue
			}
			if err := browsers.checkFile(name); err != nil {
				return nil, invalid(place("files"), "step %s of the script uploads %q, whose content is not given: %v", step.Name, name, err)
			}
		}
	}
	return program, nil
}

// replay does the steps, or the rest of them where another process has begun,
// and reports each. Between two steps it waits while a person has the session, and
// leaves the run to another process when [Run.Leave] is closed.
func (w *scriptWork) replay(ctx context.Context, page *engine.Page, program *script.Script, opts *script.Options) (*script.Result, error) {
	p := progressOf(ctx)
	ctx, leave := context.WithCancelCause(ctx)
	defer leave(nil)
	if w.run != nil {
		opts.Store, opts.Run = w.run.Store, w.run.ID
	}
	opts.Stepped = func(r script.StepResult) {
		p.say(1, "%s", scriptLine(&r))
		w.session.pause(ctx, w.run.leave(), func() { p.say(1, "a person has taken the session: the script waits until it is given back") })
		if w.run.left() {
			leave(newFaultDraining())
		}
	}
	if saved, ok := w.run.saved().(*script.Saved); ok {
		opts.Store, opts.Run = nil, ""
		return script.Recover(ctx, page, program, opts, saved)
	}
	return script.Replay(ctx, page, program, opts)
}

// scriptLine is a step for the reader of a stream.
func scriptLine(r *script.StepResult) string {
	line := fmt.Sprintf("step %s: %s", r.Name, r.Do)
	if r.Target != "" {
		line += " " + r.Target
	}
	switch {
	case r.Heal != "":
		return line + ": " + string(r.Outcome) + ": " + r.Heal
	case r.Outcome != script.Unchanged:
		return line + ": " + string(r.Outcome) + ": " + r.Message
	}
	return line + ": " + r.Message // of the script nothing was changed, which says little of the page
}

func scriptOutcome(program *script.Script, r *script.Result, refused *script.RefusedError) (outcome, error) {
	result := wire.ScriptResult{
		Success: refused == nil, Message: fmt.Sprintf("%d steps were done and proved", len(r.Steps)),
		Steps: make([]wire.ScriptStep, len(r.Steps)), Healed: r.Healed,
	}
	if refused != nil {
		result.Message = refused.Error()
		result.Refused = &wire.Refused{Step: refused.Step, Expected: refused.Expected, Found: refused.Found, Sent: wire.Sent(cmp.Or(refused.Sent, engine.SentNone))}
	}
	for i, step := range r.Steps {
		result.Steps[i] = wire.ScriptStep{Step: step.Name, Do: step.Do, Target: step.Target, Outcome: string(step.Outcome), Message: step.Message, Heal: step.Heal}
	}
	if now := r.Script.String(); now != program.String() {
		result.Script = json.RawMessage(now)
	}
	if u := r.Usage; u != (llm.Usage{}) {
		result.Usage = &wire.AgentUsage{
			InputTokens: u.Input, OutputTokens: u.Output, ReasoningTokens: u.Reasoning, CachedInputTokens: u.Cached,
			InferenceTimeMs: float64(u.Duration) / float64(time.Millisecond),
		}
	}
	raw, err := encode(result)
	return outcome{data: wire.ScriptData{Result: result}, result: raw, success: result.Success, message: result.Message}, err
}
