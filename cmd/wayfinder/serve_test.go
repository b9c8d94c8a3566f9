package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A served is 'wayfinder serve', running as a process.
type served struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string
	first   chan string // its first line
	ended   chan struct{}
	err     error // how it ended, once ended is closed

	mu  sync.Mutex
	log strings.Builder
}

// serveProcess starts the program as a service at a port that is free, and waits until
// it listens.
func serveProcess(t *testing.T, variables []string, args ...string) *served {
	t.Helper()
	v := startService(t, variables, args...)
	v.await()
	return v
}

// startService starts it, and waits for nothing.
func startService(t *testing.T, variables []string, args ...string) *served {
	t.Helper()
	v := &served{t: t, first: make(chan string, 1), ended: make(chan struct{})}
	if !slices.Contains(args, "--addr") {
		args = append([]string{"--addr", "127.0.0.1:0"}, args...)
	}
	v.cmd = exec.Command(program, append([]string{"serve"}, args...)...)
	v.cmd.Env = environment(variables...)
	v.cmd.Stderr = v
	out, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		lines := bufio.NewReader(out)
		first, _ := lines.ReadString('\n') // without one, it says nothing
		v.first <- first
		_, _ = io.Copy(io.Discard, lines)
		v.err = v.cmd.Wait()
		close(v.ended)
	}()
	t.Cleanup(func() {
		_ = v.cmd.Process.Kill() // it may have ended
		<-v.ended
		if t.Failed() {
			t.Logf("the service's log:\n%s", v.logged())
		}
	})
	return v
}

// await returns when the service listens.
func (v *served) await() {
	v.t.Helper()
	first := <-v.first
	address, ok := strings.CutPrefix(strings.TrimSpace(first), "listening at ")
	if !ok {
		v.t.Fatalf("the service says %q", first)
	}
	v.address = address
}

// Write takes what the service logs.
func (v *served) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.log.Write(p)
}

func (v *served) logged() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.log.String()
}

// client gives a client that shows a key, if it is not empty.
func (v *served) client(key string) *client.Client {
	v.t.Helper()
	c, err := client.New(v.address, &client.Options{APIKey: key})
	if err != nil {
		v.t.Fatal(err)
	}
	return c
}

// session gives a session that shows a page.
func (v *served) session(key, address string) *client.Session {
	v.t.Helper()
	s, err := v.client(key).Start(v.t.Context(), &wire.SessionStart{ModelName: "offline"})
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := s.Navigate(v.t.Context(), &wire.NavigateRequest{URL: address}); err != nil {
		v.t.Fatal(err)
	}
	return s
}

// get returns what the service answers at a path.
func (v *served) get(path string) (int, string) {
	v.t.Helper()
	response, err := http.Get(v.address + path)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// TestServe: the program serves a whole session without keys and without a
// browser, tells how it is, and ends when it is asked to.
func TestServe(t *testing.T) {
	_, site := shop(t)
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1", "--log", "json")
	s := v.session("", site)
	act, err := s.Act(t.Context(), client.Say("type compass into the search field"))
	if err != nil || !act.Result.Success {
		t.Fatalf("act: %+v, %v", act, err)
	}
	var last wire.Frame
	for frame, err := range s.ActStream(t.Context(), client.Say("press the Search button")) {
		if err != nil {
			t.Fatal(err)
		}
		last = frame
	}
	if result, err := client.Result[wire.ActResult](last); err != nil || !result.Success {
		t.Errorf("the streamed act: %+v, %v", result, err)
	}
	for path, want := range map[string]string{
		"/healthz": `"status":"ok"`, "/readyz": `"status":"ok"`, "/v1/openapi.json": `"openapi":"3.1.0"`,
		"/metrics": `wayfinder_calls_total{method="act",outcome="done"} 2`,
	} {
		if status, body := v.get(path); status != 200 || !strings.Contains(body, want) {
			t.Errorf("GET %s = %d without %s", path, status, want)
		}
	}
	if e := wayfinder(t, "health", "--addr", strings.TrimPrefix(v.address, "http://")); e.code != exitDone {
		t.Errorf("health = %+v", e)
	}
	if err := s.End(t.Context()); err != nil {
		t.Error(err)
	}
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-v.ended
	if v.err != nil {
		t.Errorf("it ended with %v", v.err)
	}
	for _, word := range []string{`"msg":"request"`, `"session":"` + s.ID() + `"`, `"msg":"stopped"`} {
		if !strings.Contains(v.logged(), word) {
			t.Errorf("the log lacks %s", word)
		}
	}
}

// TestServeRefusesPrivateAddresses: without a flag no session reaches the
// machine that the service runs on, its own address included.
func TestServeRefusesPrivateAddresses(t *testing.T) {
	_, site := shop(t)
	v := serveProcess(t, nil, "--driver", "memory")
	s, err := v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "offline"})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{site, v.address + "/metrics", "file:///etc/passwd", "http://169.254.169.254/"} {
		if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: address}); err == nil {
			t.Errorf("it went to %s", address)
		}
	}
}

