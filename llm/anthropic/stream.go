package anthropic

import (
	"context"
	"iter"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/wayfinder-engine/wayfinder/internal/modelhttp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// Stream answers bit by bit. Where the request has a schema, the bits are the
// answer in the form that was sent to the server; the Response at the end is in
// the schema's own.
func (m *Model) Stream(ctx context.Context, req *llm.Request) iter.Seq2[llm.Delta, error] {
	return m.ask(ctx, req).Stream()
}

// stream gives each bit to say, which says whether to continue.
func (m *Model) stream(ctx context.Context, req *llm.Request, inWords bool, say func(llm.Delta) bool) (*llm.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel() // leaving ends the request
	params, back, err := m.params(req, inWords)
	if err != nil {
		return nil, err
	}
	events := m.messages.NewStreaming(ctx, params, betaOf(req.Computer)...)
	defer events.Close()
	var whole sdk.Message
	var text modelhttp.Words
	calls, ended := 0, false
	for events.Next() {
		event := events.Current()
		if err := whole.Accumulate(event); err != nil {
			return nil, modelhttp.Malformed("the stream is out of order: " + err.Error())
		}
		if event.Type == "message_stop" {
			ended = true
			break
		}
		if event.Type == "content_block_start" && event.ContentBlock.Type == "tool_use" {
			calls++
		}
		if delta, ok := deltaOf(&event, &text, calls-1); ok && !say(delta) {
			return nil, context.Canceled
		}
	}
	if err := events.Err(); err != nil {
		return nil, err
	}
	if !ended {
		return nil, modelhttp.Malformed("the stream ended before the answer did")
	}
	if rest := text.Flush(); rest != "" && !say(llm.Delta{Text: rest}) {
		return nil, context.Canceled
	}
	return readMessage(&whole, back, req.Computer)
}

// deltaOf reads what an event brings. call is the index of the call that came
// last: blocks come one after the other.
func deltaOf(event *sdk.MessageStreamEventUnion, text *modelhttp.Words, call int) (llm.Delta, bool) {
	switch {
	case event.Type == "content_block_start" && event.ContentBlock.Type == "tool_use":
		return llm.Delta{Call: &llm.CallDelta{Index: call, ID: event.ContentBlock.ID, Name: event.ContentBlock.Name}}, true
	case event.Type != "content_block_delta":
		return llm.Delta{}, false
	}
	switch event.Delta.Type {
	case "text_delta":
		bit := text.Add(event.Delta.Text)
		return llm.Delta{Text: bit}, bit != ""
	case "thinking_delta":
		return llm.Delta{Reasoning: event.Delta.Thinking}, event.Delta.Thinking != ""
	case "input_json_delta":
		return llm.Delta{Call: &llm.CallDelta{Index: call, Arguments: event.Delta.PartialJSON}}, event.Delta.PartialJSON != ""
	}
	return llm.Delta{}, false
}
