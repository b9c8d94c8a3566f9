package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// A SessionID names a session; it can stand in a key.
type SessionID string

// A Placement is a session that needs a node.
type Placement struct {
	Session SessionID
	Labels  map[string]string // that the node has to have
	Near    NodeID            // is taken if it has room, as for a profile that is there
}

// An Owner is the right to a session, at one node, under one token.
type Owner struct {
	Session SessionID
	Node    NodeID
	Address string
	Token   uint64 // grows with each change of the owner
	State   []byte // as last saved

	nonce    string
	revision uint64
}

// sessionRecord is a session as the store has it.
type sessionRecord struct {
	Node    NodeID `json:"n"`
	Address string `json:"a,omitempty"`
	Token   uint64 `json:"t"`
	Nonce   string `json:"o"` // of the call that wrote the owner
	State   []byte `json:"s,omitempty"`
}

const sessionPrefix = "session."

// The answers of a Placer.
var (
	// ErrNoRoom: every node with the labels is full, or no node has the labels.
	ErrNoRoom = errors.New("fleet: no node has room")
	// ErrOwned: another node owns the session.
	ErrOwned = errors.New("fleet: the session has an owner")
	// ErrGone: the node that owned the session is dead, and the session ended with it.
	ErrGone = errors.New("fleet: the session's node is gone")
)

func (r *sessionRecord) owner(id SessionID, revision uint64) Owner {
	return Owner{Session: id, Node: r.Node, Address: r.Address, Token: r.Token, State: r.State, nonce: r.Nonce, revision: revision}
}

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
	if err := p.fence(ctx, last.Node); err != nil {
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
	switch err := p.fence(ctx, record.Node); {
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
		if _, o.revision, err = p.own(ctx, &o); err != nil {
			return o, err
		}
		if o.revision <= before {
			return o, fmt.Errorf("fleet: session %s: save: %w: its record reads as an old one", o.Session, ErrUnavailable)
		}
	}
}

// own reads a session's record if o still owns it.
func (p *Placer) own(ctx context.Context, o *Owner) (record sessionRecord, revision uint64, err error) {
	revision, err = getJSON(ctx, p.store, sessionPrefix+string(o.Session), &record)
	if errors.Is(err, ErrNotFound) || err == nil && (record.Node != o.Node || record.Token != o.Token) {
		return record, 0, fmt.Errorf("%w: session %s has another owner", ErrLost, o.Session)
	}
	return record, revision, err
}

// Release ends a session. ErrLost: it is not o's.
func (p *Placer) Release(ctx context.Context, o Owner) error {
	for {
		_, revision, err := p.own(ctx, &o)
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

// sample is how many nodes a placer looks at for one session. Few of many keep
// placers that know the same figures from choosing the same node; eight are
// enough for an even spread (see the simulation).
const sample = 8

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
			look(p.alive[rand.IntN(n)])
		}
		if best != nil {
			return best
		}
	}
	if n > 0 {
		for i, from := 0, rand.IntN(n); i < n; i++ {
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

// A peer is a node as this placer has seen it.
type peer struct {
	id       NodeID
	record   nodeRecord
	revision uint64
	unseen   time.Duration // since it last changed
	recent   [2]int        // placed by us before and after the last report but one
	at       int           // in alive; -1: dead
	died     time.Time     // when it was seen dead
}

// sessions is how many a node has, as far as this placer knows.
func (n *peer) sessions() int { return n.record.Sessions + n.recent[0] + n.recent[1] }

// use is how far a node is used: 1 takes no more. Pressure is of the last report,
// and what was placed since then adds to it.
func (n *peer) use() float64 {
	since := float64(n.recent[0] + n.recent[1])
	return max(float64(n.sessions()), n.record.Pressure*float64(n.record.Capacity)+since) / float64(n.record.Capacity)
}

// before reports whether a session is rather placed at n than at another node.
func (n *peer) before(other *peer) bool {
	a, b := n.use(), other.use()
	return a < b || a == b && n.record.Pressure < other.record.Pressure
}

func (n *peer) fits(labels map[string]string) bool {
	if n.record.Draining || n.sessions() >= n.record.Capacity || n.record.Pressure >= 1 {
		return false
	}
	for name, value := range labels {
		if have, ok := n.record.Labels[name]; !ok || have != value {
			return false
		}
	}
	return true
}

// decode reads a record; false: it is not one of this version.
func decode(raw []byte, v any) bool { return json.Unmarshal(raw, v) == nil }
