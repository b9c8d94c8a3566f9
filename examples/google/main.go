// Command google asks a Gemini model, and tells what that took.
//
// The key of the Gemini API is in GEMINI_API_KEY. The model is held to a budget
// of tokens, and asked again where that may help. The pages are in memory, so
// that nothing but the model is on the network; -server asks a server of your
// own that speaks as Google does.
//
//	GEMINI_API_KEY=… go run ./examples/google
//	GEMINI_API_KEY=… go run ./examples/google -model gemini-2.5-pro
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/google"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "gemini-2.5-flash", "the model's name")
	server := flag.String("server", "", "address of a server that speaks as Google does")
	flag.Parse()
	model, err := google.New(google.Options{Model: *name, APIKey: llm.NewSecret(os.Getenv("GEMINI_API_KEY")), BaseURL: *server})
	if err == nil {
		err = run(context.Background(), middleware.Meter()(middleware.Wrap(model, middleware.Retry(nil))))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, model engine.LLM) error {
	budget := &middleware.Budget{MaxTokens: 50_000}
	ctx = middleware.WithBudget(ctx, budget)
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
	used, _ := budget.Spent()
	fmt.Printf("%s\n%d tokens in, %d out, %d of them thoughts\n", result.Message, used.Input, used.Output, used.Reasoning)
	return nil
}
