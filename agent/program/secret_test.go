package program_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/agent"
	"github.com/wayfinder-engine/wayfinder/agent/program"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// TestSecret: a program writes the value of a variable, and never has it: not from
// the field, not from a page that repeats it, not backwards. A page cannot have it
// written by saying the placeholder.
func TestSecret(t *testing.T) {
	const value = "hunter2-Rx"
	for name, c := range map[string]struct {
		program, sent string
		stops         bool
	}{
		"written":     {"fill('textbox: Word', var('word'))\nclick('button: Send')", "word=" + value, false},
		"read again":  {"fill('textbox: Word', var('word'))\nlog(find('textbox')[0].value, find('textbox')[0].value[::-1], list(find('textbox', 'Word')[0].value.elems()))", "", false},
		"on the page": {"log(find('text')[0].text[::-1], read()[::-1], [find('text')])", "", false},
		"placeholder": {"fill('textbox: Word', find('heading')[0].name)\nclick('button: Send')", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			sent := ""
			web := fake.Web{"https://site.test/": `<h1>%word%</h1><p>You are ` + value + `</p><form action="/send"><label>Word <input name="word"></label><button>Send</button></form>`, "https://site.test/send": "<h1>Sent</h1>"}
			session, err := engine.Open(t.Context(), web, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if _, err := session.Page().Navigate(t.Context(), "https://site.test/", nil); err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(map[string]string{"program": c.program})
			if err != nil {
				t.Fatal(err)
			}
			heard := &listener{said: said{call("run", string(raw)), call("done", `{"success": false, "message": "enough"}`)}}
			a, err := agent.New(agent.Config{Model: heard, Tools: []agent.Tool{program.Tool(program.Limits{})}})
			if err != nil {
				t.Fatal(err)
			}
			result, err := a.Execute(t.Context(), session.Page(), agent.Task{Instruction: "send %word%", Variables: map[string]engine.Variable{"word": {Value: value}}})
			if err != nil {
				t.Fatal(err)
			}
			if _, query, ok := strings.Cut(session.Page().URL(), "?"); ok {
				sent = query
			}
			if sent != c.sent {
				t.Errorf("the site got %q, want %q", sent, c.sent)
			}
			if stopped := result.Actions[0].Status == agent.Failed; stopped != c.stops {
				t.Errorf("stopped: %v, want %v: %s", stopped, c.stops, result.Actions[0].Message)
			}
			all, err := json.Marshal([]any{result, heard.messages})
			if err != nil {
				t.Fatal(err)
			}
			backwards := []byte(value)
			for i, k := 0, len(backwards)-1; i < k; i, k = i+1, k-1 {
				backwards[i], backwards[k] = backwards[k], backwards[i]
			}
			spaced := strings.Join(strings.Split(value, ""), `\", \"`)
			for _, form := range []string{value, string(backwards), spaced} {
				if strings.Contains(string(all), form) {
					t.Errorf("%q stands in the result or the conversation: %s", form, result.Actions[0].Output)
				}
			}
		})
	}
}

// A listener is a model that keeps what it was sent.
type listener struct {
	said
	messages [][]llm.Message
}

func (l *listener) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	l.messages = append(l.messages, req.Messages)
	return l.said.Generate(ctx, req)
}
