package nodes_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/fleettest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/internal/nodes"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

var shop = fake.Web{
	"https://shop.test/":     `<title>Shop</title><h1>Shop</h1><a href="/cart">Cart</a><form action="/cart"><label>Note <input name=note></label><button>Order</button></form>`,
	"https://shop.test/cart": `<title>Cart</title><h1>Cart</h1>`,
}

// A member is one service of a fleet in this process.
type member struct {
	t    *testing.T
	name string
	url  string
	node *nodes.Node
	srv  *server.Server
	link *fleettest.Link
	stop func() // as SIGTERM does
	end  func() // the same at once
	die  func() // its listener is gone, and nobody says so
}

const secret = "between the nodes"

// start joins a service to the fleet of a network.
func start(t *testing.T, network *fleettest.Network, name string, edit ...func(*nodes.Options, *server.Options)) *member {
	t.Helper()
	return startWith(t, shop, network, name, edit...)
}

func startWith(t *testing.T, d driver.Driver, network *fleettest.Network, name string, edit ...func(*nodes.Options, *server.Options)) *member {
	t.Helper()
	m := &member{t: t, name: name, link: network.Link()}
	var handler http.Handler
	var mu sync.Mutex
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		now := handler
		mu.Unlock()
		now.ServeHTTP(w, r)
	}))
	h.Start()
	options := &nodes.Options{Name: name, Address: h.Listener.Addr().String(), Secret: secret, Capacity: 10, Term: time.Second, Pressure: func() float64 { return 0 }}
	service := &server.Options{
		Models: server.Models{Default: offline.New()}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}, Limits: server.Limits{Sessions: 10, StartQueue: -1},
		Keys: []server.Key{server.NewKey("alice", "a"), server.NewKey("bob", "b")},
	}
	for _, e := range edit {
		e(options, service)
	}
	var err error
	if m.node, err = nodes.Join(t.Context(), m.link, options); err != nil {
		t.Fatal(err)
	}
	service.Parts.Node = m.node
	if m.srv, err = server.New(d, service); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	handler = m.srv
	mu.Unlock()
	m.url = h.URL
	keeping, end := context.WithCancel(context.Background())
	kept := make(chan struct{})
	go func() { defer close(kept); m.srv.KeepNode(keeping) }()
	closed := sync.OnceFunc(func() {
		_ = m.srv.Shutdown(keeping)
		end()
		<-kept
		h.CloseClientConnections()
		h.Close()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		m.node.Close(ctx)
	})
	m.end = closed
	m.stop = func() {
		m.node.Drain(t.Context())
		closed()
	}
	m.die = func() {
		m.link.Cut()
		h.CloseClientConnections()
		h.Listener.Close()
		end()
		<-kept
	}
	t.Cleanup(closed)
	return m
}

