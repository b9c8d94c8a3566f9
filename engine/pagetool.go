package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/pagetool"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// Tools lists what the page's documents offer to agents. It needs a browser that
// was opened with [driver.BrowserOptions].PageTools; any other is an error that
// wraps [errors.ErrUnsupported]. [Hooks].ToolsChanged says when there are others.
// Values of variables are replaced.
func (p *Page) Tools(ctx context.Context) ([]PageTool, error) {
	tools, err := bounded(ctx, p, "tools", p.tools)
	for i := range tools {
		tools[i] = p.session.secrets.hideTool(tools[i])
	}
	return tools, err
}

func (p *Page) tools(ctx context.Context) ([]PageTool, error) {
	provider, ok := driver.PageAs[driver.ToolProvider](p.driver)
	if !ok {
		return nil, fmt.Errorf("the browser has no tools of pages: %w", errors.ErrUnsupported)
	}
	offered, err := provider.Tools(ctx)
	if err != nil {
		return nil, err
	}
	ordinals := map[driver.FrameID]int{}
	for _, f := range p.driver.Frames() {
		ordinals[f.ID] = f.Ordinal
	}
	tools, taken := make([]PageTool, 0, len(offered)), map[string]bool{}
	for i := range offered {
		name := pagetool.Name(&offered[i], ordinals[offered[i].Frame])
		for n := 2; taken[name]; n++ { // where they are cut, or of another alphabet
			name = fmt.Sprintf("%s_%d", strings.TrimSuffix(name, fmt.Sprintf("_%d", n-1)), n)
		}
		taken[name] = true
		tools = append(tools, PageTool{name, offered[i]})
	}
	return tools, nil
}

// A ToolResult is what came of [Page.CallTool].
type ToolResult struct {
	*ActResult
	State driver.ToolState // empty if the tool was not called
	// Output is what the tool answered, as JSON and without values of variables:
	// text of the page. Truncated: there was more than fits, and it is cut.
	Output    string
	Truncated bool
}

// maxToolOutput bounds what is kept of a tool's answer, in bytes.
const maxToolOutput = 1 << 20

// CallTool has a tool of the page work, once, as [Page.Tools] listed it: one that
// says something else of itself by now is [ErrMismatch], and not called. arguments
// is the JSON of an object that satisfies the tool's schema; %name% in its strings
// stands for a variable. The call is an act: it takes the page's turn, has a limit,
// evidence and an entry in the history, may be approved, and is never repeated.
// opts may be nil; what it says of elements and caches has no meaning here.
//
// A form that the page does not send by itself is filled in: [driver.ToolWaiting].
// When ctx ends the tool is asked to give up. After that, and where a document was
// left before its function answered, the error wraps [ErrMayHaveHappened].
func (p *Page) CallTool(ctx context.Context, tool PageTool, arguments json.RawMessage, opts *ActOptions) (*ToolResult, error) {
	opts = cmp.Or(opts, &ActOptions{})
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	err := opts.check()
	if err == nil {
		if _, err = pagetool.Map(arguments, strings.Clone); err != nil {
			err = fmt.Errorf("%w: the arguments of %s: %w", ErrInvalid, tool.Name, err)
		}
	}
	if err != nil {
		return nil, p.session.rejected("call tool", err)
	}
	out := &ToolResult{}
	words := fmt.Sprintf("call the page's tool %s with %s", tool.Name, excerpt(string(arguments)))
	out.ActResult, err = p.act(ctx, OperationCallTool, words, opts, nil, func(ctx context.Context, d *doing) error {
		c := &toolCall{doing: d, tool: tool, arguments: arguments, out: out}
		return c.run(ctx)
	})
	if out.ActResult == nil {
		return nil, err
	}
	return out, err
}

var callToolMethod = &methodSpec{name: "callTool", done: "called %s", sends: "the call of the page's tool"}

// A toolCall is one call of a page's tool.
type toolCall struct {
	*doing
	tool      PageTool // as it was listed
	arguments json.RawMessage
	out       *ToolResult
}

