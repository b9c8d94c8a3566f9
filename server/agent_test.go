package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A worker is a model that answers an agent's questions in turn, each by calls
// of tools. "@button: Go" stands for a ref of the newest outline.
type worker struct {
	turns   [][]llm.ToolCall
	then    func(ctx context.Context) error // after the last turn
	asked   []*llm.Request
	hanging chan struct{} // gets a value when a question hangs
}

func (w *worker) Name() string { return "openai/gpt-5" }

func (w *worker) model(server.ModelRequest) (llm.Model, error) { return w, nil }

func (w *worker) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	w.asked = append(w.asked, req)
	if n := len(w.asked); n > len(w.turns) {
		return nil, w.then(ctx)
	}
	resp := &llm.Response{Stop: llm.StopTools, Usage: llm.Usage{Input: 1000, Output: 100, Cached: 800, Reasoning: 30}}
	for i, c := range w.turns[len(w.asked)-1] {
		c.ID = fmt.Sprintf("call-%d-%d", len(w.asked), i)
		c.Arguments = regexp.MustCompile(`@([a-z]+: [^"]+)`).ReplaceAllFunc(c.Arguments, func(m []byte) []byte {
			return []byte(refOf(req, string(m[1:])))
		})
		resp.ToolCalls = append(resp.ToolCalls, c)
	}
	return resp, nil
}

