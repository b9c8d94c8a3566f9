package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// server is one whose requests are JSON.
type server struct {
	*vendorserver.Server
	t *testing.T
}

func serve(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, body map[string]any)) *server {
	t.Helper()
	s := &server{t: t}
	s.Server = vendorserver.Serve(t, func(w http.ResponseWriter, r *http.Request, body string) { answer(w, r, s.members(body)) })
	return s
}

func (s *server) members(body string) map[string]any {
	var all map[string]any
	if err := json.Unmarshal([]byte(body), &all); err != nil {
		s.t.Errorf("the body is %q, %v", body, err)
	}
	return all
}

// bodies are those of all requests.
func (s *server) bodies() []map[string]any {
	var all []map[string]any
	for _, body := range s.Bodies() {
		all = append(all, s.members(body))
	}
	return all
}

// model returns a model of the server, as a local one without a key.
func (s *server) model(t *testing.T, opts Options) *Model {
	t.Helper()
	opts.Model, opts.BaseURL = "local/qwen", s.URL+"/v1/"
	m, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func say(w http.ResponseWriter, text string) {
	vendorserver.Chat.Say(w, text)
}

func question() *llm.Request {
	temperature := 0.5
	return &llm.Request{
		System:   "Be brief.",
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}},
		Schema: &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(
			`{"type":"object","properties":{"price":{"type":"number"},"note":{"type":"string"}},"required":["price"]}`)},
		MaxOutputTokens: 50, Temperature: &temperature,
	}
}

func TestNewRefuses(t *testing.T) {
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{}, "openai: no model is named"},
		{Options{Model: "gpt"}, "openai: auth: no API key is given"},
		{Options{Model: "gpt", BaseURL: "127.0.0.1:80"}, `openai: "127.0.0.1:80" is no address of a server`},
		{Options{Model: "gpt", BaseURL: "ftp://x"}, `openai: "ftp://x" is no address of a server`},
		{Options{Model: "gpt", BaseURL: "http://x", Format: "soap"}, `openai: unknown endpoint format "soap", there are "responses" and "chat"`},
	} {
		if _, err := New(test.opts); err == nil || err.Error() != test.want {
			t.Errorf("New(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
}

func TestFormatFollowsTheServer(t *testing.T) {
	for _, test := range []struct {
		config string
		want   config.EndpointFormat
	}{
		{`{"modelName":"openai/gpt-5","apiKey":"k"}`, config.ResponsesFormat},
		{`{"modelName":"openai/gpt-5","apiKey":"k","openaiEndpointFormat":"chat"}`, config.ChatFormat},
		{`{"modelName":"qwen3","baseURL":"http://127.0.0.1:11434/v1"}`, config.ChatFormat},
		{`{"modelName":"qwen3","baseURL":"http://127.0.0.1:11434/v1","openaiEndpointFormat":"responses"}`, config.ResponsesFormat},
	} {
		c, err := config.Parse([]byte(test.config))
		if err != nil {
			t.Fatal(err)
		}
		m, err := NewFromConfig(c)
		if err != nil || m.options.Format != test.want {
			t.Errorf("NewFromConfig(%s) uses %v, %v, want %s", test.config, m, err, test.want)
		}
	}
	if _, err := NewFromConfig(&config.Config{ModelName: "anthropic/claude"}); err == nil {
		t.Error("NewFromConfig took a model of another provider")
	}
}

func TestLocalServerNeedsNoKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	t.Setenv("OPENAI_BASE_URL", "http://192.0.2.1/")
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		if got := r.Header.Get("Authorization"); got != "" {
			t.Errorf("Authorization = %q, want none: a key of the environment is for its own server", got)
		}
		say(w, `{"price":1}`)
	})
	if _, err := s.model(t, Options{}).Generate(t.Context(), question()); err != nil {
		t.Error(err)
	}
}

func TestHeadersOfAnOrganization(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		got := []string{r.Header.Get("OpenAI-Organization"), r.Header.Get("OpenAI-Project"), r.Header.Get("Authorization")}
		if diff := cmp.Diff([]string{"org-1", "proj-1", "Token other"}, got); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
		say(w, `{"price":1}`)
	})
	m := s.model(t, Options{APIKey: llm.NewSecret("k"), Organization: "org-1", Project: "proj-1", Headers: map[string]string{"Authorization": "Token other"}})
	if _, err := m.Generate(t.Context(), question()); err != nil {
		t.Error(err)
	}
}

func TestServerThatKnowsLess(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
		format, _ := body["response_format"].(map[string]any)
		switch {
		case body["temperature"] != nil:
			refuse(w, 400, "Unsupported value: 'temperature' does not support 0.5 with this model.")
		case format["type"] == "json_schema":
			refuse(w, 400, "'response_format.type' must be 'json_object' or 'text'")
		case format["type"] == "json_object":
			refuse(w, 422, "response_format is not supported")
		case body["max_tokens"] != nil:
			refuse(w, 400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
		default:
			say(w, "Here:\n```json\n{\"price\":1}\n```")
		}
	})
	m := s.model(t, Options{})
	for range 2 {
		resp, err := m.Generate(t.Context(), question())
		if err != nil || !strings.Contains(resp.Text, `{"price":1}`) {
			t.Fatalf("Generate = %+v, %v", resp, err)
		}
	}
	if len(s.bodies()) != 6 {
		t.Errorf("the server was asked %d times, want 5 to learn and 1 that knows", len(s.bodies()))
	}
	last := s.bodies()[len(s.bodies())-1]
	system := last["messages"].([]any)[0].(map[string]any)["content"].(string)
	if !strings.HasPrefix(system, "Be brief.\n\n") || !strings.Contains(system, `"price":{"type":"number"}`) {
		t.Errorf("system = %q, want the schema in words", system)
	}
	if last["max_completion_tokens"] != 50.0 || last["response_format"] != nil {
		t.Errorf("the last request = %v", last)
	}
}

