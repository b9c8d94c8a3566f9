package fleettest

import (
	"net"
	"sync"
)

// A Relay stands between clients and a server, on loopback, and fails as a
// network does. It may be used by any number of goroutines.
type Relay struct {
	to       string
	listener net.Listener
	all      sync.WaitGroup

	mu      sync.Mutex // protects what follows
	open    map[net.Conn]bool
	cut     bool
	held    [2]bool       // to the server, and to clients
	changed chan struct{} // closed and replaced when any of it changes
	closed  bool
}

// NewRelay returns a relay to a server's host:port. The caller closes it.
func NewRelay(to string) (*Relay, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &Relay{to: to, listener: listener, open: map[net.Conn]bool{}, changed: make(chan struct{})}
	r.all.Go(r.accept)
	return r, nil
}

// Address is the host:port for clients.
func (r *Relay) Address() string { return r.listener.Addr().String() }

// Cut ends all connections, and each new one at once, until Heal.
func (r *Relay) Cut() {
	r.change(func() {
		r.cut = true
		for c := range r.open {
			_ = c.Close() // both ends see it
		}
	})
}

// Hold keeps back what goes to the server, what comes from it, or both, until
// Heal: connections stay, and what was held arrives late.
func (r *Relay) Hold(toServer, toClients bool) {
	r.change(func() { r.held = [2]bool{toServer, toClients} })
}

// Heal has everything pass again.
func (r *Relay) Heal() { r.change(func() { r.cut, r.held = false, [2]bool{} }) }

// Close ends the relay with its connections. It may be called again.
func (r *Relay) Close() {
	r.change(func() { r.closed = true })
	_ = r.listener.Close() // it may be closed
	r.Cut()
	r.all.Wait()
}

func (r *Relay) change(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Relay) accept() {
	for {
		client, err := r.listener.Accept()
		if err != nil {
			return // closed
		}
		server, err := net.Dial("tcp", r.to)
		if err != nil {
			_ = client.Close() // as if there were no relay
			continue
		}
		if !r.take(client, server) {
			_, _ = client.Close(), server.Close()
			continue
		}
		r.all.Go(func() { r.pass(client, server, 0) })
		r.all.Go(func() { r.pass(server, client, 1) })
	}
}

// take keeps a pair of connections; false: the relay is cut.
func (r *Relay) take(pair ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cut || r.closed {
		return false
	}
	for _, c := range pair {
		r.open[c] = true
	}
	return true
}

// pass copies one direction until either end is closed, and closes both then.
func (r *Relay) pass(from, to net.Conn, direction int) {
	defer func() {
		_, _ = from.Close(), to.Close() // once by each direction
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.open, from)
		delete(r.open, to)
	}()
	part := make([]byte, 32<<10)
	for {
		n, err := from.Read(part)
		if !r.wait(from, direction) {
			return
		}
		if n > 0 {
			if _, err := to.Write(part[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// wait returns when a direction is not held; false: the connection has ended.
func (r *Relay) wait(c net.Conn, direction int) bool {
	for {
		r.mu.Lock()
		held, gone, changed := r.held[direction], r.cut || r.closed || !r.open[c], r.changed
		r.mu.Unlock()
		if gone || !held {
			return !gone
		}
		<-changed
	}
}
