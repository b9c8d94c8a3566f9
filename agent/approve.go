package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// approve is asked by the engine about each action before it is done.
func (r *run) approve(ctx context.Context, p *engine.Proposal) error {
	a := p.Action
	r.approvals.relax()
	classes := classify(a)
	node := r.aimed
	if node == nil {
		node = r.nodeOf(a)
	}
	target := ""
	if r.entersLine(a) {
		classes = append(classes, r.classesOfForm(node)...)
		if form := r.formOf(node); form != nil {
			target = form.Action
		}
	}
	if a.Method.Presses() {
		more, to := r.pressed(node)
		classes, target = append(classes, more...), orWord(to, target)
	}
	if target != "" && !r.allowed(target) || !r.allowed(r.page.URL()) || node == nil && r.mayLeave(a) {
		classes = append(classes, ClassLeave)
	}
	asked := Approval{Classes: r.needed(classes), Tool: r.doing, Action: a, PageURL: r.address(), Target: r.session.Hide(target)}
	carried := r.carriedBy(&a, node)
	if err := r.under(ctx, p, &asked); err != nil {
		return err
	}
	if err := r.release(ctx, asked, carried); err != nil {
		return err
	}
	return r.intend(ctx, &a, node)
}

// guard has what leaves the browser held for as long as the run lasts, where something
// needs approval. A page that was there before is loaded again: what it began then
// would pass.
func (r *run) guard(ctx context.Context) error {
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
	l.holds, l.told = append(l.holds, h), append(l.told, 0)
	if address := r.page.URL(); !r.page.Guarded() && strings.HasPrefix(address, "http") {
		if _, err := r.page.Navigate(ctx, address, nil); err != nil {
			return fmt.Errorf("the page was there before what leaves it was held, and could not be loaded again: %w", err)
		}
	}
	return nil
}

// consequential adds what a request shows that no word has said.
func consequential(classes []Class) []Class {
	if binds(classes) || slices.Contains(classes, ClassConsequential) {
		return classes
	}
	return append(slices.Clone(classes), ClassConsequential)
}

