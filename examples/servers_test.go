package examples

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// play serves a format: it answers each request with a click.
func play(t *testing.T, format vendorserver.Format, value string) *vendorserver.Server {
	usage := llm.Usage{Input: 700, Cached: 500, Output: 20}
	if strings.Contains(format.Path, "gemini") {
		usage = llm.Usage{Input: 700, Output: 25, Reasoning: 5}
	}
	return vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if r.URL.Path != format.Path || r.Header.Get(format.Key) != value {
			t.Errorf("asked %s with %v", r.URL, r.Header)
		}
		format.Reply(w, &llmtest.Said{Text: click(t, body), Usage: usage})
	})
}

// at is a format at another path, for another way to show who asks.
func at(format vendorserver.Format, path, key string) vendorserver.Format {
	format.Path, format.Key = path, key
	return format
}

// nova answers as Bedrock does, where the first model is not to be had.
func nova(t *testing.T) *vendorserver.Server {
	return vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
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
			"stopReason":"tool_use","usage":{"inputTokens":700,"outputTokens":20,"totalTokens":720}}`, click(t, body)) // the client reads it
	})
}
