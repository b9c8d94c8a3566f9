package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/runs"
	"github.com/wayfinder-engine/wayfinder/agent/runs/sqlite"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/computeruse"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/offline"
	"github.com/wayfinder-engine/wayfinder/server/client"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const sendTask = "fill Word with %w%, then click Send"

// TestAgent: a task from plain words, on every browser; its exit code is what
// was verified.
func TestAgent(t *testing.T) {
	for name, browser := range browsers(t) {
		t.Run(name, func(t *testing.T) {
			site := pages(t)
			got := wayfinder(t, append([]string{"agent", site.URL, sendTask, "--var", "w=tea"}, browser...)...)
			if got.code != exitDone || !cmp.Equal(site.received(), []string{"tea"}) {
				t.Fatalf("exit %d, sent %q\n%s%s", got.code, site.received(), got.out, got.err)
			}
			for _, want := range []string{"  1 fill       filled textbox \"Word\": %w%", "  2 click      clicked button \"Send\": went to", "  3 done       the task is done", "\ndone: ", "  confirmed    ", "3 steps, "} {
				if !strings.Contains(got.out, want) {
					t.Errorf("it does not say %q:\n%s", want, got.out)
				}
			}
		})
	}
}

// TestAgentNotDone: ends that are none, each with its exit code.
func TestAgentNotDone(t *testing.T) {
	site := pages(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"what is not there", []string{"click Pay"}, exitNotDone, "the task was not done"},
		{"nobody to approve", []string{sendTask, "--var", "w=tea", "--approve", "send,pay"}, exitNotDone, "no approver is set"},
		{"steps", []string{sendTask, "--var", "w=tea", "--max-steps", "2"}, exitNotDone, "the task was not done"},
		{"money without prices", []string{sendTask, "--var", "w=tea", "--max-cost", "1"}, exitUsage, "price of offline/words is not known"},
		{"no model", []string{sendTask, "--var", "w=tea", "--model", "openai/gpt-5"}, exitEnvironment, "OPENAI_API_KEY"},
		{"no task", nil, exitUsage, "say what to do"},
		{"no value", []string{sendTask}, exitUsage, "%w% has no value"},
		{"no such class", []string{"x", "--approve", "everything"}, exitUsage, "there are pay, send"},
		{"no such mode", []string{"x", "--mode", "dream"}, exitUsage, "it is dom, hybrid or cua"},
		{"a model without a tool of its vendor", []string{"x", "--mode", "cua"}, exitUsage, "has no tool of its vendor's"},
		{"programs beside a vendor's tool", []string{"x", "--programs", "--mode", "cua"}, exitUsage, "leave it out"},
		{"programs", []string{"click Pay", "--programs"}, exitNotDone, "the task was not done"},
		{"no server's address", []string{"x", "--mcp", "ftp://tools.test"}, exitUsage, "--mcp"},
		{"no server there", []string{"x", "--mcp", "stdio:/nonexistent/server"}, exitNotDone, "/nonexistent/server"},
		{"no steps", []string{"x", "--max-steps", "0"}, exitUsage, "--max-steps is above zero"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := wayfinder(t, append([]string{"agent", site.URL, "--driver", "memory"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
				t.Errorf("exit %d, want %d and %q\n%s%s", got.code, c.code, c.says, got.out, got.err)
			}
		})
	}
	if sent := site.received(); len(sent) > 0 {
		t.Errorf("%q was sent", sent)
	}
}

// TestAgentCheck: the caller's checks alone decide the result, and the exit code follows
// it.
func TestAgentCheck(t *testing.T) {
	for _, c := range []struct {
		checks []string
		code   int
		says   string
	}{
		{[]string{"request=POST /send", "address=*/send"}, exitDone, "done: "},
		{[]string{"shown=No such text"}, exitNotDone, `the page does not say "No such text"`},
		{[]string{"request=POST /send", "gone=Sent"}, exitNotDone, `the page says "Sent"`},
		{[]string{`{"control":{"name":"Word"}}`}, exitUsage, "a check of a control"},
		{[]string{"colour=red"}, exitUsage, `there is no check "colour"`},
	} {
		site := pages(t)
		args := []string{"agent", site.URL, sendTask, "--var", "w=tea", "--driver", "memory"}
		for _, check := range c.checks {
			args = append(args, "--check", check)
		}
		got := wayfinder(t, args...)
		if got.code != c.code || !strings.Contains(got.out+got.err, c.says) {
			t.Errorf("%q: exit %d, want %d and %q\n%s%s", c.checks, got.code, c.code, c.says, got.out, got.err)
		}
	}
}

