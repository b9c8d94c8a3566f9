package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/internal/pause"
	"github.com/wayfinder-engine/wayfinder/server/internal/body"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// Options are what a node is. Address and Secret are needed.
type Options struct {
	Name     string            // the beginning of its ID; empty is "node"
	Address  string            // host:port at which the other nodes reach its Handler
	Secret   string            // shared by all nodes, and known to no others
	Labels   map[string]string // that sessions may ask for
	Capacity int               // sessions at most
	Term     time.Duration     // after which a node that is not heard of is gone, and half of that; 0 is 10 s
	// Pressure says how far the machine is used: 0 is idle, 1 takes no more. nil
	// is this machine's memory and processors, where that can be known.
	Pressure func() float64
	Logger   *slog.Logger // nil is silence
}

// A Node is a service's place in a fleet. It may be used by any number of
// goroutines.
type Node struct {
	shared
	opts     Options
	proxy    *httputil.ReverseProxy
	idle     func()        // closes connections to other nodes
	watching chan struct{} // closed when watch has returned

	mu     sync.Mutex // protects what follows
	member *fleet.Member
	drain  bool
	report func() int             // counts sessions; nil before Maintain
	owners map[string]fleet.Owner // of sessions elsewhere that were asked for
	lives  map[fleet.NodeID]*life // of other nodes
}

// A life is that of another node, as far as this one has seen.
type life struct {
	ctx  context.Context // ends with it
	end  context.CancelCauseFunc
	seen bool // among those that live
}

// Join makes a node known to the fleet whose records the store has. The caller
// has it renewed by Maintain, which a server that has it does, and closes it.
func Join(ctx context.Context, s fleet.Store, opts *Options) (*Node, error) {
	if opts == nil || opts.Secret == "" || opts.Address == "" {
		return nil, errors.New("nodes: a node needs an address for the others, and the secret that they share")
	}
	n := &Node{shared: shared{log: cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)), store: s}, opts: *opts, owners: map[string]fleet.Owner{}, lives: map[fleet.NodeID]*life{}, watching: make(chan struct{})}
	if n.opts.Pressure == nil {
		n.opts.Pressure = pressure
	}
	n.self = n.ID
	var err error
	if n.placer, err = fleet.NewPlacer(ctx, s, &fleet.PlacerOptions{Term: opts.Term, Logger: n.log}); err != nil {
		return nil, fmt.Errorf("nodes: %w", err)
	}
	if err := n.join(ctx); err != nil {
		n.placer.Close()
		return nil, err
	}
	n.proxy, n.idle = n.newProxy()
	n.begun, n.end = context.WithCancel(context.WithoutCancel(ctx))
	go n.watch()
	return n, nil
}

func (n *Node) join(ctx context.Context) error {
	n.mu.Lock()
	capacity := n.opts.Capacity
	if n.drain {
		capacity = 0
	}
	n.mu.Unlock()
	member, err := n.placer.Join(ctx, fleet.Node{Name: n.opts.Name, Address: n.opts.Address, Labels: n.opts.Labels, Capacity: capacity})
	if err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.member = member
	return nil
}

// current returns this life's place in the fleet.
func (n *Node) current() *fleet.Member {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.member
}

// ID returns the ID of this life of the node.
func (n *Node) ID() fleet.NodeID { return n.current().ID() }

// Life is ID, for holders of profiles.
func (n *Node) Life() string { return string(n.ID()) }

// Ended reports whether a life of a node is over.
func (n *Node) Ended(ctx context.Context, life string) (bool, error) {
	return n.placer.Gone(ctx, fleet.NodeID(life))
}

// Nodes returns the nodes that are alive, this one among them.
func (n *Node) Nodes() []body.Node {
	self, all := n.ID(), []body.Node{}
	for _, one := range n.placer.Nodes() {
		all = append(all, body.Node{
			ID: string(one.ID), Address: one.Address, Labels: one.Labels, Capacity: one.Capacity,
			Sessions: one.Sessions, Pressure: one.Pressure, Draining: one.Draining, Here: one.ID == self,
		})
	}
	return all
}

