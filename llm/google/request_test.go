package google

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/internal/vendorserver"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// TestRequestOnTheWire holds a whole request against what the vendor's
// reference writes, to the byte of its body.
func TestRequestOnTheWire(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Method != http.MethodPost || r.URL.String() != "/v1beta/models/gemini-x:generateContent" || r.Header.Get("X-Goog-Api-Key") != key || r.Header.Get("Authorization") != "" {
			t.Errorf("%s %s with %v", r.Method, r.URL, r.Header)
		}
		vendorserver.Gemini.Say(w, `{"price":1}`)
	})
	req := question()
	temperature := 0.1
	req.Temperature, req.MaxOutputTokens, req.ToolChoice = &temperature, 99, llm.OneTool("look")
	req.Tools = []llm.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}`)}, {Name: "wait"}}
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.Text{Text: "I look."}, llm.ToolCall{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"z":1}`), Opaque: []byte(`{"thoughtSignature":"c2ln"}`)}}},
		llm.Message{Role: llm.User, Parts: []llm.Part{llm.Text{Text: "Go on."}, llm.ToolResult{ID: "c1", Name: "look", Error: true}, llm.Image{MediaType: "image/png", Data: []byte{1, 2, 3}}}})
	if _, err := s.model(t).Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	system, err := json.Marshal("Be brief.\n\n" + llm.FenceRule)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"contents":[` +
		`{"parts":[{"text":"Instruction: the price"}],"role":"user"},` +
		`{"parts":[{"text":"I look."},{"functionCall":{"args":{"z":1},"id":"c1","name":"look"},"thoughtSignature":"c2ln"}],"role":"model"},` +
		`{"parts":[{"functionResponse":{"id":"c1","name":"look","response":{"error":"The tool failed."}}},{"text":"Go on."},{"inlineData":{"data":"AQID","mimeType":"image/png"}}],"role":"user"}],` +
		`"generationConfig":{"maxOutputTokens":99,"responseJsonSchema":{"type":"object","properties":{"price":{"type":"number"},"currency":{"type":"string","description":"Rules: pattern \"^[A-Z]+$\"."}},"required":["price"]},"responseMimeType":"application/json","temperature":0.1},` +
		`"systemInstruction":{"parts":[{"text":` + string(system) + `}],"role":"user"},` +
		`"toolConfig":{"functionCallingConfig":{"allowedFunctionNames":["look"],"mode":"ANY"}},` +
		`"tools":[{"functionDeclarations":[{"description":"Looks.","name":"look","parametersJsonSchema":{"type":"object","properties":{"z":{"type":"integer"},"a":{"type":"string"}}}},{"name":"wait"}]}]}`
	if diff := cmp.Diff(want, strings.TrimSpace(s.Bodies()[0])); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestSchemaInWordsWhereThereIsNoOtherWay(t *testing.T) {
	for _, test := range []struct {
		refusal string
		tools   bool
		asked   int // for two questions
	}{
		{"Function calling with a response mime type: 'application/json' is unsupported", true, 3},
		{"JSON mode is not enabled for models/gemma-3-27b-it", false, 3},
		{`Invalid JSON payload received. Unknown name "responseJsonSchema" at 'generation_config': Cannot find field.`, false, 3},
		{"The specified schema produces a constraint that has too many states for serving.", false, 4},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, body string) {
			if strings.Contains(body, "responseJsonSchema") {
				vendorserver.Gemini.Fail(w, llm.KindInvalid, test.refusal)
				return
			}
			if !strings.Contains(body, "JSON Schema") || strings.Contains(body, "responseMimeType") {
				t.Errorf("the schema is not in words in %s", body)
			}
			vendorserver.Gemini.Say(w, `{"price":1}`)
		})
		m, req := s.model(t), question()
		if test.tools {
			req.Tools = []llm.Tool{{Name: "look"}}
		}
		for range 2 {
			if resp, err := m.Generate(t.Context(), req); err != nil || resp.Text != `{"price":1}` {
				t.Errorf("Generate = %+v, %v", resp, err)
			}
		}
		if len(s.Bodies()) != test.asked {
			t.Errorf("%s: the server was asked %d times, want %d", test.refusal, len(s.Bodies()), test.asked)
		}
	}
}

// TestSignaturesGoBackWithTheirCalls plays a model that thinks: each step's
// first call must come back with the signature that it had.
func TestSignaturesGoBackWithTheirCalls(t *testing.T) {
	calls := []llm.ToolCall{{Name: "look", Arguments: json.RawMessage(`{"zoom":1}`)}, {Name: "look", Arguments: json.RawMessage(`{"zoom":2}`)}}
	ids := map[string]bool{}
	round := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
		heard, err := vendorserver.Gemini.Read(r, []byte(body))
		if err != nil {
			t.Errorf("the server refuses the request: %v", err)
			return
		}
		for _, turn := range heard.Turns {
			for i, call := range turn.Calls {
				if want := map[int]string{0: "signed"}[i]; string(call.Opaque) != want {
					t.Errorf("call %d has the signature %q, want %q", i, call.Opaque, want)
				}
			}
		}
		vendorserver.Gemini.Answer(w, heard, &llmtest.Said{Calls: calls})
	})
	m, req := s.model(t), question()
	req.Schema = nil
	for round = range 3 {
		resp, err := m.Generate(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		said, heard := llm.Message{Role: llm.Assistant}, llm.Message{Role: llm.User}
		for _, call := range resp.ToolCalls {
			if ids[call.ID] {
				t.Errorf("the id %q of round %d is not new", call.ID, round)
			}
			ids[call.ID] = true
			said.Parts = append(said.Parts, call)
			heard.Parts = append(heard.Parts, llm.ToolResult{ID: call.ID, Name: call.Name, Parts: []llm.Part{llm.Text{Text: "seen"}}})
		}
		req.Messages = append(req.Messages, said, heard)
	}
	if len(ids) != 6 {
		t.Errorf("ids = %v", ids)
	}
}

// TestCallsOfOtherModels has a model refuse calls that it did not make.
func TestCallsOfOtherModels(t *testing.T) {
	skip := base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator"))
	for _, refusal := range []string{"Function call is missing a thought_signature in functionCall parts.", "Corrupted thought signature."} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request, body string) {
			if strings.Count(body, skip) != 1 || strings.Count(body, `"thoughtSignature"`) != 1 {
				vendorserver.Gemini.Fail(w, llm.KindInvalid, refusal)
				return
			}
			vendorserver.Gemini.Say(w, "done")
		})
		req := question()
		req.Schema = nil
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.Assistant, Parts: []llm.Part{
				llm.ToolCall{ID: "c1", Name: "look", Opaque: []byte(`[{"type":"thinking","thinking":"Hm.","signature":"c2ln"}]`)},
				llm.ToolCall{ID: "c2", Name: "look", Opaque: []byte(`{"thoughtSignature":"c2ln"}`)}}},
			llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look"}, llm.ToolResult{ID: "c2", Name: "look"}}})
		if resp, err := s.model(t).Generate(t.Context(), req); err != nil || resp.Text != "done" || len(s.Bodies()) != 2 {
			t.Errorf("Generate = %+v, %v after %d requests", resp, err, len(s.Bodies()))
		}
	}
}

func TestIDsOfTheVendorAreKept(t *testing.T) {
	m := says(t, `{"candidates":[{"content":{"parts":[{"functionCall":{"id":"fc-7","name":"look","args":{"n":12345678}}},{"functionCall":{"name":"wait"}}]},"finishReason":"STOP"}]}`)
	resp, err := m.Generate(t.Context(), question())
	if err != nil || len(resp.ToolCalls) != 2 || resp.ToolCalls[0].ID != "fc-7" || string(resp.ToolCalls[0].Arguments) != `{"n":12345678}` || string(resp.ToolCalls[1].Arguments) != `{}` {
		t.Errorf("Generate = %+v, %v", resp, err)
	}
}

// Newer models take pictures within a tool's result, and want nothing else
// beside the results. One that refuses them is remembered.
func TestPicturesOfResults(t *testing.T) {
	for _, test := range []struct {
		model          string
		refuses        bool
		asked          int // for two questions
		within, beside int // of the last
	}{
		{"gemini-2.5-pro", false, 2, 0, 1},
		{"gemini-3.5-flash", false, 2, 1, 0},
		{"gemini-2.5-computer-use-preview-10-2025", false, 2, 1, 0},
		{"gemini-3-nano", true, 3, 0, 1},
	} {
		var within, beside int
		s := serve(t, func(w http.ResponseWriter, r *http.Request, body string) {
			heard, err := vendorserver.Gemini.Read(r, []byte(body))
			if err != nil {
				t.Errorf("%s: the server refuses the request: %v", test.model, err)
				return
			}
			turn := heard.Turns[2]
			within = len(turn.Results[0].Images)
			beside = len(turn.Images) - within
			if test.refuses && within > 0 {
				vendorserver.Gemini.Fail(w, llm.KindInvalid, "Unable to submit request because `function_response.parts` is not supported for this model.")
				return
			}
			vendorserver.Gemini.Answer(w, heard, &llmtest.Said{Text: "done"})
		})
		m, err := New(Options{Model: test.model, APIKey: llm.NewSecret(key), BaseURL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		req := question()
		req.Schema = nil
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.ToolCall{ID: "c1", Name: "look"}}},
			llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "c1", Name: "look", Parts: []llm.Part{llm.Text{Text: "see"}, llm.Image{MediaType: "image/png", Data: []byte{1}}}}}})
		for range 2 {
			if resp, err := m.Generate(t.Context(), req); err != nil || resp.Text != "done" {
				t.Errorf("%s: Generate = %+v, %v", test.model, resp, err)
			}
		}
		if len(s.Bodies()) != test.asked || within != test.within || beside != test.beside {
			t.Errorf("%s: %d requests, %d pictures within the result and %d beside it, want %d, %d, %d", test.model, len(s.Bodies()), within, beside, test.asked, test.within, test.beside)
		}
	}
}
