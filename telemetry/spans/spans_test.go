package spans_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

// record runs work in a session whose spans are returned, in order of their
// ends.
func record(t *testing.T, model engine.LLM, work func(context.Context, *engine.Page)) tracetest.SpanStubs {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := trace.NewTracerProvider(trace.WithSyncer(exporter))
	tracer := provider.Tracer("test")
	web := fake.Web{
		"https://a.test/?token=hush": `<a href=/there>Go</a><button disabled>No</button>`,
		"https://a.test/there":       "<h1>There</h1>",
	}
	session, err := engine.Open(t.Context(), web, &engine.Options{Hooks: spans.Hooks(tracer), Model: model})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	ctx, root := tracer.Start(t.Context(), "root")
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://a.test/?token=hush", nil); err != nil {
		t.Fatal(err)
	}
	work(ctx, page)
	root.End()
	return exporter.GetSpans()
}

func find(t *testing.T, all tracetest.SpanStubs, name string) tracetest.SpanStub {
	t.Helper()
	i := slices.IndexFunc(all, func(s tracetest.SpanStub) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no span %q", name)
	}
	return all[i]
}

func value(s tracetest.SpanStub, key attribute.Key) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

// TestQuestion: a question to a model is below its call, which is below the
// caller's span, and tells provider, model and tokens as the conventions ask.
func TestQuestion(t *testing.T) {
	model := llmtest.NewScript(t, llmtest.Step{
		JSON:  map[string]string{"extraction": "a secret of the page"},
		Usage: llm.Usage{Input: 1000, Cached: 400, Output: 50, Reasoning: 20},
	})
	all := record(t, model, func(ctx context.Context, page *engine.Page) {
		if _, err := page.Extract(ctx, "the instruction", nil); err != nil {
			t.Fatal(err)
		}
	})
	root, call, look, chat := find(t, all, "root"), find(t, all, "wayfinder extract"), find(t, all, "wayfinder look"), find(t, all, "chat test")
	for _, c := range []struct{ child, parent tracetest.SpanStub }{{chat, call}, {look, call}, {call, root}} {
		if c.child.Parent.SpanID() != c.parent.SpanContext.SpanID() {
			t.Errorf("%q is not below %q", c.child.Name, c.parent.Name)
		}
		if c.child.EndTime.Before(c.child.StartTime) || c.child.StartTime.Before(c.parent.StartTime) {
			t.Errorf("%q lasts from %v to %v", c.child.Name, c.child.StartTime, c.child.EndTime)
		}
	}
	for key, want := range map[attribute.Key]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "script", "gen_ai.request.model": "test",
		"gen_ai.usage.input_tokens": "1000", "gen_ai.usage.output_tokens": "50",
		"gen_ai.usage.cache_read.input_tokens": "400", "gen_ai.usage.reasoning.output_tokens": "20",
	} {
		if got := value(chat, key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
	for _, s := range all {
		for _, a := range s.Attributes {
			for _, private := range []string{"hush", "secret of the page", "the instruction"} {
				if strings.Contains(a.Value.String(), private) {
					t.Errorf("span %q: %s holds %q", s.Name, a.Key, private)
				}
			}
		}
	}
}

// TestAction: an action tells what it did, and one that failed why, in a word.
func TestAction(t *testing.T) {
	all := record(t, nil, func(ctx context.Context, page *engine.Page) {
		if _, err := page.Do(ctx, engine.Action{Selector: "button", Method: engine.Click}, nil); err == nil {
			t.Fatal("a disabled button was clicked")
		}
		if _, err := page.Do(ctx, engine.Action{Selector: "a", Method: engine.Click}, nil); err != nil {
			t.Fatal(err)
		}
	})
	failed := find(t, all, "wayfinder do")
	if failed.Status.Code != codes.Error || value(failed, "error.type") != "disabled" || value(failed, "wayfinder.action.success") != "false" || value(failed, "wayfinder.action.sent") != "none" {
		t.Errorf("the failed action has status %v and %v", failed.Status, failed.Attributes)
	}
	slices.Reverse(all)
	done := find(t, all, "wayfinder do")
	if done.Status.Code == codes.Error || value(done, "wayfinder.action.effect") != "navigation" || value(done, "wayfinder.action.sent") != "all" || value(done, "wayfinder.action.method") != `["click"]` || value(done, "wayfinder.action.id") == "" {
		t.Errorf("the action that was done has status %v and %v", done.Status, done.Attributes)
	}
}
