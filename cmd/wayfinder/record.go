package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// recordFlags are the common flags and what record has beside them.
type recordFlags struct {
	*settings
	vars   variableFlags
	steps  []wayfindertest.Step // in the order in which the flags were given
	schema string
	output string
}

func newRecordCommand(s *settings) *cobra.Command {
	f := &recordFlags{settings: s}
	cmd := &cobra.Command{
		Use:   "record URL",
		Short: "Write down a run, to make a test of it",
		Long: `Do the steps that the flags name, in their order, and write all that the browser and the model did to one file,
also if a step cannot be done.

The file, a bundle, is played without browser, network and model: wayfindertest.Replay(t, FILE) is a whole test. It holds
the pages as they were seen, so treat it as you treat those. Values of variables, keys, cookies and pictures are not in it.

With --cdp the run has a browser of its own there, without what the user of the other one is signed in to.`,
		Example: `  wayfinder record https://shop.example/ --act "add the teapot to the cart" --extract "the total" -o cart.wayfinder
  wayfinder record https://shop.example/login --act "type %pw% into the password field" --act "click Sign in" --var-env pw=PASSWORD`,
		Args: pageAddress(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.record(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.Var(f.stepFlag("act"), "act", "an instruction (may be repeated, as each of the steps)")
	flags.Var(f.stepFlag("do"), "action", "an action as JSON, as 'wayfinder observe --json' writes it")
	flags.Var(f.stepFlag("observe"), "observe", "what to look for; empty is everything")
	flags.Var(f.stepFlag("extract"), "extract", "what to read; empty is the text of the page")
	flags.Var(f.stepFlag("wait"), "wait-for", "a condition: text=…, selector=…, address=…, count=…, quiet, …; docs/wait.md has all")
	flags.StringVar(&f.schema, "schema", "", "JSON Schema of what --extract reads, inline or as the path of a file")
	addDialogs(flags, s)
	f.vars.define(flags)
	flags.StringVarP(&f.output, "output", "o", "recording.wayfinder", "the file to write")
	addTrace(cmd, s)
	return cmd
}

// stepFlag is a flag that adds a step each time it is given.
func (f *recordFlags) stepFlag(method string) *readFlag {
	return &readFlag{"string", func(text string) error {
		step := wayfindertest.Step{Method: method, Instruction: text}
		if method == "wait" {
			if _, err := engine.ParseCondition(text); err != nil {
				return err
			}
		}
		if method == "do" {
			actions, err := parseActions([]string{text})
			if err != nil {
				return err
			}
			step.Instruction, step.Action = "", &actions[0]
		}
		f.steps = append(f.steps, step)
		return nil
	}}
}

// complete checks the flags and completes the steps.
func (f *recordFlags) complete(address string) (vars map[string]engine.Variable, err error) {
	if vars, err = f.vars.read(f.in); err != nil {
		return nil, err
	}
	form, err := readSchema(f.schema)
	if err != nil {
		return nil, err
	}
	names := variableNames(vars)
	var instructions []string
	var actions []engine.Action
	for i := range f.steps {
		step := &f.steps[i]
		step.Variables = names
		switch {
		case step.Method == "extract" && step.Instruction != "" && form != nil:
			if step.Schema, err = json.Marshal(form); err != nil {
				return nil, failed(err)
			}
		case step.Action != nil:
			actions = append(actions, *step.Action)
		case step.Method == "act":
			instructions = append(instructions, step.Instruction)
		}
	}
	if err := checkPlaceholders(instructions, actions, vars); err != nil {
		return nil, err
	}
	if info, err := os.Stat(filepath.Dir(f.output)); err != nil || !info.IsDir() {
		return nil, usage("--output %s: there is no folder %s", f.output, filepath.Dir(f.output))
	}
	if address, err = completeAddress(address); err != nil {
		return nil, err
	}
	f.steps = append([]wayfindertest.Step{{Method: "navigate", Instruction: address}}, f.steps...)
	return vars, nil
}

func (f *recordFlags) record(ctx context.Context, address string) error {
	vars, err := f.complete(address)
	if err != nil {
		return err
	}
	model, err := f.newModel()
	if err != nil {
		return err
	}
	opts := &engine.Options{Model: model, Timeout: f.timeout, Policy: f.policyOf(), Hooks: f.noteHooks(), Dialog: f.dialogAnswer()}
	d := f.collectWith(f.newDriver(), opts, &trace.Options{NoPictures: f.tracing.path == ""})
	done := f.progress("starting the browser")
	session, err := engine.Open(ctx, d, opts)
	done()
	if err != nil {
		return missing(f.adviseOpening(err))
	}
	defer session.Close()
	recorder := f.tracing.collector.Recorder()
	worked := f.recordSteps(ctx, session, recorder, vars)
	written := f.writeBundle(session, recorder)
	if f.tracing.path != "" {
		f.tracing.writeTrace(nil)
	}
	return errors.Join(worked, written)
}

// recordSteps does the steps, notes each, and looks at the page at the end. It
// returns what ended the run.
func (f *recordFlags) recordSteps(ctx context.Context, session *engine.Session, recorder *recording.Recorder, vars map[string]engine.Variable) error {
	var failure error
	for _, step := range append(slices.Clone(f.steps), wayfindertest.Step{Method: "snapshot"}) {
		if failure != nil && step.Method != "snapshot" {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, f.timeout)
		done := f.progress(strings.TrimSpace(step.Method + " " + step.Instruction))
		var err error
		step.Result, err = step.Do(bounded, session, vars)
		done()
		cancel()
		if noted := wayfindertest.NoteStep(recorder, step); noted != nil {
			return failed(noted)
		}
		if step.Method == "snapshot" {
			break // for the bundle alone
		}
		if failure = f.recorded(session, step, err); failure != nil && step.Method == "navigate" {
			failure = f.notOpened(step.Instruction, err)
		}
	}
	return failure
}

// recorded says what came of a step.
func (f *recordFlags) recorded(session *engine.Session, step wayfindertest.Step, err error) error {
	message := ""
	if history := session.History(); len(history) > 0 {
		last := history[len(history)-1]
		message = cmp.Or(last.Message, last.Arrived)
	}
	if step.Result != "" {
		message = step.Result
	}
	switch {
	case f.json:
		if written := f.writeJSON(map[string]any{"method": step.Method, "instruction": step.Instruction, "success": err == nil, "message": message}); written != nil {
			return written
		}
	case err == nil && message != "":
		fmt.Fprintln(f.out, strings.TrimRight(message, "\n"))
	}
	return failed(err)
}

// writeBundle writes the file and says what to do with it.
func (f *recordFlags) writeBundle(session *engine.Session, recorder *recording.Recorder) error {
	err := errors.Join(f.tracing.collector.Err(), wayfindertest.NoteTrajectory(recorder, session))
	if err == nil {
		err = recorder.WriteFile(f.output)
	}
	if err != nil {
		return failed(err)
	}
	if recorder.Full() {
		fmt.Fprintln(f.err, "note: the run was too large for a bundle; its end is missing")
	}
	fmt.Fprintf(f.err, `wrote %s; a test of it, offline:

	func TestRecorded(t *testing.T) {
		wayfindertest.Replay(t, "testdata/%s")
	}
`, f.output, filepath.Base(f.output))
	return nil
}
