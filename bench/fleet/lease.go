package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
)

// A strife is nodes that are stopped, cut off and have their clocks set, and
// sessions that go from one to the other by that.
type strife struct {
	nodes, sessions int
	changes         int // of owners
	term            time.Duration
	seed            uint64

	random   *rand.Rand
	referee  *referee
	tenants  []*rented
	injected map[string]int
	healing  sync.WaitGroup
}

// rented is a tenant's process, and its way to the store.
type rented struct {
	child
	relay  *fleettest.Relay
	writer *os.File // its standard input
	busy   bool     // a fault is under way; protected by the referee's mutex
}

// endured is what a strife came to.
type endured struct {
	tally
	injected map[string]int
	findings []string
	took     time.Duration
	again    time.Duration // after the last fault, until each session had its owner
}

func (r *endured) String() string {
	if r == nil {
		return "nothing"
	}
	var faults []string
	for kind, n := range r.injected {
		faults = append(faults, fmt.Sprintf("%d %s", n, kind))
	}
	slices.Sort(faults)
	return fmt.Sprintf("%d changes of owners in %v, with %s; %d deeds, of which %d came late and %d from owners whose clock was set back: all refused by their fence; %d saves; each session had its owner %v after the last fault; findings: %d %s",
		r.changes, r.took.Round(time.Second), strings.Join(faults, ", "), r.deeds, r.late, r.back, r.saves, r.again.Round(100*time.Millisecond), len(r.findings), strings.Join(r.findings, "; "))
}

// The faults. They last for up to three terms.
const (
	stopped   = "pauses"             // SIGSTOP, and then SIGCONT
	cutOff    = "connections cut"    // and none made
	held      = "connections silent" // both ways
	unheard   = "without answers"    // what the node asks for is done, and it hears nothing
	muted     = "without requests"   // what it asks for arrives when it is over
	jumpedOn  = "jumps ahead"
	jumpedOff = "jumps back"
)

// run does so until the owners have changed often enough.
func (s *strife) run(ctx context.Context) (_ *endured, err error) {
	dir, err := os.MkdirTemp("", "wayfinder-strife-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	records, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		return nil, err
	}
	records.Start()
	defer records.Shutdown()
	if !records.ReadyForConnections(time.Minute) {
		return nil, fmt.Errorf("the store did not start")
	}
	if s.referee, err = newReferee(); err != nil {
		return nil, err
	}
	defer s.referee.close()
	store, err := jetstream.Connect(ctx, "nats://"+records.Addr().String(), nil)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	stop, err := store.Watch(ctx, "session.", s.referee.read())
	if err != nil {
		return nil, err
	}
	defer stop()
	s.random, s.injected = rand.New(rand.NewPCG(s.seed, 2)), map[string]int{}
	defer s.end()
	for i := range s.nodes {
		if err := s.rent(ctx, fmt.Sprint("n", i), records.Addr().String()); err != nil {
			return nil, err
		}
	}
	if _, err := s.settle(ctx, store); err != nil {
		return nil, err
	}
	begun := time.Now()
	for {
		counted, findings, _ := s.referee.report()
		if counted.changes >= s.changes || len(findings) > 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("after %d changes of owners: %w", counted.changes, err)
		}
		s.inject(ctx)
		pause.For(ctx, s.term/2)
	}
	s.healing.Wait()
	r := &endured{took: time.Since(begun), injected: s.injected}
	r.again, err = s.settle(ctx, store)
	r.tally, r.findings, _ = s.referee.report()
	if err == nil && len(r.findings) > 0 {
		err = fmt.Errorf("a session had two owners")
	}
	return r, err
}

// rent starts one process.
func (s *strife) rent(ctx context.Context, name, records string) error {
	relay, err := fleettest.NewRelay(records)
	if err != nil {
		return err
	}
	n := &rented{child: child{process: process{Name: name}}, relay: relay}
	s.tenants = append(s.tenants, n)
	n.Tenant = &tenant{Name: name, Store: "nats://" + relay.Address(), Referee: s.referee.listener.Addr().String(), Sessions: s.sessions, Term: s.term}
	reader, writer, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reader.Close()
	n.writer, n.input = writer, reader
	return n.start(ctx)
}

// end ends the processes.
func (s *strife) end() {
	s.healing.Wait()
	for _, n := range s.tenants {
		n.end(os.Kill)
		_ = n.writer.Close() // nobody reads
		n.relay.Close()
	}
}

// inject begins one fault of one node. Two of the nodes have none at any time.
func (s *strife) inject(ctx context.Context) {
	var quiet []*rented
	s.referee.mu.Lock()
	for _, n := range s.tenants {
		if !n.busy {
			quiet = append(quiet, n)
		}
	}
	s.referee.mu.Unlock()
	if len(quiet) <= 2 {
		return
	}
	n := quiet[s.random.IntN(len(quiet))]
	kinds := []string{stopped, cutOff, held, unheard, muted, jumpedOn, jumpedOff}
	kind := kinds[s.random.IntN(len(kinds))]
	span := s.term/4 + time.Duration(s.random.Int64N(int64(s.term*11/4)))
	if kind == stopped && !canStop {
		kind = cutOff
	}
	s.injected[kind]++
	heal := n.relay.Heal
	switch kind {
	case stopped:
		suspend(n.cmd.Process)
		heal = func() { resume(n.cmd.Process) }
	case cutOff:
		n.relay.Cut()
	case held:
		n.relay.Hold(true, true)
	case unheard:
		n.relay.Hold(false, true)
	case muted:
		n.relay.Hold(true, false)
	case jumpedOn, jumpedOff:
		by := span
		if kind == jumpedOff {
			by = -span
			// A node whose clock is right finds out by itself. This one has to be cut
			// off, too, or nothing comes of it.
			n.relay.Hold(true, true)
			span *= 2
		}
		fmt.Fprintf(n.writer, "jump %v\n", by)
	}
	s.setBusy(n, true)
	s.healing.Go(func() {
		pause.For(ctx, span)
		heal()
		s.setBusy(n, false)
	})
}

// setBusy notes whether a fault of a node is under way.
func (s *strife) setBusy(n *rented, busy bool) {
	s.referee.mu.Lock()
	defer s.referee.mu.Unlock()
	n.busy = busy
}

// settle waits until each session has an owner that lives, acts, and is the one
// that the store names. It returns how long that took.
func (s *strife) settle(ctx context.Context, store fleet.Store) (time.Duration, error) {
	placer, err := fleet.NewPlacer(ctx, store, &fleet.PlacerOptions{Term: s.term})
	if err != nil {
		return 0, err
	}
	defer placer.Close()
	ids := make([]fleet.SessionID, s.sessions)
	for i := range ids {
		ids[i] = sessionID(i)
	}
	begun := time.Now()
	_, _, since := s.referee.report()
	bounded, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		left := s.referee.idle(ids, since)
		if len(left) == 0 {
			for _, id := range ids {
				o, err := placer.Find(bounded, id)
				if node, fence := s.referee.highest(id); err != nil || o.Node != node || o.Token != fence {
					left = append(left, id)
				}
			}
		}
		if len(left) == 0 {
			return time.Since(begun), nil
		}
		if _, findings, _ := s.referee.report(); len(findings) > 0 {
			return 0, fmt.Errorf("a session had two owners: %s", strings.Join(findings, "; "))
		}
		if bounded.Err() != nil {
			return 0, fmt.Errorf("%d sessions have no owner: %v", len(left), left)
		}
		pause.For(bounded, s.term/4)
	}
}
