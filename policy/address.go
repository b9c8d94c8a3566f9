package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// A target is the destination of a request, in a form that can be compared.
type target struct {
	host string // lower case, ASCII, no dot at the end; an address as netip writes it
	ip   netip.Addr
	port string
}

// splitScheme splits an address as a browser does: it drops white space around
// it, and tabs and line ends within. The scheme is in lower case.
func splitScheme(address string) (scheme, rest string) {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	scheme, rest, ok := strings.Cut(address, ":")
	if scheme = strings.ToLower(scheme); !ok || !isScheme(scheme) {
		return "", address
	}
	return scheme, rest
}

func isScheme(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

var defaultPorts = map[string]string{"http": "80", "ws": "80", "https": "443", "wss": "443"}

// parseTarget reads what stands behind the scheme's colon. It is read by the
// rules of browsers, not by those of net/url, which differ in what they take
// for the host: a backslash is a slash, and any number of them may begin.
func parseTarget(scheme, rest string) (target, error) {
	rest = strings.TrimLeft(rest, `/\`)
	authority := rest
	if i := strings.IndexAny(rest, `/\?#`); i >= 0 {
		authority = rest[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		authority = authority[i+1:]
	}
	host, port, err := splitPort(authority)
	if err != nil {
		return target{}, err
	}
	if host, err = url.PathUnescape(host); err != nil {
		return target{}, fmt.Errorf("the host %q is malformed", host)
	}
	t := target{port: port}
	if port == "" {
		t.port = defaultPorts[scheme]
	}
	t.host, t.ip, err = canonicalHost(host)
	return t, err
}

// hostTarget reads a host as a connection is asked for: a name, or an address
// without brackets.
func hostTarget(host, port string) (t target, err error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ipTarget(ip, port), nil
	}
	t.port = port
	t.host, t.ip, err = canonicalHost(host)
	return t, err
}

func ipTarget(ip netip.Addr, port string) target {
	ip = ip.Unmap().WithZone("")
	return target{host: ip.String(), ip: ip, port: port}
}

// splitPort cuts the port off a host. An IPv6 address stands in brackets.
func splitPort(s string) (host, port string, err error) {
	host = s
	if i := strings.LastIndexByte(s, ':'); i >= 0 && i > strings.LastIndexByte(s, ']') {
		host, port = s[:i], s[i+1:]
	}
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "", "", fmt.Errorf("%q: an IPv6 address stands in brackets, as [::1]", s)
	}
	if port == "" {
		return host, "", nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", "", fmt.Errorf("%q is no port", port)
	}
	return host, strconv.FormatUint(n, 10), nil
}

// names is how browsers turn international names into ASCII.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.BidiRule())

// canonicalHost gives a host its one form. ip is valid if the host is an
// address, however it is written.
func canonicalHost(host string) (name string, ip netip.Addr, err error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		if err != nil || !ok || ip.Zone() != "" || ip.Is4() {
			return "", netip.Addr{}, fmt.Errorf("the host %q is no IPv6 address", host)
		}
		ip = ip.Unmap()
		return ip.String(), ip, nil
	}
	name, err = names.ToASCII(host)
	if err != nil {
		return "", netip.Addr{}, fmt.Errorf("the host %q is malformed", host)
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if name == "" {
		return "", netip.Addr{}, errors.New("the host is empty")
	}
	if strings.ContainsAny(name, "\x00\t\n\r #%/:<>?@[\\]^|\x7f") {
		return "", netip.Addr{}, fmt.Errorf("the host %q is malformed", host)
	}
	if !endsInNumber(name) {
		return name, netip.Addr{}, nil
	}
	ip, ok := parseIPv4(name)
	if !ok {
		return "", netip.Addr{}, fmt.Errorf("the host %q is no IPv4 address", host)
	}
	return ip.String(), ip, nil
}

// endsInNumber reports that browsers take a host for an IPv4 address.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseNumber(last)
	return ok
}

// parseIPv4 reads the spellings of an address that browsers take: one to four
// numbers, decimal, octal (0…) or hexadecimal (0x…), the last of which fills
// what the others leave.
func parseIPv4(name string) (netip.Addr, bool) {
	parts := strings.Split(name, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		limit := uint64(256)
		shift := 8 * (3 - i)
		if i == len(parts)-1 {
			limit, shift = 1<<(8*(5-len(parts))), 0
		}
		if !ok || n >= limit {
			return netip.Addr{}, false
		}
		sum |= n << shift
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case strings.HasPrefix(s, "0x"):
		if s, base = s[2:], 16; s == "" {
			return 0, true
		}
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}

// kind names what a target is that is not public; empty if it is.
func (t target) kind() string {
	if t.ip.IsValid() {
		return kindOf(t.ip)
	}
	switch {
	case t.host == "localhost", strings.HasSuffix(t.host, ".localhost"):
		return "loopback"
	case t.host == "metadata.google.internal", t.host == "instance-data":
		return "metadata"
	}
	return ""
}
