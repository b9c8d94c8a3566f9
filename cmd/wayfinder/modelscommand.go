package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// A standing is what is known of a provider, or of one of its models.
type standing struct {
	Provider   string   `json:"provider"`
	Model      string   `json:"model,omitempty"` // that was checked
	Configured bool     `json:"configured"`
	From       []string `json:"from"`              // the variables that are read
	Missing    []string `json:"missing,omitempty"` // what is not set
	Check      *outcome `json:"check,omitempty"`
}

// An outcome is that of one tiny request.
type outcome struct {
	OK      bool    `json:"ok"`
	Skipped bool    `json:"skipped,omitempty"` // no request was made; Detail says why
	Millis  float64 `json:"ms,omitempty"`
	Detail  string  `json:"detail"`
	Advice  string  `json:"advice,omitempty"`
}

// A modelsCommand shows the standings of models.
type modelsCommand struct {
	*settings
	names []string // providers or models; none is all
	check bool     // by a tiny question
}

func newModelsCommand(s *settings) *cobra.Command {
	c := &modelsCommand{settings: s}
	cmd := &cobra.Command{
		Use:   "models [PROVIDER | PROVIDER/MODEL]...",
		Short: "Show which providers of models are configured",
		Long: `Models shows which providers of models are configured, and in which variables. It never shows what these hold.

With --check, each configured provider, or each that is named, is asked one tiny question, which costs a few tokens.`,
		Example: "  wayfinder models\n  wayfinder models --check openai azure/MY-DEPLOYMENT",
		RunE: func(cmd *cobra.Command, args []string) error {
			c.names = args
			return c.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&c.check, "check", false, "ask each one tiny question")
	return cmd
}

func (c *modelsCommand) run(ctx context.Context) error {
	if c.baseURL != "" && (len(c.names) != 1 || !strings.Contains(c.names[0], "/")) {
		return usage("--base-url goes with one model, as 'wayfinder models --check openai/NAME --base-url %s'", c.baseURL)
	}
	list, err := c.standings()
	if err != nil {
		return err
	}
	if c.check {
		c.checkModels(ctx, list)
	}
	if err := c.printStandings(list); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, st := range list {
		if out := st.Check; out != nil && !out.OK && !out.Skipped || len(c.names) > 0 && !st.Configured {
			return missing(errors.New("not every model can be used, see above"))
		}
	}
	return nil
}

// standings are those of the named, or of all.
func (c *modelsCommand) standings() ([]*standing, error) {
	var list []*standing
	if len(c.names) == 0 {
		list = append(list, &standing{Provider: wordMatcher, Configured: true, From: []string{}})
		for i := range vendors {
			list = append(list, vendors[i].standing(os.Getenv))
		}
		return list, nil
	}
	for _, name := range c.names {
		provider, model, _ := strings.Cut(name, "/")
		v, known := vendorOf(config.Provider(provider))
		var st *standing
		switch {
		case isWordMatcher(name):
			st = &standing{Provider: wordMatcher, Configured: true, From: []string{}}
		case c.baseURL != "":
			st = &standing{Provider: provider, Configured: true, From: []string{}}
		case !known:
			return nil, usage("there is no provider %q, there are %s, %s", provider, wordMatcher, vendorNames())
		default:
			st = v.standing(os.Getenv)
		}
		if model != "" && st.Provider != wordMatcher {
			st.Model = name
		}
		list = append(list, st)
	}
	return list, nil
}

// checkModels asks all at once; each has the time that a step may take.
func (c *modelsCommand) checkModels(ctx context.Context, list []*standing) {
	var group sync.WaitGroup
	for _, st := range list {
		if st.Configured {
			group.Go(func() { st.Check = c.checkModel(ctx, st) })
		}
	}
	group.Wait()
}

func (c *modelsCommand) checkModel(ctx context.Context, st *standing) *outcome {
	if st.Provider == wordMatcher {
		return &outcome{OK: true, Detail: "needs no network"}
	}
	if st.Model == "" {
		v, _ := vendorOf(config.Provider(st.Provider)) // standings has found it
		if v.small == "" {
			return &outcome{Skipped: len(c.names) == 0, Detail: "the names of its models are your own",
				Advice: "name one: wayfinder models --check " + st.Provider + "/NAME"}
		}
		st.Model = st.Provider + "/" + v.small
	}
	m, _, err := c.namedModel(st.Model)
	if err != nil {
		return failedCheck(0, err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	begin := time.Now()
	resp, err := m.Generate(ctx, &llm.Request{Purpose: llm.PurposeCheck, MaxOutputTokens: 32,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Answer with the word ok."}}}}})
	took := time.Since(begin)
	var e *llm.Error
	switch {
	case err == nil:
		return &outcome{OK: true, Millis: millis(took), Detail: fmt.Sprintf("answered, %d tokens", resp.Usage.Input+resp.Usage.Output)}
	case errors.As(err, &e) && e.Kind == llm.KindLength:
		return &outcome{OK: true, Millis: millis(took), Detail: "answered, up to the limit of the check"} // a model that thinks first
	}
	return failedCheck(took, err)
}

func failedCheck(took time.Duration, err error) *outcome {
	return &outcome{Millis: millis(took), Detail: explain(err), Advice: advise(err)}
}

func millis(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond)) / float64(time.Millisecond)
}

func (c *modelsCommand) printStandings(list []*standing) error {
	if c.json {
		for _, st := range list {
			if err := c.writeJSON(st); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, st := range list {
		name, state, detail := cmp.Or(st.Model, st.Provider), "ready", strings.Join(st.From, ", ")
		switch out := st.Check; {
		case !st.Configured:
			state, detail = "-", "needs "+strings.Join(st.Missing, ", and ")
		case out == nil:
		case out.OK:
			state, detail = "ok", fmt.Sprintf("%s in %.0f ms", out.Detail, out.Millis)
		default:
			state, detail = "FAILED", out.Detail
			if out.Skipped {
				state = "ready"
			}
			if out.Advice != "" {
				detail += " → " + out.Advice
			}
		}
		if st.Provider == wordMatcher {
			detail = "a word matcher, always there"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", name, state, strings.Join(strings.Fields(detail), " "))
	}
	return table.Flush()
}
