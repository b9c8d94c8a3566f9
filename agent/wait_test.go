package agent_test

import (
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// The tool wait knows each of the engine's conditions that a text can say.
func TestWaitConditions(t *testing.T) {
	waits := []struct {
		of, value, fails string // the error of a wait that is not met, or not understood
	}{
		{"text", "Plus", ""},
		{"textGone", "Plus", "not met"},
		{"selector", `role=button[name="Plus"]`, ""},
		{"selector", `role=button[name="Minus"]`, "not met"},
		{"count", "2 role=button", ""},
		{"count", "role=button", "how many"},
		{"value", `"" label=Note`, ""},
		{"value", `"2" label=Note`, "not met"},
		{"response", "/never/*", "not met"},
		{"download", "*.pdf", "not met"},
		{"address", "https://count.test/", ""},
		{"quiet", "", ""},
		{"count", "", "is empty"},
	}
	page := counter(t)
	turn := 0
	model := endless(t, func(req *llm.Request) []llm.ToolCall {
		if turn++; turn > len(waits) {
			return []llm.ToolCall{call(req, "done", args{"success": false, "message": "x"})}
		}
		w := waits[turn-1]
		return []llm.ToolCall{call(req, "wait", args{"for": w.of, "value": w.value, "seconds": 0.3})}
	})
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), page, agent.Task{Instruction: "wait"})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range waits {
		got := result.Actions[i]
		if failed := got.Status != agent.Done; failed != (w.fails != "") || !strings.Contains(got.Message, w.fails) {
			t.Errorf("wait for %s %s: %s %q, want an error with %q", w.of, w.value, got.Status, got.Message, w.fails)
		}
	}
}
