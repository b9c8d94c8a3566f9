package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// do does one call. It returns the result for the model, why the calls after it
// must not be run, a remark, and an error if the run ends with it.
func (r *run) do(ctx context.Context, step *Step, call llm.ToolCall) (result llm.ToolResult, surprise, remark string, end error) {
	r.followPage()
	step.Action = Action{
		Step: step.Number, Type: r.callName(call), Arguments: arguments(call), Reasoning: step.Reasoning,
		Begin: time.Now(), PageURL: r.address(),
	}
	a := &step.Action
	if r.bounds.left() <= 1 && call.Name != toolDone { // the last one is done's
		const why = "the steps ran out"
		if r.lastAsked { // it heard so, and was offered done alone
			r.bounds.steps = r.bounds.maxSteps
		}
		return r.skip(step, call, why), why, "", nil
	}
	tool, err := r.find(call)
	if err != nil {
		return r.fail(step, call, err)
	}
	r.doing = tool.Name
	if h := r.agent.cfg.Hooks; h != nil && h.StepBegan != nil {
		if inner := h.StepBegan(ctx, *step); inner != nil {
			ctx = inner
		}
	}
	if h := r.agent.cfg.Hooks; h != nil && h.StepEnded != nil {
		defer func() { h.StepEnded(ctx, *step) }()
	}
	if err := r.beforeAction(ctx, tool); err != nil {
		a.Status, a.Message = NotRun, "not run: "+err.Error()
		return resultOf(call, a.Message, true), "", "", err
	}
	before := r.sight()
	answer, err := r.runTool(ctx, tool, call)
	a.Duration = time.Since(a.Begin)
	var later *pendingError
	if errors.As(err, &later) {
		a.Status, a.Message = NotRun, later.Error()
		return result, "", "", err
	}
	if answer != nil && answer.report != nil {
		r.enter(step, answer.report)
		surprise = answer.report.surprise
	}
	if err != nil {
		var bound *boundError
		if errors.As(err, &bound) {
			a.Status, a.Message = NotRun, "not run: "+err.Error()
			return resultOf(call, a.Message, true), "", "", bound.err
		}
		if ctx.Err() != nil && !errors.Is(err, ErrToolTimeout) {
			if errors.Is(err, engine.ErrMayHaveHappened) {
				a.Status = Unknown
			}
			a.Status, a.Message = cmp.Or(a.Status, Failed), r.session.Hide(err.Error())
			return resultOf(call, a.Message, true), "", "", err
		}
		result, surprise, remark, end = r.fail(step, call, err)
		if end == nil && !tool.exempt {
			remark, end = r.circle.note(r.identity(tool, call), before, a.changed(), tool.kind == acts)
		}
		return result, surprise, remark, end
	}
	a.Status = Done
	if answer == nil {
		answer = &Answer{}
	}
	if answer.report != nil && answer.report.failed {
		a.Status = Failed
	}
	a.Message = cmp.Or(a.Message, firstLine(r.session.Hide(answer.Text)))
	if tool.kind == own || tool.kind == reads {
		a.Output = r.session.Hide(answer.Text)
		r.seen.text(answer.Text)
	}
	result = r.result(call, a, answer)
	if !tool.exempt {
		if remark, end = r.circle.note(r.identity(tool, call), before, a.changed(), tool.kind == acts); end != nil {
			return result, "", "", end
		}
	}
	if a.changed() {
		r.moved++
	}
	end = r.bounds.stepped(a.Status == Failed)
	return result, surprise, remark, end
}

// find returns the tool that a call names: ours, or the vendor's.
func (r *run) find(call llm.ToolCall) (*Tool, error) {
	if call.Toolset != "" {
		return r.vendorCall(call)
	}
	return r.tools.find(call)
}

// enter takes over what a tool of ours has reported.
func (r *run) enter(step *Step, rep *report) {
	a, from := &step.Action, rep.action
	a.Selector, a.Target, a.Text, a.Message = from.Selector, from.Target, from.Text, from.Message
	a.Actions, a.Evidence, a.Instruction, a.TaskCompleted = from.Actions, from.Evidence, from.Instruction, from.TaskCompleted
	if rep.unknown {
		a.Status = Unknown
	}
	if rep.usage != (llm.Usage{}) {
		step.Usage = step.Usage.Add(rep.usage)
		step.Cost += r.bounds.asked(rep.model, rep.usage)
	}
}

// fail is a call that was not done, or of which it is not known.
func (r *run) fail(step *Step, call llm.ToolCall, err error) (result llm.ToolResult, surprise, remark string, end error) {
	a := &step.Action
	a.Message = r.session.Hide(err.Error())
	if a.Status != Unknown {
		a.Status = Failed
	}
	if errors.Is(err, engine.ErrMayHaveHappened) {
		a.Status = Unknown
	}
	surprise = fmt.Sprintf("step %d was not done", a.Step)
	if a.Status == Unknown {
		surprise = fmt.Sprintf("of step %d it is not known what came of it", a.Step)
	}
	end = r.bounds.stepped(true)
	return resultOf(call, fmt.Sprintf("step %d failed: %s", a.Step, cutText(a.Message, r.answerTokens())), true), surprise, "", end
}

