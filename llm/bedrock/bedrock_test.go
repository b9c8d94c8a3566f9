package bedrock

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// serve answers by a function.
func serve(t *testing.T, model string, reply func(w http.ResponseWriter, r *http.Request, body string)) (*Model, *vendorserver.Server) {
	t.Helper()
	s := vendorserver.Serve(t, reply)
	return open(t, Options{Model: model, APIKey: llm.NewSecret("key-of-bedrock"), BaseURL: s.URL}), s
}

func user(text string) llm.Message {
	return llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: text}}}
}

func asking(texts ...string) *llm.Request {
	req := &llm.Request{System: "Be brief."}
	for _, text := range texts {
		req.Messages = append(req.Messages, user(text))
	}
	return req
}

const priceSchema = `{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`

func TestNewRefuses(t *testing.T) {
	key := llm.NewSecret("key-of-bedrock")
	for _, test := range []struct {
		opts Options
		want string
	}{
		{Options{}, "bedrock: no model is named"},
		{Options{Model: "m", APIKey: key}, "bedrock: no region is named"},
		{Options{Model: "m", APIKey: key, BaseURL: "here"}, `bedrock: "here" is no address of a server`},
		{Options{Model: "m", Region: "r"}, "bedrock: auth: neither an API key nor an access key with its secret is given"},
		{Options{Model: "m", Region: "r", AccessKeyID: "id"}, "bedrock: auth: neither an API key nor an access key with its secret is given"},
	} {
		if _, err := New(test.opts); err == nil || err.Error() != test.want {
			t.Errorf("New(%+v) = %v, want %s", test.opts, err, test.want)
		}
	}
	if _, err := NewFromConfig(&config.Config{ModelName: "openai/gpt"}, Options{Region: "r"}); err == nil {
		t.Error("NewFromConfig took a model of another provider")
	}
}

// roundTrip answers in the place of a network.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// The vendor's own address, with an id that has to be escaped.
func TestBedrockItself(t *testing.T) {
	asked := ""
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = r.URL.String()
		w := httptest.NewRecorder()
		writeAnswer(w, &llmtest.Heard{}, &llmtest.Said{Text: "ok"})
		return w.Result(), nil
	})}
	m := open(t, Options{Model: "amazon.nova-lite-v1:0", Region: "us-west-2", APIKey: llm.NewSecret("k"), HTTPClient: client})
	resp, err := m.Generate(t.Context(), asking("hi"))
	if want := "https://bedrock-runtime.us-west-2.amazonaws.com/model/amazon.nova-lite-v1%3A0/converse"; err != nil || asked != want || resp.Text != "ok" {
		t.Errorf("Generate = %+v, %v, asked %s, want %s", resp, err, asked, want)
	}
}

