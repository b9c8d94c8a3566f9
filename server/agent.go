package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// Agents bound the run of an agent, and give it tools.
type Agents struct {
	RunTime time.Duration // 0 is 30 min, negative no limit
	Steps   int           // 0 is no limit but the client's
	Tokens  int           // in and out; 0 is no limit
	Dollars float64       // at list prices, so that a model without one is refused; 0 is no limit

	// Refuse are classes of actions that no agent does here: no person is there to
	// approve them.
	Refuse []agent.Class

	// Integrations give agents further tools, as servers of MCP do (package
	// agent/mcp), where a client asks for them by these names. They serve several
	// runs at once, of all keys.
	Integrations map[string]agent.Integration
}

// agentRunTime bounds a run where the operator says nothing.
const agentRunTime = 30 * time.Minute

// agentGrace is what a run that is out of time may take to say so.
const agentGrace = 30 * time.Second

// agentJob has an agent do a task. No person can be asked: the agent has no tool
// for that, and what would need approval is refused.
func agentJob(c *call, req *wire.AgentExecuteRequest) (job, error) {
	if _, err := wantsStream(c.r, req.StreamResponse); err != nil {
		return job{}, err
	}
	if _, err := c.session.page(req.FrameID); err != nil {
		return job{}, err
	}
	if err := unknownOfAgent(c); err != nil {
		return job{}, err
	}
	return (&agentWork{&c.work, req}).job()
}

// An agentWork is work that an agent does.
type agentWork struct {
	*work
	req *wire.AgentExecuteRequest
}

// job is the job of having an agent do a task.
func (w *agentWork) job() (job, error) {
	req := w.req
	page, err := w.session.page(req.FrameID)
	if err != nil {
		return job{}, err
	}
	if err := checkExcluded(req); err != nil {
		return job{}, err
	}
	task, err := w.core.opts.Agents.task(&req.ExecuteOptions)
	if err != nil {
		return job{}, err
	}
	config, err := w.config()
	if err != nil {
		return job{}, err
	}
	worker, err := agent.New(*config)
	if errors.Is(err, agent.ErrUnsupported) { // mode cua, of a model whose vendor has no tool for it
		return job{}, newFault(wire.NotImplemented, "%v; take mode dom or hybrid, or one of those models", err)
	}
	if err != nil {
		return job{}, newFault(wire.AgentFailed, "%v", err)
	}
	var recipe *recipe
	if req.ShouldCache && plainTask(&req.ExecuteOptions) && len(req.AgentConfig.Integrations) == 0 {
		recipe = newRecipe(w.session, req, page.URL())
	}
	return job{
		frame: req.FrameID, stream: req.StreamResponse, said: "task: " + task.Instruction, agent: true,
		limit: task.RunTime + agentGrace,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			persons := w.session.personsSoFar()
			step := w.session.stepOn(page, wayfindertest.AgentStep(config, &task), req.ExecuteOptions.Variables)
			if w.run.saved() != nil {
				step.Method = "rest of an agent's run" // whose beginning is another session's
			}
			result, err := w.perform(ctx, worker, page, task)
			step.Result = wayfindertest.AgentText(result)
			w.session.record.Step(step)
			if err != nil {
				return outcome{}, err
			}
			if w.session.personsSoFar() != persons {
				recipe = nil // what a person did cannot be done again
			}
			return agentOutcome(result, recipe)
		},
	}, nil
}

// programs is the tool for programs that a model writes.
var programs = program.Tool(program.Limits{})

