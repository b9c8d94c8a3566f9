package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine/internal/pagetool"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/schema"
)

// ObserveOptions refine Observe.
type ObserveOptions struct {
	Model     LLM
	Variables map[string]Variable
	Timeout   time.Duration // in place of the session's

	Selector        string   // limits the search to what it matches
	IgnoreSelectors []string // leaves out what they match
}

// Observe returns actions that can be done, ready for Do. With an instruction
// ("find the buttons of the cart") a model chooses them. Without one, it
// returns an action for every element that can be acted on, in page order, and
// needs no model. opts may be nil.
func (p *Page) Observe(ctx context.Context, instruction string, opts *ObserveOptions) (*Observation, error) {
	if opts == nil {
		opts = &ObserveOptions{}
	}
	if len(instruction) > maxInstructionLetters {
		return nil, fmt.Errorf("observe: %w", checkInstruction(instruction))
	}
	if err := checkVariables(opts.Variables); err != nil {
		return nil, p.session.rejected("observe", err)
	}
	p.session.secrets.add(opts.Variables)
	s, start := p.session, time.Now()
	found := &Observation{Actions: []Action{}}
	c := &call{page: p, name: OperationObserve, limit: s.opts.limitOf(opts.Timeout, readingLimit)}
	c.work = func(ctx context.Context, id string) error {
		found.ID = id
		return p.observe(ctx, instruction, opts, found)
	}
	c.fill = func(e *Entry) {
		e.Instruction, e.Actions, e.Usage = s.secrets.hide(instruction), found.Actions, found.Usage
		e.Model = s.modelName(opts.Model, found.Usage)
	}
	if err := c.run(ctx); err != nil {
		return nil, err
	}
	found.Duration = time.Since(start)
	return found, nil
}

func (p *Page) observe(ctx context.Context, instruction string, opts *ObserveOptions, found *Observation) error {
	v := view{selector: opts.Selector, ignore: opts.IgnoreSelectors, maxTokens: p.session.outlineTokens()}
	wordless := strings.TrimSpace(instruction) == ""
	if wordless {
		v.maxTokens = 0
	}
	snap, err := p.look(ctx, v)
	if err != nil {
		return err
	}
	if wordless {
		if opts.Selector == "" && len(opts.IgnoreSelectors) == 0 {
			found.Actions = p.handOut(p.everyAction())
		} else {
			found.Actions = p.issue(actionsIn(snap))
		}
		return nil
	}
	parts := append([]llm.Part{llm.Instruction{Text: p.session.secrets.hide(instruction)}}, variableParts(opts.Variables)...)
	answer, usage, err := p.session.ask(ctx, question{
		purpose: llm.PurposeObserve,
		model:   opts.Model,
		prompt:  promptObserve,
		parts:   append(parts, p.session.outlinePart(snap)),
		schema:  observeSchema,
		form:    observeForm,
		check:   func(answer []byte) error { return checkChoices(snap, answer) },
	})
	found.Usage = usage
	if err != nil {
		return err
	}
	choices, err := decode[choices](answer)
	if err != nil {
		return err
	}
	actions := []Action{}
	var nodes []driver.NodeRef
	for _, c := range choices.Actions {
		node, _ := snap.Lookup(accessibility.Ref(c.Ref))
		actions = append(actions, actionOf(snap, node, c))
		nodes = append(nodes, node.Source)
	}
	found.Actions = p.issue(actions, nodes)
	return nil
}

// issue prepares actions for the caller, with the surroundings of their
// elements in the last reading.
func (p *Page) issue(actions []Action, nodes []driver.NodeRef) []Action {
	p.surround(actions, nodes)
	return p.handOut(actions)
}

func (p *Page) surround(actions []Action, nodes []driver.NodeRef) {
	snap := p.last.snapshot()
	around := surroundingsOf(snap, p.session.secrets.hide)
	named := locatorsOf(snap, nodes...)
	for i := range actions {
		actions[i].Surroundings, actions[i].Locator = around(nodes[i]), named[i]
	}
}