// Node returns the way to another node that is alive, for what each is asked. Errors
// wrap [ErrNodeGone].
func (n *Node) Node(id string) (Forward, error) {
	for _, one := range n.placer.Nodes() {
		if string(one.ID) == id {
			n.mu.Lock()
			defer n.mu.Unlock()
			return n.forward(fleet.Owner{Node: one.ID, Address: one.Address}, n.lifeOf(one.ID).ctx), nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrNodeGone, id)
}

// cleanEvery is how often, and how long after their end, the records of dead
// nodes are removed, and those of keys' requests.
const cleanEvery = time.Hour

// Maintain renews the node's lease until ctx ends. count tells how many sessions the node's
// service has. When the node was taken for dead, end ends them, and the node begins anew.
func (n *Node) Maintain(ctx context.Context, count func() int, end func()) {
	n.mu.Lock()
	n.report = count
	n.mu.Unlock()
	var cleaner sync.WaitGroup
	defer cleaner.Wait()
	cleaner.Go(func() {
		for pause.For(ctx, cleanEvery) {
			if _, err := n.placer.Clean(ctx, cleanEvery); err != nil {
				n.log.Warn("the records of dead nodes are still there", "err", err)
			}
			if err := n.cleanRequests(ctx, cleanEvery); err != nil {
				n.log.Warn("what keys have asked in minutes that are over is still there", "err", err)
			}
		}
	})
	for {
		member := n.current()
		err := fleet.Maintain(ctx, member, n.now)
		if context.Cause(ctx) != nil {
			return
		}
		n.log.Error("this node was taken for dead: its sessions are ended", "node", string(member.ID()), "err", err)
		end()
		for {
			if err = n.join(ctx); err == nil {
				break
			}
			n.log.Warn("this node could not join again", "err", err)
			if !pause.For(ctx, time.Second) {
				return
			}
		}
	}
}

// now is what the node says of itself.
func (n *Node) now() fleet.Report {
	n.mu.Lock()
	defer n.mu.Unlock()
	r := fleet.Report{Draining: n.drain, Pressure: min(max(n.opts.Pressure(), 0), 1)}
	if n.report != nil {
		r.Sessions = n.report()
	}
	return r
}

// Drain has the others place no session here any more.
func (n *Node) Drain(ctx context.Context) {
	n.mu.Lock()
	n.drain = true
	member := n.member
	n.mu.Unlock()
	if err := member.Renew(ctx, n.now()); err != nil {
		n.log.Warn("the others do not know that this node ends", "err", err)
	}
}

// Close leaves the fleet: sessions that are still here are gone. Maintain has returned
// by then.
func (n *Node) Close(ctx context.Context) {
	dropped := make(chan struct{})
	go func() {
		defer close(dropped)
		n.dropping.Wait()
	}()
	select {
	case <-dropped:
	case <-ctx.Done(): // what is left is gone with the node
	}
	if err := n.current().Leave(ctx); err != nil {
		n.log.Warn("this node could not say that it leaves", "err", err)
	}
	n.end()
	<-dropped
	<-n.watching
	n.placer.Close()
	n.idle()
}

// watch ends what goes to nodes that have died.
func (n *Node) watch() {
	defer close(n.watching)
	_ = n.placer.Await(n.begun, func(alive []fleet.NodeInfo) bool {
		there := make(map[fleet.NodeID]bool, len(alive))
		for _, one := range alive {
			there[one.ID] = true
		}
		n.mu.Lock()
		defer n.mu.Unlock()
		for id, l := range n.lives {
			switch {
			case there[id]:
				l.seen = true
			case l.seen || n.placer.Dead(id): // else it is new
				l.end(ErrNodeGone)
				delete(n.lives, id)
			}
		}
		for id, o := range n.owners {
			if l := n.lives[o.Node]; l == nil {
				delete(n.owners, id) // asked for anew, and then known to be gone
			}
		}
		return false
	})
}

// lifeOf returns the life of a node. n.mu is held.
func (n *Node) lifeOf(id fleet.NodeID) *life {
	l := n.lives[id]
	if l == nil {
		l = &life{}
		l.ctx, l.end = context.WithCancelCause(n.begun)
		if n.placer.Dead(id) { // since its session was found
			l.end(ErrNodeGone)
			return l
		}
		n.lives[id] = l
	}
	return l
}

// mostOwners is how many owners are remembered.
const mostOwners = 200_000

// remember notes which node has a session.
func (n *Node) remember(o fleet.Owner) Forward {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.owners) >= mostOwners {
		clear(n.owners)
	}
	n.owners[string(o.Session)] = o
	return n.forward(o, n.lifeOf(o.Node).ctx)
}