func (m *member) client(key string) *client.Client {
	m.t.Helper()
	c, err := client.New(m.url, &client.Options{APIKey: key})
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

// session starts one, by any node.
func (m *member) session(labels map[string]string) *client.Session {
	m.t.Helper()
	s, err := m.client("a").Start(m.t.Context(), &wire.SessionStart{Browser: &wire.Browser{Labels: labels}})
	if err != nil {
		m.t.Fatal(err)
	}
	return s
}

// at is a session as another node has it.
func (m *member) at(s *client.Session) *client.Session { return m.client("a").Session(s.ID()) }

func failure(err error) string {
	var e *client.Error
	if !errors.As(err, &e) {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(e.Status, " ", e.Code)
}

// patient keeps a node that gets no time from a busy machine, where no node dies.
func patient(o *nodes.Options, _ *server.Options) { o.Term = time.Minute }

// TestRouting: sessions are spread, and any node takes any request for them:
// calls, streams with their trailers, and the end.
func TestRouting(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	all := []*member{start(t, network, "a", patient), start(t, network, "b", patient), start(t, network, "c", patient)}
	var sessions []*client.Session
	for i := range 9 {
		sessions = append(sessions, all[i%3].session(nil))
	}
	for _, m := range all {
		// Three each; a report of a node in the middle has sessions counted twice for a while.
		if n := m.srv.Load().Sessions; n == 0 || n > 5 {
			t.Errorf("node %s has %d sessions of 9", m.name, n)
		}
	}
	for i, s := range sessions {
		first, second := all[(i+1)%3].at(s), all[(i+2)%3].at(s)
		if _, err := first.Navigate(t.Context(), &wire.NavigateRequest{URL: "https://shop.test/"}); err != nil {
			t.Fatal(err)
		}
		act, err := second.Act(t.Context(), client.Say("type tea into Note"))
		if err != nil || !act.Result.Success || act.Sent != wire.SentAll {
			t.Errorf("act = %+v, %v", act, err)
		}
		lines := 0
		for frame, err := range first.ActStream(t.Context(), client.Say("click Cart")) {
			if err != nil {
				t.Fatal(err)
			}
			if frame.Data.Status == wire.Running {
				lines++
			}
		}
		if lines == 0 {
			t.Error("the stream had no lines")
		}
		// Another key's, as on one machine.
		if _, err := all[i%3].client("b").Session(s.ID()).Replay(t.Context()); failure(err) != "403 forbidden" {
			t.Errorf("another key's session = %v", err)
		}
		if err := second.End(t.Context()); err != nil {
			t.Error(err)
		}
		for _, m := range all {
			if _, err := m.at(s).Replay(t.Context()); failure(err) != "404 session_not_found" {
				t.Errorf("after its end at %s: %v", m.name, err)
			}
		}
	}
	_, err := all[0].client("a").Session("no such session").Replay(t.Context())
	if failure(err) != "404 session_not_found" {
		t.Error(err)
	}
	// A header is there once, and the trailer of a stream arrives.
	s := all[0].session(nil)
	for _, m := range all {
		req, err := http.NewRequestWithContext(t.Context(), "POST", m.url+"/v1/sessions/"+s.ID()+"/act", strings.NewReader(`{"input":"click nothing","streamResponse":true}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("content-type", "application/json")
		req.Header.Set("x-svc-api-key", "a")
		req.Header.Set("x-request-id", "mine")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
		for _, name := range []string{"x-request-id", "content-type", "x-should-retry", "cache-control"} {
			if got := resp.Header.Values(name); len(got) != 1 {
				t.Errorf("by %s: %s = %q, want one", m.name, name, got)
			}
		}
		if got := resp.Trailer.Get(wire.HeaderSent); got != "none" {
			t.Errorf("by %s: the trailer %s = %q", m.name, wire.HeaderSent, got)
		}
	}
}

// TestPlacement: labels, room and draining say where sessions begin.
func TestPlacement(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	a := start(t, network, "a", func(o *nodes.Options, s *server.Options) { o.Capacity, s.Limits.Sessions = 2, 2 })
	b := start(t, network, "b", func(o *nodes.Options, s *server.Options) {
		o.Labels, o.Capacity, s.Limits.Sessions = map[string]string{"zone": "north"}, 3, 3
	})
	north := map[string]string{"zone": "north"}
	a.session(north)
	if b.srv.Load().Sessions != 1 {
		t.Error("the label was not looked at")
	}
	for range 4 {
		b.session(nil)
	}
	for _, m := range []*member{a, b} {
		if _, err := m.client("a").Start(t.Context(), &wire.SessionStart{}); failure(err) != "429 too_many_sessions" {
			t.Errorf("a session too many by %s: %v", m.name, err)
		}
	}
	c := start(t, network, "c")
	b.node.Drain(t.Context())
	for range 3 {
		b.session(nil)
	}
	if n := c.srv.Load().Sessions; n != 3 {
		t.Errorf("the new node has %d sessions, want 3", n)
	}
	if _, err := a.client("a").Start(t.Context(), &wire.SessionStart{Browser: &wire.Browser{Labels: north}}); failure(err) != "429 too_many_sessions" {
		t.Errorf("a session at a node that drains: %v", err)
	}
}

// TestKeySessions: a key's limit of sessions holds over all nodes, also when they
// are asked at once; what ends, and what a dead node had, can be had again.
func TestKeySessions(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	limited := func(_ *nodes.Options, s *server.Options) { s.Keys[0].Limits.Sessions = 4 }
	all := []*member{start(t, network, "a", limited), start(t, network, "b", limited), start(t, network, "c", limited)}
	var mu sync.Mutex
	var open []*client.Session
	begin := func(m *member) error {
		s, err := m.client("a").Start(t.Context(), &wire.SessionStart{})
		if err == nil {
			mu.Lock()
			open = append(open, s)
			mu.Unlock()
		}
		return err
	}
	var starts sync.WaitGroup
	for i := range 12 {
		starts.Go(func() {
			err := begin(all[i%3])
			if err != nil && (failure(err) != "429 too_many_sessions" || !strings.Contains(err.Error(), "the key has its 4 sessions")) {
				t.Errorf("a session too many: %v", err)
			}
		})
	}
	starts.Wait()
	if len(open) != 4 {
		t.Fatalf("the key has %d sessions, want 4", len(open))
	}
	if other, err := all[0].client("b").Start(t.Context(), &wire.SessionStart{}); err != nil || other.End(t.Context()) != nil {
		t.Errorf("another key: %v", err)
	}
	again := func(m *member) {
		t.Helper()
		for {
			err := begin(m)
			if err == nil {
				return
			}
			if code := failure(err); code != "429 too_many_sessions" && code != "503 node_unavailable" {
				t.Fatal(err)
			}
		}
	}
	if err := open[0].End(t.Context()); err != nil {
		t.Error(err)
	}
	again(all[0])
	here := all[2].srv.Load().Sessions
	all[2].die()
	for range here {
		again(all[1])
	}
	if err := begin(all[1]); here > 0 && failure(err) != "429 too_many_sessions" {
		t.Errorf("one more: %v", err)
	}
}

// TestCancel: what the client leaves ends at the session's node.
func TestCancel(t *testing.T) {
	asked, release := make(chan struct{}, 1), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	t.Cleanup(site.Close)
	t.Cleanup(func() { close(release) })
	network := fleettest.NewNetwork(new(fleet.Memory))
	a := startWith(t, fake.Network(), network, "a", func(o *nodes.Options, _ *server.Options) { o.Capacity = 0 })
	over := make(chan struct{})
	startWith(t, fake.Network(), network, "b", func(_ *nodes.Options, o *server.Options) {
		o.Hooks.Served = func(_ context.Context, s server.Served) {
			if s.Route == "POST /v1/sessions/{id}/navigate" {
				close(over)
			}
		}
	})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := a.session(nil).Navigate(ctx, &wire.NavigateRequest{URL: site.URL})
		left <- err
	}()
	<-asked
	cancel()
	<-over // while the site still waits
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("Navigate = %v", err)
	}
}

// TestGone: the sessions of a node that has died, that was taken for dead, or
// that has ended, are gone at every node, and what waits for it ends.
func TestGone(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	a, b, c := start(t, network, "a"), start(t, network, "b"), start(t, network, "c")
	owner := func(s *client.Session) *member {
		for _, m := range []*member{a, b, c} {
			if _, err := m.node.Find(t.Context(), s.ID()); errors.Is(err, nodes.ErrNoSession) {
				return m // nobody else's
			}
		}
		t.Fatal("nobody has the session")
		return nil
	}
	byOwner := map[*member]*client.Session{}
	for range 3 {
		s := a.session(nil)
		byOwner[owner(s)] = s
	}
	if len(byOwner) != 3 {
		t.Fatalf("the sessions are at %d nodes, want 3", len(byOwner))
	}
	wantGone := func(m *member, s *client.Session) {
		t.Helper()
		for {
			_, err := m.at(s).Act(t.Context(), client.Say("click Cart"))
			var e *client.Error
			if err == nil {
				continue // it holds its lease
			}
			if !errors.As(err, &e) {
				t.Fatalf("at %s: %v", m.name, err)
			}
			if e.Code == wire.SessionGone {
				if e.Status != http.StatusGone {
					t.Errorf("at %s: %+v", m.name, e)
				}
				return
			}
			if e.Code != wire.NodeUnavailable || e.RetryAfter == 0 { // until it is found dead
				t.Fatalf("at %s: %v", m.name, err)
			}
		}
	}
	// It has died.
	c.die()
	wantGone(a, byOwner[c])
	wantGone(b, byOwner[c])
	// It cannot be heard of, and finds that out by itself.
	b.link.Cut()
	wantGone(a, byOwner[b])
	b.link.Heal()
	wantGone(b, byOwner[b])
	// It has joined again, and takes sessions.
	for b.srv.Load().Sessions == 0 {
		if _, err := a.client("a").Start(t.Context(), &wire.SessionStart{}); err != nil {
			t.Fatal(err)
		}
	}
	// It ends.
	a.stop()
	wantGone(b, byOwner[a])
}

// TestGoneAtOnce: so are those of a node that says nothing more than that it ends.
func TestGoneAtOnce(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	silent := func(o *nodes.Options, _ *server.Options) { o.Term = time.Hour }
	a := start(t, network, "a", silent, func(o *nodes.Options, _ *server.Options) { o.Capacity = 0 })
	b := start(t, network, "b", silent)
	s := a.session(nil)
	b.end()
	for {
		_, err := a.at(s).Replay(t.Context())
		if failure(err) == "410 session_gone" {
			return
		}
		if failure(err) != "503 node_unavailable" {
			t.Fatal(err)
		}
	}
}

// TestLists: each node lists the sessions of all, names the nodes that do not
// answer, and shows what is at another, taken over there as well.
func TestLists(t *testing.T) {
	network := fleettest.NewNetwork(new(fleet.Memory))
	operators := func(_ *nodes.Options, o *server.Options) { o.Keys[1].Operator = true }
	all := []*member{start(t, network, "a", patient, operators), start(t, network, "b", patient, operators)}
	call := func(m *member, key, method, path, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), method, m.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("content-type", "application/json")
		req.Header.Set("x-svc-api-key", key)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(raw)
	}
	list := func(m *member, key string) (l wire.Success[wire.SessionList]) {
		status, body := call(m, key, "GET", "/v1/sessions", "")
		if err := json.Unmarshal([]byte(body), &l); err != nil || status != 200 {
			t.Fatalf("list: %d %s %v", status, body, err)
		}
		return l
	}
	var sessions []*client.Session
	for i := range 4 {
		sessions = append(sessions, all[i%2].session(nil))
	}
	here := 0 // sessions of the first node
	for _, m := range all {
		at := map[string]int{}
		for _, one := range list(m, "a").Data.Sessions {
			at[one.Node]++
		}
		// They are placed by what each node knew of the other's load right then.
		here = at[string(all[0].node.ID())]
		if there := at[string(all[1].node.ID())]; len(at) != 2 || here+there != len(sessions) || here == 0 || there == 0 {
			t.Errorf("by %s: %v", m.name, at)
		}
		if l := list(m, "b").Data; len(l.Sessions) != 4 || !l.Operator || l.Sessions[0].Key != "alice" {
			t.Errorf("the operator sees %+v", l)
		}
		var n wire.Success[body.Nodes]
		status, body := call(m, "b", "GET", "/v1/nodes", "")
		if err := json.Unmarshal([]byte(body), &n); err != nil || status != 200 || len(n.Data.Nodes) != 2 || n.Data.Nodes[0].Here == n.Data.Nodes[1].Here {
			t.Errorf("nodes: %d %s", status, body)
		}
	}
	// Through the node that does not have it.
	for i, s := range sessions[:2] {
		m := all[(i+1)%2]
		ctx, leave := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", m.url+"/v1/sessions/"+s.ID()+"/live", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-svc-api-key", "a")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(resp.Body).ReadString('\n')
		var hello body.LiveEvent
		if err != nil || json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &hello) != nil || hello.Viewer == "" {
			t.Fatalf("live: %q, %v", line, err)
		}
		if status, body := call(m, "a", "POST", "/v1/sessions/"+s.ID()+"/take", `{"viewer":"`+hello.Viewer+`"}`); status != 200 {
			t.Errorf("take: %d %s", status, body)
		}
		if _, err := m.at(s).Observe(t.Context(), &wire.ObserveRequest{}); failure(err) != "409 session_taken" {
			t.Errorf("observe = %v", err)
		}
		leave()
		resp.Body.Close()
		for deadline := time.Now().Add(time.Minute); ; {
			if _, err := m.at(s).Observe(t.Context(), &wire.ObserveRequest{}); err == nil {
				break
			} else if time.Now().After(deadline) {
				t.Fatalf("its viewer has gone, and the session is still taken: %v", err)
			}
		}
	}
	all[1].die()
	if l := list(all[0], "a").Data; len(l.Sessions) != here || len(l.Unreachable) > 1 {
		t.Errorf("after the other's death: %+v", l)
	}
}
