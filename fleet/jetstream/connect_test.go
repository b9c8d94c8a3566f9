package jetstream_test

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
)

// servers starts servers of NATS that run beside the nodes; more than one are a
// cluster.
func servers(t *testing.T, n int) (addresses string) {
	t.Helper()
	var routes []*url.URL
	var held []net.Listener
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		routes = append(routes, &url.URL{Scheme: "nats-route", Host: l.Addr().String()})
	}
	for i, l := range held {
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		opts := &server.Options{ServerName: fmt.Sprint("nats-", i), Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
		if n > 1 {
			opts.Cluster, opts.Routes = server.ClusterOpts{Name: "records", Host: "127.0.0.1", Port: port}, routes
		}
		running, err := server.NewServer(opts)
		if err != nil {
			t.Fatal(err)
		}
		running.Start()
		t.Cleanup(func() {
			running.Shutdown()
			running.WaitForShutdown()
		})
		addresses = running.Addr().String()
	}
	return "nats://" + addresses
}

// copies says how many servers keep the records.
func copies(t *testing.T, ctx context.Context, addresses string) int {
	t.Helper()
	conn, err := nats.Connect(addresses)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := natsjs.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(ctx, "KV_wayfinder")
	if err != nil {
		t.Fatal(err)
	}
	return stream.CachedInfo().Config.Replicas
}

// TestConnectReplicas: three servers of NATS keep the records, where there are as
// many, and what the operator has set stays.
func TestConnectReplicas(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	connect := func(addresses string) {
		t.Helper()
		s, err := jetstream.Connect(ctx, addresses, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	for n, want := range map[int]int{1: 1, 3: 3} {
		addresses := servers(t, n)
		for range 2 { // the second finds them
			connect(addresses)
			if got := copies(t, ctx, addresses); got != want {
				t.Errorf("of %d servers %d keep the records, want %d", n, got, want)
			}
		}
	}
	addresses := servers(t, 3)
	conn, err := nats.Connect(addresses)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := natsjs.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	for { // until they have a leader
		asked, cancel := context.WithTimeout(ctx, time.Second)
		_, err := js.CreateKeyValue(asked, natsjs.KeyValueConfig{Bucket: "wayfinder", Replicas: 2})
		cancel()
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
	}
	connect(addresses)
	if got := copies(t, ctx, addresses); got != 2 {
		t.Errorf("%d servers keep the records, want the 2 of before", got)
	}
}
