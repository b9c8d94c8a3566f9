// Package transcript runs one transcript of the engine on every adapter: with
// the same words of a model behind it, each of them leads to the same actions
// and the same data.
package transcript

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/internal/openaiwire"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/azure"
	"github.com/wayfinder-engine/wayfinder/llm/bedrock"
	"github.com/wayfinder-engine/wayfinder/llm/google"
	"github.com/wayfinder-engine/wayfinder/llm/internal/wire"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/llm/microsoft"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
	"github.com/wayfinder-engine/wayfinder/llm/vertex"
)

// An adapter is one way to a model, with the server at its end.
type adapter struct {
	name   string
	open   func(address string) (llm.Model, error)
	read   func(r *http.Request, body []byte) (*llmtest.Heard, error)
	answer func(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said)
}

var key = llm.NewSecret("key-0123456789")

func adapters(t *testing.T) []adapter {
	ofBody := func(read func([]byte) (*llmtest.Heard, error)) func(*http.Request, []byte) (*llmtest.Heard, error) {
		return func(_ *http.Request, body []byte) (*llmtest.Heard, error) { return read(body) }
	}
	under := func(read func(*http.Request, []byte, string) (*llmtest.Heard, error), path string) func(*http.Request, []byte) (*llmtest.Heard, error) {
		return func(r *http.Request, body []byte) (*llmtest.Heard, error) { return read(r, body, path) }
	}
	cloud := cloudAccount(t)
	onVertex := func(model string) func(string) (llm.Model, error) {
		return func(address string) (llm.Model, error) {
			return vertex.New(vertex.Options{Model: model, Project: "p", Location: "l", Account: cloud, BaseURL: address})
		}
	}
	return []adapter{
		{"openai by Responses", func(address string) (llm.Model, error) {
			return openai.New(openai.Options{Model: "m", APIKey: key, BaseURL: address, Format: llm.ResponsesFormat})
		}, ofBody(openaiwire.ReadResponses), openaiwire.AnswerResponses},
		{"openai by Chat Completions", func(address string) (llm.Model, error) {
			return openai.New(openai.Options{Model: "m", APIKey: key, BaseURL: address, Format: llm.ChatFormat})
		}, ofBody(openaiwire.ReadChat), openaiwire.AnswerChat},
		{"azure", func(address string) (llm.Model, error) {
			return azure.New(azure.Options{Deployment: "m", APIKey: key, BaseURL: address})
		}, ofBody(openaiwire.ReadChat), openaiwire.AnswerChat},
		{"microsoft", func(address string) (llm.Model, error) {
			return microsoft.New(microsoft.Options{Model: "m", APIKey: key, BaseURL: address})
		}, ofBody(openaiwire.ReadChat), openaiwire.AnswerChat},
		{"anthropic", func(address string) (llm.Model, error) {
			return anthropic.New(anthropic.Options{Model: "m", APIKey: key, BaseURL: address})
		}, wire.ReadClaude, wire.AnswerClaude},
		{"google", func(address string) (llm.Model, error) {
			return google.New(google.Options{Model: "m", APIKey: key, BaseURL: address})
		}, under(wire.ReadGemini, "/v1beta"), wire.AnswerGemini},
		{"vertex with Gemini", onVertex("gemini"), under(wire.ReadGemini, "/v1beta1/projects/p/locations/l/publishers/google"), wire.AnswerGemini},
		{"vertex with Claude", onVertex("claude"), under(wire.ReadCloudClaude, "/v1/projects/p/locations/l/publishers/anthropic"), wire.AnswerClaude},
		{"bedrock", func(address string) (llm.Model, error) {
			return bedrock.New(bedrock.Options{Model: "m", APIKey: key, BaseURL: address})
		}, readConverse, answerConverse},
	}
}

// cloudAccount is of a universe where the key itself signs for requests.
func cloudAccount(t *testing.T) llm.ServiceAccount {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return llm.ServiceAccount{ClientEmail: "robot@p.test", UniverseDomain: "cloud.test",
		PrivateKey: llm.NewSecret(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))}
}

// readConverse reads the words of a request to Bedrock; the rest is held
// against the vendor's schema by the adapter's own tests.
func readConverse(_ *http.Request, body []byte) (*llmtest.Heard, error) {
	var req struct {
		Messages []struct {
			Role    string
			Content []struct{ Text string }
		}
		ToolConfig *struct {
			Tools []struct{ ToolSpec struct{ Name string } }
		}
	}
	if err := json.Unmarshal(body, &req); err != nil {
		return nil, err
	}
	heard := &llmtest.Heard{}
	for _, m := range req.Messages {
		turn := llmtest.Turn{Role: llm.Role(m.Role)}
		for _, c := range m.Content {
			turn.Text += c.Text + "\n"
		}
		heard.Turns = append(heard.Turns, turn)
	}
	if req.ToolConfig != nil { // the schema is that of a tool that must be called
		heard.ToolChoice = req.ToolConfig.Tools[0].ToolSpec.Name
	}
	return heard, nil
}

