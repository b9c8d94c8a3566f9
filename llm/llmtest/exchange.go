package llmtest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// An exchange is one question and its answer, as a recording holds it: one
// JSON object in a line.
type exchange struct {
	Model    string        `json:"model"`
	Request  request       `json:"request"`
	Response *response     `json:"response,omitempty"`
	Error    *recordedFail `json:"error,omitempty"`
}

type request struct {
	Purpose         llm.Purpose         `json:"purpose,omitempty"`
	System          string              `json:"system,omitempty"`
	Messages        []message           `json:"messages"`
	Tools           []llm.Tool          `json:"tools,omitempty"`
	ToolChoice      string              `json:"toolChoice,omitempty"`
	Schema          *llm.ResponseSchema `json:"schema,omitempty"`
	MaxOutputTokens int                 `json:"maxOutputTokens,omitempty"`
	Temperature     *float64            `json:"temperature,omitempty"`
}

type message struct {
	Role  llm.Role `json:"role"`
	Parts []part   `json:"parts"`
}

// A part has the members of its type alone. A picture is there by its hash.
type part struct {
	Type      string          `json:"type"`
	Kind      string          `json:"kind,omitempty"`
	Text      string          `json:"text,omitempty"`
	MediaType string          `json:"mediaType,omitempty"`
	SHA256    string          `json:"sha256,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Parts     []part          `json:"parts,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
}

type response struct {
	Text      string         `json:"text,omitempty"`
	ToolCalls []recordedCall `json:"toolCalls,omitempty"`
	Stop      llm.StopReason `json:"stop"`
	Usage     llm.Usage      `json:"usage"`
	Model     string         `json:"model,omitempty"`
}

type recordedCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Opaque    []byte          `json:"opaque,omitempty"`
}

type recordedFail struct {
	Provider   string        `json:"provider"`
	Kind       llm.ErrorKind `json:"kind"`
	Status     int           `json:"status,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"`
	Message    string        `json:"message,omitempty"`
}

func newRequest(req *llm.Request) request {
	r := request{
		Purpose: req.Purpose, System: req.System, Tools: req.Tools, ToolChoice: req.ToolChoice,
		Schema: req.Schema, MaxOutputTokens: req.MaxOutputTokens, Temperature: req.Temperature,
	}
	for _, m := range req.Messages {
		r.Messages = append(r.Messages, message{Role: m.Role, Parts: newParts(m.Parts)})
	}
	return r
}

func newParts(parts []llm.Part) []part {
	var out []part
	for _, p := range parts {
		switch p := p.(type) {
		case llm.Instruction:
			out = append(out, part{Type: "instruction", Text: p.Text})
		case llm.Text:
			out = append(out, part{Type: "text", Text: p.Text})
		case llm.Page:
			out = append(out, part{Type: "page", Kind: p.Kind, Text: p.Text})
		case llm.Image:
			sum := sha256.Sum256(p.Data)
			out = append(out, part{Type: "image", MediaType: p.MediaType, SHA256: hex.EncodeToString(sum[:])})
		case llm.ToolCall:
			out = append(out, part{Type: "call", ID: p.ID, Name: p.Name, Arguments: p.Arguments})
		case llm.ToolResult:
			out = append(out, part{Type: "result", ID: p.ID, Name: p.Name, Failed: p.Error, Parts: newParts(p.Parts)})
		}
	}
	return out
}

// newExchange is false for an outcome that says nothing about the model: that
// the caller's context ended.
func newExchange(name string, req *llm.Request, resp *llm.Response, err error) (exchange, bool) {
	x := exchange{Model: name, Request: newRequest(req)}
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) {
			return x, false
		}
		x.Error = &recordedFail{Provider: e.Provider, Kind: e.Kind, Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
		return x, true
	}
	x.Response = &response{Text: resp.Text, Stop: resp.Stop, Usage: resp.Usage, Model: resp.Model}
	for _, call := range resp.ToolCalls {
		x.Response.ToolCalls = append(x.Response.ToolCalls, recordedCall(call))
	}
	return x, true
}

// answer gives the recorded outcome.
func (x *exchange) answer() (*llm.Response, error) {
	if e := x.Error; e != nil {
		return nil, &llm.Error{Provider: e.Provider, Kind: e.Kind, Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
	}
	resp := &llm.Response{Text: x.Response.Text, Stop: x.Response.Stop, Usage: x.Response.Usage, Model: x.Response.Model}
	for _, call := range x.Response.ToolCalls {
		resp.ToolCalls = append(resp.ToolCalls, llm.ToolCall(call))
	}
	return resp, nil
}

// readExchanges reads a recording.
func readExchanges(r io.Reader) ([]exchange, error) {
	var all []exchange
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var x exchange
			if err := json.Unmarshal(line, &x); err != nil {
				return nil, fmt.Errorf("exchange %d of the recording: %w", len(all)+1, err)
			}
			if (x.Response == nil) == (x.Error == nil) {
				return nil, fmt.Errorf("exchange %d of the recording has no single outcome", len(all)+1)
			}
			all = append(all, x)
		}
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
