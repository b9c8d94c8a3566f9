package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// Do does an action that is known: one that Observe or Act returned, or that
// the caller wrote. No model is asked. opts may be nil.
//
// An action that could not be done gives an error and a result that says what
// was tried. Where input was sent and its outcome is not known, the error wraps
// [ErrMayHaveHappened]. Do never sends input twice, and never to an element other than
// the one that the action names.
func (p *Page) Do(ctx context.Context, action Action, opts *ActOptions) (*ActResult, error) {
	if opts == nil {
		opts = &ActOptions{}
	}
	err := action.Check()
	if err == nil {
		err = opts.check()
	}
	if err != nil {
		return nil, fmt.Errorf("do: %w", err)
	}
	action.Method, _ = ParseMethod(string(action.Method)) // checked above
	action = p.session.given.complete(action)
	p.session.secrets.add(opts.Variables)
	return p.attempt(ctx, "do", action.Description, opts, func(ctx context.Context, r *ActResult) error {
		return p.replay(ctx, action, opts, r)
	})
}

// attempt is the frame that Act and Do share: the page's turn, the time limit,
// the record, and the result that says in any case what came of it.
func (p *Page) attempt(ctx context.Context, op, words string, opts *ActOptions, work func(context.Context, *ActResult) error) (*ActResult, error) {
	limit := p.session.opts.limitOfAct(opts.Timeout)
	start := time.Now()
	bounded, end, err := p.begin(ctx, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op, err)
	}
	defer end()
	bounded, entry := p.session.enter(bounded, op, p)
	result := &ActResult{ID: entry.ID, Description: words, Actions: []Action{}, Evidence: Evidence{Effect: EffectNone}, Sent: SentNone}
	err = work(bounded, result)
	if err != nil && result.Message != "" && !errors.Is(err, ErrUnexpected) {
		err = fmt.Errorf("%w (done before that: %s)", err, result.Message)
	}
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		how := "done"
		if result.Sent != SentNone {
			how = "finished"
		}
		err = fmt.Errorf("not %s within %v: %w", how, time.Duration(limit), err)
	}
	if err != nil {
		err = p.session.explain(op, err)
		result.Message = err.Error()
	}
	for i := range result.Actions {
		p.session.given.note(p.session.hideAction(result.Actions[i]))
	}
	result.Success = err == nil
	result.Duration = time.Since(start)
	p.session.redact(result)
	p.session.concludeCache(bounded, result.Cache)
	if err != nil {
		err = p.session.hideError(err)
	}
	p.session.conclude(bounded, entry, result, p.session.modelName(opts.Model, result.Usage), err)
	return result, err
}

// conclude enters a result into metrics, log, hooks and history.
func (s *Session) conclude(ctx context.Context, entry *Entry, result *ActResult, model string, err error) {
	s.metrics.acted(result, err)
	s.log.Debug("acted", "action", result.ID, "method", entry.Method, "success", result.Success,
		"sent", result.Sent, "effect", result.Evidence.Effect, "message", result.Message, "duration", result.Duration)
	s.traceAct(ctx, result)
	s.leave(ctx, entry, err, func(e *Entry) {
		e.Instruction = result.Description
		e.Actions = result.Actions
		e.Message = result.Message
		e.Evidence = result.Evidence
		e.Sent = result.Sent
		e.Usage, e.Model = result.Usage, model
	})
}

// replay resolves an action's selector once, checks that the element is the
// one that was meant, and does it.
func (p *Page) replay(ctx context.Context, action Action, opts *ActOptions, r *ActResult) error {
	if _, err := p.settle(ctx, p.session.settleTimeout()); err != nil {
		return err
	}
	el, err := p.resolve(ctx, Target{Selector: action.Selector})
	if err != nil {
		return err
	}
	if action.Fingerprint != nil {
		if err := p.verifyNow(ctx, el.node, action.Fingerprint); err != nil {
			return err
		}
		if err := p.keepsSurroundings(action.Surroundings, p.build(nil), el.node); err != nil {
			return err
		}
		// Who the element is says the fingerprint: the path to it may change.
		el.print, el.known, el.what, el.selector = action.Fingerprint, p.seen, action.Fingerprint.String(), ""
	}
	if opts.DeepPaths {
		if err := p.nameDeeply(ctx, el.node, &action); err != nil {
			return err
		}
	}
	_, err = p.carryOut(ctx, el, action, opts, r)
	return err
}

