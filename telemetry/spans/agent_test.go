package spans_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// TestAgentSpans: a run is one span, with its tools and the questions to its
// model below it, and nothing private in it.
func TestAgentSpans(t *testing.T) {
	calls := func(list ...llm.ToolCall) llmtest.Step {
		return llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(*llm.Request) any {
			return &llm.Response{ToolCalls: list, Stop: llm.StopTools, Usage: llm.Usage{Input: 1000, Cached: 400, Output: 50, Reasoning: 20}}
		}}
	}
	model := llmtest.NewScript(t,
		calls(llm.ToolCall{ID: "1", Name: "navigate", Arguments: json.RawMessage(`{"url":"https://a.test/?token=hush"}`)}),
		calls(llm.ToolCall{ID: "2", Name: "click", Arguments: json.RawMessage(`{"ref":"9-9"}`)}),
		calls(llm.ToolCall{ID: "3", Name: "done", Arguments: json.RawMessage(`{"success":false,"message":"a secret conclusion"}`)}),
	)
	exporter := tracetest.NewInMemoryExporter()
	tracer := trace.NewTracerProvider(trace.WithSyncer(exporter)).Tracer("test")
	web := fake.Web{"https://a.test/?token=hush": `<button>Go</button>`}
	session, err := engine.Open(t.Context(), web, &engine.Options{Hooks: spans.Hooks(tracer), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	a, err := agent.New(agent.Config{Hooks: spans.AgentHooks(tracer)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, root := tracer.Start(context.Background(), "root")
	if _, err := a.Execute(ctx, session.Page(), agent.Task{Instruction: "the instruction"}); err != nil {
		t.Fatal(err)
	}
	root.End()
	all := exporter.GetSpans()
	run := find(t, all, "invoke_agent wayfinder")
	for key, want := range map[attribute.Key]string{
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "wayfinder", "gen_ai.provider.name": "script", "gen_ai.request.model": "test",
		"gen_ai.usage.input_tokens": "3000", "gen_ai.usage.output_tokens": "150", "gen_ai.usage.cache_read.input_tokens": "1200",
		"gen_ai.usage.reasoning.output_tokens": "60", "wayfinder.agent.steps": "3", "wayfinder.agent.end": "done", "wayfinder.agent.success": "false",
	} {
		if got := value(run, key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	if value(run, "gen_ai.conversation.id") == "" || run.Parent.SpanID() != find(t, all, "root").SpanContext.SpanID() {
		t.Errorf("the run is %+v", run)
	}
	byID := map[string]tracetest.SpanStub{}
	for _, s := range all {
		byID[s.SpanContext.SpanID().String()] = s
		for _, a := range s.Attributes {
			for _, private := range []string{"hush", "secret", "the instruction"} {
				if strings.Contains(a.Value.String(), private) {
					t.Errorf("span %q: %s holds %q", s.Name, a.Key, private)
				}
			}
		}
	}
	chats := 0
	for _, s := range all {
		if tool := strings.HasPrefix(s.Name, "execute_tool "); !tool && s.Name != "chat test" {
			continue
		} else if tool && value(s, "gen_ai.tool.name") != strings.TrimPrefix(s.Name, "execute_tool ") || tool && value(s, "gen_ai.operation.name") != "execute_tool" {
			t.Errorf("%q has %v", s.Name, s.Attributes)
		} else if !tool {
			chats++
		}
		up := s
		for up.Name != run.Name && up.Parent.IsValid() {
			up = byID[up.Parent.SpanID().String()]
		}
		if up.Name != run.Name {
			t.Errorf("%q is not below the run", s.Name)
		}
	}
	if chats != 3 {
		t.Errorf("there are %d chats, want 3", chats)
	}
	if failed := find(t, all, "execute_tool click"); failed.Status.Code != codes.Error || value(failed, "wayfinder.step.status") != "failed" {
		t.Errorf("the failed step is %+v", failed)
	}
	if went := find(t, all, "execute_tool navigate"); find(t, all, "wayfinder navigate").Parent.SpanID() != went.SpanContext.SpanID() {
		t.Error("what a tool does is not below it")
	}
}
