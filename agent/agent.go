package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/dialect"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// A Mode is how the model sees and reaches the page.
type Mode string

// The modes.
const (
	// DOM: the page is an outline, and elements are named by ref. It is the
	// zero value's meaning.
	DOM Mode = "dom"
	// Hybrid adds pictures of the viewport, and points in them.
	Hybrid Mode = "hybrid"
	// CUA is the vendor's own tool for browsers or computers, for the models that
	// have one: New says so if the model's has none.
	CUA Mode = "cua"
)

// A Config sets an agent up. The zero value is an agent with the session's
// model, all tools of mode DOM, and nobody to ask.
type Config struct {
	// Model decides what to do; nil is the session's.
	Model llm.Model
	// ExecutionModel answers the questions of the tools act and extract; nil is Model.
	ExecutionModel llm.Model

	// Instructions are added to the agent's own, for every task.
	Instructions string

	Mode Mode

	// ComputerTool is the vendor's tool for mode CUA: "computer" or "computer_use_preview"
	// (OpenAI), "browser_toolset_20260801", "computer_toolset_20260801",
	// "computer_20251124" or "computer_20250124" (Anthropic), "computer_use" or
	// "computer_use_2025" (Google). If empty, it is derived from the model's name; set it
	// where that is the name of a deployment.
	ComputerTool string

	// Tools join the agent's own.
	Tools []Tool
	// Integrations are asked for further tools when a run begins: package
	// agent/mcp connects servers.
	Integrations []Integration
	// Exclude names tools to leave out.
	Exclude []string

	// Known says what is known of the site of a page, in words; empty is nothing. It
	// is asked when a run begins and when it comes to another origin, once for each. The
	// model gets the text as it gets what pages say: in a fence, without values of
	// variables, and cut to 4,000 tokens. Package agent/knowledge has one that learns.
	Known func(ctx context.Context, page *engine.Page) string

	// NeedApproval are the classes of actions that Approve is asked about. With
	// a nil Approve they are refused. An action that leaves AllowedHosts is of
	// [ClassLeave]. With pay, send, delete or signup among them all that leaves the
	// browser is held for as long as the run lasts: a request that is not to read goes
	// out if it is what was approved, or what the page did by itself before anything was
	// given to it. A page that was there before is loaded again.
	NeedApproval []Class
	Approve      Approver
	// ApprovedBy names the person that Approve speaks for, in records; empty is "approver".
	ApprovedBy string
	// Flows says what becomes of a value that was read at one site and goes to another,
	// where the task does not say so. Empty is FlowsAsk with NeedApproval or Approve, and
	// else FlowsAllow.
	Flows Flows
	// HoldLimit is how long a request is held for Approve to decide; 0 is 30 s.
	HoldLimit time.Duration

	// AllowedHosts are the hosts that the run may visit without approval, written
	// as in an [engine.Policy]; empty means all. It only applies to the agent's
	// own steps; [engine.Options].Policy restricts the browser itself.
	AllowedHosts []string

	// PageTools are the hosts whose pages may offer tools to the model (WebMCP),
	// written as in an [engine.Policy]; "*" is all, empty is none. What a page says
	// of its tools is text of the page. A call is an action as any other, with its
	// approvals; a tool that says that it is consequential is of
	// [ClassConsequential], and what a tool sends, except by GET, is held and asked
	// about where NeedApproval has pay, send, delete or signup. The session's
	// browser needs [driver.BrowserOptions].PageTools. In mode CUA they are plain
	// functions beside the vendor's tool.
	PageTools []string

	// Ask answers the tool ask; nil leaves that tool out. It may return [ErrLater].
	Ask func(ctx context.Context, question string) (string, error)

	// Window is how many tokens the model takes at most, its answer included;
	// 0 is 128,000.
	Window int
	// OutlineTokens bounds the outline of the page in the conversation; 0 is 12,000.
	OutlineTokens int
	// HistoryTokens is the size at which the conversation is compacted; 0 is a
	// quarter of Window.
	HistoryTokens int

	// Store, if not nil, keeps what a run needs to continue in another process: see
	// [Agent.Recover]. What a run does is written there before it is done; a record
	// that cannot be written ends the run.
	Store runs.Store

	// Judge, if not nil, is asked where the rules leave a claim unproven: a model
	// that reads the instruction and the evidence, and nothing of what the agent's
	// own model says. It may raise unproven to verified, and outvotes no
	// contradiction and no check.
	Judge llm.Model

	// Prices are those that [Task].MaxCost counts with; nil is [middleware.ListPrices].
	Prices *middleware.Prices

	Hooks *Hooks
}

// An Integration gives tools to runs. Tools is called as each run begins.
type Integration interface {
	Tools(ctx context.Context) ([]Tool, error)
}

