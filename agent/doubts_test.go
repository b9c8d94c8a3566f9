package agent_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// The agent's model learns which values of an extraction stand nowhere on the
// page, and what the extraction left out.
func TestExtractDoubts(t *testing.T) {
	site := http.NewServeMux()
	site.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `<h1>Lamps</h1><ul aria-label=Lamps><li aria-setsize=90 aria-posinset=1>Ash</li><li aria-setsize=90 aria-posinset=2>Birch</li></ul>`)
	})
	form := map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"name": map[string]any{"type": "string"}}, "required": []string{"name"}}}
	names := []args{{"name": "Ash"}, {"name": "Marlow Quint"}}
	var told string
	model := llmtest.NewScript(t,
		say("extract", args{"instruction": "all lamps", "schema": form}),
		llmtest.Step{Purpose: llm.PurposeExtract, JSON: args{"value": names}},
		llmtest.Step{Times: -1, Purpose: llm.PurposeAgent, Answer: func(req *llm.Request) any {
			for _, m := range req.Messages {
				for _, part := range m.Parts {
					if r, ok := part.(llm.ToolResult); ok {
						for _, p := range r.Parts {
							switch p := p.(type) {
							case llm.Text:
								told += p.Text
							case llm.Page:
								told += p.Text
							}
						}
					}
				}
			}
			return &llm.Response{ToolCalls: []llm.ToolCall{call(req, "done", args{"success": false, "message": "enough"})}}
		}})
	a, err := agent.New(agent.Config{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), open(t, site), agent.Task{Instruction: "list the lamps"})
	if err != nil {
		t.Fatal(err)
	}
	if read := result.Actions[0]; read.Sources["/0/name"].Text != "Ash" || len(read.Ungrounded) != 2 || read.Ungrounded[1].Degree != engine.Contradicted {
		t.Errorf("the step has sources %+v, ungrounded %+v", read.Sources, read.Ungrounded)
	}
	for _, want := range []string{"Contradicted by the page", "/1/name: ", "Not in this data", "88 items", "does not show them yet"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q:\n%s", want, told)
		}
	}
}
