package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"

	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A Session is one browser at the service. Calls on one of its pages are
// carried out in turn.
type Session struct {
	client *Client
	id     string
	cdpURL string
}

// ID names the session.
func (s *Session) ID() string { return s.id }

// CDPURL is where others can attach to the session's browser; empty if nowhere,
// or if the session was not started by this client.
func (s *Session) CDPURL() string { return s.cdpURL }

// Say asks for an action in words.
func Say(instruction string) *wire.ActRequest {
	return &wire.ActRequest{Input: wire.Input{Instruction: instruction}}
}

// Do asks for a stored action.
func Do(action wire.Action) *wire.ActRequest {
	return &wire.ActRequest{Input: wire.Input{Action: &action}}
}

// Act does one action. One that could not be done is a result whose Success is
// false, and no error. Whether input was sent, the Sent of the data or of the
// [Error] tells: where it is not [wire.SentNone], look before it is repeated.
func (s *Session) Act(ctx context.Context, request *wire.ActRequest) (*wire.ActData, error) {
	return callForSent(ctx, s, "act", request, func(d *wire.ActData) *wire.Sent { return &d.Sent })
}

// Observe returns the actions that there are.
func (s *Session) Observe(ctx context.Context, request *wire.ObserveRequest) (*wire.ObserveData, error) {
	return call[wire.ObserveData](ctx, s.client, http.MethodPost, s.path("observe"), request)
}

// Extract reads data from the page as JSON. See [Extract] for a Go type.
func (s *Session) Extract(ctx context.Context, request *wire.ExtractRequest) (*wire.ExtractData, error) {
	return call[wire.ExtractData](ctx, s.client, http.MethodPost, s.path("extract"), request)
}

// Navigate goes to an address.
func (s *Session) Navigate(ctx context.Context, request *wire.NavigateRequest) (*wire.NavigateData, error) {
	return call[wire.NavigateData](ctx, s.client, http.MethodPost, s.path("navigate"), request)
}

// AgentExecute gives a task to an agent. One that did not succeed is a result
// whose Success is false, and no error. Whether input was sent, the Sent of the
// data or of the [Error] tells, as with Act.
func (s *Session) AgentExecute(ctx context.Context, request *wire.AgentExecuteRequest) (*wire.AgentData, error) {
	return callForSent(ctx, s, "agentExecute", request, func(d *wire.AgentData) *wire.Sent { return &d.Sent })
}

// Script replays a script. One that was refused is a result whose Success is false,
// and no error. Whether input was sent, the Sent of the data or of the [Error] tells, as
// with Act.
func (s *Session) Script(ctx context.Context, request *wire.ScriptRequest) (*wire.ScriptData, error) {
	return callForSent(ctx, s, "script", request, func(d *wire.ScriptData) *wire.Sent { return &d.Sent })
}

// Replay returns what was done in the session.
func (s *Session) Replay(ctx context.Context) (*wire.Replay, error) {
	return call[wire.Replay](ctx, s.client, http.MethodGet, s.path("replay"), nil)
}

// End ends the session and closes its browser.
func (s *Session) End(ctx context.Context) error {
	response, err := s.client.send(ctx, http.MethodPost, s.path("end"), nil, false)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

func (s *Session) path(operation string) string {
	return "/v1/sessions/" + url.PathEscape(s.id) + "/" + operation
}

// ActStream is Act with news of the work under way. The last frame's status is
// [wire.Finished], and [Result] reads its result; or the sequence ends with an
// error. Leaving the loop early cancels the work at the service.
func (s *Session) ActStream(ctx context.Context, request *wire.ActRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "act", request)
}

// ObserveStream is Observe with news of the work under way, as ActStream is.
func (s *Session) ObserveStream(ctx context.Context, request *wire.ObserveRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "observe", request)
}

// ExtractStream is Extract with news of the work under way, as ActStream is.
func (s *Session) ExtractStream(ctx context.Context, request *wire.ExtractRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "extract", request)
}

// NavigateStream is Navigate with news of the work under way, as ActStream is.
func (s *Session) NavigateStream(ctx context.Context, request *wire.NavigateRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "navigate", request)
}

// AgentExecuteStream is AgentExecute with a line for each step, as ActStream is.
// What a client may store of the run is the last frame's CacheEntry.
func (s *Session) AgentExecuteStream(ctx context.Context, request *wire.AgentExecuteRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "agentExecute", request)
}

// ScriptStream is Script with a line for each step, as ActStream is.
func (s *Session) ScriptStream(ctx context.Context, request *wire.ScriptRequest) iter.Seq2[wire.Frame, error] {
	return s.stream(ctx, "script", request)
}

// Result reads the result of a stream's last frame: a [wire.ActResult], a list
// of [wire.Action], a [wire.NavigateResult], a [wire.AgentResult], a
// [wire.ScriptResult], or a type of your own for extract.
func Result[T any](frame wire.Frame) (T, error) {
	var result T
	if frame.Data.Status != wire.Finished {
		return result, fmt.Errorf("client: a frame that says %q has no result", frame.Data.Status)
	}
	if err := json.Unmarshal(frame.Data.Result, &result); err != nil {
		return result, fmt.Errorf("client: the result: %w", err)
	}
	return result, nil
}

func (s *Session) stream(ctx context.Context, operation string, request any) iter.Seq2[wire.Frame, error] {
	return func(yield func(wire.Frame, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		path := s.path(operation)
		response, err := s.client.send(ctx, http.MethodPost, path, request, true)
		if err != nil {
			yield(wire.Frame{}, err)
			return
		}
		defer response.Body.Close()
		if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
			yield(wire.Frame{}, fmt.Errorf("client: %s: the answer is %q, not a stream", path, response.Header.Get("Content-Type")))
			return
		}
		frames := bufio.NewReader(response.Body)
		for {
			frame, err := readFrame(frames)
			if err != nil {
				yield(frame, fmt.Errorf("client: %s: the stream: %w", path, err))
				return
			}
			if frame.Data.Status == wire.Errored {
				yield(frame, &Error{Code: frame.Data.Code, Message: frame.Data.Error, RequestID: response.Header.Get("x-request-id")})
				return
			}
			if !yield(frame, nil) || frame.Data.Status == wire.Finished {
				return
			}
		}
	}
}

// readFrame reads up to the next event that has data.
func readFrame(r *bufio.Reader) (frame wire.Frame, _ error) {
	_, data, err := readEvent(r)
	if err != nil {
		return frame, err
	}
	return frame, json.Unmarshal(data, &frame)
}

// readEvent reads up to the next event that has data. Comments, and fields
// without use here, are passed over, as the standard of server-sent events asks.
func readEvent(r *bufio.Reader) (id string, data []byte, _ error) {
	for {
		line, err := readLine(r, most-len(data))
		if err != nil {
			return "", nil, err
		}
		if len(line) == 0 && len(data) > 0 {
			return id, data, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("id:")); ok {
			id = string(bytes.TrimPrefix(value, []byte(" ")))
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimPrefix(value, []byte(" "))...)
		}
	}
}

// readLine reads a line of at most so many bytes, without its end. A stream that
// ends within an event ended too early.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > limit:
			return nil, fmt.Errorf("a frame is longer than %d bytes", most)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}
