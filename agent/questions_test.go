package agent_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestQuestionsOfApplications: in foreign applications an honest task that changes nothing
// on a server is asked about once at most. They are the flavours of TodoMVC from npm, each in
// another framework, that add a line in this Chrome.
func TestQuestionsOfApplications(t *testing.T) {
	if os.Getenv("WAYFINDER_NPM") == "" {
		t.Skip("applications come from npm: make questions runs this")
	}
	dir := t.TempDir()
	npm := exec.Command("npm", "install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "todomvc@0.1.1")
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm cannot install the applications: %v: %s", err, out)
	}
	root := filepath.Join(dir, "node_modules", "todomvc")
	apps, err := filepath.Glob(filepath.Join(root, "examples", "*", "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	d, origin := chromeStage(t)(t, http.FileServer(http.Dir(root)))
	count, needless := 0, 0
	for _, app := range apps {
		name := filepath.Base(filepath.Dir(app))
		asked, did := questionsOf(t, func() *engine.Page {
			session, err := engine.Open(t.Context(), d, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			if _, err := session.Page().Navigate(t.Context(), origin+"/examples/"+name+"/", nil); err != nil {
				t.Fatal(err)
			}
			return session.Page()
		}())
		if !did {
			t.Logf("%-28s does not add a line in this Chrome", name)
			continue
		}
		count++
		needless += len(asked)
		t.Logf("%-28s %d questions %s", name, len(asked), strings.Join(asked, "; "))
		if len(asked) > 1 {
			t.Errorf("%s: asked %d times, want once at most", name, len(asked))
		}
	}
	t.Logf("%d applications, %d needless questions", count, needless)
	if count < 20 {
		t.Errorf("%d applications, want 20 at least", count)
	}
}

// questionsOf adds two lines to a list and filters it, and returns what was asked, and
// whether the lines are there.
func questionsOf(t *testing.T, page *engine.Page) (asked []string, did bool) {
	t.Helper()
	const field = "@textbox: What needs to be done?"
	if page.WaitFor(t.Context(), engine.TextShown("todos")) != nil {
		return nil, false
	}
	add := func(what string) llmtest.Step {
		return answer(func(req *llm.Request) []llm.ToolCall {
			return []llm.ToolCall{call(req, "fill", args{"ref": field, "value": what}), call(req, "press", args{"ref": field, "keys": "Enter"})}
		})
	}
	a, err := agent.New(agent.Config{
		Model: llmtest.NewScript(t, add("buy milk"), add("call Ann"),
			answer(func(req *llm.Request) []llm.ToolCall {
				return []llm.ToolCall{call(req, "click", args{"ref": "@link: Active"})}
			}),
			say("done", args{"success": false, "message": "x"})),
		NeedApproval: agent.Classes(),
		Approve: func(_ context.Context, q agent.Approval) error {
			asked = append(asked, q.Tool+" "+q.Target)
			if q.Outgoing != nil {
				asked[len(asked)-1] += " " + q.Outgoing.Method + " " + q.Outgoing.URL
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Execute(t.Context(), page, agent.Task{Instruction: "add two lines"}); err != nil {
		return asked, false
	}
	text, err := page.Driver().Evaluate(t.Context(), "document.body.innerText", nil)
	return asked, err == nil && strings.Contains(string(text), "buy milk") && strings.Contains(string(text), "call Ann")
}
