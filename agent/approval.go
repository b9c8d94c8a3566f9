package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// approvals are what a run has approved, and is asking about.
type approvals struct {
	asking chan struct{} // has one place: one question is put at a time

	// Of the run's goroutine.
	holds []*engine.Hold
	told  []int // how many decisions of each are known
}

// binding are the classes whose approval is for what leaves the browser.
var binding = []Class{ClassPay, ClassSend, ClassDelete, ClassSignUp}

func binds(classes []Class) bool {
	return slices.ContainsFunc(classes, func(c Class) bool { return slices.Contains(binding, c) })
}

// hold has what an action sends held to what is going to be asked about.
func (r *run) hold(ctx context.Context, p *engine.Proposal, a *Approval) error {
	sends, err := p.Outgoing(ctx)
	if err != nil {
		return fmt.Errorf("what it sends cannot be told: %w", err)
	}
	a.Outgoing = r.session.HideOutgoing(sends)
	h := &engine.Hold{Approved: sends, Limit: r.agent.cfg.HoldLimit}
	if d := r.decision; d != nil && d.approval != nil && d.approval.Outgoing != nil && d.approval.Outgoing.Held {
		h.Approved, h.Shown = d.approval.Outgoing, true
	}
	again, page := *a, r.page
	h.Ask = func(ctx context.Context, held *engine.Outgoing, differences []string) error {
		q := again
		q.Outgoing, q.Differences = r.session.HideOutgoing(held), nil
		for _, d := range differences {
			q.Differences = append(q.Differences, r.session.Hide(d))
		}
		return r.put(ctx, page, q)
	}
	err = p.Hold(ctx, h)
	if errors.Is(err, errors.ErrUnsupported) {
		a.Unbound = true
		return nil
	}
	if err != nil {
		return err
	}
	r.approvals.holds = append(r.approvals.holds, h)
	r.approvals.told = append(r.approvals.told, 0)
	return nil
}

// relax is for when the next action begins.
func (l *approvals) relax() {
	for _, h := range l.holds {
		h.Relax()
	}
}

// end ends all holds.
func (l *approvals) end() {
	for _, h := range l.holds {
		h.End()
	}
	l.holds, l.told = nil, nil
}

// withheld counts the requests that were not let out since it was last asked.
func (l *approvals) withheld() (n int) {
	for i, h := range l.holds {
		seen, _, _ := h.Seen(l.told[i])
		l.told[i] += len(seen)
		for _, s := range seen {
			if !s.Out {
				n++
			}
		}
	}
	return n
}

// put asks whoever approves.
func (r *run) put(ctx context.Context, page *engine.Page, a Approval) error {
	by, approve := orWord(r.agent.cfg.ApprovedBy, "approver"), r.agent.cfg.Approve
	if approve == nil {
		return r.record(ctx, page, &a, "nobody", func(context.Context) error {
			return fmt.Errorf("%w: actions of class %v need approval, and nobody is there to give it", ErrDenied, a.Classes)
		})
	}
	select {
	case r.approvals.asking <- struct{}{}:
		defer func() { <-r.approvals.asking }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrDenied, context.Cause(ctx))
	}
	return r.record(ctx, page, &a, by, func(ctx context.Context) error {
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

// record writes a question and its answer into the history.
func (r *run) record(ctx context.Context, page *engine.Page, a *Approval, by string, ask func(context.Context) error) error {
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
		entry.Decision, entry.Reason = engine.Refused, err.Error()
	}
	call.End(err, func(e *engine.Entry) { e.Approval = entry })
	return err
}

func sameAction(a, b Approval) bool {
	if a.Tool != b.Tool || a.Target != b.Target || a.Reason != b.Reason || a.Action.Method != b.Action.Method || !slices.Equal(a.Action.Arguments, b.Action.Arguments) {
		return false
	}
	if a.Action.Fingerprint == nil || b.Action.Fingerprint == nil {
		return a.Action.Fingerprint == b.Action.Fingerprint
	}
	return *a.Action.Fingerprint == *b.Action.Fingerprint
}

func describe(a *Approval) string {
	switch {
	case a == nil:
		return "another thing"
	case a.Action.Fingerprint != nil:
		return a.Tool + " " + a.Action.Fingerprint.String()
	case a.Target != "":
		return a.Tool + " " + a.Target
	}
	return a.Tool
}

func orWord(word, other string) string {
	if word == "" {
		return other
	}
	return word
}
