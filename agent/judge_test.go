package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/agenttest"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A wayJudge is a judge that knows how a task is done, and reads the evidence alone:
// it says yes where each acting call of the way stands among the steps, in the row
// and with the value that it has, and no value stands there in its place.
type wayJudge struct{ tasks []sites.Task }

func (wayJudge) Name() string { return "judge/test" }

func (j wayJudge) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	instruction, steps := "", ""
	for _, p := range req.Messages[0].Parts {
		switch p := p.(type) {
		case llm.Instruction:
			instruction = p.Text
		case llm.Page:
			if p.Kind == "steps" {
				steps = p.Text
			}
		}
	}
	at := slices.IndexFunc(j.tasks, func(t sites.Task) bool { return t.Say == instruction })
	if at < 0 {
		return nil, fmt.Errorf("there is no task %q", instruction)
	}
	why := missing(j.tasks[at], steps)
	raw, err := json.Marshal(args{"done": why == "", "reason": why})
	return &llm.Response{Text: string(raw), Usage: llm.Usage{Input: llm.Estimate(req), Output: 10}}, err
}

// missing is the first call of a task's way that steps do not show, in their order.
func missing(task sites.Task, steps string) string {
	lines := strings.SplitAfter(steps, "\n")
	shown := func(words ...string) bool {
		for i, line := range lines {
			if strings.HasPrefix(line, " ") {
				continue
			}
			whole := line // a step, with its actions
			for k := i + 1; k < len(lines) && strings.HasPrefix(lines[k], " "); k++ {
				whole += lines[k]
			}
			if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(whole, w) }) {
				lines = lines[i+1:]
				return true
			}
		}
		return false
	}
	for _, turn := range task.Turns {
		for _, c := range turn {
			var words []string
			note := func(element, value string) {
				for part := range strings.SplitSeq(strings.TrimPrefix(element, "@"), " / ") {
					_, name, _ := strings.Cut(part, ": ")
					words = append(words, name)
				}
				if value != "" && value != "true" && value != "false" && !strings.Contains(value, "%") {
					words = append(words, strconv.Quote(value)) // as an argument is written
				}
			}
			for _, name := range []string{"ref", "to"} {
				if element, ok := c.Args[name].(string); ok {
					note(element, "")
				}
			}
			for _, name := range []string{"text", "value"} {
				if value, ok := c.Args[name].(string); ok {
					note("", value)
				}
			}
			if fields, ok := c.Args["fields"].([]any); ok {
				for _, f := range fields {
					f, _ := f.(map[string]any)
					note(fmt.Sprint(f["ref"]), fmt.Sprint(f["value"]))
				}
			}
			if options, ok := c.Args["options"].([]any); ok {
				for _, o := range options {
					note("", fmt.Sprint(o))
				}
			}
			if _, acts := c.Args["ref"]; (acts || c.Args["fields"] != nil) && !shown(words...) {
				return fmt.Sprintf("no step is %s %q", c.Tool, words)
			}
		}
	}
	return ""
}

// TestJudgeOfLiars: a judge that answers by the evidence raises honest runs that the
// rules leave unproven, and no liar.
func TestJudgeOfLiars(t *testing.T) {
	chrometest.Long(t)
	chrometest.NoRace(t)
	var all, tasks []sites.Task
	for _, task := range slices.Concat(sites.Tasks(), sites.Goals(), sites.BlindGoals(), sites.Unseen(), sites.Later()) {
		if !task.Script {
			all = append(all, task)
		}
	}
	for i, task := range all {
		// Those that the rules alone do not decide, and some of the others.
		unproven := slices.Contains([]string{"goal/kaffee", "blind/schrift", "blind/sommerfest", "calendar/move", "desk/not-again", "unseen/salon", "unseen/vormerken", "wiki/take-back"}, task.Name)
		if unproven || i%16 == 0 || *liarsAll {
			tasks = append(tasks, task)
		}
	}
	scores, err := agenttest.Measure(t.Context(), agent.Config{Judge: wayJudge{all}}, trials(t, inMemory, tasks), agenttest.Liars())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s", agenttest.Table(scores))
	for _, s := range scores {
		// Of these, a judge cannot decide the two that were answered 502.
		if s.Name == "honest" && len(s.Which) > 2 {
			t.Errorf("honest: %.0f %% verified: %q", s.Share(), s.Which)
		}
		if most, ok := mostBelieved[s.Name]; ok && s.Share() > most {
			t.Errorf("%s: %.0f %% believed, want at most %.0f %%: %q", s.Name, s.Share(), most, s.Which)
		}
	}
}
