package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// A run is one task under way. It does what the core says (conversation, view,
// bounds, repetition, facts) with a page and a model; one goroutine at a time
// uses it.
type run struct {
	agent   *Agent
	task    *Task
	id      string
	session *engine.Session
	page    *engine.Page
	tools   *toolbox

	talk      conversation
	view      view
	bounds    *bounds
	circle    repetition
	addresses addresses
	pictures  bool    // views have them
	scale     float64 // of the newest picture: its pixels for one CSS pixel
	seen      seen
	hosts     *policy.Rules // where the run may be; nil is everywhere

	began     time.Time
	start     *engine.Snapshot // when the run began
	startedAt string           // its address
	startText string           // what it said

	turn    int
	actions []Action
	moved   int                 // actions with an effect since the last look
	doing   string              // the tool under way
	aimed   *accessibility.Node // the element that it is for; nil if it names none
	doubted bool                // a done was questioned

	lastAsked bool     // the last step was asked for
	decision  *decided // a person's word, for the first call of a run that goes on

	claim *claim // of done, once it is accepted
}

// Execute does a task from its beginning to its end. The result is there also
// with an error, and says what was done by then; it is nil only where the task
// is invalid. The run works with page, and with those that it opens.
func (a *Agent) Execute(ctx context.Context, page *engine.Page, task Task) (*Result, error) {
	return last(a.Run(ctx, page, task))
}

// Run does a task, step by step. Each step is yielded when it is over; the last
// one has the Result, beside an error if the run did not end by itself. Leaving
// the loop ends the run: nothing goes on in the page. ctx bounds the run.
func (a *Agent) Run(ctx context.Context, page *engine.Page, task Task) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		r, err := a.begin(ctx, page, &task)
		if err != nil {
			yield(Step{}, fmt.Errorf("agent: %w", err))
			return
		}
		r.play(ctx, yield, func(ctx context.Context, out *output) error { return r.open(ctx) })
	}
}

// last runs through an iterator of steps and returns its result.
func last(steps iter.Seq2[Step, error]) (result *Result, err error) {
	for step, e := range steps {
		if step.Result != nil {
			result = step.Result
		}
		err = e
	}
	return result, err
}

// An output passes steps on, unless the caller has left the loop.
type output struct {
	yield func(Step, error) bool
	left  bool
}

func (o *output) step(s Step, err error) bool {
	if !o.left && !o.yield(s, err) {
		o.left = true
	}
	return !o.left
}