func (w *worker) hang(ctx context.Context) error {
	w.hanging <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// refOf is the ref of a line of the outlines, the newest first.
func refOf(req *llm.Request, line string) string {
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

func tool(name, arguments string) llm.ToolCall {
	return llm.ToolCall{Name: name, Arguments: json.RawMessage(arguments)}
}

// searching fills the shop's search and goes, and says by what that is known.
func searching() *worker {
	return &worker{hanging: make(chan struct{}, 10), turns: [][]llm.ToolCall{
		{tool("fill", `{"ref":"@textbox: Search","text":"%what%"}`), tool("click", `{"ref":"@button: Go"}`)},
		{tool("done", `{"success":true,"message":"found","criteria":[{"criterion":"the results are shown","evidence":[{"kind":"text","text":"Results"},{"kind":"action","step":2}]}]}`)},
	}}
}

const searchTask = `"executeOptions":{"instruction":"search for %what%","variables":{"what":"xyzzy-42"},"maxSteps":7}`

// TestAgentExecute: a task is done, and everything that is told of it is true
// and holds no value of a variable.
func TestAgentExecute(t *testing.T) {
	w := searching()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
	path := c.start()
	got := c.must(200, c.post(path+"/agentExecute", `{"agentConfig":{"systemPrompt":"Be brief."},`+searchTask+`,"shouldCache":true}`))
	var body wire.Success[wire.AgentData]
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	result := body.Data.Result
	if !result.Success || !result.Completed || result.Message != "found" || len(result.Actions) != 3 {
		t.Fatalf("result = %s", got.body)
	}
	if want := (wire.AgentUsage{InputTokens: 2000, OutputTokens: 200, ReasoningTokens: 60, CachedInputTokens: 1600}); *result.Usage != (wire.AgentUsage{
		InputTokens: want.InputTokens, OutputTokens: want.OutputTokens, ReasoningTokens: want.ReasoningTokens,
		CachedInputTokens: want.CachedInputTokens, InferenceTimeMs: result.Usage.InferenceTimeMs,
	}) {
		t.Errorf("usage = %+v, want %+v", *result.Usage, want)
	}
	first := result.Actions[0]
	if first.Type != "fill" || first.Action != "fill" || first.Text != "%what%" || !strings.HasPrefix(first.Selector, "xpath=/") ||
		first.Status != "done" || first.PageURL != "https://shop.test/" || first.Timestamp == 0 || first.Arguments["text"] != "%what%" {
		t.Errorf("the first action is %+v", first)
	}
	if ref := get[string](t, got, "data", "result", "actions", 1, "ref"); ref == "" {
		t.Error("a tool's arguments do not stand among the members of its action")
	}
	if sent := got.header.Get(wire.HeaderSent); sent != string(wire.SentAll) {
		t.Errorf("%s = %q, want all", wire.HeaderSent, sent)
	}
	if !strings.Contains(w.asked[0].System, "Be brief.") {
		t.Error("the system prompt is not the model's")
	}

	entry := body.Data.CacheEntry
	if entry == nil || len(entry.CacheKey) != 64 {
		t.Fatalf("cacheEntry = %+v", entry)
	}
	var steps struct {
		Version int
		Steps   []struct {
			Type    string
			Actions []wire.Action
		}
	}
	if err := json.Unmarshal(entry.Entry, &steps); err != nil || steps.Version != 1 || len(steps.Steps) != 2 ||
		steps.Steps[0].Actions[0].Arguments[0] != "%what%" || steps.Steps[1].Actions[0].Method != "click" {
		t.Errorf("the entry is %s", entry.Entry)
	}

	replay := c.must(200, c.do("GET", path+"/replay", ""))
	var history wire.Success[wire.Replay]
	if err := json.Unmarshal(replay.body, &history); err != nil {
		t.Fatal(err)
	}
	run, inside, tokens := "", 0, 0
	for _, p := range history.Data.Pages {
		for _, a := range p.Actions {
			switch {
			case a.Method == "agent":
				run = a.ID
			case a.Parent != "" && a.Parent == run:
				inside++
			}
			if a.TokenUsage != nil {
				tokens += a.TokenUsage.InputTokens
			}
		}
	}
	if inside != 4 || tokens != 2000 { // two questions and two actions
		t.Errorf("replay has %d calls in the run and %d tokens, want 4 and 2000: %s", inside, tokens, replay.body)
	}
	for name, text := range map[string][]byte{"the answer": got.body, "the replay": replay.body} {
		if strings.Contains(string(text), "xyzzy-42") {
			t.Errorf("%s holds the value of a variable: %s", name, text)
		}
	}
}

// TestAgentChecks: with checks of the caller's own, Success is theirs alone: words
// that no step holds and a claim without criteria do not count against one that
// holds, nor proven criteria for one that does not.
func TestAgentChecks(t *testing.T) {
	for _, c := range []struct {
		checks  string
		status  int
		verdict string
	}{
		{`{"shown":"Results"}`, 200, "verified"},
		{`{"address":"*/search?q=*"},{"request":{"method":"GET","query":{"q":"xyzzy-42"}}},{"gone":"Nothing of the kind"}`, 200, "verified"},
		{`{"shown":"Nothing of the kind"}`, 200, "contradicted"},
		{`{"shown":"Results"},{"request":{"method":"POST","address":"/order"}}`, 200, "contradicted"},
		{`{"shown":"Results","gone":"Results"}`, 400, ""},
		{`{"control":{"name":"Search"}}`, 400, ""},
		{`{"seen":"Results"}`, 400, ""},
	} {
		w := searching()
		claim := tool("done", `{"success":true,"message":"found","criteria":[{"criterion":"the results are shown","evidence":[{"kind":"text","text":"Results"}]}]}`)
		w.turns = append(w.turns[:1], []llm.ToolCall{claim}, []llm.ToolCall{claim})
		s := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
		got := s.post(s.start()+"/agentExecute", `{"agentConfig":{},"executeOptions":{"instruction":"find what Zoe wants","variables":{"what":"xyzzy-42"},"checks":[`+c.checks+`]}}`)
		if got = s.must(c.status, got); c.status != 200 {
			continue
		}
		var body wire.Success[wire.AgentData]
		if err := json.Unmarshal(got.body, &body); err != nil {
			t.Fatal(err)
		}
		result := body.Data.Result
		found, _ := result.Metadata["checks"].([]any)
		if result.Success != (c.verdict == "verified") || result.Metadata["verdict"] != c.verdict || len(found) == 0 {
			t.Errorf("%s: success %t, %v, %v; want %s", c.checks, result.Success, result.Metadata["verdict"], found, c.verdict)
		}
	}
}

// TestAgentStream: one line a step, and the same result and cache entry as
// without a stream. One client wants its lines as objects.
func TestAgentStream(t *testing.T) {
	for _, header := range []string{"x-stream-response", "x-bb-session-id"} {
		w := searching()
		c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
		resp := c.open("POST", c.start()+"/agentExecute", `{`+searchTask+`,"shouldCache":true,"streamResponse":true}`, header, "true")
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if sent := resp.Trailer.Get(wire.HeaderSent); sent != string(wire.SentAll) {
			t.Errorf("trailer %s = %q", wire.HeaderSent, sent)
		}
		var lines, last []string
		for data := range strings.SplitSeq(string(body), "\n") {
			data, ok := strings.CutPrefix(data, "data: ")
			if !ok {
				continue
			}
			last = append(last, data)
			var frame struct {
				Data struct {
					Status  string
					Message json.RawMessage
				}
			}
			if err := json.Unmarshal([]byte(data), &frame); err != nil {
				t.Fatal(err)
			}
			if frame.Data.Status == "running" {
				lines = append(lines, string(frame.Data.Message))
			}
		}
		if len(lines) != 4 || !strings.Contains(lines[1], "step 1: fill") || !strings.Contains(lines[2], "step 2: click") || !strings.Contains(lines[3], "step 3: done") {
			t.Errorf("the lines are %q", lines)
		}
		if isObject := strings.HasPrefix(lines[0], `{"category":"agentExecute"`); isObject != (header == "x-bb-session-id") {
			t.Errorf("with %s a line is %s", header, lines[0])
		}
		var frame wire.Frame
		if err := json.Unmarshal([]byte(last[len(last)-1]), &frame); err != nil {
			t.Fatal(err)
		}
		var result wire.AgentResult
		if err := json.Unmarshal(frame.Data.Result, &result); err != nil || !result.Success || len(result.Actions) != 3 || frame.Data.CacheEntry == nil || frame.Data.ActionID == "" {
			t.Errorf("the last frame is %s", last[len(last)-1])
		}
	}
}

// TestAgentEnds: how a run that is not done is answered, by what ended it.
func TestAgentEnds(t *testing.T) {
	fail := func(kind llm.ErrorKind) func(context.Context) error {
		return func(context.Context) error { return &llm.Error{Provider: "openai", Kind: kind, Message: "no entry"} }
	}
	click := [][]llm.ToolCall{{tool("click", `{"ref":"@link: Cart"}`)}}
	last := [][]llm.ToolCall{click[0], {tool("done", `{"success":false,"message":"stopped"}`)}}
	pay := [][]llm.ToolCall{click[0], {tool("click", `{"ref":"@button: Pay"}`)}, {tool("done", `{"success":false,"message":"not paid"}`)}}
	for _, test := range []struct {
		name   string
		turns  [][]llm.ToolCall
		then   func(context.Context) error
		limits server.Agents
		body   string
		status int
		code   wire.Code
		end    string // metadata.end
		says   string
		sent   wire.Sent
	}{
		{name: "the model refuses at once", then: fail(llm.KindAuth), status: 502, code: wire.ModelError, says: "no entry", sent: wire.SentNone},
		{name: "the model fails on the way", turns: click, then: fail(llm.KindUnavailable), status: 200, end: "model_unavailable", says: "no entry", sent: wire.SentAll},
		{name: "the client's steps", turns: last, body: `"maxSteps":2`, status: 200, end: "done", says: "stopped", sent: wire.SentAll},
		{name: "the operator's steps", turns: last, limits: server.Agents{Steps: 2}, body: `"maxSteps":50`, status: 200, end: "done", says: "stopped", sent: wire.SentAll},
		{name: "the operator's tokens", turns: click, limits: server.Agents{Tokens: 10}, status: 422, code: wire.AgentFailed, says: "the tokens ran out", sent: wire.SentNone},
		{name: "the operator's money", turns: click, limits: server.Agents{Dollars: 0.000001}, status: 422, code: wire.AgentFailed, says: "the money ran out", sent: wire.SentNone},
		{name: "what is refused here", turns: pay, limits: server.Agents{Refuse: []agent.Class{agent.ClassPay}}, status: 200, end: "done", says: "not paid", sent: wire.SentAll},
		{name: "an empty task", body: `"instruction":" "`, status: 400, code: wire.InvalidRequest, sent: wire.SentNone},
		{name: "a false claim", turns: [][]llm.ToolCall{{tool("done", `{"success":true,"message":"all done"}`)}, {tool("done", `{"success":true,"message":"all done"}`)}}, status: 200, end: "done", says: "all done", sent: wire.SentNone},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &worker{turns: test.turns, then: test.then}
			c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}, Agents: test.limits})
			if test.body != "" {
				test.body = "," + test.body
			}
			got := c.must(test.status, c.post(c.start()+"/agentExecute", `{"executeOptions":{"instruction":"go"`+test.body+`}}`))
			if sent := wire.Sent(got.header.Get(wire.HeaderSent)); sent != test.sent {
				t.Errorf("%s = %q, want %q", wire.HeaderSent, sent, test.sent)
			}
			if test.code != "" {
				if f := c.wantFault(test.status, test.code, got); !strings.Contains(f.Message, test.says) {
					t.Errorf("message = %q, want %q", f.Message, test.says)
				}
				return
			}
			if get[bool](t, got, "data", "result", "success") || !strings.Contains(get[string](t, got, "data", "result", "message"), test.says) {
				t.Errorf("result = %s", got.body)
			}
			if end := get[string](t, got, "data", "result", "metadata", "end"); end != test.end {
				t.Errorf("end = %q, want %q", end, test.end)
			}
			if tools := w.asked[len(w.asked)-1].Tools; strings.HasSuffix(test.name, "steps") != (len(tools) == 1) {
				t.Errorf("the last question offers %d tools", len(tools))
			}
			if test.name == "what is refused here" {
				if status := get[string](t, got, "data", "result", "actions", 1, "status"); status != "failed" {
					t.Errorf("the payment is %s: %s", status, got.body)
				}
			}
			if strings.Contains(string(got.body), "cacheEntry") {
				t.Error("a run that nobody wants to store has a cache entry")
			}
		})
	}
}

