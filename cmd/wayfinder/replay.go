package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	programs "github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/uuid"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// replayFlags are the common flags and what replay has for scripts.
type replayFlags struct {
	*settings
	vars   variableFlags
	start  string
	heal   bool
	output string
	log    runLog

	saved *script.Saved // the run that is continued
}

func newReplayCommand(s *settings) *cobra.Command {
	f := &replayFlags{settings: s}
	cmd := &cobra.Command{
		Use:   "replay BUNDLE|SCRIPT",
		Short: "Do a recorded run again: a bundle offline, or a script on the site",
		Long: `Do the steps of a bundle that 'wayfinder record' wrote, with the browser and the model that are recorded in it. No
browser is started and nothing is reached. What comes out otherwise than it was recorded is shown, and is exit code 1.
A run that failed fails again in the same way: that is no difference.

A script is what 'wayfinder trace --format script' makes of a run. Its steps are done on the site itself, without a model,
and each is proved: its effect, the address, the requests, the words that appear. A step that does not fit the page any more
ends the replay with exit code 1, what was expected and what is there; nothing after it is done. With --heal the model that
--model names is asked for the element that is meant. What was changed then is shown as a diff, and -o writes the script as it
is now. What pays, sends or deletes is never healed. With --store, a replay whose process dies is gone on with by --resume; a step
of which nobody can tell whether it was done ends it.`,
		Example: `  wayfinder replay recording.wayfinder
  wayfinder replay order.json --var-env pw=PASSWORD
  wayfinder replay order.json --heal --model anthropic/NAME -o order.json`,
		Args: oneFile("bundle or script"),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := os.ReadFile(args[0])
			if err != nil {
				return usage("%v; 'wayfinder record' writes a bundle", err)
			}
			if script.Is(data) {
				return f.replayScript(cmd.Context(), args[0], data)
			}
			return runReplay(cmd.Context(), s, args[0])
		},
	}
	flags := cmd.Flags()
	f.vars.define(flags)
	flags.StringVar(&f.start, "start", "", "the address where a script begins, in place of its own: the same site elsewhere")
	flags.BoolVar(&f.heal, "heal", false, "ask the model where a script no longer fits")
	flags.StringVar(&f.log.place, "store", "", "keeps what another process needs to continue a script: a directory, or sqlite:FILE")
	flags.StringVar(&f.log.resume, "resume", "", "continue the run of --store that has this ID, or the last one")
	flags.StringVarP(&f.output, "output", "o", "", "where the script is written that was healed")
	return cmd
}

// replayScript does the steps of a script on its site.
func (f *replayFlags) replayScript(ctx context.Context, path string, data []byte) error {
	program, err := script.Parse(data)
	if err != nil {
		return usage("%s: %v", path, err)
	}
	opts := &script.Options{}
	if opts.Variables, err = f.vars.read(f.in); err != nil {
		return err
	}
	if f.start != "" {
		if opts.Start, err = completeAddress(f.start); err != nil {
			return err
		}
	}
	if f.heal {
		if opts.Model, err = f.newModel(); err != nil {
			return err
		}
	}
	end, err := f.log.open(ctx)
	defer end()
	if err != nil {
		return err
	}
	if f.log.resume != "" {
		if f.saved, err = script.Load(ctx, f.log.store, f.log.resume); err != nil {
			return usage("--resume: %v", err)
		}
	}
	if f.log.store != nil {
		opts.Store, opts.Run = f.log.store, cmp.Or(f.log.resume, uuid.New())
	}
	options := &engine.Options{Timeout: f.timeout, Policy: f.policyOf(), Hooks: f.noteHooks()}
	if f.saved != nil {
		if err := f.saved.Prepare(options, opts.Variables); err != nil {
			return usage("%v", err)
		}
	}
	if !f.json {
		opts.Stepped = func(r script.StepResult) { fmt.Fprintln(f.out, scriptLine(r)) }
	}
	page, err := f.openBlank(ctx, options)
	if err != nil {
		return err
	}
	defer page.Session().Close() // the replay is over, and says what came of it
	replay := func() (*script.Result, error) { return script.Replay(ctx, page, program, opts) }
	if f.saved != nil {
		replay = func() (*script.Result, error) { return script.Recover(ctx, page, program, opts, f.saved) }
	}
	result, err := replay()
	if result == nil {
		return usage("%v", err)
	}
	err = f.kept(ctx, path, opts, err)
	diff := script.Diff(path, cmp.Or(f.output, path), program, result.Script)
	if f.json {
		shown := map[string]any{"script": path, "success": err == nil, "steps": result.Steps, "healed": result.Healed, "diff": diff}
		if err := f.writeJSON(shown); err != nil {
			return err
		}
	} else if diff != "" {
		fmt.Fprint(f.out, diff)
	}
	if f.output != "" && diff != "" {
		if written := os.WriteFile(f.output, []byte(result.Script.String()), 0o600); written != nil {
			return failed(written)
		}
		fmt.Fprintf(f.err, "wrote %s\n", f.output)
	}
	if err != nil {
		return failed(err)
	}
	if !f.json {
		fmt.Fprintf(f.err, "%s, all proved; %d healed\n", steps(len(result.Steps)), result.Healed)
	}
	return nil
}