// Place chooses a node that has the labels for a new session, and makes the session
// known to all. A nil Forward is this node. Errors wrap [ErrNoRoom] where no node can
// take one.
func (n *Node) Place(ctx context.Context, session string, labels map[string]string) (Forward, error) {
	o, err := n.placer.Place(ctx, fleet.Placement{Session: fleet.SessionID(session), Labels: labels})
	switch {
	case errors.Is(err, fleet.ErrNoRoom):
		return nil, fmt.Errorf("%w: %w", ErrNoRoom, err)
	case err != nil:
		return nil, err
	case o.Node == n.ID():
		return nil, nil
	}
	return n.remember(o), nil
}

// Own makes a session known to all that this node has begun by itself.
func (n *Node) Own(ctx context.Context, session string) error {
	_, err := n.placer.Own(ctx, fleet.SessionID(session), n.ID())
	return err
}

// dropTime bounds the removal of one session's record.
const dropTime = 10 * time.Second

// Drop makes a session unknown that this node has placed, or had. It does not wait for
// the store.
func (n *Node) Drop(session string) {
	n.mu.Lock()
	o, elsewhere := n.owners[session]
	delete(n.owners, session)
	if !elsewhere {
		o = fleet.Owner{Session: fleet.SessionID(session), Node: n.member.ID(), Token: 1} // no session is ever replaced
	}
	n.mu.Unlock()
	n.dropping.Go(func() {
		ctx, cancel := context.WithTimeout(n.begun, dropTime)
		defer cancel()
		if err := n.placer.Release(ctx, o); err != nil && !errors.Is(err, fleet.ErrLost) {
			n.log.Warn("a session that is over is still known", "session", session, "err", err)
		}
	})
}

// Find returns the way to a session that this node does not have. Errors wrap
// [ErrNoSession] or [ErrNodeGone].
func (n *Node) Find(ctx context.Context, session string) (Forward, error) {
	n.mu.Lock()
	if o, ok := n.owners[session]; ok {
		defer n.mu.Unlock()
		return n.forward(o, n.lifeOf(o.Node).ctx), nil
	}
	n.mu.Unlock()
	o, err := n.placer.Find(ctx, fleet.SessionID(session))
	var key *fleet.KeyError
	switch {
	case errors.Is(err, fleet.ErrNotFound), errors.As(err, &key):
		return nil, fmt.Errorf("%w: %w", ErrNoSession, err)
	case errors.Is(err, fleet.ErrGone):
		return nil, fmt.Errorf("%w: %w", ErrNodeGone, err)
	case err != nil:
		return nil, err
	case o.Node == n.ID():
		if err := n.Held(); err != nil {
			return nil, err
		}
		return nil, ErrNoSession // it has just ended
	}
	return n.remember(o), nil
}

// forget drops what is remembered of a session elsewhere.
func (n *Node) forget(session fleet.SessionID) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.owners, string(session))
}

// Held returns an error that wraps [ErrNodeGone] where this node's own sessions count as
// gone.
func (n *Node) Held() error {
	if err := n.current().Held(); err != nil {
		return fmt.Errorf("%w: %w", ErrNodeGone, err)
	}
	return nil
}

