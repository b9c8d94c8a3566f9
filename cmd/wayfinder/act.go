package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// actFlags are the common flags and what act has beside them.
type actFlags struct {
	*settings
	actions  []string // as JSON, in place of instructions
	vars     variableFlags
	selector string
	cacheDir string // of kept actions
}

func newActCommand(s *settings) *cobra.Command {
	f := &actFlags{settings: s}
	cmd := &cobra.Command{
		Use:   "act URL INSTRUCTION...",
		Short: "Do something on a page",
		Long: `Do something on a page: each instruction in turn, until one cannot be done.

An action that 'wayfinder observe --json' or 'wayfinder act --json' wrote is done again with --action, without a model.`,
		Example: `  wayfinder act https://example.com/ "click More information"
  wayfinder act https://example.com/login "type %user% into the user field" "click Sign in" --var user=ann
  wayfinder act https://example.com/login "type %pw% into the password field" --var-env pw=PASSWORD --var-host pw=example.com
  wayfinder act https://example.com/login "type %code% into the code field" --totp-file code=key.txt
  wayfinder act https://example.com/ --action '{"selector":"a","method":"click","description":"the link"}'`,
		Args: pageAddress(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.act(cmd.Context(), args[0], args[1:])
		},
	}
	flags := cmd.Flags()
	addDialogs(flags, s)
	flags.StringArrayVar(&f.actions, "action", nil, "an action as JSON, in place of an instruction (may be repeated)")
	f.vars.define(flags)
	flags.StringVar(&f.cacheDir, "cache", "", "keep what instructions came to in this directory, and do it again from there without a model")
	flags.StringVar(&f.selector, "selector", "", "only within what this CSS selector or XPath matches")
	addWaits(cmd, s)
	addTrace(cmd, s)
	return cmd
}

func (f *actFlags) act(ctx context.Context, address string, instructions []string) error {
	opts := &engine.ActOptions{Timeout: f.timeout, Selector: f.selector}
	var err error
	if opts.Variables, err = f.vars.read(f.in); err != nil {
		return err
	}
	actions, err := parseActions(f.actions)
	if err != nil {
		return err
	}
	switch {
	case len(instructions) == 0 && len(actions) == 0:
		return usage("say what to do, as: wayfinder act %s \"click Sign in\"", address)
	case len(instructions) > 0 && len(actions) > 0:
		return usage("give instructions or --action, not both")
	}
	if err := checkPlaceholders(instructions, actions, opts.Variables); err != nil {
		return err
	}
	if f.cacheDir != "" {
		if f.cache, err = engine.NewDirCache(f.cacheDir); err != nil {
			return usage("--cache: %v", err)
		}
	}
	page, err := f.openPage(ctx, address, len(instructions) > 0)
	if err != nil {
		return err
	}
	defer f.tracing.close(page.Session())
	for _, instruction := range instructions {
		done := f.progress(instruction)
		result, err := page.Act(ctx, instruction, opts)
		done()
		f.tracing.noted(wayfindertest.Step{Method: "act", Instruction: instruction, Selector: f.selector}, opts.Variables)
		if err := f.report(result, err); err != nil {
			return adviseQuotes(instructions, err)
		}
		page = f.next(page, result)
	}
	for _, action := range actions {
		result, err := page.Do(ctx, action, opts)
		f.tracing.noted(wayfindertest.Step{Method: "do", Action: &action}, opts.Variables)
		if err := f.report(result, err); err != nil {
			return err
		}
		page = f.next(page, result)
	}
	return nil
}

// next is the page that the next action is for. In a browser of our own that is the
// page that was opened or used last. In a browser that we attached to, other pages
// may open that are not ours: there it is the same page, or the one that the action
// opened.
func (f *actFlags) next(page *engine.Page, result *engine.ActResult) *engine.Page {
	session := page.Session()
	if !f.attached() {
		return session.Page()
	}
	for _, opened := range result.Evidence.NewPages {
		for _, p := range session.Pages() {
			if string(p.ID()) == opened.ID {
				return p
			}
		}
	}
	return page
}

// report writes what came of one action, and returns the error that ends the command.
func (f *actFlags) report(result *engine.ActResult, err error) error {
	if f.json && result != nil {
		if err := f.writeJSON(result); err != nil {
			return err
		}
	}
	if err != nil {
		return failed(err)
	}
	if !f.json {
		fmt.Fprintln(f.out, result.Message+cacheWords(result.Cache))
	}
	return nil
}

// cacheWords say in brackets what the cache did.
func cacheWords(use *engine.CacheUse) string {
	switch {
	case use == nil:
		return ""
	case use.Result == engine.CacheHit:
		return " [cache: hit]"
	}
	words := fmt.Sprintf(" [cache: %s, %s", use.Result, use.Reason)
	if !use.Kept {
		words += ", not kept"
	}
	return words + "]"
}

// parseActions reads actions that flags give as JSON.
func parseActions(texts []string) ([]engine.Action, error) {
	var actions []engine.Action
	for _, text := range texts {
		var a engine.Action
		d := json.NewDecoder(strings.NewReader(text))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			return nil, usage("--action %s: %v; give what 'wayfinder observe --json' writes on a line", text, err)
		}
		if a.Selector == "" {
			return nil, usage("--action %s: it has no selector", text)
		}
		if _, err := engine.ParseMethod(string(a.Method)); err != nil {
			return nil, usage("--action %s: %v", text, err)
		}
		actions = append(actions, a)
	}
	return actions, nil
}

// adviseQuotes explains an error of an instruction without quotes, of which the shell
// made several.
func adviseQuotes(instructions []string, err error) error {
	several := func(s string) bool { return strings.Contains(s, " ") }
	if len(instructions) < 2 || slices.ContainsFunc(instructions, several) || !errors.Is(err, engine.ErrNotFound) {
		return err
	}
	return &advisedError{err, fmt.Sprintf("these are %d instructions; if they were meant as one, write it in quotes: %q", len(instructions), strings.Join(instructions, " "))}
}