// TestAgentJSON: a line for each step and one for the result, without the
// values of variables.
func TestAgentJSON(t *testing.T) {
	site := pages(t)
	got := wayfinder(t, "agent", site.URL, sendTask, "--var", "w=xyzzy-42", "--driver", "memory", "--json")
	var kinds []string
	for line := range strings.Lines(got.out) {
		var step struct{ Kind, Type, Status string }
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, strings.TrimSpace(step.Kind+" "+step.Type+" "+step.Status))
	}
	if want := []string{"step fill done", "step click done", "step done done", "result"}; !cmp.Equal(kinds, want) {
		t.Errorf("the lines are %q, want %q", kinds, want)
	}
	if got.code != exitDone || strings.Contains(got.out+got.err, "xyzzy-42") || !strings.Contains(got.out, `"success":true`) {
		t.Errorf("exit %d\n%s%s", got.code, got.out, got.err)
	}
}

// TestWriteStep: on a terminal, no line is longer than it is wide, and no text
// of a page can do anything but be read.
func TestWriteStep(t *testing.T) {
	step := &agent.Step{Number: 12, Usage: llm.Usage{Input: 1200, Output: 34}, Cost: 0.0012, Action: agent.Action{
		Type: "click", Status: agent.Unknown, Target: `button "Add to cart"`,
		Message: "the click was sent; whether it took is not known\n\x1b[2J: look before you repeat https://shop.example/" + strings.Repeat("long", 20),
	}}
	for width, want := range map[int]string{
		60: ` 12 click      not known what came of it: button "Add to
               cart": the click was sent; whether it took is
               not known [2J: look before you repeat
               https://shop.example/longlonglonglonglonglong
               longlonglonglonglonglonglonglonglonglonglongl
               onglonglong [1,234 tokens, $0.0012]
`,
		100: ` 12 click      not known what came of it: button "Add to cart": the click was sent; whether it took
               is not known [2J: look before you repeat
               https://shop.example/longlonglonglonglonglonglonglonglonglonglonglonglonglonglonglong
               longlonglonglong [1,234 tokens, $0.0012]
`,
	} {
		var b bytes.Buffer
		writeStep(&b, step, width)
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("at %d letters (-want +got):\n%s", width, diff)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("at %d letters, a line has %d", width, n)
			}
		}
	}
}

