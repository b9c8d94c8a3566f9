package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// turns are the model's answers, one after the other.
type turns struct {
	finishing
	notice  string   // for the model, with the results of its newest calls
	carried []string // lines of what another process did of them
}

// ask puts the next question. The step that it returns is the turn's first, with
// what the question took.
func (r *turns) ask(ctx context.Context) (*llm.Response, Step, error) {
	if r.bounds.left() <= 0 {
		return nil, Step{}, fmt.Errorf("%w: all %d are used", ErrSteps, r.bounds.maxSteps)
	}
	tools := r.talk.tools
	choice := llm.ToolChoice{Mode: llm.ToolRequired}
	if r.vendor != nil { // not every vendor lets its own tool be required
		choice = llm.ToolChoice{}
	}
	if r.bounds.left() == 1 { // the last step
		r.lastAsked = true
		tools = slices.DeleteFunc(slices.Clone(tools), func(t llm.Tool) bool { return t.Name != toolDone })
		choice = llm.OneTool(toolDone)
	}
	req := r.talk.request(choice, tools)
	input := llm.Estimate(req)
	if window := r.window(); input+reserveForAnswer(window) > window {
		return nil, Step{}, fmt.Errorf("%w: the next question takes about %d tokens, and the window has %d; set OutlineTokens lower, or give the task in parts", ErrWindow, input, window)
	}
	if err := r.bounds.mayAsk(r.modelName(), input); err != nil {
		return nil, Step{}, err
	}
	if err := r.log.Write(ctx, &journal.Asked{Turn: r.turn + 1, Model: r.modelName(), Input: input}); err != nil {
		return nil, Step{}, err
	}
	opts := &engine.GenerateOptions{Model: r.agent.cfg.Model, Variables: r.task.Variables, Page: r.page}
	if said := r.agent.cfg.Hooks.Said; said != nil {
		opts.Delta = func(d llm.Delta) { said(ctx, d) }
	}
	resp, err := r.session.Generate(ctx, req, opts)
	r.turn++
	step := Step{Turn: r.turn}
	r.said = ""
	if resp != nil {
		r.said = resp.Text
		step.Usage = resp.Usage
		step.Cost = r.bounds.asked(r.modelName(), resp.Usage)
		step.Text = resp.Text
		for _, t := range resp.Reasoning {
			step.Reasoning += t.Text
		}
	}
	if err != nil {
		return nil, step, err
	}
	return resp, step, nil
}

// silent is a turn in which the model called no tool.
func (r *turns) silent(ctx context.Context, out *output, step Step) error {
	step.Number = len(r.actions) + 1
	step.Action = Action{Step: step.Number, Type: "none", Reasoning: step.Reasoning, PageURL: r.address(), Begin: time.Now()}
	inner := r.stepBegan(ctx, &step)
	step.Action.Status, step.Action.Message = Failed, "the answer calls no tool"
	r.record(step.Action)
	bound := r.bounds.stepped(true)
	if err := r.logEnded(ctx, &step.Action, nil, ""); err != nil {
		return err
	}
	r.endStep(inner, &step)
	if bound != nil {
		out.last = &step
		return bound
	}
	if !out.step(step, nil) {
		return errLeft
	}
	return r.tell(ctx, []llm.Part{llm.Text{Text: "Answer with a tool call: the next action, or done."}}, nil)
}

