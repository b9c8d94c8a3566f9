package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// refuse answers with an error as long as a body has something.
func refuse(w http.ResponseWriter, status int, message string) {
	vendorserver.WriteJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}

func TestOtherErrorsAreNotTriedAgain(t *testing.T) {
	for _, status := range []int{400, 401, 404, 429, 500, 503} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) { refuse(w, status, "no") })
		if _, err := s.model(t, Options{}).Generate(t.Context(), question()); err == nil || len(s.bodies()) != 1 {
			t.Errorf("status %d: %v after %d requests, want an error after 1", status, err, len(s.bodies()))
		}
	}
}

func TestErrorBodies(t *testing.T) {
	for _, test := range []struct {
		name, body, want string
		status           int
		kind             llm.ErrorKind
	}{
		{"OpenAI", `{"error":{"message":"a","type":"t","param":null,"code":"context_length_exceeded"}}`, "a", 400, llm.KindTooLong},
		{"by type", `{"error":{"message":"a","type":"insufficient_quota","code":null}}`, "a", 429, llm.KindQuota},
		{"a number for the code", `{"error":{"code":400,"message":"a","type":"exceed_context_size_error"}}`, "a", 400, llm.KindTooLong},
		{"a string", `{"error":"model 'x' not found"}`, "model 'x' not found", 404, llm.KindNotFound},
		{"vLLM", `{"object":"error","message":"a","type":"BadRequestError","code":400}`, "a", 400, llm.KindInvalid},
		{"FastAPI", `{"detail":"Not authenticated"}`, "Not authenticated", 403, llm.KindAuth},
		{"FastAPI list", `{"detail":[{"loc":["body","model"],"msg":"field required"}]}`, `[{"loc":["body","model"],"msg":"field required"}]`, 422, llm.KindInvalid},
		{"text", `upstream connect error`, "Bad Gateway: application/json: upstream connect error", 502, llm.KindUnavailable},
		{"used up", `{"error":{"message":"pay"}}`, "pay", 402, llm.KindQuota},
		{"not there", `{"error":{"message":"no"}}`, "no", 501, llm.KindUnsupported},
		{"too large", `{"error":{"message":"big"}}`, "big", 413, llm.KindTooLong},
		{"conflict", `{"error":{"message":"c"}}`, "c", 409, llm.KindUnavailable},
		{"timeout", `{"error":{"message":"c"}}`, "c", 408, llm.KindUnavailable},
		{"overloaded", `{"error":{"message":"c"}}`, "c", 529, llm.KindOverloaded},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(test.status)
				io.WriteString(w, test.body) // the client reads it all
			})
			_, err := s.model(t, Options{}).Generate(t.Context(), question())
			var e *llm.Error
			if !errors.As(err, &e) || e.Kind != test.kind || e.Message != test.want || e.Status != test.status || e.Provider != "openai" {
				t.Errorf("Generate = %#v, want %s: %s", e, test.kind, test.want)
			}
		})
	}
}

func TestErrorsHoldNoSecret(t *testing.T) {
	const key, token = "sk-very-secret-1", "header-secret-2"
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		refuse(w, 401, fmt.Sprintf("Incorrect API key provided: %s with %s", r.Header.Get("Authorization"), r.Header.Get("X-Token")))
	})
	m := s.model(t, Options{APIKey: llm.NewSecret(key), Headers: map[string]string{"X-Token": token}})
	_, err := m.Generate(t.Context(), question())
	for _, text := range []string{fmt.Sprint(err), fmt.Sprintf("%+v %#v", err, err), fmt.Sprintf("%+v", m.options)} {
		if strings.Contains(text, key) {
			t.Errorf("the key is in %s", text)
		}
	}
	if err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "Incorrect API key provided") {
		t.Errorf("Generate = %v, want the server's words without the header", err)
	}
}

func TestOddAnswers(t *testing.T) {
	choice := func(message, reason string) string {
		return `{"model":"m","choices":[{"index":0,"finish_reason":"` + reason + `","message":` + message + `}]}`
	}
	call := func(arguments string) string {
		return choice(`{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"look","arguments":`+arguments+`}}]}`, "tool_calls")
	}
	for _, test := range []struct{ name, contentType, body, want string }{
		{"no choices", "application/json", `{"choices":[]}`, "openai: malformed: the answer has no choices"},
		{"arguments that break off", "application/json", call(`"{\"a\":"`), `openai: malformed: the arguments for look are no JSON object: text: {"a":`},
		{"arguments that are no object", "application/json", call(`"[1]"`), `openai: malformed: the arguments for look are no JSON object: text: [1]`},
		{"a call without a name", "application/json", `{"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"","arguments":"{}"}}]}}]}`, "openai: malformed: a tool call has no name"},
		{"empty arguments", "application/json", call(`""`), ""},
		{"another content type", "text/plain; charset=utf-8", choice(`{"role":"assistant","content":"{\"price\":1}"}`, "stop"), ""},
		{"no finish reason", "application/json", `{"choices":[{"message":{"content":"x"}}]}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
				w.Header().Set("Content-Type", test.contentType)
				io.WriteString(w, test.body) // the client reads it all
			})
			resp, err := s.model(t, Options{}).Generate(t.Context(), question())
			if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
				t.Errorf("Generate = %+v, %v, want %s", resp, err, test.want)
			}
		})
	}
}

func TestSilentServerIsLeft(t *testing.T) {
	release := make(chan struct{})
	s := &server{Server: &vendorserver.Server{Server: httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))}} // the question may be cut off
	defer s.Close()
	defer close(release)
	_, err := s.model(t, Options{Timeout: time.Millisecond}).Generate(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindUnavailable || e.Message != "the server did not answer in time" {
		t.Errorf("Generate = %v", err)
	}
}