// TestPerson: anything but a yes is a no, and what is shown is plain text.
func TestPerson(t *testing.T) {
	pay := agent.Approval{
		Classes: []agent.Class{agent.ClassPay}, Tool: "click", PageURL: "https://shop.test/", Reason: "to \x1b]0;x\x07order",
		Action:   engine.Action{Description: `click button "Pay"`},
		Flows:    []agent.Flow{{Value: "4711", From: "https://bank.test", To: "https://shop.test"}},
		Outgoing: &engine.Outgoing{Method: "POST", URL: "https://shop.test/pay", Fields: []engine.OutgoingField{{Name: "amount", Value: "19", Ref: "0-4"}, {Name: "to", Value: "eve"}}},
	}
	for _, c := range []struct {
		typed string
		ok    bool
	}{{"y\n", true}, {"YES\n", true}, {"yes", true}, {"\n", false}, {"n\n", false}, {"yesterday\n", false}, {"", false}} {
		var out bytes.Buffer
		p := &person{in: strings.NewReader(c.typed), out: &out, quiet: func() {}}
		if err := p.approve(t.Context(), pay); (err == nil) != c.ok {
			t.Errorf("%q: %v", c.typed, err)
		}
		want := "? to be approved (pay): click button \"Pay\"\n  on https://shop.test/\n  takes \"4711\" from https://bank.test to https://shop.test\n" +
			"  would send POST https://shop.test/pay\n    amount = 19\n    to = eve (not shown on the page)\n  the model says: to ]0;xorder\n  do it? [y/N] "
		if out.String() != want {
			t.Errorf("it shows %q, want %q", out.String(), want)
		}
	}
	in, typed := io.Pipe()
	p := &person{in: in, out: io.Discard, quiet: func() {}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.ask(ctx, "which one?"); !errors.Is(err, context.Canceled) {
		t.Errorf("ask = %v", err)
	}
	go typed.Write([]byte("the blue one\n"))
	if answer, err := p.ask(t.Context(), "which one?"); answer != "the blue one" {
		t.Errorf("ask = %q, %v", answer, err)
	}
	go typed.Write([]byte("\n"))
	if answer, err := p.ask(t.Context(), "which one?"); err == nil {
		t.Errorf("an empty line is the answer %q", answer)
	}
	var out bytes.Buffer
	pay.Unbound, pay.Outgoing.Held = true, true
	p = &person{in: strings.NewReader("\n"), out: &out, quiet: func() {}}
	if err := p.approve(t.Context(), pay); err == nil || !strings.Contains(out.String(), "what leaves it may differ") || !strings.Contains(out.String(), "is held, and sends") {
		t.Errorf("%v: it shows %q", err, out.String())
	}
}

// TestServeAgent: a task over HTTP, by our client and by the bytes that the
// published Go client sends: no agentConfig where it is empty, and for a
// stream a member of the body.
func TestServeAgent(t *testing.T) {
	site := pages(t)
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "127.0.0.1", "--agent-steps", "10")
	s := v.session("", site.URL)
	data, err := s.AgentExecute(t.Context(), &wire.AgentExecuteRequest{
		ExecuteOptions: wire.AgentExecuteOptions{Instruction: sendTask, Variables: map[string]wire.Variable{"w": {Value: "tea"}}}, ShouldCache: true,
	})
	if err != nil || !data.Result.Success || data.Sent != wire.SentAll || len(data.Result.Actions) != 3 || data.CacheEntry == nil {
		t.Fatalf("AgentExecute = %+v, %v", data, err)
	}
	var last wire.Frame
	lines := 0
	for frame, err := range v.session("", site.URL).AgentExecuteStream(t.Context(), &wire.AgentExecuteRequest{
		ExecuteOptions: wire.AgentExecuteOptions{Instruction: "fill Word with coffee, then click Send"},
	}) {
		if err != nil {
			t.Fatal(err)
		}
		if last = frame; frame.Data.Status == wire.Running {
			lines++
		}
	}
	if result, err := client.Result[wire.AgentResult](last); err != nil || !result.Success || lines != 4 {
		t.Errorf("AgentExecuteStream: %+v, %v, %d lines", result, err, lines)
	}
	for _, body := range []string{
		`{"executeOptions":{"instruction":"fill Word with milk, then click Send","maxSteps":20}}`,
		`{"executeOptions":{"instruction":"fill Word with milk, then click Send","maxSteps":20},"streamResponse":true}`,
		`{"agentConfig":{"mode":"dom","model":"offline"},"executeOptions":{"instruction":"fill Word with milk, then click Send"},"streamResponse":true}`,
	} {
		path := v.address + "/v1/sessions/" + v.session("", site.URL).ID() + "/agentExecute"
		resp, err := http.Post(path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || !strings.Contains(string(raw), `"completed":true`) || !strings.Contains(string(raw), `"success":true,"message":`) {
			t.Errorf("%s = %d %s, %v", body, resp.StatusCode, raw, err)
		}
	}
	if want := []string{"tea", "coffee", "milk", "milk", "milk"}; !cmp.Equal(site.received(), want) {
		t.Errorf("sent %q, want %q", site.received(), want)
	}
}

// TestAgentResume: a run whose process has died goes on from its log, and the log
// of one that is over is removed.
func TestAgentResume(t *testing.T) {
	for _, where := range []string{"a directory", "runs.db", "sqlite:log"} {
		t.Run(where, func(t *testing.T) {
			dir := t.TempDir()
			if where == "a directory" {
				store, err := runs.NewDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				resumeFrom(t, store, dir)
				return
			}
			file := filepath.Join(dir, strings.TrimPrefix(where, "sqlite:"))
			store, err := sqlite.Open(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			resumeFrom(t, store, strings.Replace(where, filepath.Base(file), file, 1))
		})
	}
	other := filepath.Join(t.TempDir(), "other.db")
	if err := os.WriteFile(other, []byte("no database, and long enough to be one: "+strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := wayfinder(t, "agent", pages(t).URL, "click Send", "--store", other, "--driver", "memory"); got.code != exitUsage || !strings.Contains(got.err, "no database") {
		t.Errorf("a file of another program: exit %d, want %d and that it is no database\n%s", got.code, exitUsage, got.err)
	}
}

func resumeFrom(t *testing.T, store runs.Store, dir string) {
	site, missing := pages(t), filepath.Join(t.TempDir(), "none.db")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--resume", "last"}, "say by --store"},
		{[]string{"--store", dir, "--resume", "last"}, "there is no such run"},
		{[]string{"--store", missing, "--resume", "last"}, missing},
		{[]string{site.URL, sendTask, "--store", dir, "--resume", "last"}, "leave out"},
	} {
		if got := wayfinder(t, append([]string{"agent"}, c.args...)...); got.code != exitUsage || !strings.Contains(got.err, c.says) {
			t.Errorf("%q: exit %d, want %d and %q\n%s", c.args, got.code, exitUsage, c.says, got.err)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("--resume made the store that it did not find")
	}
	beginRun(t, store, site.URL, 0)
	resume := []string{"agent", "--store", dir, "--resume", "last", "--driver", "memory"}
	if got := wayfinder(t, resume...); got.code != exitUsage || !strings.Contains(got.err, "%w%") {
		t.Errorf("without the value: exit %d, want %d and the variable's name\n%s", got.code, exitUsage, got.err)
	}
	got := wayfinder(t, append(resume, "--var", "w=tea")...)
	if got.code != exitDone || !cmp.Equal(site.received(), []string{"tea"}) {
		t.Errorf("exit %d, sent %q\n%s%s", got.code, site.received(), got.out, got.err)
	}
	if names, err := store.Runs(t.Context()); err != nil || len(names) > 0 {
		t.Errorf("the logs are %q, %v, want none", names, err)
	}
}

// beginRun does the first step of a run whose process then dies.
func beginRun(t *testing.T, store runs.Store, address string, maxSteps int) {
	t.Helper()
	session, err := engine.Open(t.Context(), fake.Network(), &engine.Options{Model: offline.New()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Page().Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	for range a.Run(t.Context(), session.Page(), agent.Task{Instruction: sendTask, MaxSteps: maxSteps, Variables: map[string]engine.Variable{"w": {Value: "tea"}}}) {
		break
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestAgentResumeKeepsLimits: a resumed run keeps the limits of its start.
func TestAgentResumeKeepsLimits(t *testing.T) {
	site, dir := pages(t), t.TempDir()
	store, err := runs.NewDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	beginRun(t, store, site.URL, 2)
	got := wayfinder(t, "agent", "--store", dir, "--resume", "last", "--driver", "memory", "--var", "w=tea")
	if got.code != exitNotDone || len(site.received()) > 0 {
		t.Errorf("a run of two steps: exit %d, want %d, and sent %q\n%s%s", got.code, exitNotDone, site.received(), got.out, got.err)
	}
}

// TestWriteResult: only what was verified is written as done.
func TestWriteResult(t *testing.T) {
	for want, r := range map[string]*agent.Result{
		"done: sent\n":                 {Success: true, Completed: true, Message: "sent"},
		"done, the model says: sent\n": {Completed: true, Message: "sent"},
		"not done: sent\n":             {Message: "sent"},
	} {
		var b strings.Builder
		if writeResult(&b, r, nil, 80); !strings.HasPrefix(b.String(), want) {
			t.Errorf("writeResult(%+v) = %q, want %q", r, b.String(), want)
		}
	}
	var b strings.Builder
	if writeResult(&b, &agent.Result{Message: "sent"}, errors.New("no model"), 80); strings.Contains(b.String(), "done") {
		t.Errorf("beside an error: %q", b.String())
	}
}

// TestAgentPageTools: a tool that a page offers is called where --page-tools names
// the page's host, and otherwise not.
func TestAgentPageTools(t *testing.T) {
	var mu sync.Mutex
	var sent []string
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, r.FormValue("q"))
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<form toolname=order tooldescription="Orders tea" toolautosubmit action="/sent" method=post><input name=q></form>`)
	}))
	t.Cleanup(site.Close)
	host := strings.TrimPrefix(site.URL, "http://")
	for _, c := range []struct {
		flags []string
		code  int
		sent  []string
	}{
		{[]string{"--page-tools", "127.0.0.1"}, exitNotDone, []string{"green"}},
		{[]string{"--page-tools", "*"}, exitNotDone, []string{"green"}},
		{[]string{"--page-tools", "shop.example"}, exitNotDone, nil},
		{nil, exitNotDone, nil},
		{[]string{"--page-tools", site.URL}, exitUsage, nil},
	} {
		sent = nil
		asked := 0
		model := vendorserver.Serve(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
			asked++
			name, arguments := "pageTool", `{"tool":"`+host+`/order","arguments":{"q":"green"}}`
			if asked > 1 {
				name, arguments = "done", `{"success":false,"message":"that was all"}`
			}
			vendorserver.Chat.Reply(w, &llmtest.Said{Calls: []llm.ToolCall{{ID: fmt.Sprint("call_", asked), Name: name, Arguments: json.RawMessage(arguments)}}})
		})
		got := wayfinderIn(t, []string{"OPENAI_API_KEY=k"}, append([]string{"agent", site.URL, "order tea", "--driver", "memory",
			"--model", "openai/local", "--base-url", model.URL + "/v1"}, c.flags...)...)
		model.Close()
		if got.code != c.code || !cmp.Equal(sent, c.sent) {
			t.Errorf("%v: exit %d, sent %q, want %d, %q\n%s%s", c.flags, got.code, sent, c.code, c.sent, got.out, got.err)
		}
	}
}

// TestSharedChromeForPageTools: the Chrome of a service has the feature where
// clients may ask for it, and only there.
func TestSharedChromeForPageTools(t *testing.T) {
	for _, offers := range []bool{true, false} {
		v := &serving{settings: &settings{streams: streams{err: io.Discard}, driver: "chrome", offers: offers}}
		args := v.chromes().Launch.Args
		if has := slices.Contains(args, "--enable-features=WebMCP"); has != offers {
			t.Errorf("with tools of pages %v the Chrome is started with %q", offers, args)
		}
	}
}

// TestServeComputerUse: over the service a task is done by the vendors' own tools,
// each with its vendor's server; streamed and not.
func TestServeComputerUse(t *testing.T) {
	orders := 0
	var mu sync.Mutex
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.Method == http.MethodPost {
			mu.Lock()
			defer mu.Unlock()
			orders++
			io.WriteString(w, "<title>Thanks</title><p>Tea is on its way</p>")
			return
		}
		io.WriteString(w, `<title>Tea</title><form method="post" action="/order"><button>Order</button></form>`)
	}))
	t.Cleanup(site.Close)
	twin, err := engine.Open(t.Context(), fake.Network(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = twin.Close() })
	if _, err := twin.Page().Navigate(t.Context(), site.URL, nil); err != nil {
		t.Fatal(err)
	}
	v := serveProcess(t, nil, "--driver", "memory", "--allow-private", "*")
	for provider, vendor := range map[string]func() *computeruse.Vendor{"openai": computeruse.OpenAI, "anthropic": computeruse.AnthropicBrowser, "google": computeruse.Google} {
		for _, streamed := range []bool{false, true} {
			said := vendor()
			address := computeruse.Clicks(t, said, twin.Page, "button: Order", "Tea is on its way")
			s := v.session("", site.URL)
			body := fmt.Sprintf(`{"agentConfig":{"cua":true,"model":{"modelName":"%s/%s","baseURL":%q,"apiKey":"key-0123456789"%s}},"executeOptions":{"instruction":"order tea"},"streamResponse":%t}`, provider, said.Model, address, map[string]string{"openai": `,"openaiEndpointFormat":"responses"`}[provider], streamed)
			resp, err := http.Post(v.address+"/v1/sessions/"+s.ID()+"/agentExecute", "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			raw, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			got := orders
			orders = 0
			mu.Unlock()
			text := string(raw)
			if streamed {
				if !strings.Contains(text, "event: running") {
					t.Errorf("%s: no step in the stream: %s", provider, text)
				}
				_, text, _ = strings.Cut(text, "event: finished")
			}
			if got != 1 || !strings.Contains(text, `"success":true`) || !strings.Contains(text, `"completed":true`) {
				t.Errorf("%s, streamed %t: %d orders, %s", provider, streamed, got, raw)
			}
		}
	}
}
