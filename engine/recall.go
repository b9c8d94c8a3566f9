package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A recall is what one act has to do with the cache. A nil one has nothing.
type recall struct {
	page        *Page
	cache       Cache
	key         CacheKey
	instruction string // without values
	use         CacheUse

	steps []CachedStep // done so far
	next  CachedStep   // about to be done
	last  Evidence     // of the last step that was done
	// foreseen is the effect that the next step had before: the engine waits
	// for it a little longer than for one that nobody knows of.
	foreseen Effect
}

// openRecall returns the recall of an act on the page that was just looked at.
func (p *Page) openRecall(instruction string, opts *ActOptions) *recall {
	cache := p.session.opts.Cache
	if cache == nil || opts.NoCache {
		return nil
	}
	return &recall{
		page:        p,
		cache:       cache,
		key:         p.cacheKey(instruction, opts),
		instruction: p.session.secrets.hide(strings.TrimSpace(instruction)),
	}
}

// chose notes what is about to be done.
func (m *recall) chose(snap *Snapshot, node *accessibility.Node, action Action) {
	if m == nil {
		return
	}
	hide := m.page.session.secrets.hide
	// Of a document that will be gone, and what the step holds in its own way.
	action.BackendNodeID, action.Surroundings = 0, nil
	m.next = CachedStep{
		Action:       action,
		Surroundings: surroundings(snap, node, hide),
		State:        stateWords(node, !says(m.instruction, action.Arguments), hide),
	}
}

// did notes what came of it.
func (m *recall) did(ev Evidence) {
	if m == nil {
		return
	}
	m.last = ev
	m.next.Outcome = outcomeOf(&ev, m.page.session.secrets.hide)
	m.steps = append(m.steps, m.next)
}

func (m *recall) expects() Effect {
	if m == nil {
		return EffectNone
	}
	return m.foreseen
}

// A resumption is where a model takes over.
type resumption struct {
	done         bool // nothing is left to do
	before, snap *Snapshot
}

// replay does what the cache has for the act. What does not fit the page gets
// no input; a model takes over from there. What was done and had another
// outcome ends the act: a second try could do it twice.
func (m *recall) replay(ctx context.Context, snap *Snapshot, v view, opts *ActOptions, r *ActResult) (resumption, error) {
	if m == nil {
		return resumption{snap: snap}, nil
	}
	r.Cache = &m.use
	entry := m.get(ctx)
	if entry == nil {
		return resumption{snap: snap}, nil
	}
	from, err := m.follow(ctx, entry, snap, v, opts, r)
	if err != nil && m.use.Outcome == "" { // no model could do better either
		m.use.Outcome, m.use.Detail = CacheStale, err.Error()
	}
	return from, err
}

// follow does the steps of an entry in turn.
func (m *recall) follow(ctx context.Context, entry *CacheEntry, snap *Snapshot, v view, opts *ActOptions, r *ActResult) (resumption, error) {
	var before *Snapshot
	for i := range entry.Steps {
		if i > 0 {
			before = snap
			var err error
			if snap, err = m.page.look(ctx, v); err != nil {
				return resumption{done: true}, err
			}
		}
		stale, err := m.redo(ctx, snap, &entry.Steps[i], opts, r)
		if stale {
			m.use.Outcome, m.use.Detail, r.Healed = CacheStale, err.Error(), true
			m.page.seen = seen{} // what was read does not hold
			snap, err = m.page.look(ctx, v)
			return resumption{done: err != nil, before: before, snap: snap}, err
		}
		if err != nil {
			return resumption{done: true}, err
		}
	}
	m.use.Outcome = CacheHit
	return resumption{done: true}, nil
}

