// Command openai asks a model of OpenAI, with a limit on what it may cost.
//
// The key is in OPENAI_API_KEY. The budget is checked before each request, by
// the list of prices that is built in. The pages are in memory, so that nothing
// but the model is on the network; -server asks a server of your own that
// speaks as OpenAI does.
//
//	OPENAI_API_KEY=… go run ./examples/openai
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/openai"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "gpt-5-mini", "the model's name")
	server := flag.String("server", "", "address of a server that speaks as OpenAI does")
	flag.Parse()
	if err := run(context.Background(), *name, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, server string) error {
	base, err := openai.New(openai.Options{Model: name, APIKey: llm.NewSecret(os.Getenv("OPENAI_API_KEY")), BaseURL: server, Format: config.ResponsesFormat})
	if err != nil {
		return err
	}
	model := middleware.Meter()(middleware.Wrap(base, middleware.Retry(nil)))
	budget := &middleware.Budget{MaxCost: 0.10}
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
	used, cost := budget.Spent()
	fmt.Printf("%s\n%d tokens in, %d of them cached, for $%.6f\n", result.Message, used.Input, used.Cached, cost)
	return nil
}
