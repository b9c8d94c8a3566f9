package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// submits are the keys that may send the form of the field that gets them.
var submits = []string{"enter", "numpadenter", "control+enter", "meta+enter"}

// approve is asked by the engine about each action before it is done.
func (r *run) approve(ctx context.Context, a engine.Action) error {
	classes := classify(a)
	node := r.aimed
	if node == nil {
		node = r.nodeOf(a)
	}
	if a.Method == engine.Press && len(a.Arguments) > 0 && slices.Contains(submits, strings.ToLower(a.Arguments[0])) {
		classes = append(classes, r.classesOfForm(node)...)
	}
	target := ""
	if node != nil && a.Method != engine.Hover {
		if target = node.URL; target != "" && !r.allowed(target) {
			classes = append(classes, ClassLeave)
		}
	}
	if !r.allowed(r.page.URL()) {
		classes = append(classes, ClassLeave)
	}
	return r.decide(ctx, Approval{Classes: classes, Tool: r.doing, Action: a, PageURL: r.address(), Target: r.session.Hide(target)})
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
	if r.allowed(address) {
		return nil
	}
	return r.decide(ctx, Approval{Classes: []Class{ClassLeave}, Tool: tool, PageURL: r.address(), Target: r.session.Hide(address)})
}

// approveTool is asked about tools of the program and of servers.
func (r *run) approveTool(ctx context.Context, tool *Tool, call llm.ToolCall) error {
	if tool.Class == "" {
		return nil
	}
	return r.decide(ctx, Approval{Classes: []Class{tool.Class}, Tool: tool.Name, PageURL: r.address(), Reason: r.session.Hide(string(arguments(call)))})
}

// decide asks somebody about the classes that need it. Nobody there means no.
func (r *run) decide(ctx context.Context, a Approval) error {
	need := r.agent.cfg.NeedApproval
	slices.Sort(a.Classes)
	a.Classes = slices.DeleteFunc(slices.Compact(a.Classes), func(c Class) bool {
		return !slices.Contains(need, c) && (c != ClassLeave || len(r.agent.cfg.AllowedHosts) == 0)
	})
	if len(a.Classes) == 0 {
		return nil
	}
	if d := r.decided(); d != nil {
		if d.approval == nil || !sameAction(*d.approval, a) {
			return fmt.Errorf("%w: what was approved was %s, and this is %s", ErrDenied, describe(d.approval), describe(&a))
		}
		if !d.Approved {
			return fmt.Errorf("%w: %s", ErrDenied, orWord(d.Reason, "the person said no"))
		}
		return nil
	}
	if r.agent.cfg.Approve == nil {
		return fmt.Errorf("%w: actions of class %v need approval, and nobody is there to give it", ErrDenied, a.Classes)
	}
	err := r.agent.cfg.Approve(ctx, a)
	if errors.Is(err, ErrLater) {
		return &pendingError{pending: &Pending{Kind: PendingApproval, Approval: &a}}
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return nil
}

// classesOfForm are those of the buttons beside a field: Enter may press them.
func (r *run) classesOfForm(node *accessibility.Node) []Class {
	snap := r.view.snapshot
	if snap == nil {
		return nil
	}
	first, end := 0, len(snap.Nodes)
	if node != nil {
		for i := node.Parent; i >= 0; i = snap.Nodes[i].Parent {
			if role := snap.Nodes[i].Role; role == "form" || role == "dialog" || role == "search" || role == "group" || i == 0 {
				first, end = int(i), int(snap.Nodes[i].End)
				break
			}
		}
	}
	var out []Class
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
