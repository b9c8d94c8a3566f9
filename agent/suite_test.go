package agent_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
)

// A stage opens a browser for a site, and says where the site is.
type stage func(t testing.TB, site http.Handler) (driver.Driver, string)

// inMemory has the site in the browser in memory.
func inMemory(_ testing.TB, site http.Handler) (driver.Driver, string) {
	return fake.New(fake.Options{Handler: site}), "https://site.test"
}

// setStage opens the page on which a task begins.
func setStage(t testing.TB, on stage, task sites.Task) (*sites.Site, *engine.Page, string) {
	t.Helper()
	site := task.New()
	d, origin := on(t, site)
	session, err := engine.Open(t.Context(), d, &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if _, err := session.Page().Navigate(t.Context(), origin+task.Start, nil); err != nil {
		t.Fatal(err)
	}
	return site, session.Page(), origin
}

// given is a task of the suite as an agent's.
func given(task sites.Task) agent.Task {
	out := agent.Task{Instruction: task.Say, Files: task.Files, MaxSteps: 40}
	for name, value := range task.Variables {
		if out.Variables == nil {
			out.Variables = map[string]engine.Variable{}
		}
		out.Variables[name] = engine.Variable{Value: value}
	}
	return out
}

// performTask has a task done by the model that knows how, and holds the site
// against what it wants.
func performTask(t testing.TB, on stage, mode agent.Mode, task sites.Task) (*oracle, *agent.Result) {
	t.Helper()
	site, page, origin := setStage(t, on, task)
	if len(site.Journal()) > 0 {
		t.Fatalf("the journal is not empty before: %q", site.Journal())
	}
	model := newOracle(task, origin)
	if mode == agent.Hybrid {
		model.page = func() *engine.Page { return page.Session().Page() }
	}
	a, err := agent.New(agent.Config{Model: model, Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, given(task))
	if err != nil {
		t.Errorf("Execute: %v", err)
	}
	if got := site.Journal(); !slices.Equal(got, task.Want) {
		t.Errorf("the site says %q, want %q", got, task.Want)
	}
	if len(model.lost) > 0 {
		t.Errorf("elements that no outline showed: %q", model.lost)
	}
	switch {
	case result == nil:
		t.Errorf("no result")
	case undecided(task):
		if result.Verdict != agent.Verified && result.Verdict != agent.Unproven {
			t.Errorf("verdict %s of an honest run", result.Verdict)
		}
	case !result.Success:
		t.Errorf("no success: %s, %+v", result.Verdict, result.Open)
	}
	if t.Failed() {
		t.Log(account(result))
	}
	if t.Failed() && testing.Verbose() && len(model.requests) > 0 {
		t.Logf("the last request:\n%s", written(model.requests[len(model.requests)-1]))
	}
	return model, result
}

// undecided reports whether the rules alone need not prove the honest run of a
// task: the close of a ticket that is answered 502 and was done all the same, a
// reason that the model makes up, a day that has to be reckoned, and what is said in
// other words than the page's.
func undecided(task sites.Task) bool {
	return task.Name == "desk/not-again" || task.Name == "calendar/move" || task.Name == "wiki/take-back" || strings.HasPrefix(task.Name, "goal/") || strings.HasPrefix(task.Name, "blind/") || strings.HasPrefix(task.Name, "unseen/") || strings.HasPrefix(task.Name, "later/")
}

// account is what a run came to, step by step.
func account(r *agent.Result) string {
	if r == nil {
		return "no result"
	}
	var b strings.Builder
	b.WriteString(r.Message + "\n")
	for _, a := range r.Actions {
		raw, _ := json.Marshal([]any{a.Step, a.Type, a.Arguments, a.Status, a.Message})
		b.Write(append(raw, '\n'))
	}
	raw, _ := json.Marshal(r.Criteria)
	b.Write(raw)
	return b.String()
}

// written is a request as a model reads it, without the system part and the tools.
func written(req *llm.Request) string {
	var b strings.Builder
	var write func(parts []llm.Part)
	write = func(parts []llm.Part) {
		for _, p := range parts {
			switch p := p.(type) {
			case llm.Instruction:
				b.WriteString("task: " + p.Text + "\n")
			case llm.Text:
				b.WriteString(p.Text + "\n")
			case llm.Page:
				b.WriteString("<" + p.Kind + ">\n" + p.Text)
			case llm.ToolCall:
				b.WriteString("call " + p.Name + string(p.Arguments) + "\n")
			case llm.ToolResult:
				write(p.Parts)
			case llm.Image:
				b.WriteString("(picture)\n")
			}
		}
	}
	for _, m := range req.Messages {
		b.WriteString("--- " + string(m.Role) + "\n")
		write(m.Parts)
	}
	return b.String()
}

// suiteAll runs every task on Chrome in both modes; by default it is a slice.
var suiteAll = flag.Bool("suite.all", false, "run every task of the suite on Chrome in both modes")

// TestSuite: what the suite is.
func TestSuite(t *testing.T) {
	names, script := map[string]bool{}, 0
	for _, task := range sites.Tasks() {
		if names[task.Name] {
			t.Errorf("two tasks have the name %s", task.Name)
		}
		names[task.Name] = true
		if task.Script {
			script++
		}
		if len(task.Turns) < 2 || len(task.Want) == 0 || len(task.Done.Criteria) == 0 {
			t.Errorf("%s: has %d turns, wants %q and claims %v", task.Name, len(task.Turns), task.Want, task.Done)
		}
	}
	if len(names)-script < 40 {
		t.Errorf("%d tasks without script, want at least 40", len(names)-script)
	}
}

// TestSuiteInMemory: every task that needs no script is done in both modes. The
// browser in memory takes no pictures, and hybrid does without.
func TestSuiteInMemory(t *testing.T) {
	for _, mode := range []agent.Mode{agent.DOM, agent.Hybrid} {
		for i, task := range sites.Tasks() {
			if task.Script || i%chrometest.Thin(4) != 0 {
				continue
			}
			t.Run(string(mode)+"/"+task.Name, func(t *testing.T) {
				t.Parallel()
				performTask(t, inMemory, mode, task)
			})
		}
	}
}

// TestSuiteOnChrome: the tasks that need a script and each third of the others are
// done in mode dom, and each fifth in mode hybrid, with pictures and by points.
// -suite.all runs all in both.
func TestSuiteOnChrome(t *testing.T) {
	onChrome, taken := chromeStage(t), 0
	for i, task := range sites.Tasks() {
		for _, mode := range []agent.Mode{agent.DOM, agent.Hybrid} {
			slice := mode == agent.DOM && (task.Script || i%3 == 1) || mode == agent.Hybrid && i%5 == 0
			if !slice && !*suiteAll {
				continue
			}
			if taken++; taken%chrometest.Thin(3) != 0 {
				continue
			}
			t.Run(string(mode)+"/"+task.Name, func(t *testing.T) {
				t.Parallel()
				model, _ := performTask(t, onChrome, mode, task)
				if mode == agent.Hybrid && model.points == 0 {
					t.Errorf("nothing was done by point")
				}
			})
		}
	}
}

// TestSuiteDoneAtOnce: a model that does nothing and says that all is done has no
// success on any task, whatever it names for it; the sites stay as they were.
func TestSuiteDoneAtOnce(t *testing.T) {
	claim := func(evidence ...any) any {
		return []any{map[string]any{"criterion": "it is done", "evidence": append([]any{}, evidence...)}}
	}
	controls := map[string]func(task sites.Task, shown string) any{
		"nothing":      func(sites.Task, string) any { return []any{} },
		"no evidence":  func(sites.Task, string) any { return claim() },
		"what is said": func(_ sites.Task, shown string) any { return claim(proof("text", args{"text": aLine(shown)})) },
		"the address":  func(task sites.Task, _ string) any { return claim(proof("address", args{"address": task.Start})) },
		"the first step": func(sites.Task, string) any {
			return claim(proof("action", args{"step": 1}))
		},
		"the page's request": func(task sites.Task, _ string) any {
			return claim(proof("request", args{"method": "GET", "address": task.Start}))
		},
		"what an oracle says": func(task sites.Task, _ string) any { return newOracle(task, "").done().Args["criteria"] },
	}
	for name, criteria := range controls {
		for i, task := range sites.Tasks() {
			if !task.Script && i%chrometest.Thin(10) == 0 {
				t.Run(name+"/"+task.Name, func(t *testing.T) {
					t.Parallel()
					doneAtOnce(t, inMemory, task, criteria)
				})
			}
		}
	}
	t.Run("chrome", func(t *testing.T) {
		onChrome := chromeStage(t)
		for _, task := range sites.Tasks() {
			if task.Script {
				t.Run(task.Name, func(t *testing.T) { doneAtOnce(t, onChrome, task, controls["what an oracle says"]) })
			}
		}
	})
}

// doneAtOnce has a model say on a task that all is done, until the run ends.
func doneAtOnce(t *testing.T, on stage, task sites.Task, criteria func(task sites.Task, shown string) any) {
	site, page, _ := setStage(t, on, task)
	model := llmtest.NewScript(t, llmtest.Step{Times: -1, Answer: func(req *llm.Request) any {
		raw, _ := json.Marshal(args{"success": true, "message": "all is done", "criteria": criteria(task, written(req))})
		return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: fmt.Sprint(len(req.Messages)), Name: "done", Arguments: raw}}}
	}})
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, given(task))
	if err != nil || result.Success || !result.Completed || len(site.Journal()) > 0 {
		t.Errorf("success of nothing: %v %s", err, account(result))
	}
}

