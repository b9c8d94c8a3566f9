package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
)

// An agentShow shows an agent's run while it is under way: its steps on standard
// output, and on a terminal the current one.
type agentShow struct {
	*settings
	width  int    // of the terminal; 0 where there is none
	done   func() // ends the line of what is under way
	begin  time.Time
	tokens int
	cost   float64
}

func newAgentShow(s *settings) *agentShow {
	return &agentShow{settings: s, width: widthOf(s.out), done: func() {}, begin: time.Now()}
}

// hooks tell on a terminal what is under way.
func (a *agentShow) hooks() *agent.Hooks {
	return &agent.Hooks{
		RunBegan: func(ctx context.Context, _ agent.RunInfo) context.Context {
			a.now("asking the model")
			return ctx
		},
		StepBegan: func(ctx context.Context, s agent.Step) context.Context {
			a.now(fmt.Sprintf("step %d: %s", s.Number, s.Action.Type))
			return ctx
		},
	}
}

// now says what is under way, with what was used so far.
func (a *agentShow) now(what string) {
	a.quiet()
	if a.tokens > 0 {
		what += " (" + spent(a.tokens, a.cost) + " so far)"
	}
	a.done = a.progress(what)
}

// quiet takes away the line of what is under way.
func (a *agentShow) quiet() {
	a.done()
	a.done = func() {}
}

// A stepLine is a step as --json writes it.
type stepLine struct {
	Kind string `json:"kind"` // step
	Turn int    `json:"turn"`
	agent.Action
	InputTokens  int     `json:"inputTokens,omitempty"`
	OutputTokens int     `json:"outputTokens,omitempty"`
	CostUSD      float64 `json:"costUSD,omitempty"`
}

// A resultLine is the last line that --json writes.
type resultLine struct {
	Kind string `json:"kind"` // result
	*agent.Result
	Error string `json:"error,omitempty"`
}

// step writes a step, and says that the model is asked again.
func (a *agentShow) step(s *agent.Step) error {
	a.quiet()
	if s.Number == 0 || s.Result != nil && s.Number > len(s.Result.Actions) {
		return nil // the run's end
	}
	a.tokens += s.Usage.Input + s.Usage.Output
	a.cost += s.Cost
	if a.json {
		if err := a.writeJSON(stepLine{"step", s.Turn, s.Action, s.Usage.Input, s.Usage.Output, s.Cost}); err != nil {
			return err
		}
	} else {
		writeStep(a.out, s, a.width)
	}
	if !s.Action.TaskCompleted {
		a.now("asking the model")
	}
	return nil
}

// writeStep writes a step for people: number, tool, what came of it, and what
// it took. Where the width of a terminal is known, lines are broken between
// words.
func writeStep(w io.Writer, s *agent.Step, width int) {
	text := said(&s.Action)
	if n := s.Usage.Input + s.Usage.Output; n > 0 {
		text += " [" + spent(n, s.Cost) + "]"
	}
	hanging(w, fmt.Sprintf("%3d %-10s ", s.Number, printable(s.Action.Type)), text, 15, width)
}

// said is what came of a step, in words.
func said(a *agent.Action) string {
	text := printable(a.Message)
	switch {
	case a.Type == "done" && a.Status == agent.Done: // what it says stands at the end
		if text = "the task is not done"; a.TaskCompleted {
			text = "the task is done"
		}
	case a.Text != "" && !strings.Contains(text, a.Text):
		text += ": " + printable(a.Text)
	}
	if target := printable(a.Target); target != "" && !strings.Contains(text, target) {
		text = target + ": " + text
	}
	switch a.Status {
	case agent.Failed:
		return "failed: " + text
	case agent.Unknown:
		return "not known what came of it: " + text
	}
	return text
}

// spent is what a number of tokens was, and cost.
func spent(tokens int, cost float64) string {
	text := number(tokens) + " tokens"
	if cost > 0 {
		text += ", " + money(cost)
	}
	return text
}

// result writes what the run came to.
func (a *agentShow) result(r *agent.Result, err error) error {
	if a.json {
		line := resultLine{Kind: "result", Result: r}
		if err != nil {
			line.Error = err.Error()
		}
		return a.writeJSON(line)
	}
	fmt.Fprintln(a.out)
	writeResult(a.out, r, err, a.width)
	fmt.Fprintf(a.out, "%s\n", a.total(r))
	return nil
}

func writeResult(w io.Writer, r *agent.Result, err error, width int) {
	head := map[agent.Verdict]string{agent.Confirmed: "confirmed", agent.Contradicted: "contradicted", agent.Unproven: "not known"}
	switch {
	case r.Success:
		indented(w, "done: "+printable(r.Message), 0, width)
	case err != nil: // it is printed as every error
	case r.Completed:
		indented(w, "done, the model says: "+printable(r.Message), 0, width)
	default:
		indented(w, "not done: "+printable(r.Message), 0, width)
	}
	for _, c := range r.Criteria {
		text := printable(c.Text)
		if c.Reason != "" {
			text += " (" + printable(c.Reason) + ")"
		}
		hanging(w, fmt.Sprintf("  %-12s ", head[c.Verdict]), text, 15, width)
	}
	if len(r.Output) > 0 {
		fmt.Fprintf(w, "%s\n", r.Output)
	}
}

// steps says how many steps there were.
func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// total is what the run took.
func (a *agentShow) total(r *agent.Result) string {
	text := steps(len(r.Actions))
	if r.Usage.Input+r.Usage.Output > 0 {
		text += ", " + number(r.Usage.Input) + " tokens in"
		if r.Usage.Cached > 0 {
			text += " (" + number(r.Usage.Cached) + " cached)"
		}
		text += ", " + number(r.Usage.Output) + " out"
	}
	if a.cost > 0 {
		text += ", " + money(a.cost)
	}
	return text + ", " + roughly(time.Since(a.begin))
}

// money writes an amount of US dollars.
func money(dollars float64) string {
	if dollars < 0.1 {
		return fmt.Sprintf("$%.4f", dollars)
	}
	return fmt.Sprintf("$%.2f", dollars)
}

// number writes a number with commas.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// roughly writes a time for people.
func roughly(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
