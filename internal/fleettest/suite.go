package fleettest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// A testCase is one rule of the contract, and a check of it.
type testCase struct {
	name string
	rule string // what a store that fails has broken
	run  func(t *testing.T, e *env)
}

// limit is how long a case may take: against hangs.
const limit = 2 * time.Minute

// Run holds stores against the contract. open returns an empty one, which it
// closes by t.Cleanup; the suite may write to it from several goroutines.
func Run(t *testing.T, open func(t *testing.T) fleet.Store) {
	for _, c := range slices.Concat(storeCases, placerCases, queueCases, queueLimits, queueFaults) {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			e := &env{t: t, ctx: ctx, time: NewTime(), store: open(t)}
			e.net = NewNetwork(e.store)
			c.run(t, e)
			if t.Failed() {
				t.Logf("the rule: %s", c.rule)
			}
		})
	}
}

// An env is what a case works with. Time in it is virtual.
type env struct {
	t     *testing.T
	ctx   context.Context
	time  *Time
	store fleet.Store
	net   *Network
}

// term is that of every lease; the times of cases are fractions of it.
const term = 10 * time.Second

// A node is one process of a fleet.
type node struct {
	e      *env
	link   *Link
	clock  *Clock
	placer *fleet.Placer
	member *fleet.Member // nil: it takes no sessions
	queue  *fleet.Queue
}

// node starts a process. A capacity below zero has it join nothing.
func (e *env) node(capacity int, options ...func(*fleet.QueueOptions)) *node {
	e.t.Helper()
	n := &node{e: e, link: e.net.Link(), clock: e.time.Clock()}
	var err error
	if n.placer, err = fleet.NewPlacer(e.ctx, n.link, &fleet.PlacerOptions{Term: term, Clock: n.clock}); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(n.placer.Close)
	opts := &fleet.QueueOptions{Term: term, Clock: n.clock}
	for _, set := range options {
		set(opts)
	}
	if n.queue, err = fleet.NewQueue(e.ctx, n.link, "jobs", opts); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(n.queue.Close)
	if capacity >= 0 {
		n.member = e.join(n, fleet.Node{Capacity: capacity})
	}
	return n
}

func (e *env) join(n *node, node fleet.Node) *fleet.Member {
	e.t.Helper()
	m, err := n.placer.Join(e.ctx, node)
	if err != nil {
		e.t.Fatalf("Join(%+v) = %v", node, err)
	}
	e.settle()
	return m
}

// settle waits until every node has seen what was written.
func (e *env) settle() {
	e.t.Helper()
	e.must("Settle", e.net.Settle(e.ctx))
}

// pass lets time pass in steps of a renewal. The nodes that are given do at each
// what a living one does.
func (e *env) pass(d time.Duration, living ...*node) {
	e.t.Helper()
	for step := term / 10; d > 0; d -= step {
		e.time.Advance(min(step, d))
		for _, n := range living {
			n.live()
		}
		e.settle()
	}
}

// live is one beat of a node.
func (n *node) live() {
	n.e.t.Helper()
	beat := func(what string, err error) {
		n.e.t.Helper()
		if err != nil && !errors.Is(err, fleet.ErrUnavailable) {
			n.e.t.Errorf("%s = %v", what, err)
		}
	}
	if n.member != nil {
		beat("Renew", n.member.Renew(n.e.ctx, fleet.Report{}))
	}
	beat("Sweep", second(n.placer.Sweep(n.e.ctx)))
	beat("Sweep of the queue", second(n.queue.Sweep(n.e.ctx)))
}

// report has a node say how it is, until nothing that was placed before counts.
func (n *node) report(r fleet.Report) {
	n.e.t.Helper()
	for range 2 { // what was placed since the report before is counted a while
		n.e.must("Renew", n.member.Renew(n.e.ctx, r))
		n.e.settle()
	}
}

// place places a session from a node.
func (n *node) place(id fleet.SessionID) fleet.Owner { return n.placeAt(fleet.Placement{Session: id}) }

// placeNear places a session from a node at another one, or at itself.
func (n *node) placeNear(at *node, id fleet.SessionID) fleet.Owner {
	return n.placeAt(fleet.Placement{Session: id, Near: at.member.ID()})
}

func (n *node) placeAt(p fleet.Placement) fleet.Owner {
	n.e.t.Helper()
	o, err := n.placer.Place(n.e.ctx, p)
	if err != nil {
		n.e.t.Fatalf("Place(%+v) = %v", p, err)
	}
	n.e.settle()
	return o
}

