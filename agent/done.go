package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// finishing decides about the end: what the steps prove of the task.
type finishing struct{ doing }

type doneIn struct {
	Success  bool            `json:"success" jsonschema:"description=whether the whole task is done"`
	Message  string          `json:"message" jsonschema:"description=for the person: the answer\\, or what was done and what was not"`
	Criteria []Criterion     `json:"criteria,omitempty" jsonschema:"description=one for each thing that the task asks for"`
	Output   json.RawMessage `json:"output,omitempty" jsonschema:"description=the data that the task asks for"`
}

// done ends the run. A claim of success that does not hold is questioned once,
// with the page as it is; the second one stands, for what it is worth.
func done(ctx context.Context, r *run, in doneIn) (*Answer, error) {
	c := &claim{Success: in.Success, Message: r.session.Hide(r.addresses.restore(in.Message)), Criteria: in.Criteria}
	for i := range c.Criteria {
		for k := range c.Criteria[i].Evidence {
			proof := &c.Criteria[i].Evidence[k]
			proof.Address = r.addresses.restore(proof.Address)
		}
	}
	facts, err := r.facts(ctx)
	if err != nil {
		return nil, err
	}
	proven := facts.verify(c.Criteria)
	missing := false
	if in.Success {
		c.Open, missing = facts.open()
		c.Open = append(c.Open, facts.unsaid(c.Criteria)...)
	}
	c.Proven = proven && in.Success && len(c.Open) == 0
	r.hideFindings(c.Criteria)
	invalid := error(nil)
	if r.task.Output != nil {
		if invalid = r.takeOutput(c, r.addresses.restoreJSON(in.Output), facts.now); invalid != nil {
			if in.Success && !r.doubted && r.bounds.left() > 1 {
				r.doubted = true
				return nil, invalid
			}
			c.Proven = false
			c.Criteria = append(c.Criteria, Criterion{Text: "output", Verdict: Contradicted, Reason: r.session.Hide(invalid.Error())})
		}
	}
	if len(c.numbers) > 0 && in.Success {
		c.Proven = false
		c.Open = append(c.Open, OpenPart{Text: "output", Reason: "no page of the run says the numbers " + strings.Join(c.numbers, ", ")})
	}
	if len(r.task.Checks) > 0 { // they alone decide
		var all bool
		c.Checks, all = facts.checked(r.task.Checks, c.Output)
		c.Open, c.Proven = nil, all && in.Success && invalid == nil
		proven, missing = c.Proven, false
	}
	// A word that no step holds is no reason to ask: an honest run may have said it
	// in another way. A deed that is missing is one.
	if in.Success && (!proven || missing) && !r.doubted && r.bounds.left() > 1 {
		r.doubted = true
		return nil, errors.New(r.doubt(c))
	}
	if err := r.second(ctx, facts, c); err != nil {
		return nil, err
	}
	r.claim = c
	rep := &report{action: Action{TaskCompleted: in.Success, Message: c.Message}}
	return &Answer{Text: "the run ends", report: rep}, nil
}

// doubt says what of a claim could not be confirmed.
func (r *finishing) doubt(c *claim) string {
	var open []string
	for _, k := range c.Checks {
		if k.Verdict != Confirmed {
			open = append(open, k.Found)
		}
	}
	if len(c.Checks) == 0 { // which decide alone
		for _, k := range c.Criteria {
			if k.Verdict != Confirmed {
				open = append(open, fmt.Sprintf("%s: %s: %s", k.Text, k.Verdict, k.Reason))
			}
		}
		if len(c.Criteria) == 0 {
			open = append(open, "no criterion is named")
		}
		for _, part := range c.Open {
			open = append(open, fmt.Sprintf("of the task: %s: %s", part.Text, part.Reason))
		}
		if len(open) == 0 {
			open = append(open, "nothing in it rests on what this run did: the page said the same when the run began. Name the step that did it or read it")
		}
	}
	return "this could not be confirmed:\n- " + strings.Join(open, "\n- ") + "\nThe task was: " + r.session.Hide(r.task.Instruction) +
		"\nCompare it with the page below. Do what is missing, or call done again, with evidence that can be checked or with success false."
}

