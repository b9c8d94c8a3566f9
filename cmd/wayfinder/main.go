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
//	wayfinder serve                                      sessions over HTTP
//
// It exits with 0 if what was asked for was done, 1 if not, 2 if the command
// line is wrong, and 3 if something is missing: a browser, a page, a model.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	// A second signal ends the program at once: the browser ends with it.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	root := newRoot(std)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if ctx.Err() != nil {
		fmt.Fprintln(std.err, "wayfinder: interrupted")
		return exitNotDone
	}
	code := exitCode(err)
	fmt.Fprintf(std.err, "wayfinder: %s\n", explain(err))
	if code == exitUsage {
		fmt.Fprintf(std.err, "Run '%s --help' for how it is used.\n", cmd.CommandPath())
	} else if advice := advise(err); advice != "" {
		fmt.Fprintf(std.err, "  → %s\n", advice)
	}
	return code
}

func newRoot(std streams) *cobra.Command {
	s := &settings{streams: std}
	root := &cobra.Command{
		Use:   "wayfinder",
		Short: "Read web pages and act on them",
		Long: `Wayfinder opens a page in a real browser, reads it as an outline, and acts on it.

'wayfinder demo' shows it at work, without any key. 'wayfinder doctor' checks this machine.

Exit codes: 0 done, 1 not done, 2 wrong usage, 3 something is missing (a browser, a page, a model).`,
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
	flags := root.PersistentFlags()
	flags.BoolVar(&s.json, "json", false, "write results as JSON, one value a line")
	flags.StringVar(&s.driver, "driver", "chrome", "the browser: chrome, or memory (no scripts are run there)")
	flags.StringVar(&s.cdp, "cdp", "", "work in a page of its own in the Chrome at this address (http://host:port or ws://…) instead of starting one")
	flags.StringVar(&s.model, "model", defaultModel(), "the model, as provider/name, or offline (a word matcher); several with commas are asked in turn")
	flags.StringVar(&s.baseURL, "base-url", "", "address of the model's server; with a provider of any name, of one that speaks OpenAI's protocol, as http://127.0.0.1:11434/v1")
	flags.IntVar(&modelGuards.requests, "model-requests", 0, "requests at once to models with one key; 0 is no limit")
	flags.IntVar(&modelGuards.tokens, "model-tokens", 0, "tokens a minute of models with one key; 0 is no limit")
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
		newHealthCommand(s),
		newModelsCommand(s),
		newRecordCommand(s),
	)
	complete := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	// The names are those of flags defined above.
	_ = root.RegisterFlagCompletionFunc("driver", complete("chrome", "memory"))
	models := []string{wordMatcher}
	for _, v := range vendors {
		models = append(models, string(v.name)+"/")
	}
	_ = root.RegisterFlagCompletionFunc("model", complete(models...))
	return root
}
