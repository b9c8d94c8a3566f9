package policy

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Policy says which addresses a browser may ask for. The zero value allows
// http and https to every host on the public Internet, and nothing else.
//
// Hosts are written as "example.com" (that host alone), "*.example.com" (all
// hosts below it, at any depth, and not itself), "*" (all), "192.0.2.7",
// "[2001:db8::7]" or "10.0.0.0/8". A port behind it ("example.com:8443",
// "[::1]:80") limits an entry to that port. Case, a dot at the end and the
// script that an international name is written in make no difference.
//
// What refers to no server (about:blank, data: and blob: addresses) is always
// allowed: what a document from there asks for is decided about in turn.
type Policy struct {
	// Allow, if not empty, lists the only hosts that may be asked.
	Allow []string

	// Deny lists hosts that may not be asked. It wins over Allow and Private.
	Deny []string

	// Private lists hosts and networks that may be reached although they are
	// not public: addresses that are loopback, private, link-local, shared by
	// a carrier, or a cloud's metadata service. "*" is all of them. A name
	// here is trusted whatever address it has; a name in Allow is not.
	Private []string

	// Schemes lists schemes that may be navigated to besides http and https:
	// "file", "chrome", "javascript", "view-source". A script that a page
	// holds itself, also in a javascript: link, is the page's own affair.
	Schemes []string

	// NoGate leaves the [Gate] out. It is for browsers that cannot reach this
	// machine or take no proxy, as an attached Chrome. A name is looked up
	// before a request is sent, and the browser looks it up once more to send
	// it: a change between the two is not noticed then, and WebSockets are not
	// held to the policy.
	NoGate bool

	// Resolver looks up names; nil is net.DefaultResolver.
	Resolver *net.Resolver

	// Operated says that those who read errors cannot change the policy, as is so
	// for clients of a service: the errors then name its operator, who can.
	Operated bool
}

// Rules are a policy made ready. They are safe for concurrent use.
type Rules struct {
	allow, deny, private hosts
	schemes              []string
	resolver             *net.Resolver
	operated             bool
	memory               memory
}

// Compile reads the policy. An entry that is not a host is an error that says how
// to write it.
func (p *Policy) Compile() (*Rules, error) {
	r := &Rules{resolver: cmp.Or(p.Resolver, net.DefaultResolver), operated: p.Operated}
	for _, list := range []struct {
		name    string
		entries []string
		to      *hosts
	}{{"Allow", p.Allow, &r.allow}, {"Deny", p.Deny, &r.deny}, {"Private", p.Private, &r.private}} {
		var err error
		if *list.to, err = readHosts(list.entries); err != nil {
			return nil, fmt.Errorf("policy: %s: %w", list.name, err)
		}
	}
	for _, s := range p.Schemes {
		name := strings.ToLower(strings.TrimSuffix(s, ":"))
		if !isScheme(name) {
			return nil, fmt.Errorf("policy: Schemes: %q is no scheme; write the word before the colon, as file", s)
		}
		r.schemes = append(r.schemes, name)
	}
	return r, nil
}

// Open reports whether the rules leave every connection alone, so that no
// [Gate] is needed.
func (r *Rules) Open() bool {
	return len(r.allow) == 0 && len(r.deny) == 0 && slices.ContainsFunc(r.private, hostRule.isAll)
}

// CheckURL decides about an address that is about to be asked for, by what is
// written in it. A nil result is no more than that: where the name leads is
// decided when it is connected to.
func (r *Rules) CheckURL(address string) error {
	scheme, rest := splitScheme(address)
	switch scheme {
	case "http", "https", "ws", "wss":
		t, err := parseTarget(scheme, rest)
		if err != nil {
			return &RefusedError{What: err.Error(), Rule: RuleAddress}
		}
		return r.check(t)
	case "data", "blob":
		return nil
	case "about":
		if page, _, _ := strings.Cut(rest, "#"); page == "blank" || page == "srcdoc" {
			return nil
		}
	case "view-source":
		if slices.Contains(r.schemes, scheme) {
			return r.CheckURL(rest)
		}
	}
	if slices.Contains(r.schemes, scheme) {
		return nil
	}
	if scheme == "" {
		return &RefusedError{What: "an address without a scheme", Rule: RuleAddress}
	}
	return &RefusedError{What: scheme + ": addresses", Rule: RuleScheme, Entry: scheme, Operated: r.operated}
}

// check decides about a host by its name or its literal address.
func (r *Rules) check(t target) error {
	if rule, ok := r.deny.find(t); ok {
		return &RefusedError{What: t.host, Rule: RuleDeny, Entry: rule.text, Operated: r.operated}
	}
	if len(r.allow) > 0 {
		if _, ok := r.allow.find(t); !ok {
			return &RefusedError{What: t.host, Rule: RuleAllow, Entry: t.host, Operated: r.operated}
		}
	}
	return r.checkPrivate(t)
}

// checkPrivate decides about what is not public. t.ip is not valid where only a
// name is known.
func (r *Rules) checkPrivate(t target) error {
	kind := t.kind()
	if kind == "" {
		return nil
	}
	if _, ok := r.private.find(t); ok {
		return nil
	}
	what := t.host
	if t.ip.IsValid() && t.host != t.ip.String() {
		what = fmt.Sprintf("%s (%s)", t.host, t.ip)
	}
	return &RefusedError{What: what, Rule: RulePrivate, Kind: kind, Entry: t.host, Operated: r.operated}
}

// NewDialer returns a dialer that holds to the rules. refused, if not nil, is
// called for every connection that is refused; it must return quickly.
func (r *Rules) NewDialer(refused func(*RefusedError)) *Dialer {
	return &Dialer{rules: r, onRefuse: refused, failures: map[string]error{}}
}

// dial connects to a target. Every address that the name stands for is decided
// about just before it is connected to.
func (r *Rules) dial(ctx context.Context, t target) (*net.TCPConn, error) {
	if err := r.check(t); err != nil {
		return nil, err
	}
	dialer := net.Dialer{Resolver: r.resolver, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("policy: %q is no network address: %w", address, err)
		}
		return r.check(target{host: t.host, ip: to.Addr().Unmap().WithZone(""), port: t.port})
	}}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(t.host, t.port))
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}

// OpenGate opens a gate on a port of its own. refused, if not nil, is called
// for every connection that is refused; it must return quickly.
func (r *Rules) OpenGate(refused func(*RefusedError)) (*Gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("policy: open the gate: %w", err)
	}
	g := &Gate{dialer: r.NewDialer(refused), listener: listener}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	g.running.Go(g.serve)
	return g, nil
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

// checkNames has all addresses decided about that a target has now.
func (r *Rules) checkNames(ctx context.Context, t target, check func(target) error) error {
	if err := check(t); err != nil || t.ip.IsValid() {
		return err
	}
	addrs, err := r.memory.lookUp(ctx, r.resolver, t.host)
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
