package policy

import (
	"strconv"
	"strings"

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

// wordings are the texts of the rules: what follows a refused address, and what to set,
// for those who can change the policy and for others; %q is the entry.
var wordings = map[Rule]struct{ reason, set, operated string }{
	RuleScheme:  {" are not opened", "; to open them, add %q to Policy.Schemes", "; the operator of this service can allow %q"},
	RuleDeny:    {" is denied", "; it is the entry %q of Policy.Deny", " by the operator of this service"},
	RuleAllow:   {" is not among the allowed hosts", "; to allow it, add %q to Policy.Allow", "; the operator of this service can allow %q"},
	RulePrivate: {"", "; to allow it, add %q to Policy.Private", "; the operator of this service can allow %q"},
}

func (e *RefusedError) Error() string {
	advice := wordings[e.Rule].set
	if e.Operated {
		advice = wordings[e.Rule].operated
	}
	return e.Reason() + strings.Replace(advice, "%q", strconv.Quote(e.Entry), 1)
}

// Reason is the text of the error without what to set.
func (e *RefusedError) Reason() string {
	reason := "refused by policy: " + e.What + wordings[e.Rule].reason
	if e.Rule == RulePrivate {
		reason += " is a " + e.Kind + " address"
	}
	return reason
}

func (e *RefusedError) Unwrap() error { return driver.ErrBlocked }
