package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/schema"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
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
			return runSnapshot(cmd.Context(), s, args[0], opts)
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

func runSnapshot(ctx context.Context, s *settings, address string, opts *engine.SnapshotOptions) error {
	page, err := s.openPage(ctx, address, false)
	if err != nil {
		return err
	}
	defer s.tracing.close(page.Session())
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
			return runObserve(cmd.Context(), s, args[0], strings.Join(args[1:], " "), opts)
		},
	}
	cmd.Flags().StringVar(&opts.Selector, "selector", "", "only within what this CSS selector or XPath matches")
	cmd.Flags().StringArrayVar(&opts.IgnoreSelectors, "ignore", nil, "leave out what this matches (may be repeated)")
	addWaits(cmd, s)
	addTrace(cmd, s)
	return cmd
}

func runObserve(ctx context.Context, s *settings, address, instruction string, opts *engine.ObserveOptions) error {
	page, err := s.openPage(ctx, address, instruction != "")
	if err != nil {
		return err
	}
	defer s.tracing.close(page.Session())
	done := s.progress("looking")
	found, err := page.Observe(ctx, instruction, opts)
	done()
	step := wayfindertest.Step{Method: "observe", Instruction: instruction, Selector: opts.Selector}
	if err == nil {
		step.Result = jsonText(found.Actions)
	}
	s.tracing.noted(step, nil)
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
		fmt.Fprintf(s.out, "%s\n    %s\n", describeAction(a), a.Named())
	}
	if len(found.Actions) == 0 {
		return failed(fmt.Errorf("nothing was found on %s", page.URL()))
	}
	return nil
}