// handOut returns copies of actions for the caller, without values, and remembers
// them.
func (p *Page) handOut(actions []Action) []Action {
	out := make([]Action, len(actions))
	for i := range actions {
		out[i] = p.session.hideAction(actions[i])
		p.session.issued.note(out[i])
	}
	return out
}

// everyAction lists what a person could do on the page as it was last read. The
// list is kept with the reading.
func (p *Page) everyAction() []Action {
	e, hidden := &p.last.actions, p.session.secrets.matcher.Load()
	if !e.known || e.hidden != hidden {
		actions, nodes := actionsIn(p.last.snapshot())
		p.surround(actions, nodes)
		*e = everyAction{true, actions, hidden}
	}
	return e.actions
}

// choices is a model's answer to Observe.
type choices struct {
	Actions []choice `json:"actions"`
}

// checkChoices says what is wrong with a model's list. Arguments that are not
// known yet may be missing; the caller fills them in.
func checkChoices(snap *Snapshot, answer []byte) error {
	list, err := decode[choices](answer)
	if err != nil {
		return err
	}
	for i, c := range list.Actions {
		if _, ok := snap.Lookup(accessibility.Ref(c.Ref)); !ok {
			return fmt.Errorf("actions[%d].ref: %q is not in the outline", i, c.Ref)
		}
		if _, err := ParseMethod(c.Method); err != nil {
			return fmt.Errorf("actions[%d].method: %w", i, err)
		}
	}
	return nil
}

// actionsIn lists what a person could do on a page.
func actionsIn(snap *Snapshot) (actions []Action, nodes []driver.NodeRef) {
	actions = []Action{}
	for i := range snap.Nodes {
		node := &snap.Nodes[i]
		for _, cell := range pressedCells(snap, node) {
			actions = append(actions, actionOf(snap, cell, choice{Method: string(Click)}))
			nodes = append(nodes, cell.Source)
		}
		if !node.Interactive || node.States.Disabled {
			continue
		}
		actions = append(actions, actionOf(snap, node, naturalChoice(snap, node)))
		nodes = append(nodes, node.Source)
	}
	return actions, nodes
}

// valueRoles are the roles of inputs whose value is a date, a time or a color.
var valueRoles = map[accessibility.Role]bool{"date": true, "datetime": true, "inputtime": true, "colorwell": true}

// naturalChoice returns what a person does with such an element. What stands in a
// canvas is drawn there in other ways, if at all: the keyboard alone gets at it.
func naturalChoice(snap *Snapshot, n *accessibility.Node) choice {
	method := naturalMethod(snap, n)
	if key := keyFor(n.Role); key != "" && method != Fill && method != SelectOption && inCanvas(snap.Capture, n.Source) {
		return choice{Method: string(Press), Arguments: []string{key}}
	}
	return choice{Method: string(method)}
}

// inCanvas reports that an element is part of what a canvas falls back to.
func inCanvas(c *driver.Capture, node driver.NodeRef) bool {
	at, ok := placeOf(c, node)
	if !ok {
		return false
	}
	nodes := c.Documents[at.doc].Nodes
	for i := at.at; i >= 0; i = nodes[i].Parent {
		if nodes[i].Name == "canvas" && nodes[i].Namespace == driver.HTML {
			return true
		}
	}
	return false
}

// keyFor returns the key by which a person uses a control without a pointer; empty
// where that depends on the page (WAI-ARIA Authoring Practices).
func keyFor(role accessibility.Role) string {
	switch role {
	case "checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio":
		return "Space"
	case "button", "link", "menuitem":
		return "Enter"
	case "combobox":
		return "ArrowDown"
	}
	return ""
}

// naturalMethod returns what a person does with such an element, as far as the
// element tells.
func naturalMethod(snap *Snapshot, n *accessibility.Node) Method {
	captured := snap.Captured(n)
	has := func(attribute string) bool {
		if captured == nil {
			return false
		}
		value, ok := captured.Attr(attribute)
		return ok && (value != "" || attribute == "readonly")
	}
	switch {
	case n.Tag == "select":
		return SelectOption
	case n.States.ReadOnly, valueRoles[n.Role] && has("readonly"):
		return Click
	case n.States.Editable, valueRoles[n.Role]:
		return Fill
	case n.Role == "slider" || n.Role == "spinbutton":
		if n.Tag == "input" || has("aria-valuenow") {
			return Fill
		}
	case n.Tag != "input" && !has("aria-checked") && (captured == nil || !said(captured, "aria-checked")):
		return Click // nothing would confirm a check
	case n.Role == "checkbox" || n.Role == "switch" || n.Role == "menuitemcheckbox":
		if n.States.Checked == accessibility.On {
			return Uncheck
		}
		return Check
	case n.Role == "radio":
		return Check
	}
	return Click
}

