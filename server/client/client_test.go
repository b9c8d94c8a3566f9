package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/fleet"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/internal/replays"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const key = "a key of the tests"

// start gives a session at a service of the test's own, on its first page.
func start(t *testing.T, model llm.Model) (*client.Client, *client.Session) {
	t.Helper()
	web := fake.Web{
		"https://shop.test/":     `<h1>Shop</h1><a href="/cart">Cart</a><p>Teapot, 12.50</p>`,
		"https://shop.test/cart": "<h1>Your cart</h1>",
	}
	srv, err := server.New(web, &server.Options{
		Keys: []server.Key{server.NewKey("tests", key)}, Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}},
		Models: server.Models{Named: map[string]llm.Model{"scripted": model}},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(srv)
	t.Cleanup(func() {
		if err := srv.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		site.Close()
	})
	c, err := client.New(site.URL+"/", &client.Options{APIKey: key})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Start(t.Context(), &wire.SessionStart{ModelName: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: "https://shop.test/"})
	if err != nil || page.Result.Status != 200 {
		t.Fatalf("navigate: %v, %v", page, err)
	}
	return c, s
}

// TestSession: a session from start to end, every call once.
func TestSession(t *testing.T) {
	type offer struct {
		Name  string  `json:"name"`
		Price float64 `json:"price"`
	}
	soldOut := &llm.Response{Stop: llm.StopTools, ToolCalls: []llm.ToolCall{{ID: "1", Name: "done", Arguments: []byte(`{"success":false,"message":"sold out"}`)}}}
	model := llmtest.NewScript(t, llmtest.Step{JSON: offer{"Teapot", 12.5}}, llmtest.Step{Answer: func(*llm.Request) any { return soldOut }})
	_, s := start(t, model)
	ctx := t.Context()

	seen, err := s.Observe(ctx, &wire.ObserveRequest{})
	if err != nil || len(seen.Result) != 1 || seen.Result[0].Method != "click" {
		t.Fatalf("observe: %+v, %v", seen, err)
	}
	if got, err := client.Extract[offer](ctx, s, "the offer", nil); err != nil || got != (offer{"Teapot", 12.5}) {
		t.Errorf("extract: %+v, %v", got, err)
	}
	act, err := s.Act(ctx, client.Do(seen.Result[0]))
	if err != nil || !act.Result.Success || len(act.Result.Actions) != 1 || act.Sent != wire.SentAll {
		t.Fatalf("act: %+v, %v", act, err)
	}
	if again, err := s.Act(ctx, client.Do(seen.Result[0])); err != nil || again.Result.Success || again.Sent != wire.SentNone {
		t.Errorf("an act on a link that is gone: %+v, %v, want a result without success", again, err)
	}
	replay, err := s.Replay(ctx)
	if err != nil || len(replay.Pages) == 0 {
		t.Errorf("replay: %+v, %v", replay, err)
	}
	task := &wire.AgentExecuteRequest{ExecuteOptions: wire.AgentExecuteOptions{Instruction: "buy"}}
	if done, err := s.AgentExecute(ctx, task); err != nil || done.Result.Success || done.Result.Message != "sold out" || done.Sent != wire.SentNone {
		t.Errorf("agentExecute: %+v, %v, want a result without success", done, err)
	}
	task.AgentConfig.Mode = "cua"
	if _, err := s.AgentExecute(ctx, task); codeOf(err) != wire.NotImplemented {
		t.Errorf("agentExecute in mode cua: %v", err)
	}
	if err := s.End(ctx); err != nil {
		t.Fatal(err)
	}
	var gone *client.Error
	if _, err := s.Observe(ctx, &wire.ObserveRequest{}); !errors.As(err, &gone) || gone.Status != 404 || gone.Code != wire.SessionNotFound || gone.RequestID == "" {
		t.Errorf("observe after the end: %+v", err)
	}
}

