package agent_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// A cost is what the questions of runs took, in tokens of input by [llm.Estimate]:
// the system part, the tools and the whole conversation, each time. Beside what
// the agent sent stands what the same answers would have taken if the page's
// whole outline went along. All of them are without prompt caches.
type cost struct {
	runs, turns, steps int

	sent int // by the agent
	// The same turns, each with the whole outline; all of them stay in the
	// conversation, or the newest alone does.
	turnsKept, turnsNewest int
	// The same calls, each in an answer of its own, with the whole outline.
	stepsKept, stepsNewest int

	fixed int // of sent: the system part and the tools
	shown int // the whole outlines of all turns
}

// of adds what a run took.
func (c *cost) of(model *oracle) {
	c.runs++
	c.steps += model.steps
	before, beforeSteps := 0, 0 // outlines of earlier turns
	for i, req := range model.requests {
		c.turns++
		c.sent += llm.Estimate(req)
		c.fixed += llm.Estimate(&llm.Request{System: req.System, Tools: req.Tools})
		bare := *req
		bare.Messages = withoutViews(req.Messages)
		rest, whole := llm.Estimate(&bare), (len(model.outlines[i])+3)/4
		before += whole
		c.shown += whole
		c.turnsKept += rest + before
		c.turnsNewest += rest + whole
		for range model.called[i] {
			beforeSteps += whole
			c.stepsKept += rest + beforeSteps
			c.stepsNewest += rest + whole
		}
	}
}

// withoutViews leaves out what shows the page.
func withoutViews(messages []llm.Message) []llm.Message {
	out := make([]llm.Message, len(messages))
	for i, m := range messages {
		out[i].Role = m.Role
		for _, p := range m.Parts {
			switch p := p.(type) {
			case llm.Page:
				if p.Kind == "outline" || p.Kind == "changes" {
					continue
				}
			case llm.Text:
				if p.Text == "The page is as it was." || p.Text == "(earlier outline)" {
					continue
				}
			}
			out[i].Parts = append(out[i].Parts, p)
		}
	}
	return out
}

// surrounded puts what pages out there have around their content (menus, lists of
// what else there is, a footer of many links) into the pages of a site: about so
// many tokens of an outline.
func surrounded(site http.Handler, tokens int) http.Handler {
	var more strings.Builder
	for i := range tokens / 15 {
		fmt.Fprintf(&more, `<p><a href="/more/%d">Related article number %d of this place</a></p>`, i, i)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		site.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		w.WriteHeader(rec.Code)
		_, _ = io.WriteString(w, strings.Replace(rec.Body.String(), "</main>", "</main><aside>"+more.String()+"</aside>", 1))
	})
}

// suiteCost does every task in memory, in mode dom, with so much around its pages.
func suiteCost(t testing.TB, around int) cost {
	var total cost
	for _, task := range sites.Tasks() {
		if task.Script {
			continue
		}
		_, page, origin := setStage(t, func(t testing.TB, site http.Handler) (driver.Driver, string) {
			return inMemory(t, surrounded(site, around))
		}, task)
		model := newOracle(task, origin)
		model.whole = func() string { return wholeOutline(t, page.Session().Page()) }
		a, err := agent.New(agent.Config{Model: model})
		if err != nil {
			t.Fatal(err)
		}
		result, err := a.Execute(t.Context(), page, given(task))
		if err != nil || !result.Success && !undecided(task) {
			t.Fatalf("%s: %v %s", task.Name, err, account(result))
		}
		total.of(model)
		_ = page.Session().Close()
	}
	return total
}

func wholeOutline(t testing.TB, page *engine.Page) string {
	snap, err := page.Snapshot(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return snap.Outline()
}

// mostOfWhole is how much the agent may send, in percent of what the whole
// outline with each step takes, where the outline of a page has usualPage tokens
// more than the small pages of the suite.
const (
	mostOfWhole = 35
	usualPage   = 3000
)

func percent(part, whole int) float64 { return 100 * float64(part) / float64(whole) }

// suiteTokens are the tokens of a run of the suite, on its small pages and on usual
// ones. A change that costs more than 2 % has to say so here, and why; one that saves
// as much writes the new figure down.
var suiteTokens = []struct{ around, want int }{{0, 11_717}, {usualPage, 25_390}}

// TestSuiteCost holds what the suite takes to [suiteTokens], and against sending the
// whole outline with each step, in a conversation that keeps what it was sent. Where
// pages are small, most of both is the system part and the tools, which are the same.
func TestSuiteCost(t *testing.T) {
	chrometest.Long(t)
	chrometest.NoRace(t)
	for _, on := range suiteTokens {
		around, want := on.around, on.want
		c := suiteCost(t, around)
		t.Logf("%d runs of %d steps in %d turns, outlines of %d tokens: %d tokens a run, %d a step; %d a turn are the system part and the tools",
			c.runs, c.steps, c.turns, c.shown/c.turns, c.sent/c.runs, c.sent/c.steps, c.fixed/c.turns)
		if off := percent(c.sent/c.runs-want, want); off < -2 || off > 2 {
			t.Errorf("a run takes %d tokens, %+.1f %% of %d, want at most 2 %% off", c.sent/c.runs, off, want)
		}
		t.Logf("  of the whole outline with each step: %.0f %% where all are kept, %.0f %% where the newest is", percent(c.sent, c.stepsKept), percent(c.sent, c.stepsNewest))
		t.Logf("  of the whole outline with each turn: %.0f %% where all are kept, %.0f %% where the newest is", percent(c.sent, c.turnsKept), percent(c.sent, c.turnsNewest))
		t.Logf("  without the system part and the tools: %.0f %% of each step, %.0f %% of each turn, where all are kept",
			percent(c.sent-c.fixed, c.stepsKept-c.fixed*c.steps/c.turns), percent(c.sent-c.fixed, c.turnsKept-c.fixed))
		if got := percent(c.sent, c.stepsKept); around == usualPage && got > mostOfWhole {
			t.Errorf("the suite takes %.1f %% of the whole outline with each step, want at most %d %%", got, mostOfWhole)
		}
	}
}

// BenchmarkSuiteTokens reports what a run and a step of the suite take.
func BenchmarkSuiteTokens(b *testing.B) {
	for b.Loop() {
		c := suiteCost(b, usualPage)
		b.ReportMetric(float64(c.sent)/float64(c.runs), "tokens/run")
		b.ReportMetric(float64(c.sent)/float64(c.steps), "tokens/step")
		b.ReportMetric(percent(c.sent, c.stepsKept), "%-of-each-step")
		b.ReportMetric(percent(c.sent, c.turnsKept), "%-of-each-turn")
	}
}
