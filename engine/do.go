package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
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
	invalid := action.Check()
	action.Method, _ = ParseMethod(string(action.Method)) // checked above
	action = p.session.issued.complete(action)
	return p.act(ctx, OperationDo, action.Description, opts, invalid, func(ctx context.Context, d *doing) error {
		return d.act(ctx, action)
	})
}

// DoTo performs a command on a target. It is Do for callers that know the
// element better than by a selector, with all guarantees of Do. The actions in
// the result can be stored and repeated by Do. opts may be nil.
func (p *Page) DoTo(ctx context.Context, target Target, command Command, opts *ActOptions) (*ActResult, error) {
	action, invalid := command.action(&target)
	return p.act(ctx, OperationDo, action.Description, opts, invalid, func(ctx context.Context, d *doing) error {
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
		el.complete(&action, p.session.secrets.hide)
		_, err = d.carryOut(ctx, el, action)
		return err
	})
}

// dropPlaceholder stands for the drop target's selector until it is known.
const dropPlaceholder = ":scope"

// act runs a call that sends input. It returns invalid, if that is not nil, and refuses
// invalid options, before anything is sent. Its result reports the outcome even with an error.
func (p *Page) act(ctx context.Context, name Operation, words string, opts *ActOptions, invalid error, work func(context.Context, *doing) error) (*ActResult, error) {
	s, start := p.session, time.Now()
	opts = cmp.Or(opts, &ActOptions{})
	if err := cmp.Or(invalid, opts.check()); err != nil {
		return nil, s.rejected(string(name), err)
	}
	s.secrets.add(opts.Variables)
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
		err := work(ctx, &doing{page: p, opts: opts, result: result})
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

// A doing is the work of one call that does actions: how they are to be done, and the
// result that says what came of them.
type doing struct {
	page   *Page
	opts   *ActOptions
	result *ActResult
	replay *cacheReplay // nil without a cache
}

// act resolves an action's selector once, checks that the element is the
// intended one, and performs the action.
func (d *doing) act(ctx context.Context, action Action) error {
	defer d.page.disarm()
	var el *element
	if d.opts.Approve == nil && !d.opts.Changes && action.Onto == nil { // these take time before the input
		el = d.page.glance(ctx, &action, action.Method.spec().aim)
	}
	if done, err := d.actDescribed(ctx, el, action); done {
		return err
	} else if err != nil {
		el = nil // another reading says what is there now
	}
	el, err := d.stored(ctx, el, &action)
	if err != nil {
		return err
	}
	if action.Onto != nil {
		onto := *action.Onto
		if el.drop, err = d.stored(ctx, nil, &onto); err != nil {
			return fmt.Errorf("drop target: %w", err)
		}
		action.Arguments = append([]string{onto.Selector}, action.Arguments[1:]...)
		action.Onto = &onto
	}
	if d.opts.DeepPaths {
		if err := d.page.setDeepPath(ctx, el.node, &action); err != nil {
			return err
		}
	}
	_, err = d.carryOut(ctx, el, action)
	return err
}

// stored returns the element of an action, held to what the action says of it. A glance
// has found el before, or nil.
func (d *doing) stored(ctx context.Context, el *element, action *Action) (*element, error) {
	idle, deadline := false, time.Now().Add(d.page.session.patience())
	for {
		_, changed, gone := d.page.watch.blocked()
		now, err := d.storedNow(ctx, el, action)
		if !errors.As(err, new(*unshownError)) || idle || gone != nil || ctx.Err() != nil || !time.Now().Before(deadline) {
			return now, err
		}
		// Pages build much of themselves before they show it.
		if idle = d.page.idle(ctx); !idle {
			rest(ctx, min(longestTurn, time.Until(deadline)), changed)
		}
	}
}

// storedNow is stored, without waiting.
func (d *doing) storedNow(ctx context.Context, el *element, action *Action) (*element, error) {
	if el == nil {
		if _, err := d.page.settle(ctx, d.page.session.settleTimeout()); err != nil {
			return nil, err
		}
		var err error
		if el, err = d.page.findStored(ctx, action); err != nil {
			return nil, err
		}
	}
	if action.Fingerprint == nil {
		return el, nil
	}
	if !d.page.last.holds(el.glance) {
		if _, err := d.page.capture(ctx); err != nil {
			return nil, err
		}
		el.glance = nil // it is from before the reading
	}
	err := d.page.verify(d.page.build(nil), el.node, action.Fingerprint)
	if err == nil {
		err = d.page.checkSurroundings(action.Surroundings, d.page.build(nil), el.node)
	}
	if err != nil && accessibility.DeepPath(action.Selector) { // another stands there now
		var lost error
		if el, lost = d.page.findByMeaning(ctx, action); lost == nil {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	// The fingerprint identifies the element; its path may change.
	el.print, el.known, el.what, el.selector = action.Fingerprint, d.page.last, action.Fingerprint.String(), ""
	return el, nil
}

// carryOut performs an action on an element and adds the outcome to the result.
// It reports whether input may have been sent. An element that was replaced
// before the input, as pages do that re-render, is found again: once by its
// fingerprint, or by its selector for as long as an element may take to appear.
func (d *doing) carryOut(ctx context.Context, el *element, action Action) (sent bool, _ error) {
	deadline := time.Now().Add(d.page.session.patience())
	for between := firstPause; ; between = min(2*between, lastPause) {
		sent, err := d.perform(ctx, el, action)
		if sent || !replaced(err) || el.print == nil && el.selector == "" || el.print != nil && el.known.capture == nil {
			return sent, err
		}
		again, lost := d.resolveAgain(ctx, el)
		if el.print != nil {
			if lost != nil {
				return false, fmt.Errorf("%w: %w", err, lost)
			}
			if path, ok := d.page.build(nil).PathTo(again.node); ok && accessibility.DeepPath(action.Selector) {
				action.Selector, action.BackendNodeID = path, int64(again.node.Node)
			}
			return d.perform(ctx, again, action)
		}
		for ; lost != nil; again, lost = d.resolveAgain(ctx, el) {
			if !absent(lost) || !time.Now().Before(deadline) || d.page.idle(ctx) {
				return false, fmt.Errorf("%w: %w", err, lost)
			}
			if !pause.For(ctx, between) {
				return false, fmt.Errorf("%w: %w", context.Cause(ctx), err)
			}
			between = min(2*between, lastPause)
		}
		el = again
		if !time.Now().Before(deadline) || d.page.idle(ctx) {
			return d.perform(ctx, el, action)
		}
	}
}

// absent reports errors of a selector that may soon match one element again.
func absent(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) }

// resolveAgain finds the element that replaced another.
func (d *doing) resolveAgain(ctx context.Context, el *element) (*element, error) {
	again := *el
	if el.print == nil {
		m, err := d.page.matchOne(ctx, el.selector)
		again.node, again.selected = m.node, m.by
		return &again, err
	}
	var err error
	again.node, err = d.page.findAgain(ctx, el.known.snapshot(), el.node, *el.print)
	again.known = d.page.last
	return &again, err
}

// replaced reports errors of an element that another may have replaced.
func replaced(err error) bool { return betweenDocuments(err) || errors.Is(err, ErrMismatch) }

// actDescribed does an action on an element that the browser itself describes as the
// action's fingerprint does. done is false if nothing was sent and a reading has to
// decide; with an error, the element is not to be used any more.
func (d *doing) actDescribed(ctx context.Context, el *element, action Action) (done bool, _ error) {
	if el == nil || action.Fingerprint == nil || d.page.last.holds(el.glance) || d.opts.DeepPaths || !d.page.described(ctx, el, &action) {
		return false, nil
	}
	el.print, el.what, el.selector = action.Fingerprint, action.Fingerprint.String(), ""
	sent, err := d.carryOut(ctx, el, action)
	return sent || err == nil || !replaced(err), err
}

// perform performs an action on an element that is there.
func (d *doing) perform(ctx context.Context, el *element, action Action) (sent bool, _ error) {
	given, g, err := action.Method.split(action.Arguments)
	if err != nil {
		return false, err
	}
	a := &attempt{expected: d.replay.expectedEffect()}
	a.delivery = delivery{page: d.page, element: *el, method: action.Method.spec(), template: given, gesture: g}
	a.around, a.files = action.Surroundings, d.opts.Files
	el.glance = nil // it serves one attempt
	err = a.fillIn(ctx, given, d.opts.Variables)
	if err == nil && d.opts.Approve != nil {
		asked := action
		if asked.Fingerprint == nil {
			asked.Fingerprint = el.print
		}
		err = a.propose(ctx, &Proposal{Action: d.page.session.secrets.hideAction(asked), attempt: a}, d.opts.Approve)
	}
	if err != nil {
		return false, err
	}
	if a.glance == nil && !d.opts.Changes { // which reads the page first
		a.glance = a.glanceAt(ctx)
	}
	a.glanced = a.glance != nil
	defer d.page.disarm()
	q, err := a.collect(ctx, d.opts.Changes)
	if err != nil {
		return false, err
	}
	defer q.recorder.stop()
	err = a.method.perform(a, ctx)
	if err != nil && !a.sent {
		return false, err
	}
	d.result.Actions = append(d.result.Actions, action)
	if errors.Is(err, driver.ErrDialog) && !errors.As(err, new(*driver.MissedError)) {
		err = nil // the input opened it
	}
	if errors.Is(err, context.Canceled) && endedByDialog(ctx) {
		err = context.Cause(ctx)
	}
	if err = d.conclude(ctx, q, err, nil); err == nil {
		d.result.Message = sentence(action, el.what, q)
		d.replay.did(q.evidence)
	}
	return a.sent, err
}

// conclude adds to the result what came of input that was sent; err is the error of
// sending it. also, if not nil, may object to an attempt that its evidence confirms.
func (d *doing) conclude(ctx context.Context, q *collector, err error, also func() error) error {
	sent := q.attempt.sentSoFar(err)
	d.result.Sent = d.result.Sent.and(sent)
	if err == nil {
		err = q.conclude(ctx)
		d.page.URL() // marks in a recording where the evidence ends
	} else {
		events, _ := q.recorder.collected()
		q.fold(events)
	}
	if err == nil && also != nil {
		err = also()
	}
	err = q.attempt.unknownOutcome(sent, err)
	q.compareOutlines(ctx)
	d.result.Evidence = merge(d.result.Evidence, q.evidence)
	return err
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