func answerConverse(w http.ResponseWriter, heard *llmtest.Heard, said *llmtest.Said) {
	content, stop := map[string]any{"text": said.Text}, "end_turn"
	if heard.ToolChoice != "" {
		content = map[string]any{"toolUse": map[string]any{"toolUseId": "t1", "name": heard.ToolChoice, "input": json.RawMessage(said.Text)}}
		stop = "tool_use"
	}
	openaiwire.WriteJSON(w, http.StatusOK, map[string]any{
		"output":     map[string]any{"message": map[string]any{"role": "assistant", "content": []any{content}}},
		"stopReason": stop, "usage": map[string]any{"inputTokens": 9, "outputTokens": 2, "totalTokens": 11}, "metrics": map[string]any{"latencyMs": 1},
	})
}

var town = fake.Web{
	"https://town.test/": `<title>Town</title><form action="/weather"><label>City <input name="city"></label><button>Show</button></form>`,
	"https://town.test/weather": `<title>Weather</title><h1>Weather</h1><ul>
		<li><a href="/monday">Monday</a> -3.5 °C “cold”</li><li><a href="/tuesday">Tuesday</a> 0 °C</li></ul>`,
}

type day struct {
	Name    string  `json:"name"`
	Celsius float64 `json:"celsius" jsonschema:"maximum=60"`
	Link    string  `json:"link" jsonschema:"format=uri"`
	Note    *string `json:"note,omitempty"`
}

// steps are what a model says to each instruction, with REF:… for the ref of a
// line of the outline.
var steps = []struct{ instruction, says string }{
	{"enter Oslo", `{"found":true,"ref":"REF:textbox: City","method":"fill","arguments":["Oslo"],"description":"the city","reason":"","more":false}`},
	{"show it", `{"found":true,"ref":"REF:button: Show","method":"click","arguments":[],"description":"the button","reason":"","more":false}`},
	{"the days", `{"value":[{"name":"Monday","celsius":-3.5,"link":"REF:link: Monday","note":"“cold” \\ \n 🌨"},{"name":"Tuesday","celsius":0,"link":"REF:link: Tuesday","note":null}]}`},
}

var reference = regexp.MustCompile(`REF:([^"]+)`)

// speak is the model behind every server.
func speak(heard *llmtest.Heard) (*llmtest.Said, error) {
	text := heard.Turns[len(heard.Turns)-1].Text
	for _, step := range steps {
		if !strings.Contains(text, "Instruction: "+step.instruction) {
			continue
		}
		var missing error
		says := reference.ReplaceAllStringFunc(step.says, func(line string) string {
			line = strings.TrimPrefix(line, "REF:")
			found := regexp.MustCompile(`\[([0-9-]+)\] ` + line).FindStringSubmatch(text)
			if found == nil {
				missing = fmt.Errorf("no %s is in %s", line, text)
				return ""
			}
			return found[1]
		})
		return &llmtest.Said{Text: says, Usage: llm.Usage{Input: 9, Output: 2}}, missing
	}
	return nil, fmt.Errorf("nobody wrote down what to say to %s", text)
}

// outcome is what a transcript leads to.
type outcome struct {
	Acts []act
	Days []day
}

type act struct {
	Message string
	Actions []engine.Action
}

func run(t *testing.T, a adapter) outcome {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		heard, err := a.read(r, body)
		if err != nil {
			t.Errorf("the server refuses the request: %v", err)
			return
		}
		said, err := speak(heard)
		if err != nil {
			t.Error(err)
			return
		}
		a.answer(w, heard, said)
	}))
	defer s.Close()
	model, err := a.open(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	session, err := engine.Open(t.Context(), town, &engine.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(t.Context(), "https://town.test/", nil); err != nil {
		t.Fatal(err)
	}
	var o outcome
	for _, step := range steps[:2] {
		result, err := page.Act(t.Context(), step.instruction, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Acts = append(o.Acts, act{result.Message, result.Actions})
	}
	if o.Days, err = engine.Extract[[]day](t.Context(), page, steps[2].instruction, nil); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestEveryAdapterLeadsToTheSame(t *testing.T) {
	var first *outcome
	for _, a := range adapters(t) {
		t.Run(a.name, func(t *testing.T) {
			got := run(t, a)
			if first == nil {
				first = &got
				check(t, got)
			}
			if diff := cmp.Diff(*first, got); diff != "" {
				t.Errorf("outcome (-first adapter +this one):\n%s", diff)
			}
		})
	}
}

// check holds an outcome against what was said, so that all are not wrong alike.
func check(t *testing.T, o outcome) {
	cold := "“cold” \\ \n 🌨"
	want := []day{{"Monday", -3.5, "https://town.test/monday", &cold}, {"Tuesday", 0, "https://town.test/tuesday", nil}}
	if diff := cmp.Diff(want, o.Days); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
	var methods []engine.Method
	for _, a := range o.Acts {
		for _, action := range a.Actions {
			methods = append(methods, action.Method)
		}
	}
	if diff := cmp.Diff([]engine.Method{engine.Fill, engine.Click}, methods); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}
