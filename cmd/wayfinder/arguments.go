package main

import (
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

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
