package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// decisions asks a person, and holds what leaves the page until there is an answer.
type decisions struct {
	ledger
	approvals approvals
	decision  *decided // a person's word, for the first call of a run that continues
}

// decide asks somebody about the classes that need it. Nobody there means no.
func (r *decisions) decide(ctx context.Context, a Approval) error {
	r.attribute(&a)
	a.Classes = r.needed(a.Classes)
	if len(a.Classes) == 0 {
		return nil
	}
	if d := r.decided(); d != nil {
		return r.recordApproval(ctx, r.page, &a, cmp.Or(d.By, "person"), func(context.Context) error { return d.on(&a) })
	}
	return r.put(ctx, r.page, a)
}

// decided returns the person's word once.
func (r *decisions) decided() *decided {
	d := r.decision
	r.decision = nil
	return d
}

// attribute says of a question to which run and step it belongs, and what the model
// said of it.
func (r *decisions) attribute(a *Approval) {
	a.Run, a.Task = r.id, r.session.Hide(r.task.Instruction)
	if a.Reason == "" { // a vendor's safety check gives its own
		a.Reason = r.session.Hide(cutText(r.said, 100))
	}
	if r.at != nil {
		a.Step = r.at.Step
	}
}

// givenBy are the values that an action gives to the page.
func (r *decisions) givenBy(a *engine.Action) (out []string) {
	switch a.Method {
	case engine.Fill, engine.Type, engine.SelectOption:
		for _, v := range a.Arguments {
			for name, variable := range r.task.Variables {
				v = strings.ReplaceAll(v, "%"+name+"%", variable.Value)
			}
			out = append(out, v)
		}
	}
	return out
}

// put asks the approver.
func (r *decisions) put(ctx context.Context, page *engine.Page, a Approval) error {
	by, approve := cmp.Or(r.agent.cfg.ApprovedBy, "approver"), r.agent.cfg.Approve
	if approve == nil {
		return r.recordApproval(ctx, page, &a, "nobody", func(context.Context) error {
			return fmt.Errorf("%w: actions of class %v need approval, and no approver is set", ErrDenied, a.Classes)
		})
	}
	select {
	case r.approvals.asking <- struct{}{}:
		defer func() { <-r.approvals.asking }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrDenied, context.Cause(ctx))
	}
	return r.recordApproval(ctx, page, &a, by, func(ctx context.Context) error {
		err := approve(ctx, a)
		if errors.Is(err, ErrLater) {
			return &pendingError{pending: &Pending{Kind: PendingApproval, Approval: &a}}
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDenied, err)
		}
		return nil
	})
}

// recordApproval writes a question and its answer into the history.
func (r *decisions) recordApproval(ctx context.Context, page *engine.Page, a *Approval, by string, ask func(context.Context) error) error {
	ctx, call := r.session.BeginCall(ctx, page, engine.OperationApprove, describe(a))
	err := ask(ctx)
	entry := &engine.Approval{By: by, Decision: engine.Approved, Outgoing: a.Outgoing, Differences: a.Differences}
	for _, c := range a.Classes {
		entry.Classes = append(entry.Classes, string(c))
	}
	if a.Action.Method != "" {
		entry.Action = &a.Action
	}
	switch {
	case errors.Is(err, ErrLater):
		entry.Decision = engine.Later
	case err != nil:
		entry.Decision, entry.Reason = engine.Refused, r.session.Hide(err.Error())
	}
	call.End(err, func(e *engine.Entry) { e.Approval = entry })
	return err
}

// hold holds what an action sends to what its approval asks about.
func (r *decisions) hold(ctx context.Context, p *engine.Proposal, a *Approval) error {
	sends, err := p.Outgoing(ctx)
	if err != nil {
		return fmt.Errorf("what it sends cannot be told: %w", err)
	}
	a.Outgoing = r.session.HideOutgoing(sends)
	h := &engine.Hold{Approved: sends, Limit: r.agent.cfg.HoldLimit}
	if d := r.decision; d != nil && d.approval != nil && d.approval.Outgoing != nil && d.approval.Outgoing.Held {
		h.Approved, h.Shown = d.approval.Outgoing, true
	}
	r.attribute(a)
	h.Given = r.approvals.carries
	again, page, act := *a, r.page, ctx
	h.Ask = func(ctx context.Context, held *engine.Outgoing, differences []string) error {
		q := again
		q.Outgoing, q.Differences = r.session.HideOutgoing(held), nil
		for _, d := range differences {
			q.Differences = append(q.Differences, r.session.Hide(d))
		}
		return r.put(attributed{ctx, act}, page, q)
	}
	err = p.Hold(ctx, h)
	if errors.Is(err, errors.ErrUnsupported) {
		a.Unbound = true
		return nil
	}
	if err != nil {
		return err
	}
	r.approvals.holds = append(r.approvals.holds, held{Hold: h})
	return nil
}

// under holds what an action sends: to what its approval asks about, if its form
// changes something or its class needs approval, and otherwise to the run's hold.
func (r *decisions) under(ctx context.Context, p *engine.Proposal, a *Approval) error {
	l := &r.approvals
	if l.stands == nil {
		if binds(a.Classes) && (r.agent.cfg.Approve != nil || r.decision != nil) {
			return r.hold(ctx, p, a)
		}
		return nil
	}
	if !r.page.Guarded() {
		return fmt.Errorf("%w: this page was there before what leaves it was held; load it again by reload or navigate", ErrDenied)
	}
	sends, err := p.Outgoing(ctx)
	if err != nil {
		return fmt.Errorf("what it sends cannot be told: %w", err)
	}
	if sends != nil && !readsOnly(sends.Method) {
		a.Classes = consequential(a.Classes)
	}
	about := *a
	r.attribute(&about)
	l.begins(about, r.givenBy(&a.Action))
	if binds(a.Classes) || slices.Contains(a.Classes, ClassConsequential) {
		return r.hold(ctx, p, a)
	}
	p.Under(l.stands)
	return nil
}

// needed are those of some classes that somebody is asked about.
func (r *decisions) needed(classes []Class) []Class {
	need := r.agent.cfg.NeedApproval
	slices.Sort(classes)
	return slices.DeleteFunc(slices.Compact(classes), func(c Class) bool {
		return c != ClassSafety && c != ClassConsequential && c != ClassFlow && !slices.Contains(need, c) && (c != ClassLeave || len(r.agent.cfg.AllowedHosts) == 0)
	})
}

// guard has what leaves the browser held for as long as the run lasts, where something
// needs approval. A page that was there before is loaded again: what it began then
// would pass.
func (r *decisions) guard(ctx context.Context) error {
	if !binds(r.agent.cfg.NeedApproval) {
		return nil
	}
	l := &r.approvals
	h := &engine.Hold{Limit: r.agent.cfg.HoldLimit, Given: l.carries}
	h.Ask = func(ctx context.Context, held *engine.Outgoing, _ []string) error {
		q := l.about()
		q.Classes = consequential(q.Classes)
		q.Outgoing = r.session.HideOutgoing(held)
		return r.put(ctx, nil, q)
	}
	err := r.session.Guard(ctx, h)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	l.stands, l.last = h, Approval{PageURL: r.address(), Run: r.id, Task: r.session.Hide(r.task.Instruction)}
	l.holds = append(l.holds, held{Hold: h})
	if address := r.page.URL(); !r.page.Guarded() && strings.HasPrefix(address, "http") {
		if _, err := r.page.Navigate(ctx, address, nil); err != nil {
			return fmt.Errorf("the page was there before what leaves it was held, and could not be loaded again: %w", err)
		}
	}
	return nil
}
