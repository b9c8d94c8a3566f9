package server_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/server"
	"github.com/wayfinder-engine/wayfinder/server/wire"
)

const (
	searchScript = `{"wayfinder":"script","version":1,"start":"https://shop.test/","variables":["what"],"steps":[
		{"step":"1","do":"fill","target":{"role":"textbox","name":"Search"},"arguments":["%what%"],"expect":{"effect":"value"}},
		{"step":"2","do":"click","target":{"role":"button","name":"Go"},"expect":{"effect":"navigation","address":"/search","texts":["Results"]}}]}`
	payScript = `{"wayfinder":"script","version":1,"start":"https://shop.test/cart","steps":[
		{"step":"1","do":"click","target":{"role":"button","name":"Buy"},"expect":{}},
		{"step":"2","do":"click","target":{"role":"button","name":"Pay"},"expect":{}}]}`
	cartScript = `{"wayfinder":"script","version":1,"start":"https://shop.test/","steps":[
		{"step":"1","do":"click","target":{"role":"link","name":"Basket"},"expect":{"address":"/cart","texts":["Your cart"]}}]}`
)

// TestScript: each step is done and proved, in one body or as a stream, and no
// answer holds a value.
func TestScript(t *testing.T) {
	c := serve(t, shop, &server.Options{Models: server.Models{Make: newPuppet().model}})
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	body := `{"script":` + searchScript + `,"options":{"variables":{"what":"xyzzy-42"}}}`
	got := c.must(200, c.post(path+"/script", body))
	var answer wire.Success[wire.ScriptData]
	if err := json.Unmarshal(got.body, &answer); err != nil {
		t.Fatal(err)
	}
	r := answer.Data.Result
	if !r.Success || len(r.Steps) != 2 || r.Steps[0].Outcome != "unchanged" || r.Steps[1].Target != `button "Go"` || r.Refused != nil || r.Script != nil || r.Usage != nil {
		t.Errorf("result = %s", got.body)
	}
	if sent := got.header.Get(wire.HeaderSent); sent != string(wire.SentAll) {
		t.Errorf("%s = %q, want all", wire.HeaderSent, sent)
	}
	replay := c.must(200, c.do("GET", path+"/replay", ""))
	if strings.Contains(string(got.body)+string(replay.body), "xyzzy-42") {
		t.Errorf("a value is told: %s\n%s", got.body, replay.body)
	}

	resp := c.open("POST", path+"/script", body, "x-stream-response", "true")
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range frames(t, raw) {
		if f.Data.Status == wire.Running {
			said = append(said, f.Data.Message)
		}
	}
	if got := strings.Join(said, "\n"); got != "replaying a script of 2 steps\nstep 1: fill textbox \"Search\": done and proved\nstep 2: click button \"Go\": done and proved" {
		t.Errorf("the stream says %s", got)
	}
	if sent := resp.Trailer.Get(wire.HeaderSent); sent != string(wire.SentAll) {
		t.Errorf("trailer %s = %q, want all", wire.HeaderSent, sent)
	}
}

// TestScriptRefused: the answer names the step that does not fit, and nothing after
// it is done.
func TestScriptRefused(t *testing.T) {
	c := serve(t, shop, &server.Options{Models: server.Models{Make: newPuppet().model}})
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	got := c.must(200, c.post(path+"/script", `{"script":`+payScript+`}`))
	if get[bool](t, got, "data", "result", "success") || get[string](t, got, "data", "result", "refused", "step") != "1" ||
		get[string](t, got, "data", "result", "refused", "found") != `among the elements of role button only "Pay"` ||
		get[string](t, got, "data", "result", "refused", "sent") != "none" || len(get[[]any](t, got, "data", "result", "steps")) != 1 {
		t.Errorf("result = %s", got.body)
	}
	if sent := got.header.Get(wire.HeaderSent); sent != string(wire.SentNone) {
		t.Errorf("%s = %q, want none", wire.HeaderSent, sent)
	}
}

