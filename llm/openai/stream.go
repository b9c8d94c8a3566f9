package openai

import (
	"context"
	"encoding/json"
	"iter"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
)

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// stream gives each bit to say, which says whether to continue.
func (m *Model) stream(ctx context.Context, req *llm.Request, known habits, say func(llm.Delta) bool) (*llm.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // leaving ends the request
	shape, err := m.shape(req, known)
	if err != nil {
		return nil, err
	}
	if m.options.Format == config.ResponsesFormat {
		return m.streamResponse(ctx, req, shape, known, say)
	}
	return m.streamCompletion(ctx, req, shape, known, say)
}

func (m *Model) streamCompletion(ctx context.Context, req *llm.Request, s *shape, known habits, say func(llm.Delta) bool) (*llm.Response, error) {
	p := m.chatParams(req, s, known)
	if !known.noUsage {
		p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}
	}
	events := m.chat.NewStreaming(ctx, p)
	defer events.Close()
	var whole completion
	for events.Next() {
		for _, delta := range whole.add(events.Current()) {
			if !say(delta) {
				return nil, context.Canceled
			}
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	for _, delta := range whole.flush() {
		if !say(delta) {
			return nil, context.Canceled
		}
	}
	return whole.response(m, s)
}

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

func (c *completion) response(m *Model, s *shape) (*llm.Response, error) {
	if c.refusal.Len() > 0 {
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: c.refusal.String()}
	}
	if c.reason == "" {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	resp := &llm.Response{Text: c.text.String(), ToolCalls: c.calls, Usage: c.usage, Model: c.model}
	if err := c.thought.into(resp, m.options.Provider); err != nil {
		return nil, err
	}
	return finish(resp, c.reason, s)
}

func (m *Model) streamResponse(ctx context.Context, req *llm.Request, s *shape, known habits, say func(llm.Delta) bool) (*llm.Response, error) {
	events := m.responses.NewStreaming(ctx, m.responseParams(req, s, known))
	defer events.Close()
	said := saying{calls: map[int64]int{}}
	for events.Next() {
		switch event := events.Current(); event.Type {
		case "response.completed", "response.incomplete", "response.failed":
			if rest := said.text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
				return nil, context.Canceled
			}
			return m.readResponse(&event.Response, s)
		case "error":
			return nil, &llm.Error{Kind: kindOfCode(event.Code, llm.KindUnavailable), Message: event.Message}
		default:
			if delta, ok := said.add(&event); ok && !say(delta) {
				return nil, context.Canceled
			}
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	return nil, modelhttp.Malformed("the stream ended before the answer did")
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
		input, err := computerArguments(event.Item.RawJSON())
		return llm.Delta{Call: &llm.CallDelta{Index: i, ID: event.Item.CallID, Name: computerName, Arguments: string(input)}}, err == nil
	case "response.function_call_arguments.delta":
		i, known := s.calls[event.OutputIndex]
		return llm.Delta{Call: &llm.CallDelta{Index: i, Arguments: event.Delta}}, known && event.Delta != ""
	}
	return llm.Delta{}, false
}
