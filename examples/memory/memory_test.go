package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/llmtest"
)

// choose is a model's answer: an element that the outline shows, and what to do.
func choose(line, method string, arguments ...string) func(*llm.Request) any {
	return func(req *llm.Request) any {
		return map[string]any{
			"found": true, "ref": llmtest.Ref(req, line), "method": method, "arguments": append([]string{}, arguments...),
			"description": "", "reason": "", "more": false,
		}
	}
}

// open opens a page in memory, whose session answers by a script.
func open(t *testing.T, web fake.Web, script ...llmtest.Step) (*engine.Page, *llmtest.Script) {
	model := llmtest.NewScript(t, script...)
	session, err := engine.Open(t.Context(), web, &engine.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session.Page(), model
}

func TestOrder(t *testing.T) {
	page, model := open(t, tea,
		llmtest.Step{Instruction: "into Your name", Page: "textbox: Your name", Answer: choose("textbox: Your name", "fill", "%name%")},
		llmtest.Step{Instruction: "click Order", Answer: choose("button: Order", "click")},
		llmtest.Step{Purpose: llm.PurposeExtract, Page: "T-417", JSON: map[string]string{"orderNumber": "T-417"}},
	)
	number, err := order(t.Context(), page, "Ada Lovelace")
	if number != "T-417" || err != nil {
		t.Errorf("order() = %q, %v, want T-417", number, err)
	}
	if said := llmtest.Show(model.Requests()[0]); strings.Contains(said, "Ada") {
		t.Errorf("the model was told the name:\n%s", said)
	}
}

func TestOrderWhenSoldOut(t *testing.T) {
	page, _ := open(t, fake.Web{address: `<h1>Sold out</h1>`},
		llmtest.Step{Purpose: llm.PurposeAct, JSON: map[string]any{
			"found": false, "ref": "", "method": "", "arguments": []string{}, "description": "", "reason": "there is no form", "more": false,
		}},
	)
	if _, err := order(t.Context(), page, "Ada Lovelace"); !errors.Is(err, errSoldOut) {
		t.Errorf("order() = %v, want %v", err, errSoldOut)
	}
}
