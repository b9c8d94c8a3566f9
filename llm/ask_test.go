package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

func mustBeOne(answer []byte) error {
	if string(answer) != `{"n":1}` {
		return errors.New("n: must be 1")
	}
	return nil
}

func askRequest() *llm.Request {
	return &llm.Request{Messages: []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.Instruction{Text: "one"}}}}}
}

func TestAskRepairs(t *testing.T) {
	script := llmtest.NewScript(t,
		llmtest.Step{Text: `{"n":2}`, Usage: llm.Usage{Input: 10, Output: 1}},
		llmtest.Step{
			Check: func(r *llm.Request) error {
				if len(r.Messages) != 3 || r.Messages[1].Role != llm.Assistant {
					return errors.New("want the conversation so far")
				}
				if said := r.Messages[2].Parts[0].(llm.Text).Text; !strings.Contains(said, "n: must be 1") {
					return errors.New("want the validator's words, got " + said)
				}
				return nil
			},
			Text:  "```json\n{\"n\":1}\n```",
			Usage: llm.Usage{Input: 20, Output: 2},
		})
	req := askRequest()
	resp, err := llm.Ask(t.Context(), script, req, mustBeOne)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Text != `{"n":1}` || resp.Usage.Input != 30 || resp.Usage.Output != 3 {
		t.Errorf("Ask = %+v", resp)
	}
	if len(req.Messages) != 1 {
		t.Errorf("Ask changed the request: %d messages", len(req.Messages))
	}
}

func TestAskGivesUp(t *testing.T) {
	script := llmtest.NewScript(t, llmtest.Step{Text: "I would say 2."}, llmtest.Step{Text: ""})
	resp, err := llm.Ask(t.Context(), script, askRequest(), mustBeOne)
	var failed *llm.Error
	if !errors.As(err, &failed) || failed.Kind != llm.KindSchema || !strings.Contains(err.Error(), "empty") {
		t.Fatalf("Ask = %v, want kind %s with the reason", err, llm.KindSchema)
	}
	if resp == nil || resp.Text != "" || resp.Usage.Input == 0 {
		t.Errorf("Ask = %+v, want the usage and no text", resp)
	}
}

func TestAskPassesErrorsOn(t *testing.T) {
	down := &llm.Error{Provider: "p", Kind: llm.KindUnavailable}
	script := llmtest.NewScript(t, llmtest.Step{Err: down})
	if _, err := llm.Ask(t.Context(), script, askRequest(), mustBeOne); !errors.Is(err, down) {
		t.Errorf("Ask = %v, want %v", err, down)
	}
}