// redo does one step. It is stale if it was not done and a model may know better.
func (m *recall) redo(ctx context.Context, snap *Snapshot, step *CachedStep, opts *ActOptions, r *ActResult) (stale bool, _ error) {
	node, reason, err := m.page.recognize(ctx, snap, step)
	if err != nil {
		m.use.Reason = reason
		return mendable(ctx, err), err
	}
	m.next, m.foreseen = *step, step.Outcome.Effect
	action := step.Action
	action.BackendNodeID = int64(node.Source.Node)
	action.Surroundings = surroundingsIn(m.page.seen.snapshot(), node.Source, m.page.session.secrets.hide)
	action = m.page.session.hideAction(action)
	sent, err := m.page.carryOut(ctx, m.page.elementIn(snap, node), action, opts, r)
	m.foreseen = EffectNone
	switch {
	case err != nil && !sent:
		m.use.Reason = ReasonUnusable
		return mendable(ctx, err), err
	case err != nil:
		m.refute(ctx, err.Error())
		return false, err
	}
	if wrong := step.Outcome.differs(action.Method, &m.last, node.URL, m.page.session.secrets.hide); wrong != "" {
		m.refute(ctx, wrong)
		return false, fmt.Errorf("%w: %s; it was done (%s), and is not done again", ErrUnexpected, wrong, r.Message)
	}
	return false, nil
}

// mendable reports errors of an entry that a model may do better than. All but
// those are that leave no page to look at, or are not of the element.
func mendable(ctx context.Context, err error) bool {
	for _, final := range []error{driver.ErrClosed, driver.ErrCrashed, driver.ErrDialog, ErrClosed, ErrWrongHost} {
		if errors.Is(err, final) {
			return false
		}
	}
	return ctx.Err() == nil
}

// refute drops an entry that was carried out and had another outcome.
func (m *recall) refute(ctx context.Context, why string) {
	m.use = CacheUse{Outcome: CacheRefuted, Reason: ReasonOutcome, Detail: why}
	if err := m.cache.Delete(context.WithoutCancel(ctx), m.key); err != nil {
		m.warn("forget", err)
	}
}

// get reads the entry and refuses one that could not have come from here.
func (m *recall) get(ctx context.Context) *CacheEntry {
	miss := func(reason CacheReason, detail string) *CacheEntry {
		m.use = CacheUse{Outcome: CacheMiss, Reason: reason, Detail: detail}
		return nil
	}
	entry, err := m.cache.Get(ctx, m.key)
	if err == nil && entry != nil {
		err = entry.check()
	}
	switch {
	case err != nil:
		return miss(ReasonUnreadable, err.Error())
	case entry == nil:
		return miss(ReasonAbsent, "")
	}
	enters := slices.ContainsFunc(entry.Steps, func(s CachedStep) bool { return len(s.Action.Arguments) > 0 })
	if enters && entry.Instruction != m.instruction {
		return miss(ReasonWording, "")
	}
	return entry
}

// check refuses an entry that the engine would not have made.
func (e *CacheEntry) check() error {
	if len(e.Steps) == 0 || len(e.Steps) > mostSteps {
		return fmt.Errorf("%w: the entry has %d steps", ErrInvalid, len(e.Steps))
	}
	for i := range e.Steps {
		a := &e.Steps[i].Action
		m, err := ParseMethod(string(a.Method))
		if err == nil {
			err = m.checkArguments(a.Arguments)
		}
		if err != nil {
			return err
		}
		if a.Selector == "" || a.Fingerprint == nil || !cacheable(m) {
			return fmt.Errorf("%w: a step of the entry cannot be done again", ErrInvalid)
		}
		a.Method = m
	}
	return nil
}

// cacheable reports methods whose action says all that it needs. A drop's target
// has no fingerprint, and files belong to a call.
func cacheable(m Method) bool { return m != DragAndDrop && m != SetInputFiles }

// keep enters an act that a model has carried out.
func (m *recall) keep(ctx context.Context) {
	if m == nil || len(m.steps) == 0 || len(m.steps) > mostSteps {
		return
	}
	if !slices.ContainsFunc(m.steps, func(s CachedStep) bool { return s.Outcome.Effect != EffectNone }) {
		return // nothing says that it was what was meant
	}
	entry := &CacheEntry{Instruction: m.instruction, Steps: m.steps}
	if err := entry.check(); err != nil {
		return // not of the kind that is kept
	}
	if err := m.cache.Put(ctx, m.key, entry.clone()); err != nil {
		m.warn("keep", err)
		return
	}
	m.use.Kept = true
}

func (m *recall) warn(what string, err error) {
	s := m.page.session
	s.log.Warn("act cache", "trouble", what, "error", s.secrets.hide(err.Error()))
}
