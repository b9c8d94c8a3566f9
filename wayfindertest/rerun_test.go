package wayfindertest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

// brokenShop does not answer an order.
var brokenShop = fake.Web{
	"https://shop.test/": `<h1>Shop</h1><a href="/help">Help</a><form action="/order"><label>Name <input name="name"></label><button>Order</button></form>`,
}

// calls is an answer of a model that calls a tool.
func calls(tool string, arguments func(req *llm.Request) map[string]any) llmtest.Step {
	return llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(req *llm.Request) any {
		raw, err := json.Marshal(arguments(req))
		if err != nil {
			return err
		}
		return &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: fmt.Sprint(len(req.Messages)), Name: tool, Arguments: raw}}}
	}}
}

func claims(req *llm.Request) map[string]any {
	return map[string]any{"success": true, "message": "It is ordered.", "criteria": []any{
		map[string]any{"criterion": "it is ordered", "evidence": []any{map[string]any{"kind": "text", "text": "Thank you"}, map[string]any{"kind": "action", "step": 2}}}}}
}

func ordering() []llmtest.Step {
	return []llmtest.Step{
		calls("fill", func(req *llm.Request) map[string]any {
			return map[string]any{"ref": llmtest.Ref(req, "textbox: Name"), "text": "Ada"}
		}),
		calls("click", func(req *llm.Request) map[string]any {
			return map[string]any{"ref": llmtest.Ref(req, "button: Order")}
		}),
		calls("done", claims), calls("done", claims),
	}
}

