package dom

import (
	"errors"
	"math"
	"mime"
	"net/url"
	"strconv"
	"strings"
)

// Trim takes ASCII white space off both ends.
func Trim(s string) string { return strings.Trim(s, " \t\n\f\r") }

func Lower(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			return strings.ToLower(s)
		}
	}
	return s
}

// Collapse joins runs of white space to one space and trims.
func Collapse(s string) string { return strings.Join(strings.Fields(s), " ") }

// Number reads a floating-point number as HTML spells it.
func Number(s string) (float64, bool) {
	s = Trim(s)
	if s == "" || strings.ContainsAny(s, "xXpP_iInN") || s[0] == '+' {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0) && !strings.HasSuffix(s, ".")
}

// MediaType is a Content-Type header without its parameters.
func MediaType(header string) string {
	t, _, err := mime.ParseMediaType(header)
	if err != nil {
		t, _, _ = strings.Cut(header, ";")
	}
	return Lower(Trim(t))
}

func BlankURL() *url.URL { return &url.URL{Scheme: "about", Opaque: "blank"} }

// ParseURL reads an address as browsers do: white space off, backslashes
// turned, tabs and line ends gone.
func ParseURL(base *url.URL, s string) (*url.URL, error) {
	s = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(Trim(s))
	if i := strings.IndexAny(s, "?#"); !strings.HasPrefix(Lower(s), "data:") && !strings.HasPrefix(Lower(s), "javascript:") {
		head, tail := s, ""
		if i >= 0 {
			head, tail = s[:i], s[i:]
		}
		s = strings.ReplaceAll(head, `\`, "/") + strings.ReplaceAll(tail, " ", "%20")
	}
	u, err := url.Parse(s)
	if err != nil {
		// Go refuses escapes and ports that browsers take as they are.
		if u, err = url.Parse(strings.ReplaceAll(s, "%", "%25")); err != nil {
			return nil, err
		}
	}
	if base != nil && !u.IsAbs() {
		if s == "" {
			v := *base
			v.Fragment = ""
			return &v, nil
		}
		if base.Opaque != "" && !strings.HasPrefix(s, "#") {
			return nil, errors.New("relative address without a base")
		}
		if strings.HasPrefix(s, "#") {
			v := *base
			v.Fragment, v.RawFragment = u.Fragment, u.RawFragment
			return &v, nil
		}
		u = base.ResolveReference(u)
	}
	u.Scheme = strings.ToLower(u.Scheme)
	if u.Scheme == "http" || u.Scheme == "https" {
		u.Host = strings.ToLower(u.Host)
		if u.Scheme == "http" {
			u.Host = strings.TrimSuffix(u.Host, ":80")
		} else {
			u.Host = strings.TrimSuffix(u.Host, ":443")
		}
		if u.Host == "" {
			return nil, errors.New("address without a host")
		}
		if u.Path == "" {
			u.Path = "/"
		}
	}
	return u, nil
}

func WithoutFragment(addr string) string {
	addr, _, _ = strings.Cut(addr, "#")
	return addr
}

// OriginOf returns the scheme and host of an address, in lower case.
func OriginOf(addr string) string {
	i := strings.Index(addr, "://")
	if i < 0 {
		return strings.ToLower(addr)
	}
	rest := addr[i+3:]
	if j := strings.IndexAny(rest, "/?#"); j >= 0 {
		rest = rest[:j]
	}
	return strings.ToLower(addr[:i+3] + rest)
}