// config sets an agent up as a client and the operator want it.
func (w *agentWork) config() (*agent.Config, error) {
	s, given := w.core, &w.req.AgentConfig
	own, err := providedModel(given.Provider, given.Model)
	if err != nil {
		return nil, err
	}
	// What is wrong with their form is said first.
	for name, model := range map[string]wire.Model{"model": own, "executionModel": given.ExecutionModel} {
		if model == nil {
			continue
		}
		if _, err := s.opts.Models.config(model); err != nil {
			return nil, invalidDocument(err, "agentConfig", name)
		}
	}
	if given.CUA && given.Mode == "" {
		given.Mode = string(agent.CUA)
	}
	config := &agent.Config{
		Mode: agent.Mode(given.Mode), NeedApproval: s.opts.Agents.Refuse, Hooks: w.session.record.AgentHooks(s.opts.Hooks.Agent),
		Instructions: strings.TrimSpace(w.session.systemPrompt + "\n\n" + given.SystemPrompt),
	}
	if w.run != nil {
		config.Store = w.run.Store
	}
	if given.Programs {
		if config.Mode == agent.CUA {
			return nil, newFault(wire.InvalidRequest, "agentConfig.programs: a program calls the tools of mode dom or hybrid; leave it out, or mode cua")
		}
		config.Tools = []agent.Tool{programs}
	}
	if len(given.PageTools) > 0 && !w.session.pageTools {
		return nil, invalid([]any{"agentConfig", "pageTools"}, "needs a session that was started with launchOptions.pageTools")
	}
	config.PageTools = given.PageTools
	if config.Integrations, err = s.opts.Agents.integrations(given.Integrations); err != nil {
		return nil, err
	}
	if config.Model, err = w.modelAt(own, "agentConfig", "model"); err != nil {
		return nil, err
	}
	if given.ExecutionModel != nil {
		config.ExecutionModel, err = w.modelAt(given.ExecutionModel, "agentConfig", "executionModel")
	}
	return config, err
}

// integrations are those of the operator's that a client names.
func (a *Agents) integrations(names []string) (found []agent.Integration, _ error) {
	for i, name := range names {
		one := a.Integrations[name]
		if one == nil {
			known := strings.Join(slices.Sorted(maps.Keys(a.Integrations)), ", ")
			return nil, invalid([]any{"agentConfig", "integrations", i}, "names none of this server's integrations, which its operator sets up (--mcp): %s", cmp.Or(known, "there are none"))
		}
		if slices.Contains(names[:i], name) {
			return nil, invalid([]any{"agentConfig", "integrations", i}, "stands there twice")
		}
		found = append(found, one)
	}
	return found, nil
}

// providedModel is an agent's model, with the provider given beside it.
func providedModel(provider string, model wire.Model) (wire.Model, error) {
	if provider == "" || model == nil {
		return model, nil
	}
	document := map[string]json.RawMessage{}
	var name string
	switch {
	case json.Unmarshal(model, &name) == nil:
		if _, err := config.Parse(model); err == nil && strings.Contains(name, "/") {
			return model, nil // it names one itself
		}
		document["modelName"] = model
	case json.Unmarshal(model, &document) != nil:
		return model, nil // its reader names the form that it has instead
	}
	if document["provider"] == nil {
		raw, err := json.Marshal(provider)
		if err != nil {
			return nil, err
		}
		document["provider"] = raw
	}
	return json.Marshal(document)
}

// task is a task within the operator's bounds.
func (a *Agents) task(o *wire.AgentExecuteOptions) (agent.Task, error) {
	task := agent.Task{
		Instruction: o.Instruction, Context: o.Context, Variables: variables(o.Variables),
		MaxSteps: o.MaxSteps, MaxTokens: a.Tokens, MaxCost: a.Dollars,
		RunTime: a.runTime(), ToolTimeout: o.ToolTimeout.Duration(),
		WaitBetweenActions: o.WaitBetweenActions.Duration(),
		NoScreenshots:      o.AutoScreenshot != nil && !*o.AutoScreenshot,
		Exclude:            o.ExcludeTools,
	}
	for _, f := range o.Flows {
		task.Flows = append(task.Flows, agent.AllowedFlow(f))
	}
	for _, m := range o.Messages {
		said := llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: m.Content}}}
		if m.Role == "assistant" {
			said.Role = llm.Assistant
		}
		task.Messages = append(task.Messages, said)
	}
	var err error
	if len(o.Output) > 0 {
		if task.Output, err = schema.Parse(o.Output); err != nil {
			return task, invalidDocument(err, "executeOptions", "output")
		}
	}
	if task.Checks, err = checksOf(o.Checks, "executeOptions", "checks"); err != nil {
		return task, err
	}
	if a.Steps > 0 {
		const usual = 20 // of package agent
		task.MaxSteps = min(cmp.Or(task.MaxSteps, usual), a.Steps)
	}
	return task, nil
}

