package server_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/internal/traces"
	"github.com/wayfinder-engine/wayfinder/server/wire"
	"github.com/wayfinder-engine/wayfinder/trace"
	"github.com/wayfinder-engine/wayfinder/wayfindertest"
)

func openTraces(t *testing.T, dir string) *traces.Traces {
	t.Helper()
	kept, err := traces.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}

// bundled is a trace with what is packed in it.
func bundled(t *testing.T, html []byte) string {
	t.Helper()
	bundle, err := trace.Bundle(html)
	if err != nil {
		t.Fatal(err)
	}
	return string(html) + string(bundle)
}

// TestTrace: a session that asks for it is recorded, shown while it is open, after
// its end and by another process with the same directory, to its key and to operators;
// values of variables and keys are in no byte.
func TestTrace(t *testing.T) {
	dir, w := t.TempDir(), searching()
	boss := server.NewKey("boss", "key-of-boss")
	boss.Operator = true
	keys := []server.Key{server.NewKey("alice", "key-of-alice"), server.NewKey("bob", "key-of-bob"), boss}
	c := serve(t, shop, &server.Options{Keys: keys, Models: server.Models{Make: w.model}, Parts: server.Parts{Kept: &server.Kept{Traces: openTraces(t, dir)}}})
	c.key = "key-of-alice"
	path := c.startWith(`{"modelName":"openai/gpt-5","trace":true,"browser":{"launchOptions":{"proxy":{"server":"http://proxy.test:1","username":"u","password":"secret-proxy"}}}}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/"}`))
	c.must(200, c.post(path+"/act", `{"input":{"selector":"input","description":"fill","method":"fill","arguments":["%code%"]},"options":{"variables":{"code":"secret-variable"}}}`))
	c.must(200, c.post(path+"/agentExecute", `{"agentConfig":{},`+searchTask+`}`, "x-model-api-key", "secret-header-key"))
	live := c.must(200, c.do(http.MethodGet, path+"/trace", ""))
	c.must(200, c.post(path+"/end", ""))
	ended := c.must(200, c.do(http.MethodGet, path+"/trace", ""))
	for name, got := range map[string]answer{"live": live, "ended": ended} {
		read, err := trace.Read(bytes.NewReader(got.body))
		if err != nil || !strings.Contains(read.Task, "search for %what%") || read.Result == nil || len(read.Steps) < 4 {
			t.Fatalf("%s: the trace is %+v, %v", name, read, err)
		}
		everything := bundled(t, got.body)
		for _, secret := range []string{"xyzzy-42", "secret-variable", "secret-header-key", "secret-proxy", "key-of-alice"} {
			if i := strings.Index(everything, secret); i >= 0 {
				t.Errorf("%s: %s is in it: …%s", name, secret, everything[max(0, i-200):i+len(secret)])
			}
		}
		for header, part := range map[string]string{
			"content-type": "text/html", "content-disposition": "attachment", "content-security-policy": "sandbox allow-scripts; default-src 'none'",
			"cache-control": "no-store", "x-content-type-options": "nosniff",
		} {
			if !strings.Contains(got.header.Get(header), part) {
				t.Errorf("%s: %s = %q, want %q in it", name, header, got.header.Get(header), part)
			}
		}
	}
	plain := c.start()
	c.wantFault(404, wire.NotFound, c.do(http.MethodGet, plain+"/trace", ""))
	c.must(200, c.post(plain+"/end", ""))
	c.wantFault(404, wire.SessionNotFound, c.do(http.MethodGet, plain+"/trace", ""))

	other := serve(t, shop, &server.Options{Keys: keys, Models: server.Models{Make: w.model}, Parts: server.Parts{Kept: &server.Kept{Traces: openTraces(t, dir)}}})
	second := func(key string) answer { other.key = key; return other.do(http.MethodGet, path+"/trace", "") }
	if again := other.must(200, second("key-of-alice")); !bytes.Equal(again.body, ended.body) {
		t.Error("at another process it is another")
	}
	other.must(200, second("key-of-boss"))
	other.wantFault(403, wire.Forbidden, second("key-of-bob"))
	other.wantFault(401, wire.Unauthorized, second("wrong"))
	files := filesBelow(t, dir)
	if len(files) != 1 {
		t.Fatalf("the directory has %v, want the trace alone", files)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v, want its owner's alone", info.Mode(), err)
	}
}

