package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
)

// away returns a store whose server is reached by a relay.
func away(t *testing.T) (*jetstream.Store, *fleettest.Relay) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server did not start")
	}
	relay, err := fleettest.NewRelay(s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(relay.Close)
	store, err := jetstream.Connect(t.Context(), fmt.Sprintf("nats://%s", relay.Address()), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store, relay
}

// TestLostRequest: a request, or an answer, that never arrives fails its call, however long
// the context allows. A run whose log waited for one was at work for ever.
func TestLostRequest(t *testing.T) {
	t.Parallel()
	store, relay := away(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	revision, err := store.Put(ctx, "k.a", []byte("1"), 0)
	if err != nil {
		t.Fatal(err)
	}
	relay.Hold(false, true)
	if _, err := store.Put(ctx, "k.a", []byte("2"), revision); !errors.Is(err, fleet.ErrUnavailable) {
		t.Errorf("Put without an answer = %v, want %v", err, fleet.ErrUnavailable)
	}
	if _, err := store.Get(ctx, "k.a"); !errors.Is(err, fleet.ErrUnavailable) {
		t.Errorf("Get without an answer = %v, want %v", err, fleet.ErrUnavailable)
	}
	relay.Heal()
	ended, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	put(t, ended, store, "k.a", "3", revision+1) // the second one was written
}

// TestConnectionLost: a watch goes on where it was when its connection is there again.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	store, relay := away(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := make(chan string, 10)
	stop, err := store.Watch(ctx, "k.", func(r fleet.Record) { seen <- string(r.Value) })
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	relay.Cut()
	if _, err := store.Put(ctx, "k.a", []byte("lost"), 0); !errors.Is(err, fleet.ErrUnavailable) {
		t.Errorf("Put without a connection = %v, want %v", err, fleet.ErrUnavailable)
	}
	relay.Heal()
	put(t, ctx, store, "k.a", "1", 0)
	for got := ""; got != "1"; {
		select {
		case got = <-seen:
			if got != "1" {
				t.Errorf("the watch reported %q", got)
			}
		case <-ctx.Done():
			t.Fatal("the watch did not go on")
		}
	}
}
