package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newManualCommand writes manual pages, for those who package the program.
func newManualCommand() *cobra.Command {
	var date string
	cmd := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into a folder",
		Long:   "Man writes a manual page of section 1 for the program and for each command into DIR.",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := time.Parse(time.DateOnly, date); date != "" && err != nil {
				return usage("--date %q: write it as 2026-12-31", date)
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return missing(err)
			}
			for _, c := range documented(cmd.Root()) {
				name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
				if err := os.WriteFile(filepath.Join(args[0], name), []byte(manualPage(c, date)), 0o644); err != nil {
					return missing(err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&date, "date", "", "the date that the pages bear, as 2026-12-31")
	return cmd
}

// documented lists a command and all below it that are shown to people.
func documented(c *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && sub.Name() != "help" && sub.Name() != "completion" {
			all = append(all, documented(sub)...)
		}
	}
	return all
}

// roff is text as a manual page has it.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	for _, control := range []string{".", "'"} {
		text = strings.ReplaceAll("\n"+text, "\n"+control, "\n"+`\&`+control)[1:]
	}
	return text
}

// manualPage is the page of one command, in the macros of man(7).
func manualPage(c *cobra.Command, date string) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 %q %q \"Wayfinder\"\n", strings.ToUpper(name), date, "wayfinder "+version().Version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(c.UseLine()))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(cmp.Or(c.Long, c.Short))))
	flags := func(title string, set *pflag.FlagSet) {
		if !set.HasAvailableFlags() {
			return
		}
		fmt.Fprintf(&b, ".SH %s\n", title)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			kind, says := pflag.UnquoteUsage(f)
			spelled := "--" + f.Name
			if f.Shorthand != "" {
				spelled = "-" + f.Shorthand + ", " + spelled
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR \\fI%s\\fR\n%s\n", roff(spelled), roff(kind), roff(says))
		})
	}
	flags("OPTIONS", c.NonInheritedFlags())
	flags("GLOBAL OPTIONS", c.InheritedFlags())
	b.WriteString(".SH EXIT STATUS\n0 done, 1 not done, 2 wrong usage, 3 something is missing (a browser, a page, a model), 130 interrupted\n")
	var also []string
	for _, other := range documented(c.Root()) {
		if other != c && (other == c.Parent() || other.Parent() == c) {
			also = append(also, fmt.Sprintf("\\fB%s\\fR(1)", roff(strings.ReplaceAll(other.CommandPath(), " ", "-"))))
		}
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(also, ", "))
	return b.String()
}