// failedOrder is the bundle of a run in a shop that does not work.
func failedOrder(t *testing.T) string {
	t.Helper()
	c := trace.New(brokenShop, &trace.Options{NoPictures: true})
	session, err := engine.Open(t.Context(), c.Driver(), &engine.Options{Model: c.Model(llmtest.NewScript(t, ordering()...)), Hooks: c.Hooks()})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	opened := wayfindertest.Step{Method: "navigate", Instruction: "https://shop.test/"}
	if _, err := opened.Do(t.Context(), session, nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Hooks: c.AgentHooks()})
	if err != nil {
		t.Fatal(err)
	}
	step := wayfindertest.Step{Method: "agent", Instruction: "order a teapot for Ada"}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: step.Instruction})
	if err != nil || result.Success || !result.Completed {
		t.Fatalf("Execute: %v, %+v; want a claim that does not hold", err, result)
	}
	step.Result = wayfindertest.AgentText(result)
	for _, s := range []wayfindertest.Step{opened, step} {
		if err := wayfindertest.NoteStep(c.Recorder(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := wayfindertest.NoteTrajectory(c.Recorder(), session); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "order.wayfinder")
	if err := c.Recorder().WriteFile(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFailureBecomesATest: the bundle of a run that failed becomes a package that
// compiles in a module of its own, fails as the run did, and passes with the
// shop mended.
func TestFailureBecomesATest(t *testing.T) {
	chrometest.Long(t)
	chrometest.Long(t) // it compiles a module
	bundle := failedOrder(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	_, requires, _ := strings.Cut(read(filepath.Join(root, "go.mod")), "\ngo ")
	requires, _, _ = strings.Cut(requires, "\ntool ")
	write("go.mod", "module example.test/shop\n\ngo "+requires+"\nrequire github.com/wayfinder-engine/wayfinder v0.0.0\n\nreplace github.com/wayfinder-engine/wayfinder => "+root+"\n")
	write("go.sum", read(filepath.Join(root, "go.sum")))
	file, err := wayfindertest.WriteTest(bundle, folder, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wayfindertest.WriteTest(bundle, folder, ""); err == nil {
		t.Error("WriteTest replaced a test")
	}
	source := read(file)
	for _, want := range []string{"func TestOrder(t *testing.T) {\n\twayfindertest.Rerun(t, \"testdata/order.wayfinder\", nil)\n}", "its success was not verified", "step 2: click button \"Order\", done"} {
		if !strings.Contains(source, want) {
			t.Errorf("the test has no %s:\n%s", want, source)
		}
	}
	run := func() (string, error) {
		cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-mod=mod", "./...")
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := run()
	if err == nil || !strings.Contains(out, "--- FAIL: TestOrder") || !strings.Contains(out, "not verified") || !strings.Contains(out, "2. click, done") {
		t.Fatalf("the test of the failure: %v\n%s\n%s", err, out, source)
	}
	mended := strings.Replace(source, ", nil)", `, &wayfindertest.Fork{Step: 1, Driver: fake.Web{
		"https://shop.test/": `+"`<h1>Our shop</h1><form action=\"/order\"><label>Name <input name=\"name\"></label><button>Order</button></form><a href=\"/help\">Help</a>`"+`,
		"https://shop.test/order": "<h1>Thank you</h1>",
	}})`, 1)
	mended = strings.Replace(mended, "import (\n\t\"testing\"\n", "import (\n\t\"testing\"\n\n\t\"github.com/wayfinder-engine/wayfinder/driver/fake\"", 1)
	if err := os.WriteFile(file, []byte(mended), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := run(); err != nil || !strings.Contains(out, "ok") {
		t.Errorf("with the shop mended: %v\n%s\n%s", err, out, mended)
	}
}

// TestFork: a run goes on otherwise from a step.
func TestFork(t *testing.T) {
	bundle := failedOrder(t)
	agentStep := func(b *wayfindertest.Bundle, session *engine.Session) (string, error) {
		t.Helper()
		var text string
		var err error
		for _, s := range b.Steps {
			if text, err = s.Do(t.Context(), session, nil); err != nil {
				return text, err
			}
		}
		return text, nil
	}
	giveUp := llmtest.Step{Purpose: llm.PurposeAgent, Calls: []llm.ToolCall{{ID: "x", Name: "done", Arguments: json.RawMessage(`{"success":false,"message":"The shop is broken.","criteria":[]}`)}}, Times: -1}

	t.Run("model", func(t *testing.T) {
		model := llmtest.NewScript(t, giveUp)
		b := wayfindertest.OpenBundle(t, bundle, nil)
		b = b.Fork(t, wayfindertest.Fork{Step: 3, Model: model})
		text, err := agentStep(b, b.Open(t))
		if err != nil || !strings.Contains(text, "2. click, done") || !strings.Contains(text, "completed false: The shop is broken.") || len(model.Requests()) == 0 {
			t.Errorf("from step 3 with another model: %v\n%s", err, text)
		}
	})
	t.Run("prompt", func(t *testing.T) {
		model := llmtest.NewScript(t, llmtest.Step{Check: func(req *llm.Request) error {
			if !strings.Contains(req.System, "Say so if a shop is broken.") {
				return fmt.Errorf("the prompt is as before")
			}
			return nil
		}, Calls: giveUp.Calls, Times: -1})
		b := wayfindertest.OpenBundle(t, bundle, nil)
		b = b.Fork(t, wayfindertest.Fork{Step: 3, Model: model, Prompt: func(req *llm.Request) { req.System += "Say so if a shop is broken." }})
		if text, err := agentStep(b, b.Open(t)); err != nil || !strings.Contains(text, "The shop is broken.") {
			t.Errorf("from step 3 with another prompt: %v\n%s", err, text)
		}
	})
	t.Run("page", func(t *testing.T) {
		wayfindertest.Rerun(t, bundle, &wayfindertest.Fork{Step: 1, Driver: fake.Web{
			"https://shop.test/":      `<p>new</p><form action="/order"><p>more</p><label>Name <input name="name"></label><button>Order</button></form>`,
			"https://shop.test/order": `<h1>Thank you</h1>`,
		}})
	})
	t.Run("live, then another model", func(t *testing.T) {
		model := llmtest.NewScript(t, ordering()[1], ordering()[2])
		session := wayfindertest.Rerun(t, bundle, &wayfindertest.Fork{Step: 2, Model: model, Driver: fake.Web{
			"https://shop.test/":      `<form action="/order"><label>Name <input name="name"></label><button>Order</button></form>`,
			"https://shop.test/order": `<h1>Thank you</h1>`,
		}})
		if at := session.Page().URL(); at != "https://shop.test/order?name=Ada" {
			t.Errorf("the run ends at %s", at)
		}
	})
	t.Run("a page without the element", func(t *testing.T) {
		b := wayfindertest.OpenBundle(t, bundle, nil)
		b = b.Fork(t, wayfindertest.Fork{Step: 2, Driver: fake.Web{"https://shop.test/": `<h1>Closed</h1>`}})
		if _, err := agentStep(b, b.Open(t)); err == nil || !strings.Contains(err.Error(), "the page has no textbox: Name") {
			t.Errorf("on a page without the field: %v", err)
		}
	})
}