// calls does the tool calls of one answer in order, up to the first surprise,
// and gives the model their results. parts are the results of those that
// were done before, in a run that continues after a person's decision.
func (r *turns) calls(ctx context.Context, out *output, calls []llm.ToolCall, step Step, parts []llm.Part) error {
	var remarks []string
	confirmed := r.carried
	r.carried = nil
	surprise := ""
	calls = r.split(calls)
	if r.vendor != nil {
		r.vendor.moved = false
		clear(r.vendor.acked) // a later call may have the id of one before
	}
	for i, call := range calls {
		step.Number = len(r.actions) + 1
		var result llm.ToolResult
		var remark string
		var err error
		inner := r.beginStep(ctx, &step, call)
		if surprise != "" && !r.mayFollow(call) {
			result = r.skip(&step, call, surprise)
		} else {
			before := surprise
			result, surprise, remark, err = r.do(inner, &step, call)
			if surprise == "" {
				surprise = before
			}
			var later *pendingError
			if errors.As(err, &later) {
				later.keep(r.self, step.Action, calls[i:], parts)
				r.endStep(inner, &step)
				out.last = &step
				return err
			}
			if r.resuming != nil {
				result, r.resuming = r.resuming.result(result), nil
				result.ID = call.ID
			}
		}
		if call.Toolset != "" && r.vendor != nil {
			r.vendor.answered(ctx, &result)
		}
		parts = addResult(parts, result)
		if remark != "" && !slices.Contains(remarks, remark) {
			remarks = append(remarks, remark)
		}
		confirmed = append(confirmed, line(&step.Action))
		r.record(step.Action)
		if e := r.logEnded(ctx, &step.Action, &result, surprise); e != nil && err == nil {
			err = e
		}
		r.endStep(inner, &step)
		if r.claim != nil || err != nil { // its step has the run's result
			out.last = &step
			r.close(calls[i+1:], parts)
			return err
		}
		if !out.step(step, nil) {
			r.close(calls[i+1:], parts)
			return errLeft
		}
		step = Step{Turn: r.turn}
	}
	return r.tellResults(ctx, parts, remarks, confirmed)
}

// tellResults tells the model the results of its calls, our remarks, and the page as it
// is now.
func (r *turns) tellResults(ctx context.Context, parts []llm.Part, remarks, confirmed []string) error {
	if text := r.bounds.remark(); text != "" {
		remarks = append(remarks, text)
	}
	if r.notice != "" {
		remarks, r.notice = append([]string{r.notice}, remarks...), ""
	}
	view, err := r.look(ctx)
	if err != nil {
		r.close(nil, parts)
		return err
	}
	if n := r.approvals.withheld(); n > 0 {
		remarks = append(remarks, fmt.Sprintf("Requests of the page that were held, not approved and not let out: %d.", n))
	}
	for _, text := range remarks {
		parts = append(parts, llm.Text{Text: text})
	}
	if r.vendor != nil {
		parts = within(parts, view)
	} else {
		parts = append(parts, view...)
	}
	if err := r.tell(ctx, parts, confirmed); err != nil {
		return err
	}
	return r.makeRoom(ctx)
}

// close answers the calls that are left, so that the conversation can be
// continued.
func (r *turns) close(calls []llm.ToolCall, parts []llm.Part) {
	for _, call := range calls {
		parts = addResult(parts, resultOf(call, "not run: the run ended", true))
	}
	if len(parts) > 0 {
		r.talk.told(parts, nil)
	}
}

// makeRoom compacts the conversation where it has grown beyond its bound, and
// the newest turns, too, where the window would be exceeded otherwise.
func (r *turns) makeRoom(ctx context.Context) error {
	fits := func() bool {
		return r.talk.size()+r.outlineTokens()+reserveForAnswer(r.window()) <= r.window()
	}
	if r.talk.size() <= r.historyTokens() && fits() {
		return nil
	}
	compacted := false
	for keep := keptTurns; keep >= 0 && (keep == keptTurns || !fits()); keep-- {
		if !r.talk.compact(keep) {
			continue
		}
		compacted = true
		if err := r.log.Write(ctx, &journal.Compacted{Keep: keep}); err != nil {
			return err
		}
	}
	if !compacted {
		return nil
	}
	r.view.stale = true
	r.forgetKnown()
	view, err := r.look(ctx)
	if err != nil {
		return err
	}
	return r.tell(ctx, view, nil)
}