// Numbers, names and markup in a call's arguments come as they were said.
func TestArgumentsAsTheyWereSaid(t *testing.T) {
	const said = `{"z":12345678901234567890,"a":0.10,"b":[{"<b>":"&"},null,true],"n":2}`
	m, _ := serve(t, "m", func(w http.ResponseWriter, _ *http.Request, _ string) {
		writeAnswer(w, &llmtest.Heard{}, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(said)}}})
	})
	req := asking("hi")
	req.Tools = []llm.Tool{{Name: "look"}}
	resp, err := m.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	for raw, into := range map[string]*any{said: &want, string(resp.ToolCalls[0].Arguments): &got} {
		dec := json.NewDecoder(strings.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(into); err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestExceptionsInAStream(t *testing.T) {
	for exception, want := range map[string]llm.ErrorKind{
		"throttlingException":         llm.KindRateLimited,
		"modelStreamErrorException":   llm.KindUnavailable,
		"internalServerException":     llm.KindUnavailable,
		"serviceUnavailableException": llm.KindOverloaded,
		"validationException":         llm.KindInvalid,
		"somethingNewException":       llm.KindUnavailable,
	} {
		t.Run(exception, func(t *testing.T) {
			m, s := serve(t, "m", func(w http.ResponseWriter, _ *http.Request, _ string) {
				f := newFrameWriter(w)
				f.event("messageStart", map[string]any{"role": "assistant"})
				f.delta(0, map[string]any{"text": "It was"})
				f.frame("exception", exception, map[string]string{"message": "the words of the server, and key-of-bedrock"})
			})
			var text string
			var failed error
			for delta, err := range m.Stream(t.Context(), asking("hi")) {
				text, failed = text+delta.Text, err
			}
			var e *llm.Error
			if !errors.As(failed, &e) || e.Kind != want || e.Provider != "bedrock" || text != "It was" || len(s.Bodies()) != 1 {
				t.Errorf("Stream = %q, %v after %d requests, want kind %s", text, failed, len(s.Bodies()), want)
			}
			if strings.Contains(failed.Error(), "key-of-bedrock") || !strings.Contains(failed.Error(), "the words of the server") {
				t.Errorf("error = %v", failed)
			}
		})
	}
}

// A frame that does not fit its checksum is no answer.
func TestBrokenFrame(t *testing.T) {
	m, _ := serve(t, "m", func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/vnd.amazon.eventstream")
		io.WriteString(w, "\x00\x00\x00\x20\x00\x00\x00\x00\x00\x00\x00\x00and so on, for some bytes") // the client reads it all
	})
	for _, err := range m.Stream(t.Context(), asking("hi")) {
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindMalformed {
			t.Errorf("Stream = %v, want an error of kind %s", err, llm.KindMalformed)
		}
	}
}

func TestStopReasons(t *testing.T) {
	for reason, want := range map[string]llm.ErrorKind{
		"max_tokens": llm.KindLength, "model_context_window_exceeded": llm.KindLength,
		"guardrail_intervened": llm.KindContentFilter, "content_filtered": llm.KindContentFilter,
		"malformed_tool_use": llm.KindMalformed, "malformed_model_output": llm.KindMalformed, "refusal": llm.KindRefusal,
		"end_turn": "", "stop_sequence": "", "something_new": "",
	} {
		m, _ := serve(t, "m", func(w http.ResponseWriter, _ *http.Request, _ string) {
			vendorserver.WriteJSON(w, 200, map[string]any{"output": map[string]any{"message": map[string]any{"role": "assistant",
				"content": []any{map[string]any{"text": "Sorry."}}}}, "stopReason": reason})
		})
		_, err := m.Generate(t.Context(), asking("hi"))
		var e *llm.Error
		if errors.As(err, &e); (want == "") != (err == nil) || err != nil && e.Kind != want {
			t.Errorf("Generate after %s = %v, want kind %q", reason, err, want)
		}
	}
}

// What one side says in a row is one message, and pages stay fenced in it.
func TestTurnsAlternate(t *testing.T) {
	m, _ := serve(t, "m", func(w http.ResponseWriter, r *http.Request, body string) {
		heard, err := readBody(r, []byte(body))
		if err != nil || len(heard.Turns) != 1 || heard.Turns[0].Text != "one\ntwo" {
			t.Errorf("the server heard %+v, %v", heard, err)
		}
		writeAnswer(w, &llmtest.Heard{}, &llmtest.Said{Text: "ok"})
	})
	if _, err := m.Generate(t.Context(), asking("one", " ", "two")); err != nil {
		t.Error(err)
	}
	var e *llm.Error
	if _, err := m.Generate(t.Context(), asking(" ")); !errors.As(err, &e) || e.Kind != llm.KindInvalid {
		t.Errorf("Generate without words = %v", err)
	}
}

func TestCachedTokensAndMarks(t *testing.T) {
	m, _ := serve(t, "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", func(w http.ResponseWriter, _ *http.Request, body string) {
		if strings.Count(body, `"cachePoint":{"type":"default"}`) != 3 || !strings.Contains(body, `"system":[{"text":"Be brief."},{"cachePoint"`) || !strings.Contains(body, `{"text":"two"},{"cachePoint"`) {
			t.Errorf("the marks for the cache are wrong in %s", body)
		}
		vendorserver.WriteJSON(w, 200, map[string]any{"output": map[string]any{"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"text": "ok"}}}}, "stopReason": "end_turn",
			"usage": map[string]any{"inputTokens": 5, "outputTokens": 7, "totalTokens": 112, "cacheReadInputTokens": 90, "cacheWriteInputTokens": 10}})
	})
	req := asking("one", "and")
	req.Messages[1] = llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: "yes "}}}
	req.Messages = append(req.Messages, user("two"))
	resp, err := m.Generate(t.Context(), req)
	if err != nil || resp.Usage.Input != 105 || resp.Usage.Cached != 90 || resp.Usage.Output != 7 || resp.Usage.Duration <= 0 {
		t.Errorf("Generate = %+v, %v, want 105 tokens in, 90 of them cached", resp, err)
	}
}

