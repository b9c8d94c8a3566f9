package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
)

// A NodeID names one life of a node: a process that starts anew has another.
type NodeID string

// A Node is a process that takes sessions.
type Node struct {
	// Name is the beginning of its ID, of letters, digits, '-' and '_'; empty
	// is "node".
	Name string
	// Address is where other nodes reach it. The placer only passes it on.
	Address string
	// Labels are what a session may ask for.
	Labels map[string]string
	// Capacity is how many sessions it is given at most; 0 takes none.
	Capacity int
}

// A Report is what a node says of itself with each renewal.
type Report struct {
	Sessions int     // that it has
	Pressure float64 // how far processors or memory are used, the greater of both: 0 is idle, 1 takes no more
	Draining bool    // it takes no more, and ends when its sessions have
}

// nodeRecord is a node as the store has it.
type nodeRecord struct {
	Address  string            `json:"a,omitempty"`
	Labels   map[string]string `json:"l,omitempty"`
	Capacity int               `json:"c,omitempty"`
	Sessions int               `json:"s,omitempty"`
	Pressure float64           `json:"p,omitempty"`
	Draining bool              `json:"d,omitempty"`
	Beat     uint64            `json:"b,omitempty"` // renewals so far
	TermMs   int64             `json:"t,omitempty"` // of its lease
	Dead     bool              `json:"x,omitempty"` // it has left, or its lease ran out; it never lives again
}

const nodePrefix = "node."

// ErrLost: the process no longer holds the lease for what it does, and another may
// have begun. Stop at once, and do not retry.
var ErrLost = errors.New("fleet: the lease is lost")

// A Member is a node's own hold on its place in the fleet: its lease. It may be
// used by any number of goroutines.
type Member struct {
	*lease
	placer *Placer
	id     NodeID

	renewing sync.Mutex // held during a renewal; above mu

	// Protected by the lease's mu.
	record   nodeRecord
	revision uint64
}

// ID returns the node's ID.
func (m *Member) ID() NodeID { return m.id }

// Renew extends the lease, and publishes what the node has. It returns ErrLost
// where the lease was lost; after any other error the lease is as it was, and
// the caller tries again. See [Maintain], which does so.
func (m *Member) Renew(ctx context.Context, r Report) error {
	m.renewing.Lock()
	defer m.renewing.Unlock()
	m.mu.Lock()
	if err := m.held(); err != nil {
		m.mu.Unlock()
		return err
	}
	next, revision := m.record, m.revision
	m.mu.Unlock()
	next.Sessions, next.Pressure, next.Draining = r.Sessions, r.Pressure, r.Draining
	next.Beat++
	sent := m.placer.clock.Now()
	revision, err := m.write(ctx, next, revision)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case errors.Is(err, ErrLost):
		m.lose(ErrLost)
		return err
	case err != nil:
		return fmt.Errorf("fleet: node %s: renew: %w", m.id, err)
	}
	m.record, m.revision = next, revision
	if err := m.held(); err != nil {
		return err // it came too late
	}
	m.renew(sent)
	return nil
}

// write replaces the node's record. Only the node itself and the one that declares it
// dead write it, so a conflict without that is an earlier write of the node's own
// whose answer was lost.
func (m *Member) write(ctx context.Context, next nodeRecord, revision uint64) (uint64, error) {
	key := nodePrefix + string(m.id)
	for {
		written, err := putJSON(ctx, m.placer.store, key, next, revision)
		if !errors.Is(err, ErrConflict) {
			return written, err
		}
		var now nodeRecord
		found, err := getJSON(ctx, m.placer.store, key, &now)
		switch {
		case errors.Is(err, ErrNotFound), err == nil && now.Dead:
			return 0, fmt.Errorf("%w: node %s was declared dead", ErrLost, m.id)
		case err != nil:
			return 0, err
		case found <= revision:
			return 0, fmt.Errorf("%w: the record of node %s reads as an old one", ErrUnavailable, m.id)
		}
		revision = found
	}
}

// Leave gives the lease back: sessions that the node still owned are gone at
// once. It may be called again.
func (m *Member) Leave(ctx context.Context) error {
	m.renewing.Lock()
	defer m.renewing.Unlock()
	m.mu.Lock()
	next, revision := m.record, m.revision
	m.lose(ErrLost) // first: nothing is done any more when others begin
	m.mu.Unlock()
	next.Dead = true
	if _, err := m.write(ctx, next, revision); err != nil && !errors.Is(err, ErrLost) {
		return fmt.Errorf("fleet: node %s: leave: %w", m.id, err)
	}
	return nil
}

// Maintain renews a member's lease, and has the placer look for dead nodes, until
// ctx ends or the lease is lost. It returns why. report is called before each
// renewal.
func Maintain(ctx context.Context, m *Member, report func() Report) error {
	p := m.placer
	for {
		failed := m.Renew(ctx, report())
		if errors.Is(failed, ErrLost) {
			return failed
		}
		if failed == nil {
			if _, failed = p.Sweep(ctx); failed != nil {
				p.log.Debug("dead nodes were not looked for", "err", failed)
			}
		} else {
			p.log.Warn("the lease was not renewed", "node", string(m.id), "err", failed)
		}
		due, stop := after(p.clock, p.interval())
		select {
		case <-due:
		case <-ctx.Done():
			stop()
			return context.Cause(ctx)
		case <-m.ctx.Done():
			stop()
			return context.Cause(m.ctx)
		}
	}
}

// NodeInfo is a node as a placer knows it.
type NodeInfo struct {
	ID NodeID
	Node
	Report
}

func (r *nodeRecord) info(id NodeID) NodeInfo {
	return NodeInfo{
		ID: id, Node: Node{Address: r.Address, Labels: maps.Clone(r.Labels), Capacity: r.Capacity},
		Report: Report{Sessions: r.Sessions, Pressure: r.Pressure, Draining: r.Draining},
	}
}

// putJSON and getJSON keep values of this package's own types.
func putJSON(ctx context.Context, s Store, key string, v any, revision uint64) (uint64, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	return s.Put(ctx, key, raw, revision)
}

func getJSON(ctx context.Context, s Store, key string, v any) (uint64, error) {
	r, err := s.Get(ctx, key)
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(r.Value, v); err != nil {
		return 0, fmt.Errorf("fleet: record %s: %w", key, err)
	}
	return r.Revision, nil
}
