package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// ActOptions refine Act and Do.
type ActOptions struct {
	Model     LLM // in place of the session's
	Variables map[string]Variable
	Timeout   time.Duration // in place of the session's

	// Selector limits the search to what it matches.
	Selector string

	// Files are contents that SetInputFiles can give by name instead of by
	// path. They stay on disk until the session is closed.
	Files map[string][]byte

	// DeepPaths makes the actions of the result name their elements by deep
	// XPaths, even if the caller of Do used another selector. That costs a
	// reading of the page.
	DeepPaths bool

	// NoCache bypasses the session's cache, for an instruction that compares or
	// counts, such as "open the cheapest" or "follow the first link", or that means
	// something else each time.
	NoCache bool

	// Changes asks for Evidence.Changes. The page is then settled and read
	// before and after the action; the reading after it also serves the next
	// look.
	Changes bool

	// Dialogs are the answers to the confirms and prompts that come while the act is
	// under way, in their order; others are answered by the session's Options.Dialog.
	Dialogs []DialogAnswer

	// Approve, if not nil, is asked about each action right before its input is
	// sent, with the element resolved and placeholders in place. An error
	// rejects the action: nothing is sent, and the error of Act or Do wraps it.
	// It runs during the page's turn, and its time counts towards the act's
	// limit.
	//
	// What it approves can be held to: see [Proposal.Hold].
	Approve func(ctx context.Context, p *Proposal) error

	replay *cacheReplay // of the act under way
}

func (o *ActOptions) check() error {
	if err := checkVariables(o.Variables); err != nil {
		return err
	}
	return checkFiles(o.Files)
}

// Do performs a known action: one that Observe or Act returned, or that the
// caller wrote. It asks no model. opts may be nil.
//
// If an action fails, the error comes with a result that says what was tried.
// If input was sent and its outcome is unknown, the error wraps
// [ErrMayHaveHappened]. Do never sends input twice, and never to an element
// other than the one that the action names.
//
// Do returns at the first effect. What the page's scripts put off without a delay, as
// messages to themselves, may come up to a frame later: the next call of this package
// waits for it. Code that reads the page past it, by [driver.Page] and its Evaluate,
// calls Yield of [driver.Yielder] first, or waits for what it means to read.
func (p *Page) Do(ctx context.Context, action Action, opts *ActOptions) (*ActResult, error) {
	if opts == nil {
		opts = &ActOptions{}
	}
	err := action.Check()
	if err == nil {
		err = opts.check()
	}
	if err != nil {
		return nil, p.session.rejected("do", err)
	}
	action.Method, _ = ParseMethod(string(action.Method)) // checked above
	action = p.session.issued.complete(action)
	p.session.secrets.add(opts.Variables)
	return p.act(ctx, OperationDo, action.Description, opts, func(ctx context.Context, r *ActResult) error {
		return p.doAction(ctx, action, opts, r)
	})
}

// DoTo performs a command on a target. It is Do for callers that know the
// element better than by a selector, with all guarantees of Do. The actions in
// the result can be stored and repeated by Do. opts may be nil.
func (p *Page) DoTo(ctx context.Context, target Target, command Command, opts *ActOptions) (*ActResult, error) {
	if opts == nil {
		opts = &ActOptions{}
	}
	action, err := command.action(&target)
	if err == nil {
		err = opts.check()
	}
	if err != nil {
		return nil, p.session.rejected("do", err)
	}
	p.session.secrets.add(opts.Variables)
	return p.act(ctx, OperationDo, action.Description, opts, func(ctx context.Context, r *ActResult) error {
		if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
			return err
		}
		el, err := p.resolve(ctx, target)
		if err != nil {
			return err
		}
		if command.Drop != nil {
			if el.drop, err = p.resolve(ctx, *command.Drop); err != nil {
				return fmt.Errorf("drop target: %w", err)
			}
		}
		if err := el.complete(&action, p.session.secrets.hide); err != nil {
			return err
		}
		_, err = p.carryOut(ctx, el, action, opts, r)
		return err
	})
}

// dropPlaceholder stands for the drop target's selector until it is known.
const dropPlaceholder = ":scope"