// What a model refuses is said otherwise, and that is remembered.
func TestModelsThatKnowLess(t *testing.T) {
	for _, test := range []struct {
		name, says string
		status     int
		has        string // in the body that is refused
		instead    string // in the one that follows
	}{
		{"no forced tool", "This model doesn't support the toolConfig.toolChoice.tool field. Remove toolConfig.toolChoice.tool and try again.", 400, `"toolChoice"`, "JSON Schema"},
		{"no temperature", "`temperature` is deprecated for this model.", 400, `"temperature"`, `"toolChoice"`},
		{"no cache", "You invoked an unsupported model or your request did not allow prompt caching.", 403, `"cachePoint"`, `"toolChoice"`},
		{"no system prompt", "This model doesn't support system messages. Try again without a system message or use a model that supports system messages.", 400, `"system":[`, `[{"text":"Be brief."},{"text":"hi"}]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			m, s := serve(t, "amazon.nova-lite-v1:0", func(w http.ResponseWriter, r *http.Request, body string) {
				if strings.Contains(body, test.has) {
					failWith(w, test.status, map[int]string{400: "ValidationException", 403: "AccessDeniedException"}[test.status], test.says)
					return
				}
				if !strings.Contains(body, test.instead) {
					t.Errorf("asked without %s: %s", test.instead, body)
				}
				heard, err := readBody(r, []byte(body))
				if err != nil {
					t.Error(err)
				}
				writeAnswer(w, heard, &llmtest.Said{Text: `{"price":1}`})
			})
			temperature := 0.5
			req := asking("hi")
			req.Temperature = &temperature
			req.Schema = &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(priceSchema)}
			for range 2 {
				if resp, err := m.Generate(t.Context(), req); err != nil || resp.Text != `{"price":1}` {
					t.Errorf("Generate = %+v, %v", resp, err)
				}
			}
			if asked := len(s.Bodies()); asked != 3 {
				t.Errorf("the server was asked %d times, want 2 to learn and 1 that knows", asked)
			}
		})
	}
}

// A schema beside tools is said in words: the model must be free to call them.
func TestSchemaBesideTools(t *testing.T) {
	m, _ := serve(t, "m", func(w http.ResponseWriter, r *http.Request, body string) {
		heard, err := readBody(r, []byte(body))
		if err != nil || heard.ToolChoice != (llm.ToolChoice{}) || len(heard.Tools) != 1 || !strings.Contains(heard.System, priceSchema) {
			t.Errorf("the server heard %+v, %v", heard, err)
		}
		writeAnswer(w, heard, &llmtest.Said{Text: `{"price":1}`})
	})
	req := asking("hi")
	req.Tools = []llm.Tool{{Name: "look"}}
	req.Schema = &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(priceSchema)}
	if resp, err := m.Generate(t.Context(), req); err != nil || resp.Text != `{"price":1}` {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
}

// A tool that is called though none may be is no answer.
func TestForbiddenToolIsCalled(t *testing.T) {
	m, _ := serve(t, "m", func(w http.ResponseWriter, r *http.Request, body string) {
		if strings.Contains(body, "toolConfig") {
			t.Errorf("tools are offered in %s", body)
		}
		writeAnswer(w, &llmtest.Heard{}, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c", Name: "look", Arguments: json.RawMessage(`{}`)}}})
	})
	req := asking("hi")
	req.Tools, req.ToolChoice.Mode = []llm.Tool{{Name: "look"}}, llm.ToolNone
	var e *llm.Error
	if _, err := m.Generate(t.Context(), req); !errors.As(err, &e) || e.Kind != llm.KindMalformed {
		t.Errorf("Generate = %v", err)
	}
}

// Thoughts go back with the call that they led to, as they were signed; those
// of another provider don't.
func TestThoughtsGoBackWithTheirCalls(t *testing.T) {
	for _, streamed := range []bool{false, true} {
		second := false
		m, _ := serve(t, "m", func(w http.ResponseWriter, _ *http.Request, body string) {
			if want := `{"reasoningContent":{"reasoningText":{"signature":"c2ln","text":"Hm."}}},{"toolUse"`; second && (!strings.Contains(body, want) || strings.Count(body, "reasoningContent") != 1) {
				t.Errorf("the thought is not where it was in %s", body)
			}
			second = true
			writeAnswer(w, &llmtest.Heard{Stream: streamed}, &llmtest.Said{Calls: []llm.ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`)}}})
		})
		req := asking("hi")
		req.Tools = []llm.Tool{{Name: "look"}}
		var resp *llm.Response
		var err error
		if streamed {
			for delta, failed := range m.Stream(t.Context(), req) {
				resp, err = delta.Response, failed
			}
		} else {
			resp, err = m.Generate(t.Context(), req)
		}
		if err != nil {
			t.Fatal(err)
		}
		said := resp.Message()
		foreign := []byte(`{"anthropic":[{"type":"thinking","thinking":"x","signature":"y"}]}`)
		said.Parts = append([]llm.Part{llm.Reasoning{Opaque: foreign}}, append(said.Parts, llm.ToolCall{ID: "c0", Name: "look", Opaque: foreign})...)
		req.Messages = append(req.Messages,
			said,
			llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c0", Name: "look"}, llm.ToolResult{ID: "c1", Name: "look"}}})
		if streamed {
			for _, failed := range m.Stream(t.Context(), req) {
				if failed != nil {
					t.Error(failed)
				}
			}
		} else if _, err := m.Generate(t.Context(), req); err != nil {
			t.Error(err)
		}
	}
}

