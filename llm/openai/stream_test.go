package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// streaming answers with the lines of a stream.
func streaming(t *testing.T, lines ...string) *server {
	return serve(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, line := range lines {
			io.WriteString(w, "data: "+line+"\n\n") // the client may be gone
		}
	})
}

func collect(t *testing.T, m *Model) (string, *llm.Response, error) {
	t.Helper()
	var text strings.Builder
	req := question()
	req.Schema = nil
	for delta, err := range m.Stream(t.Context(), req) {
		if err != nil {
			return text.String(), nil, err
		}
		text.WriteString(delta.Text)
		if delta.Response != nil {
			return text.String(), delta.Response, nil
		}
	}
	t.Fatal("the stream has no end")
	return "", nil, nil
}

func TestStreamOfWholeCallsUnderOneIndex(t *testing.T) {
	s := streaming(t,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"zoom\":1}"}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"wait","arguments":""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`)
	_, resp, err := collect(t, s.model(t, Options{}))
	if err != nil || len(resp.ToolCalls) != 2 || resp.ToolCalls[0].ID != "a" || string(resp.ToolCalls[1].Arguments) != "{}" || resp.Stop != llm.StopTools {
		t.Errorf("Stream ended with %+v, %v", resp, err)
	}
}

func TestStreamErrors(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"in the middle", []string{`{"choices":[{"index":0,"delta":{"content":"a"}}]}`, `{"error":{"message":"Overloaded","type":"overloaded_error"}}`}, "openai: overloaded: Overloaded"},
		{"no end", []string{`{"choices":[{"index":0,"delta":{"content":"a"}}]}`, `[DONE]`}, "openai: malformed: the stream ended before the answer did"},
		{"no JSON", []string{`{"choices":[{"ind`}, "openai: malformed: the answer is no complete JSON: invalid character '\\n' in string literal"},
		{"refused", []string{`{"choices":[{"index":0,"delta":{"refusal":"I won't."}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`}, "openai: refusal: I won't."},
		{"bad arguments", []string{`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`}, "openai: malformed: the arguments for look are no JSON object: text: {"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, resp, err := collect(t, streaming(t, test.lines...).model(t, Options{})); err == nil || err.Error() != test.want {
				t.Errorf("Stream ended with %+v, %v, want %s", resp, err, test.want)
			}
		})
	}
}

func TestStreamErrorsOfResponses(t *testing.T) {
	for _, test := range []struct {
		name, line, want string
	}{
		{"an event", `{"type":"error","code":"rate_limit_exceeded","message":"slow down"}`, "openai: rate_limited: slow down"},
		{"a failed response", `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"oops"},"output":[]}}`, "openai: unavailable: oops"},
		{"a short one", `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}`, "openai: length: the answer was cut off at its limit of tokens"},
		{"no end", `{"type":"response.output_text.delta","delta":"a"}`, "openai: malformed: the stream ended before the answer did"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, resp, err := collect(t, streaming(t, test.line).model(t, Options{Format: config.ResponsesFormat})); err == nil || err.Error() != test.want {
				t.Errorf("Stream ended with %+v, %v, want %s", resp, err, test.want)
			}
		})
	}
}

func TestStreamWithoutUsageOption(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
		if body["stream_options"] != nil {
			refuse(w, 400, "Unknown parameter: stream_options")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n") // the client reads it all
	})
	if text, _, err := collect(t, s.model(t, Options{})); err != nil || text != "a" || len(s.bodies()) != 2 {
		t.Errorf("Stream = %q, %v after %d requests", text, err, len(s.bodies()))
	}
}
