package policy

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"time"
)

// What is known about a name is asked for again after nameAge. It serves to
// refuse early and in good words; who connects looks the name up by himself.
const (
	nameAge   = 10 * time.Second
	mostNames = 1024 // that are remembered
)

// A memory of names that were looked up.
type memory struct {
	mu    sync.Mutex
	names map[string]known
}

type known struct {
	addrs []netip.Addr
	err   error
	until time.Time
}

// lookUp returns the addresses of a name, from memory where they are fresh.
func (m *memory) lookUp(ctx context.Context, resolver *net.Resolver, name string) ([]netip.Addr, error) {
	m.mu.Lock()
	k, ok := m.names[name]
	m.mu.Unlock()
	if ok && time.Now().Before(k.until) {
		return k.addrs, k.err
	}
	k.addrs, k.err = resolver.LookupNetIP(ctx, "ip", name)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	k.until = time.Now().Add(nameAge)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.names) >= mostNames || m.names == nil {
		m.names = map[string]known{}
	}
	m.names[name] = k
	return k.addrs, k.err
}
