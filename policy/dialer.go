package policy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

// A Dialer connects only to what the rules allow. It is what a
// [Gate] connects with, and what a browser within this process takes instead of
// one. It is safe for concurrent use.
type Dialer struct {
	rules    *Rules
	onRefuse func(*RefusedError)

	mu       sync.Mutex       // protects failures
	failures map[string]error // the last one of a host and port
}

const (
	dialLimit    = 20 * time.Second
	mostFailures = 256 // that are remembered
)

// DialContext connects to a host and port over TCP, as the one of net.Dialer
// does. What it decides about is the address that the host's name stands for, at
// the moment of connecting. A refusal is a [*RefusedError].
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if network != "tcp" {
		return nil, fmt.Errorf("policy: dial %s over %q: only tcp is", address, network)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("policy: dial: %w", err)
	}
	t, err := hostTarget(host, port)
	if err != nil {
		return nil, fmt.Errorf("policy: dial: %w", err)
	}
	conn, err := d.dial(ctx, t)
	if err != nil {
		return nil, err // and no *net.TCPConn that is nil
	}
	return conn, nil
}

// Failure returns why the last connection to the host of an address was not
// made; nil if it was, or none was tried.
func (d *Dialer) Failure(address string) error {
	scheme, rest := splitScheme(address)
	t, err := parseTarget(scheme, rest)
	if err != nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failures[net.JoinHostPort(t.host, t.port)]
}

// dial connects to a target if the rules allow it, and remembers why not.
func (d *Dialer) dial(ctx context.Context, t target) (*net.TCPConn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, err := d.rules.dial(ctx, t)
	d.mu.Lock()
	defer d.mu.Unlock()
	key := net.JoinHostPort(t.host, t.port)
	if err == nil {
		delete(d.failures, key)
		return conn, nil
	}
	if len(d.failures) >= mostFailures {
		clear(d.failures)
	}
	d.failures[key] = err
	if refused, ok := errors.AsType[*RefusedError](err); ok && d.onRefuse != nil {
		d.onRefuse(refused)
	}
	return nil, err
}
