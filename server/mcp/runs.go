package mcp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// runs are the tasks that agents do, in all sessions.
type runs struct {
	agent    *agent.Agent
	sessions *sessions

	work sync.WaitGroup

	mu    sync.Mutex
	byID  map[string]*run
	begun int // runs so far
}

// A run is one task.
type run struct {
	id      string
	number  int // in the order in which they began
	session *session
	page    *engine.Page
	task    agent.Task
	cancel  context.CancelFunc
	changed chan struct{} // closed, and replaced, at each change

	// Protected by runs.mu.
	steps   []string
	working bool
	result  *agent.Result
	err     error
}

func newRuns(a *agent.Agent, l *sessions) *runs {
	return &runs{agent: a, sessions: l, byID: map[string]*run{}}
}

const mostRuns = 100 // that are over, and remembered

// add makes a run.
func (rs *runs) add(s *session, page *engine.Page, task agent.Task) *run {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if len(rs.byID) >= mostRuns {
		rs.forget()
	}
	rs.begun++
	r := &run{id: "run-" + strings.ToLower(rand.Text()), number: rs.begun, session: s, page: page, task: task, changed: make(chan struct{})}
	rs.byID[r.id] = r
	return r
}

// forget drops the oldest run that is over. One that waits for an answer goes
// only where there is no other. rs.mu is held.
func (rs *runs) forget() {
	var oldest *run
	for _, r := range rs.byID {
		switch {
		case r.working:
		case oldest == nil, r.waits() == oldest.waits() && r.number < oldest.number, !r.waits() && oldest.waits():
			oldest = r
		}
	}
	if oldest != nil {
		delete(rs.byID, oldest.id)
	}
}

// waits tells whether a run waits for an answer. runs.mu is held.
func (r *run) waits() bool { return !r.working && r.result != nil && r.result.Pending != nil }

func (rs *runs) find(owner, id string) (*run, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	r, ok := rs.byID[id]
	if !ok || r.session.owner != owner {
		return nil, errors.New("there is no such run: agent gives its handle")
	}
	return r, nil
}

// begin does a run's steps, beside the call that began it, and after it where that
// ends first.
func (rs *runs) begin(ctx context.Context, r *run, steps func(context.Context) iter.Seq2[agent.Step, error]) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	rs.mu.Lock()
	r.cancel, r.working, r.result, r.err = cancel, true, nil, nil
	rs.mu.Unlock()
	rs.work.Go(func() {
		defer cancel()
		_, done, err := rs.sessions.use(ctx, r.session) // so that it is not idle
		if err == nil {
			defer done()
			for step, failure := range steps(ctx) {
				rs.note(r, step)
				err = failure
			}
		}
		rs.mu.Lock()
		defer rs.mu.Unlock()
		r.working, r.err = false, err
		r.signal()
	})
}

// note keeps what a step came to.
func (rs *runs) note(r *run, step agent.Step) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if step.Number > 0 && (step.Result == nil || step.Number <= len(step.Result.Actions)) {
		r.steps = append(r.steps, fmt.Sprintf("%d %s %s: %s", step.Number, step.Action.Type, step.Action.Status, step.Action.Message))
	}
	if step.Result != nil {
		r.result = step.Result
	}
	r.signal()
}

// signal tells of a change. runs.mu is held.
func (r *run) signal() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// decide continues a run that waits. One that no longer waits, as the answer came
// twice, stays as it is.
func (rs *runs) decide(ctx context.Context, r *run, d agent.Decision) {
	rs.mu.Lock()
	if !r.waits() {
		rs.mu.Unlock()
		return
	}
	pending := *r.result.Pending
	r.working = true // before another call decides
	rs.mu.Unlock()
	rs.begin(ctx, r, func(ctx context.Context) iter.Seq2[agent.Step, error] {
		return rs.agent.Resume(ctx, r.page, r.task, pending, d)
	})
}

// An agentOut says how a task is doing.
type agentOut struct {
	Session  string   `json:"session"`
	Run      string   `json:"run"`
	State    string   `json:"state" jsonschema:"working, waiting (for an answer), or ended"`
	Success  bool     `json:"success" jsonschema:"done, and verified by evidence"`
	Message  string   `json:"message"`
	Steps    []string `json:"steps"`
	Criteria []object `json:"criteria,omitempty" jsonschema:"what had to be so, and what was found"`
	Waiting  object   `json:"waiting,omitempty" jsonschema:"what a person has to decide"`
}

func (o agentOut) text() string {
	switch o.State {
	case "working":
		return fmt.Sprintf("%s is at work: %d steps so far. agent_status tells more.", o.Run, len(o.Steps))
	case "waiting":
		return o.Run + " waits for a person's answer: " + o.Message
	}
	verdict := "not verified"
	if o.Success {
		verdict = "done and verified"
	}
	return fmt.Sprintf("%s: %s", verdict, o.Message)
}

// report says how a run is doing: what it waits for, nil if it does not wait, and why it
// did not end by itself.
func (rs *runs) report(r *run) (out agentOut, pending *agent.Pending, _ error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	out = agentOut{Session: r.session.id, Run: r.id, State: "working", Steps: append([]string{}, r.steps...)}
	if r.working {
		return out, nil, nil
	}
	out.State = "ended"
	if r.result == nil {
		return out, nil, r.err
	}
	out.Success, out.Message = r.result.Success, r.result.Message
	if r.result.Criteria != nil {
		out.Criteria = asJSON[[]object](r.result.Criteria)
	}
	if pending = r.result.Pending; pending != nil {
		out.State, out.Waiting, out.Message = "waiting", asJSON[object](map[string]any{"kind": pending.Kind, "question": pending.Question, "approval": pending.Approval}), pending.Question
		if pending.Approval != nil {
			out.Message = approvalText(pending.Approval)
		}
	}
	return out, pending, r.err
}

// stop ends the runs that a condition names.
func (rs *runs) stop(which func(*run) bool) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.byID {
		if r.working && r.cancel != nil && which(r) {
			r.cancel()
		}
	}
}

// close ends all runs, and returns when nothing of them is under way.
func (rs *runs) close() {
	rs.stop(func(*run) bool { return true })
	rs.work.Wait()
}

// approvalText says what is to be approved, as exactly as it is known.
func approvalText(a *agent.Approval) string {
	text := "Approve " + a.Tool
	if a.Action.Description != "" {
		text = "Approve: " + a.Action.Description
	}
	text += " on " + a.PageURL
	if a.Target != "" {
		text += ", which leads to " + a.Target
	}
	for _, f := range a.Flows {
		text += fmt.Sprintf("; takes %q from %s to %s", f.Value, f.From, f.To)
	}
	if a.Reason != "" {
		text += ". The agent says: " + a.Reason
	}
	return text
}

// An object is one of JSON, whose members a tool's schema does not tell.
type object = map[string]any

// asJSON is a value as structured content holds it.
func asJSON[T any](v any) (out T) {
	raw, err := json.Marshal(v)
	if err == nil {
		_ = json.Unmarshal(raw, &out) // what is no T is left out
	}
	return out
}
