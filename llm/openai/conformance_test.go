package openai

import (
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func conforming(format config.EndpointFormat) func(testing.TB, string) llm.Model {
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

func chatHarness() llmtest.Harness { return vendorserver.Chat.Harness(conforming(config.ChatFormat)) }

func responsesHarness() llmtest.Harness {
	return vendorserver.Responses.Harness(conforming(config.ResponsesFormat))
}

func TestChatConformance(t *testing.T) { llmtest.Conformance(t, chatHarness()) }

func TestResponsesConformance(t *testing.T) { llmtest.Conformance(t, responsesHarness()) }

// The actions are the same as by every other adapter.
func TestTranscript(t *testing.T) {
	t.Run("chat", func(t *testing.T) { transcript.Run(t, chatHarness()) })
	t.Run("chat, with tools", func(t *testing.T) { transcript.Converse(t, chatHarness()) })
	t.Run("chat, a task", func(t *testing.T) { transcript.Task(t, chatHarness()) })
	t.Run("responses", func(t *testing.T) { transcript.Run(t, responsesHarness()) })
	t.Run("responses, with tools", func(t *testing.T) { transcript.Converse(t, responsesHarness()) })
	t.Run("responses, a task", func(t *testing.T) { transcript.Task(t, responsesHarness()) })
}