// checksOf are a client's checks, which stand at a path of its request.
func checksOf(given []wire.Check, path ...any) (checks []agent.Check, _ error) {
	if err := alike(given, &checks); err != nil {
		return nil, err
	}
	for i := range checks {
		if err := checks[i].Validate(); err != nil {
			return nil, invalidDocument(err, path...)
		}
	}
	return checks, nil
}

// restricting are names under which clients restrict an agent, and which are not
// known here. A restriction that is dropped would let the agent do what its client
// forbade, so they are refused; a hint that is dropped does no harm.
var restricting = []string{
	"activeTools", "allowedDomains", "allowedHosts", "allowedTools", "approve", "blockedDomains", "deniedHosts", "disabledTools", "excludedTools",
	"maxCost", "maxTokens", "needApproval", "readOnly", "timeout",
}

// unknownOfAgent refuses members that restrict and are not known.
func unknownOfAgent(c *call) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(c.raw, &given); err != nil {
		return invalid([]any{}, "%v", err)
	}
	for _, part := range []struct {
		name          string
		known, beside any
	}{
		{"agentConfig", wire.AgentConfig{}, wire.AgentExecuteOptions{}},
		{"executeOptions", wire.AgentExecuteOptions{}, wire.AgentConfig{}},
	} {
		var members map[string]json.RawMessage
		if json.Unmarshal(given[part.name], &members) != nil {
			continue // it is not there
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			switch {
			case wire.Knows(part.known, name):
			case wire.Knows(part.beside, name):
				return invalid([]any{part.name, name}, "stands in the wrong object, where it has no effect: agentConfig says how the agent is set up, executeOptions what it does")
			case slices.Contains(restricting, name):
				return invalid([]any{part.name, name}, "is not known here and would be dropped; executeOptions.excludeTools, maxSteps and toolTimeout restrict an agent")
			}
		}
	}
	return nil
}

// checkExcluded refuses names that leave no tool out: the agent would have the
// tool that the client meant.
func checkExcluded(req *wire.AgentExecuteRequest) error {
	excluded := req.ExecuteOptions.ExcludeTools
	if len(excluded) == 0 {
		return nil
	}
	if req.AgentConfig.Mode == string(agent.CUA) || req.AgentConfig.CUA && req.AgentConfig.Mode == "" {
		return invalid([]any{"executeOptions", "excludeTools"}, "cannot hold in mode cua, where the vendor's tool is one and whole; take mode dom or hybrid")
	}
	var names []string
	for _, t := range append(agent.Tools(), programs) {
		if t.Name != toolDone {
			names = append(names, t.Name)
		}
	}
	for i, name := range excluded {
		if !slices.Contains(names, name) {
			return invalid([]any{"executeOptions", "excludeTools", i}, "names no tool that can be left out; those are %s", strings.Join(names, ", "))
		}
	}
	return nil
}

// toolDone ends a run, which cannot do without it.
const toolDone = "done"

// runTime bounds an agent's run, and a script's.
func (a *Agents) runTime() time.Duration {
	if limit := cmp.Or(a.RunTime, agentRunTime); limit > 0 {
		return limit
	}
	return forever
}

// perform runs an agent and reports each step. Its error is the one to answer
// with; a run that did not reach its end has a result.
func (w *agentWork) perform(ctx context.Context, worker *agent.Agent, page *engine.Page, task agent.Task) (*agent.Result, error) {
	p := progressOf(ctx)
	var result *agent.Result
	var err error
	steps := worker.Run(ctx, page, task)
	if saved, ok := w.run.saved().(*agent.Saved); ok {
		before := saved.Task
		before.Variables = task.Variables // no log holds them
		steps = worker.Recover(ctx, page, before, saved)
	}
	for step, e := range steps {
		if step.Number > 0 && (step.Result == nil || step.Number <= len(step.Result.Actions)) {
			p.say(1, "%s", stepLine(&step))
		}
		if step.Result != nil {
			result = step.Result
		}
		err = e
		if result == nil {
			w.session.pause(ctx, w.run.leave(), func() { p.say(1, "a person has taken the session: the agent waits until it is given back") })
		}
		if w.run.left() && result == nil {
			return nil, newFaultDraining()
		}
	}
	w.sent = p.sum()
	if err != nil {
		w.session.loseWithLastPage()
		if why := context.Cause(w.session.ctx); why != nil {
			return nil, why // it has ended under the agent, which may know that by its errors alone
		}
	}
	if err = agentFault(ctx, result, err); err != nil {
		return nil, err
	}
	return result, nil
}

