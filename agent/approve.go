package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// approving finds what an action would let out, before it is done, and has it approved.
type approving struct {
	carrying
	hosts *policy.Rules       // where the run may be; nil is everywhere
	aimed *accessibility.Node // what the tool under way is for; nil if it names none
}

// approve is asked by the engine about each action before it is done.
func (r *approving) approve(ctx context.Context, p *engine.Proposal) error {
	a := p.Action
	r.approvals.relax()
	classes := ClassesOf(a)
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
		classes, target = append(classes, more...), cmp.Or(to, target)
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

// consequential adds what a request shows that no word has said.
func consequential(classes []Class) []Class {
	if binds(classes) || slices.Contains(classes, ClassConsequential) {
		return classes
	}
	return append(slices.Clone(classes), ClassConsequential)
}

// pressed says what pressing an element does, by what stands around it: the
// button or link that it is a part of, the dialog that it answers, and the
// address where it leads, if that is known.
func (r *approving) pressed(node *accessibility.Node) (classes []Class, target string) {
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
func (r *approving) mayLeave(a engine.Action) bool {
	return r.hosts != nil && a.Method.Presses() && a.Fingerprint != nil && a.Fingerprint.Role == "link"
}

// nodeOf is the element of an action that no ref names, as the model was last
// shown it; nil if it is not there.
func (r *approving) nodeOf(a engine.Action) *accessibility.Node {
	for _, n := range r.like(r.view.snapshot, a) {
		if int64(n.Source.Node) == a.BackendNodeID {
			return n
		}
	}
	return nil
}

// approveAddress is asked before the run goes to an address by itself.
func (r *approving) approveAddress(ctx context.Context, tool, address string) error {
	a := Approval{Tool: tool, PageURL: r.address(), Target: r.session.Hide(address)}
	if !r.allowed(address) {
		a.Classes = []Class{ClassLeave}
	}
	return r.release(ctx, a, r.carriedIn(address))
}

// approveTool is asked about tools of the program and of servers.
func (r *approving) approveTool(ctx context.Context, tool *Tool, call llm.ToolCall) error {
	a := Approval{Tool: tool.Name, PageURL: r.address(), Arguments: json.RawMessage(r.session.Hide(string(arguments(call))))}
	if tool.Class != "" {
		a.Classes = []Class{tool.Class}
	}
	return r.release(ctx, a, r.carriedTo(tool, call))
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

// entersLine reports whether an action presses Enter, which may send the form
// of the field that gets it.
func (r *approving) entersLine(a engine.Action) bool {
	if len(a.Arguments) == 0 {
		return false
	}
	text := a.Arguments[0]
	switch a.Method {
	case engine.Press:
		chord := strings.Split(strings.ToLower(text), "+")
		return slices.Contains([]string{"enter", "return", "numpadenter", "\n", "\r"}, chord[len(chord)-1])
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
func (r *approving) classesOfForm(node *accessibility.Node) []Class {
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
func (r *approving) allowed(address string) bool {
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

// answers are those to the dialogs of an act. What the model writes into one needs
// approval where it takes data to another site.
func (r *approving) answers(ctx context.Context, in dialogIn) ([]engine.DialogAnswer, error) {
	if in.Text != "" && r.page != nil {
		if err := r.release(ctx, Approval{Tool: r.doing, PageURL: r.address()}, []carriage{r.takes(originOf(r.page.URL()), in.Text)}); err != nil {
			return nil, err
		}
	}
	return []engine.DialogAnswer{{Accept: in.Accept, Text: r.expand(in.Text)}}, nil
}

// expand puts the values of variables in. The dialog of a page is no element
// that a variable's hosts could be held against, so bound ones are left alone.
func (r *approving) expand(text string) string {
	for name, v := range r.task.Variables {
		if v.TOTP == nil && len(v.Hosts) == 0 {
			text = strings.ReplaceAll(text, "%"+name+"%", v.Value)
		}
	}
	return text
}
