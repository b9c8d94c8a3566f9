package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/dialect"
	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/internal/owned"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/policy"
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
	return func(ctx context.Context, v T) context.Context { return began(began(ctx, a, v), b, v) }
}

// began is the context that a hook returns: ctx, where there is no hook or it returns none.
func began[T any](ctx context.Context, hook func(context.Context, T) context.Context, v T) context.Context {
	if hook != nil {
		if inner := hook(ctx, v); inner != nil {
			return inner
		}
	}
	return ctx
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
type Agent struct {
	cfg      Config
	offerers *policy.Hosts // whose pages may offer tools; nil is nobody
}

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
	var offerers *policy.Hosts
	if len(cfg.PageTools) > 0 {
		hosts, err := policy.ParseHosts(cfg.PageTools)
		if err != nil {
			return nil, fmt.Errorf("agent: %w: PageTools: %w", ErrInvalid, err)
		}
		offerers = &hosts
	}
	cfg.Tools, cfg.PageTools = slices.Clone(cfg.Tools), slices.Clone(cfg.PageTools)
	cfg.Hooks = cmp.Or(cfg.Hooks, &Hooks{})
	for i := range cfg.Tools {
		if err := cfg.Tools[i].check(); err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
	}
	a := &Agent{cfg, offerers}
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

const (
	defaultWindow  = 128_000
	defaultOutline = 12_000
)

// reserveForAnswer is what is left of a window for the answer.
func reserveForAnswer(window int) int { return min(8_000, window/8) }

// Execute does a task from its beginning to its end. The result is there also
// with an error, and says what was done by then; it is nil only where the task
// is invalid. The run works with page, and with those that it opens.
func (a *Agent) Execute(ctx context.Context, page *engine.Page, task Task) (*Result, error) {
	return ResultOf(a.Run(ctx, page, task))
}

// Run does a task, step by step. Each step is yielded when it is over; the last
// one has the Result, beside an error if the run did not end by itself. Leaving
// the loop ends the run: nothing continues in the page. ctx bounds the run.
func (a *Agent) Run(ctx context.Context, page *engine.Page, task Task) iter.Seq2[Step, error] {
	return steps(ctx, func() (*run, opening, error) {
		r, err := a.begin(ctx, page, &task)
		return r, func(ctx context.Context, _ *output) error { return r.open(ctx) }, err
	})
}

// An opening is what a run does before it asks the model.
type opening func(ctx context.Context, out *output) error

// steps plays the run that set sets up.
func steps(ctx context.Context, set func() (*run, opening, error)) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		r, first, err := set()
		if err != nil {
			yield(Step{}, fmt.Errorf("agent: %w", err))
			return
		}
		r.play(ctx, yield, first)
	}
}

// Resume continues a run that waited for a person, on a page that shows what
// it showed then, in this process or another one. The task is the one that the
// run began with; its bounds hold for the whole of the run. An approval is for
// exactly the action that was asked about: where the page has another one by
// now, nothing is done and the model hears why.
func (a *Agent) Resume(ctx context.Context, page *engine.Page, task Task, p Pending, d Decision) iter.Seq2[Step, error] {
	return steps(ctx, func() (*run, opening, error) {
		var s saved
		r, err := a.begin(ctx, page, &task)
		if err != nil {
			return nil, nil, err
		}
		if err = json.Unmarshal(p.State, &s); err == nil && len(s.Calls) == 0 {
			err = errors.New("it holds no call")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%w: the pending's State cannot be read: %w", ErrInvalid, err)
		}
		(&past{run: r}).resume(&s)
		if r.log != nil && s.Revision > 0 {
			r.log.Run, r.log.Revision = r.id, s.Revision+1 // the run's end was written after it
			if err := r.log.Write(ctx, &journal.Resumed{}); err != nil {
				return nil, nil, err
			}
		}
		r.decision = &decided{Decision: d, approval: p.Approval}
		return r, func(ctx context.Context, out *output) error {
			if _, err := r.look(ctx); err != nil { // refs are looked up in it
				return err
			}
			r.view.stale = true
			if r.vendor != nil {
				r.vendor.hand.Fallback = r.view.snapshot
			}
			var parts []llm.Part
			if s.Results != nil {
				parts = s.Results.Parts
			}
			return r.calls(ctx, out, s.Calls, Step{Turn: r.turn}, parts)
		}, nil
	})
}

