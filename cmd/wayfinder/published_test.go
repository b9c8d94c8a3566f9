package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// npmDir is a directory with the published clients that testdata/clients names.
var npmDir = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "wayfinder-clients-")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(dir, os.DirFS("testdata/clients")); err != nil {
		return "", err
	}
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--loglevel=error")
	npm.Dir, npm.Env = dir, append(os.Environ(), "PUPPETEER_SKIP_DOWNLOAD=1", "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1")
	if out, err := npm.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm cannot install the published clients: %w: %s", err, out)
	}
	return dir, nil
})

// needClients skips a test of published clients where they are not asked for, or
// cannot be had.
func needClients(t *testing.T) string {
	t.Helper()
	if os.Getenv("WAYFINDER_NPM") == "" {
		t.Skip("published clients come from npm: make clients runs this")
	}
	dir, err := npmDir()
	if err != nil {
		t.Skip(err)
	}
	return dir
}

// An endless task: a site whose button can always be pressed, and a model that
// presses it until it is to hang.
type endless struct {
	site    *httptest.Server
	model   *vendorserver.Server
	pings   atomic.Int64
	hang    atomic.Int64  // from this request on, the model hangs
	hanging chan struct{} // closed when it does
	freed   chan struct{} // closed when a hanging request was given up
}

var pingRef = regexp.MustCompile(`\[([0-9a-z-]+)\] button: Ping`)