func newExtractCommand(s *settings) *cobra.Command {
	opts := &engine.ExtractOptions{}
	var form string
	var sources bool
	cmd := &cobra.Command{
		Use:   "extract URL [INSTRUCTION]",
		Short: "Read data from a page",
		Long: `Read data from a page.

Without instruction and schema: the text of the page; no model is asked.
With an instruction: a text. With --schema (a JSON Schema, or the path of a file with one): a value of that form.

Values that can't be traced to the page, and what was left out, are named on standard error.`,
		Example: `  wayfinder extract https://example.com/
  wayfinder extract https://example.com/ "the heading"
  wayfinder extract https://shop.example/ "all products" --schema products.schema.json
  wayfinder extract https://shop.example/ --schema products.schema.json --direct --sources`,
		Args: pageAddress(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if opts.Schema, err = readSchema(form); err != nil {
				return err
			}
			if opts.Direct && opts.Schema == nil {
				return usage("--direct needs --schema: it fills what the schema asks for")
			}
			opts.Timeout = s.timeout
			return runExtract(cmd.Context(), s, args[0], strings.Join(args[1:], " "), opts, sources)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&form, "schema", "", "JSON Schema of the data, inline or as the path of a file")
	flags.StringVar(&opts.Selector, "selector", "", "only within what this CSS selector or XPath matches")
	flags.StringArrayVar(&opts.IgnoreSelectors, "ignore", nil, "leave out what this matches (may be repeated)")
	flags.BoolVar(&opts.Frames, "frames", false, "include the content of frames")
	flags.BoolVar(&opts.Screenshot, "screenshot", false, "give the model a picture too")
	flags.BoolVar(&opts.Strict, "strict", false, "fail where the page contradicts a value")
	flags.BoolVar(&opts.StrictAll, "strict-all", false, "fail where the page contradicts a value or does not prove it")
	flags.BoolVar(&opts.Direct, "direct", false, "ask no model: read what the page itself structures")
	flags.BoolVar(&sources, "sources", false, "say where each value stands on the page")
	flags.BoolVar(&opts.Partial, "partial", false, "take a part of the page where a bound ends the reading")
	addWaits(cmd, s)
	addTrace(cmd, s)
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

func runExtract(ctx context.Context, s *settings, address, instruction string, opts *engine.ExtractOptions, sources bool) error {
	page, err := s.openPage(ctx, address, !opts.Direct && (instruction != "" || opts.Schema != nil))
	if err != nil {
		return err
	}
	defer s.tracing.close(page.Session())
	done := s.progress("reading")
	step := wayfindertest.Step{Method: "extract", Instruction: instruction, Selector: opts.Selector}
	out, err := step.Extract(ctx, page, opts)
	done()
	if opts.Schema != nil {
		step.Schema = json.RawMessage(opts.Schema.String())
	}
	if err == nil {
		step.Result = string(out.Data)
	}
	s.tracing.noted(step, nil)
	if err != nil {
		return failed(err)
	}
	width := widthOf(s.out)
	switch {
	case s.json && sources:
		if err := s.writeJSON(out); err != nil {
			return err
		}
		return nothingFound(out)
	case s.json || opts.Schema != nil:
		err = s.writeJSON(out.Data)
	default:
		var text map[string]string
		err = json.Unmarshal(out.Data, &text)
		for _, t := range text { // one member: pageText or extraction
			fmt.Fprintln(s.out, strings.TrimRight(t, "\n"))
		}
	}
	if err != nil {
		return failed(err)
	}
	if sources {
		writeSources(s.out, out, width)
	}
	writeDoubts(s.err, out, width)
	return nothingFound(out)
}

// nothingFound is the error for an extraction that filled nothing of its schema: what was
// written then is empty, and no data of the page.
func nothingFound(out *engine.Extraction) error {
	if !slices.Contains(out.Unfilled, "") {
		return nil
	}
	return &codedError{exitNotDone, errors.New("nothing of the schema was found on the page")}
}

// writeSources lists where each value stands, in the order of the data.
func writeSources(w io.Writer, out *engine.Extraction, width int) {
	pointers := slices.SortedFunc(maps.Keys(out.Sources), comparePointers)
	if n, of := out.Grounded(); of > 0 {
		fmt.Fprintf(w, "\n%d of %d values stand on the page:\n", n, of)
	}
	line := func(source engine.Source) {
		text := fmt.Sprintf("%s %s", cmp.Or(string(source.Ref), "the page"), source.Kind)
		if source.Kind == engine.SourceDerived && source.How != "" {
			text += ": " + source.How
		}
		if source.Text != "" {
			text += " " + strconv.Quote(printable(source.Text))
		}
		indented(w, text, 6, width)
	}
	for _, sentence := range out.Sentences { // of a text, in the place of its one pointer
		indented(w, printable(sentence.Text), 2, width)
		for _, source := range sentence.Sources {
			line(source)
		}
	}
	for _, pointer := range pointers {
		if len(out.Sentences) == 0 {
			indented(w, printable(cmp.Or(pointer, "the value")), 2, width)
			line(out.Sources[pointer])
		}
	}
}

// comparePointers orders JSON pointers by their steps, indexes by number.
func comparePointers(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), func(a, b string) int {
		m, err := strconv.Atoi(a)
		n, also := strconv.Atoi(b)
		if err == nil && also == nil {
			return cmp.Compare(m, n)
		}
		return strings.Compare(a, b)
	})
}

// writeDoubts says what could not be traced, was not found, or was left out.
func writeDoubts(w io.Writer, out *engine.Extraction, width int) {
	for _, u := range out.Ungrounded {
		said := "not as the page has it: "
		if u.Degree == engine.Unproven {
			said = "not proven: "
		}
		indented(w, said+printable(cmp.Or(u.Pointer, "the value")+": "+u.Reason), 0, width)
	}
	for _, pointer := range out.Unfilled {
		if pointer != "" { // see nothingFound
			indented(w, "not found: "+printable(pointer), 0, width)
		}
	}
	for _, o := range out.Omitted {
		indented(w, "not in the data: "+printable(o.String())+omittedBy[o.Cause], 0, width)
	}
}

var omittedBy = map[engine.OmissionCause]string{
	engine.OmittedByBudget: ", which were not read",
	engine.OmittedByPage:   ", which the page does not show yet",
	engine.OmittedByModel:  ", which are like those in it",
}
