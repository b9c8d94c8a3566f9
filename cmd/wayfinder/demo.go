package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/demo/tour"
)

func newDemoCommand(s *settings) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "See it work: order something in a small shop on this machine",
		Long: `See it work, without any key and without a network.

A small shop is started on this machine and opened in Chrome, or in the in-memory browser where there is no Chrome.
Then it is searched, read, and something is ordered: with every kind of control, in a frame, in shadow trees, and in a dialog.
In the end the shop is asked what arrived. The demo is done if that is what was ordered.`,
		Example: `  wayfinder demo
  wayfinder demo --headed
  wayfinder demo --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("driver") && s.cdp == "" {
				if _, err := cdp.Find(); err != nil {
					fmt.Fprintln(s.err, "No Chrome was found, so the in-memory browser is used. 'wayfinder doctor' says more.")
					s.driver = inMemory
				}
			}
			return runDemo(cmd.Context(), s)
		},
	}
}

func runDemo(ctx context.Context, s *settings) error {
	err := tour.Run(ctx, tour.Options{
		Open:  func(ctx context.Context, site string) (*engine.Page, error) { return s.openPage(ctx, site, true) },
		Model: s.model, Timeout: s.timeout, Out: s.out, JSON: s.json, Progress: s.progress,
		Plain: !isTerminal(s.out) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb",
	})
	var setup *tour.SetupError
	if errors.As(err, &setup) {
		return missing(err)
	}
	return failed(err)
}
