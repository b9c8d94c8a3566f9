package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// completion puts the chunks of a stream together.
type completion struct {
	text    modelhttp.Words
	thought thought
	shown   modelhttp.Words // of the thought
	refusal strings.Builder
	calls   []llm.ToolCall
	input   []*modelhttp.Words // of the calls
	at      map[int64]int      // from a call's index in the stream to that in calls
	reason  string
	usage   llm.Usage
	model   string
}

// add takes a chunk in, and returns what it completes.
func (c *completion) add(chunk sdk.ChatCompletionChunk) []llm.Delta {
	if chunk.Model != "" {
		c.model = chunk.Model
	}
	if chunk.Usage.TotalTokens > 0 || chunk.Usage.PromptTokens > 0 {
		c.usage = chatUsage(chunk.Usage)
	}
	var said []llm.Delta
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			c.reason = choice.FinishReason
		}
		c.refusal.WriteString(choice.Delta.Refusal)
		if bit := c.shown.Add(c.thought.add(choice.Delta.JSON.ExtraFields)); bit != "" {
			said = append(said, llm.Delta{Reasoning: bit})
		}
		if bit := c.text.Add(choice.Delta.Content); bit != "" {
			said = append(said, llm.Delta{Text: bit})
		}
		for _, part := range choice.Delta.ToolCalls {
			if delta, ok := c.addCall(part); ok {
				said = append(said, delta)
			}
		}
	}
	return said
}

// addCall takes in a piece of a call. Some servers send whole calls, all with
// index 0: a new id is a new call.
func (c *completion) addCall(part sdk.ChatCompletionChunkChoiceDeltaToolCall) (llm.Delta, bool) {
	if c.at == nil {
		c.at = map[int64]int{}
	}
	i, known := c.at[part.Index]
	if !known || part.ID != "" && c.calls[i].ID != "" && part.ID != c.calls[i].ID {
		i = len(c.calls)
		c.at[part.Index] = i
		c.calls = append(c.calls, llm.ToolCall{})
		c.input = append(c.input, &modelhttp.Words{})
	}
	call, delta := &c.calls[i], llm.CallDelta{Index: i}
	if part.ID != "" && call.ID == "" {
		call.ID, delta.ID = part.ID, part.ID
	}
	if part.Function.Name != "" && call.Name == "" {
		call.Name, delta.Name = part.Function.Name, part.Function.Name
	}
	if signed := keepCall(part.JSON.ExtraFields); signed != nil {
		call.Opaque = signed
	}
	delta.Arguments = c.input[i].Add(part.Function.Arguments)
	return llm.Delta{Call: &delta}, delta != llm.CallDelta{Index: i}
}

// flush gives what is left where the stream ended within a character.
func (c *completion) flush() []llm.Delta {
	var said []llm.Delta
	c.shown.Flush()
	if rest := c.text.Flush(); rest != "" {
		said = append(said, llm.Delta{Text: rest})
	}
	for i, input := range c.input {
		if rest := input.Flush(); rest != "" {
			said = append(said, llm.Delta{Call: &llm.CallDelta{Index: i, Arguments: rest}})
		}
		c.calls[i].Arguments = json.RawMessage(input.String())
	}
	return said
}

func (c *completion) response(s *shape) (*llm.Response, error) {
	if c.refusal.Len() > 0 {
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: c.refusal.String()}
	}
	if c.reason == "" {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	resp := &llm.Response{Text: c.text.String(), ToolCalls: c.calls, Usage: c.usage, Model: c.model}
	if err := c.thought.into(resp, s.options.Provider); err != nil {
		return nil, err
	}
	return finish(resp, c.reason, s)
}

// saying is how far a stream of Responses has come.
type saying struct {
	text  modelhttp.Words
	calls map[int64]int // from an item's index in the output to its call's
}

// add takes an event in, and returns what it brings. The whole answer stands in
// the last event again.
func (s *saying) add(event *responses.ResponseStreamEventUnion) (llm.Delta, bool) {
	switch event.Type {
	case "response.output_text.delta":
		bit := s.text.Add(event.Delta)
		return llm.Delta{Text: bit}, bit != ""
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return llm.Delta{Reasoning: event.Delta}, event.Delta != ""
	case "response.reasoning_summary_part.added":
		return llm.Delta{Reasoning: "\n"}, event.SummaryIndex > 0
	case "response.output_item.added":
		if event.Item.Type == "computer_call" { // comes whole, with its end
			s.calls[event.OutputIndex] = len(s.calls)
		}
		if event.Item.Type != "function_call" {
			return llm.Delta{}, false
		}
		i := len(s.calls)
		s.calls[event.OutputIndex] = i
		return llm.Delta{Call: &llm.CallDelta{Index: i, ID: event.Item.CallID, Name: event.Item.Name, Arguments: event.Item.Arguments.OfString}}, true
	case "response.output_item.done":
		i, known := s.calls[event.OutputIndex]
		if !known || event.Item.Type != "computer_call" {
			return llm.Delta{}, false
		}
		call, err := readComputerCall(event.Item)
		return llm.Delta{Call: &llm.CallDelta{Index: i, ID: call.ID, Name: call.Name, Arguments: string(call.Arguments)}}, err == nil
	case "response.function_call_arguments.delta":
		i, known := s.calls[event.OutputIndex]
		return llm.Delta{Call: &llm.CallDelta{Index: i, Arguments: event.Delta}}, known && event.Delta != ""
	}
	return llm.Delta{}, false
}