func newEndless(t *testing.T) *endless {
	e := &endless{hanging: make(chan struct{}), freed: make(chan struct{})}
	var once, gone sync.Once
	e.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			e.pings.Add(1)
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>Ping</title><p>%d pings<form method=post><button>Ping</button></form>`, e.pings.Load())
	}))
	asked := atomic.Int64{}
	e.model = vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		if n := e.hang.Load(); n > 0 && asked.Add(1) > n {
			once.Do(func() { close(e.hanging) })
			<-r.Context().Done()
			gone.Do(func() { close(e.freed) })
			return
		}
		name, args := "navigate", map[string]string{"url": e.site.URL}
		if refs := pingRef.FindAllStringSubmatch(body, -1); len(refs) > 0 {
			name, args = "click", map[string]string{"ref": refs[len(refs)-1][1]}
		}
		raw, _ := json.Marshal(args)
		vendorserver.Chat.Reply(w, &llmtest.Said{Calls: []llm.ToolCall{{ID: fmt.Sprint("c", e.pings.Load()), Name: name, Arguments: raw}}})
	})
	t.Cleanup(func() { e.model.CloseClientConnections(); e.model.Close(); e.site.Close() })
	return e
}

func (e *endless) flags() []string {
	return []string{"mcp", "--driver", "memory", "--model", "compat/ping", "--base-url", e.model.URL + "/v1", "--allow-private", "*"}
}

// Published clients that cancel a call, run into its time limit or close end the
// agent that works for it, over HTTP and over standard input and output.
func TestPublishedClientsLeave(t *testing.T) {
	dir := needClients(t)
	for _, over := range []string{"http", "stdio"} {
		for _, version := range []string{"v1", "v2"} {
			for _, way := range []string{"cancel", "timeout", "close"} {
				t.Run(over+"/"+version+"/"+way, func(t *testing.T) {
					e := newEndless(t)
					e.hang.Store(4)
					args := []string{"leave.mjs", way, version}
					if over == "http" {
						args = append(args, serveMCPAt(t, append(e.flags(), "--http", "127.0.0.1:0")...))
					} else {
						args = append(append(args, program), e.flags()...)
					}
					node := exec.Command("node", args...)
					node.Dir, node.Stderr = dir, os.Stderr
					in, err := node.StdinPipe()
					if err != nil {
						t.Fatal(err)
					}
					out, err := node.StdoutPipe()
					if err != nil {
						t.Fatal(err)
					}
					if err := node.Start(); err != nil {
						t.Fatal(err)
					}
					defer func() { _ = node.Process.Kill(); _ = node.Wait() }()
					said := make(chan string, 1)
					go func() {
						line, _ := bufio.NewReader(out).ReadString('\n')
						said <- line
					}()
					select {
					case <-e.hanging:
					case line := <-said:
						t.Fatalf("the client says %q", line)
					}
					if _, err := io.WriteString(in, "leave\n"); err != nil {
						t.Fatal(err)
					}
					wait(t, e.freed, "the agent continues after its client has left")
					if line := <-said; !strings.Contains(line, "gave up") || e.pings.Load() == 0 {
						t.Errorf("the client says %q after %d actions", line, e.pings.Load())
					}
				})
			}
		}
	}
}

// TestPublishedClientsAnswerDialogs: a published client that is attached to a session
// answers the dialogs of its page itself, and has sessions of its own with it. The
// engine would dismiss them.
func TestPublishedClientsAnswerDialogs(t *testing.T) {
	dir := needClients(t)
	needChrome(t)
	site := pages(t)
	v := serveProcess(t, nil, "--driver", "chrome", "--attach", "--allow-private", "127.0.0.1")
	const want = `{"accepted":true,"dismissed":false,"prompt":"Ann","heard":["confirm Sure?","confirm Sure?","prompt Name?"],"title":"Form"}`
	for _, client := range []string{"puppeteer", "playwright"} {
		t.Run(client, func(t *testing.T) {
			s := v.session("", site.URL)
			node := exec.CommandContext(t.Context(), "node", "dialogs.mjs", client, s.CDPURL())
			node.Dir, node.Stderr = dir, os.Stderr
			out, err := node.Output()
			if got := strings.TrimSpace(string(out)); err != nil || got != want {
				t.Errorf("the client says %s, %v, want %s", got, err, want)
			}
			if err := s.End(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPublishedReadersOfTheDescription: the linter finds no error in the service's
// description, and a client that is generated from it compiles without a cast and works.
func TestPublishedReadersOfTheDescription(t *testing.T) {
	dir := needClients(t)
	npx := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "npx", append([]string{"--no-install"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	description, err := filepath.Abs("../../server/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	npx("redocly", "lint", description)
	npx("openapi-typescript", description, "-o", "openapi.d.ts")
	npx("tsc", "-p", ".")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-type", "text/html")
		fmt.Fprint(w, `<!DOCTYPE html><title>Page</title><label><input type=checkbox> News</label>`)
	}))
	defer site.Close()
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1")
	node := exec.CommandContext(t.Context(), "node", "out/described.mjs", v.address, site.URL)
	node.Dir = dir
	if out, err := node.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "true: ") {
		t.Errorf("the generated client says %q, %v", out, err)
	}
}

// TestPublishedInspector: the inspector of MCP finds no error in the schemas of the tools.
func TestPublishedInspector(t *testing.T) {
	dir := needClients(t)
	cmd := exec.CommandContext(t.Context(), "npx", "--no-install", "mcp-inspector", "--cli", "-e", asProgram+"=1", "--strict", "--connect-timeout", "60000", "--method", "tools/list", "--", program, "mcp", "--driver", "memory")
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	if out, err := cmd.Output(); err != nil || !strings.Contains(string(out), `"snapshot"`) {
		t.Errorf("the inspector says %v\n%s", err, errs.String())
	}
}

// TestPublishedViewer: the commands of docs/trace.md for Playwright's viewer are run as
// they stand there, on a trace with pictures. The viewer shows a picture in its film
// strip and in the place of each snapshot, and reads the trace as text.
func TestPublishedViewer(t *testing.T) {
	dir := needClients(t)
	needChrome(t)
	chrome, err := cdp.Find()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	site := pages(t)
	if got := wayfinder(t, "act", site.URL, "type tea into Word", "click Send", "--trace", filepath.Join(folder, "run.html")); got.code != exitDone {
		t.Fatalf("exit %d, want 0\n%s%s", got.code, got.out, got.err)
	}
	const convert, show, open = "wayfinder trace run.html --format playwright -o run.zip", "npx playwright show-trace run.zip", "npx playwright trace open run.zip"
	for _, command := range []string{convert, show, open} {
		if !strings.Contains(string(page), command) {
			t.Errorf("docs/trace.md has no %q", command)
		}
	}
	in := func(name string, args ...string) *exec.Cmd {
		if name == "npx" { // the same program, without its browsers
			name, args = filepath.Join(dir, "node_modules/.bin/playwright-core"), args[1:]
		}
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "BROWSER=true") // what opens a tab for a person
		return cmd
	}
	words := strings.Fields(convert)
	if out, err := in(program, words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", convert, err, out)
	}
	words = strings.Fields(open)
	if out, err := in(words[0], words[1:]...).CombinedOutput(); err != nil || !strings.Contains(string(out), "Actions:      3") {
		t.Errorf("%s: %v\n%s", open, err, out)
	}
	words = strings.Fields(show)
	viewer := in(words[0], append(words[1:], "--host", "127.0.0.1", "--port", "0")...)
	said, err := viewer.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := viewer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = viewer.Process.Kill(); _ = viewer.Wait() }()
	address := ""
	for lines := bufio.NewScanner(said); address == "" && lines.Scan(); {
		_, address, _ = strings.Cut(lines.Text(), "Listening on ")
	}
	node := exec.CommandContext(t.Context(), "node", "viewer.mjs", chrome, address)
	node.Dir, node.Stderr = dir, os.Stderr
	out, err := node.Output()
	var shown struct{ Strip, Snapshots []int }
	if err != nil || json.Unmarshal(out, &shown) != nil || len(shown.Strip) == 0 || len(shown.Snapshots) != 3 || slices.Min(append(shown.Strip, shown.Snapshots...)) == 0 {
		t.Errorf("the viewer shows %s, %v, want a picture of each of 3 actions, and a film strip", out, err)
	}
}

func wait(t *testing.T, c <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(time.Minute):
		t.Fatal(otherwise)
	}
}

// serveMCPAt starts the command and returns the address that it serves.
func serveMCPAt(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command(program, args...)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(strings.TrimPrefix(line, "listening at "))
}
