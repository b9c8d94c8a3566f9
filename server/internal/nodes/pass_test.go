package nodes_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
)

// passing is a service whose node passes everything on to another, which has owner do it.
func passing(t *testing.T, owner http.HandlerFunc) *httptest.Server {
	t.Helper()
	store := new(fleet.Memory)
	join := func(h *httptest.Server) *nodes.Node {
		n, err := nodes.Join(t.Context(), store, &nodes.Options{Address: h.Listener.Addr().String(), Secret: secret, Term: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close(context.Background()) })
		return n
	}
	behind, front := httptest.NewUnstartedServer(nil), httptest.NewUnstartedServer(nil)
	has, asked := join(behind), join(front)
	behind.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r, _ = has.Receive(w, r); r != nil {
			owner(w, r)
		}
	})
	for len(asked.Nodes()) < 2 {
		time.Sleep(time.Millisecond)
	}
	forward, err := asked.Node(string(has.ID()))
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := forward(w, r, ""); err != nil {
			t.Error(err)
		}
	})
	for _, h := range []*httptest.Server{behind, front} {
		h.Start()
		t.Cleanup(h.Close)
	}
	return front
}

// TestAnswerBeforeBodyEnds: a node may answer before the node in front of it has seen
// the end of the request's body, and the answer arrives whole.
func TestAnswerBeforeBodyEnds(t *testing.T) {
	front := passing(t, func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		w.Header().Set("trailer", "x-end")
		io.WriteString(w, "first")
		control.Flush()
		body, err := io.ReadAll(r.Body)
		w.Write(body)
		w.Header().Set("x-end", fmt.Sprint(err))
	})
	client, body := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), "POST", front.URL, client)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 2
	go body.Write([]byte("a"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	first := make([]byte, len("first"))
	if _, err := io.ReadFull(resp.Body, first); err != nil {
		t.Fatal(err)
	}
	body.Write([]byte("b"))
	rest, err := io.ReadAll(resp.Body)
	if err != nil || string(rest) != "ab" || resp.Trailer.Get("x-end") != "<nil>" {
		t.Errorf("the rest is %q, %v; its trailer %q", rest, err, resp.Trailer)
	}
}

// TestUnreachableKeepsConnections: where a session's node cannot be reached, the body of the
// request is unread, and the connection serves the next one all the same.
func TestUnreachableKeepsConnections(t *testing.T) {
	front := httptest.NewUnstartedServer(nil)
	store := new(fleet.Memory)
	join := func(address string) *nodes.Node {
		n, err := nodes.Join(t.Context(), store, &nodes.Options{Address: address, Secret: secret, Term: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close(context.Background()) })
		return n
	}
	gone, asked := join("127.0.0.1:1"), join(front.Listener.Addr().String())
	for len(asked.Nodes()) < 2 {
		time.Sleep(time.Millisecond)
	}
	forward, err := asked.Node(string(gone.ID()))
	if err != nil {
		t.Fatal(err)
	}
	front.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := forward(w, r, ""); !errors.Is(err, nodes.ErrUnsent) {
			t.Errorf("forward = %v, want ErrUnsent", err)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	var connections atomic.Int64
	front.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	front.Start()
	t.Cleanup(front.Close)
	for i := range 20 {
		resp, err := front.Client().Post(front.URL, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		_, _ = io.Copy(io.Discard, resp.Body) // an empty answer
		resp.Body.Close()
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("20 requests took %d connections, want 1", n)
	}
}

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
	front := passing(t, stream)

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

// TestPass: a node takes another's word for a request if its pass was made for that
// request, this caller, and this life of the node, by one who knows the secret.
func TestPass(t *testing.T) {
	store := new(fleet.Memory)
	join := func(address, secret string) *nodes.Node {
		n, err := nodes.Join(t.Context(), store, &nodes.Options{Address: address, Secret: secret, Term: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { n.Close(context.Background()) })
		return n
	}
	const header = "x-wayfinder-node"
	passes := make(chan string, 2)
	owner := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { passes <- r.Header.Get(header) }))
	t.Cleanup(owner.Close)
	has, asked, stranger := join(owner.Listener.Addr().String(), secret), join("127.0.0.1:1", secret), join("127.0.0.1:2", "a guess")
	passOf := func(from *nodes.Node) string {
		for len(from.Nodes()) < 3 {
			time.Sleep(time.Millisecond)
		}
		forward, err := from.Node(string(has.ID()))
		if err != nil {
			t.Fatal(err)
		}
		if err := forward(httptest.NewRecorder(), httptest.NewRequest("POST", "http://service.test/v1/runs?x=1", nil), "c0ffee"); err != nil {
			t.Fatal(err)
		}
		return <-passes
	}
	good, guessed := passOf(asked), passOf(stranger)
	for _, c := range []struct {
		name, pass, method, uri string
		node                    *nodes.Node
		status                  int // 0: it is taken
	}{
		{"as it was made", good, "POST", "/v1/runs?x=1", has, 0},
		{"for another method", good, "DELETE", "/v1/runs?x=1", has, 401},
		{"for another address", good, "POST", "/v1/runs?x=2", has, 401},
		{"of another caller", strings.Replace(good, "c0ffee", "c0ffed", 1), "POST", "/v1/runs?x=1", has, 401},
		{"under another secret", guessed, "POST", "/v1/runs?x=1", has, 401},
		{"without a code", strings.Join(strings.Split(good, " ")[:3], " ") + " ", "POST", "/v1/runs?x=1", has, 401},
		{"that is none", "x", "POST", "/v1/runs?x=1", has, 401},
		{"of spaces", "  c  ", "POST", "/v1/runs?x=1", has, 401},
		{"for another node", good, "POST", "/v1/runs?x=1", asked, 421},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, sent := httptest.NewRecorder(), httptest.NewRequest(c.method, "http://service.test"+c.uri, nil)
			sent.Header.Set(header, c.pass)
			r, pass := c.node.Receive(w, sent)
			switch {
			case c.status == 0 && (pass == nil || pass.Caller != "c0ffee" || r.Header.Get(header) != ""):
				t.Errorf("the pass is %+v, %d %s", pass, w.Code, w.Body)
			case c.status != 0 && (r != nil || w.Code != c.status):
				t.Errorf("it was taken, or answered %d; want %d", w.Code, c.status)
			}
		})
	}
}
