package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// addWaits adds the flag that says what to wait for before the page is read.
func addWaits(cmd *cobra.Command, s *settings) {
	cmd.Flags().Var((*waitFlag)(s), "wait-for",
		"wait until the page is so: text=…, text-gone=…, selector=…, selector-gone=…, address=… or quiet (may be repeated)")
}

// A waitFlag adds a condition each time it is given.
type waitFlag settings

func (f *waitFlag) String() string { return "" }
func (f *waitFlag) Type() string   { return "condition" }

func (f *waitFlag) Set(text string) error {
	c, err := engine.ParseCondition(text)
	if err == nil {
		f.waits = append(f.waits, c)
	}
	return err
}

// await waits for what the flags say, in their order.
func (s *settings) await(ctx context.Context, page *engine.Page) error {
	for _, c := range s.waits {
		done := s.progress("waiting for " + c.String())
		err := page.WaitFor(ctx, c)
		done()
		if err != nil {
			return failed(err)
		}
	}
	return nil
}
