package anthropic

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/internal/transcript"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func harness() llmtest.Harness {
	return vendorserver.Claude.Harness(func(t testing.TB, address string) llm.Model {
		m, err := New(Options{Model: "test-model", APIKey: llm.NewSecret(llmtest.Key), BaseURL: address, Headers: map[string]string{"X-Extra": "extra"}})
		if err != nil {
			t.Fatal(err)
		}
		return m
	})
}

func TestConformance(t *testing.T) { llmtest.Conformance(t, harness()) }

// The actions are the same as by every other adapter.
func TestTranscript(t *testing.T) {
	transcript.Run(t, harness())
	transcript.Converse(t, harness())
	transcript.Task(t, harness())
}

// serve answers by a function.
func serve(t *testing.T, reply func(w http.ResponseWriter, body string)) (*Model, *vendorserver.Server) {
	t.Helper()
	s := vendorserver.Serve(t, func(w http.ResponseWriter, _ *http.Request, body string) { reply(w, body) })
	m, err := New(Options{Model: "claude", APIKey: llm.NewSecret("sk-ant-secret"), BaseURL: s.URL + "/v1/"})
	if err != nil {
		t.Fatal(err)
	}
	return m, s
}

func question() *llm.Request {
	return &llm.Request{
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}},
		Schema:   &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`)},
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{}, "anthropic: no model is named"},
		{Options{Model: "claude"}, "anthropic: auth: no API key is given"},
		{Options{Model: "claude", BaseURL: "here"}, `anthropic: "here" is no address of a server`},
	} {
		if _, err := New(test.opts); err == nil || err.Error() != test.want {
			t.Errorf("New(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
	if _, err := NewFromConfig(&config.Config{ModelName: "openai/gpt"}); err == nil {
		t.Error("NewFromConfig took a model of another provider")
	}
	m, err := NewFromConfig(&config.Config{ModelName: "anthropic/claude", APIKey: llm.NewSecret("k")})
	if err != nil || m.Name() != "anthropic/claude" {
		t.Errorf("NewFromConfig = %v, %v", m, err)
	}
}

func TestSchemaInWordsWhereThereIsNoOtherWay(t *testing.T) {
	m, s := serve(t, func(w http.ResponseWriter, body string) {
		if strings.Contains(body, "output_config") {
			vendorserver.Claude.Fail(w, llm.KindInvalid, "output_config: Extra inputs are not permitted")
			return
		}
		if !strings.Contains(body, "JSON Schema") {
			t.Errorf("the schema is nowhere in %s", body)
		}
		vendorserver.Claude.Say(w, `{"price":1}`)
	})
	for range 2 {
		if resp, err := m.Generate(t.Context(), question()); err != nil || resp.Text != `{"price":1}` {
			t.Errorf("Generate = %+v, %v", resp, err)
		}
	}
	if asked := len(s.Bodies()); asked != 3 {
		t.Errorf("the server was asked %d times, want 2 to learn and 1 that knows", asked)
	}
}

func TestLongAnswersAreStreamed(t *testing.T) {
	m, _ := serve(t, func(w http.ResponseWriter, body string) {
		if !strings.Contains(body, `"stream":true`) || !strings.Contains(body, `"max_tokens":50000`) {
			t.Errorf("asked %s", body)
		}
		vendorserver.Claude.Answer(w, &llmtest.Heard{Model: "m", Stream: true}, &llmtest.Said{Text: `{"price":1}`})
	})
	req := question()
	req.MaxOutputTokens = 50_000
	if resp, err := m.Generate(t.Context(), req); err != nil || resp.Text != `{"price":1}` {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
}

func TestErrorInAStream(t *testing.T) {
	m, _ := serve(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n") // the client reads it all
	})
	for _, err := range m.Stream(t.Context(), question()) {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindOverloaded || e.Message != "Overloaded" {
			t.Errorf("Stream = %v", err)
		}
	}
}

func TestThoughtsGoBackWithTheirCalls(t *testing.T) {
	second := false
	m, _ := serve(t, func(w http.ResponseWriter, body string) {
		if second && !strings.Contains(body, `"signature":"c2ln"`) {
			t.Errorf("the thought is not in %s", body)
		}
		second = true
		vendorserver.Claude.Reply(w, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}}})
	})
	req := question()
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages,
		resp.Message(),
		llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look"}}})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Error(err)
	}
}

func TestKeyIsNotSentOn(t *testing.T) {
	elsewhere := vendorserver.Serve(t, func(_ http.ResponseWriter, r *http.Request, _ string) {
		t.Errorf("another server was asked with %v", r.Header)
	})
	m, _ := serve(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Location", elsewhere.URL)
		w.WriteHeader(http.StatusTemporaryRedirect)
	})
	_, err := m.Generate(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindInvalid || !strings.Contains(e.Message, "leads to "+elsewhere.URL) {
		t.Errorf("Generate = %v", err)
	}
}

// What a conversation holds unchanged is marked for the prompt cache, and what
// changes is not: the newest message here.
func TestMarksForTheCache(t *testing.T) {
	m, s := serve(t, func(w http.ResponseWriter, _ string) {
		vendorserver.Claude.Reply(w, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}}})
	})
	req := &llm.Request{Tools: []llm.Tool{{Name: "look"}}, Stable: 1,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "look"}}}}}
	for range 3 {
		resp, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, resp.Message(), llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look", Parts: []llm.Part{llm.Text{Text: "the newest outline"}}}}})
		req.Stable = len(req.Messages) - 1
	}
	bodies := s.Bodies()
	for i, want := range [][]bool{{true}, {false, true, false}, {false, true, false, true, false}} {
		var body struct {
			Tools []struct {
				Mark any `json:"cache_control"`
			}
			Messages []struct {
				Content []struct {
					Mark any `json:"cache_control"`
				}
			}
		}
		if err := json.Unmarshal([]byte(bodies[i]), &body); err != nil {
			t.Fatal(err)
		}
		var got []bool
		for _, m := range body.Messages {
			got = append(got, m.Content[len(m.Content)-1].Mark != nil)
		}
		if !slices.Equal(got, want) || i == 0 && body.Tools[0].Mark == nil {
			t.Errorf("request %d: marks = %v, want %v, in %s", i+1, got, want, bodies[i])
		}
	}
}
