package agent

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent/internal/computer"
	"github.com/wayfinder-engine/wayfinder/agent/internal/dialect"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// vendorHand does the calls of a vendor's own tool, in mode CUA.
type vendorHand struct{ looking }

// A vendorTool is what mode CUA has in the place of our tools: the vendor's own,
// and the hand that does what its calls mean.
type vendorTool struct {
	dialect *dialect.Dialect
	hand    *computer.Hand

	fresh bool                         // nothing was done since the newest picture
	shown bool                         // the model has seen the page once
	anew  bool                         // another process has shown it: the next look is whole
	last  *computer.Outcome            // of the newest call
	moved bool                         // the model itself went to another page or tab in this turn
	acked map[string][]llm.SafetyCheck // what a person has confirmed, by call
}

// newVendorTool gives a run its model's tool.
func (r *vendorHand) newVendorTool() (*vendorTool, error) {
	d, err := dialect.For(r.modelName(), r.agent.cfg.ComputerTool)
	if err != nil {
		return nil, fmt.Errorf("%w: mode cua: %w", ErrUnsupported, err)
	}
	v := &vendorTool{dialect: d, acked: map[string][]llm.SafetyCheck{}}
	v.hand = &computer.Hand{
		Page: r.page, Own: r.own, Longest: d.Longest, Options: r.actOptions,
		May: func(ctx context.Context, address string) error {
			return r.approveAddress(ctx, "navigate", r.addresses.restore(address))
		},
		Before: func(t engine.Target) { r.aimed = r.aimedAt(t) },
	}
	return v, nil
}

// mayFollow reports whether a call may be done although the page is another one
// than when the model answered: it went there itself, and the call only looks, or
// continues. What sends input has to wait until it has seen the page.
func (r *vendorHand) mayFollow(call llm.ToolCall) bool {
	if r.vendor == nil || call.Toolset == "" || !r.vendor.moved {
		return false
	}
	return r.vendor.dialect.Looks(call, r.vendor.hand)
}

// callName is what a call does, in one word.
func (r *vendorHand) callName(call llm.ToolCall) string {
	if call.Toolset != "" && r.vendor != nil {
		return r.vendor.dialect.Name(call)
	}
	return call.Name
}

// split takes the calls of batches apart: each action is a step of its own. What
// cannot be read stays one call, and is answered with why.
func (r *vendorHand) split(calls []llm.ToolCall) []llm.ToolCall {
	if r.vendor == nil {
		return calls
	}
	var out []llm.ToolCall
	for _, call := range calls {
		out = append(out, r.vendor.dialect.Split(call)...)
	}
	return out
}

// vendorCall is the tool for a call of the vendor's.
func (r *vendorHand) vendorCall(call llm.ToolCall) (*Tool, error) {
	if r.vendor == nil {
		return nil, fmt.Errorf("%w: there is no tool %q", ErrInvalid, call.Name)
	}
	actions, err := r.vendor.dialect.Decode(call, r.vendor.hand)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	t := &Tool{Name: r.vendor.dialect.Name(call), kind: waits}
	for _, a := range actions {
		switch {
		case a.Acts():
			t.kind = acts
		case t.kind == waits && (a.Kind == computer.ReadPage || a.Kind == computer.PageText || a.Kind == computer.Find || a.Kind == computer.ListTabs):
			t.kind = reads
		}
		t.exempt = t.exempt || a.Kind == computer.Wait || a.Kind == computer.Back
	}
	t.Run = func(ctx context.Context, _ *Call) (*Answer, error) { return r.useHand(ctx, actions) }
	return t, nil
}

// useHand does the actions of one call, up to the first surprise.
func (r *vendorHand) useHand(ctx context.Context, actions []computer.Action) (*Answer, error) {
	v := r.vendor
	total, answer := &report{}, &Answer{}
	var said []string
	for i, action := range actions {
		if action.URL != "" {
			action.URL = r.addresses.restore(action.URL)
		}
		v.hand.Page = r.page
		if action.Acts() {
			if err := r.intend(ctx, nil, nil); err != nil {
				return nil, err
			}
		}
		out, err := v.hand.Do(ctx, action)
		r.page = v.hand.Page
		v.note(action, out)
		if snap := v.hand.Newest(); snap != nil {
			r.view.snapshot = snap
		}
		if out != nil {
			total.add(r.reported(out, err, action))
			said = append(said, out.Text)
			if out.Picture != nil {
				answer.Image = out.Picture
			}
		}
		if err != nil {
			answer.report = total
			return answer, err
		}
		if total.surprise != "" && i < len(actions)-1 {
			said = append(said, total.surprise+"; what was to follow was not done")
			total.failed = true
			break
		}
	}
	answer.Text = strings.Join(said, "\n")
	total.action.Message = ""
	answer.report = total
	return answer, nil
}

// note keeps what an action means for what the model is shown next.
func (v *vendorTool) note(a computer.Action, out *computer.Outcome) {
	if out != nil || a.Acts() {
		v.last = out
	}
	switch a.Kind {
	case computer.Screenshot, computer.Home:
		v.fresh = out != nil
	case computer.Zoom, computer.Cursor, computer.Find, computer.ReadPage, computer.PageText, computer.ListTabs:
	default:
		v.fresh = false
	}
}