// A Task is what an agent should do, with its limits.
type Task struct {
	// Instruction says in words what to do; %name% stands for a variable.
	Instruction string
	// Context is anything else that the model should know or observe.
	Context string
	// Variables are values that no model sees.
	Variables map[string]engine.Variable
	// Files are contents that the tool upload can give by name.
	Files map[string][]byte
	// Flows are those that the task wants, beside what Instruction says: see [Config].Flows.
	Flows []AllowedFlow

	// Output asks for data besides the message: the tool done then takes an output
	// that satisfies this schema, and the data is checked against the page.
	Output *schema.Schema

	// Checks, if there are any, decide alone whether the task is done.
	Checks []Check

	// Messages continue an earlier run: see [Result].Messages.
	Messages []llm.Message

	MaxSteps    int           // tool calls; 0 is 20
	MaxFailures int           // in a row; 0 is 5
	MaxTokens   int           // in and out, of all models; 0 is no bound
	MaxCost     float64       // US dollars; 0 is no bound
	RunTime     time.Duration // 0 is no bound but ctx's
	ToolTimeout time.Duration // of each tool call; 0 is 45 s

	// WaitBetweenActions is a pause before each action on the page.
	WaitBetweenActions time.Duration
	// NoScreenshots leaves pictures out of mode Hybrid's views, and out of mode
	// CUA's where the vendor's tool does without.
	NoScreenshots bool
	// Exclude names tools to leave out, beside those of the Config.
	Exclude []string
}

// Hooks are functions that a run calls as it goes, for progress, spans and
// stores. Each may be nil. They run on the run's goroutine and hold it up; what
// they get holds no value of a variable.
type Hooks struct {
	// RunBegan returns the context that the run works with: ctx or one made from it.
	RunBegan func(ctx context.Context, r RunInfo) context.Context
	// RunEnded gets what the caller gets.
	RunEnded func(ctx context.Context, r *Result, err error)
	// StepBegan is called before a tool, with what is known then; the context
	// that it returns is the tool's.
	StepBegan func(ctx context.Context, s Step) context.Context
	// StepEnded is called after it.
	StepEnded func(ctx context.Context, s Step)
	// Said is called with pieces of the model's answer as they come, if the
	// model streams.
	Said func(ctx context.Context, d llm.Delta)
}

// JoinHooks returns hooks that call a's and then b's. Either may be nil.
func JoinHooks(a, b *Hooks) *Hooks {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Hooks{
		RunBegan:  joinBegan(a.RunBegan, b.RunBegan),
		StepBegan: joinBegan(a.StepBegan, b.StepBegan),
		StepEnded: joinEnded(a.StepEnded, b.StepEnded),
		Said:      joinEnded(a.Said, b.Said),
		RunEnded: func(ctx context.Context, r *Result, err error) {
			for _, h := range []*Hooks{a, b} {
				if h.RunEnded != nil {
					h.RunEnded(ctx, r, err)
				}
			}
		},
	}
}

func joinBegan[T any](a, b func(context.Context, T) context.Context) func(context.Context, T) context.Context {
	return func(ctx context.Context, v T) context.Context {
		for _, f := range []func(context.Context, T) context.Context{a, b} {
			if f == nil {
				continue
			}
			if inner := f(ctx, v); inner != nil {
				ctx = inner
			}
		}
		return ctx
	}
}

// joinEnded is nil without listeners: only for them does a model stream.
func joinEnded[T any](a, b func(context.Context, T)) func(context.Context, T) {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context, v T) { a(ctx, v); b(ctx, v) }
}

// A RunInfo describes a run that begins.
type RunInfo struct {
	ID    string
	Task  string
	Model string
	Mode  Mode
	Tools []string
}

// An Agent does tasks. It is immutable and safe for concurrent use: it can run
// several tasks at once, each on a page of its own, also in one session. A run
// follows the pages that its own steps open; those of others it sees in the tool
// tabs, and enters by choice alone.
type Agent struct{ cfg Config }

