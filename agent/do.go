package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// doing carries out the calls of an answer, one step each.
type doing struct {
	vendorHand
	tools     *toolbox
	place     string  // where the page was last scrolled to
	lastAsked bool    // the last step was asked for
	out       *output // where steps go
}

// beginStep sets up the step of a call, and says to the hooks that it begins. The
// context is the step's. Each step that begins ends by [run.endStep], whatever comes
// of it.
func (r *doing) beginStep(ctx context.Context, step *Step, call llm.ToolCall) context.Context {
	r.followPage()
	step.Action = Action{
		Step: step.Number, Type: r.callName(call), Arguments: arguments(call), Reasoning: step.Reasoning,
		Begin: time.Now(), PageURL: r.address(),
	}
	return r.stepBegan(ctx, step)
}

func (r *doing) stepBegan(ctx context.Context, step *Step) context.Context {
	return began(ctx, r.agent.cfg.Hooks.StepBegan, *step)
}

// endStep says to the hooks that a step is over. What came of it is stored by then: a
// process that dies here has a log that knows it.
func (r *doing) endStep(ctx context.Context, step *Step) {
	if ended := r.agent.cfg.Hooks.StepEnded; ended != nil {
		ended(ctx, *step)
	}
}

// do does one call, of a step that has begun. It returns the result for the model, why the calls after it
// must not be run, a remark, and an error if the run ends with it.
func (r *doing) do(ctx context.Context, step *Step, call llm.ToolCall) (result llm.ToolResult, surprise, remark string, end error) {
	a := &step.Action
	if r.bounds.left() <= 1 && call.Name != toolDone { // the last one is done's
		const why = "the steps ran out"
		if r.lastAsked { // it heard so, and was offered done alone
			r.bounds.steps = r.bounds.maxSteps
		}
		return r.skip(step, call, why), why, "", nil
	}
	call = r.tools.normal(call)
	find := r.tools.find
	if call.Toolset != "" {
		find = r.vendorCall
	}
	tool, err := find(call)
	if err != nil {
		return r.fail(step, &Tool{}, call, err)
	}
	r.doing, r.at = tool.Name, a
	if between := r.task.WaitBetweenActions; tool.kind == acts && between > 0 && !pause.For(ctx, between) {
		return r.skip(step, call, ctx.Err().Error()), "", "", ctx.Err()
	}
	before := r.sight(tool)
	var in *errand
	if tool.kind == own {
		in = &errand{step: step}
		r.errand = in
	}
	answer, err := r.runTool(ctx, tool, call)
	a.Duration = time.Since(a.Begin)
	if in != nil {
		r.leave(in)
		if in.end != nil {
			a.Status, a.Message = Failed, r.session.Hide(in.end.Error())
			return resultOf(call, a.Message, true), "", "", in.end
		}
		if in.later != nil {
			err = in.later.stopped(tool, in.waiting, answer, err)
		}
	}
	var later *pendingError
	if errors.As(err, &later) {
		a.Status, a.Message = NotRun, later.Error()
		return result, "", "", err
	}
	if answer != nil && answer.report != nil {
		r.enter(step, answer.report)
	}
	if err != nil {
		return r.failed(ctx, step, tool, call, before, err)
	}
	return r.done(step, tool, call, before, answer)
}

// failed is a call whose tool returned an error, which may end the run.
func (r *doing) failed(ctx context.Context, step *Step, tool *Tool, call llm.ToolCall, before state, err error) (result llm.ToolResult, surprise, remark string, end error) {
	a := &step.Action
	var bound *boundError
	if errors.As(err, &bound) {
		return r.skip(step, call, err.Error()), "", "", bound.err
	}
	if ctx.Err() != nil && !errors.Is(err, ErrToolTimeout) {
		a.Status, a.Message = Failed, r.session.Hide(err.Error())
		if errors.Is(err, engine.ErrMayHaveHappened) {
			a.Status = Unknown
		}
		if cause := context.Cause(ctx); !errors.Is(err, cause) { // as of a program whose last step was done by then
			err = fmt.Errorf("%w: %w", cause, err)
		}
		return resultOf(call, a.Message, true), "", "", err
	}
	if tool.kind == own && !errors.Is(err, ErrDenied) {
		r.flows.ledger.Derive("tool "+tool.Name, err.Error())
	}
	result, surprise, _, end = r.fail(step, tool, call, err)
	if end == nil {
		remark, end = r.note(tool, call, before, a)
	}
	return result, surprise, remark, end
}

