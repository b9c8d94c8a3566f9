package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

// A puppet is a model that does what the instruction's first word says:
// "click NAME", "hang", "refuse".
type puppet struct {
	hanging chan struct{} // gets a value when a request begins to hang
	asked   chan server.ModelRequest
}

func newPuppet() *puppet {
	return &puppet{hanging: make(chan struct{}, 100), asked: make(chan server.ModelRequest, 100)}
}

// model is for server.Options.Model.
func (p *puppet) model(r server.ModelRequest) (llm.Model, error) {
	p.asked <- r
	if r.Config.APIKey.Reveal() == "wrong-key-12345" {
		return nil, fmt.Errorf("the key %s is of no use", r.Config.APIKey.Reveal())
	}
	return p, nil
}

func (p *puppet) Name() string { return "openai/gpt-5" }

func (p *puppet) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	var words, outline string
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		switch part := part.(type) {
		case llm.Instruction:
			words = part.Text
		case llm.Page:
			outline = part.Text
		}
	}
	verb, rest, _ := strings.Cut(words, " ")
	switch verb {
	case "hang":
		p.hanging <- struct{}{}
		<-ctx.Done()
		return nil, fmt.Errorf("puppet: %w", ctx.Err())
	case "refuse":
		return nil, &llm.Error{Provider: "openai", Kind: llm.KindAuth, Status: 401, Message: "no entry"}
	case "panic":
		panic("the puppet's own")
	}
	var answer any
	switch req.Purpose {
	case llm.PurposeAgent:
		end := llm.ToolCall{ID: "1", Name: "done", Arguments: json.RawMessage(`{"success":false,"message":"a puppet does no tasks"}`)}
		return &llm.Response{ToolCalls: []llm.ToolCall{end}, Stop: llm.StopTools, Usage: llm.Usage{Input: 1000, Output: 100}}, nil
	case llm.PurposeAct:
		answer = choice(outline, rest)
	case llm.PurposeObserve:
		answer = map[string]any{"actions": []any{choice(outline, rest)}}
	default:
		answer = sample(req.Schema.Schema)
	}
	text, err := json.Marshal(answer)
	return &llm.Response{Text: string(text), Stop: llm.StopEnd, Usage: llm.Usage{Input: 1000, Output: 100}}, err
}

// choice is a click on what has a name in an outline.
func choice(outline, name string) map[string]any {
	line := regexp.MustCompile(`\[(\d+-\d+)\] [a-z]+: ` + regexp.QuoteMeta(name)).FindStringSubmatch(outline)
	c := map[string]any{"found": line != nil, "ref": "", "method": "click", "arguments": []string{}, "description": "click " + name, "reason": "", "more": false}
	if line == nil {
		c["reason"] = "nothing is called " + name
	} else {
		c["ref"] = line[1]
	}
	return c
}

func TestModelKeyPrecedence(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	for _, test := range []struct {
		name, options, header, want string
		own                         bool
	}{
		{name: "the operator's", want: "", own: true},
		{name: "the header's", header: "from-header", want: "from-header"},
		{name: "the request's", options: `{"modelName":"openai/a","apiKey":"from-options"}`, header: "from-header", want: "from-options"},
		{name: "a string model and the header's", options: `"openai/b"`, header: "from-header", want: "from-header"},
		{name: "an address of the client's", options: `{"modelName":"openai/a","baseURL":"http://elsewhere.test/"}`, want: ""},
		{name: "an Azure resource of the client's", options: `{"modelName":"m","provider":"azure","providerOptions":{"azure":{"resourceName":"mine"}}}`, want: ""},
	} {
		options := ""
		if test.options != "" {
			options = `,"options":{"model":` + test.options + `}`
		}
		c.must(200, c.post(path+"/act", `{"input":"click nothing"`+options+`}`, "x-model-api-key", test.header))
		if asked := <-p.asked; asked.Config.APIKey.Reveal() != test.want || asked.OwnKey != test.own {
			t.Errorf("%s: key %q, own key %t; want %q, %t", test.name, asked.Config.APIKey.Reveal(), asked.OwnKey, test.want, test.own)
		}
	}
}

func TestModelOfTheOperator(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Named: map[string]llm.Model{"words": p}}})
	path := c.startWith(`{"modelName":"words"}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/cart"}`))
	done := c.must(200, c.post(path+"/act", `{"input":"click Pay"}`))
	if !get[bool](t, done, "data", "result", "success") {
		t.Errorf("act = %s", done.body)
	}
	if get[string](t, done, "data", "result", "actions", 0, "selector") != "xpath=//h1[normalize-space()='Your cart']/../button[1]" {
		t.Errorf("act = %s", done.body)
	}
	c.wantFault(400, wire.InvalidRequest, c.post(path+"/act", `{"input":"click Pay","options":{"model":"openai/gpt-5"}}`))
	c.wantFault(400, wire.InvalidRequest, c.post("/v1/sessions/start", `{"modelName":"other words"}`))
}

// TestDefaultModel is the operator's, of sessions that name none.
func TestDefaultModel(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Default: p, Named: map[string]llm.Model{"openai/m": p}, Make: p.model}})
	path := c.startWith(`{}`)
	c.must(200, c.post(path+"/navigate", `{"url":"https://shop.test/cart"}`))
	done := c.must(200, c.post(path+"/act", `{"input":"click Pay"}`))
	if !get[bool](t, done, "data", "result", "success") || len(p.asked) != 0 {
		t.Errorf("act = %s, want it by the operator's model", done.body)
	}
	// The operator's name is not in the way of a client's own key.
	c.must(200, c.post(path+"/act", `{"input":"click Pay","options":{"model":"openai/m"}}`))
	if len(p.asked) != 0 {
		t.Error("the operator's name was not taken")
	}
	c.must(200, c.post(path+"/act", `{"input":"click Pay","options":{"model":{"modelName":"openai/m","apiKey":"mine"}}}`))
	if len(p.asked) != 1 {
		t.Error("a client's key was left unused")
	}
	none := serve(t, shop, nil)
	if f := none.wantFault(400, wire.InvalidRequest, none.post("/v1/sessions/start", `{}`)); !strings.Contains(f.Message, "modelName") {
		t.Errorf("message = %q", f.Message)
	}
}

// TestNoModelAddresses: the server calls no address of a client's choice.
func TestNoModelAddresses(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model, NoAddresses: true}})
	path := c.start()
	const vertex = `"modelName":"gemini","provider":"vertex","providerOptions":{"vertex":{"project":"p","location":"l"ADDRESS}}`
	account := func(more string) string {
		return `"auth":{"type":"googleServiceAccount","credentials":{"private_key":"k","client_email":"e"` + more + `}}`
	}
	for _, model := range []string{
		`{"modelName":"openai/a","baseURL":"http://127.0.0.1:9/"}`,
		`{"modelName":"m","provider":"azure","providerOptions":{"azure":{"baseURL":"http://127.0.0.1:9/"}}}`,
		`{` + strings.Replace(vertex, "ADDRESS", `,"baseURL":"http://127.0.0.1:9/"`, 1) + `,` + account("") + `}`,
		`{` + strings.Replace(vertex, "ADDRESS", "", 1) + `,` + account(`,"token_uri":"http://127.0.0.1:9/"`) + `}`,
		`{` + strings.Replace(vertex, "ADDRESS", "", 1) + `,` + account(`,"universe_domain":"elsewhere.test"`) + `}`,
	} {
		c.wantFault(403, wire.Forbidden, c.post(path+"/act", `{"input":"click nothing","options":{"model":`+model+`}}`))
		c.wantFault(403, wire.Forbidden, c.post(path+"/agentExecute", `{"agentConfig":{"model":`+model+`},"executeOptions":{"instruction":"go"}}`))
	}
	for _, model := range []string{
		`"openai/a"`, `{"modelName":"openai/a","apiKey":"k"}`,
		`{` + strings.Replace(vertex, "ADDRESS", "", 1) + `,` + account(`,"token_uri":"https://oauth2.googleapis.com/token"`) + `}`,
	} {
		c.must(200, c.post(path+"/act", `{"input":"click nothing","options":{"model":`+model+`}}`))
	}
}

// TestStep limits requests whose clients name no limit.
func TestStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := inBubble(t, shop, server.Options{Models: server.Models{Make: newPuppet().model}, Limits: server.Limits{Step: time.Second}})
		path := c.start()
		for body, want := range map[string]time.Duration{
			`{"instruction":"hang"}`:                              time.Second,
			`{"instruction":"hang","options":{"timeout":300}}`:    300 * time.Millisecond,
			`{"instruction":"hang","options":{"timeout":100000}}`: 100 * time.Second,
		} {
			begin := time.Now()
			c.wantFault(408, wire.Timeout, c.post(path+"/observe", body))
			if took := time.Since(begin).Round(10 * time.Millisecond); took != want {
				t.Errorf("%s took %v, want %v", body, took, want)
			}
		}
	})
}

// TestReplayAfterAFailedExtract holds what was done, whatever variables the
// session has seen.
func TestReplayAfterAFailedExtract(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	c.must(200, c.post(path+"/act", `{"input":"click Pay","options":{"variables":{"pass":"hunter2"}}}`))
	c.wantFault(502, wire.ModelError, c.post(path+"/extract", `{"instruction":"refuse"}`))
	got := c.must(200, c.do("GET", path+"/replay", ""))
	if text := string(got.body); !strings.Contains(text, `"method":"extract"`) || !strings.Contains(text, `"method":"act"`) {
		t.Errorf("replay = %s, want both calls", text)
	}
}

func TestModelErrors(t *testing.T) {
	p := newPuppet()
	c := serve(t, shop, &server.Options{Models: server.Models{Make: p.model}})
	path := c.start()
	f := c.wantFault(502, wire.ModelError, c.post(path+"/act", `{"input":"refuse"}`))
	if !strings.Contains(f.Message, "no entry") {
		t.Errorf("message = %q, want the provider's own", f.Message)
	}
	c.wantFault(502, wire.ModelError, c.post(path+"/observe", `{"instruction":"refuse"}`))
	c.wantFault(502, wire.ModelError, c.post(path+"/extract", `{"instruction":"refuse"}`))
	f = c.wantFault(400, wire.InvalidRequest, c.post(path+"/act", `{"input":"click Go","options":{"model":{"modelName":"openai/a","apiKey":"wrong-key-12345"}}}`))
	if strings.Contains(f.Message, "wrong-key-12345") {
		t.Errorf("the key is in %q", f.Message)
	}
}
