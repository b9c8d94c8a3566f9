package script

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// A place is what addresses are written relative to.
type place string // an origin; empty is none

func placeOf(start string) place {
	u, err := url.Parse(start)
	if err != nil || u.Host == "" {
		return ""
	}
	return place(u.Scheme + "://" + u.Host)
}

// at returns the whole address of one that a script holds.
func (p place) at(address string) string {
	if strings.HasPrefix(address, "/") {
		return string(p) + address
	}
	return address
}

// path returns an address without the origin.
func (p place) path(address string) string {
	rest, ok := strings.CutPrefix(address, string(p))
	switch {
	case !ok || p == "":
		return address
	case rest == "" || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "#"):
		return "/" + rest
	case !strings.HasPrefix(rest, "/"):
		return address // another port, or a longer host
	}
	return rest
}

var (
	hiddenValue = regexp.MustCompile(`⟪[^⟫]*⟫|%[A-Za-z_][A-Za-z0-9_]*%`)
	stars       = regexp.MustCompile(`\*+`)
)

// pattern is [Script.Address].
func (p place) pattern(address string) string {
	path := p.path(address)
	path, fragment, _ := strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		path += "#" + fragment
	}
	host, rest := "", path
	if scheme, after, ok := strings.Cut(path, "://"); ok {
		name, _, _ := strings.Cut(after, "/")
		host = scheme + "://" + name
		rest = path[len(host):]
	}
	parts := strings.Split(rest, "/")
	for i, part := range parts {
		part = hiddenValue.ReplaceAllString(part, "*")
		if strings.ContainsAny(part, "0123456789") {
			part = "*"
		}
		parts[i] = stars.ReplaceAllString(part, "*")
	}
	return host + strings.Join(parts, "/")
}

// fits reports whether a text, an address or a request, is what a pattern says.
func fits(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	re, err := regexp.Compile("^" + strings.Join(parts, "[^/]*") + "$")
	return err == nil && re.MatchString(text)
}

// reached reports whether an address is what a pattern says, which may leave out
// what pattern leaves out.
func (p place) reached(pattern, address string) bool {
	if pattern == "" {
		return true
	}
	path := p.path(address)
	if fits(pattern, path) {
		return true
	}
	bare, _, _ := strings.Cut(path, "#")
	bare, _, _ = strings.Cut(bare, "?")
	if _, route, ok := strings.Cut(path, "#"); ok && strings.Contains(pattern, "#") {
		bare += "#" + route
	}
	return fits(pattern, bare)
}

// request is [Script.Request].
func (p place) request(method, address string, status int) string {
	words := strings.ToUpper(method) + " " + p.pattern(address)
	if status >= 400 {
		words += fmt.Sprintf(" (%d)", status)
	}
	return words
}
