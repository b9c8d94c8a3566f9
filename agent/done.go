package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

type (
	doneIn struct {
		Success  bool            `json:"success" jsonschema:"description=whether the whole task is done"`
		Message  string          `json:"message" jsonschema:"description=the conclusion for the person: the answer\\, or what was done and what was not"`
		Criteria []Criterion     `json:"criteria,omitempty" jsonschema:"description=one for each thing that the task asks for"`
		Output   json.RawMessage `json:"output,omitempty" jsonschema:"description=the data that the task asks for"`
	}
)

func doneTool() Tool {
	return built(toolDone, talks, "Ends the task, with what was reached and what that rests on.", done)
}

// done ends the run. A claim of success that does not hold is questioned once,
// with the page as it is; the second one stands, for what it is worth.
func done(ctx context.Context, r *run, in doneIn) (*Answer, error) {
	c := &claim{success: in.Success, message: r.session.Hide(r.addresses.restore(in.Message)), criteria: in.Criteria}
	for i := range c.criteria {
		for k := range c.criteria[i].Evidence {
			proof := &c.criteria[i].Evidence[k]
			proof.Address = r.addresses.restore(proof.Address)
		}
	}
	facts, err := r.facts(ctx)
	if err != nil {
		return nil, err
	}
	proven := facts.verify(c.criteria)
	c.proven = proven && in.Success
	r.hideFindings(c.criteria)
	if r.task.Output != nil {
		if err := r.takeOutput(c, r.addresses.restoreJSON(in.Output)); err != nil {
			if in.Success && !r.doubted && r.bounds.left() > 1 {
				r.doubted = true
				return nil, err
			}
			c.proven = false
			c.criteria = append(c.criteria, Criterion{Text: "output", Verdict: Contradicted, Reason: r.session.Hide(err.Error())})
		}
	}
	if in.Success && !c.proven && !r.doubted && r.bounds.left() > 1 {
		r.doubted = true
		return nil, errors.New(r.doubt(c))
	}
	r.claim = c
	rep := &report{action: Action{TaskCompleted: in.Success, Message: c.message}}
	return &Answer{Text: "the run ends", report: rep}, nil
}

// doubt says what of a claim could not be confirmed.
func (r *run) doubt(c *claim) string {
	var b strings.Builder
	b.WriteString("this could not be confirmed:\n")
	if len(c.criteria) == 0 {
		b.WriteString("- no criterion is named\n")
	}
	open := false
	for _, k := range c.criteria {
		if k.Verdict != Confirmed {
			open = true
			fmt.Fprintf(&b, "- %s: %s: %s\n", k.Text, k.Verdict, k.Reason)
		}
	}
	if len(c.criteria) > 0 && !open {
		b.WriteString("- nothing in it rests on what this run did: the page said the same when the run began. Name the step that did it or read it\n")
	}
	b.WriteString("The task was: " + r.session.Hide(r.task.Instruction) + "\nCompare it with the page below. Do what is missing, or call done again, with evidence that can be checked or with success false.")
	return b.String()
}

// facts gathers what a claim is held against.
func (r *run) facts(ctx context.Context) (*facts, error) {
	f := &facts{steps: r.actions, start: r.start, before: r.startText, began: r.startedAt, requests: r.requests(), hide: r.session.Hide}
	r.followPage()
	if r.page == nil {
		return f, nil
	}
	now, err := r.page.Snapshot(ctx, nil)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err == nil {
		f.now = now
	}
	f.address = r.page.URL()
	return f, nil
}

// hideFindings takes values of variables out of what the checks have found.
func (r *run) hideFindings(criteria []Criterion) {
	for i := range criteria {
		c := &criteria[i]
		c.Text, c.Reason = r.session.Hide(c.Text), r.session.Hide(c.Reason)
		for k := range c.Evidence {
			c.Evidence[k].Found = r.session.Hide(c.Evidence[k].Found)
		}
	}
}

// takeOutput holds the data of a claim against its schema and the pages that
// the run has seen.
func (r *run) takeOutput(c *claim, raw json.RawMessage) error {
	if len(raw) == 0 {
		return fmt.Errorf("%w: the task asks for an output, and done has none", ErrInvalid)
	}
	if err := r.task.Output.Validate(raw); err != nil {
		return fmt.Errorf("%w: output: %w", ErrInvalid, err)
	}
	invented, ungrounded := r.seen.check(r.task.Output, raw)
	if len(invented) > 0 {
		return fmt.Errorf("%w: output: %s: no page of this run has that address; take those that stand on a page", ErrInvalid, strings.Join(invented, ", "))
	}
	c.output, c.ungrounded = raw, ungrounded
	return nil
}