// carryOut does an action to an element and adds what came of it to the result.
// It reports whether input may have been sent. An element that was replaced
// before the input, as a page does that renders anew, is found again: by what is
// known of it once, by its selector for as long as an element may take to come.
func (p *Page) carryOut(ctx context.Context, el *element, action Action, opts *ActOptions, r *ActResult) (sent bool, _ error) {
	deadline := time.Now().Add(p.session.patience())
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		sent, err := p.perform(ctx, el, action, opts, r)
		if sent || !replaced(err) || el.print == nil && el.selector == "" {
			return sent, err
		}
		again, lost := p.resolveAgain(ctx, el)
		if el.print != nil {
			if lost != nil {
				return false, fmt.Errorf("%w: %w", err, lost)
			}
			if path, ok := p.build(nil).PathTo(again.node); ok && deep(action.Selector) {
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

// absent reports errors of a selector that may soon name one element again.
func absent(err error) bool { return errors.Is(err, ErrNotFound) || errors.Is(err, ErrAmbiguous) }

// resolveAgain finds the element that took the place of one that was replaced.
func (p *Page) resolveAgain(ctx context.Context, el *element) (*element, error) {
	again := *el
	if el.print == nil {
		m, err := p.matchOne(ctx, el.selector)
		again.node, again.selected = m.node, m.by
		return &again, err
	}
	var err error
	again.node, err = p.findAgain(ctx, el.known.snapshot(), el.node, *el.print)
	again.known = p.seen
	return &again, err
}

// replaced reports errors of an element whose place another may have taken.
func replaced(err error) bool { return passing(err) || errors.Is(err, ErrMismatch) }

// perform does an action to an element that is there.
func (p *Page) perform(ctx context.Context, el *element, action Action, opts *ActOptions, r *ActResult) (sent bool, _ error) {
	given, g, err := action.Method.split(action.Arguments)
	if err != nil {
		return false, err
	}
	d := &deed{
		page: p, node: el.node, print: el.print, known: el.known, drop: el.drop,
		method: action.Method, given: given, gesture: g, files: opts.Files, foreseen: opts.recall.expects(),
	}
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
		err = opts.Approve(ctx, p.session.hideAction(asked))
	}
	if err != nil {
		return false, err
	}
	if d.before, err = d.state(ctx); err != nil {
		return false, err
	}
	q, err := d.openInquest(ctx, opts.Changes)
	if err != nil {
		return false, err
	}
	defer q.close()
	err = performers[d.method](d, ctx)
	if err != nil && !d.sent {
		return false, err
	}
	r.Actions = append(r.Actions, action)
	if errors.Is(err, driver.ErrDialog) && !errors.As(err, new(*driver.MissedError)) {
		err = nil // it is what the input led to
	}
	now := d.sentSoFar(err)
	r.Sent = r.Sent.and(now)
	if err == nil {
		err = q.conclude(ctx)
		p.URL() // tells a recording where the evidence ended: what comes later is not in it
	} else {
		events, _ := q.recorder.seen()
		q.fold(events)
	}
	err = d.unknown(now, err)
	q.compareOutlines(ctx)
	r.Evidence = merge(r.Evidence, q.evidence)
	if err == nil {
		r.Message = sentence(action, el.what, q)
		opts.recall.did(q.evidence)
	}
	return d.sent, err
}

// merge adds the evidence of a further step.
func merge(a, b Evidence) Evidence {
	if strength[b.Effect] >= strength[a.Effect] {
		a.Effect = b.Effect
	}
	if b.Navigation != nil {
		if a.Navigation != nil {
			b.Navigation.From = a.Navigation.From
		}
		a.Navigation = b.Navigation
	}
	a.NewPages = append(a.NewPages, b.NewPages...)
	a.Dialogs = append(a.Dialogs, b.Dialogs...)
	a.Downloads = append(a.Downloads, b.Downloads...)
	a.Refused = append(a.Refused, b.Refused...)
	a.Refused = a.Refused[:min(len(a.Refused), mostRefusedSeen)]
	if b.Value != nil {
		a.Value = b.Value
	}
	if b.States != nil {
		a.States = b.States
	}
	if b.Scroll != nil {
		a.Scroll = b.Scroll
	}
	if b.Revision != nil {
		if a.Revision != nil {
			b.Revision.Before = a.Revision.Before
		}
		a.Revision = b.Revision
	}
	a.FileChooser = a.FileChooser || b.FileChooser
	a.Changes += b.Changes
	a.Requests += b.Requests
	return a
}
