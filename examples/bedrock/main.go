// Command bedrock asks a model of Amazon Bedrock, and another one where that
// can't answer.
//
// The access key is where Amazon's own tools look for it, in AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. The pages are in memory, so that
// nothing but the model is on the network; -server asks a server of your own
// that speaks as Bedrock does.
//
//	go run ./examples/bedrock -region eu-central-1
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/bedrock"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	region := flag.String("region", "us-east-1", "where the models are served")
	server := flag.String("server", "", "address of a server that speaks as Bedrock does")
	flag.Parse()
	if err := run(context.Background(), *region, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, region, server string) error {
	open := func(id string) (llm.Model, error) {
		m, err := bedrock.New(bedrock.Options{
			Model: id, Region: region, BaseURL: server,
			AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: llm.NewSecret(os.Getenv("AWS_SECRET_ACCESS_KEY")),
			SessionToken:    llm.NewSecret(os.Getenv("AWS_SESSION_TOKEN")),
		})
		if err != nil {
			return nil, err
		}
		return middleware.Wrap(m, middleware.Retry(&middleware.RetryOptions{Attempts: 2})), nil
	}
	first, err := open("anthropic.claude-haiku-4-5-20251001-v1:0")
	if err != nil {
		return err
	}
	second, err := open("amazon.nova-lite-v1:0")
	if err != nil {
		return err
	}
	model := middleware.Wrap(first, middleware.Fallback(second))
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
	fmt.Println(result.Message)
	return nil
}