// TestAgentFlows: what a client's task wants goes to another site, where the operator
// refuses payments, and nothing else does.
func TestAgentFlows(t *testing.T) {
	sites := fake.Web{"https://shop.test/": "<p>Lamps", "https://bank.test/": "<p>Order number: 4417-20931", "https://other.test/": "<label>Note <input></label>"}
	for flows, want := range map[string]string{
		``: "failed",
		`,"flows":[{"to":"other.test","what":"order number"}]`:   "done",
		`,"flows":[{"to":"other.test","what":"account number"}]`: "failed",
	} {
		w := &worker{turns: [][]llm.ToolCall{
			{tool("navigate", `{"url":"https://other.test/"}`)},
			{tool("fill", `{"ref":"@textbox: Note","text":"4417-20931"}`)},
			{tool("done", `{"success":false,"message":"x"}`)},
		}}
		c := serve(t, sites, &server.Options{Models: server.Models{Make: w.model}, Agents: server.Agents{Refuse: []agent.Class{agent.ClassPay}}})
		path := c.start()
		c.must(200, c.post(path+"/navigate", `{"url":"https://bank.test/"}`))
		got := c.must(200, c.post(path+"/agentExecute", `{"executeOptions":{"instruction":"note it"`+flows+`}}`))
		if status := get[string](t, got, "data", "result", "actions", 1, "status"); status != want {
			t.Errorf("with %q the fill is %s, want %s: %s", flows, status, want, got.body)
		}
	}
	c := serve(t, sites, &server.Options{Models: server.Models{Make: newPuppet().model}})
	c.wantFault(400, wire.InvalidRequest, c.post(c.start()+"/agentExecute", `{"executeOptions":{"instruction":"x","flows":[{"to":"https://other.test"}]}}`))
}

