package wayfindertest

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// A Bundle is a recorded run, ready to be played: a browser and a model that
// do what they did, offline.
type Bundle struct {
	Driver engine.Driver
	Model  engine.LLM

	// Steps are what the run was asked to do, where 'wayfinder record' made it.
	Steps []Step

	// Variables are those that the steps name, with values made up: a bundle
	// holds none. Pages that showed the real ones show these.
	Variables map[string]engine.Variable

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
	if data, err = trace.Bundle(data); err != nil {
		t.Fatalf("wayfindertest: %s: %v", path, err)
	}
	rec, err := recording.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("wayfindertest: %s: %v", path, err)
	}
	b := &Bundle{Driver: rec.Driver(), Variables: map[string]engine.Variable{}}
	for _, raw := range rec.Notes(noteStep) {
		var s Step
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("wayfindertest: %s: a step: %v", path, err)
		}
		b.Steps = append(b.Steps, s)
		for _, name := range s.Variables {
			b.Variables[name] = engine.Variable{Value: "value of " + name}
		}
	}
	for _, raw := range rec.Notes(noteTrajectory) {
		if err := json.Unmarshal(raw, &b.trajectory); err != nil {
			t.Fatalf("wayfindertest: %s: the trajectory: %v", path, err)
		}
	}
	values := map[string]string{}
	for name, v := range vars {
		b.Variables[name] = v
	}
	for name, v := range b.Variables {
		values[name] = v.Value
	}
	b.Model = llmtest.Replay(t, rec.Exchanges(values), llmtest.Strict)
	if b.exchanges, err = readExchanges(rec.Exchanges(values)); err != nil {
		t.Fatalf("wayfindertest: %s: an exchange: %v", path, err)
	}
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
	noteExchange   = "exchange" // by the recorder
)

// NoteStep notes in a recorder what a run was asked to do, and what it gave.
func NoteStep(r *recording.Recorder, s Step) error { return r.Note(noteStep, s) }

// NoteTrajectory notes what a session did, for [Replay] to compare.
func NoteTrajectory(r *recording.Recorder, session *engine.Session) error {
	return r.Note(noteTrajectory, TrajectoryText(session))
}

// Replay plays the steps of a bundle and fails the test if anything comes out
// otherwise than it was recorded: a result, an outline, a request to the model,
// an action, its evidence, a message. A run that failed must fail again in the
// same way. It returns the session as the steps left it; the test's end closes it.
func Replay(t testing.TB, path string) *engine.Session {
	t.Helper()
	b := OpenBundle(t, path, nil)
	if len(b.Steps) == 0 {
		t.Fatalf("wayfindertest: %s has no steps; open it with OpenBundle and do what was done", path)
	}
	session := b.Open(t)
	for i, step := range b.Steps {
		got, _ := step.Do(t.Context(), session, b.variables(step)) // the trajectory tells errors
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

// Open opens a session on the bundle.
func (b *Bundle) Open(t testing.TB) *engine.Session {
	t.Helper()
	session, err := engine.Open(t.Context(), b.Driver, &engine.Options{Model: b.Model})
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

var (
	bullets = regexp.MustCompile(`•+`)
	hidden  = regexp.MustCompile(`⟪([A-Za-z0-9_#]+)[^⟫]*⟫|value of ([A-Za-z0-9_]+)`)
)

// unmeasured is a text without the length of a password, which is another
// with another value, and with the names of values in one form.
func unmeasured(text string) string {
	return hidden.ReplaceAllString(bullets.ReplaceAllString(text, "•"), "%$1$2%")
}
