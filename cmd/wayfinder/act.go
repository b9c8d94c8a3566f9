package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
)

// actFlags are what act has beside the common flags.
type actFlags struct {
	actions  []string // as JSON, in place of instructions
	vars     []string // NAME=VALUE
	varsEnv  []string // NAME=VARIABLE
	selector string
}

func newActCommand(s *settings) *cobra.Command {
	f := &actFlags{}
	cmd := &cobra.Command{
		Use:   "act URL INSTRUCTION...",
		Short: "Do something on a page",
		Long: `Do something on a page: each instruction in turn, until one cannot be done.

An action that 'wayfinder observe --json' or 'wayfinder act --json' wrote is done again with --action, without a model.`,
		Example: `  wayfinder act https://example.com/ "click More information"
  wayfinder act https://example.com/login "type %user% into the user field" "click Sign in" --var user=ann
  wayfinder act https://example.com/login "type %pw% into the password field" --var-env pw=PASSWORD
  wayfinder act https://example.com/ --action '{"selector":"a","method":"click","description":"the link"}'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.act(cmd.Context(), args[0], args[1:], f)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.actions, "action", nil, "an action as JSON, in place of an instruction (may be repeated)")
	flags.StringArrayVar(&f.vars, "var", nil, "NAME=VALUE: %NAME% in an instruction stands for the value, which no model sees (may be repeated)")
	flags.StringArrayVar(&f.varsEnv, "var-env", nil, "NAME=VARIABLE: the same, with the value of an environment variable")
	flags.StringVar(&f.selector, "selector", "", "only within what this CSS selector or XPath matches")
	return cmd
}

func (s *settings) act(ctx context.Context, address string, instructions []string, f *actFlags) error {
	opts := &engine.ActOptions{Timeout: s.timeout, Selector: f.selector}
	var err error
	if opts.Variables, err = f.variables(); err != nil {
		return err
	}
	actions, err := f.parseActions()
	if err != nil {
		return err
	}
	switch {
	case len(instructions) == 0 && len(actions) == 0:
		return usage("say what to do, as: wayfinder act %s \"click Sign in\"", address)
	case len(instructions) > 0 && len(actions) > 0:
		return usage("give instructions or --action, not both")
	}
	page, err := s.openPage(ctx, address, len(instructions) > 0)
	if err != nil {
		return err
	}
	session := page.Session()
	defer session.Close()
	for _, instruction := range instructions {
		done := s.progress(instruction)
		result, err := session.Page().Act(ctx, instruction, opts)
		done()
		if err := s.report(result, err); err != nil {
			return err
		}
	}
	for _, action := range actions {
		result, err := session.Page().Do(ctx, action, opts)
		if err := s.report(result, err); err != nil {
			return err
		}
	}
	return nil
}

// report writes what came of one action, and returns the error that ends the command.
func (s *settings) report(result *engine.ActResult, err error) error {
	if s.json && result != nil {
		if err := s.writeJSON(result); err != nil {
			return err
		}
	}
	if err != nil {
		return failed(err)
	}
	if !s.json {
		fmt.Fprintln(s.out, result.Message)
	}
	return nil
}

func (f *actFlags) parseActions() ([]engine.Action, error) {
	var actions []engine.Action
	for _, text := range f.actions {
		var a engine.Action
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			return nil, usage("--action %s: %v", text, err)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

func (f *actFlags) variables() (map[string]engine.Variable, error) {
	vars := map[string]engine.Variable{}
	for _, v := range f.vars {
		name, value, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, usage("--var %q: write NAME=VALUE", v)
		}
		vars[name] = engine.Variable{Value: value}
	}
	for _, v := range f.varsEnv {
		name, variable, ok := strings.Cut(v, "=")
		if !ok || name == "" {
			return nil, usage("--var-env %q: write NAME=VARIABLE", v)
		}
		value, set := os.LookupEnv(variable)
		if !set {
			return nil, usage("--var-env %s: the environment has no %s", v, variable)
		}
		vars[name] = engine.Variable{Value: value}
	}
	return vars, nil
}
