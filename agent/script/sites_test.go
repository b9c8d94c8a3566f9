package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/script"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/internal/sites"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/trace"
)

// A stage opens a browser for a site, and says where the site is.
type stage func(t testing.TB, site http.Handler) (driver.Driver, string)

func inMemory(_ testing.TB, site http.Handler) (driver.Driver, string) {
	return fake.New(fake.Options{Handler: site}), "https://site.test"
}

// onChrome is one Chrome for a test, with a browser of its own for each run.
func onChrome(t *testing.T) stage {
	chrometest.Long(t)
	chrome, err := cdp.Start(t.Context(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	chrometest.Need(t, err)
	t.Cleanup(func() { _ = chrome.Close() })
	return func(t testing.TB, site http.Handler) (driver.Driver, string) {
		server := httptest.NewServer(site)
		t.Cleanup(server.Close)
		return chrome, server.URL
	}
}

// A guide is a model that knows how a task is done.
type guide struct {
	task   sites.Task
	origin string

	mu    sync.Mutex // protects the fields below
	turn  int
	steps int
}

func (g *guide) Name() string { return "guide/test" }

func (g *guide) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	if req.Purpose != llm.PurposeAgent {
		return offline.New().Generate(ctx, req)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	calls := []sites.Call{g.done()}
	if g.turn < len(g.task.Turns) {
		calls = g.task.Turns[g.turn]
	}
	resp := &llm.Response{Stop: llm.StopTools}
	for i, c := range calls {
		raw, err := json.Marshal(g.resolve(req, c.Args))
		if err != nil {
			return nil, err
		}
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall{ID: fmt.Sprintf("t%d-%d", g.turn, i), Name: c.Tool, Arguments: raw})
	}
	g.steps += len(calls)
	g.turn++
	return resp, nil
}

func (g *guide) done() sites.Call {
	var criteria []any
	for _, c := range g.task.Done.Criteria {
		var evidence []any
		for _, e := range c.Evidence {
			proof := map[string]any{}
			for k, v := range e {
				if n, ok := v.(int); ok && k == "step" && n < 0 {
					v = g.steps + 1 + n
				}
				proof[k] = v
			}
			evidence = append(evidence, proof)
		}
		criteria = append(criteria, map[string]any{"criterion": c.Text, "evidence": evidence})
	}
	return sites.Call{Tool: "done", Args: map[string]any{"success": true, "message": g.task.Done.Message, "criteria": criteria}}
}

// resolve puts refs in the place of elements, and addresses in that of paths.
func (g *guide) resolve(req *llm.Request, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range value {
			if path, ok := v.(string); ok && k == "url" && strings.HasPrefix(path, "/") {
				v = g.origin + path
			}
			out[k] = g.resolve(req, v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i := range value {
			out[i] = g.resolve(req, value[i])
		}
		return out
	case string:
		if element, ok := strings.CutPrefix(value, "@"); ok {
			return showing(req, element)
		}
	}
	return value
}

// showing is the ref of an element in what a request shows, newest first.
func showing(req *llm.Request, element string) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		for _, part := range slices.Backward(req.Messages[i].Parts) {
			page, ok := part.(llm.Page)
			if !ok {
				continue
			}
			if ref := sites.Showing(page.Text, element); ref != "" {
				return ref
			}
			if page.Kind == "outline" {
				return "0-0"
			}
		}
	}
	return "0-0"
}

func variablesOf(task sites.Task) map[string]engine.Variable {
	vars := map[string]engine.Variable{}
	for name, value := range task.Variables {
		vars[name] = engine.Variable{Value: value}
	}
	return vars
}

// checks prove tasks whose words no rule can hold against what was done.
var checks = map[string][]agent.Check{
	"desk/not-again": {{Shown: "State: closed"}},
	"calendar/move":  {{Shown: "Dentist is on 2026-05-14"}},
	"wiki/take-back": {{Shown: "Bees make honey."}},
}

// recorded does a task once, and compiles what was done.
func recorded(t testing.TB, on stage, task sites.Task) *script.Script {
	t.Helper()
	site := task.New()
	d, origin := on(t, site)
	c := trace.New(d, &trace.Options{NoPictures: true})
	session, err := engine.Open(t.Context(), c.Driver(), &engine.Options{Model: c.Model(offline.New()), Hooks: c.Hooks()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), origin+task.Start, nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: c.Model(&guide{task: task, origin: origin}), Hooks: c.AgentHooks()})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: task.Say, Files: task.Files, Variables: variablesOf(task), MaxSteps: 40, Checks: checks[task.Name]})
	if err != nil || !result.Success || !slices.Equal(site.Journal(), task.Want) {
		t.Fatalf("%s: Execute: %v; %+v; the site says %q", task.Name, err, result, site.Journal())
	}
	var bundle bytes.Buffer
	if err := c.WriteBundle(&bundle); err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(&bundle)
	if err != nil {
		t.Fatal(err)
	}
	s, err := tr.Compile(nil)
	if err != nil {
		t.Fatalf("%s: Compile: %v", task.Name, err)
	}
	again, err := script.Parse([]byte(s.String()))
	if err != nil || again.String() != s.String() {
		t.Fatalf("%s: Parse(String()): %v", task.Name, err)
	}
	for name, value := range task.Variables {
		if strings.Contains(s.String(), value) {
			t.Errorf("%s: the script holds the value of %%%s%%:\n%s", task.Name, name, s)
		}
	}
	return s
}

// replayed replays a script on a new site, which a visitor sees as changed.
func replayed(t testing.TB, on stage, task sites.Task, changed func(http.Handler) http.Handler, s *script.Script, opts *script.Options) (*script.Result, []string, error) {
	t.Helper()
	site := task.New()
	d, origin := on(t, changed(site))
	session, err := engine.Open(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	opts.Variables, opts.Files, opts.Start = variablesOf(task), task.Files, origin+task.Start
	result, err := script.Replay(t.Context(), session.Page(), s, opts)
	if result == nil {
		t.Fatalf("%s: Replay: %v", task.Name, err)
	}
	return result, site.Journal(), err
}
