package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/mcp"
)

// TestHTTPMisbehaviour: a call whose answer does not come is never repeated, and
// it is not known what came of it.
func TestHTTPMisbehaviour(t *testing.T) {
	const events = "text/event-stream"
	for _, c := range []struct {
		name   string
		call   func(w http.ResponseWriter, id string)
		status agent.Status
		says   string
	}{
		{"cut off", func(w http.ResponseWriter, _ string) { panic(http.ErrAbortHandler) }, agent.Unknown, "EOF"},
		{"cut off in an event", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", events)
			fmt.Fprint(w, "data: {")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, agent.Unknown, "without response"},
		{"unavailable", func(w http.ResponseWriter, _ string) { w.WriteHeader(http.StatusServiceUnavailable) }, agent.Unknown, "Unavailable"},
		{"refused", func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"closed on Sundays"}}`, id)
		}, agent.Failed, "closed on Sundays"},
		{"huge", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			for range 100 {
				io.WriteString(w, strings.Repeat("x", 1<<20))
			}
		}, agent.Unknown, "more than 16 MB"},
		{"huge event", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", events)
			for range 100 {
				io.WriteString(w, "data: "+strings.Repeat("x", 1<<20)+"\n")
			}
		}, agent.Unknown, "more than 16 MB"},
		{"flood", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", events)
			for range 200 {
				io.WriteString(w, `data: {"jsonrpc":"2.0","method":"notifications/message","params":"`+strings.Repeat("x", 1<<20)+"\"}\n\n")
			}
		}, agent.Unknown, "without end"},
		{"goes on after its answer", func(w http.ResponseWriter, id string) {
			w.Header().Set("Content-Type", events)
			fmt.Fprintf(w, "event: noise\ndata: x\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"seven\"}]}}\n\n", id)
			for range 10 {
				io.WriteString(w, ": "+strings.Repeat("x", 1<<20)+"\n")
			}
		}, agent.Done, "seven"},
		{"not JSON", func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{")
		}, agent.Unknown, "decode"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var req struct {
					ID     json.RawMessage
					Method string
				}
				_ = json.NewDecoder(r.Body).Decode(&req)
				reply := func(result string) {
					w.Header().Set("Content-Type", "application/json")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, req.ID, result)
				}
				switch req.Method {
				case "server/discover":
					reply(`"error":{"code":-32601,"message":"unknown"}`)
				case "initialize":
					reply(`"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"bad","version":"1"}}`)
				case "tools/list":
					reply(`"result":{"tools":[` + listOf("")[0] + `]}`)
				case "tools/call":
					calls.Add(1)
					c.call(w, string(req.ID))
				default:
					w.WriteHeader(http.StatusAccepted)
				}
			}))
			t.Cleanup(site.Close)
			s := server(t, mcp.HTTP{URL: site.URL}, nil)
			result, _ := run(t, s, agent.Task{ToolTimeout: patient}, call("1", "bad_go", `{}`), call("2", "bad_go", `{"again":true}`))
			for _, a := range result.Actions[:2] {
				if a.Status != c.status || !strings.Contains(a.Message, c.says) {
					t.Errorf("step %d: %s, %q; want %s, %q", a.Step, a.Status, a.Message, c.status, c.says)
				}
			}
			if n := calls.Load(); n != 2 {
				t.Errorf("the server got %d calls, want one for each of the 2 steps", n)
			}
		})
	}
}

// hold makes the process one that ends only by force, and shows that it is there
// by a connection.
func hold() net.Conn {
	signal.Notify(make(chan os.Signal, 1)) // and does nothing about it
	conn, err := net.Dial("tcp", os.Getenv("MCP_TEST_HOLD"))
	if err != nil {
		panic(err)
	}
	return conn
}

// parent has a server, and is going to be killed.
func parent() {
	self, _ := os.Executable()
	s, err := mcp.New(mcp.Command{Path: self, Env: []string{play + "=stubborn", "MCP_TEST_HOLD=" + os.Getenv("MCP_TEST_HOLD")}}, nil)
	if err != nil {
		panic(err)
	}
	if _, err := s.Tools(context.Background()); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	select {}
}

// TestNoOrphans: a server that does not want to end ends with Close, and on
// Linux with us, however we end.
func TestNoOrphans(t *testing.T) {
	held, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	gone := func() {
		t.Helper()
		conn, err := held.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.ReadAll(conn) // until the process is gone; the test's own timeout bounds it
	}
	t.Run("closed", func(t *testing.T) {
		c := command(t, "stubborn")
		c.Env = append(c.Env, "MCP_TEST_HOLD="+held.Addr().String())
		s := server(t, c, nil)
		if _, err := s.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		gone()
	})
	t.Run("killed", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			t.Skip("only Linux ends a child with its parent")
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), play+"=parent", "MCP_TEST_HOLD="+held.Addr().String())
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 5)); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
		gone()
	})
}
