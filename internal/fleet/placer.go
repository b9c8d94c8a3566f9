package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"time"
)

// PlacerOptions are how a placer works. The zero value is usable.
type PlacerOptions struct {
	// Term is how long a node keeps its lease without renewing it; 0 is 10 s.
	// It is found dead half a term later.
	Term   time.Duration
	Clock  Clock        // nil is System
	Logger *slog.Logger // nil is silence
}

// beatsPerTerm is how often a lease is renewed within its term. An observer waits
// slackBeats longer than the term, and counts no more than one beat for each time
// that it looks: those are a beat apart, so what it counts exceeds what has passed
// by one beat at most, whatever its clock does. See the strife of bench/fleet.
const (
	beatsPerTerm = 5
	slackBeats   = 2
)

// A Placer says which node owns a session. Each node has one, on the store that
// they share. It may be used by any number of goroutines.
//
// What it guarantees: a session has at most one owner, and its token grows with
// each change. An owner is replaced only once its node was declared dead in the
// store, which happens when its lease has run out for an observer, and so has
// run out by its own clock before. Where clocks run at different speeds
// or a process is stopped between a check and its effect, [Placer.Save] decides:
// the store takes no state from a node that no longer is the owner.
type Placer struct {
	store Store
	clock Clock
	term  time.Duration
	log   *slog.Logger
	stop  func()

	mu      sync.Mutex // protects what follows; the store is not called under it
	nodes   map[NodeID]*peer
	alive   []*peer // nodes that are not dead, in no order
	age     age
	changed chan struct{} // closed and replaced when a node changes
}

// NewPlacer returns a placer that knows the nodes of the store. opts may be
// nil. The caller closes it.
func NewPlacer(ctx context.Context, s Store, opts *PlacerOptions) (*Placer, error) {
	opts = cmp.Or(opts, &PlacerOptions{})
	p := &Placer{
		store: s, clock: clockOr(opts.Clock), term: cmp.Or(opts.Term, 10*time.Second), log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		nodes: map[NodeID]*peer{}, changed: make(chan struct{}),
	}
	p.age.bound = p.interval()
	var err error
	if p.stop, err = s.Watch(ctx, nodePrefix, p.see); err != nil {
		return nil, fmt.Errorf("fleet: placer: %w", err)
	}
	return p, nil
}

// Close ends the placer, and no member: see [Member.Leave].
func (p *Placer) Close() { p.stop() }

