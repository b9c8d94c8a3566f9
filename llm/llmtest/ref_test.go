package llmtest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// dialogue is a request whose last message holds changes alone.
func dialogue() *llm.Request {
	req := ask("buy it", "[0-1] main\n  [0-2] button: Buy\n  [0-3] button: Help\n  [0-4] link: Old")
	req.Messages = append(req.Messages,
		llm.Message{Role: llm.Assistant, Parts: []llm.Part{llm.ToolCall{ID: "1", Name: "act"}}},
		llm.Message{Role: llm.User, Parts: []llm.Part{llm.ToolResult{ID: "1", Name: "act", Parts: []llm.Part{
			llm.Page{Kind: "changes", Text: "+ [0-9] button: Pay\n- [0-4] link: Old\n~ [0-3] button: Help (pressed)\n"}}}}})
	return req
}

func TestRefLooksBack(t *testing.T) {
	for words, want := range map[string]string{"button: Pay": "0-9", "button: Buy": "0-2", "button: Help": "0-3"} {
		if got := Ref(dialogue(), words); got != want {
			t.Errorf("Ref(%q) = %q, want %q", words, got, want)
		}
	}
}

// A reference that is not there fails the test, with the request.
func TestRefMissing(t *testing.T) {
	for _, words := range []string{"button: Sell", "link: Old"} {
		w := &witness{TB: t}
		s := NewScript(w, Step{Answer: func(req *llm.Request) any { return map[string]any{"ref": Ref(req, words)} }})
		if _, err := s.Generate(context.Background(), dialogue()); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: Generate = %v, want an error that says it", words, err)
		}
		if said := strings.Join(w.end(), "\n"); !strings.Contains(said, words) || !strings.Contains(said, "button: Buy") {
			t.Errorf("%s: the test says %q, want the words and the request", words, said)
		}
	}
}

// What a caller does to its request afterwards changes nothing of what came.
func TestRequestsAreCopies(t *testing.T) {
	s := NewScript(t, Step{Times: 2})
	req := dialogue()
	req.Messages[1].Parts[0] = llm.ToolCall{ID: "1", Name: "act", Arguments: []byte(`{"n":1}`)}
	want := Show(req)
	if _, err := s.Generate(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	call := req.Messages[1].Parts[0].(llm.ToolCall)
	copy(call.Arguments, `{"n":2}`)
	req.Messages[2].Parts[0].(llm.ToolResult).Parts[0] = llm.Text{Text: "other"}
	req.Messages[0].Parts[0] = llm.Instruction{Text: "other"}
	req.Messages = append(req.Messages, llm.Message{Role: llm.User})
	if _, err := s.Generate(context.Background(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, Show(s.Requests()[0])); diff != "" {
		t.Errorf("the first request (-as it came +now):\n%s", diff)
	}
}