// Receive returns a request as its client sent it, and the pass with which another node
// has let it in; a nil pass is a client's own request. A nil request was answered: its
// pass is none, or is for another life of this node.
func (n *Node) Receive(w http.ResponseWriter, r *http.Request) (*http.Request, *Pass) {
	if r.Header.Get(passHeader) == "" {
		return r, nil
	}
	p, ok := readPass(r.Header.Get(passHeader), n.opts.Secret, r.Method, r.URL.RequestURI())
	switch {
	case !ok:
		n.log.Warn("a request with a wrong pass was refused", "from", r.RemoteAddr)
		answer(w, http.StatusUnauthorized, wire.Unauthorized, "the pass is not one of this fleet's nodes")
	case p.to != n.ID():
		w.Header().Set(passHeader, "another")
		answer(w, http.StatusMisdirectedRequest, wire.SessionGone, "the request is for another life of this node")
	default:
		r = r.WithContext(r.Context())
		r.Header.Del(passHeader)
		if host := r.Header.Get(hostHeader); host != "" {
			r.Host = host // addresses of the service are given as the client knows it
		}
		return r, p
	}
	return nil, nil
}

// forward returns the way to a session's owner. life ends with that node.
func (n *Node) forward(o fleet.Owner, life context.Context) Forward {
	return func(w http.ResponseWriter, r *http.Request, caller string) error {
		p := &passing{owner: o, caller: caller, node: n, w: w, start: r.URL.Path == "/v1/sessions/start"}
		ctx, cancel := context.WithCancelCause(context.WithValue(r.Context(), passingKey{}, p))
		defer cancel(nil)
		defer context.AfterFunc(life, func() { cancel(context.Cause(life)) })()
		// The owner may answer while the transport still reads the request's body. By default
		// HTTP/1's server consumes the body before it writes the answer's head; the transport's
		// read would fail, it would close the connection, and the answer would be cut off.
		_ = http.NewResponseController(w).EnableFullDuplex() // HTTP/2 always does so
		// In full duplex the server leaves the body to the handler. If nobody reads it, for
		// example because the owner cannot be reached, the server reads its end too late and
		// panics at the connection's next request.
		defer r.Body.Close()
		n.proxy.ServeHTTP(w, r.WithContext(ctx))
		return p.err
	}
}

// newProxy returns what passes requests on.
func (n *Node) newProxy() (_ *httputil.ReverseProxy, closeIdle func()) {
	dialer := &net.Dialer{Timeout: dialTime, KeepAlive: 10 * time.Second}
	transport := &http.Transport{
		DialContext: dialer.DialContext, MaxIdleConns: 0, MaxIdleConnsPerHost: mostIdle, IdleConnTimeout: idleTime, DisableCompression: true,
		ReadBufferSize: 16 << 10, WriteBufferSize: 16 << 10,
	}
	proxy := &httputil.ReverseProxy{
		// What has a length is copied as a whole, and streams have none: they are
		// flushed with each write.
		Transport: transport, BufferPool: &buffers{}, ErrorLog: slog.NewLogLogger(n.log.Handler(), slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			p := r.In.Context().Value(passingKey{}).(*passing)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "http", p.owner.Address, p.owner.Address
			for _, name := range []string{callerHeader, "x-bb-api-key", "authorization", "origin"} {
				r.Out.Header.Del(name) // checked, and answered, where it came in
			}
			r.Out.Header.Set(hostHeader, r.In.Host)
			own := Pass{Caller: p.caller, Session: string(p.owner.Session), to: p.owner.Node}
			r.Out.Header.Set(passHeader, own.header(n.opts.Secret, r.Out.Method, r.Out.URL.RequestURI()))
			if id := p.w.Header().Get("x-request-id"); id != "" {
				r.Out.Header.Set("x-request-id", id)
			}
		},
		ModifyResponse: func(resp *http.Response) error {
			return resp.Request.Context().Value(passingKey{}).(*passing).check(resp)
		},
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			r.Context().Value(passingKey{}).(*passing).fail(r.Context(), err)
		},
	}
	return proxy, transport.CloseIdleConnections
}