// done is a call whose tool returned no error; its answer may be nil.
func (r *doing) done(step *Step, tool *Tool, call llm.ToolCall, before state, answer *Answer) (result llm.ToolResult, surprise, remark string, end error) {
	a := &step.Action
	a.Status = Done
	if answer == nil {
		answer = &Answer{}
	}
	if rep := answer.report; rep != nil {
		surprise = rep.surprise
		if rep.failed {
			a.Status = Failed
		}
	}
	a.Message = cmp.Or(a.Message, firstLine(r.session.Hide(answer.Text)))
	if tool.kind == own || tool.kind == reads {
		if answer.report == nil || !answer.report.nothing {
			a.Output = r.session.Hide(answer.Text)
		}
		r.seen.text(answer.Text)
	}
	r.answeredBy(tool, a, answer.Text)
	result = r.result(call, a, answer)
	if remark, end = r.note(tool, call, before, a); end != nil {
		return result, "", "", end
	}
	if a.changed() || a.moved() {
		r.moved++
	}
	if s := a.scrolled(); s != nil {
		r.place = fmt.Sprintf("%.0f,%.0f", s.AfterX, s.AfterY)
	}
	return result, surprise, remark, r.stepped(tool, a.Status == Failed)
}

// enter takes over what a tool of ours has reported.
func (r *doing) enter(step *Step, rep *report) {
	a, from := &step.Action, rep.action
	a.Selector, a.Target, a.Text, a.Message = from.Selector, from.Target, from.Text, from.Message
	a.About, a.Beside, a.Nearer, a.Twins, a.InRow, a.Replaced = from.About, from.Beside, from.Nearer, from.Twins, from.InRow, from.Replaced
	a.Actions, a.Evidence, a.Instruction, a.TaskCompleted = from.Actions, from.Evidence, from.Instruction, from.TaskCompleted
	a.Sources, a.Ungrounded, a.Omitted = from.Sources, from.Ungrounded, from.Omitted
	if rep.usage != (llm.Usage{}) {
		step.Usage = step.Usage.Add(rep.usage)
		step.Cost += r.bounds.asked(r.executionName(), rep.usage)
	}
}

// fail is a call that was not done, or of which it is not known.
func (r *doing) fail(step *Step, tool *Tool, call llm.ToolCall, err error) (result llm.ToolResult, surprise, remark string, end error) {
	a := &step.Action
	a.Message = r.session.Hide(err.Error())
	a.Status, surprise = Failed, fmt.Sprintf("step %d was not done", a.Step)
	if errors.Is(err, engine.ErrMayHaveHappened) {
		a.Status = Unknown
		surprise = fmt.Sprintf("of step %d it is not known what came of it", a.Step)
	}
	end = r.stepped(tool, true)
	return resultOf(call, fmt.Sprintf("step %d failed: %s", a.Step, cutText(a.Message, r.answerTokens())), true), surprise, "", end
}

// skip is a call that is not run.
func (r *doing) skip(step *Step, call llm.ToolCall, why string) llm.ToolResult {
	step.Action.Status, step.Action.Message = NotRun, "not run: "+why
	return resultOf(call, step.Action.Message, true)
}

// result writes the answer of a call that was done for the model.
func (r *doing) result(call llm.ToolCall, a *Action, answer *Answer) llm.ToolResult {
	text := cutText(cmp.Or(answer.Text, a.Message), r.answerTokens())
	result := resultOf(call, fmt.Sprintf("step %d: %s", a.Step, text), a.Status == Failed)
	if answer.Image != nil {
		result.Parts = append(result.Parts, llm.Image{MediaType: mediaType(answer.Image), Data: answer.Image})
	}
	return result
}

