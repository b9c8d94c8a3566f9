package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver"
)

// A cacheReplay is the cache's part in one act. A nil one does nothing.
type cacheReplay struct {
	*doing
	cache       Cache
	key         CacheKey
	instruction string // without values
	use         CacheUse

	steps []CachedStep // done so far
	next  CachedStep   // about to be done
	last  Evidence     // of the last step that was done
	// expected is the recorded effect of the next step: the engine waits for it
	// a little longer than for an unknown one.
	expected Effect
}

// openReplay returns the cache replay of an act on the page that was just
// looked at, nil without a cache.
func openReplay(d *doing, instruction string) *cacheReplay {
	cache := d.page.session.opts.Cache
	if cache == nil || d.opts.NoCache {
		return nil
	}
	secrets := &d.page.session.secrets
	return &cacheReplay{
		doing:       d,
		cache:       cache,
		instruction: secrets.hide(strings.TrimSpace(instruction)),
		key: CacheKey{
			Instruction: secrets.hide(squeeze(instruction)),
			Address:     stableAddress(d.page.URL(), secrets.hideShown),
			Variables:   strings.Join(slices.Sorted(maps.Keys(d.opts.Variables)), ","),
			Selector:    secrets.hide(strings.TrimSpace(d.opts.Selector)),
		},
	}
}

// maxSteps bounds the actions of one instruction, whose target may only appear
// after others: a menu opens, a submenu, then the item.
const maxSteps = 3

// chose records the step about to be done.
func (m *cacheReplay) chose(snap *Snapshot, node *accessibility.Node, action Action) {
	if m == nil {
		return
	}
	hide := m.page.session.secrets.hide
	// The number belongs to a document that will be gone; the step stores
	// surroundings in its own form, without the words that a locator has.
	action.BackendNodeID, action.Surroundings, action.Locator = 0, nil, ""
	around := surroundings(snap, node, hide)
	if around != "" && !aloneInRow(around) && accessibility.DeepPath(action.Selector) { // one of several: its place counts, too
		action.Selector = snap.RootPath(node)
	}
	m.next = CachedStep{
		Action:       action,
		Surroundings: around,
		State:        stateWords(node, !statesArguments(m.instruction, action.Arguments), hide),
	}
}

// did records the step's outcome.
func (m *cacheReplay) did(ev Evidence) {
	if m == nil {
		return
	}
	m.last = ev
	m.next.Outcome = outcomeOf(&ev, m.page.session.secrets.hide)
	m.steps = append(m.steps, m.next)
}

func (m *cacheReplay) expectedEffect() Effect {
	if m == nil {
		return EffectNone
	}
	return m.expected
}

// A handover is where a model takes over.
type handover struct {
	done         bool // nothing is left to do
	before, snap *Snapshot
}

// run replays the entry of the act. A step that does not fit the page sends no
// input, and the model takes over from there. A step with another outcome ends
// the act, because a second try could do it twice.
func (m *cacheReplay) run(ctx context.Context, snap *Snapshot, v view) (handover, error) {
	if m == nil {
		return handover{snap: snap}, nil
	}
	m.result.Cache = &m.use
	entry := m.get(ctx)
	if entry == nil {
		return handover{snap: snap}, nil
	}
	from, err := m.follow(ctx, entry, snap, v)
	if err != nil && m.use.Result == "" { // no model could do better
		m.use.Result, m.use.Detail = CacheStale, err.Error()
	}
	return from, err
}

// follow performs the steps of an entry in order.
func (m *cacheReplay) follow(ctx context.Context, entry *CacheEntry, snap *Snapshot, v view) (handover, error) {
	var before *Snapshot
	for i := range entry.Steps {
		if i > 0 {
			before = snap
			var err error
			if snap, err = m.page.look(ctx, v); err != nil {
				return handover{done: true}, err
			}
		}
		stale, err := m.repeat(ctx, snap, &entry.Steps[i])
		if stale {
			m.use.Result, m.use.Detail, m.result.Healed = CacheStale, err.Error(), true
			m.page.last = reading{} // what was read does not hold
			snap, err = m.page.look(ctx, v)
			return handover{done: err != nil, before: before, snap: snap}, err
		}
		if err != nil {
			return handover{done: true}, err
		}
	}
	m.use.Result = CacheHit
	return handover{done: true}, nil
}