// An Observation is what Observe found.
type Observation struct {
	Actions  []Action      `json:"actions"`
	ID       string        `json:"actionId"`
	Usage    Usage         `json:"usage"`
	Duration time.Duration `json:"duration"`
}

const promptObserve = promptOutline + `
List the actions that the person's instruction asks about: for each the element's ref, a short description, the method, and arguments as far as they are known. The methods are those of a person: click, fill, selectOption, check, hover, press, scrollTo and their kind. The list may be empty. Answer in JSON.
`

var observeSchema = &llm.ResponseSchema{Name: "actions", Schema: json.RawMessage(`{
  "type": "object",
  "properties": {
    "actions": {"type": "array", "items": {
      "type": "object",
      "properties": {
        "ref": {"type": "string", "description": "the element's ref, without brackets"},
        "description": {"type": "string"},
        "method": {"type": "string"},
        "arguments": {"type": "array", "items": {"type": "string"}}
      },
      "required": ["ref", "description", "method", "arguments"],
      "additionalProperties": false
    }}
  },
  "required": ["actions"],
  "additionalProperties": false
}`)}

var observeForm = formOf(observeSchema)

// said reports whether an element has a value of an attribute of ARIA's, in whatever way.
func said(n *driver.Node, name string) bool {
	_, ok := n.ARIA(name)
	return ok
}

// Tools lists what the page's documents offer to agents. It needs a browser that
// was opened with [driver.BrowserOptions].PageTools; any other is an error that
// wraps [errors.ErrUnsupported]. [Hooks].ToolsChanged says when there are others.
// Values of variables are replaced.
func (p *Page) Tools(ctx context.Context) ([]PageTool, error) {
	ctx, cancel := p.session.opts.limitOf(0, defaultLimit).bound(ctx)
	defer cancel()
	tools, err := p.tools(ctx)
	if err != nil {
		return nil, p.session.explain("tools", late(ctx, "done", err))
	}
	for i := range tools {
		tools[i] = p.session.hideTool(tools[i])
	}
	return tools, nil
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
	if opts == nil {
		opts = &ActOptions{}
	}
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
	p.session.secrets.add(opts.Variables)
	out := &ToolResult{}
	words := fmt.Sprintf("call the page's tool %s with %s", tool.Name, excerpt(string(arguments)))
	out.ActResult, err = p.act(ctx, OperationCallTool, words, opts, func(ctx context.Context, r *ActResult) error {
		return p.callTool(ctx, tool, arguments, opts, r, out)
	})
	if out.ActResult == nil {
		return nil, err
	}
	return out, err
}

var callToolMethod = &methodSpec{name: "callTool", done: "called %s", sends: "the call of the page's tool"}

