package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
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
	if opts == nil {
		opts = &PlacerOptions{}
	}
	p := &Placer{
		store: s, clock: clockOr(opts.Clock), term: cmp.Or(opts.Term, 10*time.Second), log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		nodes: map[NodeID]*peer{}, changed: make(chan struct{}),
	}
	p.age.bound = p.Interval()
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
	m := &Member{placer: p, id: id, record: nodeRecord{Address: n.Address, Labels: maps.Clone(n.Labels), Capacity: n.Capacity, TermMs: p.term.Milliseconds()}}
	m.ctx, m.cancel = context.WithCancelCause(context.Background())
	m.lease = lease{clock: p.clock, term: p.term, ended: m.check}
	sent := p.clock.Now()
	revision, err := m.write(ctx, m.record, 0)
	if err != nil {
		return nil, fmt.Errorf("fleet: join: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revision = revision
	m.lease.renew(sent)
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
		if one.unseen > time.Duration(one.record.TermMs)*time.Millisecond+slackBeats*p.Interval() {
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
	err := p.fence(ctx, id)
	if errors.Is(err, ErrOwned) {
		return false, nil
	}
	return err == nil, err
}

// Fence returns nil once a node is dead in the store: what it had can be taken. It
// is ErrOwned while the node lives.
func (p *Placer) Fence(ctx context.Context, id NodeID) error { return p.fence(ctx, id) }

// fence makes sure that a node is dead in the store, or returns ErrOwned.
// That this placer knows no such node is no proof: it may be new.
func (p *Placer) fence(ctx context.Context, id NodeID) error {
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

// newID returns 60 random bits, as text for a key.
func newID() string { return rand.Text()[:12] }
