package google

import (
	"net/http"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/internal/wire"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func TestConformance(t *testing.T) {
	llmtest.Conformance(t, llmtest.Harness{
		New: func(t testing.TB, address string) llm.Model {
			m, err := New(Options{Model: "test-model", APIKey: llm.NewSecret(llmtest.Key), BaseURL: address, Headers: map[string]string{"X-Extra": "extra"}})
			if err != nil {
				t.Fatal(err)
			}
			return m
		},
		Read: func(r *http.Request, body []byte) (*llmtest.Heard, error) {
			return wire.ReadGemini(r, body, "/v1beta")
		},
		Answer: wire.AnswerGemini, Fail: wire.FailGemini,
		Without: []llmtest.Feature{llmtest.FeatureRefusal},
	})
}
