// Command anthropic asks a Claude model, behind guards for a program that asks
// much.
//
// The key is in ANTHROPIC_API_KEY. Requests that may succeed later are
// repeated, a breaker keeps them from an endpoint that is down, and a limit
// bounds what goes out with the key. The pages are in memory, so that nothing
// but the model is on the network; -server asks a server of your own that
// speaks as Anthropic does.
//
//	ANTHROPIC_API_KEY=… go run ./examples/anthropic
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/anthropic"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "claude-haiku-4-5", "the model's name")
	server := flag.String("server", "", "address of a server that speaks as Anthropic does")
	flag.Parse()
	if err := run(context.Background(), *name, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, server string) error {
	base, err := anthropic.New(anthropic.Options{Model: name, APIKey: llm.NewSecret(os.Getenv("ANTHROPIC_API_KEY")), BaseURL: server})
	if err != nil {
		return err
	}
	model := middleware.Wrap(base,
		middleware.Retry(&middleware.RetryOptions{Attempts: 3, Longest: 5 * time.Second}),
		middleware.Break(&middleware.Breaker{Failures: 3, Pause: time.Minute}),       // shared by all models of the endpoint
		middleware.Limit(&middleware.Limiter{Requests: 8, TokensPerMinute: 200_000}), // shared by all models of the key
	)
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
