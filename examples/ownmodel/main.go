// Command ownmodel plugs in a model of one's own.
//
// A model is a name and one method. This one follows a rule: it clicks what the
// instruction names, letter by letter.
//
//	go run ./examples/ownmodel
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
)

// exact is a model that clicks the element whose name the instruction ends with.
type exact struct{}

func (exact) Name() string { return "example/exact" }

// Generate answers in the form that req.Schema asks for. What the page says is
// in parts of type llm.Page, what the user says in an llm.Instruction.
func (exact) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	var instruction string
	outline := &accessibility.Outline{}
	for _, part := range req.Messages[len(req.Messages)-1].Parts {
		switch part := part.(type) {
		case llm.Instruction:
			instruction = part.Text
		case llm.Page:
			var err error
			if outline, err = accessibility.ParseOutline(part.Text); err != nil {
				return nil, err
			}
		}
	}
	answer := map[string]any{
		"found": false, "ref": "", "method": "click", "arguments": []string{},
		"description": "", "reason": "nothing has that name", "more": false,
	}
	for _, item := range outline.Items {
		if item.Interactive() && item.Name != "" && strings.HasSuffix(instruction, item.Name) {
			answer["found"], answer["ref"] = true, item.Ref
		}
	}
	text, err := json.Marshal(answer)
	return &llm.Response{Text: string(text), Stop: llm.StopEnd}, err
}

func main() {
	if err := run(context.Background(), exact{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model engine.LLM) error {
	web := fake.Web{
		"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
		"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
	}
	session, err := engine.Open(ctx, web, &engine.Options{Model: model})
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://news.test/", nil); err != nil {
		return err
	}
	result, err := page.Act(ctx, "open Weather", nil)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", model.Name(), result.Message)
	return nil
}
