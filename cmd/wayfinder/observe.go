package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
)

func newObserveCommand(s *settings) *cobra.Command {
	opts := &engine.ObserveOptions{}
	cmd := &cobra.Command{
		Use:   "observe URL [INSTRUCTION]",
		Short: "List what can be done on a page",
		Long: `List what can be done on a page. Without an instruction, everything, and no model is asked.

With --json each line is an action, which 'wayfinder act URL --action' does.`,
		Example: `  wayfinder observe https://example.com/
  wayfinder observe https://example.com/ "the links in the footer" --json`,
		Args: pageAddress(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts.Timeout = s.timeout
			return s.observe(cmd.Context(), args[0], strings.Join(args[1:], " "), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Selector, "selector", "", "only within what this CSS selector or XPath matches")
	cmd.Flags().StringArrayVar(&opts.IgnoreSelectors, "ignore", nil, "leave out what this matches (may be repeated)")
	addWaits(cmd, s)
	return cmd
}

func (s *settings) observe(ctx context.Context, address, instruction string, opts *engine.ObserveOptions) error {
	page, err := s.openPage(ctx, address, instruction != "")
	if err != nil {
		return err
	}
	defer page.Session().Close()
	done := s.progress("looking")
	found, err := page.Observe(ctx, instruction, opts)
	done()
	if err != nil {
		return failed(err)
	}
	for _, a := range found.Actions {
		if s.json {
			if err := s.writeJSON(a); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintf(s.out, "%s\n    %s\n", describeAction(a), a.Selector)
	}
	if len(found.Actions) == 0 {
		return failed(fmt.Errorf("nothing was found on %s", page.URL()))
	}
	return nil
}
