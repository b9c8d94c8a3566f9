package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

func newReplayCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "replay BUNDLE",
		Short: "Play a recorded run again, offline",
		Long: `Do the steps of a bundle that 'wayfinder record' wrote, with the browser and the model that are recorded in it. No
browser is started and nothing is reached. What comes out otherwise than it was recorded is shown, and is exit code 1.

A run that failed fails again in the same way: that is no difference.`,
		Example: "  wayfinder replay recording.wayfinder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("replay takes one bundle, as: wayfinder replay recording.wayfinder")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.replay(cmd.Context(), args[0]) },
	}
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

func (s *settings) replay(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return usage("%v; 'wayfinder record' writes a bundle", err)
	}
	run := replayed{Bundle: path, Steps: []replayedStep{}}
	var history []engine.Entry
	run.Differences = underTest(ctx, func(t testing.TB) { history = wayfindertest.Replay(t, path).History() })
	run.Success = len(run.Differences) == 0
	for _, e := range history {
		step := replayedStep{Method: string(e.Operation), Instruction: e.Instruction, Success: e.Success, Message: e.Message}
		if step.Instruction == "" {
			step.Instruction = e.Address
		}
		run.Steps = append(run.Steps, step)
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
		fmt.Fprintf(s.err, "%d steps, all as recorded\n", len(run.Steps))
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

// A reporter is a testing.TB that keeps failures. What it does not define, nobody
// who replays a bundle calls.
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
