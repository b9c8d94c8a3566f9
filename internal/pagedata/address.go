package pagedata

import (
	"net/url"
	"slices"
	"strings"
)

// links are the addresses of a page.
type links struct {
	tree
	Addresses map[string][]int32 // elements that lead there or show what is there
	base      []*url.URL         // by document
}

// address remembers where an element leads: as the attribute has it, and absolute.
func (p *links) address(e int32, ref string) {
	if ref = strings.TrimSpace(ref); ref == "" || len(ref) > 4096 { // data rather than a place
		return
	}
	put := func(s string) {
		if list := p.Addresses[s]; s != "" && !slices.Contains(list[max(0, len(list)-1):], e) {
			p.Addresses[s] = append(list, e)
		}
	}
	put(SameAddress(ref))
	if base := p.base[p.Elems[e].Doc]; base != nil {
		if u, err := base.Parse(ref); err == nil {
			put(SameAddress(u.String()))
		}
	}
	if scheme, rest, _ := strings.Cut(strings.ToLower(ref), ":"); scheme == "mailto" || scheme == "tel" || scheme == "sms" {
		rest, _, _ = strings.Cut(rest, "?")
		if plain, err := url.PathUnescape(rest); err == nil {
			rest = plain
		}
		put(SameAddress(rest))
		if scheme != "mailto" {
			put(Phone(rest))
		}
	}
}

// SameAddress is one spelling of an address.
func SameAddress(s string) string {
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		host, path, _ := strings.Cut(rest, "/")
		return strings.ToLower(scheme+"://"+host) + "/" + path
	}
	if strings.Contains(s, "@") {
		return strings.ToLower(s)
	}
	return s
}

// Phone is a telephone number by its digits.
func Phone(s string) string {
	return "tel:" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, s)
}

// AddressesIn returns the addresses of the links, or of the pictures, in an element,
// absolute, each once.
func (p *links) AddressesIn(e int32, tag, attribute string) (out []string) {
	for k := e; k < p.Elems[e].End; k++ {
		if p.Tag(k) != tag || !p.Elems[k].Visible {
			continue
		}
		if u := p.Resolve(k, p.Attr(k, attribute)); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// Resolve makes an address absolute, as a browser does; empty where it is none of the
// web.
func (p *links) Resolve(e int32, address string) string {
	base := p.base[p.Elems[e].Doc]
	address = strings.TrimSpace(address)
	if address == "" || address[0] == '#' || base == nil {
		return ""
	}
	u, err := base.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.String()
}
