package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
)

func newExtractCommand(s *settings) *cobra.Command {
	opts := &engine.ExtractOptions{}
	var form string
	cmd := &cobra.Command{
		Use:   "extract URL [INSTRUCTION]",
		Short: "Read data from a page",
		Long: `Read data from a page.

Without instruction and schema: the text of the page; no model is asked.
With an instruction: a text. With --schema (a JSON Schema, or the path of a file with one): a value of that form.`,
		Example: `  wayfinder extract https://example.com/
  wayfinder extract https://example.com/ "the heading"
  wayfinder extract https://shop.example/ "all products" --schema products.schema.json`,
		Args: pageAddress(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if opts.Schema, err = readSchema(form); err != nil {
				return err
			}
			opts.Timeout = s.timeout
			return s.extract(cmd.Context(), args[0], strings.Join(args[1:], " "), opts)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&form, "schema", "", "JSON Schema of the data, inline or as the path of a file")
	flags.StringVar(&opts.Selector, "selector", "", "only within what this CSS selector or XPath matches")
	flags.StringArrayVar(&opts.IgnoreSelectors, "ignore", nil, "leave out what this matches (may be repeated)")
	flags.BoolVar(&opts.Frames, "frames", false, "include the content of frames")
	flags.BoolVar(&opts.Screenshot, "screenshot", false, "give the model a picture too")
	addWaits(cmd, s)
	return cmd
}

// readSchema reads the schema that a flag gives; nil if it is empty.
func readSchema(form string) (*schema.Schema, error) {
	if form == "" {
		return nil, nil
	}
	raw := []byte(form)
	if !strings.HasPrefix(strings.TrimSpace(form), "{") {
		var err error
		if raw, err = os.ReadFile(form); err != nil {
			return nil, usage("--schema: %v; give a file, or the schema itself, which begins with {", err)
		}
	}
	parsed, err := schema.Parse(raw)
	if err != nil {
		return nil, usage("--schema: %v", err)
	}
	return parsed, nil
}

func (s *settings) extract(ctx context.Context, address, instruction string, opts *engine.ExtractOptions) error {
	page, err := s.openPage(ctx, address, instruction != "" || opts.Schema != nil)
	if err != nil {
		return err
	}
	defer page.Session().Close()
	done := s.progress("reading")
	out, err := page.Extract(ctx, instruction, opts)
	done()
	if err != nil {
		return failed(err)
	}
	if s.json || opts.Schema != nil {
		return s.writeJSON(out.Data)
	}
	var text map[string]string
	if err := json.Unmarshal(out.Data, &text); err != nil {
		return failed(err)
	}
	for _, t := range text { // one member: pageText or extraction
		fmt.Fprintln(s.out, strings.TrimRight(t, "\n"))
	}
	return nil
}
