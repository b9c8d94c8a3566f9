package trace_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver"
	"github.com/wayfinder-engine/wayfinder/driver/cdp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/chrometest"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/trace"
)

var shared struct {
	once   sync.Once
	chrome *cdp.Chrome
	err    error
}

func chrome(t testing.TB) *cdp.Chrome {
	t.Helper()
	chrometest.Long(t)
	shared.once.Do(func() {
		shared.chrome, shared.err = cdp.Start(context.Background(), cdp.Launch{Args: []string{"--disable-features=SpareRendererForSitePerProcess"}})
	})
	chrometest.Need(t, shared.err)
	return shared.chrome
}

func TestMain(m *testing.M) {
	code := m.Run()
	if shared.chrome != nil {
		shared.chrome.Close()
	}
	os.Exit(code)
}

// hostile is what a page may write that wants to be more than text in a trace.
const hostile = `</script><script>document.title="taken"</script><img src=x onerror="document.title='taken'"><style>*{display:none}</style>"'--> ⟨&amp;⟩ {{.Task}} </pre></details>`

// secret is the value of a variable that the shop repeats in many spellings.
const secret = "Gr8 s3cr3t/pass+word & more"

// site is a shop that says what it is told, and more.
func site() http.Handler {
	mux := http.NewServeMux()
	page := func(w http.ResponseWriter, body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>"+html.EscapeString(hostile)+"</title><style>body{font:16px sans-serif;margin:40px}label{display:block;margin:8px 0}button{padding:8px 16px}.big{height:900px}</style>"+body)
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		page(w, `<h1>Teapots &amp; more</h1><p>`+html.EscapeString(hostile)+`</p><div class=big>A long page.</div>
<form method=post action=/order><label>Name <input name=name></label><label>Password <input name=pass></label><label>Amount <input name=amount value=1></label><button>Order now</button></form>
<script>console.log(`+"`"+`</scr`+`ipt><b>bold</b>`+"`"+`); console.error("it broke"); fetch("/missing")</script>`)
	})
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		value := r.FormValue("pass")
		half := len(value) / 2
		page(w, `<h1>Thank you</h1><p>`+html.EscapeString(r.FormValue("amount"))+` teapots are on their way.</p>
<p>`+html.EscapeString(value)+`</p><p>`+url.QueryEscape(value)+`</p><p>`+base64.StdEncoding.EncodeToString([]byte(value))+`</p><p>`+hex.EncodeToString([]byte(value))+`</p>
<p><b>`+html.EscapeString(value[:half])+`</b><i>`+html.EscapeString(value[half:])+`</i></p><button onclick="alert('paid')">Pay</button>
<script>console.log(`+string(must(json.Marshal(value)))+`)</script>`)
	})
	return mux
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// calls is a turn of the scripted model; "@role: name" is a ref.
func calls(f func(ref func(string) string) []llm.ToolCall) llmtest.Step {
	return llmtest.Step{Purpose: llm.PurposeAgent, Answer: func(req *llm.Request) any {
		ref := func(line string) string {
			pattern := regexp.MustCompile(`\[([0-9]+-[0-9]+)\] ` + regexp.QuoteMeta(line))
			for i := len(req.Messages) - 1; i >= 0; i-- {
				for _, part := range req.Messages[i].Parts {
					if p, ok := part.(llm.Page); ok {
						if m := pattern.FindStringSubmatch(p.Text); m != nil {
							return m[1]
						}
					}
				}
			}
			return "0-0"
		}
		return &llm.Response{Text: "Next: " + hostile, ToolCalls: f(ref), Stop: llm.StopTools, Usage: llm.Usage{Input: 1200, Cached: 800, Output: 60, Reasoning: 20}}
	}}
}

type args = map[string]any

func tool(id, name string, a args) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: name, Arguments: must(json.Marshal(a))}
}

// order is a whole task: a form, an order, a press that opens a dialog, one that
// cannot be done with one behind it that is not run, and an end that is verified.
func order(t testing.TB) llm.Model {
	return llmtest.NewScript(t,
		calls(func(ref func(string) string) []llm.ToolCall {
			return []llm.ToolCall{tool("1", "fillForm", args{"fields": []args{{"ref": ref("textbox: Name"), "value": "Ada " + hostile}, {"ref": ref("textbox: Password"), "value": "%pass%"}, {"ref": ref("textbox: Amount"), "value": "2"}}})}
		}),
		calls(func(ref func(string) string) []llm.ToolCall {
			return []llm.ToolCall{tool("2", "click", args{"ref": ref("button: Order now")})}
		}),
		calls(func(ref func(string) string) []llm.ToolCall {
			return []llm.ToolCall{tool("3", "click", args{"ref": "9-9"}), tool("4", "press", args{"key": "Enter"})}
		}),
		calls(func(ref func(string) string) []llm.ToolCall {
			return []llm.ToolCall{tool("5", "click", args{"ref": ref("button: Pay")})}
		}),
		calls(func(ref func(string) string) []llm.ToolCall {
			return []llm.ToolCall{tool("6", "done", args{"success": true, "message": "ordered " + hostile, "criteria": []args{
				{"criterion": "two teapots are ordered " + hostile, "evidence": []args{{"kind": "text", "text": "2 teapots are on their way"}, {"kind": "request", "method": "POST", "address": "/order", "status": 200}, {"kind": "action", "step": 2}}},
			}})}
		}),
	)
}

// ordered does the task with a browser, and returns what was collected.
func ordered(t testing.TB, d driver.Driver, address string) *trace.Collector {
	t.Helper()
	c := trace.New(d, &trace.Options{Version: "v1.2.3"})
	session, err := engine.Open(t.Context(), c.Driver(), &engine.Options{Hooks: c.Hooks(), Model: c.Model(order(t))})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Page().Navigate(t.Context(), address, nil); err != nil {
		t.Fatal(err)
	}
	a, err := agent.New(agent.Config{Hooks: c.AgentHooks()})
	if err != nil {
		t.Fatal(err)
	}
	result, err := a.Execute(t.Context(), session.Page(), agent.Task{
		Instruction: "Order two teapots for Ada " + hostile,
		Variables:   map[string]engine.Variable{"pass": {Value: secret, Description: "the password"}},
	})
	if err != nil || !result.Success {
		t.Fatalf("Execute: %v\n%s", err, must(json.MarshalIndent(result, "", " ")))
	}
	if c.Err() != nil {
		t.Fatal(c.Err())
	}
	return c
}

func inMemory(t testing.TB) *trace.Collector {
	return ordered(t, fake.New(fake.Options{Handler: site()}), "https://shop.test/")
}

func inChrome(t testing.TB) *trace.Collector {
	server := httptest.NewServer(site())
	t.Cleanup(server.Close)
	return ordered(t, chrome(t), server.URL+"/")
}

// spellings are ways to write the secret.
func spellings() []string {
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), hex.EncodeToString([]byte(secret)),
		base64.StdEncoding.EncodeToString([]byte(secret))[:30], strings.ReplaceAll(html.EscapeString(secret), "+", "&#43;"),
	}
}
