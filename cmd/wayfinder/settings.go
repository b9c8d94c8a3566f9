package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/policy"
)

// streams are where a command reads and writes. Results go to out, everything
// else to err.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
}

// settings are the flags that all commands share.
type settings struct {
	streams
	json    bool
	driver  string
	cdp     string
	model   string
	baseURL string
	timeout time.Duration
	headed  bool
	policy  engine.Policy
	cache   engine.Cache // of act; nil without
	waits   []engine.Condition
	offers  bool // pages may offer tools
	dialogs bool // confirm and prompt of pages are accepted
	tracing traceFlags
}

// addPolicyFlags adds the flags that say which addresses the browser may ask for.
func addPolicyFlags(cmd *cobra.Command, p *engine.Policy) {
	flags := cmd.PersistentFlags()
	flags.StringSliceVar(&p.Allow, "allow-host", nil, "ask only this host (example.com, or *.example.com for those below it); may be repeated")
	flags.StringSliceVar(&p.Deny, "deny-host", nil, "never ask this host; may be repeated")
	flags.StringSliceVar(&p.Private, "allow-private", nil, "with --allow-host or --deny-host, addresses of this machine and its network are refused, except this host or network (* is all)")
	flags.StringSliceVar(&p.Schemes, "allow-scheme", nil, "with a flag of these, only http and https are opened, and this scheme (as file)")
}

// policyOf returns the policy that the flags ask for; nil, the open network, if
// none does.
func (s *settings) policyOf() *engine.Policy {
	p := s.policy
	if len(p.Allow)+len(p.Deny)+len(p.Private)+len(p.Schemes) == 0 {
		return nil
	}
	// A Chrome that runs already takes no proxy.
	p.NoGate = s.cdp != ""
	return &p
}

// explainRefusal says what the policy refused, without the advice for Go programs.
func explainRefusal(refused *policy.RefusedError, err error) string {
	var navigation *driver.NavigationError
	if errors.As(err, &navigation) {
		return fmt.Sprintf("cannot open %s: %s", navigation.URL, refused.Reason())
	}
	return refused.Reason()
}

// adviseRefusal names the flag that would have let it through.
func adviseRefusal(refused *policy.RefusedError) string {
	switch refused.Rule {
	case policy.RuleAllow:
		return "--allow-host " + refused.Entry + " allows it"
	case policy.RuleDeny:
		return "--deny-host " + refused.Entry + " denies it"
	case policy.RulePrivate:
		return "--allow-private " + refused.Entry + " allows it"
	case policy.RuleScheme:
		return "--allow-scheme " + refused.Entry + " allows it"
	}
	return ""
}