func (p *Page) callTool(ctx context.Context, tool PageTool, arguments json.RawMessage, opts *ActOptions, r *ActResult, out *ToolResult) (err error) {
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return err
	}
	if err := p.checkTool(ctx, tool); err != nil {
		return err
	}
	input, err := p.toolInput(ctx, &tool, arguments, opts.Variables)
	if err != nil {
		return err
	}
	a := &attempt{}
	a.delivery = delivery{page: p, method: callToolMethod, node: tool.Form, watchPage: true}
	if tool.Form.IsZero() {
		a.node = driver.NodeRef{Frame: tool.Frame, Doc: tool.Doc}
	}
	if opts.Approve != nil {
		asked := p.session.hideTool(tool)
		proposal := &Proposal{Action: p.session.hideAction(Action{Description: r.Description, Arguments: []string{string(arguments)}}), Tool: &asked, attempt: a}
		if err := a.proposeTo(ctx, proposal, opts.Approve); err != nil {
			return err
		}
		if err := p.checkTool(ctx, tool); err != nil { // it took its time
			return err
		}
	}
	if a.before, err = a.state(ctx); err != nil {
		return err
	}
	q, err := a.collect(ctx, opts.Changes)
	if err != nil {
		return err
	}
	defer q.close()
	provider, _ := driver.PageAs[driver.ToolProvider](p.driver)
	var result *driver.ToolResult
	err = a.sending(nil, func(driver.Target) (err error) {
		result, err = provider.CallTool(ctx, tool.ToolRef, string(input))
		return err
	})
	if errors.Is(err, driver.ErrNoTool) || errors.Is(err, driver.ErrStale) || errors.Is(err, driver.ErrDetached) || errors.Is(err, errors.ErrUnsupported) {
		return err // nothing was sent
	}
	sent := a.sentSoFar(err)
	r.Sent = r.Sent.and(sent)
	if err == nil {
		err = q.conclude(ctx)
		p.URL() // marks in a recording where the evidence ends
	} else {
		if a.hold != nil {
			a.hold.GiveUp() // nobody waits for what it wants to send
		}
		events, _ := q.recorder.collected()
		q.fold(events)
	}
	if err == nil && result.State == driver.ToolLeft && tool.Form.IsZero() {
		err = errors.New("the document was left before the tool had answered")
	}
	err = a.unknownOutcome(sent, err)
	q.compareOutlines(ctx)
	r.Evidence = merge(r.Evidence, q.evidence)
	if result == nil {
		return err
	}
	return p.toolOutcome(tool, result, q, err, r, out)
}

// toolOutcome notes what a tool answered, and returns err or what the answer says
// went wrong.
func (p *Page) toolOutcome(tool PageTool, result *driver.ToolResult, q *collector, err error, r *ActResult, out *ToolResult) error {
	out.State, out.Output = result.State, p.session.secrets.hide(result.Output)
	if out.Truncated = len(out.Output) > maxToolOutput; out.Truncated {
		out.Output = strings.ToValidUTF8(out.Output[:maxToolOutput], "")
	}
	if err == nil && result.State == driver.ToolFailed {
		err = fmt.Errorf("%w: %s", ErrToolFailed, excerpt(result.Error))
	}
	if err == nil {
		r.Message = sentence(Action{}, tool.Name, q)
		if result.State == driver.ToolWaiting {
			r.Message = fmt.Sprintf("filled in the form of %s, which was not sent: its button sends it", tool.Name)
		}
	}
	return err
}

// checkTool verifies that the page offers a tool still, and as it was listed.
func (p *Page) checkTool(ctx context.Context, want PageTool) error {
	tools, err := p.tools(ctx)
	if err != nil {
		return err
	}
	for _, t := range tools {
		if t.ToolRef != want.ToolRef {
			continue
		}
		if t != want && p.session.hideTool(t) != p.session.hideTool(want) {
			return fmt.Errorf("%w: the page's tool %s says something else of itself than when it was listed", ErrMismatch, want.Name)
		}
		return nil
	}
	return fmt.Errorf("%w: %s; list the tools again", driver.ErrNoTool, want.Name)
}

// toolInput puts values into a tool's arguments, and holds them to its schema.
func (p *Page) toolInput(ctx context.Context, tool *PageTool, arguments json.RawMessage, vars map[string]Variable) (json.RawMessage, error) {
	var texts []string
	if _, err := pagetool.Map(arguments, func(s string) string { texts = append(texts, s); return s }); err != nil {
		return nil, err
	}
	if _, err := p.checkBinding(driver.NodeRef{Frame: tool.Frame, Doc: tool.Doc}, texts, vars); err != nil {
		return nil, err
	}
	for _, name := range usedVariables(texts, vars) {
		if t := vars[name].TOTP; t != nil {
			code, err := t.next(ctx)
			if err != nil {
				return nil, fmt.Errorf("%%%s%%: %w", name, err)
			}
			p.session.secrets.addCode(name, code)
			vars = maps.Clone(vars)
			vars[name] = Variable{Value: code}
		}
	}
	input, err := pagetool.Map(arguments, func(s string) string { return substitute([]string{s}, vars)[0] })
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
