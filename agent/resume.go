package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// saved is a run that waits for a person.
type saved struct {
	ID        string         `json:"id"`
	Messages  []llm.Message  `json:"messages"`
	First     int            `json:"first"`
	Memory    bool           `json:"memory,omitempty"`
	Turns     []savedTurn    `json:"turns"`
	Turn      int            `json:"turn"`
	Calls     []llm.ToolCall `json:"calls"`             // those to go on with
	Results   *llm.Message   `json:"results,omitempty"` // of the same answer's calls before
	Actions   []Action       `json:"actions"`
	Steps     int            `json:"steps"`
	Failures  int            `json:"failures"`
	Usage     llm.Usage      `json:"usage"`
	Cost      float64        `json:"cost"`
	Began     time.Time      `json:"began"`
	StartedAt string         `json:"startedAt"`
	Start     string         `json:"start"` // what the page said when the run began
	Doubted   bool           `json:"doubted,omitempty"`
}

type savedTurn struct {
	Answer int      `json:"answer"`
	Done   []string `json:"done,omitempty"`
}

// keep writes what the run needs to go on into a pending.
func (p *Pending) keep(r *run, calls []llm.ToolCall, parts []llm.Part) {
	s := saved{
		ID: r.id, Messages: r.talk.messages, First: r.talk.first, Memory: r.talk.memory, Turn: r.turn, Calls: calls,
		Actions: r.actions, Steps: r.bounds.steps, Failures: r.bounds.failures, Usage: r.bounds.usage, Cost: r.bounds.cost,
		Began: r.began, StartedAt: r.session.Hide(r.startedAt), Start: r.session.Hide(r.startText), Doubted: r.doubted,
	}
	for _, t := range r.talk.turns {
		s.Turns = append(s.Turns, savedTurn{t.answer, t.done})
	}
	if len(parts) > 0 {
		s.Results = &llm.Message{Role: llm.User, Parts: parts}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		raw = []byte(`{}`) // every member is one that JSON has a form for
	}
	p.State = json.RawMessage(r.session.Hide(string(raw)))
}

// Resume goes on with a run that waited for a person, on a page that shows what
// it showed then, in this process or another one. The task is the one that the
// run began with; its bounds hold for the whole of the run. An approval is for
// exactly the action that was asked about: where the page has another one by
// now, nothing is done and the model hears why.
func (a *Agent) Resume(ctx context.Context, page *engine.Page, task Task, p Pending, d Decision) iter.Seq2[Step, error] {
	return func(yield func(Step, error) bool) {
		var s saved
		r, err := a.begin(ctx, page, &task)
		if err == nil {
			err = json.Unmarshal(p.State, &s)
			if err == nil && len(s.Calls) == 0 {
				err = fmt.Errorf("it holds no call")
			}
			if err != nil {
				err = fmt.Errorf("%w: the pending's State cannot be read: %w", ErrInvalid, err)
			}
		}
		if err != nil {
			yield(Step{}, fmt.Errorf("agent: %w", err))
			return
		}
		r.restore(&s)
		r.decision = &decided{Decision: d, approval: p.Approval}
		r.play(ctx, yield, func(ctx context.Context, out *output) error {
			if _, err := r.look(ctx); err != nil { // refs are looked up in it
				return err
			}
			r.view.stale = true
			var parts []llm.Part
			if s.Results != nil {
				parts = s.Results.Parts
			}
			return r.calls(ctx, out, s.Calls, Step{Turn: r.turn}, parts)
		})
	}
}

func (r *run) restore(s *saved) {
	r.id, r.turn, r.actions, r.began, r.startedAt, r.startText, r.doubted = s.ID, s.Turn, s.Actions, s.Began, s.StartedAt, s.Start, s.Doubted
	r.talk.messages, r.talk.first, r.talk.memory = s.Messages, s.First, s.Memory
	for _, t := range s.Turns {
		r.talk.turns = append(r.talk.turns, turnAt{t.Answer, t.Done})
	}
	r.bounds.steps, r.bounds.failures, r.bounds.usage, r.bounds.cost = s.Steps, s.Failures, s.Usage, s.Cost
}

// decided returns the person's word once.
func (r *run) decided() *decided {
	d := r.decision
	r.decision = nil
	return d
}
