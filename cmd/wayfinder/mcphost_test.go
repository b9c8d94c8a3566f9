package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Without keys, MCP over HTTP answers to this machine's own names alone, whatever the
// transport checks by itself.
func TestMCPAnswersToOwnNames(t *testing.T) {
	address := serveMCPAt(t, "mcp", "--driver", "memory", "--http", "127.0.0.1:0")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.test"
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("another name: %d, want %d", answer.StatusCode, http.StatusMisdirectedRequest)
	}
}

// keyed shows a key with each request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if k != "" {
		r.Header.Set("Authorization", "Bearer "+string(k))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connected is a client of an MCP server over HTTP that cannot ask anybody.
func connected(t *testing.T, address string, key keyed) (*mcp.ClientSession, error) {
	t.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: key}}
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
}

// call calls a tool.
func call(t *testing.T, client *mcp.ClientSession, tool string, args map[string]any) *mcp.CallToolResult {
	t.Helper()
	got, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return got
}

// TestMCPKeys: over HTTP a client needs a key where there are some, and reaches no address
// of this machine: it is not the operator.
func TestMCPKeys(t *testing.T) {
	site := pages(t)
	address := serveMCPAt(t, "mcp", "--driver", "memory", "--http", "127.0.0.1:0", "--keys", fmt.Sprintf("%x ann", sha256.Sum256([]byte("right"))))
	for _, key := range []keyed{"", "wrong"} {
		if client, err := connected(t, address, key); err == nil {
			client.Close()
			t.Errorf("a client with the key %q was let in", key)
		}
	}
	client, err := connected(t, address, "right")
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	got := call(t, client, "navigate", map[string]any{"url": site.URL})
	if text, ok := got.Content[0].(*mcp.TextContent); !got.IsError || !ok || !strings.Contains(text.Text, "policy") {
		t.Errorf("navigate = %+v, want this machine's address refused", got.Content[0])
	}
}

// TestMCPApprove: what --approve names is refused where the client cannot ask.
func TestMCPApprove(t *testing.T) {
	bought := make(chan string, 1)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			bought <- r.URL.Path
		}
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>Shop</title><form method=post action=/order><button>Buy now</button></form>`)
	}))
	defer site.Close()
	for _, classes := range []string{"pay", ""} {
		address := serveMCPAt(t, "mcp", "--driver", "memory", "--http", "127.0.0.1:0", "--allow-private", "*", "--approve", classes)
		client, err := connected(t, address, "")
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		opened, _ := call(t, client, "navigate", map[string]any{"url": site.URL}).StructuredContent.(map[string]any)
		call(t, client, "agent", map[string]any{"session": opened["session"], "task": "click Buy now"})
		select {
		case path := <-bought:
			if classes != "" {
				t.Errorf("--approve %s: the site got %s", classes, path)
			}
		default:
			if classes == "" {
				t.Error("without --approve nothing was bought: the test shows nothing")
			}
		}
	}
}

// TestMCPPolicy: over HTTP the network is the service's, with a gate but for a Chrome that
// runs already, whatever the flags say; over standard input it is that of the commands.
func TestMCPPolicy(t *testing.T) {
	f := &mcpFlags{serving: serving{settings: &settings{}}}
	if got := f.policyFor(); got != nil {
		t.Errorf("over standard input: %+v, want the open network", got)
	}
	f.http = "127.0.0.1:0"
	if got := f.policyFor(); got == nil || got.NoGate {
		t.Errorf("over HTTP: %+v, want a gate", got)
	}
	f.cdp = "http://127.0.0.1:9"
	if got := f.policyFor(); got == nil || !got.NoGate {
		t.Errorf("in a Chrome that runs already: %+v, want no gate", got)
	}
}