// TestTraceReplays: the trace of a session plays again offline, and all is as it was:
// while the session is open, and after its end.
func TestTraceReplays(t *testing.T) {
	w := searching()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}, Parts: server.Parts{Kept: &server.Kept{Traces: openTraces(t, t.TempDir())}}})
	path := c.startWith(`{"modelName":"openai/gpt-5","systemPrompt":"Be brief.","trace":true}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/","options":{"waitUntil":"domcontentloaded"}}`))
	c.must(200, c.post(path+"/observe", `{"options":{"ignoreSelectors":["button"]}}`))
	c.must(200, c.post(path+"/act", `{"input":{"selector":"input","description":"fill","method":"fill","arguments":["%code%"]},"options":{"variables":{"code":"secret-variable"}}}`))
	c.must(200, c.post(path+"/extract", `{}`))
	c.must(200, c.post(path+"/act", `{"input":{"selector":"#nowhere","description":"nothing","method":"click"}}`))
	c.must(200, c.post(path+"/agentExecute", `{"agentConfig":{"systemPrompt":"Search well."},"executeOptions":{"instruction":"search for %what%","maxSteps":7,
		"variables":{"what":{"value":"xyzzy-42","description":"a word"}},"messages":[{"role":"user","content":"I look for a word."}],"checks":[{"shown":"Results"}]}}`))
	for _, name := range []string{"open", "ended"} {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, c.must(200, c.do(http.MethodGet, path+"/trace", "")).body, 0o600); err != nil {
			t.Fatal(err)
		}
		if history := wayfindertest.Replay(t, file).History(); len(history) < 8 {
			t.Errorf("%s: the replay has done %d calls, want all", name, len(history))
		}
		if name == "open" {
			c.must(200, c.post(path+"/end", ""))
		}
	}
}

// TestTraceRefused says what is wrong where nothing can be recorded.
func TestTraceRefused(t *testing.T) {
	without := serve(t, shop, &server.Options{Models: server.Models{Make: searching().model}, Parts: server.Parts{Runs: struct{ server.Runs }{}}})
	for path, body := range map[string]string{"/v1/sessions/start": `{"modelName":"openai/m","trace":true}`, "/v1/runs": `{"model":"openai/m","task":"t","trace":true}`} {
		if f := without.wantFault(501, wire.NotImplemented, without.post(path, body)); !strings.Contains(f.Message, "--keep-traces") {
			t.Errorf("%s: message = %q, want the flag in it", path, f.Message)
		}
	}
	without.wantFault(501, wire.NotImplemented, without.do(http.MethodGet, "/v1/sessions/none/trace", ""))
	c := serve(t, shop, &server.Options{Allow: server.Allow{CDPURL: true}, Parts: server.Parts{Kept: &server.Kept{Traces: openTraces(t, t.TempDir())}}})
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","trace":true,"browser":{"cdpUrl":"http://127.0.0.1:1"}}`))
	plain := c.startWith(`{"modelName":"openai/m"}`)
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m","trace":true,"browserbaseSessionID":"`+strings.TrimPrefix(plain, "/v1/sessions/")+`"}`))
}

// TestTraceOfAPerson: what a person types who has taken the session is not recorded.
func TestTraceOfAPerson(t *testing.T) {
	site := fake.Web{"https://login.test/": `<title>Log in</title><h1>Log in</h1><form action=/in><input type=password aria-label=Password autofocus><button>Go</button></form>`}
	c := serve(t, site, &server.Options{Parts: server.Parts{Kept: &server.Kept{Traces: openTraces(t, t.TempDir())}}})
	path := c.startWith(`{"modelName":"openai/m","trace":true}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://login.test/"}`))
	c.must(200, c.post(path+"/act", `{"input":{"selector":"input","description":"the password"}}`)) // and has the focus
	w := c.watch(path, "?outline=true")
	state := w.first("state", "outline")["state"].State
	if !state.Traced {
		t.Error("who looks does not hear that it is recorded")
	}
	c.must(200, c.post(path+"/take", w.body("")))
	c.must(200, c.post(path+"/input", w.body(`,"page":"`+state.Page+`","events":[{"type":"text","text":"hunter2-by-hand"},{"type":"keydown","key":"Ω"}]`)))
	c.must(200, c.post(path+"/giveBack", w.body("")))
	c.must(200, c.post(path+"/extract", `{}`))
	c.must(200, c.post(path+"/end", ""))
	got := bundled(t, c.must(200, c.do(http.MethodGet, path+"/trace", "")).body)
	if !strings.Contains(got, "Log in") {
		t.Error("the trace has not the page")
	}
	for _, typed := range []string{"hunter2-by-hand", "Ω"} {
		if strings.Contains(got, typed) {
			t.Errorf("the trace has %q", typed)
		}
	}
}