// under has what an action sends held: to what is going to be asked about it, if its
// form says that it changes something or its words need approval, and else to the
// hold of the run.
func (r *run) under(ctx context.Context, p *engine.Proposal, a *Approval) error {
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

// givenBy are the values that an action gives to the page.
func (r *run) givenBy(a *engine.Action) (out []string) {
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

// pressed says what pressing an element does, by what stands around it: the
// button or link that it is a part of, the dialog that it answers, and the
// address where it leads, if that is known.
func (r *run) pressed(node *accessibility.Node) (classes []Class, target string) {
	snap := r.view.snapshot
	if node == nil || snap == nil {
		return nil, ""
	}
	if form := r.formOf(node); form != nil && form.Submits {
		target = form.Action
	}
	for n := node; ; n = &snap.Nodes[n.Parent] {
		switch n.Role {
		case "button", "link", "menuitem", "option", "switch", "checkbox", "radio":
			classes = append(classes, classesOf(n.Name)...)
			classes = append(classes, classesOf(n.Description)...)
		case "dialog", "alertdialog":
			if !declines(node.Name) {
				classes = append(classes, classesOf(n.Name)...)
				classes = append(classes, classesOf(n.Description)...)
			}
		}
		if n.URL != "" && target == "" {
			target = n.URL
		}
		if n.Parent < 0 {
			return classes, target
		}
	}
}

// mayLeave reports whether an element of which no more is known may lead to
// another host.
func (r *run) mayLeave(a engine.Action) bool {
	return r.hosts != nil && a.Method.Presses() && a.Fingerprint != nil && a.Fingerprint.Role == "link"
}

// nodeOf is the element of an action that no ref names, as the model was last
// shown it; nil if it is not there.
func (r *run) nodeOf(a engine.Action) *accessibility.Node {
	if r.view.snapshot == nil || a.Fingerprint == nil {
		return nil
	}
	nodes := r.view.snapshot.Nodes
	for i := range nodes {
		n := &nodes[i]
		if int64(n.Source.Node) == a.BackendNodeID && string(n.Role) == a.Fingerprint.Role && r.session.Hide(n.Name) == a.Fingerprint.Name {
			return n
		}
	}
	return nil
}

// approveAddress is asked before the run goes to an address by itself.
func (r *run) approveAddress(ctx context.Context, tool, address string) error {
	a := Approval{Tool: tool, PageURL: r.address(), Target: r.session.Hide(address)}
	if !r.allowed(address) {
		a.Classes = []Class{ClassLeave}
	}
	return r.release(ctx, a, r.carriedIn(address))
}

// approveTool is asked about tools of the program and of servers.
func (r *run) approveTool(ctx context.Context, tool *Tool, call llm.ToolCall) error {
	a := Approval{Tool: tool.Name, PageURL: r.address(), Arguments: json.RawMessage(r.session.Hide(string(arguments(call))))}
	if tool.Class != "" {
		a.Classes = []Class{tool.Class}
	}
	return r.release(ctx, a, r.carriedTo(tool, call))
}

// needed are those of some classes that somebody is asked about.
func (r *run) needed(classes []Class) []Class {
	need := r.agent.cfg.NeedApproval
	slices.Sort(classes)
	return slices.DeleteFunc(slices.Compact(classes), func(c Class) bool {
		return c != ClassSafety && c != ClassConsequential && c != ClassFlow && !slices.Contains(need, c) && (c != ClassLeave || len(r.agent.cfg.AllowedHosts) == 0)
	})
}

// attribute says of a question to which run and step it belongs, and what the model
// said of it.
func (r *run) attribute(a *Approval) {
	a.Run, a.Task = r.id, r.session.Hide(r.task.Instruction)
	if a.Reason == "" { // a vendor's safety check gives its own
		a.Reason = r.session.Hide(cutText(r.said, 100))
	}
	if r.at != nil {
		a.Step = r.at.Step
	}
}

// decide asks somebody about the classes that need it. Nobody there means no.
func (r *run) decide(ctx context.Context, a Approval) error {
	r.attribute(&a)
	a.Classes = r.needed(a.Classes)
	if len(a.Classes) == 0 {
		return nil
	}
	if d := r.decided(); d != nil {
		return r.recordApproval(ctx, r.page, &a, orWord(d.By, "person"), func(context.Context) error { return d.on(&a) })
	}
	return r.put(ctx, r.page, a)
}

// An attributed context ends like one, and has the values of another, too: those
// that say to which call it belongs.
type attributed struct {
	context.Context
	values context.Context
}

func (c attributed) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// put asks the approver.
func (r *run) put(ctx context.Context, page *engine.Page, a Approval) error {
	by, approve := orWord(r.agent.cfg.ApprovedBy, "approver"), r.agent.cfg.Approve
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
func (r *run) recordApproval(ctx context.Context, page *engine.Page, a *Approval, by string, ask func(context.Context) error) error {
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
	r.approvals.holds = append(r.approvals.holds, h)
	r.approvals.told = append(r.approvals.told, 0)
	return nil
}

func (r *run) formOf(node *accessibility.Node) *accessibility.Form {
	if node == nil || r.view.snapshot == nil {
		return nil
	}
	return r.view.snapshot.Form(node)
}

// entersLine reports whether an action presses Enter, which may send the form
// of the field that gets it.
func (r *run) entersLine(a engine.Action) bool {
	if len(a.Arguments) == 0 {
		return false
	}
	text := a.Arguments[0]
	switch a.Method {
	case engine.Press:
		chord := strings.Split(strings.ToLower(text), "+")
		switch chord[len(chord)-1] {
		case "enter", "return", "numpadenter", "\n", "\r":
			return true
		}
	case engine.Type:
		if strings.ContainsAny(text, "\r\n") {
			return true
		}
		for name, v := range r.task.Variables {
			if strings.Contains(text, "%"+name+"%") && strings.ContainsAny(v.Value, "\r\n") {
				return true
			}
		}
	}
	return false
}

// classesOfForm are those of the buttons beside a field: Enter may press them.
func (r *run) classesOfForm(node *accessibility.Node) []Class {
	snap := r.view.snapshot
	if snap == nil {
		return nil
	}
	var out []Class
	if form := r.formOf(node); form != nil {
		for _, n := range form.Buttons {
			out = append(out, classesOf(n.Name)...)
		}
		return out
	}
	first, end := 0, len(snap.Nodes)
	if node != nil {
		for i := node.Parent; i >= 0; i = snap.Nodes[i].Parent {
			if role := snap.Nodes[i].Role; role == "form" || role == "dialog" || role == "search" || i == 0 {
				first, end = int(i), int(snap.Nodes[i].End)
				break
			}
		}
	}
	for i := first; i < end; i++ {
		if snap.Nodes[i].Role == "button" {
			out = append(out, classesOf(snap.Nodes[i].Name)...)
		}
	}
	return out
}

// allowed reports whether an address is one where the run may be.
func (r *run) allowed(address string) bool {
	return r.hosts == nil || r.hosts.CheckURL(address) == nil
}

// hostRules are the hosts where a run may be; nil is everywhere. Private
// networks are the session's policy's affair.
func hostRules(hosts []string) (*policy.Rules, error) {
	if len(hosts) == 0 {
		return nil, nil
	}
	rules, err := (&policy.Policy{Allow: hosts, Private: []string{"*"}}).Compile()
	if err != nil {
		return nil, fmt.Errorf("%w: AllowedHosts: %w", ErrInvalid, err)
	}
	return rules, nil
}