// skip is a call that is not run.
func (r *run) skip(step *Step, call llm.ToolCall, why string) llm.ToolResult {
	step.Action = Action{Step: step.Number, Type: r.callName(call), Arguments: arguments(call), Status: NotRun, Message: "not run: " + why, Begin: time.Now(), PageURL: r.address()}
	return resultOf(call, "not run: "+why, true)
}

// result writes the answer of a call that was done for the model.
func (r *run) result(call llm.ToolCall, a *Action, answer *Answer) llm.ToolResult {
	text := answer.Text
	if text == "" {
		text = a.Message
	}
	result := resultOf(call, fmt.Sprintf("step %d: %s", a.Step, cutText(text, r.answerTokens())), a.Status == Failed)
	if answer.Image != nil {
		result.Parts = append(result.Parts, llm.Image{MediaType: mediaType(answer.Image), Data: answer.Image})
	}
	return result
}

// beforeAction waits as the task wants it.
func (r *run) beforeAction(ctx context.Context, tool *Tool) error {
	if tool.kind != acts || r.task.WaitBetweenActions <= 0 {
		return nil
	}
	timer := time.NewTimer(r.task.WaitBetweenActions)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runTool runs a tool within its time. Ours end with their context; for one of
// somebody else's nobody waits who does not.
func (r *run) runTool(ctx context.Context, tool *Tool, call llm.ToolCall) (*Answer, error) {
	if tool.kind == own {
		call.Arguments = r.addresses.restoreJSON(call.Arguments)
	}
	c := &Call{ID: call.ID, Name: call.Name, Arguments: arguments(call), run: r}
	if tool.kind == talks && tool.Name != toolDialog {
		return tool.Run(ctx, c)
	}
	if r.page == nil && tool.kind != own && tool.Name != toolTabs && call.Toolset == "" {
		return nil, fmt.Errorf("%w: all tabs are closed; open one with tabs", engine.ErrClosed)
	}
	if tool.asks {
		if err := r.bounds.mayAsk(r.executionName(), r.view.tokens, 0, time.Now()); err != nil {
			return nil, &boundError{err}
		}
	}
	if err := r.approveTool(ctx, tool, call); err != nil {
		return nil, err
	}
	if err := r.acknowledge(ctx, call); err != nil {
		return nil, err
	}
	limit := cmp.Or(r.task.ToolTimeout, defaultToolTimeout)
	bounded, cancel := context.WithTimeoutCause(ctx, limit, ErrToolTimeout)
	defer cancel()
	answer, err := r.attend(bounded, tool, c)
	if err != nil && context.Cause(bounded) == ErrToolTimeout && ctx.Err() == nil && !errors.Is(err, ErrToolTimeout) {
		err = fmt.Errorf("%w (%v): %w", ErrToolTimeout, limit, err)
	}
	return answer, err
}

// A boundError is a bound of the run that a tool met before it asked a model.
type boundError struct{ err error }

func (e *boundError) Error() string { return e.err.Error() }

func (r *run) attend(ctx context.Context, tool *Tool, c *Call) (*Answer, error) {
	if tool.kind != own {
		return tool.Run(ctx, c)
	}
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
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w; %w", context.Cause(ctx), engine.ErrMayHaveHappened)
	}
}

// sight is the state of the page that an action is counted for. Within a turn
// the page is not read between two actions; that one of them had an effect
// makes it another state.
func (r *run) sight() state {
	s := r.view.state
	s[0] ^= byte(r.moved)
	return s
}

// identity is what a call does, whatever the refs are today.
func (r *run) identity(tool *Tool, call llm.ToolCall) string {
	text := string(call.Arguments)
	for _, ref := range refPattern.FindAllString(text, -1) {
		if node, ok := lookUp(r.view.snapshot, ref); ok {
			text = strings.ReplaceAll(text, ref, string(node.Role)+" "+node.Name)
		}
	}
	sum := sha256.Sum256([]byte(text))
	return tool.Name + " " + hex.EncodeToString(sum[:8])
}

var refPattern = regexp.MustCompile(`[0-9]+-[0-9]+`)

// node finds the element that a ref names in what the model was shown.
func (r *run) node(ref string) (*accessibility.Node, error) {
	if r.view.snapshot == nil {
		return nil, fmt.Errorf("%w: no page was read yet", engine.ErrNotFound)
	}
	node, ok := lookUp(r.view.snapshot, ref)
	if !ok {
		return nil, fmt.Errorf("%w: no line of the outline has the ref %q; take one of the newest outline", engine.ErrNotFound, ref)
	}
	return node, nil
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
