package client

import (
	"context"
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
	data, header, err := callForHeader[wire.ActData](ctx, s.client, http.MethodPost, s.path("act"), request)
	if err != nil {
		return nil, err
	}
	data.Sent = wire.Sent(header.Get(wire.HeaderSent))
	return data, nil
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
	data, header, err := callForHeader[wire.AgentData](ctx, s.client, http.MethodPost, s.path("agentExecute"), request)
	if err != nil {
		return nil, err
	}
	data.Sent = wire.Sent(header.Get(wire.HeaderSent))
	return data, nil
}

// Script replays a script. One that was refused is a result whose Success is false,
// and no error. Whether input was sent, the Sent of the data or of the [Error] tells, as
// with Act.
func (s *Session) Script(ctx context.Context, request *wire.ScriptRequest) (*wire.ScriptData, error) {
	data, header, err := callForHeader[wire.ScriptData](ctx, s.client, http.MethodPost, s.path("script"), request)
	if err != nil {
		return nil, err
	}
	data.Sent = wire.Sent(header.Get(wire.HeaderSent))
	return data, nil
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
