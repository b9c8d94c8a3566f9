package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

const password = "correct horse battery"

// talk is a conversation that has the password in every place that can hold it.
func talk() *llm.Request {
	return &llm.Request{
		System: "The password is " + password + ".",
		Tools:  []llm.Tool{{Name: "type", Description: "Types " + password, Parameters: json.RawMessage(`{"type":"object","description":"` + password + `"}`)}},
		Messages: []llm.Message{
			{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "type " + password}, llm.Text{Text: password}, llm.Page{Kind: "outline", Text: "value=" + password}}},
			{Role: llm.Assistant, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "type", Arguments: json.RawMessage(`{"text":"` + password + `"}`)}}},
			{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "type", Parts: []llm.Part{llm.Text{Text: "typed " + password}}}}},
		},
	}
}

func TestGenerate(t *testing.T) {
	var told []string
	hooks := &engine.Hooks{
		Began: func(ctx context.Context, e engine.Entry) context.Context {
			told = append(told, fmt.Sprintf("began %s %t", e.Operation, e.Parent != ""))
			return context.WithValue(ctx, spanKey{}, string(e.Operation))
		},
		Ended: func(_ context.Context, e engine.Entry, err error) {
			told = append(told, fmt.Sprintf("ended %s %d %s %s", e.Operation, e.Usage.Input, e.Model, engine.Kind(err)))
		},
		Asked: func(ctx context.Context, a engine.Ask) {
			told = append(told, fmt.Sprintf("asked %s %s %v", a.Purpose, a.Model, ctx.Value(spanKey{})))
		},
	}
	script := llmtest.NewScript(t,
		llmtest.Step{Purpose: llm.PurposeAgent, Usage: llm.Usage{Input: 70, Output: 7}, Text: "It is " + password + ".",
			Calls: []llm.ToolCall{{ID: "c2", Name: "type", Arguments: json.RawMessage(`{"text":"` + password + `"}`)}}},
		llmtest.Step{Err: &llm.Error{Provider: "script", Kind: llm.KindOverloaded, Message: "busy"}},
	)
	page := openShop(t, login, &engine.Options{Model: script, Hooks: hooks})
	session := page.Session()
	told = nil
	ctx, call := session.BeginCall(t.Context(), nil, "agent", "type "+password)
	vars := map[string]engine.Variable{"pw": {Value: password}}
	req := talk()
	resp, err := session.Generate(ctx, req, &engine.GenerateOptions{Variables: vars})
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != "It is %pw%." || string(resp.ToolCalls[0].Arguments) != `{"text":"%pw%"}` {
		t.Errorf("Generate = %+v, want placeholders in it", resp)
	}
	if shown := llmtest.Show(script.Requests()[0]); strings.Contains(shown, "horse") || strings.Count(shown, "%pw%") != 8 {
		t.Errorf("the model got\n%s", shown)
	}
	if diff := cmp.Diff(talk(), req); diff != "" {
		t.Errorf("the caller's request was changed:\n%s", diff)
	}
	_, err = session.Generate(ctx, req, nil)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverloaded || !strings.Contains(err.Error(), "script/test") {
		t.Errorf("Generate = %v", err)
	}
	call.End(nil, func(e *engine.Entry) { e.Usage, e.Message = llm.Usage{Input: 70}, "typed "+password })

	want := []string{"began agent false", "began generate true", "asked agent script/test generate", "ended generate 70 script/test ",
		"began generate true", "asked agent script/test generate", "ended generate 0 script/test model_overloaded", "ended agent 70  "}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	history := session.History()[1:] // after the navigation
	if len(history) != 3 || history[0].ID != call.ID() || history[1].Parent != call.ID() || history[2].Parent != call.ID() || history[0].Parent != "" {
		t.Errorf("history = %+v", history)
	}
	if text := fmt.Sprintf("%+v", history); strings.Contains(text, "horse") || !strings.Contains(text, "typed %pw%") {
		t.Errorf("the history is %s", text)
	}
	if m := session.Metrics().Asks[llm.PurposeAgent]; m.Requests != 2 || m.Errors != 1 || m.Usage.Input != 70 {
		t.Errorf("metrics = %+v", m)
	}
}

