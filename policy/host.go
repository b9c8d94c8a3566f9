package policy

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// A hostRule is one entry of a list of hosts.
type hostRule struct {
	text   string       // as it was written
	name   string       // canonical; empty if prefix says it
	below  bool         // the hosts below name, or all if name is empty
	prefix netip.Prefix // of addresses
	port   string       // empty is any
}

type hosts []hostRule

// find returns the first entry that a target falls under.
func (h hosts) find(t target) (hostRule, bool) {
	i := slices.IndexFunc(h, func(r hostRule) bool { return r.matches(t) })
	if i < 0 {
		return hostRule{}, false
	}
	return h[i], true
}

func (r hostRule) isAll() bool { return r.below && r.name == "" && r.port == "" }

func (r hostRule) matches(t target) bool {
	switch {
	case r.port != "" && r.port != t.port:
		return false
	case r.prefix.IsValid():
		return t.ip.IsValid() && r.prefix.Contains(t.ip)
	case r.below:
		return r.name == "" || strings.HasSuffix(t.host, "."+r.name)
	}
	return t.host == r.name
}

// readHosts reads a list. An error is about its first entry that is no host.
func readHosts(entries []string) (hosts, error) {
	var list hosts
	for _, entry := range entries {
		rule, err := parseHosts(entry)
		if err != nil {
			return nil, err
		}
		list = append(list, rule)
	}
	return list, nil
}

// parseHosts reads an entry of a list.
func parseHosts(entry string) (hostRule, error) {
	r := hostRule{text: entry}
	if prefix, err := netip.ParsePrefix(entry); err == nil {
		r.prefix = prefix.Masked()
		return r, nil
	}
	if ip, err := netip.ParseAddr(entry); err == nil && ip.Zone() == "" {
		r.prefix = netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen())
		return r, nil
	}
	if strings.ContainsAny(entry, "/@?#\\ \t\n") || entry == "" {
		return r, fmt.Errorf("%q is no host; write the host alone, as example.com, *.example.com or 10.0.0.0/8", entry)
	}
	host, port, err := splitPort(entry)
	if err != nil {
		return r, fmt.Errorf("%q: %w", entry, err)
	}
	r.port = port
	if host == "*" {
		r.below = true
		return r, nil
	}
	if below, ok := strings.CutPrefix(host, "*."); ok {
		host, r.below = below, true
	}
	if strings.Contains(host, "*") {
		return r, fmt.Errorf("%q: a * stands alone or as *. in front", entry)
	}
	name, ip, err := canonicalHost(host)
	switch {
	case err != nil:
		return r, fmt.Errorf("%q: %w", entry, err)
	case ip.IsValid() && r.below:
		return r, fmt.Errorf("%q: nothing is below an address; write a network, as 10.0.0.0/8", entry)
	case ip.IsValid():
		r.prefix = netip.PrefixFrom(ip, ip.BitLen())
	default:
		r.name = name
	}
	return r, nil
}
