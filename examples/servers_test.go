package examples

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/openaiwire"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// serve answers by a function whoever asks at a path.
func serve(t *testing.T, path string, answer func(w http.ResponseWriter, r *http.Request)) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			t.Errorf("asked %s, want %s", r.URL, path)
		}
		w.Header().Set("Content-Type", "application/json")
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// chat answers as servers with Chat Completions do, whoever shows the header.
func chat(t *testing.T, path, authorization string) *httptest.Server {
	return serve(t, path, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != authorization {
			t.Errorf("authorization %q, want %q", got, authorization)
		}
		openaiwire.AnswerChat(w, &llmtest.Heard{Model: "m"}, &llmtest.Said{Text: click(t, r)})
	})
}

// responses answers as OpenAI does.
func responses(t *testing.T) *httptest.Server {
	return serve(t, "/v1/responses", func(w http.ResponseWriter, r *http.Request) {
		openaiwire.AnswerResponses(w, &llmtest.Heard{Model: "gpt-5-mini"}, &llmtest.Said{Text: click(t, r), Usage: llm.Usage{Input: 700, Cached: 500, Output: 20}})
	})
}

// claude answers as Anthropic does.
func claude(t *testing.T) *httptest.Server {
	return serve(t, "/v1/messages", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Api-Key") != "key-of-the-example" {
			t.Errorf("headers %v", r.Header)
		}
		fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude","stop_reason":"end_turn",
			"content":[{"type":"text","text":%q}],"usage":{"input_tokens":700,"output_tokens":20}}`, click(t, r)) // the client reads it
	})
}

// nova answers as Bedrock does, where the first model is not to be had.
func nova(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") {
			t.Errorf("headers %v", r.Header)
		}
		if r.URL.Path != "/model/amazon.nova-lite-v1:0/converse" {
			w.Header().Set("X-Amzn-Errortype", "AccessDeniedException")
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"message":"You don't have access to the model with the specified model ID."}`) // the client reads it
			return
		}
		fmt.Fprintf(w, `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"action","input":%s}}]}},
			"stopReason":"tool_use","usage":{"inputTokens":700,"outputTokens":20,"totalTokens":720}}`, click(t, r)) // the client reads it
	}))
	t.Cleanup(s.Close)
	return s
}