// TestScriptNotTaken: what is wrong with a request is said before anything is done.
func TestScriptNotTaken(t *testing.T) {
	c := serve(t, shop, &server.Options{Models: server.Models{Make: newPuppet().model}})
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	upload := `{"wayfinder":"script","version":1,"start":"https://shop.test/","steps":[{"step":"1","do":"setInputFiles","target":{"role":"button","name":"CV"},"arguments":["/etc/passwd"],"expect":{}}]}`
	for body, says := range map[string]string{
		`{}`: "script",
		`{"script":` + strings.Replace(payScript, `"version":1`, `"version":7`, 1) + `}`:          "of version 7",
		`{"script":` + strings.Replace(payScript, `"do":"click"`, `"do":"wish"`, 1) + `}`:         "wish",
		`{"script":` + searchScript + `}`:                                                         "a value for what",
		`{"script":` + payScript + `,"options":{"start":"javascript:alert(1)"}}`:                  "options.start",
		`{"script":` + payScript + `,"options":{"files":{"a":"no base64!"}}}`:                     "base64",
		`{"script":` + upload + `}`:                                                               "gives no files to pages",
		`{"script":` + strings.Replace(payScript, `"https://shop.test/cart"`, `"/cart"`, 1) + `}`: "no whole address",
	} {
		f := c.wantFault(400, wire.InvalidRequest, c.post(path+"/script", body))
		if !strings.Contains(f.Message, says) {
			t.Errorf("%s: %s, want %q", body, f.Message, says)
		}
	}
}

// A mending is a model that names an element of the newest outline.
type mending struct{ line string }

func (m *mending) Name() string { return "openai/gpt-5" }

func (m *mending) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	raw, err := json.Marshal(map[string]any{"found": true, "ref": refOf(req, m.line), "first": false, "option": "", "reason": ""})
	return &llm.Response{Text: string(raw), Stop: llm.StopEnd, Usage: llm.Usage{Input: 10, Output: 5}}, err
}

// TestScriptHealed: with heal the session's model mends a step, and the answer has
// the script as it is then; without it the step is refused.
func TestScriptHealed(t *testing.T) {
	m := &mending{"link: Cart"}
	c := serve(t, shop, &server.Options{Models: server.Models{Make: func(server.ModelRequest) (llm.Model, error) { return m, nil }}})
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	got := c.must(200, c.post(path+"/script", `{"script":`+cartScript+`}`))
	if get[bool](t, got, "data", "result", "success") {
		t.Errorf("without heal: %s", got.body)
	}
	got = c.must(200, c.post(path+"/script", `{"script":`+cartScript+`,"options":{"heal":true}}`))
	if !get[bool](t, got, "data", "result", "success") || get[float64](t, got, "data", "result", "healed") != 1 ||
		get[string](t, got, "data", "result", "script", "steps", 0, "target", "name") != "Cart" || get[float64](t, got, "data", "result", "usage", "input_tokens") != 10 ||
		get[string](t, got, "data", "result", "steps", 0, "heal") != `link "Basket" is link "Cart" now` {
		t.Errorf("with heal: %s", got.body)
	}
}

// TestScriptUploads: contents that are given are uploaded by their names.
func TestScriptUploads(t *testing.T) {
	web := fake.Web{"https://shop.test/": `<form method="post" enctype="multipart/form-data" action="/cv"><label>CV <input type="file" name="cv"></label><button>Send</button></form>`}
	c := serve(t, web, nil)
	path := c.startWith(`{"modelName":"openai/gpt-5"}`)
	script := `{"wayfinder":"script","version":1,"start":"https://shop.test/","files":["cv.txt"],"steps":[
		{"step":"1","do":"setInputFiles","target":{"role":"button","name":"CV"},"arguments":["cv.txt"],"expect":{"effect":"value"}}]}`
	body := `{"script":` + script + `,"options":{"files":{"cv.txt":"` + base64.StdEncoding.EncodeToString([]byte("Ada")) + `"}}}`
	got := c.must(200, c.post(path+"/script", body))
	if !get[bool](t, got, "data", "result", "success") {
		t.Errorf("result = %s", got.body)
	}
}