// TestServeAnswersToItsOwnNames: without keys, a page whose name was made to
// stand for this machine gets nothing.
func TestServeAnswersToItsOwnNames(t *testing.T) {
	v := serveProcess(t, nil, "--driver", "memory")
	for host, want := range map[string]int{"": 200, "localhost": 200, "[::1]:80": 200, "evil.test": 421, "evil.test:8080": 421} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.address+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("Host %q = %d, want %d", host, response.StatusCode, want)
		}
	}
}

func sha256Of(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// TestServeKeys: keys come from a file and from the environment; what clients
// may not ask for is refused; an unknown key gets nothing.
func TestServeKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(sha256Of("one")+"  alice\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := serveProcess(t, []string{"WAYFINDER_KEYS=" + sha256Of("two") + " bob", "WAYFINDER_KEY_SESSIONS=1"}, "--driver", "memory", "--keys-file", file)
	begin := wire.SessionStart{ModelName: "offline"}
	one, err := v.client("one").Start(t.Context(), &begin)
	if err != nil {
		t.Fatal(err)
	}
	var e *client.Error
	if _, err := v.client("one").Start(t.Context(), &begin); !errors.As(err, &e) || e.Status != 429 {
		t.Errorf("a second session of one key: %v", err)
	}
	if _, err := v.client("two").Session(one.ID()).Replay(t.Context()); !errors.As(err, &e) || e.Status != 403 {
		t.Errorf("another key's session: %v", err)
	}
	for _, key := range []string{"", "three", sha256Of("one")} {
		if _, err := v.client(key).Start(t.Context(), &begin); !errors.As(err, &e) || e.Status != 401 {
			t.Errorf("key %q: %v", key, err)
		}
	}
	path := "/bin/true"
	begin.Browser = &wire.Browser{LaunchOptions: &wire.LaunchOptions{ExecutablePath: path}}
	if _, err := v.client("two").Start(t.Context(), &begin); !errors.As(err, &e) || e.Status != 403 {
		t.Errorf("a program of the client's: %v", err)
	}
	if log := v.logged(); strings.Contains(log, `"one"`) || strings.Contains(log, sha256Of("one")) {
		t.Error("a key is in the log")
	}
}

// TestServeUsage: what cannot be served is refused at once, in words.
func TestServeUsage(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "keys") // it must not open the service to all
	if err := os.WriteFile(empty, []byte("# none yet\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--addr", "0.0.0.0:0"}, "keys are needed"},
		{[]string{"--addr", "[::]:0"}, "keys are needed"},
		{[]string{"--addr", ":0"}, "keys are needed"},
		{[]string{"--addr", "8080"}, "write host:port"},
		{[]string{"--keys", "secret"}, "not a SHA-256"},
		{[]string{"--allow-client", "everything"}, "executablePath"},
		{[]string{"--max-sessions", "0"}, "above zero"},
		{[]string{"--log", "xml"}, "text or json"},
		{[]string{"--files", "/there/is/none"}, "no such directory"},
		{[]string{"--allow-host", "http://a.test/x"}, "allow"},
		{[]string{"--deny-client", "everything"}, "modelBaseURL"},
		{[]string{"--base-url", "http://127.0.0.1:9/"}, "--model"},
		{[]string{"--otlp", "127.0.0.1:4318"}, "collector"},
		{[]string{"--metrics-addr", "127.0.0.1:0", "--metrics-token", "x"}, "choose one"},
		{[]string{"--keys-file", empty}, "has no key"},
		{[]string{"--operator", "nobody"}, "no key has this name"},
		{[]string{"--mcp", "a=https://a.test/mcp", "--mcp", "a=https://b.test/mcp"}, "each name once"},
		{[]string{"extra"}, "takes no arguments"},
	} {
		e := wayfinder(t, append([]string{"serve", "--driver", "memory"}, c.args...)...)
		if e.code != exitUsage || !strings.Contains(strings.ToLower(e.err), strings.ToLower(c.want)) {
			t.Errorf("serve %v = %d, %q; want %d with %q", c.args, e.code, e.err, exitUsage, c.want)
		}
		if strings.Contains(e.err, `"secret"`) {
			t.Errorf("serve %v tells what may be a key: %s", c.args, e.err)
		}
	}
	if e := wayfinder(t, "serve", "--driver", "memory", "--keys-file", filepath.Join(t.TempDir(), "none")); e.code != exitEnvironment {
		t.Errorf("a missing file of keys: %+v", e)
	}
}