// reported is what the loop hears of an outcome.
func (r *vendorHand) reported(out *computer.Outcome, err error, a computer.Action) *report {
	if out.Result != nil {
		answer, _ := r.acted(out.Result, err, Action{Text: cmp.Or(a.Text, a.Value)}) // the error is returned by who calls
		r.page = r.vendor.hand.Page
		return answer.report
	}
	rep := &report{}
	switch {
	case out.Traveled != nil:
		to := *out.Traveled
		rep.action.Evidence = &engine.Evidence{Effect: engine.EffectNavigation, Navigation: &to}
		rep.surprise = "the page is another document now: " + r.addresses.shorten(to.To)
	case out.Opened, out.Switched:
		rep.action.Evidence = &engine.Evidence{Effect: engine.EffectNavigation}
		if out.Opened {
			rep.action.Evidence.Effect = engine.EffectNewPage
		}
		rep.surprise = "another tab is shown now"
	}
	r.vendor.moved = r.vendor.moved || rep.surprise != ""
	return rep
}

// acknowledge has a person confirm what the vendor's safety checks have found. It
// is asked whatever needs approval otherwise; nobody there means no.
func (r *vendorHand) acknowledge(ctx context.Context, call llm.ToolCall) error {
	if len(call.Checks) == 0 {
		return nil
	}
	var found []string
	for _, c := range call.Checks {
		found = append(found, strings.Trim(c.Code+": "+c.Message, ": "))
	}
	reason := r.session.Hide(strings.Join(found, "; ") + "; the call is " + string(arguments(call)))
	if err := r.decide(ctx, Approval{Classes: []Class{ClassSafety}, Tool: r.doing, PageURL: r.address(), Reason: reason}); err != nil {
		return err
	}
	r.vendor.acked[call.ID] = call.Checks
	return nil
}

// answered adds to the result of a vendor's call what belongs to it.
func (v *vendorTool) answered(ctx context.Context, result *llm.ToolResult) {
	result.Acknowledged = v.acked[result.ID]
	if v.dialect.State {
		result.Browser = v.hand.State(ctx, v.last)
		v.last = nil
	}
}

// addResult adds a result to those before. That of a further action of the same
// call is a part of its result.
func addResult(parts []llm.Part, result llm.ToolResult) []llm.Part {
	if n := len(parts); n > 0 {
		if before, ok := parts[n-1].(llm.ToolResult); ok && before.ID == result.ID && result.Toolset != "" {
			before.Parts = append(slices.Clone(before.Parts), result.Parts...)
			before.Error = before.Error || result.Error
			if len(result.Acknowledged) > 0 {
				before.Acknowledged = result.Acknowledged
			}
			if b := result.Browser; b != nil {
				if before.Browser != nil {
					b.Changes = append(slices.Clone(before.Browser.Changes), b.Changes...)
				}
				before.Browser = b
			}
			parts[n-1] = before
			return parts
		}
	}
	return append(parts, result)
}

// look is what the model gets to see of a page that was just read: a picture where
// its tool wants one after actions, and at the beginning in any case. Where
// nothing is painted, it gets the page in words, too.
func (v *vendorTool) look(ctx context.Context, r *run, snap *engine.Snapshot, words llm.Part) ([]llm.Part, error) {
	v.hand.Page = r.page
	if v.shown && (v.fresh && v.hand.Saw(snap) || !v.dialect.Pictures) {
		return nil, nil
	}
	var parts []llm.Part
	if !v.shown || !v.dialect.State {
		parts = append(parts, llm.Page{Kind: "address", Text: r.session.Hide(head(r.page, &r.addresses))})
	}
	p, err := v.hand.Look(ctx, snap)
	if err != nil {
		return nil, err
	}
	if r.talk.computer == nil {
		r.talk.computer = &llm.ComputerTool{Name: v.dialect.Tool, Width: p.Width, Height: p.Height}
	}
	v.shown, v.fresh = true, true
	switch {
	case v.anew && v.dialect.Refs: // its refs were the other process's: it would read the page first
		text, err := v.hand.Read(snap, computer.Action{})
		if err != nil {
			return nil, err
		}
		parts = append(parts, llm.Page{Kind: kindOutline, Text: r.session.Hide(text)})
	case p.Blind:
		parts = append(parts, words)
	}
	v.anew = false
	if v.dialect.Pictures || !p.Blind && !r.task.NoScreenshots {
		parts = append(parts, llm.Image{MediaType: mediaType(p.PNG), Data: p.PNG})
	}
	return parts, nil
}

// within puts the picture of a view into the last result of the vendor's tool,
// where its models look for it.
func within(parts, view []llm.Part) []llm.Part {
	at := -1
	for i, p := range parts {
		if result, ok := p.(llm.ToolResult); ok && result.Toolset != "" {
			at = i
		}
	}
	for _, p := range view {
		image, ok := p.(llm.Image)
		if !ok || at < 0 {
			parts = append(parts, p)
			continue
		}
		result := parts[at].(llm.ToolResult)
		result.Parts = append(slices.Clone(result.Parts), image)
		parts[at] = result
	}
	return parts
}
