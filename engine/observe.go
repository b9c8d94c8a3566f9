package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
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
	opts = cmp.Or(opts, &ObserveOptions{})
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
	shown := SnapshotOptions{Selector: opts.Selector, IgnoreSelectors: opts.IgnoreSelectors, MaxTokens: p.session.outlineTokens()}
	wordless := strings.TrimSpace(instruction) == ""
	if wordless {
		shown.MaxTokens = 0
	}
	snap, err := p.look(ctx, view{SnapshotOptions: shown})
	if err != nil {
		return err
	}
	if wordless {
		if opts.Selector == "" && len(opts.IgnoreSelectors) == 0 {
			found.Actions = p.handOut(p.everyAction())
		} else {
			found.Actions = p.issue(p.actionsIn(snap))
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
		actions = append(actions, p.actionOf(snap, node, c))
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
	around := newRows(snap, p.session.secrets.hide)
	named := locatorsOf(snap, nodes...)
	for i := range actions {
		actions[i].Surroundings, actions[i].Locator = around.surroundings(nodes[i]), named[i]
	}
}

// handOut returns copies of actions for the caller, without values, and remembers
// them.
func (p *Page) handOut(actions []Action) []Action {
	out := make([]Action, len(actions))
	for i := range actions {
		out[i] = p.session.secrets.hideAction(actions[i])
		p.session.issued.note(out[i])
	}
	return out
}

// everyAction lists what a person could do on the page as it was last read. The
// list is kept with the reading.
func (p *Page) everyAction() []Action {
	e, hidden := &p.last.actions, p.session.secrets.matcher.Load()
	if e.actions == nil || e.hidden != hidden {
		actions, nodes := p.actionsIn(p.last.snapshot())
		p.surround(actions, nodes)
		*e = everyAction{actions, hidden}
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
		m, err := c.method(snap)
		if err == nil {
			err = m.checkOnto(snap, c.Arguments)
		}
		if err != nil {
			return fmt.Errorf("actions[%d].%w", i, err)
		}
	}
	return nil
}

// actionsIn lists what a person could do on a page.
func (p *Page) actionsIn(snap *Snapshot) (actions []Action, nodes []driver.NodeRef) {
	actions = []Action{}
	for i := range snap.Nodes {
		node := &snap.Nodes[i]
		for _, cell := range pressedCells(snap, node) {
			actions = append(actions, p.actionOf(snap, cell, choice{Method: string(Click)}))
			nodes = append(nodes, cell.Source)
		}
		if !node.Interactive || node.States.Disabled {
			continue
		}
		actions = append(actions, p.actionOf(snap, node, naturalChoice(snap, node)))
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
	captured := cmp.Or(snap.Captured(n), &driver.Node{})
	_, readOnly := captured.Attr("readonly")
	now, _ := captured.Attr("aria-valuenow")
	_, checkable := captured.ARIA("aria-checked")
	switch {
	case n.Tag == "select":
		return SelectOption
	case n.States.ReadOnly, valueRoles[n.Role] && readOnly:
		return Click
	case n.States.Editable, valueRoles[n.Role]:
		return Fill
	case n.Role == "slider" || n.Role == "spinbutton":
		if n.Tag == "input" || now != "" {
			return Fill
		}
	case n.Tag != "input" && !checkable:
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

var observeSchema = newAnswerSchema("actions", json.RawMessage(`{
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
}`))
