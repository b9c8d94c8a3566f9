package nodes_test

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/fleet"
	"github.com/wayfinder-engine/wayfinder/server/nodes"
)

// TestSlowReader: what a client does not read waits where it is made, in no
// node's memory, and is over when the client has gone.
func TestSlowReader(t *testing.T) {
	const (
		all  = 64 << 20
		most = 32 << 20 // the system's buffers of two connections are a few MB
	)
	var wrote atomic.Int64
	over := make(chan error, 1)
	stream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunk := make([]byte, 64<<10)
		for wrote.Load() < all {
			if _, err := w.Write(chunk); err != nil {
				<-r.Context().Done()
				break
			}
			wrote.Add(int64(len(chunk)))
		}
		over <- r.Context().Err()
	})
	store := new(fleet.Memory)
	join := func(h *httptest.Server) *nodes.Node {
		n, err := nodes.Join(t.Context(), store, &nodes.Options{Address: h.Listener.Addr().String(), Secret: secret, Term: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close(context.Background()) })
		return n
	}
	owner, front := httptest.NewUnstartedServer(nil), httptest.NewUnstartedServer(nil)
	has, asked := join(owner), join(front)
	owner.Config.Handler = has.Handler(stream)
	for len(asked.Nodes()) < 2 {
		time.Sleep(time.Millisecond)
	}
	forward, err := asked.Node(string(has.ID()))
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := forward(w, r); err != nil {
			t.Error(err)
		}
	})
	owner.Start()
	t.Cleanup(owner.Close)
	front.Start()
	t.Cleanup(front.Close)

	conn, err := net.Dial("tcp", front.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	req, err := http.NewRequestWithContext(t.Context(), "GET", front.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReaderSize(conn, 4<<10), req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != 200 {
		t.Fatal(resp.Status)
	}
	// The writer stands still: a busy machine has this end early, and never fails it.
	for before, still := int64(-1), 0; still < 30; time.Sleep(10 * time.Millisecond) {
		now := wrote.Load()
		if still++; now != before {
			before, still = now, 0
		}
	}
	t.Logf("%d KB were written", wrote.Load()>>10)
	if n := wrote.Load(); n > most {
		t.Errorf("%d MB were written to a client that reads nothing", n>>20)
	}
	conn.Close()
	if err := <-over; err != context.Canceled {
		t.Errorf("the stream of a client that has gone ended with %v", err)
	}
}
