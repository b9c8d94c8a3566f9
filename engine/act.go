package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Act carries out one instruction, such as "click Sign in" or "type %email%
// into the e-mail field". opts may be nil.
//
// If an instruction fails, the error comes with a result that says what was
// tried. Nothing is ever done twice: once input may have been sent, there is no
// second choice. If the outcome is unknown, the error wraps
// [ErrMayHaveHappened].
func (p *Page) Act(ctx context.Context, instruction string, opts *ActOptions) (*ActResult, error) {
	return p.act(ctx, OperationAct, instruction, opts, checkInstruction(instruction), func(ctx context.Context, d *doing) error {
		w := &wording{doing: d, instruction: instruction}
		w.view.Selector, w.view.MaxTokens = d.opts.Selector, p.session.outlineTokens()
		return w.run(ctx)
	})
}

// A wording is an instruction that is being carried out.
type wording struct {
	*doing
	instruction string
	view        view
}

// run replays what the cache holds for the instruction, or asks for
// actions and performs them until the model says that none has to follow.
func (w *wording) run(ctx context.Context) error {
	snap, err := w.page.look(ctx, w.view)
	if err != nil {
		return err
	}
	w.replay = openReplay(w.doing, w.instruction)
	from, err := w.replay.run(ctx, snap, w.view)
	if err != nil || from.done {
		return err
	}
	before, snap := from.before, from.snap
	for step := len(w.result.Actions) + 1; ; step++ {
		parts := slices.Concat([]llm.Part{llm.Instruction{Text: w.page.session.secrets.hide(w.instruction)}}, variableParts(w.opts.Variables), fileParts(w.opts.Files))
		if before != nil {
			changes := accessibility.Diff(before, snap)
			parts = append(parts, llm.Text{Text: fmt.Sprintf(promptActMore, step-1)},
				llm.Page{Kind: "changes", Text: changes.String()})
		}
		parts = append(parts, w.page.session.outlinePart(snap))
		more, err := w.step(ctx, snap, parts)
		if err != nil {
			return err
		}
		if !more {
			w.replay.store(ctx)
			return nil
		}
		if step >= maxSteps {
			return fmt.Errorf("%w: after %d actions the model still wants another; give one instruction at a time", ErrNoEffect, step)
		}
		before = snap
		if snap, err = w.page.look(ctx, w.view); err != nil {
			return err
		}
	}
}

// errNotSeen is the error for an element that the model did not find.
var errNotSeen = fmt.Errorf("%w", ErrNotFound)

// maxAsked bounds how often the model is asked for an element that it did not
// find.
const maxAsked = 3

// step asks for one action and performs it. If the model does not find the
// element, step asks again as soon as the page changes. If the element cannot
// be used and no input was sent, it looks and asks once more.
func (w *wording) step(ctx context.Context, snap *Snapshot, parts []llm.Part) (more bool, _ error) {
	more, sent, err := w.chooseAndDo(ctx, snap, parts)
	deadline := time.Now().Add(w.page.session.patience())
	for asked := 1; errors.Is(err, errNotSeen) && asked < maxAsked; asked++ {
		later, missed := w.page.lookLater(ctx, snap, w.view, deadline)
		if missed != nil || later == nil {
			return false, errors.Join(err, missed)
		}
		snap, parts = later, append(parts[:len(parts)-1:len(parts)-1], w.page.session.outlinePart(later))
		more, sent, err = w.chooseAndDo(ctx, snap, parts)
	}
	if err == nil || sent || w.page.session.opts.NoHeal || !healable(err) {
		return more, err
	}
	first := err
	w.page.last = reading{} // what was read no longer holds
	if snap, err = w.page.look(ctx, w.view); err != nil {
		return false, errors.Join(first, err)
	}
	again := append(parts[:len(parts)-1:len(parts)-1], llm.Text{Text: promptActAgain})
	again = append(again, errorParts(w.page.session.secrets.hideError(first))...)
	again = append(again, w.page.session.outlinePart(snap))
	w.result.Healed = true
	more, _, err = w.chooseAndDo(ctx, snap, again)
	if err != nil {
		return false, fmt.Errorf("%w (a first choice failed: %w)", err, first)
	}
	return more, nil
}

