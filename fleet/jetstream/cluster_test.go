package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
)

// cluster opens three nodes on loopback.
func cluster(t testing.TB, ctx context.Context) []*jetstream.Store {
	t.Helper()
	var peers []string
	var held []net.Listener
	for range 3 { // ports that are free: held until all are known
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		peers = append(peers, l.Addr().String())
		held = append(held, l)
	}
	for _, l := range held {
		l.Close()
	}
	return openAll(t, ctx, peers)
}

func openAll(t testing.TB, ctx context.Context, peers []string) []*jetstream.Store {
	t.Helper()
	stores := make([]*jetstream.Store, len(peers))
	var all sync.WaitGroup
	for i, peer := range peers {
		all.Go(func() {
			s, err := jetstream.Open(ctx, &jetstream.Options{Cluster: &jetstream.Cluster{Name: fmt.Sprint("n", i), Listen: peer, Peers: peers, Secret: "s"}})
			if err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(s.Close)
			stores[i] = s
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return stores
}

// put writes under a revision, and again while no leader is there.
func put(t testing.TB, ctx context.Context, s *jetstream.Store, key, value string, revision uint64) uint64 {
	t.Helper()
	for {
		asked, cancel := context.WithTimeout(ctx, 5*time.Second)
		written, err := s.Put(asked, key, []byte(value), revision)
		cancel()
		if err == nil {
			return written
		}
		if errors.Is(err, fleet.ErrConflict) {
			if r, err := s.Get(ctx, key); err == nil && string(r.Value) == value {
				return r.Revision // the answer was lost
			}
		}
		if context.Cause(ctx) != nil {
			t.Fatalf("Put(%s) = %v", key, err)
		}
	}
}

// TestCluster: what one node writes the others have, and two of three go on.
func TestCluster(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	stores := cluster(t, ctx)
	seen := make(chan string, 10)
	stop, err := stores[2].Watch(ctx, "k.", func(r fleet.Record) { seen <- string(r.Value) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	want := func(value string) {
		t.Helper()
		select {
		case got := <-seen:
			if got != value {
				t.Errorf("the third node saw %q, want %q", got, value)
			}
		case <-ctx.Done():
			t.Fatalf("the third node did not see %q", value)
		}
	}
	revision := put(t, ctx, stores[0], "k.a", "1", 0)
	want("1")
	stores[0].Close()
	revision = put(t, ctx, stores[1], "k.a", "2", revision)
	want("2")
	if _, err := stores[2].Put(ctx, "k.a", []byte("x"), revision-1); err == nil {
		t.Error("a write under an old revision succeeded")
	}
}

// TestReadOthersWrites: what a call at one node has written is there for calls at
// the others that begin after it.
func TestReadOthersWrites(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	stores := cluster(t, ctx)
	for i := range 2000 {
		key := fmt.Sprint("k.", i)
		put(t, ctx, stores[i%3], key, "x", 0)
		for j := range 2 {
			if _, err := stores[(i+1+j)%3].Get(ctx, key); err != nil {
				t.Fatalf("Get(%s) at another node = %v", key, err)
			}
		}
	}
	if _, err := stores[0].Get(ctx, "k.none"); !errors.Is(err, fleet.ErrNotFound) {
		t.Errorf("Get of what was never written = %v, want %v", err, fleet.ErrNotFound)
	}
}