// runTool runs a tool within its time. Ours end with their context; a tool of
// somebody else may ignore it, so the run does not wait for that one.
func (r *doing) runTool(ctx context.Context, tool *Tool, call llm.ToolCall) (*Answer, error) {
	if tool.kind == own {
		call.Arguments = r.addresses.restoreJSON(call.Arguments)
	}
	c := &Call{ID: call.ID, Name: call.Name, Arguments: arguments(call), Run: r.id, Class: tool.Class, run: r.self}
	if r.at != nil {
		c.Step = r.at.Step
	}
	if tool.kind == talks && tool.Name != toolDialog {
		return tool.Run(ctx, c)
	}
	if r.page == nil && tool.kind != own && tool.Name != toolTabs && call.Toolset == "" {
		return nil, fmt.Errorf("%w: %s", engine.ErrClosed, r.noPage())
	}
	if tool.asks {
		if err := r.bounds.mayAsk(r.executionName(), r.view.tokens); err != nil {
			return nil, &boundError{err}
		}
	}
	if err := r.approveTool(ctx, tool, call); err != nil {
		return nil, err
	}
	if err := r.acknowledge(ctx, call); err != nil {
		return nil, err
	}
	if tool.kind == own {
		if err := r.intend(ctx, nil, nil); err != nil {
			return nil, err
		}
	}
	limit := cmp.Or(r.task.ToolTimeout, defaultToolTimeout)
	var answer *Answer
	var err error
	var bounded context.Context
	if tool.kind == own {
		var cancel context.CancelCauseFunc
		bounded, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		timer := time.AfterFunc(limit, func() { cancel(ErrToolTimeout) })
		defer timer.Stop()
		answer, err = r.attend(bounded, tool, c, func(w want) given {
			timer.Stop()
			defer timer.Reset(limit)
			return r.serve(w)
		})
	} else {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeoutCause(ctx, limit, ErrToolTimeout)
		defer cancel()
		answer, err = tool.Run(bounded, c)
	}
	if err != nil && context.Cause(bounded) == ErrToolTimeout && ctx.Err() == nil && !errors.Is(err, ErrToolTimeout) {
		err = fmt.Errorf("%w (%v): %w", ErrToolTimeout, limit, err)
	}
	return answer, err
}

// attend waits for a tool of somebody else's. What it wants of the run serve gives it
// here, outside of its own time.
func (r *doing) attend(ctx context.Context, tool *Tool, c *Call, serve func(want) given) (*Answer, error) {
	c.wants, c.over = make(chan want), make(chan struct{})
	defer close(c.over)
	type outcome struct {
		answer *Answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o = outcome{err: fmt.Errorf("the tool panicked: %v", p)}
			}
			done <- o
		}()
		o.answer, o.err = tool.Run(ctx, c)
	}()
	for {
		select {
		case o := <-done:
			// What it did before it gave way to the end is as unknown as what it does after it.
			if ctx.Err() == nil || o.err == nil || !errors.Is(o.err, ctx.Err()) {
				return o.answer, o.err
			}
			return nil, fmt.Errorf("%w; %w", context.Cause(ctx), engine.ErrMayHaveHappened)
		case w := <-c.wants:
			w.answer <- serve(w)
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; %w", context.Cause(ctx), engine.ErrMayHaveHappened)
		}
	}
}

// stepped counts a step, unless it is read on the way of another call. One that fails on
// the way of a call fails that call, which counts as the one failure.
func (r *doing) stepped(t *Tool, failed bool) error {
	switch {
	case r.errand != nil && t.kind == reads && !t.asks:
		return nil
	case r.errand != nil && failed:
		r.bounds.steps++
		return nil
	}
	return r.bounds.stepped(failed)
}

// setting are tools that bring a control to a state: that it has it already is no
// standstill where a loop does it.
var setting = []string{"fill", "fillForm", "select"}

// note counts a call among the repeated ones. A loop does the same on the same
// page, and means it, as long as it changes something.
func (r *doing) note(t *Tool, call llm.ToolCall, before state, a *Action) (remark string, _ error) {
	if t.exempt {
		return "", nil
	}
	changed := a.changed() || a.moved()
	if r.errand != nil {
		if changed {
			r.circle.still = 0
		}
		if changed || t.kind != acts || slices.Contains(setting, t.Name) {
			return "", nil
		}
	}
	remark, err := r.circle.note(noted{what: r.identity(t, call), before: before, changed: changed, hidden: a.unlisted(), acts: t.kind == acts})
	if err != nil {
		err = fmt.Errorf("%w; tried: %s", err, r.tried(a))
	}
	return remark, err
}

// tried lists the newest actions, the one under way included.
func (r *doing) tried(now *Action) string {
	done := append(slices.Clone(r.actions), *now)
	var out []string
	times := map[string]int{}
	for _, a := range done[max(0, len(done)-endRepeated):] {
		text := strings.TrimSpace(a.Type + " " + a.Target)
		if times[text]++; times[text] == 1 {
			out = append(out, text)
		}
	}
	for i, text := range out {
		if n := times[text]; n > 1 {
			out[i] += fmt.Sprintf(" (%d times)", n)
		}
	}
	return strings.Join(out, ", ")
}