// act runs a call that sends input. Its result reports the outcome even with an
// error.
func (p *Page) act(ctx context.Context, name Operation, words string, opts *ActOptions, work func(context.Context, *ActResult) error) (*ActResult, error) {
	s, start := p.session, time.Now()
	result := &ActResult{Description: words, Actions: []Action{}, Evidence: Evidence{Effect: EffectNone}, Sent: SentNone}
	c := &call{page: p, name: name, limit: s.opts.limitOfAct(opts.Timeout), acts: true}
	c.work = func(ctx context.Context, id string) error {
		result.ID = id
		if err := p.awaitDialog(ctx); err != nil {
			return err
		}
		if len(opts.Dialogs) > 0 {
			p.AnswerDialogs(opts.Dialogs...)
			defer p.AnswerDialogs()
		}
		err := work(ctx, result)
		c.begun = result.Sent != SentNone
		if err != nil && result.Message != "" && !errors.Is(err, ErrUnexpected) {
			err = fmt.Errorf("%w (done before that: %s)", err, result.Message)
		}
		return err
	}
	c.finish = func(ctx context.Context, err error) {
		for i := range result.Actions {
			s.issued.note(s.secrets.hideAction(result.Actions[i]))
		}
		result.Success = err == nil
		result.Duration = time.Since(start)
		s.secrets.hideResult(result)
		if err != nil {
			result.Message = err.Error()
		}
		s.journal.cached(ctx, result.Cache)
		s.journal.acted(ctx, name, result, err)
	}
	c.fill = func(e *Entry) {
		e.Instruction = result.Description
		e.Actions = result.Actions
		e.Message = result.Message
		e.Evidence = result.Evidence
		e.Sent = result.Sent
		e.Usage, e.Model = result.Usage, s.modelName(opts.Model, result.Usage)
	}
	err := c.run(ctx)
	if result.ID == "" { // it never got the page's turn
		return nil, err
	}
	return result, err
}

// doAction resolves an action's selector once, checks that the element is the
// intended one, and performs the action.
func (p *Page) doAction(ctx context.Context, action Action, opts *ActOptions, r *ActResult) error {
	defer p.disarm()
	var el *element
	if opts.Approve == nil && !opts.Changes { // both take time before the input
		el = p.glance(ctx, &action, action.Method.spec().aim)
	}
	if done, err := p.doDescribed(ctx, el, action, opts, r); done {
		return err
	} else if err != nil {
		el = nil // another reading says what is there now
	}
	if el == nil {
		if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
			return err
		}
		var err error
		if el, err = p.findStored(ctx, &action); err != nil {
			return err
		}
	}
	if action.Fingerprint != nil {
		if !p.last.holds(el.glance) {
			if _, err := p.capture(ctx); err != nil {
				return err
			}
			el.glance = nil // it is from before the reading
		}
		err := p.verify(p.build(nil), el.node, action.Fingerprint)
		if err == nil {
			err = p.checkSurroundings(action.Surroundings, p.build(nil), el.node)
		}
		if err != nil && accessibility.DeepPath(action.Selector) { // another stands there now
			var lost error
			if el, lost = p.findByMeaning(ctx, &action); lost == nil {
				err = nil
			}
		}
		if err != nil {
			return err
		}
		// The fingerprint identifies the element; its path may change.
		el.print, el.known, el.what, el.selector = action.Fingerprint, p.last, action.Fingerprint.String(), ""
	}
	if opts.DeepPaths {
		if err := p.setDeepPath(ctx, el.node, &action); err != nil {
			return err
		}
	}
	_, err := p.carryOut(ctx, el, action, opts, r)
	return err
}

// carryOut performs an action on an element and adds the outcome to the result.
// It reports whether input may have been sent. An element that was replaced
// before the input, as pages do that re-render, is found again: once by its
// fingerprint, or by its selector for as long as an element may take to appear.
func (p *Page) carryOut(ctx context.Context, el *element, action Action, opts *ActOptions, r *ActResult) (sent bool, _ error) {
	deadline := time.Now().Add(p.session.patience())
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		sent, err := p.perform(ctx, el, action, opts, r)
		if sent || !replaced(err) || el.print == nil && el.selector == "" || el.print != nil && el.known.capture == nil {
			return sent, err
		}
		again, lost := p.resolveAgain(ctx, el)
		if el.print != nil {
			if lost != nil {
				return false, fmt.Errorf("%w: %w", err, lost)
			}
			if path, ok := p.build(nil).PathTo(again.node); ok && accessibility.DeepPath(action.Selector) {
				action.Selector, action.BackendNodeID = path, int64(again.node.Node)
			}
			return p.perform(ctx, again, action, opts, r)
		}
		for ; lost != nil; again, lost = p.resolveAgain(ctx, el) {
			if !absent(lost) || !time.Now().Before(deadline) || p.idle(ctx) {
				return false, fmt.Errorf("%w: %w", err, lost)
			}
			if waited := wait(ctx, pause); waited != nil {
				return false, fmt.Errorf("%w: %w", waited, err)
			}
			pause = min(2*pause, lastPause)
		}
		el = again
		if !time.Now().Before(deadline) || p.idle(ctx) {
			return p.perform(ctx, el, action, opts, r)
		}
	}
}

// absent reports errors of a selector that may soon match one element again.
func absent(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) }

// resolveAgain finds the element that replaced another.
func (p *Page) resolveAgain(ctx context.Context, el *element) (*element, error) {
	again := *el
	if el.print == nil {
		m, err := p.matchOne(ctx, el.selector)
		again.node, again.selected = m.node, m.by
		return &again, err
	}
	var err error
	again.node, err = p.findAgain(ctx, el.known.snapshot(), el.node, *el.print)
	again.known = p.last
	return &again, err
}

// replaced reports errors of an element that another may have replaced.
func replaced(err error) bool { return betweenDocuments(err) || errors.Is(err, ErrMismatch) }

