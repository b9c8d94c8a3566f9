// Command microsoft asks a model on an endpoint of Microsoft's model catalog.
//
// The model comes from a configuration, as a service would get it in a request.
// The endpoint's key is in AZURE_INFERENCE_CREDENTIAL. The pages are in memory,
// so that nothing but the model is on the network; -server asks a server of
// your own that speaks as the endpoint does.
//
//	AZURE_INFERENCE_CREDENTIAL=… go run ./examples/microsoft -server https://contoso.services.ai.azure.com
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
	"github.com/wayfinder-engine/wayfinder/llm/microsoft"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	name := flag.String("model", "Phi-4", "the model's name")
	server := flag.String("server", "", "the endpoint's address")
	flag.Parse()
	if err := run(context.Background(), *name, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, server string) error {
	c, err := config.Parse(fmt.Appendf(nil, `{"provider": "microsoft", "modelName": %q, "baseURL": %q}`, name, server))
	if err != nil {
		return err
	}
	c.APIKey = llm.NewSecret(os.Getenv("AZURE_INFERENCE_CREDENTIAL")) // shows as *** wherever it is printed
	model, err := microsoft.NewFromConfig(c)
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
