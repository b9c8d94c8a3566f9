package openai

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// goOn answers a call, in a conversation whose first question is asked bit by
// bit or not.
func goOn(t *testing.T, m *Model, streamed bool) (*llm.Response, error) {
	t.Helper()
	req := question()
	req.Schema, req.Tools = nil, []llm.Tool{{Name: "look"}}
	req.Messages = append(req.Messages, // of another model, which showed no thought
		llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: "Wait."}}}, llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Well?"}}})
	resp, err := m.Generate(t.Context(), req)
	if streamed {
		for delta, failed := range m.Stream(t.Context(), req) {
			resp, err = delta.Response, failed
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages, resp.Message(), llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look"}}})
	return m.Generate(t.Context(), req)
}

// assistants are the members that the assistant's messages of a request have
// under a name.
func assistants(body map[string]any, name string) []any {
	var out []any
	for _, m := range body["messages"].([]any) {
		if m := m.(map[string]any); m["role"] == "assistant" {
			out = append(out, m[name])
		}
	}
	return out
}

// Servers differ in what they want of a model's earlier thoughts; what one of
// them refused is remembered.
func TestThoughtsOfOtherServers(t *testing.T) {
	for _, test := range []struct {
		name    string
		refuses func(thoughts []any) string
		want    []any // of the last request
	}{
		{"as it gave them", func([]any) string { return "" }, []any{nil, "Hm."}},
		{"none", func(thoughts []any) string {
			if slices.Contains(thoughts, any("Hm.")) {
				return "'messages.3' : property 'reasoning_content' is unsupported"
			}
			return ""
		}, []any{nil, nil}},
		{"in every message", func(thoughts []any) string {
			if slices.Contains(thoughts, any("Hm.")) && slices.Contains(thoughts, nil) {
				return "Missing `reasoning_content` field in the assistant message at message index 1."
			}
			return ""
		}, []any{"", "Hm."}},
	} {
		for _, streamed := range []bool{false, true} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
				if message := test.refuses(assistants(body, "reasoning_content")); message != "" {
					vendorserver.Chat.Fail(w, llm.KindInvalid, message)
					return
				}
				vendorserver.Chat.Answer(w, &llmtest.Heard{Model: "m", Stream: body["stream"] == true},
					&llmtest.Said{Reasoning: "Hm.", Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}}})
			})
			m := s.model(t, Options{})
			for range 2 {
				if _, err := goOn(t, m, streamed); err != nil {
					t.Errorf("%s: Generate = %v", test.name, err)
				}
			}
			if diff := cmp.Diff(test.want, assistants(s.bodies()[len(s.bodies())-1], "reasoning_content")); diff != "" {
				t.Errorf("%s, streamed %t: thoughts (-want +got):\n%s", test.name, streamed, diff)
			}
			asked := 4
			if streamed {
				asked = 6
			}
			if test.name != "as it gave them" {
				asked++ // to learn
			}
			if len(s.bodies()) != asked {
				t.Errorf("%s, streamed %t: %d requests, want %d", test.name, streamed, len(s.bodies()), asked)
			}
		}
	}
}

// What other servers add to a message and to a call goes back: OpenRouter's
// details of the reasoning, Gemini's signature of a call.
func TestMembersOfOtherServersGoBack(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
			call := map[string]any{"index": 0, "id": "c1", "type": "function", "function": map[string]any{"name": "look", "arguments": "{}"},
				"extra_content": map[string]any{"google": map[string]any{"thought_signature": "c2ln"}}}
			message := map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}, "reasoning": "Hm.",
				"reasoning_details": []any{map[string]any{"type": "reasoning.encrypted", "data": "xyz", "index": 0}}}
			if body["stream"] != true {
				vendorserver.WriteJSON(w, 200, map[string]any{"id": "x", "object": "chat.completion", "model": "m",
					"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": "tool_calls"}}})
				return
			}
			raw, err := json.Marshal(map[string]any{"id": "x", "object": "chat.completion.chunk", "model": "m",
				"choices": []any{map[string]any{"index": 0, "delta": message, "finish_reason": "tool_calls"}}})
			if err != nil {
				t.Error(err)
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write([]byte("data: " + string(raw) + "\n\ndata: [DONE]\n\n")) // the client reads it all
		})
		resp, err := goOn(t, s.model(t, Options{}), streamed)
		if err != nil || len(resp.Reasoning) != 1 || resp.Reasoning[0].Text != "Hm." {
			t.Errorf("Generate = %+v, %v", resp, err)
		}
		body := s.bodies()[len(s.bodies())-1]
		details := []any{nil, []any{map[string]any{"type": "reasoning.encrypted", "data": "xyz", "index": 0.0}}}
		if diff := cmp.Diff(details, assistants(body, "reasoning_details")); diff != "" {
			t.Errorf("streamed %t: details (-want +got):\n%s", streamed, diff)
		}
		call := assistants(body, "tool_calls")[1].([]any)[0].(map[string]any)
		if diff := cmp.Diff(map[string]any{"google": map[string]any{"thought_signature": "c2ln"}}, call["extra_content"]); diff != "" {
			t.Errorf("streamed %t: extra_content (-want +got):\n%s", streamed, diff)
		}
	}
}
