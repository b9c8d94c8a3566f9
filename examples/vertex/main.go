// Command vertex asks a model that Google Cloud serves, by a service account.
//
// The model comes from a configuration, as a service would get it: which one,
// whose, and where. The account's key file is where Google's own tools look for
// it, in GOOGLE_APPLICATION_CREDENTIALS. The pages are in memory, so that
// nothing but the model is on the network; -server asks a server of your own
// that speaks as Google Cloud does.
//
//	go run ./examples/vertex -project acme -location europe-west4
//	go run ./examples/vertex -project acme -location global -model claude-sonnet-4-5@20250929
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/config"
	"github.com/wayfinder-engine/wayfinder/llm/middleware"
	"github.com/wayfinder-engine/wayfinder/llm/vertex"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "gemini-2.5-flash", "the model's name")
	project := flag.String("project", "", "the project that pays")
	location := flag.String("location", "global", "where the model is served")
	server := flag.String("server", "", "address of a server that speaks as Google Cloud does")
	flag.Parse()
	where := map[string]any{"project": *project, "location": *location}
	if *server != "" {
		where["baseURL"] = *server
	}
	model, err := configured(*name, where)
	if err == nil {
		err = run(context.Background(), model)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// configured returns the model of a configuration, which is checked strictly: a
// member that is misspelled is an error with its path.
func configured(name string, where map[string]any) (llm.Model, error) {
	account, err := os.ReadFile(os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"))
	if err != nil {
		return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS must name a service account's key file: %w", err)
	}
	document, err := json.Marshal(map[string]any{
		"modelName":       "vertex/" + name,
		"provider":        "vertex",
		"auth":            map[string]any{"type": "googleServiceAccount", "credentials": json.RawMessage(account)},
		"providerOptions": map[string]any{"vertex": where},
	})
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(document)
	if err != nil {
		return nil, err
	}
	return vertex.NewFromConfig(c)
}

func run(ctx context.Context, model llm.Model) error {
	session, err := engine.Open(ctx, news, &engine.Options{Model: middleware.Wrap(model, middleware.Retry(nil))})
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
