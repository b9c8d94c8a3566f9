package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everyPart holds each kind of part, with all that it can hold.
func everyPart() []Message {
	return []Message{
		{Role: User, Parts: []Part{
			Instruction{"buy <2> & more"}, Text{"“so”\n"}, Page{Kind: "outline", Text: "[0-1] button: Buy"},
			Image{MediaType: "image/png", Data: []byte("\x89PNG\x00\xff")}}},
		{Role: Assistant, Parts: []Part{
			Reasoning{Text: "Hm.", Opaque: []byte{1, 2, 255}}, Text{"I look."},
			ToolCall{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"zoom":1.50,"b":null,"a":"x"}`), Opaque: []byte("sig")},
			ToolCall{ID: "c2", Name: "wait"}}},
		{Role: User, Parts: []Part{
			ToolResult{ID: "c1", Name: "look", Parts: []Part{Page{Text: "a page"}, Image{MediaType: "image/jpeg", Data: []byte{9}}}},
			ToolResult{ID: "c2", Name: "wait", Error: true, Parts: []Part{Text{"no time"}}}}},
		{Role: Assistant},
	}
}

func TestRequestInJSON(t *testing.T) {
	temperature := 0.5
	req := &Request{
		Purpose: PurposeAgent, System: "You are a test.", Messages: everyPart(),
		Tools:      []Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"zoom":{"type":"number"}}}`)}, {Name: "wait"}},
		ToolChoice: OneTool("look"), Schema: &ResponseSchema{Name: "answer", Schema: json.RawMessage(`{"type":"object"}`)},
		MaxOutputTokens: 99, Temperature: &temperature,
	}
	raw, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	var back Request
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(req, &back); diff != "" {
		t.Errorf("a request through JSON (-before +after):\n%s", diff)
	}
	again, err := json.Marshal(&back)
	if err != nil || string(again) != string(raw) {
		t.Errorf("the second time it is\n%s, %v\nwant\n%s", again, err, raw)
	}
}

// The form is a contract: recordings and runs are kept in it.
func TestMessageInJSONIsWritten(t *testing.T) {
	var got strings.Builder
	for _, message := range everyPart() {
		enc := json.NewEncoder(&got)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(message); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"role":"user","parts":[{"type":"instruction","text":"buy <2> & more"},{"type":"text","text":"“so”\n"},{"type":"page","kind":"outline","text":"[0-1] button: Buy"},{"type":"image","mediaType":"image/png","data":"iVBORwD/"}]}
{"role":"assistant","parts":[{"type":"reasoning","text":"Hm.","opaque":"AQL/"},{"type":"text","text":"I look."},{"type":"call","id":"c1","name":"look","arguments":{"zoom":1.50,"b":null,"a":"x"},"opaque":"c2ln"},{"type":"call","id":"c2","name":"wait"}]}
{"role":"user","parts":[{"type":"result","id":"c1","name":"look","parts":[{"type":"page","text":"a page"},{"type":"image","mediaType":"image/jpeg","data":"CQ=="}]},{"type":"result","id":"c2","name":"wait","parts":[{"type":"text","text":"no time"}],"failed":true}]}
{"role":"assistant"}
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("messages in JSON (-want +got):\n%s", diff)
	}
}

func TestResponseInJSON(t *testing.T) {
	resp := &Response{
		Reasoning: []Reasoning{{Text: "Hm.", Opaque: []byte("x")}}, Text: "I look.", Stop: StopTools, Model: "m-2026",
		ToolCalls: []ToolCall{{ID: "c1", Name: "look", Arguments: json.RawMessage(`{"a":1}`), Opaque: []byte("sig")}},
		Usage:     Usage{Input: 9, Output: 8, Reasoning: 7, Cached: 6, Duration: 5},
	}
	raw, err := json.Marshal(resp)
	if err != nil {
		t.Fatal(err)
	}
	var back Response
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(resp, &back); diff != "" {
		t.Errorf("a response through JSON (-before +after):\n%s", diff)
	}
}

func TestJSONThatIsNoMessage(t *testing.T) {
	for text, want := range map[string]string{
		`{"role":"user","parts":[{"type":"video"}]}`:                                          `unknown type "video"`,
		`{"role":"user","parts":[{"text":"x"}]}`:                                              `unknown type ""`,
		`{"role":"user","parts":[7]}`:                                                         "a part of a message",
		`{"role":"user","parts":[{"type":"text","text":7}]}`:                                  "a part of a message",
		`{"role":"user","parts":{}}`:                                                          "parts",
		`{"role":"user","parts":[{"type":"result","id":"c","parts":[{"type":"telepathy"}]}]}`: `unknown type "telepathy"`,
	} {
		var m Message
		if err := json.Unmarshal([]byte(text), &m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Unmarshal(%s) = %v, want %s", text, err, want)
		}
	}
	var m Message
	if err := json.Unmarshal([]byte(`{"role":"user","parts":[{"type":"text","text":"x","mood":"fine"}],"id":7}`), &m); err != nil {
		t.Errorf("members of a later version: %v", err)
	}
}
