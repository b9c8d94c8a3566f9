package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/policy"
	"github.com/wayfinder-engine/wayfinder/trace"
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
	tracing traceFlags
}

// traceFlags are where a command writes what it did, and in which format.
type traceFlags struct {
	path   string // empty: nowhere
	format string

	collector *trace.Collector // nil without a path, and before the browser is opened
	failed    error            // of the writing
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

// explainRefusal says what the policy refused, without the words for those who
// write programs.
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

// noArguments is for commands that take none.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !cmd.HasParent():
		err := usage("there is no command %q", args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			err = usage("there is no command %q; did you mean %s?", args[0], near[0])
		}
		return err
	}
	return usage("%s takes no arguments, and got %q", cmd.Name(), args[0])
}

// pageAddress is for commands that take an address and at most so many
// instructions; a negative number is no limit.
func pageAddress(instructions int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == 0:
			return usage("the address of a page is missing: %s %s", cmd.Root().Name(), cmd.Use)
		case instructions < 0 || len(args) <= 1+instructions:
			return nil
		case instructions == 0:
			return usage("%s takes one address, and got %q too", cmd.Name(), args[1])
		}
		return usage("%s takes one instruction; write it in quotes, as %q", cmd.Name(), strings.Join(args[1:], " "))
	}
}

// check refuses values of the common flags that no command can use.
func (s *settings) check() error {
	switch {
	case s.driver != "chrome" && s.driver != "memory":
		return usage("--driver %q: it is chrome or memory", s.driver)
	case s.cdp != "" && s.driver == "memory":
		return usage("--cdp does not go with --driver memory")
	case sharedLimits.requests < 0 || sharedLimits.tokens < 0:
		return usage("--model-requests and --model-tokens are numbers above zero, or 0 for no limit")
	case s.timeout <= 0:
		return usage("--timeout %s: it is a time above zero, as 30s or 2m", s.timeout)
	}
	if _, err := s.policy.Compile(); err != nil {
		return usage("%w", err)
	}
	if s.cdp != "" {
		u, err := url.Parse(s.cdp)
		if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
			return usage("--cdp %q: write the address that Chrome listens at, as http://127.0.0.1:9222", s.cdp)
		}
	}
	return nil
}