// want checks an error.
func (e *env) want(what string, got, want error) {
	e.t.Helper()
	if !errors.Is(got, want) {
		e.t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// must ends the case if there is an error.
func (e *env) must(what string, err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatalf("%s = %v", what, err)
	}
}

// storeCases are the rules of a Store itself.
var storeCases = []testCase{
	{"store/revisions", "a write succeeds under the record's revision alone, and revisions grow, over deletions too", func(t *testing.T, e *env) {
		s := e.store
		e.want("Get of nothing", second(s.Get(e.ctx, "a.b")), fleet.ErrNotFound)
		one, err := s.Put(e.ctx, "a.b", []byte("1"), 0)
		if err != nil {
			t.Fatal(err)
		}
		e.want("Put of what exists", second(s.Put(e.ctx, "a.b", []byte("x"), 0)), fleet.ErrConflict)
		two, err := s.Put(e.ctx, "a.b", []byte("2"), one)
		if err != nil || two <= one {
			t.Fatalf("Put = %d, %v; want above %d", two, err, one)
		}
		e.want("Put under an old revision", second(s.Put(e.ctx, "a.b", []byte("x"), one)), fleet.ErrConflict)
		e.want("Delete under an old revision", s.Delete(e.ctx, "a.b", one), fleet.ErrConflict)
		if r, err := s.Get(e.ctx, "a.b"); err != nil || string(r.Value) != "2" || r.Revision != two {
			t.Errorf("Get = %+v, %v", r, err)
		}
		e.must("Delete", s.Delete(e.ctx, "a.b", two))
		e.want("Get of what was deleted", second(s.Get(e.ctx, "a.b")), fleet.ErrNotFound)
		e.want("Put under the revision of what was deleted", second(s.Put(e.ctx, "a.b", []byte("x"), two)), fleet.ErrConflict)
		if three, err := s.Put(e.ctx, "a.b", []byte("3"), 0); err != nil || three <= two {
			t.Errorf("Put = %d, %v; want above %d", three, err, two)
		}
	}},
	{"store/refused", "what is no key, or too large, is refused; a call of a context that ended does nothing", func(t *testing.T, e *env) {
		for _, key := range []string{"", ".", "a..b", "a.", ".a", "a b", "a.*", "a.>", "ä"} {
			if _, err := e.store.Put(e.ctx, key, nil, 0); err == nil {
				t.Errorf("Put(%q) succeeded", key)
			}
		}
		if _, err := e.store.Put(e.ctx, "a", make([]byte, fleet.MaxValue+1), 0); err == nil {
			t.Error("a record that is too large was taken")
		}
		if _, err := e.store.Put(e.ctx, "a", make([]byte, fleet.MaxValue), 0); err != nil {
			t.Error("the largest record was refused:", err)
		}
		ended, cancel := context.WithCancel(e.ctx)
		cancel()
		e.want("Put after its context ended", second(e.store.Put(ended, "b", nil, 0)), context.Canceled)
	}},
	{"store/watch", "a watch reports what is there before it returns, and then each change, of its prefix alone and in order", func(t *testing.T, e *env) {
		put := func(key, value string, revision uint64) uint64 {
			t.Helper()
			written, err := e.store.Put(e.ctx, key, []byte(value), revision)
			if err != nil {
				t.Fatal(err)
			}
			return written
		}
		x := put("a.x", "1", 0)
		put("ab.x", "other", 0)
		seen := make(chan string, 100)
		stop, err := e.store.Watch(e.ctx, "a.", func(r fleet.Record) {
			seen <- fmt.Sprintf("%s=%s %v", r.Key, r.Value, r.Deleted)
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(seen) != 1 {
			t.Errorf("%d records were reported before Watch returned, want 1", len(seen))
		}
		reported := func(want string) { // before the next write, which could replace it
			t.Helper()
			select {
			case got := <-seen:
				if got != want {
					t.Errorf("reported %q, want %q", got, want)
				}
			case <-e.ctx.Done():
				t.Fatalf("%q was not reported", want)
			}
		}
		reported("a.x=1 false")
		x = put("a.x", "2", x)
		put("b.x", "other", 0)
		reported("a.x=2 false")
		e.must("Delete", e.store.Delete(e.ctx, "a.x", x))
		reported("a.x= true")
		put("a.y.z", "3", 0)
		reported("a.y.z=3 false")
		stop()
		stop()
		put("a.w", "late", 0)
		if len(seen) != 0 {
			t.Errorf("reported %q after stop", <-seen)
		}
	}},
	{"store/race", "of all writes under one revision, one succeeds", func(t *testing.T, e *env) {
		revision := uint64(0)
		for range 20 {
			results := make(chan uint64, 8)
			for i := range 8 {
				go func() {
					written, err := e.store.Put(e.ctx, "race", []byte{byte(i)}, revision)
					if err != nil && !errors.Is(err, fleet.ErrConflict) {
						t.Error(err)
					}
					results <- written
				}()
			}
			won := 0
			next := revision
			for range 8 {
				if written := <-results; written > 0 {
					next = written
					won++
				}
			}
			if won != 1 {
				t.Fatalf("%d of 8 writes succeeded", won)
			}
			revision = next
		}
	}},
}

// all claims every job that a node may have.
func (n *node) all() []*fleet.Claim {
	n.e.t.Helper()
	var all []*fleet.Claim
	for {
		c, err := n.queue.TryClaim(n.e.ctx, "test")
		if errors.Is(err, fleet.ErrEmpty) {
			return all
		}
		if err != nil {
			n.e.t.Fatalf("TryClaim = %v", err)
		}
		all = append(all, c)
	}
}

func (n *node) enqueue(r fleet.Request) fleet.Job {
	n.e.t.Helper()
	job, created, err := n.queue.Enqueue(n.e.ctx, r)
	if err != nil || !created {
		n.e.t.Fatalf("Enqueue = %+v, %v, %v", job, created, err)
	}
	n.e.settle()
	return job
}

func (n *node) claim() *fleet.Claim {
	n.e.t.Helper()
	c, err := n.queue.TryClaim(n.e.ctx, "test")
	if err != nil {
		n.e.t.Fatalf("TryClaim = %v", err)
	}
	n.e.settle()
	return c
}

// order claims all jobs, and returns the payloads in the order of the claims.
func (n *node) order() string {
	n.e.t.Helper()
	var all []string
	for {
		c, err := n.queue.TryClaim(n.e.ctx, "test")
		if errors.Is(err, fleet.ErrEmpty) {
			return strings.Join(all, " ")
		}
		if err != nil {
			n.e.t.Fatalf("TryClaim = %v", err)
		}
		payload, err := n.queue.Payload(n.e.ctx, c.Job.ID)
		if err != nil {
			n.e.t.Fatalf("Payload = %v", err)
		}
		all = append(all, string(payload))
		if err := c.Finish(n.e.ctx, nil); err != nil {
			n.e.t.Fatalf("Finish = %v", err)
		}
		n.e.settle()
	}
}