// doDescribed does an action on an element that the browser itself describes as the
// action's fingerprint does. done is false if nothing was sent and a reading has to
// decide; with an error, the element is not to be used any more.
func (p *Page) doDescribed(ctx context.Context, el *element, action Action, opts *ActOptions, r *ActResult) (done bool, _ error) {
	if el == nil || action.Fingerprint == nil || p.last.holds(el.glance) || opts.DeepPaths || !p.described(ctx, el, &action) {
		return false, nil
	}
	el.print, el.what, el.selector = action.Fingerprint, action.Fingerprint.String(), ""
	sent, err := p.carryOut(ctx, el, action, opts, r)
	return sent || err == nil || !replaced(err), err
}

// perform performs an action on an element that is there.
func (p *Page) perform(ctx context.Context, el *element, action Action, opts *ActOptions, r *ActResult) (sent bool, _ error) {
	given, g, err := action.Method.split(action.Arguments)
	if err != nil {
		return false, err
	}
	d := &attempt{expected: opts.replay.expectedEffect()}
	d.delivery = delivery{
		page: p, node: el.node, print: el.print, known: el.known, around: action.Surroundings,
		method: action.Method.spec(), template: given, gesture: g,
	}
	d.drop, d.files = el.drop, opts.Files
	d.glance, el.glance = el.glance, nil
	if el.print != nil {
		d.role = el.print.Role
	} else if el.selector != "" {
		d.selected = &el.selected
	}
	err = d.fillIn(ctx, given, opts.Variables)
	if err == nil && opts.Approve != nil {
		asked := action
		if asked.Fingerprint == nil {
			asked.Fingerprint = el.print
		}
		err = d.propose(ctx, p.session.secrets.hideAction(asked), opts.Approve)
	}
	if err != nil {
		return false, err
	}
	if d.glance == nil && !opts.Changes { // which reads the page first
		d.glance = d.glanceAt(ctx)
	}
	d.glanced = d.glance != nil
	defer p.disarm()
	if d.before, err = d.state(ctx); err != nil {
		return false, err
	}
	q, err := d.collect(ctx, opts.Changes)
	if err != nil {
		return false, err
	}
	defer q.close()
	err = d.method.perform(d, ctx)
	if err != nil && !d.sent {
		return false, err
	}
	r.Actions = append(r.Actions, action)
	if errors.Is(err, driver.ErrDialog) && !errors.As(err, new(*driver.MissedError)) {
		err = nil // the input opened it
	}
	if errors.Is(err, context.Canceled) && endedByDialog(ctx) {
		err = context.Cause(ctx)
	}
	now := d.sentSoFar(err)
	r.Sent = r.Sent.and(now)
	if err == nil {
		err = q.conclude(ctx)
		p.URL() // marks in a recording where the evidence ends
	} else {
		events, _ := q.recorder.collected()
		q.fold(events)
	}
	err = d.unknownOutcome(now, err)
	q.compareOutlines(ctx)
	r.Evidence = merge(r.Evidence, q.evidence)
	if err == nil {
		r.Message = sentence(action, el.what, q)
		opts.replay.did(q.evidence)
	}
	return d.sent, err
}

// checkBinding rejects values that may not be typed into a node's document.
func (p *Page) checkBinding(node driver.NodeRef, args []string, vars map[string]Variable) error {
	for _, name := range usedVariables(args, vars) {
		v := vars[name]
		if len(v.Hosts) == 0 {
			continue
		}
		hosts, err := policy.ParseHosts(v.Hosts)
		if err != nil {
			return fmt.Errorf("%w: variable %s: %w", ErrInvalid, name, err)
		}
		address, err := p.sourceOf(node)
		if err != nil {
			return err
		}
		if !hosts.Holds(address) {
			return fmt.Errorf("%w: %%%s%% is for %s, and the element is in a document of %s",
				ErrWrongHost, name, strings.Join(v.Hosts, ", "), hostName(address))
		}
	}
	return nil
}

// sourceOf returns the address that a node's document came from. A document
// without an address of its own (about:blank, srcdoc) has its parent's.
func (p *Page) sourceOf(node driver.NodeRef) (string, error) {
	frames := map[driver.FrameID]driver.Frame{}
	for _, f := range p.driver.Frames() {
		frames[f.ID] = f
	}
	frame, ok := frames[node.Frame]
	if !ok || frame.Doc != node.Doc {
		return "", fmt.Errorf("the element's document is gone: %w", driver.ErrStale)
	}
	for range len(frames) {
		parent, ok := frames[frame.Parent]
		if !strings.HasPrefix(frame.URL, "about:") || !ok {
			break
		}
		frame = parent
	}
	return strings.TrimPrefix(frame.URL, "blob:"), nil
}

// hostName returns an address's host, for messages.
func hostName(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "no host"
	case u.Hostname() == "":
		return "no host (" + u.Scheme + ":)"
	}
	return u.Hostname()
}
