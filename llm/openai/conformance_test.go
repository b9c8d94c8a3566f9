package openai

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func conforming(format llm.EndpointFormat) func(testing.TB, string) llm.Model {
	return func(t testing.TB, address string) llm.Model {
		m, err := New(Options{
			Model: "test-model", APIKey: llm.NewSecret(llmtest.Key), BaseURL: address + "/v1",
			Headers: map[string]string{"X-Extra": "extra"}, Format: format,
		})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func TestChatConformance(t *testing.T) {
	llmtest.Conformance(t, llmtest.Harness{New: conforming(llm.ChatFormat), Read: readChat, Answer: answerChat, Fail: fail})
}

func TestResponsesConformance(t *testing.T) {
	llmtest.Conformance(t, llmtest.Harness{New: conforming(llm.ResponsesFormat), Read: readResponses, Answer: answerResponses, Fail: fail})
}
