package wayfindertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// A Bundle is a recorded run, ready to be played: a browser and a model that
// do what they did, offline.
type Bundle struct {
	Driver engine.Driver
	Model  engine.LLM

	// Steps are what the run was asked to do, where that was noted: by commands and
	// services it is.
	Steps []Step

	// Variables are those that the steps name, with values made up: a bundle
	// holds none. Pages that showed the real ones show these.
	Variables map[string]engine.Variable

	setup      Setup
	trajectory string
	exchanges  []exchange // with the model, in order
	asked      []int      // how many of them there were when each step was over
}

// OpenBundle opens a bundle that 'wayfinder record' or package recording wrote,
// or the trace of a run, an HTML file, which holds one.
// A model's request that differs from the recorded one fails the test with the
// difference. vars are the variables that the test is going to use, beside
// those that the bundle's steps name; nil if there are none.
func OpenBundle(t testing.TB, path string, vars map[string]engine.Variable) *Bundle {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("wayfindertest: %v", err)
	}
	must := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("wayfindertest: %s: %s%v", path, what, err)
		}
	}
	data, err = trace.Bundle(data)
	must("", err)
	rec, err := recording.Read(bytes.NewReader(data))
	must("", err)
	b := &Bundle{Driver: rec.Driver(), Variables: map[string]engine.Variable{}}
	for _, raw := range rec.Notes(noteStep) {
		var s Step
		must("a step: ", json.Unmarshal(raw, &s))
		b.Steps = append(b.Steps, s)
		for _, name := range s.Variables {
			b.Variables[name] = engine.Variable{Value: "value of " + name}
		}
	}
	for _, raw := range rec.Notes(noteSetup) {
		must("the session: ", json.Unmarshal(raw, &b.setup))
	}
	for _, raw := range rec.Notes(noteTrajectory) {
		must("the trajectory: ", json.Unmarshal(raw, &b.trajectory))
	}
	values := map[string]string{}
	maps.Copy(b.Variables, vars)
	for name, v := range b.Variables {
		values[name] = v.Value
	}
	b.Model = llmtest.Replay(t, rec.Exchanges(values), llmtest.Strict)
	b.exchanges, err = readExchanges(rec.Exchanges(values))
	must("an exchange: ", err)
	asked := 0
	for m := range rec.Moments() {
		switch m.Note {
		case noteExchange:
			asked++
		case noteStep:
			b.asked = append(b.asked, asked)
		}
	}
	return b
}

// What a bundle notes for Replay.
const (
	noteStep       = "step"
	noteTrajectory = "trajectory"
	noteSetup      = "session"
	noteExchange   = "exchange" // by the recorder
)

// NoteStep notes in a recorder what a run was asked to do, and what it gave.
func NoteStep(r *recording.Recorder, s Step) error { return r.Note(noteStep, s) }

// A Setup is what a model's questions depend on of a session's options.
type Setup struct {
	SystemPrompt string `json:"systemPrompt,omitempty"`
	NoHeal       bool   `json:"noHeal,omitempty"`
}

// NoteSetup notes how the session was opened, where that is not by the zero Options.
func NoteSetup(r *recording.Recorder, s Setup) error { return r.Note(noteSetup, s) }

// NoteTrajectory notes what a session did, for [Replay] to compare.
func NoteTrajectory(r *recording.Recorder, session *engine.Session) error {
	return r.Note(noteTrajectory, TrajectoryText(session))
}

