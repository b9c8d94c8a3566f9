// Command compatible asks a model of any server that speaks OpenAI's protocol,
// as Ollama, vLLM, llama.cpp and LM Studio do.
//
// No key, no account. What the server does not know, as response schemas, is
// said in words instead. The pages are in memory, so that nothing but the model
// is on the network.
//
//	go run ./examples/compatible -server http://127.0.0.1:11434/v1 -model qwen3
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "qwen3", "the model's name on that server")
	server := flag.String("server", "http://127.0.0.1:11434/v1", "the server's address")
	flag.Parse()
	if err := run(context.Background(), *name, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, server string) error {
	model, err := openai.New(openai.Options{Model: name, BaseURL: server, Provider: "local"})
	if err != nil {
		return err
	}
	session, err := engine.Open(ctx, news, &engine.Options{Model: model})
	if err != nil {
		return err
	}
	defer session.Close()
	page := session.Page()
	if _, err := page.Navigate(ctx, "https://news.test/", nil); err != nil {
		return err
	}
	result, err := page.Act(ctx, "show me the weather", nil)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", model.Name(), result.Message)
	return nil
}
