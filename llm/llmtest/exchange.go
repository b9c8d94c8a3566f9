package llmtest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
)

// An exchange is one question and its answer, as a recording holds it: one
// JSON object in a line, in the form of package llm.
type exchange struct {
	Model    string        `json:"model"`
	Request  *llm.Request  `json:"request"`
	Response *llm.Response `json:"response,omitempty"`
	Error    *recordedFail `json:"error,omitempty"`
}

type recordedFail struct {
	Provider   string        `json:"provider"`
	Kind       llm.ErrorKind `json:"kind"`
	Status     int           `json:"status,omitempty"`
	RetryAfter time.Duration `json:"retryAfter,omitempty"`
	Message    string        `json:"message,omitempty"`
}

// withoutPictures returns the request with the hash of each picture in the
// place of its data.
func withoutPictures(req *llm.Request) *llm.Request {
	out := *req
	out.Messages = make([]llm.Message, len(req.Messages))
	for i, m := range req.Messages {
		out.Messages[i] = llm.Message{Role: m.Role, Parts: hashed(m.Parts)}
	}
	return &out
}

func hashed(parts []llm.Part) []llm.Part {
	out := slices.Clone(parts)
	for i, part := range parts {
		switch part := part.(type) {
		case llm.Image:
			sum := sha256.Sum256(part.Data)
			out[i] = llm.Image{MediaType: part.MediaType, Data: sum[:]}
		case llm.ToolResult:
			part.Parts = hashed(part.Parts)
			out[i] = part
		}
	}
	return out
}

// newExchange is false for an outcome that says nothing about the model: that
// the caller's context ended.
func newExchange(name string, req *llm.Request, resp *llm.Response, err error) (exchange, bool) {
	x := exchange{Model: name, Request: withoutPictures(req), Response: resp}
	if err != nil {
		var e *llm.Error
		if !errors.As(err, &e) {
			return x, false
		}
		x.Response = nil
		x.Error = &recordedFail{Provider: e.Provider, Kind: e.Kind, Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
	}
	return x, true
}

// answer gives the recorded outcome.
func (x *exchange) answer() (*llm.Response, error) {
	if e := x.Error; e != nil {
		return nil, &llm.Error{Provider: e.Provider, Kind: e.Kind, Status: e.Status, RetryAfter: e.RetryAfter, Message: e.Message}
	}
	resp := *x.Response
	return &resp, nil
}

// readExchanges reads a recording.
func readExchanges(r io.Reader) ([]exchange, error) {
	var all []exchange
	for lines := json.NewDecoder(r); ; {
		var x exchange
		err := lines.Decode(&x)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("exchange %d of the recording: %w", len(all)+1, err)
		}
		if x.Request == nil || (x.Response == nil) == (x.Error == nil) {
			return nil, fmt.Errorf("exchange %d of the recording has no request or no single outcome", len(all)+1)
		}
		all = append(all, x)
	}
}
