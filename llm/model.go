package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
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

// MatchesWords reports whether a model compares words and understands none of them: it,
// or the model that a wrapper's method Unwrap returns, has a method of this name that
// says so. It is never asked to fill a schema from a page: what the page itself structures
// is read without it, and the rest is left open.
func MatchesWords(m Model) bool {
	for m != nil {
		if matcher, ok := m.(interface{ MatchesWords() bool }); ok {
			return matcher.MatchesWords()
		}
		w, ok := m.(interface{ Unwrap() Model })
		if !ok {
			return false
		}
		m = w.Unwrap()
	}
	return false
}

// A Streamer is a model that can also answer bit by bit.
type Streamer interface {
	Model
	// Stream yields deltas in order; the last one carries the whole Response.
	// An error is yielded once, last. Leaving the loop ends the request.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// A Delta is a piece of a streamed answer. One of its members is set.
type Delta struct {
	Text      string     // of the answer
	Reasoning string     // of what the model thinks, as far as the provider shows it
	Call      *CallDelta // of a tool call
	// Response is set in the last delta alone.
	Response *Response
}

// A CallDelta is a piece of a tool call. The first one of a call has its name
// and, where the provider gives one so early, its ID. The arguments of all of
// a call's pieces, one after the other, are its arguments as JSON, or nothing
// for an empty object. Whether they satisfy anything shows in the Response.
type CallDelta struct {
	Index     int // in [Response].ToolCalls
	ID        string
	Name      string
	Arguments string
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
// prompt cache can serve them. Its JSON is described in the package's
// documentation.
type Request struct {
	Purpose    Purpose    `json:"purpose,omitempty"`
	System     string     `json:"system,omitempty"`
	Messages   []Message  `json:"messages"` // at least one; the last is the user's or a tool's
	Tools      []Tool     `json:"tools,omitempty"`
	ToolChoice ToolChoice `json:"toolChoice,omitzero"`

	// Computer, if not nil, asks for the vendor's own tool for browsers, beside
	// Tools. An adapter that does not have it returns an error of KindInvalid.
	Computer *ComputerTool `json:"computer,omitempty"`

	// Stable is how many of the first messages the next request of the
	// conversation will hold unchanged. Where a vendor wants it marked what its
	// prompt cache keeps, that is marked up to there. 0 leaves it to the adapter:
	// all messages of a conversation, nothing of a single question.
	Stable int `json:"stable,omitempty"`

	// Schema, if not nil, is what the answer's text must satisfy as JSON.
	Schema *ResponseSchema `json:"schema,omitempty"`

	MaxOutputTokens int      `json:"maxOutputTokens,omitempty"` // 0 is the model's own limit
	Temperature     *float64 `json:"temperature,omitempty"`     // nil is the model's own
}

// Check returns an [Error] of KindInvalid for a request that no provider takes.
// Adapters call it first.
func (r *Request) Check() error {
	wrong := ""
	switch choice := r.ToolChoice; {
	case len(r.Messages) == 0:
		wrong = "the request has no message"
	case choice.Mode == ToolNamed && !slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == choice.Name }):
		wrong = fmt.Sprintf("the tool choice names %q, which is none of the request's tools", choice.Name)
	case choice.Mode != ToolNamed && choice.Name != "":
		wrong = fmt.Sprintf("the tool choice names %q, which goes with the mode %q alone", choice.Name, ToolNamed)
	case choice.Mode == ToolRequired && len(r.Tools) == 0:
		wrong = "a tool is required, and the request has none"
	case !slices.Contains([]ToolMode{ToolAuto, ToolNone, ToolRequired, ToolNamed}, choice.Mode):
		wrong = fmt.Sprintf("unknown tool choice %q", choice.Mode)
	case r.Stable < 0 || r.Stable > len(r.Messages):
		wrong = fmt.Sprintf("%d of %d messages can't be stable", r.Stable, len(r.Messages))
	}
	if wrong != "" {
		return &Error{Kind: KindInvalid, Message: wrong}
	}
	return nil
}

// CacheMarks returns the messages, by their indexes, after which an adapter
// marks what a prompt cache keeps, at most two: where the stable part ends, and
// where it most likely ended in the request before, which a vendor that looks
// back a few blocks alone may not find otherwise.
func (r *Request) CacheMarks() []int {
	end := r.Stable
	if end == 0 && len(r.Messages) > 1 {
		end = len(r.Messages)
	}
	switch {
	case end == 0:
		return nil
	case end > 2:
		return []int{end - 3, end - 1}
	default:
		return []int{end - 1}
	}
}

// TakesComputer returns an [Error] of KindInvalid if the request asks for a
// vendor's tool that is none of names. Adapters call it.
func (r *Request) TakesComputer(names ...string) error {
	if r.Computer == nil || slices.Contains(names, r.Computer.Name) {
		return nil
	}
	return &Error{Kind: KindInvalid, Message: "this interface has no tool " + r.Computer.Name}
}

// A ResponseSchema is a JSON Schema for an answer.
type ResponseSchema struct {
	Name   string          `json:"name"`   // letters, digits, _ and -; at most 64
	Schema json.RawMessage `json:"schema"` // draft 2020-12; its root is an object
}

// A Tool is a function that the model may ask to have called.
type Tool struct {
	Name        string          `json:"name"` // letters, digits, _ and -; at most 64
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object
}

// A ToolChoice says whether a model calls a tool, and which. The zero value
// leaves both to the model.
type ToolChoice struct {
	Mode ToolMode `json:"mode"`
	Name string   `json:"name,omitempty"` // of the tool; for ToolNamed alone
}

// OneTool is the choice of one tool, which the model must call.
func OneTool(name string) ToolChoice { return ToolChoice{Mode: ToolNamed, Name: name} }

// A ToolMode is the kind of a [ToolChoice].
type ToolMode string

// The modes.
const (
	ToolAuto     ToolMode = ""         // the model decides
	ToolNone     ToolMode = "none"     // it calls none
	ToolRequired ToolMode = "required" // it calls at least one
	ToolNamed    ToolMode = "named"    // it calls the one that is named
)

// A StopReason is why an answer ended.
type StopReason string

// The reasons for which an answer is complete.
const (
	StopEnd   StopReason = "end"
	StopTools StopReason = "tools"
)

// A Response is a complete answer. Its JSON is described in the package's
// documentation.
type Response struct {
	Reasoning []Reasoning `json:"reasoning,omitempty"` // that came before the words; see [Response.Message]
	Text      string      `json:"text,omitempty"`      // without reasoning
	ToolCalls []ToolCall  `json:"toolCalls,omitempty"` // in the order in which the model made them
	Stop      StopReason  `json:"stop"`
	Usage     Usage       `json:"usage"`
	Model     string      `json:"model,omitempty"` // as the provider names what answered
}

// Message returns the answer as a conversation holds it: the reasoning that
// the provider wants to have back, the words, and the calls, in that order. The
// next message of the conversation answers all of the calls by their IDs. The
// message of an answer that holds nothing has no parts, and is left out by
// adapters.
func (r *Response) Message() Message {
	m := Message{Role: Assistant}
	for _, thought := range r.Reasoning {
		m.Parts = append(m.Parts, thought)
	}
	if strings.TrimSpace(r.Text) != "" {
		m.Parts = append(m.Parts, Text{r.Text})
	}
	for _, call := range r.ToolCalls {
		m.Parts = append(m.Parts, call)
	}
	return m
}