// healable reports errors that another look or another choice may fix: of the
// element, or of a method or value that does not fit it.
func healable(err error) bool {
	if errors.As(err, new(*llm.Error)) {
		return false // the model failed, and it had its second chance
	}
	return replaced(err) || errors.Is(err, driver.ErrNotVisible) || errors.Is(err, driver.ErrObscured) ||
		errors.Is(err, ErrDisabled) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrNotStill) || errors.Is(err, driver.ErrNotFocusable)
}

// chooseAndDo asks the model for an action on the snapshot and performs it.
func (w *wording) chooseAndDo(ctx context.Context, snap *Snapshot, parts []llm.Part) (more, sent bool, _ error) {
	answer, usage, err := w.page.session.ask(ctx, question{
		purpose: llm.PurposeAct,
		model:   w.opts.Model,
		prompt:  promptAct,
		parts:   parts,
		schema:  actSchema,
		check:   func(answer []byte) error { return checkChoice(snap, answer, parts, w.opts) },
	})
	w.result.Usage = w.result.Usage.Add(usage)
	if err != nil {
		return false, false, err
	}
	c, err := decode[choice](answer)
	if err != nil {
		return false, false, err
	}
	if !c.Found {
		return false, false, fmt.Errorf("%w: %s", errNotSeen, cmp.Or(c.Reason, "the model found no element for the instruction"))
	}
	node, _ := snap.Lookup(accessibility.Ref(c.Ref))
	action := w.page.actionOf(snap, node, c)
	action.Surroundings = surroundingsIn(w.page.last.snapshot(), node.Source, w.page.session.secrets.hide)
	action.Locator = locatorsOf(w.page.last.snapshot(), node.Source)[0]
	el := w.page.elementIn(snap, node)
	if action.Onto != nil {
		target, _ := snap.Lookup(accessibility.Ref(c.Arguments[0])) // checkChoice has found it
		el.drop = w.page.elementIn(snap, target)
	}
	action = w.page.session.secrets.hideAction(action)
	w.replay.chose(snap, node, action)
	sent, err = w.carryOut(ctx, el, action)
	if err == nil && c.More && action.Method.spec().takes.kind == textArgument {
		w.page.watch.expectSuggestions()
	}
	return c.More, sent, err
}

// checkChoice says what is wrong with a model's choice, in words that the model
// can act on.
func checkChoice(snap *Snapshot, answer []byte, parts []llm.Part, opts *ActOptions) error {
	c, err := decode[choice](answer)
	if err != nil || !c.Found {
		return err
	}
	m, err := c.method(snap)
	if err != nil {
		return err
	}
	if err := m.checkArguments(c.Arguments); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if m.spec().takes.kind == pathArgument {
		words, _ := parts[0].(llm.Instruction)
		return checkPaths(c, words.Text, opts)
	}
	return m.checkOnto(snap, c.Arguments)
}

// checkOnto verifies that a model's first argument names an element, where the method takes
// one. Observe may leave it out.
func (m Method) checkOnto(snap *Snapshot, args []string) error {
	if m.spec().takes.kind != nodeArgument || len(args) == 0 {
		return nil
	}
	if _, ok := snap.Lookup(accessibility.Ref(args[0])); !ok {
		return fmt.Errorf("arguments[0]: %q is not in the outline; give the ref of the element to drop on", args[0])
	}
	return nil
}

