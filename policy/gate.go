package policy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// A Gate is a SOCKS5 proxy on the loopback interface that connects to what the
// rules allow, and to nothing else. What it decides about is the address that
// is connected to, at the moment of connecting.
type Gate struct {
	dialer   *Dialer
	listener net.Listener
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	running  sync.WaitGroup
}

// greetingLimit is how long a client may take to say what it wants.
const greetingLimit = 10 * time.Second

// Server is the gate's address as a browser takes a proxy's.
func (g *Gate) Server() string { return "socks5://" + g.listener.Addr().String() }

// Close ends all connections and returns once nothing of the gate runs. It may
// be called again.
func (g *Gate) Close() error {
	g.cancel()
	err := g.listener.Close()
	g.running.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Failure returns why the last connection to the host of an address was not
// made; nil if it was, or none was tried.
func (g *Gate) Failure(address string) error { return g.dialer.Failure(address) }

func (g *Gate) serve() {
	for {
		conn, err := g.listener.Accept()
		if err != nil {
			if g.ctx.Err() != nil {
				return
			}
			select { // out of files, most likely
			case <-time.After(50 * time.Millisecond):
			case <-g.ctx.Done():
			}
			continue
		}
		g.running.Go(func() { g.pass(conn.(*net.TCPConn)) })
	}
}

// pass serves one connection of the browser.
func (g *Gate) pass(client *net.TCPConn) {
	defer client.Close()
	stop := context.AfterFunc(g.ctx, func() { client.Close() })
	defer stop()
	_ = client.SetDeadline(time.Now().Add(greetingLimit)) // it fails on a closed connection alone
	t, err := greet(client)
	if err != nil {
		return
	}
	_ = client.SetDeadline(time.Time{})
	server, err := g.dialer.dial(g.ctx, t)
	if _, lost := client.Write(reply(err)); err != nil || lost != nil {
		if err == nil {
			server.Close()
		}
		return
	}
	defer server.Close()
	stopServer := context.AfterFunc(g.ctx, func() { server.Close() })
	defer stopServer()
	var up sync.WaitGroup
	up.Go(func() { relay(server, client) })
	relay(client, server)
	up.Wait()
}

// relay copies until from is at its end, and closes to for writing. A connection that
// breaks ends the other direction, too.
func relay(to, from *net.TCPConn) {
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		from.Close()
		return
	}
	_ = to.CloseWrite() // it fails where the connection is gone already
}
