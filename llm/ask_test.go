package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
	"github.com/wayfinder-engine/wayfinder/schema"
)

func question() *llm.Request {
	return &llm.Request{
		Purpose:  llm.PurposeExtract,
		Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "the price"}}}},
		Schema:   &llm.ResponseSchema{Name: "price", Schema: json.RawMessage(`{"type":"object","properties":{"price":{"type":"number"}},"required":["price"]}`)},
	}
}

func validator(t *testing.T) func([]byte) error {
	t.Helper()
	s, err := schema.Parse(question().Schema.Schema)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate
}

func TestAskTakesWhatIsValid(t *testing.T) {
	for name, text := range map[string]string{
		"plain":    `{"price":3}`,
		"fence":    "Here it is:\n```json\n{\"price\":3}\n```\nAnything else?",
		"words":    "The price is {\"price\":3}.",
		"bom":      "\ufeff {\"price\":3}\n",
		"no label": "```\n{\"price\":3}\n```",
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := llm.Ask(context.Background(), llmtest.NewScript(t, llmtest.Step{Text: text}), question(), validator(t))
			if err != nil || resp.Text != `{"price":3}` {
				t.Errorf("Ask = %+v, %v", resp, err)
			}
		})
	}
}

func TestAskRepairsOnce(t *testing.T) {
	for name, first := range map[string]string{"wrong": `{"price":"3"}`, "cut": `{"price":`, "empty": " ", "prose": "It costs 3."} {
		t.Run(name, func(t *testing.T) {
			model := llmtest.NewScript(t, llmtest.Step{Text: first}, llmtest.Step{JSON: map[string]any{"price": 3}})
			req := question()
			resp, err := llm.Ask(context.Background(), model, req, validator(t))
			if err != nil || resp.Text != `{"price":3}` || resp.Usage.Input != 200 {
				t.Fatalf("Ask = %+v, %v", resp, err)
			}
			if len(req.Messages) != 1 {
				t.Errorf("the caller's request has %d messages now", len(req.Messages))
			}
			again := model.Requests()[1]
			if name == "empty" {
				if len(again.Messages) != 2 {
					t.Errorf("the repair of an empty answer asks:\n%s", llmtest.Show(again))
				}
				return
			}
			if len(again.Messages) != 3 || again.Messages[1].Role != llm.Assistant || again.Messages[1].Parts[0] != llm.Text(llm.Text{Text: first}) {
				t.Fatalf("the repair asks:\n%s", llmtest.Show(again))
			}
			words := again.Messages[2].Parts[1].(llm.Page).Text
			if name == "wrong" && !strings.Contains(words, "price: is a string, must be a number") {
				t.Errorf("the repair says %q, want the validator's words", words)
			}
		})
	}
}

func TestAskGivesUp(t *testing.T) {
	model := llmtest.NewScript(t, llmtest.Step{Text: `{}`}, llmtest.Step{Text: `{"price":null}`})
	resp, err := llm.Ask(context.Background(), model, question(), validator(t))
	var failed *llm.Error
	var invalid *schema.ValidationError
	if !errors.As(err, &failed) || failed.Kind != llm.KindSchema || !errors.As(err, &invalid) {
		t.Fatalf("Ask = %v, want %s", err, llm.KindSchema)
	}
	if want := "script: schema: the answer was wrong twice: schema: price: is null, must be a number"; err.Error() != want {
		t.Errorf("Ask = %v, want %s", err, want)
	}
	if resp == nil || resp.Usage.Input != 200 {
		t.Errorf("Ask = %+v, want the usage of both rounds", resp)
	}
}

// What the first round took is spent, also where the repair gets no answer.
func TestAskCountsWhatWasSpent(t *testing.T) {
	broken := &llm.Error{Provider: "script", Kind: llm.KindOverloaded}
	m := llmtest.NewScript(t,
		llmtest.Step{Text: "no JSON", Usage: llm.Usage{Input: 700, Output: 30}},
		llmtest.Step{Err: broken})
	resp, err := llm.Ask(t.Context(), m, &llm.Request{}, func([]byte) error { return errors.New("wrong") })
	if !errors.Is(err, broken) {
		t.Errorf("error = %v, want %v", err, broken)
	}
	if resp == nil || resp.Text != "" || resp.Usage != (llm.Usage{Input: 700, Output: 30}) {
		t.Errorf("response = %+v, want the first round's usage and no text", resp)
	}
}

func TestAskPassesErrorsOn(t *testing.T) {
	refused := &llm.Error{Provider: "script", Kind: llm.KindRefusal}
	for _, steps := range [][]llmtest.Step{{{Err: refused}}, {{Text: "{}"}, {Err: refused}}} {
		if _, err := llm.Ask(context.Background(), llmtest.NewScript(t, steps...), question(), validator(t)); !errors.Is(err, refused) {
			t.Errorf("Ask = %v, want %v", err, refused)
		}
	}
}
