package fleettest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A Network is what lies between nodes and their store. It knows what was written, so
// that a test can wait until all nodes have seen it.
type Network struct {
	store fleet.Store

	mu      sync.Mutex // protects what follows, and the links
	written map[string]uint64
	watches map[*watch]bool
	changed chan struct{} // closed and replaced when a watch has reported
}

// A watch is one call to Watch, by way of a link.
type watch struct {
	link   *Link
	prefix string
	seen   map[string]uint64
}

// NewNetwork returns a network around a store.
func NewNetwork(s fleet.Store) *Network {
	return &Network{store: s, written: map[string]uint64{}, watches: map[*watch]bool{}, changed: make(chan struct{})}
}

// Link returns a connection of one more node.
func (n *Network) Link() *Link { return &Link{net: n} }

// Settle returns once every watch of links that are not cut has reported all
// that was written.
func (n *Network) Settle(ctx context.Context) error {
	for {
		n.mu.Lock()
		behind, changed := n.behind(), n.changed
		n.mu.Unlock()
		if behind == "" {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("fleettest: no watch has reported the last change of %s: %w", behind, context.Cause(ctx))
		}
	}
}

// behind returns a key that a watch has not reported. n.mu is held.
func (n *Network) behind() string {
	for w := range n.watches {
		if w.link.cut || w.link.lag {
			continue
		}
		for key, revision := range n.written {
			if strings.HasPrefix(key, w.prefix) && w.seen[key] < revision {
				return key
			}
		}
	}
	return ""
}

// A Link is one node's connection to a store, with faults.
type Link struct {
	net *Network

	// What follows is protected by net.mu.
	cut  bool
	lag  bool      // nothing is reported, and calls get through
	mute int       // writes that are done and whose answer is lost
	left int       // writes until it is cut; 0: it is not
	late []delayed // what a watch could not report
}

// delayed is a change that waits for the connection.
type delayed struct {
	changed func(fleet.Record)
	record  fleet.Record
}

var _ fleet.Store = (*Link)(nil)

// Cut separates the node from the store: calls fail, and nothing is reported.
func (l *Link) Cut() { l.change(func() { l.cut = true }) }

// CutAfter separates the node after its next n writes, of which it gets the answers.
func (l *Link) CutAfter(n int) { l.change(func() { l.left = n }) }

// Lag has the node hear of no change until [Link.Heal], while its calls get through.
func (l *Link) Lag() { l.change(func() { l.lag = true }) }

// Heal connects the node again, and reports what it has missed.
func (l *Link) Heal() {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	for len(l.late) > 0 {
		next := l.late[0]
		l.late = l.late[1:]
		l.net.mu.Unlock()
		next.changed(next.record)
		l.net.mu.Lock()
	}
	l.cut, l.lag = false, false
}

// LoseAnswers has the next n writes done, and reported as failed.
func (l *Link) LoseAnswers(n int) { l.change(func() { l.mute = n }) }

func (l *Link) change(f func()) {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	f()
}

func (l *Link) begin() error {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	if l.cut {
		return fmt.Errorf("%w: the link is cut", fleet.ErrUnavailable)
	}
	return nil
}

// wrote notes a write, and is what it is answered with.
func (l *Link) wrote(key string, revision uint64, err error) error {
	l.net.mu.Lock()
	defer l.net.mu.Unlock()
	if err != nil {
		return err
	}
	l.net.written[key] = max(l.net.written[key], revision)
	if l.left > 0 {
		l.left--
		l.cut = l.left == 0
	}
	if l.mute > 0 {
		l.mute--
		return fmt.Errorf("%w: the answer was lost", fleet.ErrUnavailable)
	}
	return nil
}

// Get implements fleet.Store.
func (l *Link) Get(ctx context.Context, key string) (fleet.Record, error) {
	if err := l.begin(); err != nil {
		return fleet.Record{}, err
	}
	return l.net.store.Get(ctx, key)
}

// Put implements fleet.Store.
func (l *Link) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := l.begin(); err != nil {
		return 0, err
	}
	written, err := l.net.store.Put(ctx, key, value, revision)
	if err = l.wrote(key, written, err); err != nil {
		return 0, err
	}
	return written, nil
}

// Delete implements fleet.Store.
func (l *Link) Delete(ctx context.Context, key string, revision uint64) error {
	if err := l.begin(); err != nil {
		return err
	}
	err := l.net.store.Delete(ctx, key, revision)
	return l.wrote(key, revision+1, err) // that of the deletion is later
}

// Watch implements fleet.Store.
func (l *Link) Watch(ctx context.Context, prefix string, changed func(fleet.Record)) (stop func(), err error) {
	if err := l.begin(); err != nil {
		return nil, err
	}
	w := &watch{link: l, prefix: prefix, seen: map[string]uint64{}}
	net := l.net
	report := func(r fleet.Record) {
		changed(r)
		net.mu.Lock()
		defer net.mu.Unlock()
		w.seen[r.Key] = max(w.seen[r.Key], r.Revision)
		close(net.changed)
		net.changed = make(chan struct{})
	}
	end, err := net.store.Watch(ctx, prefix, func(r fleet.Record) {
		net.mu.Lock()
		if l.cut || l.lag {
			l.late = append(l.late, delayed{report, r})
			net.mu.Unlock()
			return
		}
		net.mu.Unlock()
		report(r)
	})
	if err != nil {
		return nil, err
	}
	net.mu.Lock()
	defer net.mu.Unlock()
	net.watches[w] = true
	return func() {
		end()
		net.mu.Lock()
		defer net.mu.Unlock()
		delete(net.watches, w)
	}, nil
}