// kept removes the log of a replay that has ended by itself. For another one it says how
// to continue it.
func (f *replayFlags) kept(ctx context.Context, path string, opts *script.Options, err error) error {
	if opts.Store == nil {
		return err
	}
	if err != nil && (script.CutShort(err) || !errors.Is(err, script.ErrRefused)) {
		return f.log.cutShort(err, "replay "+path, opts.Run)
	}
	if removed := f.log.remove(ctx, opts.Run); err == nil {
		err = removed
	}
	return err
}

// scriptLine is a step of a script for people.
func scriptLine(r script.StepResult) string {
	line := strings.TrimSpace(r.Name+" "+r.Do+" "+r.Target) + ": " + string(r.Outcome)
	if r.Outcome == script.Refused || r.Outcome == script.Unknown {
		line += ": " + r.Message
	}
	if r.Heal != "" {
		line += ": " + r.Heal
	}
	return line
}

func newTestCommand(s *settings) *cobra.Command {
	var folder, name string
	cmd := &cobra.Command{
		Use:   "test BUNDLE",
		Short: "Write a Go test of a recorded run",
		Long: `Write a Go test that does a recorded run again, without browser, network and model, and put the bundle beside it in
testdata. The test of a run that failed fails as the run did, until that is mended; the test of one that went well holds
everything to what was recorded. The bundle is one that 'wayfinder record' wrote, or a trace.`,
		Example: "  wayfinder test recording.wayfinder --dir ./shop",
		Args:    oneFile("bundle"),
		RunE: func(_ *cobra.Command, args []string) error {
			file, err := wayfindertest.WriteTest(args[0], folder, name)
			if err != nil {
				return usage("%v", err)
			}
			if s.json {
				return s.writeJSON(map[string]any{"test": file})
			}
			run := "go test ." // of the folder's own module, wherever it is
			if folder := filepath.Dir(file); folder != "." {
				run = "go test -C " + shellWord(folder) + " ."
			}
			fmt.Fprintf(s.err, "wrote %s; run it with: %s\n", file, run)
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "dir", ".", "the folder of the package that gets the test")
	cmd.Flags().StringVar(&name, "name", "", "the name of the test; without it, that of the bundle")
	return cmd
}

// plainWord is a word that no shell reads otherwise.
var plainWord = regexp.MustCompile(`^[\pL\pN_./\\:-]+$`)

// shellWord is a word as it is pasted into a shell.
func shellWord(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// A replayed run is what a replay of a bundle came to.
type replayed struct {
	Bundle      string         `json:"bundle"`
	Success     bool           `json:"success"` // all was as recorded
	Steps       []replayedStep `json:"steps"`
	Differences []string       `json:"differences,omitempty"`
}

// A replayedStep is one step of it.
type replayedStep struct {
	Method      string `json:"method"`
	Instruction string `json:"instruction,omitempty"`
	Success     bool   `json:"success"`
	Message     string `json:"message,omitempty"`
}

func runReplay(ctx context.Context, s *settings, path string) error {
	run := replayed{Bundle: path, Steps: []replayedStep{}}
	var history []engine.Entry
	run.Differences = underTest(ctx, func(t testing.TB) {
		history = wayfindertest.Replay(t, path, programs.Tool(programs.Limits{})).History()
	})
	run.Success = len(run.Differences) == 0
	for _, e := range history {
		run.Steps = append(run.Steps, replayedStep{Method: string(e.Operation), Instruction: cmp.Or(e.Instruction, e.Address), Success: e.Success, Message: e.Message})
	}
	if s.json {
		if err := s.writeJSON(run); err != nil {
			return err
		}
	} else {
		for _, step := range run.Steps {
			line := strings.TrimSpace(step.Method + " " + step.Instruction)
			if step.Message != "" {
				line += ": " + step.Message
			}
			fmt.Fprintln(s.out, line)
		}
		for _, d := range run.Differences {
			fmt.Fprintln(s.out, strings.TrimRight(d, "\n"))
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !run.Success:
		return failed(fmt.Errorf("the run of %s came out otherwise than it was recorded", path))
	}
	if !s.json {
		fmt.Fprintf(s.err, "%s, all as recorded\n", steps(len(run.Steps)))
	}
	return nil
}

// underTest runs what is written for a test outside of one, and returns the
// failures that it reported.
func underTest(ctx context.Context, f func(t testing.TB)) (failures []string) {
	t := &reporter{ctx: ctx}
	ended := make(chan struct{})
	go func() { // a goroutine of its own: FailNow ends it
		defer close(ended)
		defer t.cleanUp()
		f(t)
	}()
	<-ended
	return t.failures
}

// A reporter is a testing.TB that keeps failures. The replay of a bundle calls no
// method that it does not define.
type reporter struct {
	testing.TB
	ctx context.Context

	mu       sync.Mutex // protects what follows
	failures []string
	cleanups []func()
}

// Helper does nothing: failures are shown without a line of source.
func (r *reporter) Helper() {}

// Context is that of the command.
func (r *reporter) Context() context.Context { return r.ctx }

// Cleanup has f called at the end, last first.
func (r *reporter) Cleanup(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, f)
}

func (r *reporter) cleanUp() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

// Failed reports whether there was a failure.
func (r *reporter) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.failures) > 0
}

// Errorf keeps a failure.
func (r *reporter) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

// Error keeps a failure.
func (r *reporter) Error(args ...any) { r.Errorf("%s", fmt.Sprint(args...)) }

// Fatalf keeps a failure and ends the goroutine.
func (r *reporter) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// Fatal keeps a failure and ends the goroutine.
func (r *reporter) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }
