package server_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A restriction of an agent that would be dropped is refused by its name, before any
// model is asked.
func TestAgentRestrictionsAreRefused(t *testing.T) {
	w := searching()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
	session := c.start()
	for _, test := range []struct{ config, options, path string }{
		{"", `,"allowedDomains":["shop.test"]`, "executeOptions.allowedDomains"},
		{"", `,"maxCost":1`, "executeOptions.maxCost"},
		{`"needApproval":["pay"]`, "", "agentConfig.needApproval"},
		{`"excludeTools":["click"]`, "", "agentConfig.excludeTools"},
		{"", `,"mode":"dom"`, "executeOptions.mode"},
		{"", `,"excludeTools":["click","clik"]`, "executeOptions.excludeTools[1]"},
		{"", `,"excludeTools":["done"]`, "executeOptions.excludeTools[0]"},
		{`"cua":true`, `,"excludeTools":["click"]`, "executeOptions.excludeTools"},
		{`"mode":"cua"`, `,"excludeTools":["click"]`, "executeOptions.excludeTools"},
		{"", `,"output":{"type":7}`, "executeOptions.output"},
		{"", `,"messages":[{"role":"system","content":"x"}]`, "executeOptions.messages[0].role"},
	} {
		body := `{"agentConfig":{` + test.config + `},"executeOptions":{"instruction":"look"` + test.options + `}}`
		got := c.post(session+"/agentExecute", body)
		if f := c.wantFault(400, wire.InvalidRequest, got); !strings.Contains(f.Message, test.path) {
			t.Errorf("%s: the message is %q, want %s in it", body, f.Message, test.path)
		}
		if ignored := got.header.Get("x-ignored-members"); ignored != "" {
			t.Errorf("%s: refused, and ignored %q", body, ignored)
		}
	}
	if len(w.asked) != 0 {
		t.Errorf("the model was asked %d times", len(w.asked))
	}
}

// What is ignored is named; excludeTools, messages and output work.
func TestAgentMembers(t *testing.T) {
	claim := []llm.ToolCall{tool("done", `{"success":true,"message":"read","output":{"heading":"Shop"},"criteria":[{"criterion":"the heading is read","evidence":[{"kind":"text","text":"Shop"}]}]}`)}
	w := &worker{turns: [][]llm.ToolCall{claim, claim, claim}} // it may be asked to prove more
	c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}})
	got := c.must(200, c.post(c.start()+"/agentExecute", `{"agentConfig":{"tools":{}},
		"executeOptions":{"instruction":"what is the heading?","callbacks":1,"excludeTools":["click"],
			"messages":[{"role":"user","content":"look at the shop"},{"role":"assistant","content":"I see it"}],
			"output":{"type":"object","properties":{"heading":{"type":"string"}},"required":["heading"]}},
		"shouldCache":true}`))
	if ignored := got.header.Get("x-ignored-members"); ignored != "agentConfig.tools, executeOptions.callbacks" {
		t.Errorf("x-ignored-members = %q", ignored)
	}
	var body wire.Success[wire.AgentData]
	if err := json.Unmarshal(got.body, &body); err != nil {
		t.Fatal(err)
	}
	if out := string(body.Data.Result.Output); out != `{"heading":"Shop"}` {
		t.Errorf("output = %s, want the heading: %s", out, got.body)
	}
	if body.Data.CacheEntry != nil {
		t.Error("a recipe whose key does not say what was asked for would answer other tasks")
	}
	first := w.asked[0]
	for _, offered := range first.Tools {
		if offered.Name == "click" {
			t.Error("the excluded tool is offered")
		}
	}
	if len(first.Messages) != 3 || first.Messages[0].Role != llm.User || first.Messages[1].Role != llm.Assistant {
		t.Fatalf("the model has %d messages: %+v", len(first.Messages), first.Messages)
	}
	for i, want := range []string{"look at the shop", "I see it"} {
		if parts := first.Messages[i].Parts; len(parts) != 1 || parts[0] != (llm.Text{Text: want}) {
			t.Errorf("message %d is %+v, want %q", i, parts, want)
		}
	}
}

// An adder is an integration with one tool.
type adder struct{ called int }

func (a *adder) Tools(context.Context) ([]agent.Tool, error) {
	return []agent.Tool{{Name: "add_order", Description: "Adds an order.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`),
		Run: func(context.Context, *agent.Call) (*agent.Answer, error) {
			a.called++
			return &agent.Answer{Text: "added"}, nil
		}}}, nil
}

// TestIntegrations: an agent has the tools of the operator's integrations that its
// client names, and no others; a name that is none of them is refused.
func TestIntegrations(t *testing.T) {
	end := []llm.ToolCall{tool("done", `{"success":false,"message":"no","criteria":[]}`)}
	w := &worker{turns: [][]llm.ToolCall{{tool("add_order", `{}`)}, end, end, end, end}}
	orders, others := new(adder), new(adder)
	c := serve(t, shop, &server.Options{Models: server.Models{Make: w.model}, Agents: server.Agents{Integrations: map[string]agent.Integration{"orders": orders, "others": others}}})
	session := c.start()
	task := func(names string) string {
		return `{"agentConfig":{"integrations":` + names + `},"executeOptions":{"instruction":"add an order"}}`
	}
	for names, want := range map[string]string{`["https://mcp.test"]`: "orders, others", `["orders","orders"]`: "twice"} {
		if f := c.wantFault(400, wire.InvalidRequest, c.post(session+"/agentExecute", task(names))); !strings.Contains(f.Message, want) || !strings.Contains(f.Message, "agentConfig.integrations[") {
			t.Errorf("%s: %q, want %s in it", names, f.Message, want)
		}
	}
	got := c.must(200, c.post(session+"/agentExecute", task(`["orders"]`)))
	if orders.called != 1 || others.called != 0 || got.header.Get("x-ignored-members") != "" {
		t.Errorf("the tools were called %d and %d times, ignored %q\n%s", orders.called, others.called, got.header.Get("x-ignored-members"), got.body)
	}
	c.must(200, c.post(session+"/agentExecute", task(`[]`)))
	if offered := w.asked[len(w.asked)-1].Tools; slices.ContainsFunc(offered, func(t llm.Tool) bool { return t.Name == "add_order" }) {
		t.Error("an agent that asked for no integration has its tool")
	}
}