func TestPicturesItDoesNotTake(t *testing.T) {
	m, s := serve(t, "m", func(http.ResponseWriter, *http.Request, string) {})
	req := asking("hi")
	req.Messages[0].Parts = append(req.Messages[0].Parts, llm.Image{MediaType: "image/svg+xml", Data: []byte("<svg/>")})
	var e *llm.Error
	if _, err := m.Generate(t.Context(), req); !errors.As(err, &e) || e.Kind != llm.KindUnsupported || len(s.Bodies()) != 0 {
		t.Errorf("Generate = %v", err)
	}
}

// late reads its text when it is first read.
type late struct {
	read func() string
	text io.Reader
}

func (l *late) Read(p []byte) (int, error) {
	if l.text == nil {
		l.text = strings.NewReader(l.read())
	}
	return l.text.Read(p)
}

// A connection may still be busy with a request when its answer begins: the
// body must be there until then.
func TestBodyIsThereUntilItIsSent(t *testing.T) {
	recorder := httptest.NewRecorder()
	writeAnswer(recorder, &llmtest.Heard{Stream: true}, &llmtest.Said{Text: "ok"})
	answer := recorder.Body.String()
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		body := &late{read: func() string {
			sent, err := io.ReadAll(r.Body)
			if err != nil || int64(len(sent)) != r.ContentLength {
				t.Errorf("the body that is sent is %q of %d bytes, %v", sent, r.ContentLength, err)
			}
			return answer[1:]
		}}
		return &http.Response{StatusCode: 200, Header: recorder.Header(), Request: r,
			Body: io.NopCloser(io.MultiReader(strings.NewReader(answer[:1]), body))}, nil
	})}
	m, err := New(Options{Model: "m", Region: "us-east-1", APIKey: llm.NewSecret("k"), HTTPClient: client})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range m.Stream(t.Context(), asking("hi")) {
		if err != nil {
			t.Errorf("Stream = %v", err)
		}
	}
}