// TestSessions: those that are open, and all that have ended, in turn.
func TestSessions(t *testing.T) {
	c, open := start(t, llmtest.NewScript(t))
	ctx := t.Context()
	for _, err := range c.EndedSessions(ctx) {
		if codeOf(err) != wire.NotImplemented {
			t.Errorf("sessions that have ended, of a service that keeps none: %v", err)
		}
	}
	if list, err := c.Sessions(ctx); err != nil || len(list.Sessions) != 1 || list.Sessions[0].ID != open.ID() {
		t.Errorf("sessions: %+v, %v", list, err)
	}
	srv, err := server.New(fake.Web{"https://shop.test/": "<h1>Shop</h1>"}, &server.Options{
		Browsers: server.Browsers{Policy: &engine.Policy{Private: []string{"*"}}}, Models: server.Models{Default: llmtest.NewScript(t)}, Parts: server.Parts{Kept: &server.Kept{Replays: replays.New(new(fleet.Memory), nil)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(srv)
	defer site.Close()
	if c, err = client.New(site.URL, nil); err != nil {
		t.Fatal(err)
	}
	var want []string
	for range 70 {
		s, err := c.Start(ctx, &wire.SessionStart{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Navigate(ctx, &wire.NavigateRequest{URL: "https://shop.test/"}); err != nil {
			t.Fatal(err)
		}
		if err := s.End(ctx); err != nil {
			t.Fatal(err)
		}
		want = append([]string{s.ID()}, want...)
	}
	var got []string
	for one, err := range c.EndedSessions(ctx) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the sessions that have ended are %v, want %v", got, want)
	}
}

func codeOf(err error) wire.Code {
	var e *client.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// TestStream: frames come in their order, and the last one has the result.
func TestStream(t *testing.T) {
	_, s := start(t, llmtest.NewScript(t))
	var statuses []string
	var last wire.Frame
	for frame, err := range s.ActStream(t.Context(), client.Do(wire.Action{Selector: "a", Method: "click"})) {
		if err != nil {
			t.Fatal(err)
		}
		statuses, last = append(statuses, string(frame.Data.Status)), frame
	}
	order := strings.Join(statuses, " ")
	if !strings.HasPrefix(order, "starting connected running") || !strings.HasSuffix(order, "running finished") {
		t.Errorf("the frames came as %s", order)
	}
	result, err := client.Result[wire.ActResult](last)
	if err != nil || !result.Success || last.Data.ActionID == "" {
		t.Errorf("the last frame gives %+v, %v", result, err)
	}
	for _, err := range s.ExtractStream(t.Context(), &wire.ExtractRequest{Schema: []byte(`{"type":7}`)}) {
		if codeOf(err) != wire.InvalidRequest {
			t.Errorf("a stream of a wrong request: %v", err)
		}
	}
}

// TestLeavingCancels: whoever leaves a stream ends the work at the service.
func TestLeavingCancels(t *testing.T) {
	// Whether the model is asked before the client leaves is not known.
	_, s := start(t, llmtest.NewScript(t, llmtest.Step{Hang: true, Times: -1}))
	for frame, err := range s.ActStream(t.Context(), client.Say("click Cart")) {
		if err != nil {
			t.Fatal(err)
		}
		if frame.Data.Status == wire.Connected {
			break
		}
	}
	// The page's turn is free again: nothing holds it.
	if _, err := s.Observe(t.Context(), &wire.ObserveRequest{}); err != nil {
		t.Error(err)
	}
}

func TestErrors(t *testing.T) {
	c, s := start(t, llmtest.NewScript(t))
	var invalid *client.Error
	if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: ""}); !errors.As(err, &invalid) || invalid.Status != 400 || len(invalid.Issues) == 0 {
		t.Errorf("a navigation to nowhere: %v", err)
	}
	if _, err := c.Session("../../healthz").Replay(t.Context()); codeOf(err) != wire.SessionNotFound && codeOf(err) != wire.NotFound {
		t.Errorf("an id with tricks: %v", err)
	}
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://a.test", "http://"} {
		if _, err := client.New(address, nil); err == nil {
			t.Errorf("New(%q) gave no error", address)
		}
	}
}

// TestBrokenAnswers: what is not the service's answer is an error that says so,
// and never a result.
func TestBrokenAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		kind, body string
		status     int
		want       string
	}{
		"a proxy's page":            {"text/html", "<h1>Bad gateway</h1>", 502, "502"},
		"another server":            {"text/html", "<h1>Welcome</h1>", 200, "is this the service's address?"},
		"truncated JSON":            {"application/json", `{"success":true,"data":{"result`, 200, "unexpected end"},
		"stream in place of JSON":   {"text/event-stream", "data: {}\n\n", 200, "not JSON"},
		"an error without a reason": {"application/json", `{}`, 500, "not the service's"},
	} {
		t.Run(name, func(t *testing.T) {
			s := answering(t, c.status, c.kind, c.body)
			if _, err := s.Act(t.Context(), client.Say("click")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Act: %v, want %q", err, c.want)
			}
		})
	}
	for name, c := range map[string]struct{ body, want string }{
		"ends too early":  {"event: starting\ndata: {\"data\":{\"status\":\"starting\"}}\n\n", "unexpected EOF"},
		"cut in a frame":  {"data: {\"data\":{\"status\":\"fini", "unexpected EOF"},
		"no JSON":         {"data: hello\n\n", "invalid character"},
		"tells a failure": {": keep-alive\n\ndata: {\"data\":{\"status\":\"error\",\"error\":\"it broke\"}}\n\n", "it broke"},
	} {
		t.Run("stream "+name, func(t *testing.T) {
			s := answering(t, 200, "text/event-stream", c.body)
			var last error
			for frame, err := range s.ActStream(t.Context(), client.Say("click")) {
				if last = err; err == nil && frame.Data.Status == wire.Finished {
					t.Error("it finished")
				}
			}
			if last == nil || !strings.Contains(last.Error(), c.want) {
				t.Errorf("the stream ends with %v, want %q", last, c.want)
			}
		})
	}
}

// answering gives a session at a server that answers everything alike.
func answering(t *testing.T, status int, kind, body string) *client.Session {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a client that is gone is not this test's matter
	}))
	t.Cleanup(site.Close)
	c, err := client.New(site.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c.Session("0123")
}

// TestFramesOfManyLines: a frame's data may be parted, and its lines may end in
// both ways, as the standard allows.
func TestFramesOfManyLines(t *testing.T) {
	s := answering(t, 200, "text/event-stream",
		"id: 1\r\nevent: finished\r\ndata: {\"data\":{\"status\":\r\ndata: \"finished\",\"result\":{\"success\":true}}}\r\n\r\n")
	for frame, err := range s.ActStream(t.Context(), client.Say("click")) {
		if err != nil {
			t.Fatal(err)
		}
		if result, err := client.Result[wire.ActResult](frame); err != nil || !result.Success {
			t.Errorf("the frame gives %+v, %v", result, err)
		}
	}
}
