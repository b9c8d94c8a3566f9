package policy

import (
	"net/netip"
)

// special are the networks that are not the public Internet, besides those that
// package netip knows.
var special = []struct {
	prefix netip.Prefix
	kind   string
}{
	{netip.MustParsePrefix("169.254.169.254/32"), "metadata"}, // most clouds
	{netip.MustParsePrefix("169.254.170.2/32"), "metadata"},   // containers
	{netip.MustParsePrefix("100.100.100.200/32"), "metadata"},
	{netip.MustParsePrefix("168.63.129.16/32"), "metadata"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "metadata"},
	{netip.MustParsePrefix("0.0.0.0/8"), "local"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-shared"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "reserved"},
	{netip.MustParsePrefix("198.51.100.0/24"), "reserved"},
	{netip.MustParsePrefix("203.0.113.0/24"), "reserved"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "private"},
	{netip.MustParsePrefix("100::/64"), "reserved"},
	{netip.MustParsePrefix("2001:db8::/32"), "reserved"},
	{netip.MustParsePrefix("fec0::/10"), "private"},
}

// carriers are IPv6 networks whose addresses hold an IPv4 address that packets
// continue to, from the byte at.
var carriers = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12},        // compatible
	{netip.MustParsePrefix("64:ff9b::/96"), 12}, // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},     // 6to4
}

// kindOf names what an address is that is not public; empty if it is.
func kindOf(ip netip.Addr) string {
	ip = ip.Unmap().WithZone("")
	for _, s := range special {
		if s.prefix.Contains(ip) {
			return s.kind
		}
	}
	switch {
	case ip.IsLoopback():
		return "loopback"
	case ip.IsUnspecified():
		return "local"
	case ip.IsPrivate():
		return "private"
	case ip.IsLinkLocalUnicast():
		return "link-local"
	case ip.IsMulticast():
		return "multicast"
	}
	for _, c := range carriers {
		if c.prefix.Contains(ip) {
			b := ip.As16()
			return kindOf(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	if teredo.Contains(ip) { // the client's address stands there inverted
		return "tunnel"
	}
	return ""
}

var teredo = netip.MustParsePrefix("2001::/32")
