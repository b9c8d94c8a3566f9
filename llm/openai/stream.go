package openai

import (
	"context"
	"iter"
	"strings"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		if err := req.Check(); err != nil {
			yield(llm.Delta{}, m.failure(ctx, err))
			return
		}
		start := time.Now()
		for known, again := m.quirks.read(), true; ; {
			begun, stopped := false, false
			resp, err := m.stream(ctx, req, known, func(text string) bool {
				begun = true
				stopped = !yield(llm.Delta{Text: text}, nil)
				return !stopped
			})
			if stopped {
				return
			}
			if err == nil {
				resp.Usage.Duration = time.Since(start)
				m.quirks.hear(resp, req, known)
				yield(llm.Delta{Response: resp}, nil)
				return
			}
			err = m.failure(ctx, err)
			if known, again = m.quirks.learn(err, req, known); begun || !again {
				yield(llm.Delta{}, err)
				return
			}
		}
	}
}

// stream gives each bit of text to say, which says whether to go on.
func (m *Model) stream(ctx context.Context, req *llm.Request, known habits, say func(string) bool) (*llm.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // leaving ends the request
	shape, err := m.shape(req, known)
	if err != nil {
		return nil, err
	}
	if m.options.Format == llm.ResponsesFormat {
		return m.streamResponse(ctx, req, shape, known, say)
	}
	return m.streamCompletion(ctx, req, shape, known, say)
}

func (m *Model) streamCompletion(ctx context.Context, req *llm.Request, s *shape, known habits, say func(string) bool) (*llm.Response, error) {
	p := m.chatParams(req, s, known)
	if !known.noUsage {
		p.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)}
	}
	events := m.chat.NewStreaming(ctx, p)
	defer events.Close()
	var whole completion
	for events.Next() {
		text := whole.add(events.Current())
		if text != "" && !say(text) {
			return nil, context.Canceled
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if rest := whole.text.Flush(); rest != "" && !say(rest) {
		return nil, context.Canceled
	}
	return whole.response(s)
}

// completion puts the chunks of a stream together.
type completion struct {
	text    modelhttp.Words
	refusal strings.Builder
	calls   []llm.ToolCall
	at      map[int64]int // from a call's index in the stream to that in calls
	reason  string
	usage   llm.Usage
	model   string
}

// add takes a chunk in, and returns the text that it completes.
func (c *completion) add(chunk sdk.ChatCompletionChunk) string {
	if chunk.Model != "" {
		c.model = chunk.Model
	}
	if chunk.Usage.TotalTokens > 0 || chunk.Usage.PromptTokens > 0 {
		c.usage = chatUsage(chunk.Usage)
	}
	said := ""
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if choice.FinishReason != "" {
			c.reason = choice.FinishReason
		}
		c.refusal.WriteString(choice.Delta.Refusal)
		for _, part := range choice.Delta.ToolCalls {
			c.addCall(part)
		}
		said += c.text.Add(choice.Delta.Content)
	}
	return said
}

// addCall takes in a piece of a call. Some servers send whole calls, all with
// index 0: a new id is a new call.
func (c *completion) addCall(part sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	if c.at == nil {
		c.at = map[int64]int{}
	}
	i, known := c.at[part.Index]
	if !known || part.ID != "" && c.calls[i].ID != "" && part.ID != c.calls[i].ID {
		i = len(c.calls)
		c.at[part.Index] = i
		c.calls = append(c.calls, llm.ToolCall{})
	}
	call := &c.calls[i]
	if part.ID != "" {
		call.ID = part.ID
	}
	if part.Function.Name != "" {
		call.Name = part.Function.Name
	}
	call.Arguments = append(call.Arguments, part.Function.Arguments...)
}

func (c *completion) response(s *shape) (*llm.Response, error) {
	if c.refusal.Len() > 0 {
		return nil, &llm.Error{Kind: llm.KindRefusal, Message: c.refusal.String()}
	}
	if c.reason == "" {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	return finish(&llm.Response{Text: c.text.String(), ToolCalls: c.calls, Usage: c.usage, Model: c.model}, c.reason, s)
}

func (m *Model) streamResponse(ctx context.Context, req *llm.Request, s *shape, known habits, say func(string) bool) (*llm.Response, error) {
	events := m.responses.NewStreaming(ctx, m.responseParams(req, s, known))
	defer events.Close()
	var text modelhttp.Words
	for events.Next() {
		switch event := events.Current(); event.Type {
		case "response.output_text.delta":
			if bit := text.Add(event.Delta); bit != "" && !say(bit) {
				return nil, context.Canceled
			}
		case "response.completed", "response.incomplete", "response.failed":
			if rest := text.Flush(); rest != "" && !say(rest) {
				return nil, context.Canceled
			}
			return m.readResponse(&event.Response, s)
		case "error":
			return nil, &llm.Error{Kind: kindOfCode(event.Code, llm.KindUnavailable), Message: event.Message}
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	return nil, modelhttp.Malformed("the stream ended before the answer did")
}
