// Command wayfinder reads web pages and acts on them from the shell.
//
//	wayfinder demo                                       see it work, without any key
//	wayfinder doctor                                     see what is missing on this machine
//	wayfinder models                                     see which models can be used, with --check by asking them
//	wayfinder snapshot URL                               the outline that a model would get
//	wayfinder observe URL [INSTRUCTION]                  what can be done there
//	wayfinder act URL INSTRUCTION...                     do it
//	wayfinder extract URL [INSTRUCTION]                  read data
//	wayfinder record URL                                 write a run down as a test
//	wayfinder replay BUNDLE                              play it again, offline
//	wayfinder trace BUNDLE                               show what a run did, in a browser
//	wayfinder serve                                      sessions over HTTP
//	wayfinder mcp                                        a browser for other agents
//
// It exits with 0 if what was asked for was done, 1 if not, 2 if the command
// line is wrong, and 3 if something is missing: a browser, a page, a model. Ctrl-C
// is 130. With --json a failure is JSON, too: unless the command's own result says
// so, the last line of standard output is {"success": false, "error": …}.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := untilSignal(context.Background())
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// An interruption is the signal that ended a command.
type interruption struct{ signal os.Signal }

func (i interruption) Error() string { return "interrupted" }

// code is the exit code that a shell expects: 128 and the signal's number.
func (i interruption) code() int {
	if i.signal == syscall.SIGTERM {
		return exitTerminated
	}
	return exitInterrupted
}

// untilSignal returns a context that ends with Ctrl-C, or when the program is
// asked to end. A second signal ends the program at once: the browser ends with it.
func untilSignal(parent context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-signals:
			signal.Stop(signals)
			cancel(interruption{s})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel(nil) }
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	asJSON := slices.Contains(args, "--json") // also where the flags cannot be read
	last := &lastLine{w: std.out}
	if asJSON {
		std.out = last
	}
	root := newRoot(std)
	root.SetVersionTemplate(versionText(asJSON) + "\n")
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	code, says, advice := exitCode(err), explain(err), advise(err)
	if ctx.Err() != nil {
		code, says, advice = exitInterrupted, "interrupted", ""
		if i := (interruption{}); errors.As(context.Cause(ctx), &i) {
			code = i.code()
		}
	}
	fmt.Fprintf(std.err, "wayfinder: %s\n", says)
	switch {
	case code == exitUsage:
		fmt.Fprintf(std.err, "Run '%s --help' for how it is used.\n", cmd.CommandPath())
	case advice != "":
		fmt.Fprintf(std.err, "  → %s\n", advice)
	}
	if asJSON && !last.saysAll() {
		std.writeFailure(err, says, advice, code)
	}
	return code
}

func newRoot(std streams) *cobra.Command {
	s := &settings{streams: std}
	root := &cobra.Command{
		Use:     "wayfinder",
		Short:   "Read web pages and act on them",
		Version: version().Version,
		Long: `Wayfinder opens a page in a real browser, reads it as an outline, and acts on it.

'wayfinder demo' shows it at work, without any key. 'wayfinder doctor' checks this machine.

Exit codes: 0 done, 1 not done, 2 wrong usage, 3 something is missing (a browser, a page, a model), 130 interrupted.`,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return s.check() },
	}
	root.SuggestionsMinimumDistance = 2 // letters that a mistyped command may differ in
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	fitTerminal(root, std.out)
	flags := root.PersistentFlags()
	flags.BoolVar(&s.json, "json", false, "write results as JSON, one value a line")
	flags.StringVar(&s.driver, "driver", drivers[0].name, driverHelp())
	flags.StringVar(&s.cdp, "cdp", "", "work in a page of its own in the Chrome at this address (http://host:port or ws://…) instead of starting one")
	flags.StringVar(&s.model, "model", cmp.Or(os.Getenv("WAYFINDER_MODEL"), wordMatcher), "the model, as provider/name, or offline (a word matcher); several with commas are asked in turn")
	flags.StringVar(&s.baseURL, "base-url", "", "address of the model's server; with a provider of any name, of one that speaks OpenAI's protocol, as http://127.0.0.1:11434/v1")
	flags.IntVar(&sharedLimits.requests, "model-requests", 0, "requests at once to models with one key; 0 is no limit")
	flags.IntVar(&sharedLimits.tokens, "model-tokens", 0, "tokens a minute of models with one key; 0 is no limit")
	flags.DurationVar(&s.timeout, "timeout", 30*time.Second, "limit for each step")
	flags.BoolVar(&s.headed, "headed", false, "show the browser's window")
	addPolicyFlags(root, &s.policy)
	root.AddCommand(
		newDemoCommand(s),
		newDoctorCommand(s),
		newSnapshotCommand(s),
		newObserveCommand(s),
		newActCommand(s),
		newExtractCommand(s),
		newAgentCommand(s),
		newServeCommand(s),
		newMCPCommand(s),
		newHealthCommand(s),
		newRecordsCommand(s),
		newModelsCommand(s),
		newRecordCommand(s),
		newReplayCommand(s),
		newTestCommand(s),
		newTraceCommand(s),
		newVersionCommand(s),
		newManualCommand(),
	)
	complete := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	// The names are those of flags defined above.
	_ = root.RegisterFlagCompletionFunc("driver", complete(driverNames()...))
	models := []string{wordMatcher}
	for _, v := range vendors {
		models = append(models, string(v.name)+"/")
	}
	_ = root.RegisterFlagCompletionFunc("model", complete(models...))
	return root
}
