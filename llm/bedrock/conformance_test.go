package bedrock

import (
	"net/http"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// without is what the vendor does not have: it counts no reasoning tokens, and
// has no word for a refusal.
var without = []llmtest.Feature{llmtest.FeatureReasoning, llmtest.FeatureRefusal}

// harness is the one for Bedrock's own keys.
func harness() llmtest.Harness {
	return llmtest.Harness{
		New: func(t testing.TB, address string) llm.Model {
			return open(t, Options{APIKey: llm.NewSecret(llmtest.Key), BaseURL: address})
		},
		Read: func(r *http.Request, body []byte) (*llmtest.Heard, error) {
			heard, err := readBody(r, body)
			if err == nil {
				heard.Key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			}
			return heard, err
		},
		Answer: writeAnswer, Fail: fail, Without: without,
	}
}

func open(t testing.TB, opts Options) *Model {
	t.Helper()
	if opts.Model == "" {
		opts.Model = "test-model"
	}
	opts.Headers = map[string]string{"X-Extra": "extra"}
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestConformance(t *testing.T) { llmtest.Conformance(t, harness()) }

// The actions are the same as by every other adapter.
func TestTranscript(t *testing.T) {
	transcript.Run(t, harness())
	transcript.Converse(t, harness())
	transcript.Task(t, harness())
}

// The same with requests that are signed.
func TestSignedConformance(t *testing.T) {
	// What the environment has is for its own server.
	t.Setenv("AWS_BEARER_TOKEN_BEDROCK", "key-of-the-environment")
	t.Setenv("AWS_ACCESS_KEY_ID", "id-of-the-environment")
	h := harness()
	h.New = func(t testing.TB, address string) llm.Model {
		return open(t, Options{Region: testRegion, AccessKeyID: testID, SecretAccessKey: llm.NewSecret(llmtest.Key), SessionToken: llm.NewSecret(testToken), BaseURL: address})
	}
	h.Read = func(r *http.Request, body []byte) (*llmtest.Heard, error) {
		if err := checkSignature(r, body, llmtest.Key); err != nil {
			return nil, err
		}
		heard, err := readBody(r, body)
		if err == nil {
			heard.Key = llmtest.Key // it signed
		}
		return heard, err
	}
	llmtest.Conformance(t, h)
}