// aLine is some text that an outline shows.
func aLine(shown string) string {
	for line := range strings.Lines(shown) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "] heading: "); ok {
			name, _, _ = strings.Cut(name, " (")
			return name
		}
	}
	return "document"
}

// TestSuiteOffline: a matcher of words does the plain tasks from their sentences,
// and of the others says truly what it did not do.
func TestSuiteOffline(t *testing.T) {
	plain := 0
	for i, task := range sites.Tasks() {
		if task.Script {
			continue
		}
		if task.Plain {
			plain++
		}
		if i%chrometest.Thin(6) != 0 {
			continue
		}
		t.Run(task.Name, func(t *testing.T) {
			t.Parallel()
			site, page, _ := setStage(t, inMemory, task)
			a, err := agent.New(agent.Config{Model: offline.New()})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), page, given(task))
			reached := slices.Equal(site.Journal(), task.Want)
			switch {
			case task.Plain && (err != nil || !reached || !result.Success):
				t.Errorf("Execute(%q) = %v, the site says %q, want %q\n%s", task.Say, err, site.Journal(), task.Want, account(result))
			case !task.Plain && reached && result.Success:
				t.Errorf("Execute(%q) does it: mark it as plain", task.Say)
			case !reached && result.Success:
				t.Errorf("success of %q, where the site says %q\n%s", task.Say, site.Journal(), account(result))
			}
		})
	}
	if plain < 20 {
		t.Errorf("%d plain tasks, want at least 20", plain)
	}
}
