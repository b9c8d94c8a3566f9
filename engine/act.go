package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// mostSteps bounds an instruction whose target appears only after other actions:
// a menu opens, a submenu, then the item.
const mostSteps = 3

// Act carries out one instruction, as "click Sign in" or "type %email% into
// the e-mail field". opts may be nil.
//
// An instruction that could not be carried out gives an error and a result
// that says what was tried. Nothing is ever done twice: once input may have
// been sent, no second choice is taken. Where its outcome is not known, the
// error wraps [ErrMayHaveHappened].
func (p *Page) Act(ctx context.Context, instruction string, opts *ActOptions) (*ActResult, error) {
	if opts == nil {
		opts = &ActOptions{}
	}
	err := checkInstruction(instruction)
	if err == nil {
		err = opts.check()
	}
	if err != nil {
		return nil, fmt.Errorf("act: %w", err)
	}
	p.session.secrets.add(opts.Variables)
	return p.attempt(ctx, "act", instruction, opts, func(ctx context.Context, r *ActResult) error {
		return p.carryOutWords(ctx, instruction, opts, r)
	})
}

func checkInstruction(instruction string) error {
	if strings.TrimSpace(instruction) == "" {
		return fmt.Errorf("%w: the instruction is empty; say what to do, as \"click Sign in\"", ErrInvalid)
	}
	if len(instruction) > maxInstructionLetters {
		return fmt.Errorf("%w: the instruction has %d bytes, at most %d are taken", ErrInvalid, len(instruction), maxInstructionLetters)
	}
	return nil
}

// carryOutWords does what the cache has for the instruction, or asks for an
// action and does it, until the model says that nothing has to follow.
func (p *Page) carryOutWords(ctx context.Context, instruction string, opts *ActOptions, r *ActResult) error {
	v := view{selector: opts.Selector, maxTokens: p.session.outlineTokens()}
	snap, err := p.look(ctx, v)
	if err != nil {
		return err
	}
	m := p.openRecall(instruction, opts)
	within := *opts
	within.recall, opts = m, &within
	from, err := m.replay(ctx, snap, v, opts, r)
	if err != nil || from.done {
		return err
	}
	before, snap := from.before, from.snap
	for step := len(r.Actions) + 1; ; step++ {
		parts := slices.Concat([]llm.Part{llm.Instruction{Text: p.session.secrets.hide(instruction)}}, variableParts(opts.Variables), fileParts(opts.Files))
		if before != nil {
			changes := accessibility.Diff(before, snap)
			parts = append(parts, llm.Text{Text: fmt.Sprintf(promptActMore, step-1)},
				llm.Page{Kind: "changes", Text: changes.String()})
		}
		parts = append(parts, p.session.outlinePart(snap))
		more, err := p.step(ctx, snap, parts, v, opts, r)
		if err != nil {
			return err
		}
		if !more {
			m.keep(ctx)
			return nil
		}
		if step >= mostSteps {
			return fmt.Errorf("%w: after %d actions the model still wants another; give one instruction at a time", ErrNoEffect, step)
		}
		before = snap
		if snap, err = p.look(ctx, v); err != nil {
			return err
		}
	}
}

// errUnseen is the error of an element that the model did not find.
var errUnseen = fmt.Errorf("%w", ErrNotFound)

// mostAsked bounds how often a model is asked for an element that it did not find.
const mostAsked = 3

// step asks for one action and does it. If the element is not there, it looks
// and asks again as soon as the page has changed. If it cannot be used and no
// input was sent, it looks again, asks again, and acts once.
func (p *Page) step(ctx context.Context, snap *Snapshot, parts []llm.Part, v view, opts *ActOptions, r *ActResult) (more bool, _ error) {
	more, sent, err := p.chooseAndDo(ctx, snap, parts, opts, r)
	deadline := time.Now().Add(p.session.patience())
	for asked := 1; errors.Is(err, errUnseen) && asked < mostAsked; asked++ {
		later, missed := p.lookLater(ctx, snap, v, deadline)
		if missed != nil || later == nil {
			return false, errors.Join(err, missed)
		}
		snap, parts = later, append(parts[:len(parts)-1:len(parts)-1], p.session.outlinePart(later))
		more, sent, err = p.chooseAndDo(ctx, snap, parts, opts, r)
	}
	if err == nil || sent || p.session.opts.NoHeal || !healable(err) {
		return more, err
	}
	first := err
	p.seen = seen{} // what was read does not hold
	if snap, err = p.look(ctx, v); err != nil {
		return false, errors.Join(first, err)
	}
	again := append(parts[:len(parts)-1:len(parts)-1], llm.Text{Text: promptActAgain})
	again = append(again, ErrorParts(p.session.hideError(first))...)
	again = append(again, p.session.outlinePart(snap))
	r.Healed = true
	more, _, err = p.chooseAndDo(ctx, snap, again, opts, r)
	if err != nil {
		return false, fmt.Errorf("%w (a first choice failed: %w)", err, first)
	}
	return more, nil
}

