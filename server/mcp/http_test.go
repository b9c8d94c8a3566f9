package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/server/mcp"
)

// revisions are those that published clients speak.
var revisions = []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// leaving are the ways in which a client gives a call up. Closing the SDK's own
// client waits for the call.
var leaving = []string{
	"canceled",
	"broken", // connection
	"bare",   // a single request, as curl sends it, that is given up
	"DELETE",
}

// A client that cancels a call, gives it up or breaks the connection ends the agent
// that works for it, whatever revision it speaks.
func TestLeavingEndsTheAgent(t *testing.T) {
	for _, revision := range revisions {
		for _, way := range leaving {
			t.Run(revision+"/"+way, func(t *testing.T) {
				s, begun := &shop{}, make(chan struct{})
				m := &stuck{leave: func() { close(begun) }, freed: make(chan struct{})}
				m.stick.Store(true)
				server := serve(t, s, func(o *mcp.Options) {
					o.Open = func(ctx context.Context) (*engine.Session, error) {
						return engine.Open(ctx, fake.New(fake.Options{Handler: s}), &engine.Options{Model: m})
					}
				})
				listener := httptest.NewServer(server.Handler())
				t.Cleanup(listener.Close)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if way == "bare" {
					go postTool(ctx, t, listener.URL, revision, "", "agent", `{"task":"click Buy now"}`)
					<-begun
					cancel()
				} else {
					c := connect(t, &sdk.StreamableClientTransport{Endpoint: listener.URL, MaxRetries: -1}, &user{}, revision)
					_, begins := must(t, c, "navigate", map[string]any{"url": "https://shop.test/"})
					over := make(chan error, 1)
					go func() {
						_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "agent", Arguments: map[string]any{"task": "click Buy now", "session": begins["session"]}})
						over <- err
					}()
					<-begun
					id := c.ID()
					switch {
					case way == "broken":
						listener.CloseClientConnections()
					case way == "canceled" || id == "": // a revision without sessions
						cancel()
					default:
						r, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, listener.URL, nil)
						r.Header.Set("Mcp-Session-Id", id)
						answer, err := http.DefaultClient.Do(r)
						if err != nil || answer.StatusCode != http.StatusNoContent {
							t.Errorf("DELETE = %v, %v", answer, err)
						}
					}
					defer func() {
						if err := <-over; err == nil && way != "DELETE" { // which does not take the call back
							t.Error("a call that was given up has an answer")
						}
					}()
				}
				select {
				case <-m.freed:
				case <-time.After(time.Minute):
					t.Error("the task continues after its caller has left")
				}
			})
		}
	}
}

// postTool calls a tool by a single request, and returns the answer's body.
func postTool(ctx context.Context, t *testing.T, address, revision, session, tool, arguments string) string {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments
	if revision >= "2026-07-28" {
		body += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision + `","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(body+"}}"))
	if err != nil {
		t.Error(err)
		return ""
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", revision)
	r.Header.Set("Mcp-Method", "tools/call")
	r.Header.Set("Mcp-Name", tool)
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		return ""
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	return string(raw)
}

// Two clients without keys have a browser each, and neither moves the other's page.
// One that nothing tells apart from others has to say which session it means.
func TestClientsAreApart(t *testing.T) {
	server := serve(t, &shop{}, nil)
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(listener.Close)
	for _, revision := range revisions {
		t.Run(revision, func(t *testing.T) {
			at := func() *sdk.ClientSession {
				return connect(t, &sdk.StreamableClientTransport{Endpoint: listener.URL}, &user{}, revision)
			}
			a, b := at(), at()
			_, mine := must(t, a, "navigate", map[string]any{"url": "https://shop.test/"})
			if text, _, err := do(t, b, "snapshot", nil); err == nil {
				t.Errorf("a second client sees %s", text)
			}
			_, theirs := must(t, b, "navigate", map[string]any{"url": "https://shop.test/long"})
			if mine["session"] == theirs["session"] {
				t.Error("both clients have the same session")
			}
			args := map[string]any{}
			if revision >= "2026-07-28" {
				args["session"] = mine["session"]
			}
			if text, _ := must(t, a, "snapshot", args); !strings.Contains(text, "Teapots") {
				t.Errorf("the first client sees %s", text)
			}
			for _, s := range []any{mine["session"], theirs["session"]} {
				must(t, a, "end", map[string]any{"session": s})
			}
		})
	}
	if got := postTool(t.Context(), t, listener.URL, "2025-06-18", "", "navigate", `{"url":"https://shop.test/"}`); !strings.Contains(got, "give session s-") {
		t.Errorf("a bare request gets %s", got)
	}
	if got := postTool(t.Context(), t, listener.URL, "2025-06-18", "", "snapshot", `{}`); !strings.Contains(got, "say which session") {
		t.Errorf("a bare request without a session gets %s", got)
	}
}

// Clients that left without a word do not keep others out: at the limit, their
// sessions make room. Those of a client that is connected stay.
func TestLeftSessionsMakeRoom(t *testing.T) {
	server := serve(t, &shop{}, func(o *mcp.Options) { o.Sessions = 2 })
	listener := httptest.NewServer(server.Handler())
	t.Cleanup(listener.Close)
	at := func() *sdk.ClientSession {
		return connect(t, &sdk.StreamableClientTransport{Endpoint: listener.URL}, &user{}, "2025-11-25")
	}
	stays := at()
	must(t, stays, "navigate", map[string]any{"url": "https://shop.test/"})
	for range 3 {
		// As a client that is killed: it opens no stream of its own and sends no DELETE.
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, listener.URL, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		id := answer.Header.Get("Mcp-Session-Id")
		postNotification(t, listener.URL, id)
		if got := postTool(t.Context(), t, listener.URL, "2025-11-25", id, "navigate", `{"url":"https://shop.test/"}`); !strings.Contains(got, "Shop") {
			t.Errorf("navigate = %s", got)
		}
	}
	must(t, stays, "snapshot", nil)
	other := at()
	must(t, other, "navigate", map[string]any{"url": "https://shop.test/"})
	if _, _, err := do(t, at(), "navigate", map[string]any{"url": "https://shop.test/"}); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("a third session of connected clients: %v", err)
	}
	if err := other.Close(); err != nil { // says good-bye
		t.Fatal(err)
	}
	must(t, at(), "navigate", map[string]any{"url": "https://shop.test/"})
}

func postNotification(t *testing.T, address, session string) {
	t.Helper()
	r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Session-Id", session)
	answer, err := http.DefaultClient.Do(r)
	if err != nil || answer.StatusCode != http.StatusAccepted {
		t.Fatalf("initialized = %v, %v", answer, err)
	}
	_ = answer.Body.Close()
}

// A page of another site that a browser on this machine shows cannot call tools.
func TestOtherSitesAreRefused(t *testing.T) {
	listener := httptest.NewServer(serve(t, &shop{}, nil).Handler())
	t.Cleanup(listener.Close)
	for _, header := range []map[string]string{
		{"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "https://evil.test"},
	} {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, listener.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range header {
			r.Header.Set(name, value)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusForbidden {
			t.Errorf("%v: %d, want %d", header, answer.StatusCode, http.StatusForbidden)
		}
	}
}