// stepLine is a step for the reader of a stream.
func stepLine(step *agent.Step) string {
	a := &step.Action
	line := fmt.Sprintf("step %d: %s", step.Number, a.Type)
	if a.Target != "" && !strings.Contains(a.Message, a.Target) {
		line += " " + a.Target
	}
	switch a.Status {
	case agent.Failed:
		line += " failed"
	case agent.Unknown:
		line += ": not known what came of it"
	}
	return line + ": " + a.Message
}

// plainTask reports whether the key of a recipe says all that a task depends on.
// Another task of the same key would be answered with this one's result.
func plainTask(o *wire.AgentExecuteOptions) bool {
	return len(o.Output) == 0 && len(o.Messages) == 0 && len(o.ExcludeTools) == 0
}

// agentFault is the error that answers in place of a result; nil if the result is the
// answer. A run that has done steps reports them however it ended, unless its client
// has gone.
func agentFault(ctx context.Context, result *agent.Result, err error) error {
	switch {
	case err == nil && result == nil:
		return errors.New("the run ended without a result")
	case err == nil:
		return nil
	case context.Cause(ctx) != nil && !errors.Is(err, agent.ErrRunTime):
		return err
	case result != nil && (len(result.Actions) > 0 || errors.Is(err, agent.ErrRunTime)):
		return nil
	}
	switch f := faultOf(ctx, err); f.code {
	case wire.Internal, wire.InvalidRequest, wire.NotImplemented, wire.Forbidden:
		message := err.Error()
		if result != nil {
			message = result.Message // without the values of variables
		}
		return &fault{code: wire.AgentFailed, message: "the agent could not run: " + message, cause: err}
	}
	return err
}

func agentOutcome(r *agent.Result, recipe *recipe) (outcome, error) {
	result := wire.AgentResult{
		Success: r.Success, Message: r.Message, Completed: r.Completed, Output: r.Output,
		Actions: make([]wire.AgentAction, len(r.Actions)), Metadata: map[string]any{},
		Usage: &wire.AgentUsage{
			InputTokens: r.Usage.Input, OutputTokens: r.Usage.Output, ReasoningTokens: r.Usage.Reasoning,
			CachedInputTokens: r.Usage.Cached, InferenceTimeMs: r.Usage.InferenceTime,
		},
	}
	if err := alike(r.Metadata, &result.Metadata); err != nil {
		return outcome{}, err
	}
	result.Metadata["runId"] = r.ID
	if len(r.Criteria) > 0 {
		result.Metadata["criteria"] = r.Criteria
	}
	for i := range r.Actions {
		result.Actions[i] = agentAction(&r.Actions[i])
	}
	raw, err := encode(result)
	if err != nil {
		return outcome{}, err
	}
	data := wire.AgentData{Result: result}
	if recipe != nil {
		if data.CacheEntry, err = recipe.entry(r, raw); err != nil {
			return outcome{}, err
		}
	}
	return outcome{data: data, result: raw, cache: data.CacheEntry, success: r.Success, claimed: r.Verdict == agent.Unproven, message: r.Message}, nil
}

func agentAction(a *agent.Action) wire.AgentAction {
	out := wire.AgentAction{
		Type: a.Type, Action: a.Type, Selector: a.Selector, Text: a.Text, Reasoning: a.Reasoning,
		TaskCompleted: a.TaskCompleted, Instruction: a.Instruction, PageURL: a.PageURL,
		TimeMs: float64(a.Duration) / float64(time.Millisecond), Timestamp: float64(a.Begin.UnixMilli()),
		Status: string(a.Status), Message: a.Message, Target: a.Target, Output: a.Output,
	}
	if json.Unmarshal(a.Arguments, &out.Arguments) != nil {
		out.Arguments = nil // the model wrote something else; the message says so
	}
	return out
}
