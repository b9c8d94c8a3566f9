// Command azure asks a deployment of Azure, by a token of Microsoft Entra ID.
//
// A token lives for an hour or so; the function that gives one is asked before
// every request. This one reads it from AZURE_OPENAI_AD_TOKEN. In a program
// that runs for long it asks the vendor's azidentity. The pages are in memory,
// so that nothing but the model is on the network; -server asks a server of
// your own that speaks as Azure does.
//
//	AZURE_OPENAI_AD_TOKEN=$(az account get-access-token --resource https://cognitiveservices.azure.com --query accessToken -o tsv) \
//		go run ./examples/azure -resource contoso -deployment gpt-5-mini
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/wayfinder-engine/wayfinder/driver/fake"
	"github.com/wayfinder-engine/wayfinder/engine"
	"github.com/wayfinder-engine/wayfinder/llm"
	"github.com/wayfinder-engine/wayfinder/llm/azure"
)

var news = fake.Web{
	"https://news.test/":      `<nav><a href="/sport">Sport</a> <a href="/weather">Weather</a></nav>`,
	"https://news.test/sport": `<h1>Sport</h1>`, "https://news.test/weather": `<h1>Weather</h1>`,
}

func main() {
	resource := flag.String("resource", "", "the resource's name")
	deployment := flag.String("deployment", "gpt-5-mini", "the deployment's name")
	server := flag.String("server", "", "address of a server that speaks as Azure does")
	flag.Parse()
	if err := run(context.Background(), *resource, *deployment, *server); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, resource, deployment, server string) error {
	model, err := azure.New(azure.Options{
		ResourceName: resource, Deployment: deployment, BaseURL: server,
		Token: func(context.Context) (llm.Secret, error) {
			token := os.Getenv("AZURE_OPENAI_AD_TOKEN")
			if token == "" {
				return llm.Secret{}, errors.New("AZURE_OPENAI_AD_TOKEN is not set")
			}
			return llm.NewSecret(token), nil
		},
	})
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
