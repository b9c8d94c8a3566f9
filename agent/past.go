package agent

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent/internal/journal"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A past brings a run to what another process, or this one before it waited for a
// person, has left of it: entry by entry from a log (take), or at once from a pending
// (resume). What a log and a pending tell in the same words goes the same way.
type past struct {
	run *run

	asked  *journal.Asked // has no answer yet
	turn   *pastTurn      // what the model has not been answered yet; nil if there is nothing
	sent   map[int][2]int // by step: requests other than to read, before its input and after it
	last   time.Time      // of the newest entry
	active time.Duration  // without the time between two processes
}

// A pastTurn is an answer of the model's whose results it does not have yet.
type pastTurn struct {
	calls    []llm.ToolCall
	elements map[string]journal.Element
	parts    []llm.Part // results
	ended    int        // calls
	done     []string
	surprise string
	intended []*journal.Intended // without an outcome
}

// take brings the run to what it was after an entry.
func (p *past) take(e journal.Entry) error {
	r := p.run
	if _, resumed := e.Of.(*journal.Resumed); !resumed && !p.last.IsZero() {
		p.active += e.Time.Sub(p.last)
	}
	p.last = e.Time
	switch e := e.Of.(type) {
	case *journal.Began:
		if p.sent != nil {
			return fmt.Errorf("%w: the run begins a second time", runs.ErrDamaged)
		}
		p.sent = map[int][2]int{}
		r.began, r.startedAt, r.startText = e.At, e.StartedAt, e.StartText
		r.talk.begin(r.task.Messages, e.Message.Parts)
		p.see(e.Seen, e.Message.Parts)
		r.seen.text(e.StartText)
	case *journal.Asked:
		p.asked = e
	case *journal.Answered:
		p.asked = nil
		r.turn = e.Turn
		r.bounds.asked(r.modelName(), e.Usage)
		r.talk.answered(e.Message)
		p.turn = &pastTurn{elements: e.Elements}
		for _, part := range e.Message.Parts {
			if call, ok := part.(llm.ToolCall); ok {
				p.turn.calls = append(p.turn.calls, call)
			}
		}
	case *journal.Intended:
		// A step of a call comes after the call, which may have no place yet.
		if known := len(r.actions); e.Parent < 0 || e.Parent > known+1 || e.Step <= e.Parent || e.Step > max(known, e.Parent)+1 {
			return misplaced(e.Step, r)
		}
		if p.turn != nil {
			p.turn.intended = append(p.turn.intended, e)
		}
		if s, ok := p.sent[e.Step]; !ok {
			p.sent[e.Step] = [2]int{e.Sent, max(e.Sent, s[1])}
		}
	case *journal.Ended:
		return p.end(e)
	case *journal.Told:
		p.turn = nil
		r.talk.told(e.Message.Parts, e.Done)
		p.spend(e.Spent)
		p.requests(e.Traffic)
		p.see(e.Seen, e.Message.Parts)
	case *journal.Compacted:
		switch {
		case e.Keep < 0:
			return fmt.Errorf("%w: a conversation that keeps %d turns", runs.ErrDamaged, e.Keep)
		case e.Open:
			p.forget()
		default:
			r.talk.compact(e.Keep)
		}
	case *journal.Resumed:
		p.lost()
	}
	return nil
}

// resume brings the run to what it was when it began to wait.
func (p *past) resume(s *saved) {
	r := p.run
	r.id, r.turn, r.began, r.startedAt, r.startText = s.ID, s.Turn, s.Began, s.StartedAt, s.Start
	r.said, r.doubted, r.resuming = s.Said, s.Doubted, s.Within
	r.talk.talked = s.talked
	p.spend(s.Spent)
	r.circle.seen = s.Repeated
	p.requests(&journal.Traffic{Requests: s.Requests})
	p.see(s.Seen, nil)
	for _, reading := range s.Texts {
		r.seen.step = reading.Step
		r.seen.text(reading.Text)
	}
	for _, a := range s.Actions {
		r.record(a)
	}
}