// TestServeCheck: what the flags say reaches the service; a queue of no length is none, and
// not the server's default.
func TestServeCheck(t *testing.T) {
	v := &serving{settings: &settings{streams: streams{err: io.Discard}, driver: inChrome, cdp: "http://127.0.0.1:9"}, refuse: []string{"pay"}, logForm: "text", logLevel: "info", perChrome: 1, metricsAddr: "127.0.0.1:0"}
	limits, agents := &v.service.Server.Limits, &v.service.Server.Agents
	*limits = server.Limits{Sessions: 1, Body: 1, Idle: 1, Lifetime: 1, Operation: 1}
	v.service.Drain, v.service.Runs.Workers, agents.RunTime, v.addr = 1, 1, 1, "127.0.0.1:0"
	if err := v.check(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(agents.Refuse, []agent.Class{agent.ClassPay}) || limits.PageQueue != -1 || limits.StartQueue != -1 {
		t.Errorf("check: refuse %v, queues %d and %d; want pay, and none", agents.Refuse, limits.StartQueue, limits.PageQueue)
	}
	for _, keys := range [][]server.Key{nil, {{Name: "ann"}}} { // its address shows a client the pages of all
		config, err := v.configuration(v.logger(), keys, v.chromes())
		if err != nil {
			t.Fatal(err)
		}
		if given := config.Server.Browsers.Endpoint != nil; given != (keys == nil) {
			t.Errorf("with %d keys clients get the address of the Chrome: %v", len(keys), given)
		}
		if !config.Server.Browsers.Policy.NoGate { // a Chrome that runs already takes no proxy
			t.Error("with --cdp there is a gate")
		}
	}
	limits.StartQueue, limits.PageQueue = 0, 0
	v.service.Attach = true
	if err := v.check(); err == nil {
		t.Error("--attach goes with --cdp: clients would see the pages of others")
	}
	v.cdp = ""
	config, err := v.configuration(v.logger(), nil, v.chromes())
	if err != nil || v.check() != nil || config.Server.Browsers.Policy.NoGate || config.Server.Models.NoAddresses {
		t.Errorf("without --cdp there is no gate: %+v, %v", config.Server.Browsers.Policy, err)
	}
	v.denied = []string{deniable}
	if config, err = v.configuration(v.logger(), nil, v.chromes()); err != nil || !config.Server.Models.NoAddresses {
		t.Errorf("clients name servers of models: %v", err)
	}
}

// TestAllowed: a client may set what the operator names, and nothing else.
func TestAllowed(t *testing.T) {
	if got := new(serving).allowed(); got != (server.Allow{}) {
		t.Errorf("without a flag clients may set %+v", got)
	}
	seen := map[server.Allow]string{{}: "nothing"}
	for _, name := range clientOptions {
		got := (&serving{clients: []string{name}}).allowed()
		if was, ok := seen[got]; ok {
			t.Errorf("--allow-client %s allows the same as %s", name, was)
		}
		seen[got] = name
	}
}

// TestChooseDriver: only where no driver was asked for, pages are opened in memory without a
// Chrome.
func TestChooseDriver(t *testing.T) {
	t.Setenv("WAYFINDER_CHROME", filepath.Join(t.TempDir(), "none"))
	for asked, want := range map[bool]string{true: "chrome", false: "memory"} {
		v := &serving{settings: &settings{streams: streams{err: io.Discard}, driver: "chrome"}, logForm: "text", logLevel: "info"}
		v.chooseDriver(asked)
		if v.driver != want {
			t.Errorf("asked %v: pages are opened in %s, want %s", asked, v.driver, want)
		}
	}
}

// TestServeTraces: spans go to the collector that the flag or the usual variable
// names, with the route of each request.
func TestServeTraces(t *testing.T) {
	t.Run("flag", func(t *testing.T) { testServeTraces(t, false) })
	t.Run("variable", func(t *testing.T) { testServeTraces(t, true) })
}

func testServeTraces(t *testing.T, byVariable bool) {
	_, site := shop(t)
	got := make(chan []byte, 100)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil && r.URL.Path == "/v1/traces" {
			got <- body
		}
	}))
	t.Cleanup(collector.Close)
	args, variables := []string{"--driver", "memory", "--allow-private", "127.0.0.1"}, []string{}
	if byVariable {
		variables = append(variables, "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL)
	} else {
		args = append(args, "--otlp", collector.URL)
	}
	v := serveProcess(t, variables, args...)
	task := &wire.AgentExecuteRequest{ExecuteOptions: wire.AgentExecuteOptions{Instruction: "click what is not there"}}
	if _, err := v.session("", site).AgentExecute(t.Context(), task); err != nil {
		t.Error(err)
	}
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-v.ended // what is left is sent before the end
	close(got)
	var all strings.Builder
	for body := range got {
		all.Write(body)
	}
	for _, word := range []string{"wayfinder navigate", "service.name", "wayfinder.action.id", "http.route", "/v1/sessions/{id}/navigate", "invoke_agent", "execute_tool", "chat"} {
		if !strings.Contains(all.String(), word) {
			t.Errorf("the traces lack %q", word)
		}
	}
}

