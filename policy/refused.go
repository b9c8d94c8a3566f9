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

	Operated bool // as the policy says
}

func (e *RefusedError) Error() string {
	if e.Operated {
		return e.Reason() + e.operator()
	}
	switch e.Rule {
	case RuleScheme:
		return fmt.Sprintf("%s; to open them, add %q to Policy.Schemes", e.Reason(), e.Entry)
	case RuleDeny:
		return fmt.Sprintf("%s; it is the entry %q of Policy.Deny", e.Reason(), e.Entry)
	case RuleAllow:
		return fmt.Sprintf("%s; to allow it, add %q to Policy.Allow", e.Reason(), e.Entry)
	case RulePrivate:
		return fmt.Sprintf("%s; to allow it, add %q to Policy.Private", e.Reason(), e.Entry)
	}
	return e.Reason()
}

// operator says who can change it.
func (e *RefusedError) operator() string {
	switch e.Rule {
	case RuleScheme, RuleAllow, RulePrivate:
		return fmt.Sprintf("; the operator of this service can allow %q", e.Entry)
	case RuleDeny:
		return " by the operator of this service"
	}
	return ""
}

// Reason is the text of the error without what to set.
func (e *RefusedError) Reason() string {
	const by = "refused by policy: "
	switch e.Rule {
	case RuleScheme:
		return by + e.What + " are not opened"
	case RuleDeny:
		return by + e.What + " is denied"
	case RuleAllow:
		return by + e.What + " is not among the allowed hosts"
	case RulePrivate:
		return fmt.Sprintf("%s%s is a %s address", by, e.What, e.Kind)
	}
	return by + e.What
}

func (e *RefusedError) Unwrap() error { return driver.ErrBlocked }