// What is done with a run's context belongs to the run, whatever it is.
func TestCallsBelongToTheirParent(t *testing.T) {
	page := openShop(t, login, &engine.Options{Model: llmtest.NewScript(t, choose(t, "textbox", "User", "fill", "ann"))})
	ctx, call := page.Session().BeginCall(t.Context(), page, "agent", "sign in")
	if _, err := page.Act(ctx, "type ann as the user", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Do(ctx, engine.Action{Selector: "#none"}, nil); err == nil {
		t.Error("Do on nothing = nil error")
	}
	if _, err := page.Reload(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Observe(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	call.End(nil, nil)
	var got []string
	for _, e := range page.Session().History() {
		got = append(got, fmt.Sprintf("%s %t", e.Operation, e.Parent == call.ID()))
	}
	if diff := cmp.Diff([]string{"navigate false", "agent false", "act true", "do true", "reload true", "observe false"}, got); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

func TestGenerateWithoutModel(t *testing.T) {
	page := openShop(t, login, nil)
	if _, err := page.Session().Generate(t.Context(), talk(), nil); !errors.Is(err, engine.ErrNoModel) {
		t.Errorf("Generate = %v, want %v", err, engine.ErrNoModel)
	}
	model := llmtest.NewScript(t)
	if err := page.Session().Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := page.Session().Generate(t.Context(), talk(), &engine.GenerateOptions{Model: model}); !errors.Is(err, engine.ErrClosed) {
		t.Errorf("Generate of a session that is closed = %v, want %v", err, engine.ErrClosed)
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A budget that is used up refuses the question, as it does the engine's own.
func TestGenerateKeepsToBudgets(t *testing.T) {
	model := llmtest.NewScript(t)
	page := openShop(t, login, &engine.Options{Model: middleware.Wrap(model, middleware.Meter())})
	ctx := middleware.WithBudget(t.Context(), &middleware.Budget{MaxTokens: 10})
	_, err := page.Session().Generate(ctx, talk(), nil)
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindBudget || len(model.Requests()) != 0 {
		t.Errorf("Generate = %v after %d questions, want the budget's error", err, len(model.Requests()))
	}
}

// pieces is a model that streams a text torn into pieces of some length.
type pieces struct {
	*llmtest.Script
	resp *llm.Response
	size int
	fail error
}

func (p pieces) Stream(context.Context, *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		each := func(text string, piece func(string) llm.Delta) bool {
			for len(text) > 0 {
				n := min(p.size, len(text))
				if !yield(piece(text[:n]), nil) {
					return false
				}
				text = text[n:]
			}
			return true
		}
		if !each(p.resp.Reasoning[0].Text, func(s string) llm.Delta { return llm.Delta{Reasoning: s} }) ||
			!each(p.resp.Text, func(s string) llm.Delta { return llm.Delta{Text: s} }) {
			return
		}
		for i, call := range p.resp.ToolCalls {
			if !yield(llm.Delta{Call: &llm.CallDelta{Index: i, ID: call.ID, Name: call.Name}}, nil) ||
				!each(string(call.Arguments), func(s string) llm.Delta { return llm.Delta{Call: &llm.CallDelta{Index: i, Arguments: s}} }) {
				return
			}
		}
		if p.fail != nil {
			yield(llm.Delta{}, p.fail)
			return
		}
		yield(llm.Delta{Response: p.resp}, nil)
	}
}

// A value is hidden in the pieces of a stream, wherever these tear it apart.
func TestGenerateBitByBit(t *testing.T) {
	whole := &llm.Response{
		Reasoning: []llm.Reasoning{{Text: "Is it " + password + "?", Opaque: []byte("signed")}},
		Text:      "It is " + password + ", or correct%20horse%20battery. Grüße.",
		ToolCalls: []llm.ToolCall{
			{ID: "c1", Name: "type", Arguments: json.RawMessage(`{"text":"` + password + `","enter":true}`)},
			{ID: "c2", Name: "wait", Arguments: json.RawMessage(`{"for":"` + strings.Repeat("long ", 50) + `"}`)}},
	}
	page := openShop(t, login, nil)
	for _, variables := range []map[string]engine.Variable{nil, {"pw": {Value: password}}} {
		for _, size := range []int{1, 2, 7, 1000} {
			var text, reasoning string
			calls := map[int]string{}
			count := 0
			resp, err := page.Session().Generate(t.Context(), talk(), &engine.GenerateOptions{
				Model: pieces{Script: llmtest.NewScript(t), resp: whole, size: size}, Variables: variables,
				Delta: func(d llm.Delta) {
					count++
					text += d.Text
					reasoning += d.Reasoning
					if c := d.Call; c != nil {
						calls[c.Index] += c.ID + c.Name + c.Arguments
					}
				}})
			if err != nil {
				t.Fatal(err)
			}
			got := []string{reasoning, text, calls[0], calls[1]}
			want := []string{resp.Reasoning[0].Text, resp.Text, "c1type" + string(resp.ToolCalls[0].Arguments), "c2wait" + string(resp.ToolCalls[1].Arguments)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("pieces of %d (-response +pieces):\n%s", size, diff)
			}
			if variables != nil && strings.Contains(strings.Join(got, ""), "horse") {
				t.Errorf("pieces of %d: the value is in %q", size, got)
			}
			if size == 1 && count < 50 {
				t.Errorf("%d pieces, want most of them one by one", count)
			}
		}
	}
	boom := errors.New("boom")
	_, err := page.Session().Generate(t.Context(), talk(), &engine.GenerateOptions{
		Model: pieces{Script: llmtest.NewScript(t), resp: whole, size: 9, fail: boom}, Delta: func(llm.Delta) {}})
	if !errors.Is(err, boom) {
		t.Errorf("Generate = %v, want %v", err, boom)
	}
}
