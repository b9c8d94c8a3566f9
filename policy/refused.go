package policy

import (
	"fmt"

	"github.com/wayfinder-engine/wayfinder/driver"
)

// A Rule names the part of a policy that refused something.
type Rule string

// The rules.
const (
	RuleAddress Rule = "address" // not an address that can be decided about
	RuleScheme  Rule = "scheme"  // not listed in Policy.Schemes
	RuleDeny    Rule = "deny"    // listed in Policy.Deny
	RuleAllow   Rule = "allow"   // not listed in Policy.Allow
	RulePrivate Rule = "private" // not public, and not listed in Policy.Private
	RuleName    Rule = "name"    // its addresses cannot be found out
	RuleProxy   Rule = "proxy"   // a proxy that the policy does not go with
)

// A RefusedError says what a policy refused, by which rule, and what to set. It
// holds no more of an address than host and scheme. It wraps driver.ErrBlocked.
type RefusedError struct {
	What  string // the host, with its address where the name alone does not tell
	Rule  Rule
	Kind  string // of an address that is not public: "loopback", "private", …
	Entry string // what matched, or what to list
}

func (e *RefusedError) Error() string {
	const by = "refused by policy: "
	switch e.Rule {
	case RuleScheme:
		return fmt.Sprintf("%s%s are not opened; to allow them, add %q to Policy.Schemes", by, e.What, e.Entry)
	case RuleDeny:
		return fmt.Sprintf("%s%s is denied by the entry %q of Policy.Deny", by, e.What, e.Entry)
	case RuleAllow:
		return fmt.Sprintf("%s%s is not in Policy.Allow; add %q to allow it", by, e.What, e.Entry)
	case RulePrivate:
		return fmt.Sprintf("%s%s is a %s address; to allow it, add %q to Policy.Private", by, e.What, e.Kind, e.Entry)
	}
	return by + e.What
}

func (e *RefusedError) Unwrap() error { return driver.ErrBlocked }