// facts gathers what a claim is held against.
func (r *finishing) facts(ctx context.Context) (*facts, error) {
	f := &facts{
		course: course{steps: r.actions, requests: r.requests(), hide: r.session.Hide, declared: map[string]bool{}},
		start:  r.start, before: r.startText, began: r.startedAt, instruction: r.session.Hide(r.task.Instruction), read: r.seen.texts,
	}
	for _, t := range r.tools.list {
		f.declared[t.Name] = t.kind == own && t.Class != ""
	}
	for _, q := range r.own.Requests(time.Time{}) {
		if q.Begin.Before(r.began) {
			f.older = append(f.older, q)
		}
	}
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
func (r *finishing) hideFindings(criteria []Criterion) {
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
func (r *finishing) takeOutput(c *claim, raw json.RawMessage, last *engine.Snapshot) (err error) {
	if len(raw) == 0 {
		return fmt.Errorf("%w: the task asks for an output, and done has none", ErrInvalid)
	}
	if err := r.task.Output.Validate(raw); err != nil {
		return fmt.Errorf("%w: output: %w", ErrInvalid, err)
	}
	invented, nowhere := r.seen.check(r.task.Output, raw)
	if len(invented) > 0 {
		return fmt.Errorf("%w: output: %s: no page of this run has that address; take those that stand on a page", ErrInvalid, strings.Join(invented, ", "))
	}
	c.Output, c.numbers = raw, numbersAt(raw, nowhere)
	c.Sources, c.Ungrounded, c.Omitted, err = r.seen.trace(r.session, last, r.task.Output, raw, nowhere)
	return err
}

// numbersAt are those of the paths at which data has a number.
func numbersAt(raw json.RawMessage, paths []string) (out []string) {
	walk(decoded(raw), "", func(path string, leaf any) {
		if _, ok := leaf.(json.Number); ok && slices.Contains(paths, path) {
			out = append(out, path)
		}
	})
	return out
}

// second asks Config.Judge about a claim that the rules left unproven, unless a step
// was refused and not done again: no judge outvotes that. It reads the instruction and
// the evidence, and nothing that the first model said.
func (r *finishing) second(ctx context.Context, f *facts, c *claim) error {
	judge := r.agent.cfg.Judge
	if judge == nil || c.verdict() != Unproven || f.contrary() {
		return nil
	}
	var open, steps strings.Builder
	for _, p := range c.Open {
		fmt.Fprintf(&open, "- %s: %s\n", p.Text, p.Reason)
	}
	outcomes := f.judged()
	for i := range f.steps {
		a := &f.steps[i]
		if a.Evidence == nil && a.Output == "" {
			continue
		}
		fmt.Fprintf(&steps, "%d. %s %s: %s\n", a.Step, a.Type, a.Status, cutText(a.Message+" "+strings.Join(a.About, "; "), mostAbout))
		for k := range a.Actions {
			fmt.Fprintf(&steps, "   %s %s %q\n", a.Actions[k].Method, a.Actions[k].Fingerprint, a.Actions[k].Arguments)
		}
		for _, q := range f.causedBy(i) {
			if !readsOnly(q.Method) {
				fmt.Fprintf(&steps, "   %s\n", cutText(sentLine(&q), mostAbout))
			}
		}
		if why := outcomes[i].why; why != "" {
			steps.WriteString("   no evidence: " + why + "\n")
		}
	}
	parts := []llm.Part{llm.Instruction{Text: r.task.Instruction}, llm.Text{Text: "Open by the rules:\n" + r.session.Hide(open.String())}, llm.Page{Kind: "steps", Text: r.session.Hide(steps.String())}}
	if f.now != nil {
		outline, err := r.session.OutlineOf(f.now, engine.Excerpt{MaxTokens: mostReadText})
		if err == nil {
			parts = append(parts, llm.Page{Kind: "outline", Text: outline})
		}
	}
	req := &llm.Request{Purpose: llm.PurposeAgent, System: promptJudge, Messages: []llm.Message{{Role: llm.User, Parts: parts}}, Schema: judgeSchema}
	if err := r.bounds.mayAsk(judge.Name(), llm.Estimate(req)); err != nil {
		return nil // without a second look it stays unproven
	}
	resp, err := r.session.Generate(ctx, req, &engine.GenerateOptions{Model: judge, Variables: r.task.Variables, Page: r.page})
	if resp != nil {
		r.bounds.asked(judge.Name(), resp.Usage)
	}
	if err != nil {
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		return nil
	}
	var said struct {
		Done   bool   `json:"done"`
		Reason string `json:"reason"`
	}
	if json.Unmarshal([]byte(resp.Text), &said) == nil && said.Done {
		c.Proven, c.Open = true, nil
	}
	return nil
}