// Recover continues a run whose process has died, from its log. The task is
// [Saved].Task with the values of the variables and the files; other bounds than
// those that the run had hold for the whole of it.
//
// page is of a session that [Saved.Prepare] has set up, and shows nothing: the
// tabs are opened again at their addresses, and fields that had been filled and
// not sent are filled again. A page that shows something is taken as it is.
//
// Recover repeats nothing whose outcome is unknown. The page may prove the outcome: a
// field has the value now, and did not before. Otherwise the model reads that the
// outcome is unknown, and how the page differs.
//
// Of two processes that continue one run, one is refused before it has done
// anything, with an error that wraps [runs.ErrConflict]; so is a process that was
// taken for dead and is not.
func (a *Agent) Recover(ctx context.Context, page *engine.Page, task Task, s *Saved) iter.Seq2[Step, error] {
	return steps(ctx, func() (*run, opening, error) {
		r, err := a.takeOver(ctx, page, &task, s)
		if err != nil {
			return nil, nil, err
		}
		was := &recovery{past{run: r}}
		for _, e := range s.entries {
			if err := was.take(e); err != nil {
				return nil, nil, fmt.Errorf("run %s: %w: record %d: %w", s.ID, runs.ErrDamaged, e.Revision, err)
			}
		}
		was.lost()
		if r.claim != nil { // it has ended, and only its result was not returned
			r.log = nil
			return r, func(context.Context, *output) error { return nil }, nil
		}
		if d := task.RunTime; d > 0 {
			r.bounds.deadline = time.Now().Add(d - was.active)
		}
		err = r.log.Write(ctx, &journal.Resumed{})
		return r, func(ctx context.Context, out *output) error { return was.goOn(ctx, out, &s.browser) }, err
	})
}

// takeOver sets up a run that another process has begun.
func (a *Agent) takeOver(ctx context.Context, page *engine.Page, task *Task, s *Saved) (*run, error) {
	switch {
	case s == nil:
		return nil, fmt.Errorf("%w: no run; Load it from its store", ErrInvalid)
	case s.Mode != a.cfg.Mode:
		return nil, fmt.Errorf("%w: run %s is one of mode %s, and the agent's is %s", ErrInvalid, s.ID, s.Mode, a.cfg.Mode)
	}
	if err := s.missing(task); err != nil {
		return nil, err
	}
	r, err := a.begin(ctx, page, task)
	if err != nil {
		return nil, err
	}
	r.id = s.ID
	r.log = &journal.Log{Store: s.store, Run: s.ID, Revision: s.entries[len(s.entries)-1].Revision, Hide: r.session.Hide}
	return r, nil
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
		if prices, err = middleware.ListPrices(); err != nil {
			return nil, err
		}
	}
	if err := page.Session().Remember(task.Variables); err != nil {
		return nil, err
	}
	r := &run{}
	r.scene = scene{self: r, agent: a, task: task, id: uuid.New(), session: page.Session(), own: owned.In(page.Session())}
	r.enterPage(page)
	if a.cfg.Mode == CUA {
		var err error
		if r.vendor, err = r.newVendorTool(); err != nil {
			return nil, err
		}
	}
	tools := a.ownTools(task, r.vendor)
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
	if box.byName[toolDone] == nil {
		return nil, fmt.Errorf("%w: the tool done cannot be excluded", ErrInvalid)
	}
	hosts, err := hostRules(a.cfg.AllowedHosts)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	r.tools, r.hosts, r.began, r.bounds = box, hosts, now, newBounds(task, prices, now)
	r.pictures = a.cfg.Mode == Hybrid && !task.NoScreenshots
	r.approvals.asking = make(chan struct{}, 1)
	r.addresses.hide = r.session.Hide
	if len(task.Variables) > 0 {
		r.seen.spell = r.spellings
	}
	r.beginFlows()
	r.talk.system = systemPrompt(a.cfg.Mode, a.cfg.Instructions)
	r.talk.tools = box.offer()
	if store := a.cfg.Store; store != nil {
		r.log = &journal.Log{Store: store, Run: r.id, Hide: r.session.Hide}
	}
	return r, nil
}

// ownTools are those that need no integration, without the excluded ones. Beside
// a vendor's tool there are those of ours that it names.
func (a *Agent) ownTools(task *Task, vendor *vendorTool) []Tool {
	own := Tools()
	if vendor != nil {
		own = slices.DeleteFunc(own, func(t Tool) bool { return !slices.Contains(vendor.dialect.Own, t.Name) })
	}
	var out []Tool
	for _, t := range append(own, a.cfg.Tools...) {
		if t.modes != nil && !slices.Contains(t.modes, a.cfg.Mode) || slices.Contains(a.cfg.Exclude, t.Name) || slices.Contains(task.Exclude, t.Name) {
			continue
		}
		if t.Name == toolAsk && a.cfg.Ask == nil || t.Name == toolUpload && len(task.Files) == 0 {
			continue
		}
		if (t.Name == toolPageTool || t.Name == toolPageTools) && len(a.cfg.PageTools) == 0 {
			continue
		}
		out = append(out, t)
	}
	return out
}