// Join makes a node known and gives it a lease. The caller has it renewed, by
// [Maintain], or it is found dead.
func (p *Placer) Join(ctx context.Context, n Node) (*Member, error) {
	id := NodeID(cmp.Or(n.Name, "node") + "-" + newID())
	if err := CheckKey(string(id)); err != nil {
		return nil, fmt.Errorf("fleet: join: the node's name: %w", err)
	}
	if n.Capacity < 0 {
		return nil, fmt.Errorf("fleet: join: a capacity of %d: it is zero or more", n.Capacity)
	}
	m := &Member{lease: newLease("node "+string(id), p.clock, p.term), placer: p, id: id, record: nodeRecord{Address: n.Address, Labels: maps.Clone(n.Labels), Capacity: n.Capacity, TermMs: p.term.Milliseconds()}}
	sent := p.clock.Now()
	revision, err := m.write(ctx, m.record, 0)
	if err != nil {
		return nil, fmt.Errorf("fleet: join: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revision = revision
	m.renew(sent)
	return m, nil
}

// see takes a node's record from the store.
func (p *Placer) see(r Record) {
	id := NodeID(r.Key[len(nodePrefix):])
	var record nodeRecord
	if !r.Deleted && !decode(r.Value, &record) {
		return // of a later version: it takes no sessions from us
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.nodes[id]
	if one != nil && one.revision >= r.Revision {
		return
	}
	close(p.changed)
	p.changed = make(chan struct{})
	if r.Deleted {
		if one != nil {
			p.bury(one)
			delete(p.nodes, id)
		}
		return
	}
	if one == nil {
		one = &peer{id: id, at: -1}
		p.nodes[id] = one
		if !record.Dead {
			one.at = len(p.alive)
			p.alive = append(p.alive, one)
		}
	}
	one.record, one.revision, one.unseen = record, r.Revision, 0
	one.recent[0], one.recent[1] = one.recent[1], 0
	if record.Dead {
		p.bury(one)
	}
}

// bury takes a node from those that are alive. p.mu is held.
func (p *Placer) bury(one *peer) {
	if one.died.IsZero() {
		one.died = p.clock.Now()
	}
	if one.at < 0 {
		return
	}
	last := p.alive[len(p.alive)-1]
	p.alive[one.at], last.at = last, one.at
	p.alive = p.alive[:len(p.alive)-1]
	one.at = -1
}

// Nodes returns the nodes that are alive, in the order of their IDs.
func (p *Placer) Nodes() []NodeInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list()
}

func (p *Placer) list() []NodeInfo {
	all := make([]NodeInfo, len(p.alive))
	for i, one := range p.alive {
		all[i] = one.record.info(one.id)
	}
	slices.SortFunc(all, func(a, b NodeInfo) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Dead reports whether a node is known to be dead. One that is not known may be
// new, or dead for so long that its record is gone.
func (p *Placer) Dead(id NodeID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.nodes[id]
	return one != nil && one.record.Dead
}

// Await returns once ok is true of the nodes that are alive, or ctx has ended.
func (p *Placer) Await(ctx context.Context, ok func([]NodeInfo) bool) error {
	for {
		p.mu.Lock()
		nodes, changed := p.list(), p.changed
		p.mu.Unlock()
		if ok(nodes) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Sweep looks for nodes whose lease has run out, and declares them dead. It returns
// those that it declared. Every node calls it at each [Placer.Interval]; rarer calls
// only find the dead later.
func (p *Placer) Sweep(ctx context.Context) ([]NodeID, error) {
	type suspect struct {
		id       NodeID
		record   nodeRecord
		revision uint64
	}
	var suspects []suspect
	p.mu.Lock()
	passed := p.age.step(p.clock.Now())
	for _, one := range p.alive {
		one.unseen += passed
		if one.unseen > time.Duration(one.record.TermMs)*time.Millisecond+slackBeats*p.interval() {
			suspects = append(suspects, suspect{one.id, one.record, one.revision})
		}
	}
	p.mu.Unlock()
	var dead []NodeID
	for _, s := range suspects {
		// Under the revision that was seen for so long: if the node has renewed
		// since, it lives.
		s.record.Dead = true
		_, err := putJSON(ctx, p.store, nodePrefix+string(s.id), s.record, s.revision)
		switch {
		case err == nil:
			dead = append(dead, s.id)
			p.log.Warn("node is dead", "node", string(s.id))
		case !errors.Is(err, ErrConflict):
			return dead, fmt.Errorf("fleet: node %s: declare dead: %w", s.id, err)
		}
	}
	return dead, nil
}

// Gone reports whether a life of a node is over. Once it is, the store refuses what
// that node writes under a revision that has been replaced.
func (p *Placer) Gone(ctx context.Context, id NodeID) (bool, error) {
	err := p.Fence(ctx, id)
	if errors.Is(err, ErrOwned) {
		return false, nil
	}
	return err == nil, err
}

// Fence returns nil once a node is dead in the store: what it had can be taken. It
// is ErrOwned while the node lives. That this placer knows no such node is no proof of
// its death: it may be new.
func (p *Placer) Fence(ctx context.Context, id NodeID) error {
	p.mu.Lock()
	one := p.nodes[id]
	dead, alive := one != nil && one.record.Dead, one != nil && !one.record.Dead
	p.mu.Unlock()
	if dead {
		return nil // a life that has ended stays ended
	}
	if !alive {
		// Its record was cleaned away, or has not reached us. If it can be
		// written, there was none, and from now on no renewal succeeds.
		_, err := putJSON(ctx, p.store, nodePrefix+string(id), nodeRecord{Dead: true}, 0)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		var record nodeRecord
		if _, err := getJSON(ctx, p.store, nodePrefix+string(id), &record); err != nil {
			return err
		}
		if record.Dead {
			return nil
		}
	}
	return fmt.Errorf("%w: node %s is alive", ErrOwned, id)
}

// Clean removes what nodes have left that are dead for some time: the records of
// their sessions, and then their own. Until then [Placer.Find] says that they are
// gone, and [Placer.Replace] can have them. It reads all sessions, and is called
// rarely, by any node.
func (p *Placer) Clean(ctx context.Context, after time.Duration) (sessions int, _ error) {
	var dead []*peer
	p.mu.Lock()
	for _, one := range p.nodes {
		if one.record.Dead && p.clock.Now().Sub(one.died) >= after {
			dead = append(dead, &peer{id: one.id, revision: one.revision})
		}
	}
	p.mu.Unlock()
	if len(dead) == 0 {
		return 0, nil
	}
	ids := map[NodeID]bool{}
	for _, one := range dead {
		ids[one.id] = true
	}
	all, err := List(ctx, p.store, sessionPrefix)
	if err != nil {
		return 0, fmt.Errorf("fleet: clean: %w", err)
	}
	for _, r := range all {
		var record sessionRecord
		if !decode(r.Value, &record) || !ids[record.Node] {
			continue
		}
		switch err := p.store.Delete(ctx, r.Key, r.Revision); {
		case err == nil:
			sessions++
		case !errors.Is(err, ErrConflict): // else it was replaced
			return sessions, fmt.Errorf("fleet: clean: %w", err)
		}
	}
	for _, one := range dead {
		if err := p.store.Delete(ctx, nodePrefix+string(one.id), one.revision); err != nil && !errors.Is(err, ErrConflict) {
			return sessions, fmt.Errorf("fleet: clean: %w", err)
		}
	}
	return sessions, nil
}

// interval is how often a member of this placer renews its lease, and looks for
// others that did not.
func (p *Placer) interval() time.Duration { return p.term / beatsPerTerm }

// Place chooses a node for a new session: one that has the labels and room, and
// is less used than others that were looked at. It does not tell that node,
// which may have become full meanwhile and has the last word; then the caller
// releases the session and places it again. A session that exists is an error:
// ErrOwned, or ErrGone if its node is dead.
func (p *Placer) Place(ctx context.Context, w Placement) (Owner, error) {
	chosen, err := p.choose(w)
	if err != nil {
		return Owner{}, err
	}
	return p.assign(ctx, chosen, w.Session, sessionRecord{Token: 1}, 0)
}

// Own makes a session known that a node has begun by itself, whatever room it has.
// The errors are those of [Placer.Place].
func (p *Placer) Own(ctx context.Context, session SessionID, node NodeID) (Owner, error) {
	if err := CheckKey(sessionPrefix + string(session)); err != nil {
		return Owner{}, fmt.Errorf("fleet: own: %w", err)
	}
	p.mu.Lock()
	one := p.nodes[node]
	if one == nil || one.at < 0 {
		p.mu.Unlock()
		return Owner{}, fmt.Errorf("%w: session %s: node %s is not known to live", ErrGone, session, node)
	}
	one.recent[1]++
	info := one.record.info(one.id)
	p.mu.Unlock()
	return p.assign(ctx, info, session, sessionRecord{Token: 1}, 0)
}

// Replace gives a session whose node is gone to another one, with its state. last is
// what [Placer.Find] returned. The error is ErrOwned while its node lives, and
// ErrConflict if another call was first.
func (p *Placer) Replace(ctx context.Context, last Owner, w Placement) (Owner, error) {
	if err := p.Fence(ctx, last.Node); err != nil {
		return Owner{}, fmt.Errorf("fleet: session %s: %w", last.Session, err)
	}
	chosen, err := p.choose(w)
	if err != nil {
		return Owner{}, err
	}
	// From here on the old owner can save once more at most, and only if that
	// comes before the write below, which then fails.
	return p.assign(ctx, chosen, last.Session, sessionRecord{Token: last.Token + 1, State: last.State}, last.revision)
}

// assign writes a session's record for the node that was chosen.
func (p *Placer) assign(ctx context.Context, node NodeInfo, id SessionID, record sessionRecord, revision uint64) (Owner, error) {
	record.Node, record.Address, record.Nonce = node.ID, node.Address, newID()
	key := sessionPrefix + string(id)
	written, err := putJSON(ctx, p.store, key, record, revision)
	if err == nil {
		return record.owner(id, written), nil
	}
	p.unchoose(node.ID)
	if !errors.Is(err, ErrConflict) {
		// The answer may have been lost, and the write not.
		var now sessionRecord
		if found, again := getJSON(ctx, p.store, key, &now); again == nil && now.Nonce == record.Nonce {
			return now.owner(id, found), nil
		}
		return Owner{}, fmt.Errorf("fleet: session %s: place: %w", id, err)
	}
	if revision == 0 {
		if _, err = p.Find(ctx, id); err == nil {
			err = ErrOwned
		}
	}
	return Owner{}, fmt.Errorf("fleet: session %s: place: %w", id, err)
}

// Find returns the owner of a session; with ErrGone, the last one. ErrNotFound
// is a session that never was, or was released.
func (p *Placer) Find(ctx context.Context, id SessionID) (Owner, error) {
	var record sessionRecord
	revision, err := getJSON(ctx, p.store, sessionPrefix+string(id), &record)
	if err != nil {
		return Owner{}, fmt.Errorf("fleet: session %s: %w", id, err)
	}
	owner := record.owner(id, revision)
	switch err := p.Fence(ctx, record.Node); {
	case err == nil:
		return owner, fmt.Errorf("%w: session %s was at %s", ErrGone, id, record.Node)
	case !errors.Is(err, ErrOwned):
		return Owner{}, fmt.Errorf("fleet: session %s: %w", id, err)
	}
	return owner, nil
}

// Save stores state for a session, and proves by that that o owns it: ErrLost
// is the answer if it does not any more, and nothing is written. It is the
// fence for what must not be done by two. One owner calls it one call at a
// time, with the Owner that the call before returned.
func (p *Placer) Save(ctx context.Context, o Owner, state []byte) (Owner, error) {
	record := sessionRecord{Node: o.Node, Address: o.Address, Token: o.Token, Nonce: o.nonce, State: state}
	for {
		written, err := putJSON(ctx, p.store, sessionPrefix+string(o.Session), record, o.revision)
		switch {
		case err == nil:
			o.State, o.revision = state, written
			return o, nil
		case !errors.Is(err, ErrConflict):
			return o, fmt.Errorf("fleet: session %s: save: %w", o.Session, err)
		}
		// Another owner, or an earlier save of ours whose answer was lost.
		before := o.revision
		if o.revision, err = p.own(ctx, &o); err != nil {
			return o, err
		}
		if o.revision <= before {
			return o, fmt.Errorf("fleet: session %s: save: %w: its record reads as an old one", o.Session, ErrUnavailable)
		}
	}
}

// own returns the revision of a session's record if o still owns it.
func (p *Placer) own(ctx context.Context, o *Owner) (revision uint64, err error) {
	var record sessionRecord
	revision, err = getJSON(ctx, p.store, sessionPrefix+string(o.Session), &record)
	if errors.Is(err, ErrNotFound) || err == nil && (record.Node != o.Node || record.Token != o.Token) {
		return 0, fmt.Errorf("%w: session %s has another owner", ErrLost, o.Session)
	}
	return revision, err
}

// Release ends a session. ErrLost: it is not o's.
func (p *Placer) Release(ctx context.Context, o Owner) error {
	for {
		revision, err := p.own(ctx, &o)
		if err != nil {
			return err
		}
		err = p.store.Delete(ctx, sessionPrefix+string(o.Session), revision)
		if !errors.Is(err, ErrConflict) {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
}

// choose picks a node, and counts the session as its.
func (p *Placer) choose(w Placement) (NodeInfo, error) {
	if err := CheckKey(sessionPrefix + string(w.Session)); err != nil {
		return NodeInfo{}, fmt.Errorf("fleet: place: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	best := p.nodes[w.Near]
	if best == nil || best.at < 0 || !best.fits(w.Labels) {
		best = p.best(w.Labels)
	}
	if best == nil {
		return NodeInfo{}, fmt.Errorf("%w for session %s", ErrNoRoom, w.Session)
	}
	best.recent[1]++
	return best.record.info(best.id), nil
}

// best looks at a few nodes, and at all if none of them fits.
func (p *Placer) best(labels map[string]string) (best *peer) {
	look := func(one *peer) {
		if one.fits(labels) && (best == nil || one.before(best)) {
			best = one
		}
	}
	n := len(p.alive)
	if n > 2*sample {
		for range sample {
			look(p.alive[mathrand.IntN(n)])
		}
		if best != nil {
			return best
		}
	}
	if n > 0 {
		for i, from := 0, mathrand.IntN(n); i < n; i++ {
			look(p.alive[(from+i)%n])
		}
	}
	return best
}

// unchoose takes a session back that was not placed.
func (p *Placer) unchoose(id NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.nodes[id]; one != nil && one.recent[1] > 0 {
		one.recent[1]--
	}
}

// newID returns 60 random bits, as text for a key.
func newID() string { return rand.Text()[:12] }
