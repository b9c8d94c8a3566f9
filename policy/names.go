package policy

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver"
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

// CheckName is CheckURL, and looks up the host of the address: all network
// addresses that it has now must be allowed. A name that cannot be looked up is
// refused by RuleName.
func (r *Rules) CheckName(ctx context.Context, address string) error {
	scheme, rest := splitScheme(address)
	if defaultPorts[scheme] == "" {
		return r.CheckURL(address)
	}
	t, err := parseTarget(scheme, rest)
	if err != nil {
		return &RefusedError{What: err.Error(), Rule: RuleAddress}
	}
	return r.checkNames(ctx, t, r.check)
}

// checkNames has all addresses decided about that a target has now.
func (r *Rules) checkNames(ctx context.Context, t target, check func(target) error) error {
	if err := check(t); err != nil || t.ip.IsValid() {
		return err
	}
	addrs, err := r.lookUp(ctx, t.host)
	if err != nil {
		return &RefusedError{What: fmt.Sprintf("%s cannot be looked up: %v", t.host, err), Rule: RuleName, Entry: t.host}
	}
	for _, ip := range addrs {
		t.ip = ip.Unmap().WithZone("")
		if err := check(t); err != nil {
			return err
		}
	}
	return nil
}

// lookUp returns the addresses of a name, from memory where they are fresh.
func (r *Rules) lookUp(ctx context.Context, name string) ([]netip.Addr, error) {
	m := &r.memory
	m.mu.Lock()
	k, ok := m.names[name]
	m.mu.Unlock()
	if ok && time.Now().Before(k.until) {
		return k.addrs, k.err
	}
	k.addrs, k.err = r.resolver.LookupNetIP(ctx, "ip", name)
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

// CheckProxy decides whether a browser may be given a proxy of the caller's.
// Names are looked up there, so that only the proxy's own address can be held
// to the rules; what goes past the proxy cannot be.
func (r *Rules) CheckProxy(ctx context.Context, p *driver.Proxy) error {
	if strings.TrimSpace(p.Bypass) != "" {
		return &RefusedError{What: "hosts that bypass the proxy cannot be held to the policy; leave Proxy.Bypass empty", Rule: RuleProxy}
	}
	_, rest := splitScheme(p.Server)
	if !strings.Contains(p.Server, "://") {
		rest = p.Server
	}
	t, err := parseTarget("http", rest)
	if err != nil {
		return &RefusedError{What: "the proxy's address: " + err.Error(), Rule: RuleProxy}
	}
	if rule, ok := r.deny.find(t); ok {
		return &RefusedError{What: t.host, Rule: RuleDeny, Entry: rule.text, Operated: r.operated}
	}
	return r.checkNames(ctx, t, r.checkPrivate)
}
