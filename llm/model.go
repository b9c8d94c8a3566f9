package llm

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// A Model is a language model that can be asked.
//
// Generate may be called from several goroutines at once. It must not keep or
// change req, and must return soon after ctx ends with an error that wraps
// ctx.Err(). Other errors are *[Error]. A response that is returned is
// complete: one that was cut off by a length limit, refused, or filtered is an
// error of that kind.
//
// Where req has a Schema, a model that can be held to a schema by its vendor's
// own means is; the caller validates in any case.
type Model interface {
	// Name is "provider/model", as "openai/gpt-5".
	Name() string
	Generate(ctx context.Context, req *Request) (*Response, error)
}

// A Streamer is a model that can also answer bit by bit.
type Streamer interface {
	Model
	// Stream yields deltas in order; the last one carries the whole Response.
	// An error is yielded once, last. Leaving the loop ends the request.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// A Delta is a piece of a streamed answer.
type Delta struct {
	Text string
	// Response is set in the last delta alone.
	Response *Response
}

// A Purpose says what a request is for. Routing, metrics and recordings use
// it; an adapter does not send it.
type Purpose string

// The purposes.
const (
	PurposeAct     Purpose = "act"
	PurposeObserve Purpose = "observe"
	PurposeExtract Purpose = "extract"
	PurposeAgent   Purpose = "agent"
	PurposeCheck   Purpose = "check"
)

// A Request is one question to a model. The parts that stay the same from
// request to request come first (System, Tools, Schema), so that a vendor's
// prompt cache can serve them.
type Request struct {
	Purpose  Purpose
	System   string
	Messages []Message // at least one; the last is the user's or a tool's
	Tools    []Tool
	// ToolChoice: empty leaves the choice to the model, "none" forbids tools,
	// "required" asks for one, any other value is the name of the tool to call.
	ToolChoice string

	// Schema, if not nil, is what the answer's text must satisfy as JSON.
	Schema *ResponseSchema

	MaxOutputTokens int      // 0 is the model's own limit
	Temperature     *float64 // nil is the model's own
}

// A ResponseSchema is a JSON Schema for an answer.
type ResponseSchema struct {
	Name   string          // letters, digits, _ and -; at most 64
	Schema json.RawMessage // draft 2020-12; its root is an object
}

// A Tool is a function that the model may ask to have called.
type Tool struct {
	Name        string // letters, digits, _ and -; at most 64
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
}

// A StopReason is why an answer ended.
type StopReason string

// The reasons for which an answer is complete.
const (
	StopEnd   StopReason = "end"
	StopTools StopReason = "tools"
)

// A Response is a complete answer.
type Response struct {
	Text      string // without reasoning
	ToolCalls []ToolCall
	Stop      StopReason
	Usage     Usage
	Model     string // as the provider names what answered
}

// Usage is what an answer took, in tokens and time. Input includes Cached;
// Output includes Reasoning.
type Usage struct {
	Input     int           `json:"inputTokens"`
	Output    int           `json:"outputTokens"`
	Reasoning int           `json:"reasoningTokens,omitempty"`
	Cached    int           `json:"cachedTokens,omitempty"`
	Duration  time.Duration `json:"duration"` // in JSON: nanoseconds
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		Input:     u.Input + v.Input,
		Output:    u.Output + v.Output,
		Reasoning: u.Reasoning + v.Reasoning,
		Cached:    u.Cached + v.Cached,
		Duration:  u.Duration + v.Duration,
	}
}
