package traces

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/recording"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// A Record is what is recorded of one session. A nil one records nothing. Its
// methods may be called from several goroutines at once.
type Record struct {
	traces    *Traces
	session   string
	owner     string
	collector *trace.Collector

	writing sync.Mutex // held while the trace is made, which takes memory
}

// Driver is what the session's browser is opened by.
func (r *Record) Driver() driver.Driver { return r.collector.Driver() }

// Hooks adds those of the record to others.
func (r *Record) Hooks(others *engine.Hooks) *engine.Hooks {
	if r == nil {
		return others
	}
	return engine.JoinHooks(others, r.collector.Hooks())
}

// AgentHooks adds those of the record to others.
func (r *Record) AgentHooks(others *agent.Hooks) *agent.Hooks {
	if r == nil {
		return others
	}
	return agent.JoinHooks(others, r.collector.AgentHooks())
}

// Model is m, whose questions and answers are recorded.
func (r *Record) Model(m llm.Model) llm.Model {
	if r == nil {
		return m
	}
	return r.collector.Model(m)
}

// Begin notes how the session was opened.
func (r *Record) Begin(s wayfindertest.Setup) {
	if r != nil {
		r.noted(wayfindertest.NoteSetup(r.collector.Recorder(), s))
	}
}

// Step notes what was asked for, and what it gave: a replay asks for it again.
func (r *Record) Step(s wayfindertest.Step) {
	if r != nil {
		r.noted(wayfindertest.NoteStep(r.collector.Recorder(), s))
	}
}

// noted logs a note that was not taken.
func (r *Record) noted(err error) {
	if err != nil {
		r.traces.log.Warn("a trace cannot be replayed", "session", r.session, "err", err)
	}
}

// HTML returns the trace so far.
func (r *Record) HTML() ([]byte, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	t, err := r.collector.Trace()
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	var out bytes.Buffer
	if err := t.WriteHTML(&out, &trace.HTMLOptions{MaxBytes: r.traces.opts.PerOne}); err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	if out.Len() > mostTimes*r.traces.opts.PerOne {
		return nil, fmt.Errorf("%w: it has %d bytes without pictures", ErrTooLarge, out.Len())
	}
	return out.Bytes(), nil
}

// mostTimes is how much larger than it should be a trace may be whose texts alone
// are.
const mostTimes = 2

// Save keeps the trace of a session that has ended.
func (r *Record) Save(session *engine.Session) error {
	if r == nil {
		return nil
	}
	r.noted(wayfindertest.NoteTrajectory(r.collector.Recorder(), session))
	html, err := r.HTML()
	if err != nil {
		return err
	}
	return r.traces.save(r.session, r.owner, html)
}

// Unseen returns a context for calls to the browser that no record keeps: those for a
// person who has taken the session, and those for its viewers.
func Unseen(ctx context.Context) context.Context { return recording.Unrecorded(ctx) }