// serve gives a tool what it wants.
func (r *doing) serve(w want) given {
	in := r.errand
	switch {
	case in.end != nil:
		return given{err: in.end}
	case in.later != nil:
		return given{err: in.later}
	case !in.begun:
		in.begun, in.shown = true, r.view
	}
	if w.tool == "" {
		snap, err := r.readWithin(w.ctx)
		return given{snapshot: snap, err: err}
	}
	if t := r.tools.byName[w.tool]; t != nil && (t.kind == own || t.kind == talks && t.Name != toolDialog) {
		return given{err: fmt.Errorf("%w: %s is no step that a call can do on its way", ErrInvalid, w.tool)}
	}
	if len(r.actions) < in.step.Number { // its place, before those on its way
		under := in.step.Action
		under.Status, under.Message = Unknown, "under way"
		r.record(under)
	}
	step := Step{Turn: in.step.Turn, Number: len(r.actions) + 1}
	call := llm.ToolCall{ID: fmt.Sprintf("%s.%d", in.step.Action.Type, step.Number), Name: w.tool, Arguments: w.arguments}
	inner := r.beginStep(w.ctx, &step, call)
	_, _, remark, err := r.do(inner, &step, call)
	if errors.As(err, &in.later) {
		r.endStep(inner, &step)
		in.waiting = call
		return given{err: in.later}
	}
	a := &step.Action
	a.Parent = in.step.Number
	r.record(*a)
	if e := r.logEnded(w.ctx, a, nil, ""); e != nil && err == nil {
		err = e
	}
	r.endStep(inner, &step)
	if a.changed() {
		in.evidence = a.Evidence
	}
	if !r.out.step(step, nil) {
		err = errLeft
	}
	in.end = err
	switch {
	case err != nil:
	case a.Status == Unknown:
		err = fmt.Errorf("%w: step %d: %s", engine.ErrMayHaveHappened, a.Step, a.Message)
	case a.Status != Done:
		err = fmt.Errorf("step %d: %s", a.Step, a.Message)
	case remark != "":
		err = fmt.Errorf("step %d: %s", a.Step, remark)
	}
	return given{action: a, err: err}
}

// readWithin reads the page for the steps of a call.
func (r *doing) readWithin(ctx context.Context) (*engine.Snapshot, error) {
	r.followPage()
	if r.page == nil {
		return nil, fmt.Errorf("%w: %s", engine.ErrClosed, r.noPage())
	}
	snap, err := r.page.Snapshot(ctx, nil)
	if err != nil {
		return nil, err
	}
	if snap != r.view.snapshot {
		r.view.snapshot, r.view.page, r.moved = snap, r.page, 0
		r.view.state = stateOf(r.page.URL(), snap.Outline())
		r.reads(snap)
	}
	return snap, nil
}

// leave ends what a call did on its way: the model knows of the page what it knew
// before.
func (r *doing) leave(in *errand) {
	r.errand = nil
	if !in.begun {
		return
	}
	stale := r.view.stale
	r.view = in.shown
	r.view.stale = r.view.stale || stale
	in.step.Action.Evidence = in.evidence
}

// sight is the state of the page that an action is counted for. Within a turn
// the page is not read between two actions; that one of them had an effect
// makes it another state.
//
// Where the page is scrolled to is a part of it, and for a key what has the focus.
func (r *doing) sight(tool *Tool) state {
	place := r.place
	if snap := r.view.snapshot; snap != nil && tool.Name == "press" {
		place += fmt.Sprint(" ", slices.IndexFunc(snap.Nodes, func(n accessibility.Node) bool { return n.States.Focused }))
	}
	s := sha256.Sum256([]byte(string(r.view.state[:]) + place))
	s[0] ^= byte(r.moved)
	return s
}

// line is a step as a compacted history has it.
func line(a *Action) string {
	switch a.Status {
	case Done:
		return fmt.Sprintf("%d. %s: %s", a.Step, a.Type, a.Message)
	case Unknown:
		return fmt.Sprintf("%d. %s: not known what came of it: %s", a.Step, a.Type, a.Message)
	case NotRun:
		return fmt.Sprintf("%d. %s: not run", a.Step, a.Type)
	}
	return fmt.Sprintf("%d. %s: failed: %s", a.Step, a.Type, firstLine(a.Message))
}

func mediaType(image []byte) string {
	switch {
	case len(image) > 3 && string(image[1:4]) == "PNG":
		return "image/png"
	case len(image) > 11 && string(image[8:12]) == "WEBP":
		return "image/webp"
	}
	return "image/jpeg"
}

// resultOf is the result of a call in words.
func resultOf(call llm.ToolCall, text string, failed bool) llm.ToolResult {
	return llm.ToolResult{ID: call.ID, Name: call.Name, Toolset: call.Toolset, Parts: []llm.Part{llm.Text{Text: text}}, Error: failed}
}