// TestMembersWithoutEffect walks over the objects of every request: what is not known in
// one is named in the answer, or refused; so is what is known and has no effect.
func TestMembersWithoutEffect(t *testing.T) {
	end := []llm.ToolCall{tool("done", `{"success":false,"message":"no","criteria":[]}`)}
	c := serve(t, shop, &server.Options{Models: server.Models{Make: (&worker{turns: slices.Repeat([][]llm.ToolCall{end}, 20)}).model}})
	session := c.start()
	for path, bodies := range map[string][]string{
		"/v1/sessions/start":  {`{"modelName":"openai/m","NEW":1}`, `{"modelName":"openai/m","browser":{"NEW":1}}`, `{"modelName":"openai/m","browser":{"launchOptions":{"NEW":1}}}`},
		session + "/navigate": {`{"url":"https://shop.test/","NEW":1}`, `{"url":"https://shop.test/","options":{"NEW":1}}`},
		session + "/observe":  {`{"NEW":1}`, `{"options":{"NEW":1}}`},
		session + "/extract":  {`{"NEW":1}`, `{"options":{"NEW":1}}`},
		session + "/act": {
			`{"input":{"selector":"input","description":"x"},"NEW":1}`, `{"input":{"selector":"input","description":"x","NEW":1}}`,
			`{"input":{"selector":"input","description":"x"},"options":{"NEW":1}}`, `{"input":{"selector":"input","description":"x"},"options":{"variables":{"v":{"value":"x","NEW":1}}}}`,
		},
		session + "/agentExecute": {
			`{"NEW":1,"executeOptions":{"instruction":"x"}}`, `{"agentConfig":{"NEW":1},"executeOptions":{"instruction":"x"}}`, `{"executeOptions":{"instruction":"x","NEW":1}}`,
			`{"executeOptions":{"instruction":"x","messages":[{"role":"user","content":"x","NEW":1}]}}`, `{"executeOptions":{"instruction":"x","checks":[{"shown":"x","NEW":1}]}}`,
		},
	} {
		for _, body := range bodies {
			got := c.post(path, strings.ReplaceAll(body, "NEW", "unheardOf"))
			named := strings.HasSuffix(got.header.Get("x-ignored-members"), "unheardOf")
			if refused := got.status == 400 && strings.Contains(string(got.body), "unheardOf"); named == refused {
				t.Errorf("%s %s: %d, ignored %q\n%s", path, body, got.status, got.header.Get("x-ignored-members"), got.body)
			}
		}
	}
	for body, want := range map[string]string{
		`"experimental":true,"waitForCaptchaSolves":true`: "experimental, waitForCaptchaSolves", `"experimental":false,"waitForCaptchaSolves":false`: "",
	} {
		if ignored := c.must(200, c.post("/v1/sessions/start", `{"modelName":"openai/m",`+body+`}`)).header.Get("x-ignored-members"); ignored != want {
			t.Errorf("%s: ignored %q, want %q", body, ignored, want)
		}
	}
	got := c.post(session+"/agentExecute", `{"agentConfig":{"instructions":"x","options":{},"tools":{}},"executeOptions":{"instruction":"x","highlightCursor":true,"useSearch":true}}`)
	const want = "agentConfig.instructions, agentConfig.options, agentConfig.tools, executeOptions.highlightCursor, executeOptions.useSearch"
	if ignored := got.header.Get("x-ignored-members"); ignored != want {
		t.Errorf("agentExecute ignored %q, want %q", ignored, want)
	}
}

// TestMisplacedLaunchOptions: what sets up a browser is refused where it has no effect,
// whichever member it is.
func TestMisplacedLaunchOptions(t *testing.T) {
	c := serve(t, shop, &server.Options{Models: server.Models{Make: searching().model}, Parts: server.Parts{Runs: struct{ server.Runs }{}}})
	for i := range reflect.TypeFor[wire.LaunchOptions]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[wire.LaunchOptions]().Field(i).Tag.Get("json"), ",")
		bodies := map[string]string{name: `"` + name + `":1`, "browser." + name: `"browser":{"` + name + `":1}`}
		if wire.Knows(wire.Browser{}, name) {
			delete(bodies, "browser."+name)
		}
		for where, member := range bodies {
			if f := c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"openai/m",`+member+`}`)); !strings.Contains(f.Message, where) || !strings.Contains(f.Message, "is a member of browser") {
				t.Errorf("a session with %s: %q", member, f.Message)
			}
			if f := c.wantFault(400, wire.InvalidRequest, c.post("/v1/runs", `{"task":"x",`+member+`}`)); !strings.Contains(f.Message, where) {
				t.Errorf("a run with %s: %q", member, f.Message)
			}
		}
	}
}
