package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/fleet/jetstream"
)

// newRecordsCommand looks at the records of a service that does not run.
func newRecordsCommand(s *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "records",
		Short: "Look at the records of a service (serve --data)",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "check DIR",
		Short: "Say which records of a directory are damaged, and change nothing",
		Long: `Reads the records that 'wayfinder serve --data DIR' keeps, and their second copy, and compares them. The service must not run.
Nothing is changed: what is damaged in one copy is restored at the next start.

Exit codes: 0 nothing is damaged, 1 it is, 3 the directory cannot be read, or a service uses it.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := jetstream.Check(cmd.Context(), args[0])
			var lost *jetstream.DamagedError
			switch {
			case errors.As(err, &lost):
				found = lost.Found
			case err != nil:
				return missing(fmt.Errorf("the records cannot be checked: %w", err))
			}
			report := recordsReport{Damaged: append([]string{}, found...), Restorable: lost == nil}
			if s.json {
				if err := s.writeJSON(report); err != nil {
					return err
				}
			} else {
				for _, one := range found {
					fmt.Fprintln(s.out, one)
				}
			}
			switch {
			case lost != nil:
				return failed(errors.New("records are damaged in both copies: put a backup in their place, or start the service once with --accept-loss"))
			case len(found) > 0:
				return failed(errors.New("records are damaged; the next start restores them from their other copy"))
			case !s.json:
				fmt.Fprintln(s.out, "nothing is damaged")
			}
			return nil
		},
	})
	return cmd
}

// recordsReport is what records check says as JSON.
type recordsReport struct {
	Damaged    []string `json:"damaged"`
	Restorable bool     `json:"restorable"` // all of it is in the other copy
}