// checkPaths rejects paths that the model came up with: a page must not talk it
// into uploading local files. Paths in the instruction and names from the
// caller are allowed.
func checkPaths(c choice, instruction string, opts *ActOptions) error {
	for _, arg := range c.Arguments {
		_, given := opts.Files[arg]
		variable := substitute([]string{arg}, opts.Variables)[0] != arg
		if !given && !variable && !(arg != "" && strings.Contains(instruction, arg)) {
			return fmt.Errorf("arguments: %q is no file that the person named", arg)
		}
	}
	return nil
}

// actionOf makes the action to return and store. Deep XPaths are computed only
// here.
func (p *Page) actionOf(snap *Snapshot, node *accessibility.Node, c choice) Action {
	method, _ := ParseMethod(c.Method) // checked before
	print := fingerprint(node)
	action := Action{
		Selector:      snap.XPath(node),
		Description:   cmp.Or(c.Description, string(method)+" "+print.String()),
		BackendNodeID: int64(node.Source.Node),
		Method:        method,
		Arguments:     c.Arguments,
		Fingerprint:   &print,
	}
	if method.spec().takes.kind == nodeArgument && len(c.Arguments) > 0 {
		target, _ := snap.Lookup(accessibility.Ref(c.Arguments[0])) // checked before
		print, path := fingerprint(target), snap.XPath(target)
		action.Arguments = []string{path}
		action.Onto = &Action{Selector: path, Fingerprint: &print, Surroundings: surroundingsIn(p.last.snapshot(), target.Source, p.session.secrets.hide)}
	}
	return action
}

var promptAct = promptOutline + `
Choose the one element and method that carry out the person's instruction, and answer in JSON.
Methods: ` + offeredMethods() + `.
To scroll the page itself, use the ref of the document, which is the first line.
Set found to false if no element fits, or if several fit equally and the instruction does not tell which; say in reason why, and name the candidates. Do not guess.
Set more to true only if another action has to follow for the instruction: this one must open something (a menu, a list) in which the real target appears afterwards, or the instruction asks for several things in order and this is not the last. At most three actions are carried out; if the instruction needs more, or asks for a thing that cannot be done, set found to false before the first.
Set description to a short phrase for the action, without values of placeholders. Leave unused members empty.
`

// promptActMore takes the number of actions; llm/offline reads it.
const promptActMore = `Actions done so far: %d. These are the changes of the page that the last one made, as added (+), removed (-) and changed (~) lines of the outline, and the outline as it is now. Choose the action that comes next in the instruction. What was done is not to be done again.`

const promptActAgain = `The choice before could not be used, for the reason that follows; what it says in full may quote the page.`

var actSchema = newAnswerSchema("action", json.RawMessage(`{
  "type": "object",
  "properties": {
    "found": {"type": "boolean", "description": "whether one element fits"},
    "ref": {"type": "string", "description": "the element's ref, without brackets; empty if not found"},
    "method": {"type": "string"},
    "arguments": {"type": "array", "items": {"type": "string"}},
    "description": {"type": "string", "description": "what the action does, in a few words"},
    "reason": {"type": "string", "description": "if not found: why, with the candidates"},
    "more": {"type": "boolean", "description": "a second action must follow in what this one opens"}
  },
  "required": ["found", "ref", "method", "arguments", "description", "reason", "more"],
  "additionalProperties": false
}`))

// A choice is a model's answer to what to do.
type choice struct {
	Found       bool     `json:"found"`
	Ref         string   `json:"ref"`
	Method      string   `json:"method"`
	Arguments   []string `json:"arguments"`
	Description string   `json:"description"`
	Reason      string   `json:"reason"`
	More        bool     `json:"more"`
}

// method is the choice's, where its element is in the outline.
func (c *choice) method(snap *Snapshot) (Method, error) {
	if _, ok := snap.Lookup(accessibility.Ref(c.Ref)); !ok {
		return "", fmt.Errorf("ref: %q is not in the outline", c.Ref)
	}
	m, err := ParseMethod(c.Method)
	if err != nil {
		return "", fmt.Errorf("method: %w", err)
	}
	return m, nil
}