// New returns an agent, or an error that wraps [ErrInvalid] or [ErrUnsupported]
// and says what is wrong with the configuration.
func New(cfg Config) (*Agent, error) {
	switch cfg.Mode {
	case "":
		cfg.Mode = DOM
	case DOM, Hybrid, CUA:
	default:
		return nil, fmt.Errorf("agent: %w: the mode %q; take dom, hybrid or cua", ErrInvalid, cfg.Mode)
	}
	if cfg.Mode == CUA && cfg.Model != nil { // the session's is looked at when a run begins
		if _, err := dialect.For(cfg.Model.Name(), cfg.ComputerTool); err != nil {
			return nil, fmt.Errorf("agent: %w: mode cua: %w", ErrUnsupported, err)
		}
	}
	for _, c := range cfg.NeedApproval {
		if !slices.Contains(Classes(), c) {
			return nil, fmt.Errorf("agent: %w: there is no class %q; the classes are %v", ErrInvalid, c, Classes())
		}
	}
	if !slices.Contains([]Flows{"", FlowsAsk, FlowsRefuse, FlowsAllow}, cfg.Flows) {
		return nil, fmt.Errorf("agent: %w: Flows is %q; take ask, refuse or allow", ErrInvalid, cfg.Flows)
	}
	if cfg.Window < 0 || cfg.OutlineTokens < 0 || cfg.HistoryTokens < 0 {
		return nil, fmt.Errorf("agent: %w: Window, OutlineTokens and HistoryTokens are numbers of tokens, and not negative", ErrInvalid)
	}
	if _, err := pageToolHosts(cfg.PageTools); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	cfg.Tools, cfg.PageTools = slices.Clone(cfg.Tools), slices.Clone(cfg.PageTools)
	for i := range cfg.Tools {
		if err := cfg.Tools[i].check(); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
	}
	a := &Agent{cfg: cfg}
	if _, err := newToolbox(a.ownTools(&Task{}, nil)); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
}

// check refuses a task that cannot be done as it is set.
func (t *Task) check() error {
	switch {
	case t.Instruction == "":
		return fmt.Errorf("%w: the task is empty; say what to do, as \"order two teapots\"", ErrInvalid)
	case t.MaxSteps < 0, t.MaxFailures < 0, t.MaxTokens < 0, t.MaxCost < 0, t.RunTime < 0, t.ToolTimeout < 0, t.WaitBetweenActions < 0:
		return fmt.Errorf("%w: a bound of the task is negative; 0 is the default", ErrInvalid)
	}
	for i := range t.Checks {
		if err := t.Checks[i].Validate(); err != nil {
			return fmt.Errorf("check %d: %w", i+1, err)
		}
	}
	for _, f := range t.Flows {
		if err := f.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// logged is what the log of a run has by now, of what is not written again.
type logged struct {
	addresses map[string]bool // that were seen
	long      map[string]bool // those that something shorter stands for
	browser   journal.Known
	from      time.Time // of the first request that had no answer yet
}

// Variables lists the names of the task's variables, sorted.
func (c *Call) Variables() []string { return slices.Sorted(keysOf(c.run.task.Variables)) }

// Do does a step of the run on the way of a call: it calls one of the agent's own
// tools, as the model would. Approvals, bounds and hooks hold as for any step, and
// the step is yielded and recorded, with [Action].Parent as the call's own. What
// only reads the page does not count against [Task].MaxSteps. The time that a tool
// may take begins anew with each step.
//
// Elements are named by refs of the newest [Call.Read], or of what the model was
// shown if there was none.
//
// An error means that the step was not done, or that it is not known whether it
// was ([engine.ErrMayHaveHappened]): the tool should end, and say so. Do must
// not be called once the tool has returned; it may be called by several goroutines, of
// which one at a time is served.
func (c *Call) Do(ctx context.Context, tool string, arguments json.RawMessage) (*Action, error) {
	got, err := c.want(ctx, want{ctx: ctx, tool: tool, arguments: arguments})
	return got.action, err
}

// Read reads the page that the run is at, once it is quiet. What it shows counts
// as seen by the run; it is not shown to the model.
func (c *Call) Read(ctx context.Context) (*engine.Snapshot, error) {
	got, err := c.want(ctx, want{ctx: ctx})
	return got.snapshot, err
}

// A want is a tool's request to the run; without a tool it is a reading.
type want struct {
	ctx       context.Context
	tool      string
	arguments json.RawMessage
	answer    chan<- given
}

type given struct {
	action   *Action
	snapshot *engine.Snapshot
	err      error
}

func (c *Call) want(ctx context.Context, w want) (given, error) {
	answer := make(chan given, 1)
	w.answer = answer
	if c.wants == nil {
		return given{}, fmt.Errorf("%w: the tool %s is one of the agent's own, and does no steps", ErrInvalid, c.Name)
	}
	select {
	case c.wants <- w:
	case <-ctx.Done():
		return given{}, context.Cause(ctx)
	case <-c.over:
		return given{}, fmt.Errorf("%w: the call is over", engine.ErrClosed)
	}
	got := <-answer // the run serves what it took, and ends with ctx
	return got, got.err
}

// An errand is a call that does steps on its way. The run's goroutine alone uses it.
type errand struct {
	step  *Step // of the call
	begun bool  // a step was done, or the page read
	shown view  // what the model knows of the page

	evidence *engine.Evidence // of the last step with an effect
	end      error            // the run ends with it
	later    *pendingError    // a step waits for a person
	waiting  llm.ToolCall     // that step's
}

const (
	defaultWindow  = 128_000
	defaultOutline = 12_000
)

// reserveForAnswer is what is left of a window for the answer.
func reserveForAnswer(window int) int { return min(8_000, window/8) }