// healable reports errors that another look, or another choice, may mend: of the
// element, and of a method or a value that does not go with it.
func healable(err error) bool {
	if errors.As(err, new(*llm.Error)) {
		return false // it is the model that failed, and it has had its second chance
	}
	return replaced(err) || errors.Is(err, driver.ErrNotVisible) || errors.Is(err, driver.ErrObscured) ||
		errors.Is(err, ErrDisabled) || errors.Is(err, ErrInvalid) || errors.Is(err, ErrNotStill) || errors.Is(err, driver.ErrNotFocusable)
}

// chooseAndDo asks the model for an action on the snapshot and does it.
func (p *Page) chooseAndDo(ctx context.Context, snap *Snapshot, parts []llm.Part, opts *ActOptions, r *ActResult) (more, sent bool, _ error) {
	answer, usage, err := p.session.ask(ctx, question{
		purpose: llm.PurposeAct,
		model:   opts.Model,
		prompt:  promptAct,
		parts:   parts,
		schema:  actSchema,
		form:    actForm,
		check:   func(answer []byte) error { return checkChoice(snap, answer, parts, opts) },
	})
	r.Usage = r.Usage.Add(usage)
	if err != nil {
		return false, false, err
	}
	c, err := decode[choice](answer)
	if err != nil {
		return false, false, err
	}
	if !c.Found {
		return false, false, fmt.Errorf("%w: %s", errUnseen, cmp.Or(c.Reason, "the model found no element for the instruction"))
	}
	node, _ := snap.Lookup(accessibility.Ref(c.Ref))
	action := actionOf(snap, node, c)
	action.Surroundings = surroundingsIn(p.seen.snapshot(), node.Source, p.session.secrets.hide)
	action = p.session.hideAction(action)
	opts.recall.chose(snap, node, action)
	sent, err = p.carryOut(ctx, p.elementIn(snap, node), action, opts, r)
	if err == nil && c.More && (action.Method == Fill || action.Method == Type) {
		p.watch.expectSuggestions()
	}
	return c.More, sent, err
}

// checkChoice tells what is wrong with a model's choice, in words that the
// model can act on.
func checkChoice(snap *Snapshot, answer []byte, parts []llm.Part, opts *ActOptions) error {
	c, err := decode[choice](answer)
	if err != nil || !c.Found {
		return err
	}
	if err := checkRefAndMethod(snap, c); err != nil {
		return err
	}
	words, _ := parts[0].(llm.Instruction)
	return checkPaths(c, words.Text, opts)
}

func checkRefAndMethod(snap *Snapshot, c choice) error {
	if _, ok := snap.Lookup(accessibility.Ref(c.Ref)); !ok {
		return fmt.Errorf("ref: %q is not in the outline", c.Ref)
	}
	m, err := ParseMethod(c.Method)
	if err != nil {
		return fmt.Errorf("method: %w", err)
	}
	if err := m.checkArguments(c.Arguments); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	if m == DragAndDrop {
		if _, ok := snap.Lookup(accessibility.Ref(c.Arguments[0])); !ok {
			return fmt.Errorf("arguments[0]: %q is not in the outline; give the ref of the element to drop on", c.Arguments[0])
		}
	}
	return nil
}

// actionOf makes the action that can be done again. Only now are deep XPaths
// computed.
func actionOf(snap *Snapshot, node *accessibility.Node, c choice) Action {
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
	if method == DragAndDrop {
		if target, ok := snap.Lookup(accessibility.Ref(c.Arguments[0])); ok {
			action.Arguments = []string{snap.XPath(target)}
		}
	}
	return action
}