func TestRefusalOfOneSchemaIsForgotten(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
		if format, _ := body["response_format"].(map[string]any); format["type"] == "json_schema" {
			refuse(w, 400, "Invalid schema for response_format 'price': too odd")
			return
		}
		say(w, `{"price":1}`)
	})
	m := s.model(t, Options{})
	for range 2 {
		if _, err := m.Generate(t.Context(), question()); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(s.bodies()); got != 4 {
		t.Errorf("the server was asked %d times, want 4: the schema is tried again", got)
	}
}

// What else is refused after one schema was says nothing of schemas.
func TestRefusalsAfterThatOfOneSchema(t *testing.T) {
	for name, refused := range map[string]func(body map[string]any) (status int, text string){
		"a temperature": func(body map[string]any) (int, string) {
			if body["temperature"] != nil {
				return 400, "Unsupported value: 'temperature'"
			}
			return 0, ""
		},
		"an object": func(body map[string]any) (int, string) {
			if format, _ := body["response_format"].(map[string]any); format["type"] == "json_object" {
				return 422, "response_format json_object is not supported"
			}
			return 0, ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			odd := true
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
				format, _ := body["response_format"].(map[string]any)
				if odd && format["type"] == "json_schema" {
					refuse(w, 400, "Invalid schema for response_format 'price': too odd")
				} else if status, text := refused(body); text != "" {
					refuse(w, status, text)
				} else {
					say(w, `{"price":1}`)
				}
			})
			m := s.model(t, Options{})
			for range 2 {
				if _, err := m.Generate(t.Context(), question()); err != nil {
					t.Fatal(err)
				}
				odd = false
			}
			last := s.bodies()[len(s.bodies())-1]
			if format, _ := last["response_format"].(map[string]any); format["type"] != "json_schema" {
				t.Errorf("response_format = %v, want the next schema to be sent as one", last["response_format"])
			}
		})
	}
}

func TestServerThatIgnoresTheSchemaIsTold(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, body map[string]any) {
		if raw, err := json.Marshal(body["messages"]); err != nil || !strings.Contains(string(raw), "JSON Schema") {
			say(w, "It costs one.")
			return
		}
		say(w, `{"price":1}`)
	})
	m := s.model(t, Options{})
	for i, want := range []string{"It costs one.", `{"price":1}`} {
		if resp, err := m.Generate(t.Context(), question()); err != nil || resp.Text != want {
			t.Errorf("answer %d = %+v, %v, want %s", i+1, resp, err, want)
		}
	}
}

func TestThoughtsGoBackWithTheirCalls(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
		vendorserver.Responses.Reply(w, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}}})
	})
	m := s.model(t, Options{Format: config.ResponsesFormat})
	req := question()
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Messages = append(req.Messages,
		resp.Message(),
		llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look"}}})
	if _, err := m.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, item := range s.bodies()[1]["input"].([]any) {
		kinds = append(kinds, fmt.Sprint(item.(map[string]any)["type"]))
	}
	if i := slices.Index(kinds, "reasoning"); i < 0 || kinds[i+1] != "function_call" || kinds[i+2] != "function_call_output" {
		t.Errorf("the second request has items %v, want the thought before its call", kinds)
	}
}

// roundTrip answers in the place of a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOpenAIItself(t *testing.T) {
	var asked vendorserver.ResponsesRequest
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if got := r.URL.String(); got != "https://api.openai.com/v1/responses" || r.Header.Get("Authorization") != "Bearer k" {
			t.Errorf("asked %s as %q", got, r.Header.Get("Authorization"))
		}
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if err := vendorserver.Strictly(raw, &asked); err != nil {
			t.Error(err)
		}
		w := httptest.NewRecorder()
		vendorserver.Responses.Say(w, `{"price":1,"note":null}`)
		return w.Result(), nil
	})}
	m, err := New(Options{Model: "gpt-5", APIKey: llm.NewSecret("k"), HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := m.Generate(t.Context(), question())
	if err != nil || resp.Text != `{"price":1}` {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
	if !slices.Equal(asked.Include, []string{"reasoning.encrypted_content"}) || !asked.Text.Format.Strict || asked.MaxOutputTokens != 50 {
		t.Errorf("asked %+v", asked)
	}
	if p, r := strings.Index(string(asked.Text.Format.Schema), "price"), strings.Index(string(asked.Text.Format.Schema), "note"); p > r {
		t.Errorf("the schema lost its order: %s", asked.Text.Format.Schema)
	}
}

func TestKeyIsNotSentOn(t *testing.T) {
	elsewhere := serve(t, func(_ http.ResponseWriter, r *http.Request, _ map[string]any) {
		t.Errorf("another server was asked with %v", r.Header)
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	_, err := s.model(t, Options{APIKey: llm.NewSecret("sk-0123456789"), Headers: map[string]string{"X-Api-Key": "another"}}).Generate(t.Context(), question())
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindInvalid || !strings.Contains(e.Message, "leads to "+elsewhere.URL) {
		t.Errorf("Generate = %v", err)
	}
}