// end takes over what came of a step.
func (p *past) end(e *journal.Ended) error {
	r, t := p.run, p.turn
	var a Action
	if err := json.Unmarshal(e.Action, &a); err != nil {
		return fmt.Errorf("%w: an action: %w", runs.ErrDamaged, err)
	}
	p.place(a.Parent)
	if a.Parent < 0 || a.Step <= a.Parent || a.Step > len(r.actions)+1 {
		return misplaced(a.Step, r)
	}
	r.record(a)
	r.doubted = e.Doubted
	p.spend(e.Spent)
	p.requests(e.Traffic)
	if s, ok := p.sent[a.Step]; ok {
		p.sent[a.Step] = [2]int{s[0], e.Sent}
	}
	if a.Output != "" {
		r.seen.text(a.Output)
	}
	if t != nil {
		t.intended = slices.DeleteFunc(t.intended, func(i *journal.Intended) bool { return i.Step == a.Step || a.Parent == 0 })
		if a.Parent == 0 {
			t.ended++
			t.done = append(t.done, line(&a))
			t.surprise = e.Surprise
			if e.Result != nil {
				for _, part := range e.Result.Parts {
					if result, ok := part.(llm.ToolResult); ok {
						t.parts = addResult(t.parts, result)
					}
				}
			}
		}
	}
	if e.Claim != nil {
		r.claim = &claim{}
		return json.Unmarshal(*e.Claim, r.claim)
	}
	return nil
}

// place keeps the place of a call that is not over, before the steps on its way.
func (p *past) place(call int) {
	if p.turn == nil || call != len(p.run.actions)+1 {
		return
	}
	for _, i := range p.turn.intended {
		if i.Step == call {
			p.run.record(Action{Step: i.Step, Type: i.Tool, Arguments: i.Arguments, Status: Unknown, Message: "under way", PageURL: i.Address})
			return
		}
	}
}

// misplaced is a log whose next entry names a step that cannot come there. A checksum
// says that an entry is as it was written, and not that no other is missing.
func misplaced(step int, r *run) error {
	return fmt.Errorf("%w: it names step %d, and has %d steps before it", runs.ErrDamaged, step, len(r.actions))
}

func (p *past) spend(s journal.Spent) {
	b := p.run.bounds
	b.steps, b.failures, b.usage, b.cost, b.warned = s.Steps, s.Failures, s.Usage, s.Cost, s.Warned
	p.run.circle.still = s.Still
	if s.Anew != "" {
		p.run.circle.forget(s.Anew)
		p.run.circle.forgot = ""
	}
	if s.Same != "" {
		p.run.circle.again(s.Same)
	}
}

// lost counts a question whose answer never arrived. The provider charges for it.
func (p *past) lost() {
	if p.asked != nil {
		p.run.bounds.asked(p.asked.Model, llm.Usage{Input: p.asked.Input})
		p.asked = nil
	}
}

func (p *past) requests(t *journal.Traffic) {
	if t == nil {
		return
	}
	r := p.run
	r.earlier = slices.DeleteFunc(r.earlier, func(q engine.RequestSeen) bool { return !q.Begin.Before(t.From) })
	r.earlier = append(r.earlier, t.Requests...)
}

// see takes over what the run was shown.
func (p *past) see(s journal.Seen, parts []llm.Part) {
	r := p.run
	for _, address := range s.Addresses {
		r.seen.address(p.whole(address))
	}
	for short, long := range s.Long {
		r.addresses.keep(short, p.whole(long))
	}
	for _, part := range parts {
		if page, ok := part.(llm.Page); ok && (page.Kind == kindOutline || page.Kind == kindChanges) {
			r.seen.text(page.Text)
		}
	}
}

// whole is an address with the values of variables.
func (p *past) whole(address string) string {
	return journal.WithValues(address, p.run.task.Variables, url.QueryEscape)
}

// forget compacts all turns, the one under way included: calls of a vendor's tool
// want pictures as results, which no log has.
func (p *past) forget() {
	r := p.run
	if t := p.turn; t != nil && len(r.talk.Turns) > 0 {
		last := &r.talk.Turns[len(r.talk.Turns)-1]
		last.Done = append(last.Done, t.done...)
		t.done, t.parts, t.calls = nil, nil, nil
	}
	r.talk.compact(0)
}