// Replay plays the steps of a bundle and fails the test if anything comes out
// otherwise than it was recorded: a result, an outline, a request to the model,
// an action, its evidence, a message. A run that failed must fail again in the
// same way. It returns the session as the steps left it; the test's end closes it.
// tools are those that an agent of the run had and that a bundle cannot hold: one
// whose model wrote programs needs program.Tool(program.Limits{}).
func Replay(t testing.TB, path string, tools ...agent.Tool) *engine.Session {
	t.Helper()
	b := openSteps(t, path)
	session := b.Open(t)
	for i, step := range b.Steps {
		got, _ := step.Do(t.Context(), session, b.variables(step), tools...) // the trajectory tells errors
		if diff := unified("recorded", unmeasured(step.Result), "now", unmeasured(got)); diff != "" {
			t.Errorf("%s: step %d, %s %s:\n%s", path, i+1, step.Method, step.Instruction, diff)
		}
	}
	got := TrajectoryText(session)
	if diff := unified("recorded", unmeasured(b.trajectory), "now", unmeasured(got)); b.trajectory != "" && diff != "" {
		t.Errorf("%s: the trajectory:\n%s", path, diff)
	}
	return session
}

// openSteps opens a bundle that has steps.
func openSteps(t testing.TB, path string) *Bundle {
	t.Helper()
	b := OpenBundle(t, path, nil)
	if len(b.Steps) == 0 {
		t.Fatalf("wayfindertest: %s has no steps: note them where it is recorded (NoteStep), or open it with OpenBundle and do what was done", path)
	}
	return b
}

// Open opens a session on the bundle.
func (b *Bundle) Open(t testing.TB) *engine.Session {
	t.Helper()
	session, err := engine.Open(t.Context(), b.Driver, &engine.Options{Model: b.Model, SystemPrompt: b.setup.SystemPrompt, NoHeal: b.setup.NoHeal})
	if err != nil {
		t.Fatalf("wayfindertest: %v", err)
	}
	t.Cleanup(func() { session.Close() }) // a replay has nothing that could fail to close
	return session
}

func (b *Bundle) variables(s Step) map[string]engine.Variable {
	vars := map[string]engine.Variable{}
	for _, name := range s.Variables {
		vars[name] = b.Variables[name]
	}
	return vars
}

// Fork returns the bundle with its model and driver as the fork has them. It
// fails the test if the fork has nothing that is other, or no such step.
func (b *Bundle) Fork(t testing.TB, f Fork) *Bundle {
	t.Helper()
	known, err := b.before(f.Step)
	switch {
	case err != nil:
		t.Fatalf("wayfindertest: %v", err)
	case f.Model == nil && f.Driver == nil:
		t.Fatalf("wayfindertest: a fork needs another model or driver")
	case f.Model == nil && f.Prompt != nil:
		t.Fatalf("wayfindertest: a fork with another prompt needs a model that answers it")
	}
	out := *b
	m := &forked{recorded: b.Model, exchanges: b.exchanges, known: known, fork: f}
	if f.Driver != nil {
		out.Driver = f.Driver
	}
	if f.Model == nil {
		m.known = len(b.exchanges)
	}
	out.Model, out.trajectory = m, ""
	return &out
}

// before counts the exchanges of the steps before one.
func (b *Bundle) before(step int) (int, error) {
	if step < 1 {
		return 0, fmt.Errorf("a fork's step is counted from 1, not %d", step)
	}
	if !slices.ContainsFunc(b.Steps, func(s Step) bool { return s.Method == "agent" }) {
		if step > len(b.Steps) {
			return 0, fmt.Errorf("there is no step %d: the bundle has %d", step, len(b.Steps))
		}
		if step == 1 {
			return 0, nil
		}
		return b.asked[step-2], nil
	}
	steps := 0
	for i, x := range b.exchanges {
		if x.Request == nil || x.Request.Purpose != llm.PurposeAgent || x.Response == nil {
			continue
		}
		if steps += len(x.Response.ToolCalls); steps >= step {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no step %d: the agent's run has %d", step, steps)
}

var (
	bullets = regexp.MustCompile(`•+`)
	hidden  = regexp.MustCompile(`⟪([A-Za-z0-9_#]+)[^⟫]*⟫|value of ([A-Za-z0-9_]+)`)
)

// unmeasured is a text without the length of a password, which is another
// with another value, and with the names of values in one form.
func unmeasured(text string) string {
	return hidden.ReplaceAllString(bullets.ReplaceAllString(text, "•"), "%$1$2%")
}
