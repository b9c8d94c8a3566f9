package agent

import (
	"fmt"
	"strings"

	"encoding/json"
	"github.com/wayfinder-engine/wayfinder/engine/outgoing"
	"time"

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
	Within    *interrupted   `json:"within,omitempty"` // the call that the first of Calls is a step of
}

type savedTurn struct {
	Answer int      `json:"answer"`
	Done   []string `json:"done,omitempty"`
}

// keep writes what the run needs to go on into a pending. Of a call that does
// steps only the one that waits is done again, under that call's name: what came
// before it in the call is done.
func (e *pendingError) keep(r *run, a Action, calls []llm.ToolCall, parts []llm.Part) {
	if e.of != nil {
		r.record(a)
		waiting := e.waiting
		waiting.ID = calls[0].ID
		calls = append([]llm.ToolCall{waiting}, calls[1:]...)
	}
	p := e.pending
	s := saved{
		ID: r.id, Messages: r.talk.messages, First: r.talk.first, Memory: r.talk.memory, Turn: r.turn, Calls: calls,
		Actions: r.actions, Steps: r.bounds.steps, Failures: r.bounds.failures, Usage: r.bounds.usage, Cost: r.bounds.cost,
		Began: r.began, StartedAt: r.session.Hide(r.startedAt), Start: r.session.Hide(r.startText), Doubted: r.doubted, Within: e.of,
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

func (r *run) restore(s *saved) {
	r.resuming = s.Within
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

// stopped says that a call waits on its way, with what it had come to by then.
func (e *pendingError) stopped(tool *Tool, waiting llm.ToolCall, answer *Answer, err error) error {
	text := e.Error()
	switch {
	case err != nil:
		text = err.Error()
	case answer != nil:
		text = answer.Text
	}
	e.of, e.waiting = &interrupted{Name: tool.Name, Text: text}, waiting
	return e
}

// on is what the person's word means for an action.
func (d *decided) on(a *Approval) error {
	if d.approval == nil || !sameAction(*d.approval, *a) {
		return fmt.Errorf("%w: what was approved was %s, and this is %s", ErrDenied, describe(d.approval), describe(a))
	}
	if !d.Approved {
		return fmt.Errorf("%w: %s", ErrDenied, orWord(d.Reason, "the person said no"))
	}
	if was := d.approval.Outgoing; was != nil && !was.Held {
		if a.Outgoing == nil {
			return fmt.Errorf("%w: what it sends is not known any more", ErrDenied)
		}
		if other := outgoing.Differences(was, a.Outgoing); len(other) > 0 {
			return fmt.Errorf("%w: what was approved is another thing: %s", ErrDenied, strings.Join(other, "; "))
		}
	}
	return nil
}