// TestServeTracesFail: what can't be sent is a line of the log, in its form.
func TestServeTracesFail(t *testing.T) {
	_, site := shop(t)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) }))
	t.Cleanup(collector.Close)
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1", "--log", "json", "--otlp", collector.URL)
	v.session("", site)
	if err := v.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-v.ended
	if !strings.Contains(v.logged(), "traces were not sent") {
		t.Error("the log has no word of the traces")
	}
	for line := range strings.Lines(v.logged()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
}

// TestServeModel: a session that names no model has the operator's, and a model's
// address can be kept from clients.
func TestServeModel(t *testing.T) {
	_, site := shop(t)
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1", "--model", "offline", "--deny-client", "modelBaseURL", "--timeout", "20s")
	s, err := v.client("").Start(t.Context(), &wire.SessionStart{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Navigate(t.Context(), &wire.NavigateRequest{URL: site}); err != nil {
		t.Fatal(err)
	}
	if act, err := s.Act(t.Context(), client.Say("press the Search button")); err != nil || !act.Result.Success {
		t.Errorf("act: %+v, %v", act, err)
	}
	own := client.Say("press the Search button")
	own.Options = &wire.ActOptions{Model: wire.Model(`{"modelName":"openai/m","apiKey":"k","baseURL":"http://127.0.0.1:9/"}`)}
	var refused *client.Error
	if _, err := s.Act(t.Context(), own); !errors.As(err, &refused) || refused.Code != wire.Forbidden {
		t.Errorf("an address of the client's: %v, want %s", err, wire.Forbidden)
	}
	if _, err := v.client("").Start(t.Context(), &wire.SessionStart{ModelName: "nobody/m"}); err == nil {
		t.Error("a model of no provider was taken")
	}
	without := serveProcess(t, nil, "--driver", "memory")
	if _, err := without.client("").Start(t.Context(), &wire.SessionStart{}); err == nil {
		t.Error("a session without a model was started, though the operator named none")
	}
}

// TestServeMetrics: by a token, or at an address of their own.
func TestServeMetrics(t *testing.T) {
	v := serveProcess(t, []string{"WAYFINDER_METRICS_TOKEN=sesame"}, "--driver", "memory")
	if status, _ := v.get("/metrics"); status != 401 {
		t.Errorf("/metrics without the token = %d, want 401", status)
	}
	request, err := http.NewRequestWithContext(t.Context(), "GET", v.address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sesame")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), "wayfinder_build_info{") {
		t.Errorf("/metrics = %s, %v", body, err)
	}

	v = serveProcess(t, nil, "--driver", "memory", "--metrics-addr", "127.0.0.1:0", "--log", "json")
	if status, _ := v.get("/metrics"); status != 501 {
		t.Errorf("/metrics at the service's address = %d, want 501", status)
	}
	_, rest, _ := strings.Cut(v.logged(), `"msg":"metrics","addr":"`)
	addr, _, _ := strings.Cut(rest, `"`)
	v.address = "http://" + addr
	if status, body := v.get("/metrics"); status != 200 || !strings.Contains(body, "wayfinder_sessions ") {
		t.Errorf("/metrics at its own address = %d %s", status, body)
	}
}

// TestServeOnChrome: many sessions at once in one Chrome, each opening, acting
// and extracting, and none fails.
func TestServeOnChrome(t *testing.T) {
	needChrome(t)
	_, site := shop(t)
	v := serveProcess(t, nil, "--driver", "chrome", "--allow-private", "127.0.0.1")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if err := useOnce(t.Context(), v.client(""), site); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func useOnce(ctx context.Context, c *client.Client, site string) error {
	s, err := c.Start(ctx, &wire.SessionStart{ModelName: "offline"})
	if err != nil {
		return err
	}
	if _, err := s.Navigate(ctx, &wire.NavigateRequest{URL: site}); err != nil {
		return err
	}
	act, err := s.Act(ctx, client.Say("type compass into the search field"))
	if err != nil {
		return err
	}
	if !act.Result.Success {
		return errors.New(act.Result.Message)
	}
	if _, err := s.Extract(ctx, &wire.ExtractRequest{}); err != nil {
		return err
	}
	return s.End(ctx)
}

// TestServeIntegrations: clients' agents have the MCP servers that the operator named, by
// their names, and what is no server is refused at once.
func TestServeIntegrations(t *testing.T) {
	for _, given := range []string{"https://mcp.test/mcp", "=https://mcp.test/mcp", "orders="} {
		if got := wayfinder(t, "serve", "--addr", "127.0.0.1:0", "--driver", "memory", "--mcp", given); got.code != exitUsage || !strings.Contains(got.err, "--mcp") {
			t.Errorf("--mcp %s: exit %d, want 2\n%s", given, got.code, got.err)
		}
	}
	v := serveProcess(t, nil, "--driver", "memory", "--mcp", "orders=stdio:env "+asProgram+"=1 "+program+" mcp --driver memory", "--mcp", "others=http://127.0.0.1:9/mcp")
	s := v.session("", "about:blank")
	ask := func(integration string) string {
		body := `{"agentConfig":{"integrations":["` + integration + `"]},"executeOptions":{"instruction":"click Send"}}`
		resp, err := http.Post(v.address+"/v1/sessions/"+s.ID()+"/agentExecute", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		raw, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(resp.StatusCode, " ", string(raw))
	}
	if said := ask("nothing"); !strings.HasPrefix(said, "400 ") || !strings.Contains(said, "orders, others") {
		t.Errorf("of another name the service says %s", said)
	}
	if said := ask("orders"); !strings.HasPrefix(said, "200 ") {
		t.Errorf("with an MCP server the service says %s", said)
	}
}
