package main

import (
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

func newModelsCommand(s *settings) *cobra.Command {
	check := false
	cmd := &cobra.Command{
		Use:   "models [PROVIDER | PROVIDER/MODEL]...",
		Short: "Show which providers of models are configured",
		Long: `Models shows which providers of models are configured, and in which variables. It never shows what these hold.

With --check, each configured provider, or each that is named, is asked one tiny question, which costs a few tokens.`,
		Example: "  wayfinder models\n  wayfinder models --check openai azure/MY-DEPLOYMENT",
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.models(cmd.Context(), args, check)
		},
	}
	cmd.Flags().BoolVar(&check, "check", false, "ask each one tiny question")
	return cmd
}

func (s *settings) models(ctx context.Context, names []string, check bool) error {
	if s.baseURL != "" && (len(names) != 1 || !strings.Contains(names[0], "/")) {
		return usage("--base-url goes with one model, as 'wayfinder models --check openai/NAME --base-url %s'", s.baseURL)
	}
	list, err := s.standings(names)
	if err != nil {
		return err
	}
	if check {
		s.checkModels(ctx, list, len(names) > 0)
	}
	if err := s.printStandings(list, check); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, st := range list {
		if c := st.Check; c != nil && !c.OK && !c.Skipped || len(names) > 0 && !st.Configured {
			return missing(errors.New("not every model can be used, see above"))
		}
	}
	return nil
}

// standings are those of the named, or of all.
func (s *settings) standings(names []string) ([]*standing, error) {
	var list []*standing
	if len(names) == 0 {
		list = append(list, &standing{Provider: wordMatcher, Configured: true, From: []string{}})
		for i := range vendors {
			list = append(list, vendors[i].standing(os.Getenv))
		}
		return list, nil
	}
	for _, name := range names {
		provider, model, _ := strings.Cut(name, "/")
		v, known := vendorOf(config.Provider(provider))
		var st *standing
		switch {
		case isWordMatcher(name):
			st = &standing{Provider: wordMatcher, Configured: true, From: []string{}}
		case s.baseURL != "":
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
func (s *settings) checkModels(ctx context.Context, list []*standing, named bool) {
	var group sync.WaitGroup
	for _, st := range list {
		if st.Configured {
			group.Go(func() { st.Check = s.checkModel(ctx, st, named) })
		}
	}
	group.Wait()
}

func (s *settings) checkModel(ctx context.Context, st *standing, named bool) *outcome {
	if st.Provider == wordMatcher {
		return &outcome{OK: true, Detail: "needs no network"}
	}
	if st.Model == "" {
		v, _ := vendorOf(config.Provider(st.Provider)) // standings has found it
		if v.small == "" {
			return &outcome{Skipped: !named, Detail: "the names of its models are your own",
				Advice: "name one: wayfinder models --check " + st.Provider + "/NAME"}
		}
		st.Model = st.Provider + "/" + v.small
	}
	m, _, err := s.namedModel(st.Model)
	if err != nil {
		return failedCheck(0, err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
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

func (s *settings) printStandings(list []*standing, check bool) error {
	if s.json {
		for _, st := range list {
			if err := s.writeJSON(st); err != nil {
				return err
			}
		}
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, st := range list {
		name, state, detail := st.Provider, "ready", strings.Join(st.From, ", ")
		if st.Model != "" {
			name = st.Model
		}
		switch c := st.Check; {
		case !st.Configured:
			state, detail = "-", "needs "+strings.Join(st.Missing, ", and ")
		case c == nil:
		case c.OK:
			state, detail = "ok", fmt.Sprintf("%s in %.0f ms", c.Detail, c.Millis)
		default:
			state, detail = "FAILED", c.Detail
			if c.Skipped {
				state = "ready"
			}
			if c.Advice != "" {
				detail += " → " + c.Advice
			}
		}
		if st.Provider == wordMatcher {
			detail = "a word matcher, always there"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", name, state, strings.Join(strings.Fields(detail), " "))
	}
	return table.Flush()
}
