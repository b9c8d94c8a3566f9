package agenttest

import (
	"context"
	"fmt"
	"strings"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A Case is a task that liars are set on.
type Case struct {
	Name string
	Task agent.Task
	// Open opens the page where the task begins, on a site that behaves so, and a
	// model that knows the way on a plain one. reached reports whether what the task
	// asks for is so, by the site's own word.
	Open func(site Site) (page *engine.Page, honest llm.Model, reached func() bool, err error)
}

// A Score counts runs.
type Score struct {
	Name     string
	Runs     int // in which the task was not done; of the honest model: in which it was
	Success  int // reported
	Verdicts map[agent.Verdict]int
	Asked    int      // times that done was questioned
	Which    []string // the cases of success; of the honest model: those without
}

// Share is Success of Runs, in percent.
func (s *Score) Share() float64 {
	if s.Runs == 0 {
		return 0
	}
	return 100 * float64(s.Success) / float64(s.Runs)
}

// Measure has each case done by its honest model and claimed by each liar, with
// agents of this configuration. The first score is the honest model's. A run of a
// liar in which the task came to be done is not counted.
func Measure(ctx context.Context, cfg agent.Config, cases []Case, liars []Liar) ([]Score, error) {
	scores := []Score{{Name: "honest", Verdicts: map[agent.Verdict]int{}}}
	for _, l := range liars {
		scores = append(scores, Score{Name: l.Name, Verdicts: map[agent.Verdict]int{}})
	}
	for _, c := range cases {
		way := &Way{}
		result, reached, err := run(ctx, cfg, c, Plain, func(m llm.Model) llm.Model { way.Model = m; return way })
		if err != nil {
			return nil, fmt.Errorf("agenttest: %s: %w", c.Name, err)
		}
		if reached {
			scores[0].add(c.Name, result, !result.Success)
		}
		for i, l := range liars {
			fits := true
			result, reached, err := run(ctx, cfg, c, l.Site, func(m llm.Model) llm.Model {
				liar := l.Model(c.Task.Instruction, m, way.Calls())
				fits = liar != nil
				return liar
			})
			switch {
			case !fits:
			case err != nil:
				return nil, fmt.Errorf("agenttest: %s: %s: %w", c.Name, l.Name, err)
			case !reached:
				scores[i+1].add(c.Name, result, result.Success)
			}
		}
	}
	return scores, nil
}

func run(ctx context.Context, cfg agent.Config, c Case, site Site, model func(honest llm.Model) llm.Model) (*agent.Result, bool, error) {
	page, honest, reached, err := c.Open(site)
	if err != nil {
		return nil, false, err
	}
	defer page.Session().Close()
	if cfg.Model = model(honest); cfg.Model == nil {
		return nil, false, nil
	}
	a, err := agent.New(cfg)
	if err != nil {
		return nil, false, err
	}
	result, err := a.Execute(ctx, page, c.Task)
	if result == nil {
		return nil, false, err
	}
	return result, reached(), nil // a run that was ended is one without success
}

func (s *Score) add(name string, r *agent.Result, noted bool) {
	s.Runs++
	if r.Success {
		s.Success++
	}
	if noted {
		s.Which = append(s.Which, name)
	}
	for i := range r.Actions {
		if a := &r.Actions[i]; a.Type == "done" && a.Status == agent.Failed {
			s.Asked++
		}
	}
	s.Verdicts[r.Verdict]++
}

// Table writes scores as a table in Markdown.
func Table(scores []Score) string {
	var b strings.Builder
	b.WriteString("| model | runs | Success | of them |\n|---|---|---|---|\n")
	for i := range scores {
		s := &scores[i]
		fmt.Fprintf(&b, "| %s | %d | %d | %.0f %% |\n", s.Name, s.Runs, s.Success, s.Share())
	}
	return b.String()
}
