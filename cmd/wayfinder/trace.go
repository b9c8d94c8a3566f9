package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/files"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// A traceFormat is one that traces are written in.
type traceFormat struct {
	name   string
	ending string // of a file that was not named
	advice string // how a file is looked at; its path stands behind it where it ends with a space
	write  func(*trace.Trace, io.Writer) error
}

// The first is the default.
var traceFormats = []traceFormat{
	{"html", ".html", "open it in a browser", func(t *trace.Trace, w io.Writer) error { return t.WriteHTML(w, nil) }},
	{"playwright", ".zip", "look at it with: npx playwright show-trace ", (*trace.Trace).WritePlaywright},
	{"script", ".json", "do it again with: wayfinder replay ", func(t *trace.Trace, w io.Writer) error {
		program, err := t.Compile(nil)
		if err == nil {
			_, err = io.WriteString(w, program.String())
		}
		return err
	}},
}

// addTrace adds the flags of a command that can write a trace. It is called
// when the command has its RunE.
func addTrace(cmd *cobra.Command, s *settings) {
	cmd.Flags().StringVar(&s.tracing.path, "trace", "", "write a picture of the run to this file: steps, pictures, prompts, evidence. With --cdp the run has a browser of its own there")
	addTraceFormat(cmd, s, "trace-format")
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.tracing.check(); err != nil {
			return err
		}
		s.tracing.notes = s.err
		err := inner(cmd, args)
		if s.tracing.failed != nil && err != nil { // what the command came to matters more
			fmt.Fprintln(s.err, "note:", s.tracing.failed)
			return err
		}
		return errors.Join(err, s.tracing.failed)
	}
}

func addTraceFormat(cmd *cobra.Command, s *settings, name string) {
	cmd.Flags().StringVar(&s.tracing.format, name, traceFormats[0].name, "html (one file for a browser), playwright (a zip for its viewer), or script (for 'wayfinder replay')")
	var names []string
	for _, f := range traceFormats {
		names = append(names, f.name)
	}
	_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // it was defined above
}

// traceFlags are where a command writes what it did, and in which format.
type traceFlags struct {
	path   string // empty: nowhere
	format string // its name
	chosen traceFormat

	notes     io.Writer        // for people
	collector *trace.Collector // nil without a path, and before the browser is opened
	failed    error            // of the writing
}

// check refuses what no trace can be written to, before anything is done.
func (t *traceFlags) check() error {
	i := slices.IndexFunc(traceFormats, func(f traceFormat) bool { return f.name == t.format })
	if i < 0 {
		return usage("the format of a trace is html, playwright or script, not %q", t.format)
	}
	t.chosen = traceFormats[i]
	if t.path == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(t.path)); err != nil || !info.IsDir() {
		return usage("--trace %s: there is no folder %s", t.path, filepath.Dir(t.path))
	}
	return nil
}

// noted notes what a traced command did, so that it can be done again. vars are
// the variables that it may use.
func (t *traceFlags) noted(step wayfindertest.Step, vars map[string]engine.Variable) {
	c := t.collector
	if c == nil {
		return
	}
	step.Variables = variableNames(vars)
	if err := wayfindertest.NoteStep(c.Recorder(), step); err != nil && t.failed == nil {
		t.failed = failed(err)
	}
}

// lastLook is how long the look at the end of a trace may take.
const lastLook = 10 * time.Second

// close ends a session, and writes the trace of it if one is asked for.
func (t *traceFlags) close(session *engine.Session) {
	c := t.collector
	if c == nil || t.path == "" {
		session.Close() // the command has what it wanted
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastLook)
	defer cancel()
	last := wayfindertest.Step{Method: "snapshot"}
	last.Result, _ = last.Do(ctx, session, nil) // a page that cannot be read is the end of some runs
	t.noted(last, nil)
	err := wayfindertest.NoteTrajectory(c.Recorder(), session)
	session.Close() // as above
	t.writeTrace(err)
}

// writeTrace writes the trace of what was collected.
func (t *traceFlags) writeTrace(incomplete error) {
	run, err := t.collector.Trace()
	if err = errors.Join(incomplete, t.collector.Err(), err); err == nil {
		err = t.write(run, t.path)
	}
	if err != nil {
		t.failed = errors.Join(t.failed, failed(fmt.Errorf("the trace was not written: %w", err)))
		return
	}
	fmt.Fprintf(t.notes, "wrote %s; %s\n", t.path, t.advice(t.path))
}

// advice says how a trace is looked at.
func (t *traceFlags) advice(path string) string {
	if strings.HasSuffix(t.chosen.advice, " ") {
		return t.chosen.advice + path
	}
	return t.chosen.advice
}

// write writes a trace to a file that only its owner may read, and that is there
// whole or not at all.
func (t *traceFlags) write(tr *trace.Trace, path string) error {
	return files.Replace(path, "."+filepath.Base(path)+"-*", func(f *os.File) error { return t.chosen.write(tr, f) })
}

func newTraceCommand(s *settings) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "trace BUNDLE",
		Short: "Show what a recorded run did, as one file for a browser",
		Long: `Write what a run did as one HTML file: its steps, prompts and answers, evidence, outlines, console and network.
The bundle is one that 'wayfinder record' wrote, or a trace itself. Pictures and times are in a bundle only if the run
was done with --trace.`,
		Example: `  wayfinder trace recording.wayfinder
  wayfinder trace run.html --format playwright -o run.zip
  wayfinder trace run.html --format script -o order.json`,
		Args: oneFile("bundle"),
		RunE: func(_ *cobra.Command, args []string) error { return showTrace(s, args[0], output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "the file to write; without it, beside the bundle")
	addTraceFormat(cmd, s, "format")
	return cmd
}

func showTrace(s *settings, path, output string) error {
	if err := s.tracing.check(); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return usage("%v; 'wayfinder record' writes a bundle, and --trace a trace", err)
	}
	defer f.Close() // it was only read
	t, err := trace.Read(io.Reader(f))
	if err != nil {
		return failed(fmt.Errorf("%s: %w", path, err))
	}
	if output == "" {
		output = strings.TrimSuffix(path, filepath.Ext(path)) + s.tracing.chosen.ending
	}
	if a, err := filepath.Abs(output); err == nil {
		if b, err := filepath.Abs(path); err == nil && a == b {
			return usage("%s would be written over itself; name another file with -o", path)
		}
	}
	if err := s.tracing.write(t, output); err != nil {
		return failed(err)
	}
	if s.json {
		return s.writeJSON(map[string]any{"trace": output, "steps": len(t.Steps), "verdict": t.Verdict()})
	}
	fmt.Fprintf(s.err, "wrote %s; %s\n", output, s.tracing.advice(output))
	return nil
}

// jsonText is a value as JSON; empty if it has no such form.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
