package schema

import (
	"fmt"
	"regexp"
	"strings"
)

// An addressForm is the grammar of RFC 3986, or of RFC 3987 with its
// characters beyond ASCII.
type addressForm struct {
	whole *regexp.Regexp
}

var (
	uriForms = newAddressForm(``, ``)
	iriForms = newAddressForm(
		`\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}\x{10000}-\x{1FFFD}\x{20000}-\x{2FFFD}\x{30000}-\x{3FFFD}`+
			`\x{40000}-\x{4FFFD}\x{50000}-\x{5FFFD}\x{60000}-\x{6FFFD}\x{70000}-\x{7FFFD}\x{80000}-\x{8FFFD}`+
			`\x{90000}-\x{9FFFD}\x{A0000}-\x{AFFFD}\x{B0000}-\x{BFFFD}\x{C0000}-\x{CFFFD}\x{D0000}-\x{DFFFD}\x{E1000}-\x{EFFFD}`,
		`\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}`)
)

const futureHost = `[vV][0-9A-Fa-f]+\.[A-Za-z0-9\-._~!$&'()*+,;=:]+`

// newAddressForm takes the characters that are unreserved beyond ASCII, and
// those that only a query may have.
func newAddressForm(unreserved, private string) addressForm {
	one := func(more string) string {
		return `(?:[A-Za-z0-9\-._~!$&'()*+,;=` + unreserved + more + `]|%[0-9A-Fa-f]{2})`
	}
	char := one(`:@`)
	authority := `//(?:(?P<user>` + one(`:`) + `*)@)?(?P<host>\[[^\[\]/?#]*\]|` + one(``) + `*)(?P<port>:[0-9]*)?`
	after := `(?:/` + char + `*)*`
	rootless := char + `+` + after
	return addressForm{regexp.MustCompile(fmt.Sprintf(
		`^(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]*):(?:%[1]s%[2]s|/(?:%[3]s)?|%[3]s|)|%[1]s%[2]s|/(?:%[3]s)?|%[4]s+%[2]s|)(?:\?(?:%[5]s|[/?])*)?(?:#(?:%[6]s|[/?])*)?$`,
		authority, after, rootless, one(`@`), one(`:@`+private), char))}
}

func (f addressForm) isReference(s string) bool {
	_, ok := f.read(s)
	return ok
}

func (f addressForm) isAbsolute(s string) bool {
	scheme, ok := f.read(s)
	return ok && scheme != ""
}

func (f addressForm) read(s string) (scheme string, ok bool) {
	match := f.whole.FindStringSubmatch(s)
	if match == nil {
		return "", false
	}
	for i, name := range f.whole.SubexpNames() {
		switch name {
		case "scheme":
			scheme = match[i]
		case "host":
			literal, bracketed := strings.CutPrefix(match[i], "[")
			literal = strings.TrimSuffix(literal, "]")
			if bracketed && !isIPv6(literal) && !futureLiteral.MatchString(literal) {
				return "", false
			}
		}
	}
	return scheme, true
}

var futureLiteral = regexp.MustCompile(`^` + futureHost + `$`)

// asURI escapes what a browser leaves as it is in an address and RFC 3986 does
// not allow: | and brackets in a query, a bare percent sign, letters beyond
// ASCII.
func asURI(address string) string {
	if uriForms.isReference(address) {
		return address
	}
	authority := 0 // where it ends: brackets belong to a host
	if i := strings.Index(address, "//"); i >= 0 {
		authority = len(address)
		if j := strings.IndexAny(address[i+2:], "/?#"); j >= 0 {
			authority = i + 2 + j
		}
	}
	var b strings.Builder
	for i := 0; i < len(address); i++ {
		c := address[i]
		switch {
		case c == '%' && i+2 < len(address) && isHex(address[i+1]) && isHex(address[i+2]):
			b.WriteByte(c)
		case (c == '[' || c == ']') && i < authority, isURIByte(c):
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func isURIByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~:/?#@!$&'()*+,;=", c) >= 0
}
