package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// agentRunTime bounds a run where the operator says nothing.
const agentRunTime = 30 * time.Minute

// agentGrace is what a run that is out of time may take to say so.
const agentGrace = 30 * time.Second

// agentExecute has an agent do a task. Nobody is there to be asked: it has no
// tool for that, and what would need approval is refused.
func (s *Server) agentExecute(c *call) error {
	req, err := read[wire.AgentExecuteRequest](c)
	if err != nil {
		return err
	}
	if _, err := wantsStream(c.r, req.StreamResponse); err != nil {
		return err
	}
	page, err := c.session.page(req.FrameID)
	if err != nil {
		return err
	}
	config, err := s.agentConfig(c, &req.AgentConfig)
	if err != nil {
		return err
	}
	worker, err := agent.New(*config)
	if errors.Is(err, agent.ErrUnsupported) { // mode cua, of a model whose vendor has no tool for it
		return newFault(wire.NotImplemented, "%v; take mode dom or hybrid, or one of those models", err)
	}
	if err != nil {
		return newFault(wire.AgentFailed, "%v", err)
	}
	task := s.agentTask(&req.ExecuteOptions)
	var recipe *recipe
	if req.ShouldCache {
		recipe = newRecipe(c.session, req, page.URL())
	}
	return s.operate(c, job{
		frame: req.FrameID, stream: req.StreamResponse, said: "task: " + task.Instruction, agent: true,
		limit: task.RunTime + agentGrace,
		do: func(ctx context.Context, page *engine.Page) (outcome, error) {
			persons := c.session.personsSoFar()
			result, err := runAgent(ctx, c, worker, page, task)
			if err != nil {
				return outcome{}, err
			}
			if c.session.personsSoFar() != persons {
				recipe = nil // what a person did cannot be done again
			}
			return agentOutcome(result, recipe)
		},
	})
}

// agentConfig sets an agent up as a client and the operator want it.
func (s *Server) agentConfig(c *call, given *wire.AgentConfig) (*agent.Config, error) {
	own, err := providedModel(given.Provider, given.Model)
	if err != nil {
		return nil, err
	}
	// What is wrong with their form is said first.
	for name, model := range map[string]wire.Model{"model": own, "executionModel": given.ExecutionModel} {
		if model == nil {
			continue
		}
		if _, err := s.modelConfig(model); err != nil {
			return nil, invalidDocument(err, "agentConfig", name)
		}
	}
	if given.CUA && given.Mode == "" {
		given.Mode = string(agent.CUA)
	}
	config := &agent.Config{
		Mode: agent.Mode(given.Mode), NeedApproval: s.opts.Agent.Refuse, Hooks: c.session.record.AgentHooks(s.opts.AgentHooks),
		Instructions: strings.TrimSpace(c.session.systemPrompt + "\n\n" + given.SystemPrompt),
		Store:        lasting(c.r.Context()).Store,
	}
	if given.Programs {
		if config.Mode == agent.CUA {
			return nil, newFault(wire.InvalidRequest, "agentConfig.programs: a program calls the tools of mode dom or hybrid; leave it out, or mode cua")
		}
		config.Tools = []agent.Tool{program.Tool(program.Limits{})}
	}
	if len(given.PageTools) > 0 && !c.session.pageTools {
		return nil, invalid([]any{"agentConfig", "pageTools"}, "needs a session that was started with launchOptions.pageTools")
	}
	config.PageTools = given.PageTools
	if config.Model, err = s.modelAt(c, own, "agentConfig", "model"); err != nil {
		return nil, err
	}
	if given.ExecutionModel != nil {
		config.ExecutionModel, err = s.modelAt(c, given.ExecutionModel, "agentConfig", "executionModel")
	}
	return config, err
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
		return model, nil // what it is instead is said by whoever reads it
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

// agentTask is a task within the operator's bounds.
func (s *Server) agentTask(o *wire.AgentExecuteOptions) agent.Task {
	limits := s.opts.Agent
	task := agent.Task{
		Instruction: o.Instruction, Context: o.Context, Variables: variables(o.Variables),
		MaxSteps: o.MaxSteps, MaxTokens: limits.Tokens, MaxCost: limits.Dollars,
		RunTime: s.runTime(), ToolTimeout: o.ToolTimeout.Duration(),
		WaitBetweenActions: o.WaitBetweenActions.Duration(),
		NoScreenshots:      o.AutoScreenshot != nil && !*o.AutoScreenshot,
	}
	if limits.Steps > 0 {
		const usual = 20 // of package agent
		task.MaxSteps = min(cmp.Or(task.MaxSteps, usual), limits.Steps)
	}
	return task
}

// runTime bounds an agent's run, and a script's.
func (s *Server) runTime() time.Duration {
	if limit := cmp.Or(s.opts.Agent.RunTime, agentRunTime); limit > 0 {
		return limit
	}
	return forever
}

// runAgent runs an agent and reports each step. Its error is the one to answer
// with; a run that did not reach its end has a result.
func runAgent(ctx context.Context, c *call, worker *agent.Agent, page *engine.Page, task agent.Task) (*agent.Result, error) {
	p := progressOf(ctx)
	var result *agent.Result
	var err error
	over := lasting(ctx)
	steps := worker.Run(ctx, page, task)
	if saved, ok := over.Saved.(*agent.Saved); ok {
		before := saved.Task
		before.Variables = task.Variables // no log holds them
		steps = worker.Recover(ctx, page, before, saved)
	}
	for step, e := range steps {
		if step.Number > 0 {
			p.say(1, "%s", stepLine(&step))
		}
		if step.Result != nil {
			result = step.Result
		}
		err = e
		if result == nil {
			c.session.pause(ctx, over.Leave, func() { p.say(1, "a person has taken the session: the agent waits until it is given back") })
		}
		if over.left() && result == nil {
			return nil, newFaultDraining()
		}
	}
	c.tellSent(p.sum())
	if why := context.Cause(c.session.ctx); why != nil && err != nil {
		return nil, why // it has ended under the agent, which may know that by its errors alone
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

// agentFault is what a client is answered in place of a result; nil if the
// result is the answer. A run that has done steps reports them however it ended,
// unless nobody waits for it any more.
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
		Actions: make([]wire.AgentAction, len(r.Actions)), Metadata: map[string]any{"runId": r.ID},
		Usage: &wire.AgentUsage{
			InputTokens: r.Usage.Input, OutputTokens: r.Usage.Output, ReasoningTokens: r.Usage.Reasoning,
			CachedInputTokens: r.Usage.Cached, InferenceTimeMs: r.Usage.InferenceTime,
		},
	}
	for name, value := range r.Metadata {
		result.Metadata[name] = value
	}
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
	return outcome{data: data, result: raw, cache: data.CacheEntry}, nil
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