// begin sets a run up. It touches no page.
func (a *Agent) begin(ctx context.Context, page *engine.Page, task *Task) (*run, error) {
	if err := task.check(); err != nil {
		return nil, err
	}
	if page == nil {
		return nil, fmt.Errorf("%w: no page; pass Session.Page()", ErrInvalid)
	}
	prices := a.cfg.Prices
	if prices == nil {
		var err error
		if prices, err = llm.ListPrices(); err != nil {
			return nil, err
		}
	}
	tools := a.ownTools(task)
	for _, i := range a.cfg.Integrations {
		more, err := i.Tools(ctx)
		if err != nil {
			return nil, fmt.Errorf("tools of an integration: %w", err)
		}
		tools = append(tools, slices.DeleteFunc(more, func(t Tool) bool {
			return slices.Contains(a.cfg.Exclude, t.Name) || slices.Contains(task.Exclude, t.Name)
		})...)
	}
	box, err := newToolbox(tools)
	if err != nil {
		return nil, err
	}
	if _, ok := box.byName[toolDone]; !ok {
		return nil, fmt.Errorf("%w: the tool done cannot be excluded", ErrInvalid)
	}
	hosts, err := hostRules(a.cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r := &run{
		agent:    a,
		task:     task,
		id:       engine.NewID(),
		session:  page.Session(),
		page:     page,
		tools:    box,
		bounds:   newBounds(task, prices, now),
		pictures: a.cfg.Mode == Hybrid && !task.NoScreenshots,
		began:    now,
		hosts:    hosts,
	}
	r.addresses.hide = r.session.Hide
	r.talk.system = systemPrompt(a.cfg.Mode, a.cfg.Instructions)
	r.talk.tools = box.offer()
	return r, nil
}

// play works until the run ends, and yields its last step.
func (r *run) play(ctx context.Context, yield func(Step, error) bool, first func(context.Context, *output) error) {
	info := RunInfo{ID: r.id, Task: r.session.Hide(r.task.Instruction), Model: r.modelName(), Mode: r.agent.cfg.Mode, Tools: r.tools.names()}
	hooks := r.agent.cfg.Hooks
	if hooks != nil && hooks.RunBegan != nil {
		if inner := hooks.RunBegan(ctx, info); inner != nil {
			ctx = inner
		}
	}
	work, end := ctx, context.CancelFunc(func() {})
	if !r.bounds.deadline.IsZero() {
		work, end = context.WithDeadlineCause(ctx, r.bounds.deadline, ErrRunTime)
	}
	defer end()
	work, call := r.session.BeginCall(work, r.page, "agent", r.task.Instruction)
	out := &output{yield: yield}
	err := first(work, out)
	if err == nil {
		err = r.loop(work, out)
	}
	var later *pendingError
	if err != nil && !errors.As(err, &later) {
		if cause := context.Cause(work); cause != nil && errors.Is(cause, ErrRunTime) && ctx.Err() == nil {
			err = fmt.Errorf("%w (%v)", ErrRunTime, r.task.RunTime)
		}
	}
	result := r.conclude(err)
	if later != nil {
		result.Pending, err = later.pending, nil
	}
	if err != nil {
		err = fmt.Errorf("agent: %w", err)
	}
	call.End(err, func(e *engine.Entry) {
		e.Message = result.Message
		e.Success = result.Success
		e.Usage, e.Model = r.bounds.usage, info.Model
		e.Data = result.Output
	})
	if hooks != nil && hooks.RunEnded != nil {
		hooks.RunEnded(ctx, result, err)
	}
	out.step(Step{Turn: r.turn, Result: result}, err)
}

// errLeft ends the loop when the caller has left.
var errLeft = errors.New("the caller left the run")

// open tells the model the task and shows the page.
func (r *run) open(ctx context.Context) error {
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
	return nil
}

// loop asks and does until the run ends.
func (r *run) loop(ctx context.Context, out *output) error {
	for {
		resp, step, err := r.ask(ctx)
		if err != nil {
			return err
		}
		r.talk.answered(resp)
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

// ask puts the next question. The step that it returns is the turn's first, with
// what the question took.
func (r *run) ask(ctx context.Context) (*llm.Response, Step, error) {
	if r.bounds.left() <= 0 {
		return nil, Step{}, fmt.Errorf("%w: all %d are used", ErrSteps, r.bounds.maxSteps)
	}
	tools := r.talk.tools
	choice := llm.ToolChoice{Mode: llm.ToolRequired}
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
	if err := r.bounds.mayAsk(r.modelName(), input, 0, time.Now()); err != nil {
		return nil, Step{}, err
	}
	opts := &engine.GenerateOptions{Model: r.agent.cfg.Model, Variables: r.task.Variables, Page: r.page}
	if h := r.agent.cfg.Hooks; h != nil && h.Said != nil {
		opts.Delta = func(d llm.Delta) { h.Said(ctx, d) }
	}
	resp, err := r.session.Generate(ctx, req, opts)
	r.turn++
	step := Step{Turn: r.turn}
	if resp != nil {
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
func (r *run) silent(ctx context.Context, out *output, step Step) error {
	step.Number = len(r.actions) + 1
	step.Action = Action{Step: step.Number, Type: "none", Status: Failed, Message: "the answer calls no tool", PageURL: r.session.Hide(r.page.URL()), Begin: time.Now()}
	r.actions = append(r.actions, step.Action)
	bound := r.bounds.stepped(true)
	if !out.step(step, nil) {
		return errLeft
	}
	if bound != nil {
		return bound
	}
	r.talk.told([]llm.Part{llm.Text{Text: "Answer with a tool call: the next action, or done."}}, nil)
	return nil
}

// calls does the tool calls of one answer in order, up to the first surprise,
// and tells the model what came of them. parts are the results of those that
// were done before, in a run that goes on after a person's decision.
func (r *run) calls(ctx context.Context, out *output, calls []llm.ToolCall, step Step, parts []llm.Part) error {
	var remarks, confirmed []string
	surprise := ""
	for i, call := range calls {
		step.Number = len(r.actions) + 1
		var result llm.ToolResult
		var remark string
		var err error
		if surprise != "" {
			result = r.skip(&step, call, surprise)
		} else {
			result, surprise, remark, err = r.do(ctx, &step, call)
			var later *pendingError
			if errors.As(err, &later) {
				later.pending.keep(r, calls[i:], parts)
				return err
			}
		}
		parts = append(parts, result)
		if remark != "" && !slices.Contains(remarks, remark) {
			remarks = append(remarks, remark)
		}
		confirmed = append(confirmed, line(&step.Action))
		r.actions = append(r.actions, step.Action)
		if !out.step(step, nil) {
			r.close(calls[i+1:], parts)
			return errLeft
		}
		if err == nil && r.claim != nil || err != nil {
			r.close(calls[i+1:], parts)
			return err
		}
		step = Step{Turn: r.turn}
	}
	if text := r.bounds.remark(); text != "" {
		remarks = append(remarks, text)
	}
	view, err := r.look(ctx)
	if err != nil {
		r.close(nil, parts)
		return err
	}
	for _, text := range remarks {
		parts = append(parts, llm.Text{Text: text})
	}
	r.talk.told(append(parts, view...), confirmed)
	return r.makeRoom(ctx)
}

// close answers the calls that are left, so that the conversation can be
// continued.
func (r *run) close(calls []llm.ToolCall, parts []llm.Part) {
	for _, call := range calls {
		parts = append(parts, resultOf(call, "not run: the run ended", true))
	}
	if len(parts) > 0 {
		r.talk.told(parts, nil)
	}
}

// makeRoom compacts the conversation where it has grown beyond its bound, and
// the newest turns, too, where the window would be exceeded otherwise.
func (r *run) makeRoom(ctx context.Context) error {
	fits := func() bool {
		return r.talk.size()+r.outlineTokens()+reserveForAnswer(r.window()) <= r.window()
	}
	if r.talk.size() <= r.historyTokens() && fits() {
		return nil
	}
	compacted := false
	for keep := keptTurns; keep >= 0 && (keep == keptTurns || !fits()); keep-- {
		compacted = r.talk.compact(keep) || compacted
	}
	if !compacted {
		return nil
	}
	r.view.stale = true
	view, err := r.look(ctx)
	if err != nil {
		return err
	}
	r.talk.told(view, nil)
	return nil
}

// look waits until the page is quiet and returns what the model is to know of
// it. Without a page, or with one that cannot be read, it says so.
func (r *run) look(ctx context.Context) ([]llm.Part, error) {
	r.followPage()
	if r.page == nil {
		return []llm.Part{llm.Text{Text: "All tabs are closed. Open one with tabs."}}, nil
	}
	snap, err := r.page.Snapshot(ctx, &engine.SnapshotOptions{MaxTokens: r.outlineTokens()})
	if err != nil {
		if ctx.Err() != nil || errors.Is(err, engine.ErrClosed) {
			return nil, err
		}
		r.view.stale = true
		return []llm.Part{
			llm.Text{Text: "The page cannot be read now; navigate, go back, reload or open another tab:"},
			llm.Page{Kind: kindError, Text: r.session.Hide(err.Error())},
		}, nil
	}
	r.moved = 0
	r.seen.page(snap, r.page.URL())
	parts := []llm.Part{r.view.show(r.page, snap, r.session.Hide(head(r.page, &r.addresses)))}
	if r.pictures {
		picture, err := r.picture(ctx)
		if err == nil {
			parts = append(parts, *picture)
		} else if ctx.Err() == nil {
			parts = append(parts, llm.Text{Text: "There is no picture of the page:"}, llm.Page{Kind: kindError, Text: firstLine(r.session.Hide(err.Error()))})
		}
	}
	return parts, nil
}

// followPage goes to the active page where the run's own is gone.
func (r *run) followPage() {
	if r.page != nil && slices.Contains(r.session.Pages(), r.page) {
		return
	}
	r.page = r.session.Page()
	r.view.stale = true
}

// conclude says what is known when the run is over.
func (r *run) conclude(err error) *Result {
	res := &Result{
		ID:       r.id,
		Actions:  slices.Clone(r.actions),
		Usage:    usageOf(r.bounds.usage),
		Messages: r.talk.messages,
		Metadata: map[string]any{
			"mode": r.agent.cfg.Mode, "model": r.modelName(), "turns": r.turn, "steps": len(r.actions), "costUSD": r.bounds.cost,
			"durationMs": time.Since(r.began).Milliseconds(), "changed": slices.ContainsFunc(r.actions, func(a Action) bool { return a.changed() }),
		},
	}
	if res.Actions == nil {
		res.Actions = []Action{}
	}
	if c := r.claim; c != nil {
		res.Completed, res.Success = c.success, c.proven
		res.Message, res.Criteria, res.Output = c.message, c.criteria, c.output
		if len(c.ungrounded) > 0 {
			res.Metadata["ungrounded"] = c.ungrounded
		}
		res.Metadata["end"] = "done"
		return res
	}
	switch {
	case err == nil || errors.Is(err, errLeft):
		res.Message = "the caller ended the run"
	default:
		res.Message = r.session.Hide(err.Error())
	}
	res.Metadata["end"] = endOf(err)
	if open := slices.IndexFunc(r.actions, func(a Action) bool { return a.Status == Unknown }); open >= 0 {
		res.Message += fmt.Sprintf("; of step %d it is not known what came of it", r.actions[open].Step)
	}
	return res
}

// endOf is a word for what ended a run.
func endOf(err error) string {
	for _, end := range []struct {
		err  error
		word string
	}{
		{errLeft, "left"}, {ErrSteps, "steps"}, {ErrRunTime, "time"}, {ErrTokens, "tokens"}, {ErrCost, "cost"}, {ErrFailures, "failures"},
		{ErrRepeated, "repeated"}, {ErrStagnant, "stagnant"}, {ErrWindow, "window"}, {ErrLater, "pending"}, {context.Canceled, "canceled"}, {context.DeadlineExceeded, "time"},
	} {
		if errors.Is(err, end.err) {
			return end.word
		}
	}
	return engine.Kind(err)
}

func (r *run) modelName() string {
	if m := r.agent.cfg.Model; m != nil {
		return m.Name()
	}
	if m := r.session.Model(); m != nil {
		return m.Name()
	}
	return ""
}

// executionModel answers the questions of tools; nil is the session's.
func (r *run) executionModel() llm.Model {
	return cmp.Or(r.agent.cfg.ExecutionModel, r.agent.cfg.Model)
}

func (r *run) executionName() string {
	if m := r.executionModel(); m != nil {
		return m.Name()
	}
	return r.modelName()
}

// window is how many tokens the model takes.
func (r *run) window() int { return cmp.Or(r.agent.cfg.Window, defaultWindow) }

// outlineTokens bounds what the page takes of the model's window.
func (r *run) outlineTokens() int {
	return cmp.Or(r.agent.cfg.OutlineTokens, min(defaultOutline, r.window()/4))
}

// answerTokens bounds what a tool's answer takes of it.
func (r *run) answerTokens() int { return min(mostAnswer, r.window()/6) }

// historyTokens is the size at which the conversation is compacted: there has
// to be room for two outlines at least, or it would be at every turn.
func (r *run) historyTokens() int {
	if most := r.agent.cfg.HistoryTokens; most > 0 {
		return most
	}
	return max(r.window()/4, r.talk.base()+2*r.outlineTokens())
}

// variableNotes lists the variables, without their values.
func variableNotes(vars map[string]engine.Variable) string {
	if len(vars) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Placeholders that you may write in texts; their values are put in when they are typed:")
	for _, name := range slices.Sorted(keysOf(vars)) {
		b.WriteString("\n%" + name + "%")
		if d := vars[name].Description; d != "" {
			b.WriteString(": " + d)
		}
	}
	return b.String()
}

func fileNotes(files map[string][]byte) string {
	if len(files) == 0 {
		return ""
	}
	return "Files for upload: " + strings.Join(slices.Sorted(keysOf(files)), ", ")
}

func keysOf[V any](m map[string]V) iter.Seq[string] {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// resultOf is the result of a call in words.
func resultOf(call llm.ToolCall, text string, failed bool) llm.ToolResult {
	return llm.ToolResult{ID: call.ID, Name: call.Name, Parts: []llm.Part{llm.Text{Text: text}}, Error: failed}
}

// arguments are a call's, for people and records.
func arguments(call llm.ToolCall) json.RawMessage {
	if len(call.Arguments) == 0 {
		return json.RawMessage("{}")
	}
	return call.Arguments
}
