package policy

import "fmt"

// Hosts is a list of hosts apart from a [Policy], written as those of one. The
// zero value holds none. It is safe for concurrent use.
type Hosts struct{ list hosts }

// ParseHosts reads a list. An entry that is not a host is an error that says how
// to write it.
func ParseHosts(entries []string) (Hosts, error) {
	list, err := readHosts(entries)
	if err != nil {
		return Hosts{}, fmt.Errorf("hosts: %w", err)
	}
	return Hosts{list}, nil
}

// Holds reports whether an address is of http or https and its host is on the
// list. It goes by what is written in the address alone.
func (h Hosts) Holds(address string) bool {
	scheme, rest := splitScheme(address)
	if scheme != "http" && scheme != "https" {
		return false
	}
	t, err := parseTarget(scheme, rest)
	if err != nil {
		return false
	}
	_, ok := h.list.find(t)
	return ok
}
