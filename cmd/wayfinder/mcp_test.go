package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	servermcp "github.com/wayfinder-engine/wayfinder/server/mcp"
	"github.com/wayfinder-engine/wayfinder/telemetry/spans"
)

const teapots = `<!DOCTYPE html><title>Teapots</title><label>Name <input></label><button onclick="said.textContent='Thank you'">Buy</button><p id=said role=status></p>`

// useBrowser does a few steps by the tools of a server, as a client of the SDK.
func useBrowser(t *testing.T, transport mcp.Transport) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html")
		io.WriteString(w, teapots)
	}))
	t.Cleanup(site.Close)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	session := ""
	for _, c := range []struct {
		tool, says string
		args       map[string]any
	}{
		{"navigate", "Teapots", map[string]any{"url": site.URL}},
		{"act", "filled", map[string]any{"action": "type Ada into Name"}},
		{"find", "Buy", map[string]any{"query": "Buy"}},
		{"click", "clicked", map[string]any{"selector": "button"}},
		{"wait_for", "Teapots", map[string]any{"text": "Thank you"}},
		{"snapshot", "Thank you", nil},
		{"screenshot", "viewport", nil},
		{"end", "ended", nil},
	} {
		if session != "" {
			c.args = maps.Clone(c.args)
			if c.args == nil {
				c.args = map[string]any{}
			}
			c.args["session"] = session
		}
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); result.IsError || !ok || !strings.Contains(text.Text, c.says) {
			t.Errorf("%s = %+v, want %q", c.tool, result.Content[0], c.says)
		}
		if raw, err := json.Marshal(result.StructuredContent); c.tool == "navigate" && err == nil {
			var opened struct{ Session string }
			if json.Unmarshal(raw, &opened) == nil {
				session = opened.Session // over HTTP without a key, it tells clients apart
			}
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

// The program that a client starts ends when the client leaves, and its browser
// with it.
func TestMCP(t *testing.T) {
	needChrome(t)
	command := exec.Command(program, "mcp")
	useBrowser(t, &mcp.CommandTransport{Command: command})
	if state := command.ProcessState; state == nil || state.ExitCode() != 0 {
		t.Errorf("the program ended with %v", state)
	}
}

// Over HTTP a signal ends it.
func TestMCPOverHTTP(t *testing.T) {
	needChrome(t)
	command := exec.Command(program, "mcp", "--http", "127.0.0.1:0", "--allow-private", "*")
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening at "))
	useBrowser(t, &mcp.StreamableClientTransport{Endpoint: address})
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil && command.ProcessState.ExitCode() != 0 && command.ProcessState.ExitCode() != exitTerminated {
		t.Errorf("the program ended with %v", err)
	}
}

// What is wrong is said before anything is served.
func TestMCPUsage(t *testing.T) {
	for _, args := range [][]string{
		{"mcp", "--approve", "everything"},
		{"mcp", "--max-sessions", "0"},
		{"mcp", "--http", "0.0.0.0:0"},
		{"mcp", "surplus"},
	} {
		if err := exec.Command(program, args...).Run(); err == nil || err.(*exec.ExitError).ExitCode() != exitUsage {
			t.Errorf("%v: %v, want exit code %d", args, err, exitUsage)
		}
	}
}

// TestMCPFiles: a client somewhere else cannot have this machine's files given to
// a page of its own; the program that started this one can.
func TestMCPFiles(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html")
		io.WriteString(w, `<!DOCTYPE html><title>Upload</title><label>File <input type=file></label>`)
	}))
	t.Cleanup(site.Close)
	for _, address := range []string{"", "127.0.0.1:0"} {
		f := &mcpFlags{http: address}
		session, err := engine.Open(t.Context(), fake.Network(), &engine.Options{Model: offline.New(), File: f.file()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		if _, err := session.Page().Navigate(t.Context(), site.URL, nil); err != nil {
			t.Fatal(err)
		}
		_, err = session.Page().Do(t.Context(), engine.Action{Selector: "input", Method: engine.SetInputFiles, Arguments: []string{program}}, nil)
		if (err == nil) != (address == "") {
			t.Errorf("over %q a file is given to a page: %v", address, err)
		}
	}
}

// TestMCPSpans: what is done for a call of a client stands below the client's own
// span, also what an agent does after the call has ended.
func TestMCPSpans(t *testing.T) {
	exporter := tracetest.NewInMemoryExporter()
	tracing := &tracing{trace.NewTracerProvider(trace.WithSyncer(exporter))}
	hooks, agentHooks, toolCalls := tracing.spans()
	server, err := servermcp.New(servermcp.Options{
		Began: toolCalls, Agent: agent.Config{Hooks: agentHooks},
		Open: func(ctx context.Context) (*engine.Session, error) {
			return engine.Open(ctx, fake.Web{"https://tea.test/": teapots}, &engine.Options{Model: offline.New(), Hooks: hooks})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.MCP().Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, span := tracing.provider.Tracer("client").Start(t.Context(), "the client's")
	call := func(tool string, args map[string]any) map[string]any {
		t.Helper()
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Meta: spans.TraceContext(ctx), Name: tool, Arguments: args})
		if err != nil || result.IsError {
			t.Fatalf("%s = %+v, %v", tool, result, err)
		}
		out, _ := result.StructuredContent.(map[string]any)
		return out
	}
	call("navigate", map[string]any{"url": "https://tea.test/"})
	run := call("agent", map[string]any{"task": "click Buy", "background": true})
	call("agent_status", map[string]any{"run": run["run"], "wait_seconds": 60})
	if err := errors.Join(client.Close(), server.Close()); err != nil {
		t.Fatal(err)
	}
	span.End()
	all := exporter.GetSpans()
	byID := map[oteltrace.SpanID]tracetest.SpanStub{}
	for _, s := range all {
		byID[s.SpanContext.SpanID()] = s
	}
	path := func(name string) string {
		for _, s := range all {
			if s.Name != name {
				continue
			}
			for at, ok := byID[s.Parent.SpanID()]; ok; at, ok = byID[at.Parent.SpanID()] {
				name = at.Name + " > " + name
			}
			return name
		}
		return "no " + name
	}
	for _, want := range []string{
		"the client's > tools/call navigate > wayfinder navigate",
		"the client's > tools/call agent > invoke_agent wayfinder > execute_tool click",
		"the client's > tools/call agent_status",
	} {
		name := want[strings.LastIndex(want, "> ")+2:]
		got := path(name)
		got = strings.Replace(got, "invoke_agent wayfinder > wayfinder agent > ", "invoke_agent wayfinder > ", 1)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
