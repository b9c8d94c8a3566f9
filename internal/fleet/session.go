package fleet

import (
	"encoding/json"
	"errors"
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

// sample is how many nodes a placer looks at for one session. Few of many keep
// placers that know the same figures from choosing the same node; eight are
// enough for an even spread (see the simulation).
const sample = 8

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
