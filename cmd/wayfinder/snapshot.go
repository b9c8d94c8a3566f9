package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
)

// A snapshotReport is what snapshot --json writes.
type snapshotReport struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Outline string   `json:"outline"`
	Tokens  int      `json:"tokens"` // estimated
	Notes   []string `json:"notes,omitempty"`
}

func newSnapshotCommand(s *settings) *cobra.Command {
	opts := &engine.SnapshotOptions{}
	cmd := &cobra.Command{
		Use:   "snapshot URL",
		Short: "Print the outline that a model would get",
		Example: `  wayfinder snapshot https://example.com/
  wayfinder snapshot https://example.com/ --selector main --max-tokens 2000
  wayfinder snapshot https://example.com/app --wait-for text=Welcome --wait-for selector-gone=.spinner`,
		Args: pageAddress(0),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.snapshot(cmd.Context(), args[0], opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&opts.Selector, "selector", "", "only what this CSS selector or XPath matches")
	flags.StringArrayVar(&opts.IgnoreSelectors, "ignore", nil, "leave out what this matches (may be repeated)")
	flags.BoolVar(&opts.MainFrame, "main-frame", false, "leave out the content of frames")
	flags.IntVar(&opts.MaxTokens, "max-tokens", 0, "bound the outline; what is left out is said in place")
	addWaits(cmd, s)
	return cmd
}

func (s *settings) snapshot(ctx context.Context, address string, opts *engine.SnapshotOptions) error {
	page, err := s.openPage(ctx, address, false)
	if err != nil {
		return err
	}
	defer page.Session().Close()
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	done := s.progress("reading the page")
	snap, err := page.Snapshot(ctx, opts)
	done()
	if err != nil {
		return failed(err)
	}
	outline := snap.Outline()
	if s.json {
		return s.writeJSON(snapshotReport{
			URL: page.URL(), Title: snap.Capture.Documents[0].Title,
			Outline: outline, Tokens: accessibility.Tokens(outline), Notes: snap.Capture.Notes,
		})
	}
	fmt.Fprint(s.out, outline)
	return nil
}