// repeat performs one step. It is stale if nothing was done and a model may do
// better.
func (m *cacheReplay) repeat(ctx context.Context, snap *Snapshot, step *CachedStep) (stale bool, _ error) {
	node, reason, err := m.recognize(ctx, snap, step)
	if err != nil {
		m.use.Reason = reason
		return recoverable(ctx, err), err
	}
	m.next, m.expected = *step, step.Outcome.Effect
	action := step.Action
	if accessibility.DeepPath(action.Selector) {
		action.Selector = snap.XPath(node)
	}
	action.BackendNodeID = int64(node.Source.Node)
	action.Surroundings = surroundingsIn(m.page.last.snapshot(), node.Source, m.page.session.secrets.hide)
	action.Locator = locatorsOf(m.page.last.snapshot(), node.Source)[0]
	action = m.page.session.secrets.hideAction(action)
	sent, err := m.carryOut(ctx, m.page.elementIn(snap, node), action)
	m.expected = EffectNone
	switch {
	case err != nil && !sent:
		m.use.Reason = ReasonUnusable
		return recoverable(ctx, err), err
	case err != nil:
		m.refute(ctx, err.Error())
		return false, err
	}
	if wrong := step.Outcome.differs(action.Method, &m.last, node.URL, m.page.session.secrets.hide); wrong != "" {
		m.refute(ctx, wrong)
		return false, fmt.Errorf("%w: %s; it was done (%s), and is not done again", ErrUnexpected, wrong, m.result.Message)
	}
	return false, nil
}

// recoverable reports errors of an entry after which a model may do better: all
// but those that leave no page to look at, or have nothing to do with the
// element.
func recoverable(ctx context.Context, err error) bool {
	for _, final := range []error{ErrClosed, driver.ErrCrashed, driver.ErrDialog, ErrWrongHost} {
		if errors.Is(err, final) {
			return false
		}
	}
	return ctx.Err() == nil
}

// refute drops an entry that was replayed and had another outcome.
func (m *cacheReplay) refute(ctx context.Context, why string) {
	m.use = CacheUse{Result: CacheRefuted, Reason: ReasonOutcome, Detail: why}
	if err := m.cache.Delete(context.WithoutCancel(ctx), m.key); err != nil {
		m.warn("forget", err)
	}
}

