// Command ownmodel plugs in a model of one's own.
//
// A model is a name and one method. This one follows a rule: it clicks what the
// instruction names, letter by letter. With -server it is a real model instead,
// on any server that speaks OpenAI's protocol, as Ollama, vLLM and llama.cpp do.
//
//	go run ./examples/ownmodel
//	go run ./examples/ownmodel -server http://127.0.0.1:11434/v1 -model qwen3
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/wayfinder-engine/wayfinder/accessibility"
	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
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

// pick returns the model that the flags name.
func pick(server, name string) (engine.LLM, error) {
	if server == "" {
		return exact{}, nil
	}
	return openai.New(openai.Options{BaseURL: server, Model: name, APIKey: llm.NewSecret(os.Getenv("OPENAI_API_KEY"))})
}

func main() {
	server := flag.String("server", "", "address of a server that speaks OpenAI's protocol")
	name := flag.String("model", "qwen3", "the model's name on that server")
	flag.Parse()
	model, err := pick(*server, *name)
	if err == nil {
		err = run(context.Background(), model)
	}
	if err != nil {
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
