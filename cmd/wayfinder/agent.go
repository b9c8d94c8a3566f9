package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
	programs "github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// agentFlags are the common flags and what agent has beside them.
type agentFlags struct {
	*settings
	vars     variableFlags
	approve  []string // classes
	checks   []string
	flows    []string
	mode     string
	programs bool
	schema   string
	servers  []string // addresses of MCP servers
	log      runLog
	saved    *agent.Saved // the run that is continued
	config   agent.Config
	task     agent.Task
}

func newAgentCommand(s *settings) *cobra.Command {
	f := &agentFlags{settings: s}
	cmd := &cobra.Command{
		Use:   "agent URL TASK | --store WHERE --resume RUN",
		Short: "Do a whole task, step by step",
		Long: `Do a whole task: look at the page, decide, act, and look again, until it is done, cannot be done, or a limit is reached.

Each step is a line: what was done to what, what came of it, and what it took. At the end, what the model claims is held
against the page and against what was done: exit code 0 is a task that was done and verified, 1 any other end.

On a terminal the model may ask you, and what --approve names is asked about before it is done:
` + classNames(agent.Classes()) + `.
Without a terminal that is refused.`,
		Example: `  wayfinder agent https://shop.example/ "put two teapots into the cart"
  wayfinder agent https://shop.example/ "order a teapot for %name%" --var name=Ada --approve pay,send
  wayfinder agent https://shop.example/ "order a teapot" --store runs   # and where it died: wayfinder agent --store runs --resume last
  wayfinder agent https://shop.example/ "find the cheapest teapot" --schema teapot.schema.json --max-cost 0.25 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.log.resume == "" {
				return pageAddress(1)(cmd, args)
			}
			if len(args) > 0 {
				return usage("--resume continues the task on the run's own page: leave out %q", strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.log.resume != "" {
				return f.resumeAgent(cmd)
			}
			f.task.Instruction = strings.Join(args[1:], " ")
			return f.agent(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.task.Context, "context", "", "what else the model should know or keep to")
	flags.StringVar(&f.config.Instructions, "instructions", "", "added to the agent's own instructions, for every task")
	flags.StringVar(&f.mode, "mode", "dom", "how the model sees the page: dom (an outline), hybrid (pictures, too), or cua (its vendor's own tool)")
	flags.BoolVar(&f.programs, "programs", false, "let the model write programs for what repeats (not in mode cua); raise --max-steps for long ones")
	flags.StringSliceVar(&f.config.PageTools, "page-tools", nil, "`host` whose pages may offer tools of their own to the model (WebMCP), as shop.example; * is all; may be repeated")
	flags.StringVar(&f.schema, "schema", "", "JSON Schema of data that the task is to bring, inline or as the path of a file")
	flags.StringArrayVar(&f.checks, "check", nil, "what must be so in the end, as shown=Thank you or request=POST /order; decides alone")
	flags.StringArrayVar(&f.flows, "allow-flow", nil, "what may go to another site without a question, as shop.example=order number; a host alone allows everything")
	flags.StringSliceVar(&f.approve, "approve", nil, "classes of actions to be asked about: see above")
	flags.IntVar(&f.task.MaxSteps, "max-steps", 20, "calls of tools at most")
	flags.IntVar(&f.task.MaxTokens, "max-tokens", 0, "tokens of all models at most, in and out; 0 is no limit")
	flags.Float64Var(&f.task.MaxCost, "max-cost", 0, "US dollars at most, at list prices; 0 is no limit")
	flags.DurationVar(&f.task.RunTime, "max-time", 0, "limit for the whole task; 0 is none")
	flags.StringArrayVar(&f.servers, "mcp", nil, "an MCP server whose tools join: https://…, sse+https://…, or \"stdio:PROGRAM ARGUMENTS\"; may be repeated")
	flags.StringVar(&f.log.place, "store", "", "keeps what another process needs to continue the run: a directory, or sqlite:FILE")
	flags.StringVar(&f.log.resume, "resume", "", "continue a run of --store whose process has died: its name, or last")
	f.vars.define(flags)
	addWaits(cmd, s)
	addTrace(cmd, s)
	return cmd
}

// connect sets the MCP servers up that the flags name. The function that it
// returns ends them.
func (f *agentFlags) connect() (end func(), _ error) {
	var servers []*mcp.Server
	end = func() {
		for _, s := range servers {
			s.Close() // the task is over, and says what came of it
		}
	}
	for _, address := range f.servers {
		server, err := newIntegration(address, address, nil)
		if err != nil {
			return end, err
		}
		servers = append(servers, server)
		f.config.Integrations = append(f.config.Integrations, server)
	}
	return end, nil
}

// newIntegration sets up the MCP server at an address, which --mcp has given.
func newIntegration(given, address string, opts *mcp.Options) (*mcp.Server, error) {
	endpoint, err := mcp.Parse(address)
	if err != nil {
		return nil, usage("--mcp %q: %v", given, err)
	}
	server, err := mcp.New(endpoint, opts)
	if err != nil {
		return nil, usage("--mcp %q: %v", given, err)
	}
	return server, nil
}

// classNames lists classes of actions for people.
func classNames(classes []agent.Class) string {
	var names []string
	for _, c := range classes {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

// parseClasses reads the classes that a flag names.
func parseClasses(flag string, names []string) ([]agent.Class, error) {
	var classes []agent.Class
	for _, name := range names {
		if !slices.Contains(agent.Classes(), agent.Class(name)) {
			return nil, usage("%s %q: there are %s", flag, name, classNames(agent.Classes()))
		}
		classes = append(classes, agent.Class(name))
	}
	return classes, nil
}

// complete reads what the flags name, and refuses what no agent can use.
func (f *agentFlags) complete() (err error) {
	if strings.TrimSpace(f.task.Instruction) == "" {
		return usage("say what to do, as: wayfinder agent https://shop.example/ \"order a teapot\"")
	}
	if !slices.Contains([]agent.Mode{agent.DOM, agent.Hybrid, agent.CUA}, agent.Mode(f.mode)) {
		return usage("--mode %q: it is dom, hybrid or cua", f.mode)
	}
	f.config.Mode = agent.Mode(f.mode)
	if f.programs {
		if f.config.Mode == agent.CUA {
			return usage("--programs: a program calls the tools of mode dom or hybrid; leave it out, or --mode cua")
		}
		f.config.Tools = append(f.config.Tools, programs.Tool(programs.Limits{}))
	}
	f.offers = len(f.config.PageTools) > 0
	if f.saved == nil && f.task.MaxSteps <= 0 || f.task.MaxSteps < 0 || f.task.MaxTokens < 0 || f.task.MaxCost < 0 || f.task.RunTime < 0 {
		return usage("--max-steps is above zero; --max-tokens, --max-cost and --max-time are above zero, or 0 for no limit")
	}
	if f.config.NeedApproval, err = parseClasses("--approve", f.approve); err != nil {
		return err
	}
	if f.task.Output, err = readSchema(f.schema); err != nil {
		return err
	}
	for _, text := range f.checks {
		check, err := agent.ParseCheck(text)
		if err != nil {
			return usage("--check %q: %v", text, err)
		}
		f.task.Checks = append(f.task.Checks, check)
	}
	for _, text := range f.flows {
		to, what, _ := strings.Cut(text, "=")
		flow := agent.AllowedFlow{To: to, What: what}
		if err := flow.Validate(); err != nil {
			return usage("--allow-flow %q: %v", text, err)
		}
		f.task.Flows = append(f.task.Flows, flow)
	}
	if f.task.Variables, err = f.vars.read(f.in); err != nil {
		return err
	}
	f.task.ToolTimeout = f.timeout
	if f.saved != nil {
		return nil // the run says what it needs
	}
	return checkPlaceholders([]string{f.task.Instruction, f.task.Context}, nil, f.task.Variables)
}

// resumeAgent continues a run. The task is the run's; the flags give the values of
// its variables, and new limits.
func (f *agentFlags) resumeAgent(cmd *cobra.Command) error {
	ctx := cmd.Context()
	end, err := f.log.open(ctx)
	defer end()
	if err != nil {
		return err
	}
	if f.saved, err = agent.Load(ctx, f.log.store, f.log.resume); err != nil {
		return usage("--resume: %v", err)
	}
	asked := f.task
	f.task = f.saved.Task
	for flag, take := range map[string]func(){
		"max-steps":  func() { f.task.MaxSteps = asked.MaxSteps },
		"max-tokens": func() { f.task.MaxTokens = asked.MaxTokens },
		"max-cost":   func() { f.task.MaxCost = asked.MaxCost },
		"max-time":   func() { f.task.RunTime = asked.RunTime },
	} {
		if cmd.Flags().Changed(flag) {
			take()
		}
	}
	f.mode, f.schema = string(f.saved.Mode), ""
	if f.task.Output != nil {
		f.schema = f.task.Output.String()
	}
	return f.agent(ctx, "")
}

// agent runs a task, or continues one, whose log is open.
func (f *agentFlags) agent(ctx context.Context, address string) error {
	if err := f.complete(); err != nil {
		return err
	}
	if f.saved == nil {
		end, err := f.log.open(ctx)
		defer end()
		if err != nil {
			return err
		}
	}
	f.config.Store = f.log.store
	show := newAgentShow(f.settings)
	f.config.Hooks = show.hooks()
	if isTerminal(f.in) && isTerminal(f.err) {
		p := &person{in: f.in, out: f.err, quiet: show.quiet}
		f.config.Ask, f.config.Approve = p.ask, p.approve
	}
	end, err := f.connect()
	defer end()
	if err != nil {
		return err
	}
	if _, err := agent.New(f.config); err != nil {
		return usage("%v", err)
	}
	page, err := f.openFor(ctx, address)
	if err != nil {
		return err
	}
	defer f.tracing.close(page.Session())
	if c := f.tracing.collector; c != nil {
		f.config.Hooks = agent.JoinHooks(f.config.Hooks, c.AgentHooks())
	}
	worker, err := agent.New(f.config)
	if err != nil {
		return usage("%v", err)
	}
	var result *agent.Result
	steps := worker.Run(ctx, page, f.task)
	if f.saved != nil {
		steps = worker.Recover(ctx, page, f.task, f.saved)
	}
	for step, e := range steps {
		if err := show.step(&step); err != nil {
			return err // leaving the loop ends the run
		}
		if step.Result != nil {
			result = step.Result
		}
		err = e
	}
	show.quiet()
	step := wayfindertest.AgentStep(&f.config, &f.task)
	step.Result = wayfindertest.AgentText(result)
	f.tracing.noted(step, f.task.Variables)
	if errors.Is(err, agent.ErrUnsupported) && result == nil {
		return usage("%v", err)
	}
	if result == nil {
		return failed(err)
	}
	switch {
	case f.log.store == nil:
	case err != nil:
		err = f.log.cutShort(err, "agent", result.ID)
	case result.Pending == nil:
		err = f.log.remove(ctx, result.ID)
	}
	if err := show.result(result, err); err != nil {
		return err
	}
	switch {
	case errors.Is(err, agent.ErrInvalid):
		return usage("%w", err)
	case err != nil:
		return failed(err)
	case !result.Success:
		return &codedError{exitNotDone, notVerified(result)}
	}
	return nil
}

// openFor opens the page where the task begins, or the browser of the run that it
// continues.
func (f *agentFlags) openFor(ctx context.Context, address string) (*engine.Page, error) {
	if f.saved == nil {
		return f.openPage(ctx, address, true)
	}
	opts, err := f.options(true)
	if err != nil {
		return nil, err
	}
	if err := f.saved.Prepare(opts, f.task.Variables); err != nil {
		return nil, usage("%v", err)
	}
	return f.openBlank(ctx, opts)
}

// notVerified says what is missing from a task that ended by itself.
func notVerified(r *agent.Result) error {
	if !r.Completed {
		return errors.New("the task was not done")
	}
	return errors.New("the model says that the task is done, and that could not be verified")
}
