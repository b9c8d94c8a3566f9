package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: c.tool, Arguments: c.args})
		if err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		if text, ok := result.Content[0].(*mcp.TextContent); result.IsError || !ok || !strings.Contains(text.Text, c.says) {
			t.Errorf("%s = %+v, want %q", c.tool, result.Content[0], c.says)
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