func (c *toolCall) run(ctx context.Context) (err error) {
	p, tool := c.page, c.tool
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return err
	}
	if err := c.check(ctx); err != nil {
		return err
	}
	input, err := c.input(ctx)
	if err != nil {
		return err
	}
	a := &attempt{}
	a.delivery = delivery{page: p, method: callToolMethod, element: element{node: tool.Form}, watchPage: true}
	if tool.Form.IsZero() {
		a.node = driver.NodeRef{Frame: tool.Frame, Doc: tool.Doc}
	}
	if c.opts.Approve != nil {
		asked := p.session.secrets.hideTool(tool)
		proposal := &Proposal{Action: p.session.secrets.hideAction(Action{Description: c.result.Description, Arguments: []string{string(c.arguments)}}), Tool: &asked, attempt: a}
		if err := a.propose(ctx, proposal, c.opts.Approve); err != nil {
			return err
		}
		if err := c.check(ctx); err != nil { // it took its time
			return err
		}
	}
	q, err := a.collect(ctx, c.opts.Changes)
	if err != nil {
		return err
	}
	defer q.recorder.stop()
	provider, _ := driver.PageAs[driver.ToolProvider](p.driver)
	var result *driver.ToolResult
	err = a.sending(nil, func(driver.Target) (err error) {
		result, err = provider.CallTool(ctx, tool.ToolRef, string(input))
		return err
	})
	if errors.Is(err, driver.ErrNoTool) || errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, errors.ErrUnsupported) {
		return err // nothing was sent
	}
	if err != nil && a.hold != nil {
		a.hold.GiveUp() // the call has failed: a request that a person is still asked about is refused
	}
	err = c.conclude(ctx, q, err, func() error {
		if result.State == driver.ToolLeft && tool.Form.IsZero() {
			return errors.New("the document was left before the tool had answered")
		}
		return nil
	})
	if result == nil {
		return err
	}
	return c.outcome(result, q, err)
}

// outcome notes what a tool answered, and returns err or what the answer says
// went wrong.
func (c *toolCall) outcome(result *driver.ToolResult, q *collector, err error) error {
	out := c.out
	out.State, out.Output = result.State, c.page.session.secrets.hide(result.Output)
	if out.Truncated = len(out.Output) > maxToolOutput; out.Truncated {
		out.Output = strings.ToValidUTF8(out.Output[:maxToolOutput], "")
	}
	if err == nil && result.State == driver.ToolFailed {
		err = fmt.Errorf("%w: %s", ErrToolFailed, excerpt(result.Error))
	}
	if err == nil {
		c.result.Message = sentence(Action{}, c.tool.Name, q)
		if result.State == driver.ToolWaiting {
			c.result.Message = fmt.Sprintf("filled in the form of %s, which was not sent: its button sends it", c.tool.Name)
		}
	}
	return err
}

// check verifies that the page offers a tool still, and as it was listed.
func (c *toolCall) check(ctx context.Context) error {
	want, secrets := c.tool, &c.page.session.secrets
	tools, err := c.page.tools(ctx)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.ToolRef != want.ToolRef {
			continue
		}
		if t != want && secrets.hideTool(t) != secrets.hideTool(want) {
			return fmt.Errorf("%w: the page's tool %s says something else of itself than when it was listed", ErrMismatch, want.Name)
		}
		return nil
	}
	return fmt.Errorf("%w: %s; list the tools again", driver.ErrNoTool, want.Name)
}

// input puts values into the arguments, and holds them to its schema.
func (c *toolCall) input(ctx context.Context) (json.RawMessage, error) {
	tool, vars := &c.tool, c.opts.Variables
	var texts []string
	if _, err := pagetool.Map(c.arguments, func(s string) string { texts = append(texts, s); return s }); err != nil {
		return nil, err
	}
	if err := c.page.checkBinding(driver.NodeRef{Frame: tool.Frame, Doc: tool.Doc}, texts, vars); err != nil {
		return nil, err
	}
	vars, err := c.page.session.withCodes(ctx, texts, vars, nil)
	if err != nil {
		return nil, err
	}
	input, err := pagetool.Map(c.arguments, func(s string) string { return substitute([]string{s}, vars)[0] })
	if err != nil || tool.InputSchema == "" {
		return input, err
	}
	form, err := schema.Parse([]byte(tool.InputSchema))
	if err != nil {
		return nil, fmt.Errorf("%w: the page's tool %s has a schema that is none: %s", ErrInvalid, tool.Name, excerpt(err.Error()))
	}
	if err := form.Validate(input); err != nil {
		return nil, fmt.Errorf("%w: the arguments of %s: %s", ErrInvalid, tool.Name, excerpt(err.Error()))
	}
	return input, nil
}
