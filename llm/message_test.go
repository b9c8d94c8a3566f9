package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestResponseMessage(t *testing.T) {
	look := ToolCall{ID: "c1", Name: "look", Arguments: json.RawMessage(`{}`), Opaque: []byte("x")}
	wait := ToolCall{ID: "c2", Name: "wait"}
	thought := Reasoning{Opaque: []byte("signed")}
	for _, test := range []struct {
		resp Response
		want []Part
	}{
		{Response{Text: "Yes."}, []Part{Text{"Yes."}}},
		{Response{ToolCalls: []ToolCall{look, wait}}, []Part{look, wait}},
		{Response{Text: " \n", ToolCalls: []ToolCall{look}}, []Part{look}}, // providers refuse a blank text
		{Response{ToolCalls: []ToolCall{look}, Text: "I look.", Reasoning: []Reasoning{thought}}, []Part{thought, Text{"I look."}, look}},
		{Response{}, nil},
	} {
		if diff := cmp.Diff(Message{Role: Assistant, Parts: test.want}, test.resp.Message()); diff != "" {
			t.Errorf("Message of %+v (-want +got):\n%s", test.resp, diff)
		}
	}
}

func TestRequestCheck(t *testing.T) {
	said := []Message{{Role: User, Parts: []Part{Text{"hi"}}}}
	tools := []Tool{{Name: "look"}, {Name: "required"}}
	for _, test := range []struct {
		req  Request
		want string // empty: it is fine
	}{
		{Request{Messages: said}, ""},
		{Request{Messages: said, ToolChoice: ToolChoice{Mode: ToolNone}}, ""},
		{Request{Messages: said, Tools: tools, ToolChoice: ToolChoice{Mode: ToolRequired}}, ""},
		{Request{Messages: said, Tools: tools, ToolChoice: OneTool("required")}, ""}, // a tool may be called so
		{Request{}, "no message"},
		{Request{Messages: said, ToolChoice: ToolChoice{Mode: ToolRequired}}, "has none"},
		{Request{Messages: said, Tools: tools, ToolChoice: OneTool("wait")}, `"wait"`},
		{Request{Messages: said, Tools: tools, ToolChoice: ToolChoice{Name: "look"}}, `the mode "named" alone`},
		{Request{Messages: said, Tools: tools, ToolChoice: ToolChoice{Mode: "look"}}, `unknown tool choice "look"`},
		{Request{Messages: said, Stable: 1}, ""},
		{Request{Messages: said, Stable: 2}, "2 of 1 messages"},
		{Request{Messages: said, Stable: -1}, "-1 of 1 messages"},
	} {
		err := test.req.Check()
		var e *Error
		switch {
		case test.want == "" && err == nil:
		case test.want == "" || !errors.As(err, &e) || e.Kind != KindInvalid || !strings.Contains(e.Message, test.want):
			t.Errorf("Check of %+v = %v, want %q", test.req, err, test.want)
		}
	}
}

// In a conversation that grows, each request marks a place that the one before
// has marked, so that its cache is found.
func TestCacheMarks(t *testing.T) {
	for _, test := range []struct {
		messages, stable int
		want             []int
	}{
		{1, 0, nil}, // a single question
		{1, 1, []int{0}},
		{3, 0, []int{0, 2}},
		{3, 2, []int{1}},
		{5, 0, []int{2, 4}},
		{5, 4, []int{1, 3}},
		{7, 6, []int{3, 5}},
	} {
		req := Request{Messages: make([]Message, test.messages), Stable: test.stable}
		if diff := cmp.Diff(test.want, req.CacheMarks()); diff != "" {
			t.Errorf("CacheMarks of %d messages, %d stable (-want +got):\n%s", test.messages, test.stable, diff)
		}
	}
}
