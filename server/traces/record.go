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

// Record begins to record a session of an owner's, whose browser d opens.
func (t *Traces) Record(session, owner string, d driver.Driver) *Record {
	o := &trace.Options{Secrets: t.opts.Secrets, Version: t.opts.Version, MaxBytes: t.opts.Memory}
	return &Record{traces: t, session: session, owner: owner, collector: trace.New(d, o)}
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
func (r *Record) Save() error {
	if r == nil {
		return nil
	}
	html, err := r.HTML()
	if err != nil {
		return err
	}
	return r.traces.save(r.session, r.owner, html)
}

// Unseen returns a context for calls to the browser that are in no record: those
// for a person who has taken the session, and for those who look on.
func Unseen(ctx context.Context) context.Context { return recording.Unrecorded(ctx) }
