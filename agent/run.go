package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A run is one task under way. It does what the core says (conversation, view,
// bounds, repetition, facts) with a page and a model; one goroutine at a time
// uses it. It consists of layers, each of which embeds the one below it and has
// fields and a file of its own:
//
//	scene < ledger < decisions < carrying < approving < acting < looking <
//	vendorHand < doing < finishing < turns < run
type run struct{ turns }

// ErrNoOutput: the run ended without the output that was asked for.
var ErrNoOutput = errors.New("the run has no output")

// ExecuteInto does a task as [Agent.Execute] does, and returns its output as a T. The
// schema of T takes the place of [Task].Output. The value is there only if err is
// nil, and was verified only if the result's Success says so: a run that ended, or
// waits for a person, without an output is [ErrNoOutput].
func ExecuteInto[T any](ctx context.Context, a *Agent, page *engine.Page, task Task) (T, *Result, error) {
	var none T
	form, err := schema.For[T]()
	if err != nil {
		return none, nil, fmt.Errorf("agent: %w: the type of the output: %w", ErrInvalid, err)
	}
	task.Output = form
	result, err := a.Execute(ctx, page, task)
	switch {
	case err != nil:
		return none, result, err
	case len(result.Output) == 0:
		return none, result, fmt.Errorf("agent: %w: it ended by %s: %s", ErrNoOutput, result.End, result.Message)
	}
	out, err := schema.Decode[T](form, result.Output)
	if err != nil {
		return none, result, fmt.Errorf("agent: the output: %w", err)
	}
	return out, result, nil
}

// ResultOf takes the steps of [Agent.Run], [Agent.Resume] or [Agent.Recover] to their
// end, and returns the run's result, with the error that ended it.
func ResultOf(steps iter.Seq2[Step, error]) (result *Result, err error) {
	for step, e := range steps {
		if step.Result != nil {
			result = step.Result
		}
		err = e
	}
	return result, err
}

// play works until the run ends, and yields its last step.
func (r *run) play(ctx context.Context, yield func(Step, error) bool, first opening) {
	info := RunInfo{ID: r.id, Task: r.session.Hide(r.task.Instruction), Model: r.modelName(), Mode: r.agent.cfg.Mode, Tools: r.tools.names()}
	hooks := r.agent.cfg.Hooks
	ctx = began(ctx, hooks.RunBegan, info)
	work, end := ctx, context.CancelFunc(func() {})
	if !r.bounds.deadline.IsZero() {
		work, end = context.WithDeadlineCause(ctx, r.bounds.deadline, ErrRunTime)
	}
	defer end()
	work, call := r.session.BeginCall(work, r.page, "agent", r.task.Instruction)
	out := &output{yield: yield}
	r.out = out
	r.flows.earlier(r.talk.Messages)
	err := r.guard(work)
	if err == nil {
		err = first(work, out)
	}
	if err == nil && r.claim == nil {
		err = r.loop(work, out)
	}
	var later *pendingError
	if err != nil && !errors.As(err, &later) {
		if cause := context.Cause(work); cause != nil && errors.Is(cause, ErrRunTime) && ctx.Err() == nil {
			err = fmt.Errorf("%w (%v)", ErrRunTime, r.task.RunTime)
		}
		err = withCause(ctx, err)
	}
	result := r.conclude(err)
	lost := r.log.Write(context.WithoutCancel(ctx), &journal.Over{End: string(result.End), Message: result.Message})
	switch {
	case later != nil && lost == nil:
		result.Pending, err = later.pending, nil
	case lost != nil && (err == nil || later != nil):
		err = lost
	}
	r.approvals.end()
	if err != nil {
		err = fmt.Errorf("agent: %w", err)
	}
	call.End(err, func(e *engine.Entry) {
		e.Message = result.Message
		e.Success = result.Success
		e.Usage, e.Model = r.bounds.usage, info.Model
		e.Data = result.Output
	})
	if hooks.RunEnded != nil {
		hooks.RunEnded(ctx, result, err)
	}
	step := Step{Turn: r.turn, Number: len(r.actions) + 1}
	if out.last != nil {
		step = *out.last
	} else {
		step.Action = Action{Step: step.Number, Type: "end", Status: NotRun, Message: result.Message, Begin: time.Now(), PageURL: r.address()}
	}
	step.Result = result
	out.step(step, err)
}

// withCause adds to an error that came once the caller's context was over what the
// context says: whether it was canceled or ran out of time, and the caller's cause.
func withCause(ctx context.Context, err error) error {
	for _, why := range []error{context.Cause(ctx), ctx.Err()} {
		if why != nil && !errors.Is(err, errLeft) && !errors.Is(err, why) {
			err = fmt.Errorf("%w: %w", why, err)
		}
	}
	return err
}

// open gives the model the task and the page.
func (r *run) open(ctx context.Context) error {
	for _, model := range []string{r.modelName(), r.executionName()} { // before either is asked
		if err := r.bounds.priced(model); err != nil {
			return err
		}
	}
	parts := []llm.Part{llm.Instruction{Text: r.task.Instruction}}
	if text := strings.TrimSpace(r.task.Context); text != "" {
		parts = append(parts, llm.Text{Text: "Context: " + text})
	}
	if text := variableNotes(r.task.Variables); text != "" {
		parts = append(parts, llm.Text{Text: text})
	}
	if text := fileNotes(r.task.Files); text != "" {
		parts = append(parts, llm.Text{Text: text})
	}
	if r.task.Output != nil {
		parts = append(parts, llm.Text{Text: "Give done a member output that satisfies this JSON Schema: " + r.task.Output.String()})
	}
	view, err := r.look(ctx)
	if err != nil {
		return err
	}
	r.start = r.view.snapshot
	if r.page != nil {
		r.startedAt = r.page.URL()
	}
	if r.start != nil {
		r.startText = r.start.Text()
	}
	r.talk.begin(r.task.Messages, append(parts, view...))
	return r.logBegan(ctx)
}

// loop asks and does until the run ends.
func (r *run) loop(ctx context.Context, out *output) error {
	for {
		resp, step, err := r.ask(ctx)
		if err != nil {
			return err
		}
		r.talk.answered(resp.Message())
		if err := r.logAnswered(ctx, resp); err != nil {
			return err
		}
		if len(resp.ToolCalls) == 0 {
			err = r.silent(ctx, out, step)
		} else {
			err = r.calls(ctx, out, resp.ToolCalls, step, nil)
		}
		if err != nil || r.claim != nil {
			return err
		}
	}
}

// conclude says what is known when the run is over.
func (r *run) conclude(err error) *Result {
	res := &Result{
		ID:       r.id,
		Actions:  slices.Clone(r.actions),
		Usage:    usageOf(r.bounds.usage),
		Messages: r.talk.Messages,
		Metadata: Metadata{
			Verdict:    Stopped,
			End:        endOf(err),
			Mode:       r.agent.cfg.Mode,
			Model:      r.modelName(),
			Turns:      r.turn,
			Steps:      len(r.actions),
			Cost:       r.bounds.cost,
			DurationMs: time.Since(r.began).Milliseconds(),
			Unpriced:   r.bounds.unpriced,
			Changed:    slices.ContainsFunc(r.actions, func(a Action) bool { return a.changed() }),
		},
	}
	if res.Actions == nil {
		res.Actions = []Action{}
	}
	if c := r.claim; c != nil {
		res.Completed, res.Success = c.Success, c.Proven
		res.Verdict, res.Open, res.Checks = c.verdict(), c.Open, c.Checks
		res.Message, res.Criteria, res.Output = c.Message, c.Criteria, c.Output
		res.Sources, res.Ungrounded, res.Omitted, res.End = c.Sources, c.Ungrounded, c.Omitted, EndDone
		return res
	}
	switch {
	case err == nil || errors.Is(err, errLeft):
		res.Message = "the caller ended the run"
	default:
		res.Message = r.session.Hide(err.Error())
	}
	if open := slices.IndexFunc(r.actions, func(a Action) bool { return a.Status == Unknown }); open >= 0 {
		res.Message += fmt.Sprintf("; of step %d it is not known what came of it", r.actions[open].Step)
	}
	return res
}