// TestAgentModels: an agent has its own model, with the provider beside it, and
// another one for its tools.
func TestAgentModels(t *testing.T) {
	for _, test := range []struct{ config, want string }{
		{`{}`, "openai/gpt-5"},
		{`{"provider":"anthropic","model":"claude-x"}`, "anthropic/claude-x"},
		{`{"provider":"<provider_2>","model":{"modelName":"claude-x","apiKey":"k"}}`, "anthropic/claude-x"},
		{`{"provider":"anthropic","model":"google/g"}`, "google/g"},
		{`{"model":"google/g","executionModel":"openai/small"}`, "google/g openai/small"},
	} {
		w := searching()
		var asked []string
		c := serve(t, shop, &server.Options{Models: server.Models{Make: func(r server.ModelRequest) (llm.Model, error) {
			provider, name, err := r.Config.Resolve()
			asked = append(asked, string(provider)+"/"+name)
			return w, err
		}}})
		c.must(200, c.post(c.start()+"/agentExecute", `{"agentConfig":`+test.config+`,`+searchTask+`}`))
		if got := strings.Join(asked, " "); got != test.want {
			t.Errorf("agentConfig %s asks %s, want %s", test.config, got, test.want)
		}
	}
	c := serve(t, shop, &server.Options{Models: server.Models{Make: newPuppet().model}})
	f := c.wantFault(400, wire.InvalidRequest, c.post(c.start()+"/agentExecute", `{"agentConfig":{"model":"nobody"},"executeOptions":{"instruction":"go"}}`))
	if !strings.Contains(f.Message, "agentConfig") {
		t.Errorf("the message is %q", f.Message)
	}
}