// get reads the entry and rejects one that the engine cannot have made.
func (m *cacheReplay) get(ctx context.Context) *CacheEntry {
	miss := func(reason CacheReason, detail string) *CacheEntry {
		m.use = CacheUse{Result: CacheMiss, Reason: reason, Detail: detail}
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

// store stores an act that a model carried out.
func (m *cacheReplay) store(ctx context.Context) {
	if m == nil || len(m.steps) == 0 || len(m.steps) > maxSteps {
		return
	}
	if !slices.ContainsFunc(m.steps, func(s CachedStep) bool { return s.Outcome.Effect != EffectNone }) {
		return // nothing confirms that it was right
	}
	entry := &CacheEntry{Instruction: m.instruction, Steps: m.steps}
	if err := entry.check(); err != nil {
		return // of a kind that cannot be cached
	}
	if err := m.cache.Put(ctx, m.key, entry.clone()); err != nil {
		m.warn("keep", err)
		return
	}
	m.use.Kept = true
}

func (m *cacheReplay) warn(what string, err error) {
	s := m.page.session
	s.journal.log.Warn("act cache", "trouble", what, "error", s.secrets.hide(err.Error()))
}

// recognize finds the element of a cached step and verifies that it is the
// same, in the same state. One that stands elsewhere by now is known by what it is,
// if nothing else looks the same. One of several is not: whether the instruction meant
// it or its place, as the first of a list, only a model knows.
func (m *cacheReplay) recognize(ctx context.Context, snap *Snapshot, step *CachedStep) (*accessibility.Node, CacheReason, error) {
	found, err := m.page.find(ctx, step.Action.Selector)
	var node *accessibility.Node
	unique := (step.Surroundings == "" || aloneInRow(step.Surroundings)) && accessibility.DeepPath(step.Action.Selector)
	if err == nil && unique && (len(found) != 1 || m.page.verify(snap, found[0], step.Action.Fingerprint) != nil) {
		node, _ = m.page.identify(snap, &step.Action) // or the place decides, below
		if node != nil && surroundings(snap, node, m.page.session.secrets.hide) != step.Surroundings {
			node = nil
		}
	}
	if node == nil {
		var reason CacheReason
		if node, reason, err = m.atPath(ctx, snap, step); err != nil {
			return nil, reason, err
		}
	}
	if got := stateWords(node, strings.Contains(step.State, valueWord), m.page.session.secrets.hide); got != step.State {
		return nil, ReasonChanged, fmt.Errorf("%w: %s is in another state", ErrMismatch, step.Action.Fingerprint)
	}
	return node, "", nil
}

// atPath finds the element of a cached step where it stood, and waits for it.
func (m *cacheReplay) atPath(ctx context.Context, snap *Snapshot, step *CachedStep) (*accessibility.Node, CacheReason, error) {
	action := &step.Action
	ref, err := m.page.findOne(ctx, action.Selector)
	if err != nil {
		return nil, ReasonGone, err
	}
	if err := m.page.verify(snap, ref, action.Fingerprint); err != nil {
		return nil, ReasonChanged, err
	}
	node, _ := snap.Find(ref) // verify has found it
	if got := surroundings(snap, node, m.page.session.secrets.hide); got != step.Surroundings {
		return nil, ReasonChanged, fmt.Errorf("%w: several look like %s, or what is around it is not what was", ErrMismatch, action.Fingerprint)
	}
	return node, "", nil
}

// surroundings returns a hash of what tells a node from others of the same role and name,
// or, where none are, of what its row begins with; empty without both.
func surroundings(snap *Snapshot, node *accessibility.Node, hide func(string) string) string {
	if isInlineCell(node) {
		if around := surroundingsOfCell(snap, node); around.Alike > 1 {
			return digest(hide(around.Row))
		}
		return ""
	}
	r, ok := rowOf(snap, node.Source, hide)
	if !ok {
		return ""
	}
	if len(r.Nodes) > 1 {
		return digest(r.Text())
	}
	if head := r.Head(); head != "" {
		return headWord + digest(head)
	}
	return ""
}

// headWord begins the surroundings of an element that nothing else looks like, and
// that stands in a row or a list item: they are what the row begins with.
const headWord = "head "

func aloneInRow(surroundings string) bool { return strings.HasPrefix(surroundings, headWord) }

// valueWord begins the part of a state that is about a value.
const valueWord = "value "

// stateWords describe the part of an element's state that a choice may depend
// on.
func stateWords(n *accessibility.Node, value bool, hide func(string) string) string {
	var words []string
	for _, s := range []struct {
		name string
		is   accessibility.Tristate
	}{{"checked", n.States.Checked}, {"expanded", n.States.Expanded}, {"pressed", n.States.Pressed}, {"selected", n.States.Selected}} {
		switch s.is {
		case accessibility.On:
			words = append(words, s.name)
		case accessibility.Mixed:
			words = append(words, s.name+" mixed")
		}
	}
	if value {
		words = append(words, valueWord+digest(hide(n.Value)+"\x00"+hide(strings.Join(n.OptionLabels(), "\x00"))))
	}
	return strings.Join(words, ", ")
}

// statesArguments reports whether an instruction itself says what to enter, so
// that the arguments do not depend on the page.
func statesArguments(instruction string, args []string) bool {
	instruction = strings.ToLower(squeeze(instruction))
	for _, arg := range args {
		for _, text := range placeholder.Split(arg, -1) {
			if !strings.Contains(instruction, strings.ToLower(squeeze(text))) {
				return false
			}
		}
	}
	return true
}

// outcomeOf extracts from evidence the outcome that a replay must repeat.
func outcomeOf(ev *Evidence, hide func(string) string) Outcome {
	o := Outcome{Effect: ev.Effect}
	if n := ev.Navigation; n != nil && !n.Pending {
		o.Address, o.Failed = addressShape(n.To, hide), n.Status >= http.StatusBadRequest
	}
	if len(ev.Dialogs) > 0 {
		o.Dialog = ev.Dialogs[0].Kind
	}
	return o
}