// TestAgentClientGone: a client that goes away ends the run.
func TestAgentClientGone(t *testing.T) {
	for _, stream := range []string{"false", "true"} {
		w := &worker{hanging: make(chan struct{}, 1), turns: [][]llm.ToolCall{{tool("click", `{"ref":"@link: Cart"}`)}}}
		ended := make(chan string, 1)
		w.then = w.hang
		hooks := &agent.Hooks{RunEnded: func(_ context.Context, r *agent.Result, _ error) { ended <- string(r.End) }}
		c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}, Hooks: server.Hooks{Agent: hooks}})
		path := c.start()
		ctx, cancel := context.WithCancel(t.Context())
		req := c.request(ctx, http.MethodPost, path+"/agentExecute", `{"executeOptions":{"instruction":"go"}}`, "x-stream-response", stream)
		answered := make(chan error, 1)
		go func() {
			resp, err := c.http.Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			answered <- err
		}()
		<-w.hanging
		cancel()
		select {
		case how := <-ended:
			if how != "canceled" {
				t.Errorf("the run ended by %q", how)
			}
		case <-time.After(time.Minute):
			t.Fatal("the run goes on without its client")
		}
		if err := <-answered; err == nil {
			t.Error("the client got an answer")
		}
	}
}

// TestAgentPrograms: with programs in its configuration the model has the tool run,
// and otherwise not.
func TestAgentPrograms(t *testing.T) {
	for _, programs := range []bool{true, false} {
		w := searching()
		w.turns[0] = []llm.ToolCall{tool("run", `{"program":"fill(\"textbox: Search\", var(\"what\"))\nclick(\"button: Go\")"}`)}
		w.turns[1][0].Arguments = json.RawMessage(strings.Replace(string(w.turns[1][0].Arguments), `"step":2`, `"step":1`, 1))
		w.turns = append(w.turns, w.turns[1])
		c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
		got := c.must(200, c.post(c.start()+"/agentExecute", fmt.Sprintf(`{"agentConfig":{"programs":%v},%s}`, programs, searchTask)))
		if success := get[bool](t, got, "data", "result", "success"); success != programs {
			t.Errorf("with programs %v the success is %v: %s", programs, success, got.body)
		}
		if status := get[string](t, got, "data", "result", "actions", 0, "status"); (status == "done") != programs {
			t.Errorf("with programs %v the program is %s", programs, status)
		}
		if strings.Contains(string(got.body), "xyzzy-42") {
			t.Errorf("the answer holds the value of a variable: %s", got.body)
		}
	}
}

// TestAgentPageTools: tools of pages are called where the operator, the session and
// the agent's configuration say so, and otherwise not.
func TestAgentPageTools(t *testing.T) {
	web := map[string]string{
		"https://tea.test/": `<form toolname=order tooldescription="Orders" toolautosubmit action="/sent"><input name=q></form>`, "https://tea.test/sent?q=green": "<p>Thanks",
	}
	turns := func() *worker {
		return &worker{turns: [][]llm.ToolCall{
			{tool("pageTool", `{"tool":"tea.test/order","arguments":{"q":"%what%"}}`)},
			{tool("done", `{"success":false,"message":"x"}`)},
		}}
	}
	const task = `"executeOptions":{"instruction":"order %what%","variables":{"what":"green"}}`
	for _, c := range []struct {
		session, config string
		status          int
		does            string
	}{
		{`{"pageTools":true}`, `"pageTools":["tea.test"]`, 200, "done"},
		{`{"pageTools":true}`, `"pageTools":["*"],"mode":"hybrid"`, 200, "done"},
		{`{"pageTools":true}`, `"pageTools":["other.test"]`, 200, "failed"},
		{`{"pageTools":true}`, ``, 200, "failed"},
		{`{}`, `"pageTools":["tea.test"]`, 400, ""},
		{`{"pageTools":true}`, `"pageTools":["https://tea.test/"]`, 422, ""},
		{`{"pageTools":true}`, `"pageTools":true`, 400, ""},
	} {
		w := turns()
		s := serve(t, fakeWeb(web), &server.Options{Models: server.Models{Make: w.model}, Allow: server.Allow{PageTools: true}})
		path := s.startWith(`{"modelName":"openai/m","browser":{"launchOptions":` + c.session + `}}`)
		s.must(200, s.post(path+"/navigate", `{"url":"https://tea.test/"}`))
		got := s.post(path+"/agentExecute", `{"agentConfig":{`+c.config+`},`+task+`}`)
		if got.status != c.status {
			t.Errorf("%s, %s: %d, want %d: %s", c.session, c.config, got.status, c.status, got.body)
		} else if got.status == 200 {
			if does := get[string](t, got, "data", "result", "actions", 0, "status"); does != c.does {
				t.Errorf("%s, %s: %s, want %s: %s", c.session, c.config, does, c.does, got.body)
			}
		}
	}
}
